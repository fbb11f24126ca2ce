//! Threaded I/O Tester 0.3.3: sequential and random writes and reads of many threads, each on a file of its own.
//!
//! **The original.** Every thread writes its file in blocks of 4 KiB, with `fsync` and `close` within its time; then 1000
//! random blocks; then reads the file; then reads 1000 random blocks. Random offsets are block numbers below the last
//! one. A rate is the bytes of all threads in MiB over the time from the common start to the end of the last thread.
//! Profile 1.2 opens everything with `O_SYNC`, profile 1.1 does not: their numbers differ by orders of magnitude.
//!
//! **Made equal.** Same calls, regions and formula. `open_sync` tells the profiles apart. Random offsets come from the
//! request's seed; the original takes them from the clock, so that no two runs of it are alike.
//!
//! **What it cannot say.** Random reading of what was just written is reading memory unless `cold` is set: 32 threads ×
//! 1000 blocks are 125 MiB of the 2 GiB that were written. All data is zeros.

use std::os::fd::OwnedFd;

use plimsoll_core::parameters::{Unit, bytes, count, parameters, words};
use plimsoll_core::random::{Purpose, Stream};
use serde::{Deserialize, Serialize};

use crate::buffer::Buffer;
use crate::common::{Common, MAX_BYTES, at_least};
use crate::context::WorkerContext;
use crate::fault::{Fault, Result};
use crate::outcome::{Expected, PhasePlan, Plan};
use crate::phase::Phase;
use crate::sys::{self, Name};
use crate::tally::OpKind;
use crate::workload::{Definition, Measure, Workload, higher, mib_per_second};

/// A small instance.
pub const EXAMPLE: &str = r#"{"file_size":262144,"block":4096,"random_operations":50,
    "tests":["write","random_write","read","random_read"],"open_sync":false,"direct":false}"#;

parameters! {
    /// What can be set. Threads: classic 4, 8, 16, 32. The classic entries have tests `write` and one or two more.
    #[derive(Eq)]
    pub struct Parameters {
        /// Bytes of each thread's file.
        /// Classic: 32, 64, 128 or 256 MiB.
        file_size: u64 = 64 << 20, in bytes(1..=MAX_BYTES);
        /// Bytes of an operation.
        block: u64 = 4 << 10, in bytes(512..=16 << 20);
        /// Random operations of each thread.
        random_operations: u64 = 1000, in count(1..=1 << 28);
        /// Tests to run, joined with +.
        /// In the order of the original, whatever the order here; writing is always first.
        tests: Vec<Test> = vec![Test::Write, Test::RandomWrite], in words::<Test>();
        /// Open with O_SYNC: yes in profile 1.2, no in 1.1.
        open_sync: bool = true, in Unit::Flag;
        /// Bypass the page cache (O_DIRECT).
        direct: bool = false, in Unit::Flag;
    }
}

/// A part of the original.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Test {
    /// Makes the files.
    Write,
    /// Overwrites random blocks.
    RandomWrite,
    /// Reads the files.
    Read,
    /// Reads random blocks.
    RandomRead,
}

impl Test {
    fn name(self) -> &'static str {
        match self {
            Self::Write => "write",
            Self::RandomWrite => "random_write",
            Self::Read => "read",
            Self::RandomRead => "random_read",
        }
    }

    fn writes(self) -> bool {
        matches!(self, Self::Write | Self::RandomWrite)
    }

    fn is_random(self) -> bool {
        matches!(self, Self::RandomWrite | Self::RandomRead)
    }
}

impl Parameters {
    fn tests(&self) -> Vec<Test> {
        let mut tests = self.tests.clone();
        tests.sort_unstable();
        tests.dedup();
        tests
    }

    fn blocks(&self, test: Test) -> u64 {
        if test.is_random() { self.random_operations } else { self.file_size / self.block }
    }
}

impl Definition for Parameters {
    fn validate(&self, _common: &Common) -> Result<()> {
        at_least("file_size", self.file_size, self.block * 2)?;
        if self.tests.contains(&Test::Write) {
            return Ok(());
        }
        Err(Fault::spec("the tests of tiotest begin with \"write\", which makes the files: add it"))
    }

    fn plan(&self, common: &Common) -> Plan {
        let threads = u64::from(common.threads);
        let tests = self.tests();
        let bytes = |writes: bool| -> u64 {
            let chosen = tests.iter().filter(|test| test.writes() == writes);
            chosen.map(|&test| self.blocks(test) * self.block * threads).sum()
        };
        let planned = |&test: &Test| PhasePlan {
            name: test.name().to_owned(),
            writes: test.writes(),
            reads: !test.writes(),
            expected: Expected::Bytes(self.blocks(test) * self.block * threads),
        };
        Plan {
            phases: tests.iter().map(planned).collect(),
            disk_bytes: self.file_size * threads,
            written_bytes: bytes(true),
            read_bytes: bytes(false),
            files: threads,
            memory_bytes: threads * (self.block + (80 << 10)),
        }
    }

    fn begin(&self, _common: &Common) -> Box<dyn Workload> {
        Box::new(TioTest { parameters: self.clone() })
    }
}

struct TioTest {
    parameters: Parameters,
}

impl Workload for TioTest {
    fn measure(&mut self, planned: &PhasePlan, phase: &Phase<'_>) -> Result<Measure> {
        let parameters = &self.parameters;
        let test = parameters.tests().into_iter().find(|test| test.name() == planned.name).unwrap_or(Test::Write);
        let seed = phase.common.seed;
        let threads = phase.common.threads;
        let workers =
            phase.processes(threads, |context, thread| one_thread(parameters, test, context, thread, seed))?;
        let operations = parameters.blocks(test) * u64::from(threads);
        let bytes = operations * parameters.block;
        let scores = vec![higher("throughput", mib_per_second(bytes, workers.elapsed_ns), "MiB/s")];
        Ok(Measure { elapsed_ns: workers.elapsed_ns, operations, bytes, scores, points: Vec::new() })
    }
}

fn one_thread(
    parameters: &Parameters,
    test: Test,
    context: &mut WorkerContext<'_>,
    thread: u32,
    seed: u64,
) -> Result<()> {
    let name = Name::new(format_args!("tiotest.{thread}"));
    let mut flags = match test {
        Test::Write => libc::O_RDWR | libc::O_CREAT | libc::O_TRUNC,
        Test::RandomWrite => libc::O_RDWR,
        Test::Read | Test::RandomRead => libc::O_RDONLY,
    };
    if parameters.open_sync && context.syncs() {
        flags |= libc::O_SYNC;
    }
    if parameters.direct {
        flags |= libc::O_DIRECT;
    }
    let kind = if test == Test::Write { OpKind::Create } else { OpKind::Open };
    let file = context.open(kind, &name, flags)?;
    transfer(parameters, test, context, (&file, &name), &mut Stream::new(seed, thread, Purpose::Offset))?;
    if test.writes() {
        context.fsync(&file, &name)?;
    }
    context.close(file, &name)?;
    context.settle()
}

fn transfer(
    parameters: &Parameters,
    test: Test,
    context: &mut WorkerContext<'_>,
    (file, name): (&OwnedFd, &Name),
    stream: &mut Stream,
) -> Result<()> {
    let mut buffer = Buffer::new(parameters.block as usize);
    let blocks = parameters.file_size / parameters.block;
    let length = buffer.len();
    for number in 0..parameters.blocks(test) {
        let block = if test.is_random() { stream.below(blocks - 1) } else { number };
        let offset = block * parameters.block;
        let kind = if test.writes() { OpKind::Write } else { OpKind::Read };
        let done = context.transfer(kind, (name, offset), length, |done| {
            if test.is_random() {
                sys::seek(file, offset + done as u64)?;
            }
            if test.writes() { sys::write(file, &buffer[done..]) } else { sys::read(file, &mut buffer[done..]) }
        })?;
        context.whole(kind, (name, offset), done, length)?;
    }
    Ok(())
}
