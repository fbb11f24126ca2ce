//! The parameters that every workload has, and what workloads share to check their own.

use plimsoll_core::parameters::{Implementation, count, nanoseconds, parameters, word};
use serde::{Deserialize, Serialize};

use crate::fault::{Fault, Result};

/// Above any test.
pub const MAX_THREADS: u64 = 1024;
/// Bounds of what a request can ask for: far above any test, and low enough for products of two or three of them.
pub const MAX_BYTES: u64 = 1 << 46;
/// The same for numbers of operations.
pub const MAX_COUNT: u64 = 1 << 32;

parameters! {
    /// What every file-system test has.
    #[derive(Copy, Eq)]
    pub struct Common {
        /// None: no sync call; original: those of the original; timed: and one syncfs inside the time of writing phases.
        durable: Durable = Durable::Original, in word::<Durable>();
        /// Drop from the page cache before reading: nothing, the test's files, or everything on the machine.
        cold: Cold = Cold::No, in word::<Cold>();
        /// Start of all random streams.
        seed: u64 = 1, in count(..);
        /// Threads, processes or clients of the original.
        threads: u32 = 1, in count(1..=MAX_THREADS);
        /// A run that takes longer fails.
        /// From the start of the job to its last phase: part of a classic test has no score.
        timeout_ns as "timeout": u64 = 3600 * SECOND, in nanoseconds(1..);
        /// Original: run the original tool in place of Plimsoll's test.
        implementation: Implementation = Implementation::Native, in word::<Implementation>();
    }
}

/// Nanoseconds.
pub const SECOND: u64 = 1_000_000_000;

/// What happens to written data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Durable {
    /// No sync call at all: the page cache.
    None,
    /// What the original does, where it does it.
    Original,
    /// What the original does, and one `syncfs` before the clock of a writing phase stops.
    Timed,
}

/// What happens to the page cache before a phase that reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Cold {
    /// Nothing.
    No,
    /// The job's files are written back and dropped from the page cache.
    Files,
    /// All clean pages, directory entries and inodes of the machine are dropped; without the right to, like `Files`.
    System,
}

/// For workloads whose original is one thread.
pub fn one_thread(common: &Common, name: &str) -> Result<()> {
    if common.threads == 1 {
        Ok(())
    } else {
        Err(Fault::spec(format!("{name} works with one thread: set threads to 1")))
    }
}

/// For parameters that count something.
pub fn at_least(name: &str, value: u64, least: u64) -> Result<()> {
    if value >= least { Ok(()) } else { Err(Fault::spec(format!("{name} is {value}: use {least} or more"))) }
}

/// For parameters with an upper bound.
pub fn at_most(name: &str, value: u64, most: u64) -> Result<()> {
    if value <= most { Ok(()) } else { Err(Fault::spec(format!("{name} is {value}: use {most} or less"))) }
}
