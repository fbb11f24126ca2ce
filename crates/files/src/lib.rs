//! File-system tests: the classic programs' operations, counted and timed in one way.
//!
//! A job goes through `validate` (refuse what cannot work) → `prepare` (untimed) → its phases, each a method of one
//! [`workload`] → removal of its folder, all held together by `runner`; the handle that others see is that of every job. The
//! workloads are in [`workloads`], one file each.
//!
//! Three things are the same in all of them:
//! - Every worker has a descriptor table of its own and works relative to its folder, as the processes of the originals
//!   do, so that threads cost what processes cost.
//! - Nothing is written outside a new folder below [`spec::FilesSpec::directory`], and that folder is removed on any exit.
//! - What the original did not flush is not flushed, unless the request says so; see [`spec::Durable`].

mod buffer;
pub mod common;
mod context;
pub mod fault;
mod glibc_random;
mod measured;
mod mersenne;
#[expect(missing_docs, reason = "field names and units are the documentation of a record")]
pub mod outcome;
mod phase;
mod runner;
mod scratch_dir;
pub mod spec;
mod stdio;
mod sys;
mod tally;
mod tar;
mod text;
mod thread_setup;
mod tree;
mod validate;
pub mod workload;
pub mod workloads;

pub use runner::Runner;
pub use validate::validate;

/// A running job of this kind.
pub type Job = plimsoll_core::job::Job<Runner>;
