//! `fs_mark` 3.3: files per second of creating, writing, syncing and closing files of one size.
//!
//! **The original.** Forked workers each create `files` files in one folder (they all share it, as with one `-d`). Per
//! file: a name of 40 characters (16 of the time, 24 random), an attempt to make the target folder, `open`
//! (`O_CREAT|O_RDWR|O_TRUNC`), writes of 16 KiB zeros, `fsync` (method 1), `close`. The rate of a worker is its files over
//! the wall time of its loop, names included; the score is the sum over workers. Removing the files is not timed.
//!
//! **Made equal.** Same calls in the same order, same clock region, same sum. Workers are threads with descriptor tables
//! of their own. `app_overhead` is loop time less the time in calls, as in the original's last column.
//!
//! **What it cannot say.** "32 sub dirs" (`-D 32`) picks a folder by the time of day and moves on after 180 s, so that a
//! shorter run uses one folder of 32: that is [`Placement::Time`], the faithful one; [`Placement::Spread`] really uses
//! all. Method 0 (no sync) measures memory: nothing is waited for. All data is zeros, which compressing storage likes.

use std::os::fd::OwnedFd;
use std::time::{SystemTime, UNIX_EPOCH};

use plimsoll_core::parameters::{bytes, count, parameters, word};
use plimsoll_core::random::{Purpose, Stream};
use serde::{Deserialize, Serialize};

use crate::common::{Common, Durable, MAX_BYTES, MAX_COUNT};
use crate::context::WorkerContext;
use crate::fault::Result;
use crate::outcome::{Expected, PhasePlan, Plan};
use crate::phase::Phase;
use crate::sys::Name;
use crate::tally::OpKind;
use crate::workload::{Definition, Measure, Workload, higher, lower, per_second};

/// A small instance.
pub const EXAMPLE: &str =
    r#"{"files":20,"size":70000,"write_size":16384,"sync_method":1,"directories":0,"placement":"time"}"#;

parameters! {
    /// What can be set. The classic entries: 1000 files of 1 MiB; the same with method 0; 5000 files on 4 threads (20,000 in
    /// all); 4000 files in 32 folders.
    #[derive(Eq)]
    pub struct Parameters {
        /// Files per thread.
        /// Classic: 1000, 5000 or 4000.
        files: u64 = 1000, in count(1..=MAX_COUNT);
        /// Bytes of each file.
        size: u64 = 1 << 20, in bytes(..=MAX_BYTES);
        /// Bytes of each write.
        write_size: u64 = 16 << 10, in bytes(1..=16 << 20);
        /// 0 none; 1 fsync before each close; 2…6 see the test's page.
        /// 2 one `sync` after the loop and one `fsync` per folder; 3 after the loop every file is opened and synced, last
        /// first; 4 `sync`, then as 3; 5 as 3, first first; 6 `sync`, then as 5.
        sync_method: u8 = 1, in count(..=6);
        /// Folders to choose from, 0 for none.
        /// Classic: 0 or 32.
        directories: u32 = 0, in count(..=100_000);
        /// Folder by time of day, or in turn.
        placement: Placement = Placement::Time, in word::<Placement>();
    }
}

/// How the folder of a file is chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Placement {
    /// By the time of day; the next one after 180 s.
    Time,
    /// In turn.
    Spread,
}

/// How long the original stays in one folder.
const STAY_SECONDS: u64 = 180;
const STAMP: usize = 16;
const RANDOM: usize = 24;
const LETTERS: &[u8; 36] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";

impl Definition for Parameters {
    fn plan(&self, common: &Common) -> Plan {
        let threads = u64::from(common.threads);
        let bytes = self.files.saturating_mul(self.size).saturating_mul(threads);
        let files = self.files.saturating_mul(threads);
        let per_file = self.size.div_ceil(self.write_size) + 3 + u64::from(self.sync_method > 0);
        let calls = files.saturating_mul(per_file);
        let create =
            PhasePlan { name: "create".to_owned(), writes: true, reads: false, expected: Expected::Calls(calls) };
        Plan {
            phases: vec![create],
            disk_bytes: bytes,
            written_bytes: bytes,
            read_bytes: 0,
            files: files + u64::from(self.directories),
            memory_bytes: files * size_of::<Made>() as u64 + threads * self.write_size,
        }
    }

    fn begin(&self, _common: &Common) -> Box<dyn Workload> {
        Box::new(FsMark { parameters: self.clone() })
    }
}

struct FsMark {
    parameters: Parameters,
}

/// A file that a worker has made.
#[derive(Clone, Copy)]
struct Made {
    name: [u8; STAMP + RANDOM],
    folder: Option<u32>,
}

/// What one worker found.
struct Lap {
    loop_ns: u64,
    calls_ns: u64,
}

impl Workload for FsMark {
    fn prepare(&mut self, phase: &Phase<'_>) -> Result<()> {
        phase.solo(|context| context.mkdir(&Name::new(format_args!("scratch")), 0o777))
    }

    fn measure(&mut self, _planned: &PhasePlan, phase: &Phase<'_>) -> Result<Measure> {
        let parameters = &self.parameters;
        let threads = phase.common.threads;
        let workers = phase.processes(threads, |context, worker| {
            let mut creator = FileCreator::new(parameters, phase.common, worker);
            let lap = creator.run(context)?;
            context.quietly(|context| creator.made.iter().try_for_each(|made| context.unlink(&made.path())))?;
            Ok(lap)
        })?;
        let rate: f64 = workers.results.iter().map(|lap| per_second(parameters.files, lap.loop_ns)).sum();
        let overhead_ns: u64 = workers.results.iter().map(|lap| lap.loop_ns.saturating_sub(lap.calls_ns)).sum();
        let files = parameters.files * u64::from(threads);
        Ok(Measure {
            elapsed_ns: workers.results.iter().map(|lap| lap.loop_ns).max().unwrap_or(0),
            operations: files,
            bytes: files * parameters.size,
            scores: vec![
                higher("files_per_second", rate, "files/s"),
                lower("app_overhead", overhead_ns as f64 / 1000.0, "µs"),
            ],
            points: Vec::new(),
        })
    }
}

/// One worker.
struct FileCreator<'a> {
    parameters: &'a Parameters,
    sync_method: u8,
    stream: Stream,
    buffer: Vec<u8>,
    made: Vec<Made>,
}

impl<'a> FileCreator<'a> {
    fn new(parameters: &'a Parameters, common: &Common, worker: u32) -> Self {
        Self {
            parameters,
            sync_method: if common.durable == Durable::None { 0 } else { parameters.sync_method },
            stream: Stream::new(common.seed, worker, Purpose::Content),
            buffer: vec![0; parameters.write_size as usize],
            made: Vec::with_capacity(parameters.files as usize),
        }
    }

    fn run(&mut self, context: &mut WorkerContext<'_>) -> Result<Lap> {
        let began_s = unix_seconds();
        let (start_ns, busy_ns) = (context.now_ns(), context.busy_ns());
        for index in 0..self.parameters.files {
            let made = self.name(index, began_s);
            let file = self.create(context, made)?;
            context.close(file, &made.path())?;
            self.made.push(made);
        }
        self.sync_after(context)?;
        context.settle()?;
        Ok(Lap { loop_ns: context.now_ns() - start_ns, calls_ns: context.busy_ns() - busy_ns })
    }

    fn name(&mut self, index: u64, began_s: u64) -> Made {
        let now_s = unix_seconds();
        let mut name = [b'~'; STAMP + RANDOM];
        let stamp = Name::new(format_args!("{now_s:x}"));
        name[..stamp.last().len()].copy_from_slice(stamp.last());
        for letter in &mut name[STAMP..] {
            *letter = LETTERS[self.stream.below(LETTERS.len() as u64) as usize];
        }
        let count = u64::from(self.parameters.directories);
        let number = match self.parameters.placement {
            Placement::Time => began_s + (now_s - began_s) / STAY_SECONDS,
            Placement::Spread => index,
        };
        Made { name, folder: number.checked_rem(count).map(|folder| folder as u32) }
    }

    fn create(&self, context: &mut WorkerContext<'_>, made: Made) -> Result<OwnedFd> {
        let path = made.path();
        context.mkdir(&path.parent(), 0o777)?;
        let file = context.open(OpKind::Create, &path, libc::O_CREAT | libc::O_RDWR | libc::O_TRUNC)?;
        let mut written = 0;
        while written < self.parameters.size {
            let length = self.parameters.write_size.min(self.parameters.size - written);
            context.write(&file, &self.buffer[..length as usize], (&path, written))?;
            written += length;
        }
        if self.sync_method == 1 {
            context.fsync(&file, &path)?;
        }
        Ok(file)
    }

    /// Methods 2 to 6.
    fn sync_after(&self, context: &mut WorkerContext<'_>) -> Result<()> {
        if matches!(self.sync_method, 2 | 4 | 6) {
            context.sync()?;
        }
        match self.sync_method {
            2 => {
                let mut seen = vec![false; self.parameters.directories as usize + 1];
                let first =
                    |made: &&Made| !std::mem::replace(&mut seen[made.folder.map_or(0, |n| n as usize + 1)], true);
                self.made.iter().filter(first).try_for_each(|made| sync_one(context, *made))
            }
            3 | 4 => self.made.iter().rev().try_for_each(|made| sync_one(context, *made)),
            5 | 6 => self.made.iter().try_for_each(|made| sync_one(context, *made)),
            _ => Ok(()),
        }
    }
}

fn sync_one(context: &mut WorkerContext<'_>, made: Made) -> Result<()> {
    let path = made.path();
    let file = context.open(OpKind::Open, &path, libc::O_RDWR)?;
    context.fsync(&file, &path)?;
    context.close(file, &path)
}

impl Made {
    fn path(&self) -> Name {
        let name = std::str::from_utf8(&self.name).unwrap_or_default();
        match self.folder {
            Some(folder) => Name::new(format_args!("scratch/{folder:02x}/{name}")),
            None => Name::new(format_args!("scratch/{name}")),
        }
    }
}

fn unix_seconds() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs())
}
