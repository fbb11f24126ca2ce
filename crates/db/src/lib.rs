//! Databases: YCSB's core workload, pgbench's scripts and web pages, against databases and servers.
//!
//! A job goes through `validate` (refuse what cannot work) → `prepare` (data) → `launch` (threads, each with its clients) →
//! `worker` (the loop) → the time line, all held together by `runner`; the pool of threads and the handle that others see
//! are those of every job. The drivers are in `drivers`, one file each; what clients do is in `workloads`; which keys they
//! ask for in `keyspace`.

pub mod caps;
mod client;
mod console;
mod data;
mod driver;
mod drivers;
mod epoll;
mod fault;
#[cfg(any(test, fuzzing))]
pub mod hostile;
mod integrity;
mod keyspace;
mod launch;
mod open_files;
mod outage;
#[expect(missing_docs, reason = "field names and units are the documentation of a record")]
pub mod outcome;
mod ownership;
pub mod parameters;
mod prepare;
mod recorder;
mod runner;
mod setup;
mod socket;
pub mod spec;
mod sql;
mod tables;
#[cfg(feature = "tls")]
mod tls;
mod url;
mod validate;
mod wire;
mod worker;
mod workloads;

pub use data::{drop_made, made};

pub use runner::Runner;
pub use validate::{validate, validate_address};

/// A running job of this kind.
pub type Job = plimsoll_core::job::Job<Runner>;

/// The driver list.
pub fn drivers() -> Vec<outcome::DriverRow> {
    let row =
        |entry: &'static drivers::Entry| outcome::DriverRow { caps: &entry.caps, reason: (entry.available)().err() };
    drivers::LIST.iter().map(row).collect()
}
