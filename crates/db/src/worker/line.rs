//! The time line: intervals, the beginning and the end of counting.

use std::sync::atomic::Ordering;

use plimsoll_core::cpu_time::used;

use super::{Gate, Worker};
use crate::driver::Driver;

/// After the end of the window, replies that are late are looked for this often.
pub(super) const LATE_NS: u64 = 50_000_000;

impl<D: Driver> Worker<D> {
    /// Adds the time since the last call at the number of operations in progress since then.
    #[inline]
    pub(super) fn account(&mut self, now: u64) {
        let elapsed = now.saturating_sub(self.accounted_ns);
        self.parts.batch.in_flight_ns += elapsed * u64::from(self.busy);
        self.accounted_ns = now;
    }

    /// Something is due: the measured part begins, an interval is over, or the time is up.
    #[cold]
    pub(super) fn on_timer(&mut self, now: u64) {
        let window = self.window;
        self.account(now);
        if self.course.is_some() {
            return self.turn(now);
        }
        if self.counting_ns == u64::MAX {
            self.begin_counting();
        }
        let index = window.interval_at(now);
        if index > self.interval {
            self.deliver(self.interval);
            self.parts.clock.discipline(window.interval_ns);
            self.interval = index;
        }
        self.expire(now);
        if now >= window.end_ns {
            self.gate = Gate::Finished;
            // The time is up, and for that long the integral is. Comes again for replies that are late.
            let in_flight_ns = (!window.until_all_is_back).then_some(self.parts.batch.in_flight_ns);
            self.in_flight_at_end = self.in_flight_at_end.or(in_flight_ns);
        }
        let end = if now >= window.end_ns { now + LATE_NS } else { window.end_ns };
        self.timer_ns = window.end_of(self.interval).min(end);
    }

    fn begin_counting(&mut self) {
        self.operations_left = self.parts.operations;
        self.counting_ns = self.window.measure_ns;
        let batch = &mut self.parts.batch;
        (batch.in_flight_ns, batch.retries, batch.reconnects, batch.failed_reconnects) = (0, 0, 0, 0);
        self.used_at_start = Some(used());
    }

    /// Swaps the batch for an empty one.
    pub(super) fn deliver(&mut self, index: u64) {
        self.parts.outlet.deliver(index, &mut self.parts.batch);
    }

    /// Completes the number of offered operations by those that the schedule asked for but that found no free client.
    pub(super) fn count_unissued(&mut self, now: u64) {
        let Some(pace) = &mut self.pace else { return };
        if self.operations_left == 0 {
            return;
        }
        let end = now.min(self.window.end_ns);
        while pace.due_ns() < end {
            let due_ns = pace.due_ns();
            let in_slices = || self.course.as_ref().is_some_and(|course| course.counts(due_ns));
            self.report.common.offered += u64::from(due_ns >= self.window.measure_ns || in_slices());
            pace.advance(1);
        }
    }

    /// The stop flag is set.
    pub(super) fn stopped(&self) -> bool {
        self.parts.outlet.stop.load(Ordering::Relaxed)
    }
}
