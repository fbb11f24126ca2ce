//! sysbench fileio 1.0: requests at random or in order over many files, with a round of `fsync` after every hundred.
//!
//! **The original.** `prepare` writes files of equal size with zeros and syncs them; the test opens all of them, and its
//! threads call `pread` and `pwrite`. A random request is at a uniform block of all files together, drawn with repetition.
//! In `rndrw` a thread reads while its reads are fewer than the ratio times its writes. When the number of requests is a
//! multiple of `fsync_every` and something was written, the next requests are one `fsync` for each file; each is an event
//! like a read or a write. At its end every thread syncs every file. Rates are counts over the whole time.
//!
//! **Made equal.** Same order, rules and formulas; the counts of one thread and a number of events are the same, call by
//! call. Random places come from the request's seed; the original takes them from the clock.
//!
//! **What it cannot say.** 2 GiB that were just written are read from memory unless `cold` is set or files are opened with
//! `direct`. All data is zeros.

use std::os::fd::OwnedFd;
use std::sync::{Mutex, PoisonError};

use plimsoll_core::parameters::{Unit, bytes, count, nanoseconds, number, parameters, word};
use plimsoll_core::random::{Purpose, Stream};
use serde::{Deserialize, Serialize};

use crate::buffer::Buffer;
use crate::common::{Common, MAX_BYTES, MAX_COUNT, SECOND};
use crate::context::WorkerContext;
use crate::fault::{Fault, Result};
use crate::outcome::{Expected, PhasePlan, Plan};
use crate::phase::Phase;
use crate::sys::{self, Name};
use crate::tally::OpKind;
use crate::workload::{Definition, Measure, Workload, higher, lower, mib_per_second, per_second};

/// A small instance.
pub const EXAMPLE: &str = r#"{"files":8,"total_size":1048576,"block":16384,"test":"rndrw","ratio":1.5,"fsync_every":20,
    "fsync_each":false,"fsync_end":true,"fdatasync":false,"open":"none","runtime":60000000000,"events":300}"#;

parameters! {
    /// What can be set. Classic values are the defaults of sysbench 1.0.
    pub struct Parameters {
        /// Files (--file-num).
        files: u64 = 128, in count(1..=1 << 16);
        /// Bytes of all files together (--file-total-size).
        total_size: u64 = 2 << 30, in bytes(..=MAX_BYTES);
        /// Bytes of a request (--file-block-size).
        block: u64 = 16 << 10, in bytes(512..=64 << 20);
        /// Kind and order of the requests (--file-test-mode).
        test: Test = Test::Rndrw, in word::<Test>();
        /// Reads for each write of rndrw (--file-rw-ratio).
        ratio: f64 = 1.5, in number(0.0, f64::MAX);
        /// Requests before all files are synced, 0 for never.
        /// `--file-fsync-freq`.
        fsync_every: u64 = 100, in count(..);
        /// One fsync after every write instead (--file-fsync-all).
        fsync_each: bool = false, in Unit::Flag;
        /// At its end every thread syncs all files (--file-fsync-end).
        fsync_end: bool = true, in Unit::Flag;
        /// Fdatasync in place of fsync (--file-fsync-mode).
        fdatasync: bool = false, in Unit::Flag;
        /// More flags for opening files (--file-extra-flags).
        open: Open = Open::None, in word::<Open>();
        /// Measured time (--time).
        runtime_ns as "runtime": u64 = 10 * SECOND, in nanoseconds(1..);
        /// End after this many requests and syncs, 0 for never (--events).
        events: u64 = 0, in count(..=MAX_COUNT);
    }
}

/// What is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Test {
    /// Makes the files.
    Seqwr,
    /// Overwrites them in order.
    Seqrewr,
    /// Reads them in order.
    Seqrd,
    /// Reads at random.
    Rndrd,
    /// Writes at random.
    Rndwr,
    /// Reads and writes at random.
    Rndrw,
}

impl Test {
    fn reads(self) -> bool {
        matches!(self, Self::Seqrd | Self::Rndrd | Self::Rndrw)
    }

    fn writes(self) -> bool {
        !matches!(self, Self::Seqrd | Self::Rndrd)
    }

    fn is_random(self) -> bool {
        matches!(self, Self::Rndrd | Self::Rndwr | Self::Rndrw)
    }
}

/// More flags for opening the files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Open {
    /// No more.
    None,
    /// `O_SYNC`.
    Sync,
    /// `O_DSYNC`.
    Dsync,
    /// `O_DIRECT`.
    Direct,
}

impl Parameters {
    fn file_size(&self) -> u64 {
        self.total_size / self.files
    }

    fn flags(&self, context: &WorkerContext<'_>) -> libc::c_int {
        match self.open {
            Open::Direct => libc::O_DIRECT,
            Open::Sync if context.syncs() => libc::O_SYNC,
            Open::Dsync if context.syncs() => libc::O_DSYNC,
            Open::None | Open::Sync | Open::Dsync => 0,
        }
    }
}

impl Definition for Parameters {
    fn validate(&self, common: &Common) -> Result<()> {
        if self.file_size() < self.block || !self.file_size().is_multiple_of(self.block) {
            return Err(Fault::spec("each file of sysbench holds whole blocks: change total_size, files or block"));
        }
        if self.events == 0 && self.runtime_ns > common.timeout_ns {
            return Err(Fault::spec("runtime of sysbench is above the time limit: raise the limit"));
        }
        Ok(())
    }

    fn plan(&self, common: &Common) -> Plan {
        let test = self.test;
        let expected = match self.events {
            0 => Expected::Nanoseconds(self.runtime_ns),
            events => Expected::Calls(events),
        };
        let prepared = if test == Test::Seqwr { 0 } else { self.file_size() * self.files };
        // Of a number of events, at most all are of one kind; without one, time decides about all bytes.
        let most = |does: bool| if does { self.events * self.block } else { 0 };
        let timed = self.events == 0 && test.writes();
        Plan {
            phases: vec![PhasePlan { name: "run".to_owned(), writes: test.writes(), reads: test.reads(), expected }],
            disk_bytes: self.file_size() * self.files,
            written_bytes: if timed { 0 } else { prepared + most(test.writes()) },
            read_bytes: most(test.reads()),
            files: self.files,
            memory_bytes: u64::from(common.threads) * (self.block + (80 << 10)) + self.files * 64,
        }
    }

    fn begin(&self, _common: &Common) -> Box<dyn Workload> {
        Box::new(Sysbench { parameters: self.clone() })
    }
}

struct Sysbench {
    parameters: Parameters,
}

impl Workload for Sysbench {
    fn prepare(&mut self, phase: &Phase<'_>) -> Result<()> {
        let parameters = &self.parameters;
        let buffer = Buffer::new(parameters.block as usize);
        phase.solo(|context| {
            for number in 0..parameters.files {
                let name = name_of(number);
                let file = context.open(OpKind::Create, &name, libc::O_RDWR | libc::O_CREAT)?;
                if parameters.test != Test::Seqwr {
                    for block in 0..parameters.file_size() / parameters.block {
                        context.write(&file, &buffer, (&name, block * parameters.block))?;
                    }
                    context.fsync(&file, &name)?;
                }
                context.close(file, &name)?;
            }
            Ok(())
        })
    }

    fn measure(&mut self, _planned: &PhasePlan, phase: &Phase<'_>) -> Result<Measure> {
        let parameters = &self.parameters;
        let files = phase.solo(|context| context.quietly(|context| open_all(parameters, context)))?;
        let queue = Mutex::new(Queue::new(parameters.clone()));
        let seed = phase.common.seed;
        let workers = phase.threads(phase.common.threads, |context, thread| {
            Client::new(parameters, &files, &queue, seed, thread).work(context)
        })?;
        let done = workers.results.into_iter().fold(Done::default(), Done::and);
        Ok(measured(parameters, &done, workers.elapsed_ns))
    }
}

fn name_of(number: u64) -> Name {
    Name::new(format_args!("test_file.{number}"))
}

fn open_all(parameters: &Parameters, context: &mut WorkerContext<'_>) -> Result<Vec<OwnedFd>> {
    let flags = libc::O_RDWR | parameters.flags(context);
    (0..parameters.files).map(|number| context.open(OpKind::Open, &name_of(number), flags)).collect()
}

/// What one thread did.
#[derive(Debug, Clone, Copy, Default)]
struct Done {
    reads: u64,
    writes: u64,
    syncs: u64,
    events: u64,
    busy_ns: u64,
}

impl Done {
    fn and(self, other: Self) -> Self {
        Self {
            reads: self.reads + other.reads,
            writes: self.writes + other.writes,
            syncs: self.syncs + other.syncs,
            events: self.events + other.events,
            busy_ns: self.busy_ns + other.busy_ns,
        }
    }
}

fn measured(parameters: &Parameters, done: &Done, elapsed_ns: u64) -> Measure {
    let requests = done.reads + done.writes;
    let mut scores = vec![higher("requests", per_second(requests, elapsed_ns), "requests/s")];
    let mut add = |happened: bool, score| {
        if happened {
            scores.push(score)
        }
    };
    add(parameters.test.reads(), higher("reads", per_second(done.reads, elapsed_ns), "reads/s"));
    add(parameters.test.writes(), higher("writes", per_second(done.writes, elapsed_ns), "writes/s"));
    add(done.syncs > 0, higher("fsyncs", per_second(done.syncs, elapsed_ns), "fsyncs/s"));
    let throughput = |count| mib_per_second(count * parameters.block, elapsed_ns);
    add(parameters.test.reads(), higher("read_throughput", throughput(done.reads), "MiB/s"));
    add(parameters.test.writes(), higher("write_throughput", throughput(done.writes), "MiB/s"));
    add(done.events > 0, lower("event_mean", done.busy_ns as f64 / 1e6 / done.events.max(1) as f64, "ms"));
    Measure { elapsed_ns, operations: requests, bytes: requests * parameters.block, scores, points: Vec::new() }
}

/// What is asked for next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Event {
    Request,
    /// A request in order, of this file and block.
    InOrder(u64, u64),
    Sync(u64),
}

/// What all threads share: the order of requests and syncs.
#[derive(Debug)]
struct Queue {
    parameters: Parameters,
    events: u64,
    performed: u64,
    dirty: bool,
    synced: u64,
    /// File and block of the next request in order.
    next: (u64, u64),
}

impl Queue {
    fn new(parameters: Parameters) -> Self {
        Self { parameters, events: 0, performed: 0, dirty: false, synced: 0, next: (0, 0) }
    }

    /// The next event of a thread that is about to write or not; nothing when all have been given out.
    fn event(&mut self, write: bool) -> Option<Event> {
        if self.parameters.events > 0 && self.events == self.parameters.events {
            return None;
        }
        self.events += 1;
        let every = self.parameters.fsync_every;
        if every > 0 && self.dirty && self.performed.is_multiple_of(every) {
            let file = self.synced;
            self.synced += 1;
            if self.synced == self.parameters.files {
                (self.synced, self.dirty) = (0, false);
            }
            return Some(Event::Sync(file));
        }
        self.performed += 1;
        self.dirty |= write;
        if self.parameters.test.is_random() {
            return Some(Event::Request);
        }
        let (file, block) = self.next;
        let last = (block + 1) * self.parameters.block == self.parameters.file_size();
        self.next = if last { ((file + 1) % self.parameters.files, 0) } else { (file, block + 1) };
        Some(Event::InOrder(file, block))
    }
}

/// One thread.
struct Client<'a> {
    parameters: &'a Parameters,
    files: &'a [OwnedFd],
    queue: &'a Mutex<Queue>,
    places: Stream,
    buffer: Buffer,
    done: Done,
}

impl<'a> Client<'a> {
    fn new(parameters: &'a Parameters, files: &'a [OwnedFd], queue: &'a Mutex<Queue>, seed: u64, thread: u32) -> Self {
        let places = Stream::new(seed, thread, Purpose::Offset);
        let buffer = Buffer::new(parameters.block as usize);
        Self { parameters, files, queue, places, buffer, done: Done::default() }
    }

    fn work(mut self, context: &mut WorkerContext<'_>) -> Result<Done> {
        let end_ns = context.now_ns().saturating_add(self.parameters.runtime_ns);
        while context.now_ns() < end_ns {
            let write = self.writes_next();
            let Some(event) = self.queue.lock().unwrap_or_else(PoisonError::into_inner).event(write) else { break };
            self.execute(event, write, context)?;
            self.done.events += 1;
        }
        self.done.busy_ns = context.busy_ns();
        if self.parameters.fsync_end && self.parameters.test.writes() {
            (0..self.parameters.files).try_for_each(|file| self.sync(file, context))?;
        }
        context.settle()?;
        Ok(self.done)
    }

    fn writes_next(&self) -> bool {
        let share = || (self.done.reads + 1) as f64 / (self.done.writes + 1) as f64;
        self.parameters.test.writes() && (self.parameters.test != Test::Rndrw || share() >= self.parameters.ratio)
    }

    fn execute(&mut self, event: Event, write: bool, context: &mut WorkerContext<'_>) -> Result<()> {
        let in_file = self.parameters.file_size() / self.parameters.block;
        let (file, block) = match event {
            // The original takes the event, but syncs nothing where every write was synced.
            Event::Sync(_) if self.parameters.fsync_each => return Ok(()),
            Event::Sync(file) => return self.sync(file, context),
            Event::InOrder(file, block) => (file, block),
            Event::Request => {
                let place = self.places.below(in_file * self.parameters.files);
                (place / in_file, place % in_file)
            }
        };
        let (name, offset) = (name_of(file), block * self.parameters.block);
        let open = &self.files[file as usize];
        if !write {
            context.read_at(open, &mut self.buffer, (&name, offset))?;
            self.done.reads += 1;
            return Ok(());
        }
        context.write_at(open, &self.buffer, (&name, offset))?;
        self.done.writes += 1;
        if self.parameters.fsync_each { self.sync(file, context) } else { Ok(()) }
    }

    fn sync(&mut self, file: u64, context: &mut WorkerContext<'_>) -> Result<()> {
        if context.syncs() {
            let open = &self.files[file as usize];
            let call = if self.parameters.fdatasync { sys::fdatasync } else { sys::fsync };
            context.call(OpKind::Fsync, &name_of(file), |_| call(open))?;
            self.done.syncs += 1;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn queue(test: Test, events: u64) -> Queue {
        let mut parameters: Parameters = serde_json::from_str(EXAMPLE).unwrap();
        (parameters.test, parameters.events, parameters.fsync_every) = (test, events, 100);
        Queue::new(parameters)
    }

    #[test]
    fn syncs_of_all_files_follow_every_hundredth_request() {
        // As counted of sysbench 1.0.20 with 8 files and 600 events: 560 requests, 40 syncs before the end.
        let mut queue = queue(Test::Rndrw, 600);
        let events: Vec<Event> = std::iter::from_fn(|| queue.event(true)).collect();
        assert_eq!(events.len(), 600);
        assert_eq!(events.iter().filter(|event| matches!(event, Event::Sync(_))).count(), 40);
        assert_eq!(events[99..109].iter().filter(|event| matches!(event, Event::Sync(_))).count(), 8);
        assert_eq!(events[100], Event::Sync(0));
    }

    #[test]
    fn requests_in_order_go_from_file_to_file_and_round() {
        let mut queue = queue(Test::Seqrd, 0);
        let events: Vec<Event> = (0..66).filter_map(|_| queue.event(false)).collect();
        assert_eq!(events[..2], [Event::InOrder(0, 0), Event::InOrder(0, 1)]);
        assert_eq!(events[7..9], [Event::InOrder(0, 7), Event::InOrder(1, 0)]);
        assert_eq!(events[63..66], [Event::InOrder(7, 7), Event::InOrder(0, 0), Event::InOrder(0, 1)]);
    }
}
