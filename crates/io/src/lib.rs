//! Block and file I/O: engines, and the job that drives them.
//!
//! A job goes through `validate` (refuse what cannot work anywhere, or on this target) → `layout` → `launch` (one `worker`
//! per thread) → the time line → `verify`, all held together by `runner`; the pool of threads and the handle that others
//! see are those of every job. What only fio's job files ask for lies in `fio`, apart from the loop of `worker`.

mod affinity;
mod beneath;
mod bits;
mod block_pattern;
pub mod buffer;
mod bus_error;
mod calls;
mod content;
pub mod direct;
pub mod engine;
mod engine_names;
pub mod engines;
pub mod files;
mod fio;
mod in_flight;
mod launch;
mod layout;
mod names;
pub mod parameters;
pub mod pattern;
pub mod recorded;
mod recorder;
mod region;
mod rotation;
mod runner;
mod schedule;
mod signal;
mod size_mix;
pub mod spec;
mod target;
mod trim;
mod validate;
#[expect(missing_docs, reason = "field names and units are the documentation of a record")]
pub mod values;
pub mod verify;
mod worker;

pub use runner::Runner;
pub use validate::validate;

/// A running job of this kind.
pub type Job = plimsoll_core::job::Job<Runner>;
