//! IOzone 3.405: one row of its table, a file of one size in records of one size.
//!
//! **The original.** Each test has two passes over the file: write and rewrite, read and reread, and so on; the random test
//! reads all records once in a fixed random order and then writes them once in it; record rewrite writes the first record
//! over and over; stride read jumps 17 records at a time until every one was read. With `-e`, `fsync` is within the time
//! of a pass. Buffers are zeros with a pattern in the first 8 bytes of each page, which reading compares. A rate is whole
//! KiB per second.
//!
//! **Made equal.** Same calls, order of tests, patterns and timed regions; before reading, one record is read outside the
//! time as the original does. The order of the random test is another one. Automatic mode is one such row per size and
//! record: run this for each pair.
//!
//! **What it cannot say.** A file that fits into memory is read from there: the classic trap of the 8 GB test on a larger
//! machine. With `cold`, caches are dropped before each reading test, but a second pass always follows the first. 3.405
//! itself was not read; versions before and after have the same code: UNVERIFIED.

mod passes;

use plimsoll_core::parameters::{Unit, bytes, count, parameters, words};
use serde::{Deserialize, Serialize};

use crate::common::{Common, MAX_BYTES, MAX_COUNT, at_least, one_thread};
use crate::fault::{Fault, Result};
use crate::outcome::{Expected, PhasePlan, Plan};
use crate::phase::Phase;
use crate::workload::{Definition, Measure, Workload, higher, mib_per_second, per_second};

/// A small instance.
pub const EXAMPLE: &str = r#"{"size":1048576,"record":4096,"tests":["write","read","random","backward",
    "record_rewrite","stride","fwrite","fread","pwrite","pread","pwritev","preadv"],"stride":17,
    "sync_in_time":true,"direct":false}"#;

parameters! {
    /// What can be set. The classic entries: "write" has test `write`, "read" has `write` and `read`.
    #[derive(Eq)]
    pub struct Parameters {
        /// Length of the file.
        /// Classic: 8 GiB; 512 MiB, 2 and 4 GiB.
        size: u64 = 8 << 30, in bytes(1..=MAX_BYTES);
        /// Bytes of a record.
        /// Classic: 4 KiB, 64 KiB, 1 MiB.
        record: u64 = 1 << 20, in bytes(512..=16 << 20);
        /// Tests to run, joined with +.
        /// In the order of the original, whatever the order here.
        tests: Vec<Test> = vec![Test::Write, Test::Read], in words::<Test>();
        /// Records from one read of the stride test to the next.
        stride: u64 = 17, in count(1..=MAX_COUNT);
        /// Fsync within the time of each pass (-e).
        sync_in_time: bool = true, in Unit::Flag;
        /// Bypass the page cache (O_DIRECT); not for streams.
        direct: bool = false, in Unit::Flag;
    }
}

/// A test has one or two passes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Test {
    /// Sequential; makes the file.
    Write,
    /// Sequential, first byte to last.
    Read,
    /// Every record once, in a fixed random order.
    Random,
    /// From the last record to the first.
    Backward,
    /// The first record, over and over.
    RecordRewrite,
    /// With jumps.
    Stride,
    /// Through a stream.
    Fwrite,
    /// Through a stream.
    Fread,
    /// With `pwrite`.
    Pwrite,
    /// With `pread`.
    Pread,
    /// With `pwritev`.
    Pwritev,
    /// With `preadv`.
    Preadv,
}

impl Test {
    /// Names of the passes, as in the table of the original.
    fn passes(self) -> &'static [&'static str] {
        match self {
            Self::Write => &["write", "rewrite"],
            Self::Read => &["read", "reread"],
            Self::Random => &["random_read", "random_write"],
            Self::Backward => &["backward_read"],
            Self::RecordRewrite => &["record_rewrite"],
            Self::Stride => &["stride_read"],
            Self::Fwrite => &["fwrite", "frewrite"],
            Self::Fread => &["fread", "freread"],
            Self::Pwrite => &["pwrite", "repwrite"],
            Self::Pread => &["pread", "repread"],
            Self::Pwritev => &["pwritev", "repwritev"],
            Self::Preadv => &["preadv", "repreadv"],
        }
    }
}

/// Passes that write.
fn writes(pass: &str) -> bool {
    pass.contains("write")
}

impl Parameters {
    fn passes(&self) -> Vec<&'static str> {
        let mut tests = self.tests.clone();
        tests.sort_unstable();
        tests.dedup();
        tests.into_iter().flat_map(|test| test.passes().iter().copied()).collect()
    }
}

impl Definition for Parameters {
    fn validate(&self, common: &Common) -> Result<()> {
        one_thread(common, "iozone")?;
        at_least("size", self.size, self.record)?;
        if !self.size.is_multiple_of(self.record) {
            return Err(Fault::spec(format!("{} is not a multiple of the record of {} bytes", self.size, self.record)));
        }
        if self.tests.iter().min() != Some(&Test::Write) {
            return Err(Fault::spec("the tests of iozone begin with \"write\", which makes the file: add it"));
        }
        if self.direct && self.tests.iter().any(|test| matches!(test, Test::Fwrite | Test::Fread)) {
            return Err(Fault::spec("streams cannot be direct: leave out \"fwrite\" and \"fread\", or direct"));
        }
        Ok(())
    }

    fn plan(&self, _common: &Common) -> Plan {
        let passes = self.passes();
        let planned = |pass: &&'static str| PhasePlan {
            name: (*pass).to_owned(),
            writes: writes(pass),
            // The second pass is what the first one left in the cache.
            reads: !writes(pass) && !pass.strip_prefix("re").is_some_and(|first| passes.contains(&first)),
            expected: Expected::Bytes(self.size),
        };
        let writing = passes.iter().filter(|pass| writes(pass)).count() as u64;
        Plan {
            phases: passes.iter().map(planned).collect(),
            disk_bytes: self.size,
            written_bytes: writing * self.size,
            read_bytes: (passes.len() as u64 - writing) * self.size,
            files: 1,
            memory_bytes: 2 * self.record + (1 << 20),
        }
    }

    fn begin(&self, _common: &Common) -> Box<dyn Workload> {
        Box::new(IoZone { parameters: self.clone() })
    }
}

struct IoZone {
    parameters: Parameters,
}

impl Workload for IoZone {
    fn measure(&mut self, planned: &PhasePlan, phase: &Phase<'_>) -> Result<Measure> {
        let Parameters { size, record, .. } = self.parameters;
        let elapsed_ns = passes::carry_out(&self.parameters, &planned.name, phase)?;
        let scores = vec![
            higher("throughput", (per_second(size, elapsed_ns) / 1024.0).floor(), "KiB/s"),
            higher("throughput_mib", mib_per_second(size, elapsed_ns), "MiB/s"),
        ];
        Ok(Measure { elapsed_ns, operations: size / record, bytes: size, scores, points: Vec::new() })
    }
}
