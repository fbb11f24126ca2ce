//! The request of a job, and what follows from its parameters.

use plimsoll_core::slices::Slices;
use plimsoll_core::timeline;

pub use crate::parameters::JobSpec;
pub use crate::values::*;

impl JobSpec {
    /// All sizes that operations can have, with those of writes.
    pub fn sizes(&self) -> impl Iterator<Item = u64> + '_ {
        self.block_sizes.iter().chain(self.write_block_sizes.iter().flatten()).map(|entry| entry.size)
    }

    /// The smallest size: the unit of offsets. 0 when there is none.
    pub fn smallest_block(&self) -> u64 {
        self.sizes().min().unwrap_or(0)
    }

    /// What random places are multiples of.
    pub fn grid(&self) -> u64 {
        if self.align > 0 { self.align } else { self.smallest_block() }
    }

    /// Whether some operations trim.
    pub fn trims(&self) -> bool {
        let recorded = self.replay.iter().flat_map(|replay| &replay.operations);
        self.mode.trims() || recorded.into_iter().any(|(_, kind, ..)| *kind == OpKind::Trim)
    }

    /// Whether operations are due at times of their own, whatever came of those before them.
    pub fn is_scheduled(&self) -> bool {
        self.rate.is_some() || self.recording.as_ref().is_some_and(|load| !load.closed)
    }

    /// Whether the loop has to do what only some front ends ask for.
    pub fn has_extras(&self) -> bool {
        let told = self.submission || self.trace_syncs;
        told || self.mix.is_some()
            || self.draws.is_some()
            || self.priorities.is_some()
            || self.replay.is_some()
            || self.strides.is_some()
            || self.flow.is_some()
    }

    /// Whether the files are as long as what is written makes them: the job goes on until there is no room.
    pub fn grows(&self) -> bool {
        self.tolerance.as_ref().is_some_and(|tolerance| tolerance.until_full) && !self.mode.reads()
    }

    /// Whether what is read is checked, instead of what the job wrote itself.
    pub fn checks_reads(&self) -> bool {
        self.verify && self.verification.as_ref().is_some_and(|how| how.existing)
    }

    /// Bytes that verification knows apart: with a checksum each, unless there are none.
    pub fn verified_block(&self) -> u64 {
        self.verification.as_ref().map_or(self.smallest_block(), |how| how.interval)
    }

    /// Whether what was written is read back once the run is over, and not measured.
    pub fn reads_back_after_run(&self) -> bool {
        let after_passes = self.passes.is_some_and(|passes| passes.read_back);
        self.verify && !after_passes && self.verification.as_ref().is_none_or(|how| how.read_back)
    }

    /// The largest size: what a buffer must hold. 0 when there is none.
    pub fn largest_block(&self) -> u64 {
        self.sizes().max().unwrap_or(0)
    }

    /// How the operations of the mode follow each other. Reads and writes each follow those of their own kind where they
    /// are in order, as with fio.
    pub fn sequence(&self) -> Option<Sequence> {
        let in_order = self.mode == Mode::Rw || (self.mode == Mode::Randrw && self.random_share < 1.0);
        self.sequence.or((in_order && !self.alternate).then_some(Sequence { every: 1, stay: false, skip: 0 }))
    }

    /// Writes between two syncs: of modes that have syncs between writes.
    pub fn sync_every(&self) -> Option<u64> {
        matches!(self.sync, SyncKind::Fsync | SyncKind::Fdatasync).then_some(self.sync_every)
    }

    /// The kind of sync that stands for an open flag, or `None`.
    pub fn opened(&self) -> SyncKind {
        match (self.sync, self.sync_beside) {
            (SyncKind::Dsync | SyncKind::Sync, _) => self.sync,
            (_, Some(beside)) => beside.opened,
            _ => SyncKind::None,
        }
    }

    /// When the job works.
    pub fn slices(&self) -> Slices {
        Slices::new(&self.slices, self.discard_ns, self.warmup_ns)
    }

    /// Length of one interval of the time series.
    pub fn interval_length_ns(&self) -> u64 {
        self.interval_ns.unwrap_or_else(|| timeline::interval_ns(self.runtime_ns))
    }
}
