//! What happens to an operation right before it is submitted, and what its submission leads to.

use super::{Gate, Semantics, Slot, Worker};
use crate::engine::{Engine, OpKind, Operation};
use crate::region::Next;
use crate::spec::{DropEach, FileOrder, Files as Several, JobSpec, SyncKind};
use crate::{rotation, target};

impl<E: Engine, S: Semantics> Worker<E, S> {
    /// Keeps two writes of one block from being in flight at once when the result will be verified.
    #[inline]
    pub(super) fn reserve(&mut self, next: Next) -> bool {
        let Some(stamps) = &mut self.parts.stamps else { return true };
        let free = next.kind != OpKind::Write || stamps.reserve(next.offset, next.length);
        if !free {
            self.held = Some(next);
        }
        free
    }

    /// The operation has to wait for others, and is looked at again after them.
    pub(super) fn put_back(&mut self, next: Next) {
        if let Some(stamps) = self.parts.stamps.as_mut().filter(|_| next.kind == OpKind::Write) {
            stamps.release(next.offset, next.length, true);
        }
        self.held = Some(next);
    }

    /// Drops what has to be dropped before the operation; returns the time after that.
    #[cold]
    pub(super) fn forget(&mut self, next: Next, now: u64) -> u64 {
        let (files, spec, length) = (&self.parts.files, &self.parts.spec, u64::from(next.length));
        if spec.drop_each == DropEach::Operation {
            let (file, offset) = files.find(next.offset);
            file.into_iter().for_each(|file| target::forget(file, offset, length));
        } else if self.lap.is_some_and(|lap| self.since_drop + length > lap) {
            for (index, file) in files.iter() {
                target::forget(file, spec.offset, rotation::part(spec, index));
            }
            self.since_drop = length;
        } else {
            self.since_drop += length;
            return now;
        }
        self.parts.clock.now_ns()
    }

    /// Gives the operation a tag and a buffer.
    #[inline]
    pub(super) fn prepare(&mut self, next: Next, start_ns: u64, issued_ns: u64) -> Operation {
        let Next { kind, offset, length } = next;
        let tag = self.free.pop().expect("an operation is prepared only while fewer than `depth` are in flight");
        let mut buffer = match kind {
            OpKind::Read => self.buffers[tag as usize].take(),
            OpKind::Write => self.buffers[self.write_buffers + tag as usize].take(),
            OpKind::Trim | OpKind::Fsync | OpKind::Fdatasync => None,
        };
        if kind == OpKind::Write
            && let Some(buffer) = &mut buffer
        {
            let bytes = &mut buffer.bytes_mut()[..length as usize];
            self.parts.filler.stamp(offset, bytes);
            if let Some(stamps) = &mut self.parts.stamps {
                stamps.stamp(offset, bytes);
            }
        }
        let priority = self.semantics.prepare(tag, kind, length);
        self.slots[tag as usize] = Slot { kind, length, offset, start_ns, issued_ns, checks: false };
        if issued_ns >= self.counting_ns {
            self.operations_left -= 1;
            self.bytes_left = self.bytes_left.saturating_sub(u64::from(length));
        }
        self.account(issued_ns);
        self.in_flight += 1;
        self.semantics.in_flight(&self.parts.files, offset, true);
        Operation { tag, kind, offset, length, priority, buffer }
    }

    /// After an operation was issued: is it time to sync or to pause?
    #[inline]
    pub(super) fn close_gate(&mut self, kind: OpKind, start_ns: u64) {
        let spec = &self.parts.spec;
        if let (OpKind::Write, Some(every)) = (kind, spec.sync_every()) {
            self.group_ns.get_or_insert(start_ns);
            self.writes += 1;
            if self.semantics.in_passes() && self.at_limit() {
                return;
            }
            let data_every = spec.sync_beside.map_or(0, |beside| beside.fdatasync_every);
            if self.writes.is_multiple_of(every) {
                self.sync_kind = if spec.sync == SyncKind::Fsync { OpKind::Fsync } else { OpKind::Fdatasync };
                self.gate = Gate::Sync;
                return;
            }
            if data_every > 0 && self.writes.is_multiple_of(data_every) {
                self.sync_kind = OpKind::Fdatasync;
                self.gate = Gate::Sync;
                return;
            }
        }
        if self.wants_to_think() {
            self.gate = Gate::Think;
        }
    }

    /// Whether the next pause is due.
    #[inline]
    pub(crate) fn wants_to_think(&self) -> bool {
        let spec = &self.parts.spec;
        spec.think_time_ns > 0 && self.since_think >= spec.think_every
    }

    pub(super) fn prepare_sync(&mut self, kind: OpKind, offset: u64, now: u64) -> Operation {
        let tag = self.free.pop().expect("a sync is prepared only while nothing is in flight, and depth is 1 or more");
        self.slots[tag as usize] = Slot { kind, length: 0, offset, start_ns: now, issued_ns: now, checks: false };
        self.account(now);
        self.in_flight += 1;
        self.semantics.in_flight(&self.parts.files, offset, true);
        Operation { tag, kind, offset, length: 0, priority: 0, buffer: None }
    }
}

/// Bytes of the files that a job without passes, or with one that lasts as long as it runs, goes round in.
pub(super) fn lap(spec: &JobSpec) -> Option<u64> {
    let first_only = |files: &Several| files.endless && files.order == FileOrder::Sequential;
    let lap = if spec.files.as_ref().is_some_and(first_only) { rotation::part(spec, 0) } else { spec.size };
    spec.passes.is_none_or(|passes| !passes.ends && passes.least.is_none()).then_some(lap)
}
