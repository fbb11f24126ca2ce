//! The pure half of Plimsoll's measuring core: how parameters are declared, what a job found, and the arithmetic in between.
//!
//! Opens no file, device or socket. The I/O itself lives in `plimsoll-io`, which depends on this crate.

pub mod aio;
pub mod clock;
pub mod count;
pub mod course;
pub mod cpu_time;
pub mod distribution;
pub mod error;
pub mod go;
pub mod histogram;
pub mod job;
pub mod once_value;
#[expect(missing_docs, reason = "field names and units are the documentation of a record")]
pub mod outcome;
pub mod pace;
pub mod parameters;
pub mod pool;
pub mod progress;
pub mod random;
pub mod slices;
pub mod summary;
pub mod threads;
pub mod timeline;
pub mod timers;
pub mod window;
