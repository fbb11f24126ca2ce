//! Files that are opened when it is their turn: fewer of several are open at once, or all are made anew after each pass.
//! Opening and closing is outside of all latencies.

use crate::spec::{DropEach, JobSpec};
use plimsoll_core::error::JobError;

use super::Fio;
use crate::engine::Engine;
use crate::files::Files;
use crate::region::Next;
use crate::worker::{FileState, Gate, Worker, engine_failed};
use crate::{rotation, target};

/// What is known of the files of a thread that does not have all of them open all the time.
#[derive(Debug)]
pub(super) struct FilePool {
    /// Files that may be open.
    limit: usize,
    /// Those that are.
    open: Vec<usize>,
    /// Operations in flight in each.
    pending: Vec<u32>,
    /// They are removed after each pass.
    renews: bool,
    /// Bytes of this pass.
    moved: u64,
}

impl FilePool {
    /// Nothing where all files are open from the beginning to the end.
    pub(super) fn new(spec: &JobSpec) -> Option<Self> {
        let limit = spec.files.as_ref().and_then(|files| files.open);
        let renews = spec.drop_each == DropEach::Files;
        let count = rotation::count(spec);
        (limit.is_some() || renews).then(|| Self {
            limit: limit.unwrap_or(count),
            open: if limit.is_some() { vec![0] } else { (0..count).collect() },
            pending: vec![0; count],
            renews,
            moved: 0,
        })
    }

    /// An operation begins or has ended.
    pub(super) fn count(&mut self, files: &Files, offset: u64, begins: bool) {
        let pending = &mut self.pending[files.index(offset)];
        *pending = if begins { *pending + 1 } else { *pending - 1 };
    }
}

impl<E: Engine> Worker<E, Fio> {
    /// Sees to it that the file of an operation is open, and as it has to be.
    #[inline]
    pub(super) fn ensure_open(&mut self, next: Next, now: &mut u64) -> Result<FileState, JobError> {
        let length = u64::from(next.length);
        let Some(pool) = &mut self.semantics.files else { return Ok(FileState::WasOpen) };
        let anew = pool.renews && self.semantics.round.is_none() && pool.moved + length > self.parts.spec.size;
        if !anew && self.parts.files.is_open(self.parts.files.index(next.offset)) {
            pool.moved += length;
            return Ok(FileState::WasOpen);
        }
        if anew && self.in_flight > 0 {
            return Ok(FileState::InUse);
        }
        if anew {
            self.renew_all()?;
        }
        if !self.open_for(next.offset)? {
            return Ok(FileState::InUse);
        }
        if let Some(pool) = &mut self.semantics.files {
            pool.moved += length;
        }
        *now = self.parts.clock.now_ns();
        Ok(FileState::Opened)
    }

    /// Opens the file that an offset is in. False when another one would have to be closed first, and is in use.
    pub(super) fn open_for(&mut self, offset: u64) -> Result<bool, JobError> {
        let index = self.parts.files.index(offset);
        let Some(pool) = &mut self.semantics.files else { return Ok(true) };
        if self.parts.files.is_open(index) {
            return Ok(true);
        }
        while pool.open.len() >= pool.limit {
            let idle = |file: &usize| pool.pending[*file] == 0;
            // What is read back is in an order of its own.
            let apart = self.gate == Gate::ReadBack;
            let through = |file: &usize| idle(file) && (apart || !self.parts.pattern.wants(*file));
            // At the end, where files are synced, none is wanted any more.
            let all_idle = self.in_flight == 0;
            let position = pool.open.iter().position(through).or_else(|| all_idle.then_some(0));
            let Some(position) = position else { return Ok(false) };
            let file = pool.open.remove(position);
            self.parts.engine.put(file, self.parts.files.put(file, None)).map_err(engine_failed)?;
        }
        pool.open.push(index);
        let Some(place) = &self.parts.target else { return Ok(true) };
        let file = place.open_beside(&self.parts.spec, index)?;
        if self.parts.spec.drop_cache {
            target::forget(&file, self.parts.spec.offset, rotation::part(&self.parts.spec, index));
        }
        let descriptor = self.parts.files.put(index, Some(file));
        self.parts.engine.put(index, descriptor).map_err(engine_failed)?;
        Ok(true)
    }

    /// A pass is over: puts an empty file in the place of each.
    pub(super) fn renew_all(&mut self) -> Result<(), JobError> {
        let (Some(pool), Some(place)) = (&mut self.semantics.files, &self.parts.target) else { return Ok(()) };
        pool.moved = 0;
        for index in 0..pool.pending.len() {
            let was_open = self.parts.files.is_open(index);
            // Closed first, so that the room of the old file is free before there is a new one.
            self.parts.engine.put(index, self.parts.files.put(index, None)).map_err(engine_failed)?;
            let file = place.renew(&self.parts.spec, index)?;
            let descriptor = self.parts.files.put(index, was_open.then_some(file));
            self.parts.engine.put(index, descriptor).map_err(engine_failed)?;
        }
        Ok(())
    }
}
