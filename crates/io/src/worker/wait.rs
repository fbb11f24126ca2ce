//! Waiting: for completions, for the next start, for the end of a pause.

use std::time::Duration;

use plimsoll_core::error::JobError;
use plimsoll_core::timers::sleep_until;

use super::{Gate, Semantics, WAKE_EARLY_NS, Worker};
use crate::engine::Engine;
use crate::spec::ThinkFrom;

/// Pauses from here on leave time for telling single operations at once.
const LONG_PAUSE_NS: u64 = 5_000_000;
impl<E: Engine, S: Semantics> Worker<E, S> {
    /// How long to wait for a completion: without end in a closed loop, until the next start is due in an open one.
    #[inline]
    pub(super) fn patience(&mut self, now: u64) -> (u32, Option<Duration>) {
        match &self.schedule {
            Some(schedule) if self.gate == Gate::Open && !self.free.is_empty() && self.refused.is_none() => {
                let wait_ns = schedule.due_ns().min(self.timer_ns).saturating_sub(now);
                if wait_ns <= WAKE_EARLY_NS {
                    (0, None)
                } else {
                    (1, Some(Duration::from_nanos(wait_ns - WAKE_EARLY_NS)))
                }
            }
            None if self.gate == Gate::Open && !self.free.is_empty() && self.refused.is_none() => {
                S::patience(self, now)
            }
            _ => (self.batch.complete.min(self.in_flight), None),
        }
    }

    /// Nothing is in flight: sync, pause, or wait for the next start.
    pub(super) fn idle(&mut self, now: u64) -> Result<u64, JobError> {
        if let Some(now) = S::idle(self, now)? {
            return Ok(now);
        }
        let until = match self.gate {
            Gate::Sync => {
                self.gate = Gate::Syncing;
                let offset = self.parts.pattern.sync_offset();
                S::open_for_sync(self, offset)?;
                let operation = self.prepare_sync(self.sync_kind, offset, now);
                return self.accept(operation, now);
            }
            Gate::Think => {
                let spec = &self.parts.spec;
                let (spin_ns, from_start) = (spec.think_spin_ns, spec.think_from == ThinkFrom::Start);
                let pause_ns = spec.think_time_ns.max(spin_ns);
                self.since_think = 0;
                self.tell_before_pause(pause_ns);
                self.spin_until_ns = now.saturating_add(spin_ns);
                let until = if from_start { self.started_ns } else { now }.saturating_add(pause_ns);
                self.started_ns = until.max(now);
                self.gate = Gate::Pause(until);
                return Ok(now);
            }
            Gate::Pause(until) if now >= until => {
                self.gate = Gate::Open;
                return Ok(now);
            }
            Gate::Pause(_) if now < self.spin_until_ns => return Ok(self.parts.clock.now_ns()),
            Gate::Pause(until) => until,
            Gate::Open => match &self.schedule {
                Some(schedule) => schedule.due_ns(),
                None => return S::wait_for_turn(self, now),
            },
            Gate::Rest => match self.rest(now) {
                Some(until) => until,
                None => return Ok(now),
            },
            Gate::Syncing | Gate::Pass | Gate::ReadBack | Gate::Finished => return Ok(now),
        };
        let until = until.min(self.timer_ns);
        if until.saturating_sub(now) > WAKE_EARLY_NS {
            sleep_until(until - WAKE_EARLY_NS);
        }
        Ok(self.parts.clock.now_ns())
    }

    /// Before a long pause somebody may be waiting to see the last operations, long before the interval is over.
    fn tell_before_pause(&mut self, pause_ns: u64) {
        if pause_ns >= LONG_PAUSE_NS && !self.parts.batch.trace.is_empty() {
            let trace = std::mem::take(&mut self.parts.batch.trace);
            self.parts.outlet.note(trace);
        }
    }
}
