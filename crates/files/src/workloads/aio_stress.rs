//! AIO-Stress 0.21: asynchronous transfers of 64 KiB on one file.
//!
//! **The original.** Random writing to a new, sparse file: batches of 8 transfers, at most 64 under way; when none is free
//! it waits for 8. Offsets come from `rand()`, never seeded: a whole MiB (never the first) plus a multiple of 4096 up to 1
//! MiB, with repetition, so that about 63 % of the file gets written. The rate is the whole size over the time from the
//! first batch to the last completion, **before** the `fsync` that follows. `-t 3` is reduced to one thread, because there
//! is one file.
//!
//! **Made equal.** Same numbers (`rand()` of the C library with seed 1), batches, waits and timed region; the second score
//! includes the `fsync`, as the original's line of totals does. Stages in the order of the original: sequential write,
//! sequential read, random write, random read.
//!
//! **What it cannot say.** Without `direct`, `io_submit` copies to the page cache before it returns, and the score is that
//! of memory until the kernel holds the writer back. The profile's copy of version 0.21 may differ in trifles: UNVERIFIED.

use std::os::fd::{AsRawFd, OwnedFd};

use plimsoll_core::aio::{Context, ControlBlock, Event, READ, WRITE};
use plimsoll_core::parameters::{Unit, bytes, count, parameters, words};
use serde::{Deserialize, Serialize};

use crate::buffer::Buffer;
use crate::common::{Common, MAX_BYTES, at_least, one_thread};
use crate::context::WorkerContext;
use crate::fault::{Fault, Result};
use crate::glibc_random::GlibcRandom;
use crate::outcome::{Expected, PhasePlan, Plan};
use crate::phase::Phase;
use crate::sys::Name;
use crate::tally::OpKind;
use crate::workload::{Definition, Measure, Workload, higher, mib_per_second};

/// A small instance.
pub const EXAMPLE: &str = r#"{"size":8388608,"record":65536,"depth":64,"batch":8,"direct":false,
    "stages":["sequential_write","sequential_read","random_write","random_read"]}"#;

parameters! {
    /// What can be set. The seed of the classic test is 1.
    #[derive(Eq)]
    pub struct Parameters {
        /// Length of the file.
        size: u64 = 2 << 30, in bytes(4 * MIB..=MAX_BYTES);
        /// Bytes of a transfer.
        record: u64 = 64 << 10, in bytes(512..=4 << 20);
        /// Transfers under way at once.
        depth: u32 = 64, in count(1..=EVENTS.into());
        /// Transfers submitted at once.
        /// They are waited for when none is free.
        batch: u32 = 8, in count(1..);
        /// Bypass the page cache (O_DIRECT).
        direct: bool = false, in Unit::Flag;
        /// Stages to run, joined with +.
        /// In the order of the original, whatever the order here.
        stages: Vec<Work> = vec![Work::RandomWrite], in words::<Work>();
    }
}

/// A stage of the original.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Work {
    /// `-o 0`.
    SequentialWrite,
    /// `-o 1`.
    SequentialRead,
    /// `-o 2`.
    RandomWrite,
    /// `-o 3`.
    RandomRead,
}

/// Operations that the kernel is asked to have room for.
const EVENTS: u32 = 512;
const MIB: u64 = 1 << 20;

impl Work {
    fn name(self) -> &'static str {
        match self {
            Self::SequentialWrite => "sequential_write",
            Self::SequentialRead => "sequential_read",
            Self::RandomWrite => "random_write",
            Self::RandomRead => "random_read",
        }
    }

    fn writes(self) -> bool {
        matches!(self, Self::SequentialWrite | Self::RandomWrite)
    }
}

impl Parameters {
    fn stages(&self) -> Vec<Work> {
        let mut stages = self.stages.clone();
        stages.sort_unstable();
        stages.dedup();
        stages
    }
}

impl Definition for Parameters {
    fn validate(&self, common: &Common) -> Result<()> {
        one_thread(common, "aio_stress")?;
        at_least("size", self.size, self.record * 2)?;
        at_least("depth", self.depth.into(), self.batch.into())?;
        if common.seed > u64::from(u32::MAX) {
            return Err(Fault::spec("the seed of aio_stress has 32 bits: use a smaller one"));
        }
        match self.stages().first() {
            Some(first) if !first.writes() && self.stages().len() == 1 => {
                Err(Fault::spec("a new file holds nothing to read: add a stage that writes"))
            }
            _ => Ok(()),
        }
    }

    fn plan(&self, _common: &Common) -> Plan {
        let stages = self.stages();
        let bytes = |writes| stages.iter().filter(|work| work.writes() == writes).count() as u64 * self.size;
        let planned = |work: &Work| PhasePlan {
            name: work.name().to_owned(),
            writes: work.writes(),
            reads: !work.writes(),
            expected: Expected::Bytes(self.size),
        };
        Plan {
            phases: stages.iter().map(planned).collect(),
            disk_bytes: self.size,
            written_bytes: bytes(true),
            read_bytes: bytes(false),
            files: 1,
            memory_bytes: u64::from(self.depth) * (self.record + 4096),
        }
    }

    fn begin(&self, common: &Common) -> Box<dyn Workload> {
        Box::new(AioStress { parameters: self.clone(), random: GlibcRandom::new(common.seed as u32) })
    }
}

struct AioStress {
    parameters: Parameters,
    random: GlibcRandom,
}

impl Workload for AioStress {
    fn measure(&mut self, planned: &PhasePlan, phase: &Phase<'_>) -> Result<Measure> {
        let work = self.parameters.stages().into_iter().find(|work| work.name() == planned.name);
        let work = work.unwrap_or(Work::RandomWrite);
        let name = Name::new(format_args!("aio-test-file"));
        let mut flags = libc::O_CREAT | libc::O_RDWR;
        if self.parameters.direct {
            flags |= libc::O_DIRECT;
        }
        let (size, record) = (self.parameters.size, self.parameters.record);
        let (elapsed_ns, synced_ns) = phase.solo(|context| {
            let file = context.quietly(|context| context.open(OpKind::Create, &name, flags))?;
            let mut queue = Queue::new(&self.parameters, context, &name, &file, work)?;
            let start_ns = context.now_ns();
            queue.run(context, |index| offset(work, &mut self.random, index, size, record))?;
            let elapsed_ns = context.now_ns() - start_ns;
            drop(queue);
            context.fsync(&file, &name)?;
            let synced_ns = context.now_ns() - start_ns;
            context.settle()?;
            let settled_ns = context.now_ns() - start_ns;
            context.close(file, &name)?;
            // What is to be durable is not done before the `fsync`.
            let timed = phase.common.durable == crate::common::Durable::Timed && work.writes();
            Ok((if timed { settled_ns } else { elapsed_ns }, synced_ns))
        })?;
        Ok(Measure {
            elapsed_ns,
            operations: size / record,
            bytes: size,
            scores: vec![
                higher("throughput", mib_per_second(size, elapsed_ns), "MiB/s"),
                higher("throughput_with_fsync", mib_per_second(size, synced_ns), "MiB/s"),
            ],
            points: Vec::new(),
        })
    }
}

/// Where transfer number `index` goes.
fn offset(work: Work, random: &mut GlibcRandom, index: u64, size: u64, record: u64) -> u64 {
    if matches!(work, Work::SequentialWrite | Work::SequentialRead) {
        return index * record;
    }
    let mebibytes = size / MIB - 1;
    let whole = 1 + (mebibytes as f64 * random.unit()) as u64;
    let rest = 1 + (MIB as f64 * random.unit()) as u64;
    let offset = whole * MIB + rest.next_multiple_of(4096);
    // At both ends of their ranges the two can reach one MiB beyond the file.
    if offset + record > size { (offset - record).min(size - record) } else { offset }
}

/// Transfers under way.
struct Queue<'a> {
    aio: Context,
    file: &'a OwnedFd,
    name: &'a Name,
    work: Work,
    batch: usize,
    record: usize,
    transfers: u64,
    /// One buffer and start time per tag.
    buffers: Vec<Buffer>,
    starts_ns: Vec<u64>,
    free: Vec<usize>,
    blocks: Vec<ControlBlock>,
    events: Vec<Event>,
}

impl<'a> Queue<'a> {
    fn new(
        parameters: &Parameters,
        context: &WorkerContext<'_>,
        name: &'a Name,
        file: &'a OwnedFd,
        work: Work,
    ) -> Result<Self> {
        let depth = parameters.depth as usize;
        let aio = Context::new(EVENTS).map_err(|error| context.fault(OpKind::Submit, name, None, &error))?;
        Ok(Self {
            aio,
            file,
            name,
            work,
            batch: parameters.batch as usize,
            record: parameters.record as usize,
            transfers: parameters.size / parameters.record,
            buffers: (0..depth).map(|_| Buffer::new(parameters.record as usize)).collect(),
            starts_ns: vec![0; depth],
            free: (0..depth).rev().collect(),
            blocks: vec![ControlBlock::default(); depth],
            events: vec![Event::default(); depth],
        })
    }

    fn run(&mut self, context: &mut WorkerContext<'_>, mut offset: impl FnMut(u64) -> u64) -> Result<()> {
        let mut issued = 0;
        let mut tags = Vec::with_capacity(self.batch);
        while issued < self.transfers {
            while tags.len() < self.batch && issued < self.transfers {
                let Some(tag) = self.free.pop() else { break };
                let address = self.buffers[tag].as_mut_ptr();
                let write = self.work.writes();
                self.blocks[tag] = ControlBlock {
                    data: tag as u64,
                    opcode: if write { WRITE } else { READ },
                    fd: self.file.as_raw_fd() as u32,
                    address: address as u64,
                    length: self.record as u64,
                    offset: offset(issued) as i64,
                    ..ControlBlock::default()
                };
                tags.push(tag);
                issued += 1;
            }
            self.submit(context, &mut tags)?;
            if self.free.is_empty() {
                self.reap(context, self.batch)?;
            }
        }
        while self.free.len() < self.buffers.len() {
            self.reap(context, self.batch.min(self.buffers.len() - self.free.len()))?;
        }
        Ok(())
    }

    fn submit(&mut self, context: &mut WorkerContext<'_>, tags: &mut Vec<usize>) -> Result<()> {
        while !tags.is_empty() {
            let pointers: Vec<*const ControlBlock> = tags.iter().map(|&tag| &raw const self.blocks[tag]).collect();
            let start_ns = context.now_ns();
            tags.iter().for_each(|&tag| self.starts_ns[tag] = start_ns);
            let aio = &self.aio;
            // SAFETY: buffers are not touched until their event has come, and dropped after the AIO context, which waits for
            // what is under way.
            let taken = context.attempt(OpKind::Submit, |_| unsafe { aio.submit(&pointers) })?;
            match taken {
                Ok(taken) => drop(tags.drain(..taken)),
                Err(error) if error.raw_os_error() == Some(libc::EAGAIN) => self.reap(context, 1)?,
                Err(error) => return Err(context.fault(OpKind::Submit, self.name, None, &error)),
            }
        }
        Ok(())
    }

    fn reap(&mut self, context: &mut WorkerContext<'_>, least: usize) -> Result<()> {
        let count = loop {
            context.check()?;
            match self.aio.events(least, None, &mut self.events) {
                Err(error) if error.raw_os_error() == Some(libc::EINTR) => {}
                result => break result.map_err(|error| context.fault(OpKind::Submit, self.name, None, &error))?,
            }
        };
        let end_ns = context.now_ns();
        let kind = if self.work.writes() { OpKind::Write } else { OpKind::Read };
        for event in &self.events[..count] {
            let tag = event.tag as usize;
            if event.result < 0 {
                let error = std::io::Error::from_raw_os_error(-event.result as i32);
                return Err(context.fault(kind, self.name, None, &error));
            }
            // Reading may find the end of a sparse file.
            if self.work.writes() {
                context.whole(kind, (self.name, 0), event.result as usize, self.record)?;
            }
            context.record(kind, self.starts_ns[tag], end_ns, event.result as usize);
            self.free.push(tag);
        }
        Ok(())
    }
}
