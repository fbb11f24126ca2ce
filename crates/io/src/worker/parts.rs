//! What a worker is made of, and what it says.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32};

use plimsoll_core::clock::Clock;
use plimsoll_core::error::JobError;
use plimsoll_core::pool::{self, Outlet};

use crate::buffer::{Buffer, Pool};
use crate::content::Filler;
use crate::engine::OpKind;
use crate::files::Files;
use crate::fio::flow::Seat;
use crate::pattern::Pattern;
use crate::recorded::ahead::Ahead;
use crate::recorder::{Batch, Single};
use crate::spec::JobSpec;
use crate::target::Target;
use crate::verify::Stamps;

/// What the threads hand to the one that leads them.
pub enum Exchange {}

impl pool::Exchange for Exchange {
    type Batch = Batch;
    type Note = Vec<Single>;
    type Found = Report;
    type Error = JobError;
}

/// What a thread says when it has ended.
#[derive(Debug, Default)]
pub struct Report {
    /// As in every job.
    pub common: pool::Report,
    /// What is in the blocks, when verifying.
    pub stamps: Option<Stamps>,
    /// Time of the measured part that reading back after passes took.
    pub read_back_ns: u64,
    /// Number of the first error that did not end the job.
    pub first_errno: Option<i32>,
    /// Since when, from the begin of a recorded load, every operation was issued late.
    pub late_since_ns: Option<u64>,
    /// Operations of a recorded load that were late.
    pub late: u64,
    /// Those that were so because of the depth.
    pub late_by_depth: u64,
    /// Operations of a recorded load that were not issued.
    pub unissued: u64,
    /// Writes that found no room, where that ends the job well.
    pub without_room: u64,
}

/// Everything a worker is made of.
pub struct Parts<E> {
    /// Open on `files`.
    pub engine: E,
    /// Memory of the buffers.
    #[expect(dead_code, reason = "owned here so that it outlives the engine and the buffers")]
    pub pool: Pool,
    /// Of `pool`: one per tag, or two per tag (first for reads, then for writes) when a mode does both.
    pub buffers: Vec<Buffer>,
    /// The target; the engine holds their numbers, so they live as long.
    pub files: Files,
    /// Where they are; nothing for engines that touch no file.
    pub target: Option<Target>,
    /// What to do.
    pub spec: Arc<JobSpec>,
    /// Number of this thread.
    pub thread: u32,
    /// Offsets and kinds.
    pub pattern: Pattern,
    /// Content of writes.
    pub filler: Filler,
    /// Present when verifying.
    pub stamps: Option<Stamps>,
    /// Present when other jobs are given way to.
    pub flow: Option<Seat>,
    /// The shared time line.
    pub clock: Clock,
    /// Ends the loop.
    pub stop: Arc<AtomicBool>,
    /// Threads that may still write.
    pub writing: Arc<AtomicU32>,
    /// Present when a recorded load is replayed.
    pub ahead: Option<Ahead>,
    /// To the thread that leads the job.
    pub outlet: Outlet<Exchange>,
    /// To record into.
    pub batch: Box<Batch>,
}

/// What is known of an operation in flight.
#[derive(Debug, Clone, Copy)]
pub struct Slot {
    pub(crate) kind: OpKind,
    pub(crate) length: u32,
    pub(crate) offset: u64,
    /// Closed loop: submission; open loop: intended start.
    pub(crate) start_ns: u64,
    /// Submission.
    pub(crate) issued_ns: u64,
    /// Reads what was written, to see whether it is.
    pub(crate) checks: bool,
}

/// Why nothing may be issued at the moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gate {
    /// Nothing: operations may be issued.
    Open,
    /// Waits for everything in flight, then syncs.
    Sync,
    /// Waits for the sync.
    Syncing,
    /// Waits for everything in flight, then pauses.
    Think,
    /// Pauses until then.
    Pause(u64),
    /// Waits for everything in flight, then ends the pass.
    Pass,
    /// What the pass wrote is read back.
    ReadBack,
    /// Waits for everything in flight, then for the next slice.
    Rest,
    /// The limit is reached.
    Finished,
}
