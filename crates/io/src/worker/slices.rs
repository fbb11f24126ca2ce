//! A job with slices: its threads drain at the end of each and go on at the beginning of the next, with everything that
//! they hold.
//!
//! The loop knows of it only by one more reason why its gate is closed. What was under way when a slice ended is finished
//! or kept. Finished, as a part of the drain, are operations that have a tag, also one that the engine had no room for yet,
//! and a sync that is due or runs. A group of writes that is not complete, a pause, and an operation that was only drawn
//! are kept, and time stands still for them in the rest, as it does for the schedule of an open loop.

use plimsoll_core::course::{Course, SlicePhase};
use plimsoll_core::cpu_time::Used;
use plimsoll_core::slices::Slices;
use plimsoll_core::window::Window;

use super::{Gate, Semantics, Worker};
use crate::engine::Engine;
use crate::recorder::Series;

/// What a thread keeps for its slices.
#[derive(Debug)]
pub(super) struct Paused {
    course: Course,
    /// The gate as the last slice has left it.
    gate: Gate,
    /// The group of writes under way began in a part of an earlier slice that counted.
    group_cut: bool,
}

impl Paused {
    /// Before the first slice of a job that goes at `go_ns`; nothing for a job without slices.
    pub(super) fn new(slices: &Slices, go_ns: u64) -> Option<Self> {
        let course = Course::new(slices, go_ns)?;
        Some(Self { course, gate: Gate::Open, group_cut: false })
    }

    /// The times of the first slice.
    pub(super) fn first(&self) -> Window {
        self.course.window()
    }

    /// What the thread has used in what counted.
    pub(super) fn used(&self) -> Used {
        self.course.used()
    }

    /// Whether a moment lies in a part that counts ([`Course::counts`]).
    pub(super) fn counts(&self, moment_ns: u64) -> bool {
        self.course.counts(moment_ns)
    }
}

impl<E: Engine, S: Semantics> Worker<E, S> {
    /// A slice begins, its counting begins, or it ends.
    pub(super) fn turn(&mut self, now: u64) {
        if self.course().phase() == SlicePhase::Rest {
            self.begin_slice();
        }
        let Some(paused) = &mut self.paused else { return };
        paused.course.go_on(now, &mut self.parts.batch.in_flight_ns);
        self.timer_ns = paused.course.due_ns();
        if paused.course.phase() == SlicePhase::Drain {
            match self.gate {
                // A sync is a part of the drain.
                Gate::Sync | Gate::Syncing | Gate::Finished => {}
                gate => (paused.gate, self.gate) = (gate, Gate::Rest),
            }
        }
    }

    fn course(&mut self) -> &mut Course {
        &mut self.paused.as_mut().expect("only a job with slices asks for it").course
    }

    /// Goes on where the last slice ended.
    fn begin_slice(&mut self) {
        let Some(paused) = &mut self.paused else { return };
        let rest_ns = paused.course.begin();
        let later = |moment_ns: u64| moment_ns.saturating_add(rest_ns);
        self.gate = match paused.gate {
            Gate::Pause(until) => Gate::Pause(later(until)),
            gate => gate,
        };
        paused.group_cut |= self.group_ns.is_some_and(|start| start >= self.counting_ns);
        self.group_ns = self.group_ns.map(later);
        (self.started_ns, self.spin_until_ns) = (later(self.started_ns), later(self.spin_until_ns));
        if let Some(schedule) = &mut self.schedule {
            schedule.shift(rest_ns);
        }
        (self.window, self.interval) = (paused.course.window(), paused.course.index());
        self.counting_ns = self.window.measure_ns;
    }

    /// Nothing is in flight: what was counted is handed over, once. Returns until when to wait for the next slice, if there
    /// is one.
    #[cold]
    pub(super) fn rest(&mut self, now: u64) -> Option<u64> {
        if self.course().phase() == SlicePhase::Drain {
            self.deliver_slice(now);
            if !self.course().rest(now) {
                self.gate = Gate::Finished;
                return None;
            }
            let window = self.course().window();
            self.parts.clock.discipline(window.end_ns - now);
            self.timer_ns = window.begin_ns;
        }
        Some(self.timer_ns)
    }

    fn deliver_slice(&mut self, now: u64) {
        let index = self.interval;
        let (in_flight_ns, drain_ns) = self.course().drained(now);
        let used = self.course().used();
        let batch = &mut self.parts.batch;
        (batch.in_flight_ns, batch.drain_ns, batch.used) = (in_flight_ns, drain_ns, used);
        self.parts.outlet.deliver(index, batch);
    }

    /// The thread ends, be it in the middle of a slice.
    pub(super) fn deliver_last(&mut self, now: u64) {
        let Some(paused) = &mut self.paused else { return };
        if paused.course.end(now, &mut self.parts.batch.in_flight_ns) {
            self.deliver_slice(now);
        }
    }

    /// A sync is over. The group of writes before it counts in this slice, and without the rest, where a rest has cut it in
    /// two and its beginning counted.
    #[inline]
    pub(super) fn count_cut_group(&mut self, now: u64) {
        if self.paused.as_ref().is_some_and(|paused| paused.group_cut)
            && let Some(start) = self.group_ns
        {
            self.parts.batch.record(Series::Commit, now.saturating_sub(start), 0);
        }
    }

    /// A sync is over: in a drain what it has kept waiting goes on in the next slice.
    #[inline]
    pub(super) fn rest_after_sync(&mut self) {
        if let Some(paused) = &mut self.paused
            && paused.course.phase() == SlicePhase::Drain
        {
            (paused.gate, self.gate) = (self.gate, Gate::Rest);
        }
    }

    /// The next write begins a group.
    #[inline]
    pub(super) fn begin_group(&mut self) {
        self.group_ns = None;
        if let Some(paused) = &mut self.paused {
            paused.group_cut = false;
        }
    }
}
