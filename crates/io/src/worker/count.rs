//! Counting what comes back, and cutting it into intervals.

use std::sync::atomic::Ordering;

use crate::spec::JobSpec;
use plimsoll_core::cpu_time::used;
use plimsoll_core::error::JobError;
use plimsoll_core::window::share;

use super::{Gate, Semantics, Slot, Worker};
use crate::buffer::Buffer;
use crate::engine::{Completion, Engine, OpKind};
use crate::recorder::{Series, Single};

impl Slot {
    fn single(&self, series: Series, start_ns: u64, now: u64) -> Single {
        let latency_ns = now.saturating_sub(start_ns);
        let (offset, length) = (self.offset, self.length);
        Single { series, start_ns, latency_ns, offset, length, submission_ns: 0, priority: 0 }
    }
}

impl<E: Engine, S: Semantics> Worker<E, S> {
    /// Counts all reaped completions, also those after a failed one: every buffer has to come back.
    #[inline(always)] // once per operation, also where parts of this crate are compiled on their own
    pub(super) fn complete_all(&mut self, now: u64) -> Result<(), JobError> {
        let mut finished = std::mem::take(&mut self.finished);
        let mut result = Ok(());
        for completion in finished.drain(..) {
            let completed = self.complete(completion, now);
            if result.is_ok() {
                result = completed;
            }
        }
        self.finished = finished;
        result
    }

    /// Counts one completion and frees its tag.
    #[inline]
    pub(super) fn complete(&mut self, completion: Completion, now: u64) -> Result<(), JobError> {
        let Completion { tag, result, buffer } = completion;
        let slot = self.slots[tag as usize];
        let good = result == i64::from(slot.length);
        let checked = self.judge(&slot, good, buffer.as_ref());
        if let Some(buffer) = buffer {
            let index = usize::from(buffer.index());
            self.buffers[index] = Some(buffer);
        }
        self.free.push(tag);
        self.in_flight -= 1;
        self.semantics.in_flight(&self.parts.files, slot.offset, false);
        self.semantics.completed(tag, now);
        checked?;
        if !good {
            return self.failed(slot, result);
        }
        let counts = slot.issued_ns >= self.counting_ns;
        let latency = now.saturating_sub(slot.start_ns);
        let (series, service) = match slot.kind {
            OpKind::Read => (Series::Read, Series::ReadService),
            OpKind::Write => (Series::Write, Series::WriteService),
            OpKind::Trim => (Series::Trim, Series::TrimService),
            OpKind::Fsync | OpKind::Fdatasync => {
                self.synced(&slot, now, latency, counts);
                return Ok(());
            }
        };
        if counts {
            self.parts.batch.record(series, latency, u64::from(slot.length));
            if self.parts.spec.trace
                && (slot.kind != OpKind::Write || self.group_ns.is_none() || self.semantics.traces_syncs())
            {
                let mut single = slot.single(series, slot.issued_ns, now);
                self.semantics.describe(tag, slot.issued_ns, &mut single);
                self.parts.batch.trace.push(single);
            }
            S::record(self, series, tag, slot.issued_ns, now);
            if self.schedule.is_some() {
                let service_ns = now.saturating_sub(slot.issued_ns);
                self.parts.batch.record(service, service_ns, u64::from(slot.length));
            }
        } else if self.counting_ns == u64::MAX || self.paused.is_some() {
            self.parts.batch.discard(series, u64::from(slot.length));
        } else {
            self.parts.batch.came_early(series, latency, u64::from(slot.length));
        }
        Ok(())
    }

    /// Keeps the books of what has to be in the blocks, and looks at those that were read for that.
    #[inline(always)] // once per operation, also where parts of this crate are compiled on their own
    fn judge(&mut self, slot: &Slot, good: bool, buffer: Option<&Buffer>) -> Result<(), JobError> {
        let Some(stamps) = &mut self.parts.stamps else { return Ok(()) };
        if stamps.checks_reads() {
            let read = buffer.filter(|_| good).map(|buffer| &buffer.bytes()[..slot.length as usize]);
            if read.is_some_and(|bytes| !stamps.check(slot.offset, bytes)) {
                return Err(mismatch(&self.parts.spec.path, stamps.found().first_bad_offset));
            }
        } else if slot.checks {
            stamps.release(slot.offset, slot.length, true);
            let read = buffer.filter(|_| good).map(|buffer| &buffer.bytes()[..slot.length as usize]);
            if read.is_some_and(|bytes| !stamps.check(slot.offset, bytes)) {
                return Err(mismatch(&self.parts.spec.path, stamps.found().first_bad_offset));
            }
        } else if slot.kind == OpKind::Write {
            stamps.release(slot.offset, slot.length, good);
            if good {
                self.semantics.written(slot.offset, slot.length);
            }
        }
        Ok(())
    }

    fn synced(&mut self, slot: &Slot, now: u64, latency: u64, counts: bool) {
        // As with fio, the last sync of a pass takes time, and is not counted.
        if counts && !(self.left && self.semantics.in_passes()) {
            self.parts.batch.record(Series::Sync, latency, 0);
            if self.semantics.traces_syncs() {
                self.parts.batch.trace.push(slot.single(Series::Sync, slot.issued_ns, now));
            }
            if let Some(start) = self.group_ns.filter(|&start| start >= self.counting_ns) {
                self.parts.batch.record(Series::Commit, now.saturating_sub(start), 0);
                if self.parts.spec.trace && !self.semantics.traces_syncs() {
                    self.parts.batch.trace.push(slot.single(Series::Write, start, now));
                }
            }
        }
        self.count_cut_group(now);
        self.reopen();
    }

    fn reopen(&mut self) {
        self.begin_group();
        if self.gate == Gate::Syncing {
            self.gate = if self.wants_to_think() { Gate::Think } else { Gate::Open };
            self.rest_after_sync();
        }
    }

    #[cold]
    fn failed(&mut self, slot: Slot, result: i64) -> Result<(), JobError> {
        let series = match slot.kind {
            OpKind::Read => Series::Read,
            OpKind::Write => Series::Write,
            OpKind::Trim => Series::Trim,
            OpKind::Fsync | OpKind::Fdatasync => {
                self.reopen();
                Series::Sync
            }
        };
        if self.parts.stop.load(Ordering::Relaxed) && result == -i64::from(libc::EINTR) {
            return Ok(());
        }
        // What is missing of a write found no room.
        let short = if slot.kind == OpKind::Write { libc::ENOSPC } else { libc::EIO };
        let errno = if result < 0 { (-result) as i32 } else { short };
        let goes_on = match &self.parts.spec.tolerance {
            Some(tolerance) if tolerance.until_full && series == Series::Write && is_full(errno) => {
                self.gate = Gate::Finished;
                self.report.without_room += 1;
                return Ok(());
            }
            Some(tolerance) => {
                if series == Series::Read { &tolerance.reads } else { &tolerance.writes }.contains(&errno)
            }
            None => self.parts.spec.count_errors,
        };
        if !goes_on {
            return Err(operation_failed(&self.parts.spec, slot, result));
        }
        self.report.first_errno.get_or_insert(errno);
        if slot.issued_ns >= self.counting_ns {
            self.parts.batch.fail(series);
        }
        Ok(())
    }

    /// Adds the time since the last call at the number of operations in flight since then.
    #[inline]
    pub(crate) fn account(&mut self, now: u64) {
        let elapsed = now.saturating_sub(self.accounted_ns);
        self.parts.batch.in_flight_ns += elapsed * u64::from(self.in_flight);
        self.accounted_ns = now;
    }

    /// Something is due: the measured part begins, an interval is over, or the time is up.
    #[cold]
    pub(super) fn on_timer(&mut self, now: u64) {
        let window = self.window;
        self.account(now);
        if self.paused.is_some() {
            return self.turn(now);
        }
        if self.counting_ns == u64::MAX {
            self.begin_counting(now);
        }
        let index = window.interval_at(now);
        if index > self.interval {
            self.deliver(self.interval);
            self.parts.clock.discipline(window.interval_ns);
            self.interval = index;
        }
        if now >= window.end_ns {
            self.gate = Gate::Finished;
            // The time is up, and for that long the integral is.
            let in_flight_ns = self.parts.batch.in_flight_ns.saturating_sub(self.in_flight_since(window.end_ns, now));
            self.in_flight_at_end = (!window.until_all_is_back).then_some(in_flight_ns);
        }
        let end = if now >= window.end_ns { u64::MAX } else { window.end_ns };
        self.timer_ns = window.end_of(self.interval).min(end);
    }

    /// The integral since a moment at which the thread waited for operations, and did not look at its clock.
    fn in_flight_since(&self, moment_ns: u64, now: u64) -> u64 {
        now.saturating_sub(moment_ns) * u64::from(self.in_flight)
    }

    fn begin_counting(&mut self, now: u64) {
        let spec = &self.parts.spec;
        let (thread, threads) = (self.parts.thread, spec.threads);
        let share = |total: Option<u64>| total.map_or(u64::MAX, |total| share(total, thread, threads));
        (self.operations_left, self.bytes_left) = (share(spec.max_operations), share(spec.max_bytes));
        // What was issued a moment before, already within the window, is part of no limit: it may not count either.
        self.counting_ns = self.window.measure_ns.max(now);
        self.parts.batch.in_flight_ns = self.in_flight_since(self.window.measure_ns, now);
        self.parts.batch.forget_discarded();
        self.semantics.begin_counting();
        self.used_at_start = Some(used());
    }

    /// Swaps the batch for an empty one.
    pub(super) fn deliver(&mut self, index: u64) {
        if let Some(start) = self.used_at_start.filter(|_| self.parts.spec.so_far) {
            self.parts.batch.used = used().since(start);
        }
        self.parts.outlet.deliver(index, &mut self.parts.batch);
    }
}

/// Whether there is no room for more, or none in a quota.
fn is_full(errno: i32) -> bool {
    matches!(errno, libc::ENOSPC | libc::EDQUOT)
}

/// A block was not what was written, and that ends the job.
fn mismatch(path: &str, offset: Option<u64>) -> JobError {
    JobError::Verify {
        message: format!(
            "verification of {path} failed (a block is not what was written, and the first one ends the job)"
        ),
        offset: offset.unwrap_or_default(),
    }
}

/// The offset is a field of its own, and readers of the message get it from there.
fn operation_failed(spec: &JobSpec, slot: Slot, result: i64) -> JobError {
    let path = &spec.path;
    let (verb, length) = (slot.kind.name(), slot.length);
    let (message, errno) = if result < 0 {
        let error = std::io::Error::from_raw_os_error((-result) as i32);
        let size = if length == 0 { String::new() } else { format!(" of {length} bytes") };
        let hint = match error.raw_os_error() {
            Some(libc::EOPNOTSUPP) if spec.iopoll => ": the device cannot be polled, leave iopoll off",
            Some(libc::EAGAIN) if spec.nowait => {
                ": it would have to wait; leave nowait off, or keep what is read in the cache"
            }
            Some(libc::EOPNOTSUPP) if spec.nowait => {
                ": this file system cannot do it without waiting, leave nowait off"
            }
            Some(libc::EPERM) if spec.priorities.is_some() => ": only root may have priorities of the real-time class",
            Some(libc::ENOSPC | libc::EDQUOT) => ": free some space or use a smaller size",
            _ => "",
        };
        (format!("{verb}{size} failed on {path} ({error}{hint})"), error.raw_os_error())
    } else {
        let hint = if slot.kind == OpKind::Read { " (was the file cut off during the run?)" } else { "" };
        (format!("short {verb} on {path}: {result} of {length} bytes{hint}"), None)
    };
    JobError::Io { message, errno, operation: verb, offset: (length > 0).then_some(slot.offset) }
}
