//! A recorded load, replayed while its file is read: in its own times, or as fast as its dependencies allow.
//!
//! A thread of its own reads ahead ([`ahead`]), so that the loop neither opens, decodes nor allocates, and a trace may be
//! larger than memory. In its own times the schedule of the loop is told when the next operation arrived; latencies
//! count from then. Otherwise an operation waits for the one that was the last to end before it arrived, and then for
//! as long as the application thought.

pub mod ahead;

use std::sync::atomic::Ordering;
use std::time::Duration;

use plimsoll_core::error::JobError;
use plimsoll_core::timers::sleep_until;

use crate::engine::{Engine, OpKind};
use crate::pattern::Pattern;
use crate::recorder::Series;
use crate::region::Next;
use crate::schedule::Schedule;
use crate::spec::JobSpec;
use crate::worker::{Parts, Semantics, WAKE_EARLY_NS, Worker};
use ahead::{Ahead, Step};

/// So many operations back it is known when one ended; more are never in flight.
const REMEMBERED: usize = 1 << 16;
/// Of an operation that has not come back.
const UNDER_WAY: u64 = u64::MAX;
/// Later than this an operation is not in its schedule any more.
pub const KEPT_NS: u64 = 1_000_000;

/// What a thread keeps of the load that it replays.
#[derive(Debug)]
pub struct Recorded {
    ahead: Ahead,
    closed: bool,
    /// When the load began here.
    begin_ns: u64,
    issued: u64,
    /// When each of the last operations ended, by its number.
    ended_ns: Vec<u64>,
    /// Numbers of the operations in flight, by tag.
    numbers: Vec<u64>,
    lateness: Lateness,
}

/// How the schedule is kept, told in its order.
#[derive(Debug, Default)]
struct Lateness {
    /// Since when every operation was late.
    since_ns: Option<u64>,
    /// The depth was reached, and the backlog of that is not worked off.
    full: bool,
    late: u64,
    by_depth: u64,
}

impl Lateness {
    /// An operation is issued so late, so long after the begin.
    #[inline]
    fn issue(&mut self, late_ns: u64, after_ns: u64) {
        if late_ns <= KEPT_NS {
            (self.since_ns, self.full) = (None, false);
            return;
        }
        self.since_ns.get_or_insert(after_ns);
        self.late += 1;
        self.by_depth += u64::from(self.full);
    }
}

impl Semantics for Recorded {
    fn new<E: Engine>(parts: &mut Parts<E>) -> Self {
        let ahead = parts.ahead.take().unwrap_or_else(Ahead::nothing);
        let closed = parts.spec.recording.as_ref().is_some_and(|recording| recording.closed);
        let remembered = if closed { REMEMBERED } else { 0 };
        Self {
            ahead,
            closed,
            begin_ns: 0,
            issued: 0,
            ended_ns: vec![0; remembered],
            numbers: vec![0; parts.spec.depth as usize],
            lateness: Lateness::default(),
        }
    }

    fn begin(&mut self, begin_ns: u64) -> Option<Schedule> {
        self.begin_ns = begin_ns;
        (!self.closed).then(|| {
            let mut schedule = Schedule::told(begin_ns);
            self.tell(&mut schedule);
            schedule
        })
    }

    #[inline]
    fn tell(&mut self, schedule: &mut Schedule) {
        schedule.tell(self.ahead.peek().map_or(0, |step| step.due_ns));
    }

    #[inline]
    fn draw_kind(&mut self, _pattern: &mut Pattern) -> OpKind {
        self.ahead.peek().map_or(OpKind::Read, |step| step.next.kind)
    }

    #[inline]
    fn draw_of(&mut self, _pattern: &mut Pattern, _kind: OpKind) -> Option<Next> {
        self.ahead.pop().map(|step| step.next)
    }

    #[inline]
    fn prepare(&mut self, tag: u32, _kind: OpKind, _length: u32) -> u16 {
        if self.closed {
            self.numbers[tag as usize] = self.issued;
            self.ended_ns[self.issued as usize % REMEMBERED] = UNDER_WAY;
        }
        self.issued += 1;
        0
    }

    #[inline]
    fn completed(&mut self, tag: u32, now: u64) {
        if self.closed {
            self.ended_ns[self.numbers[tag as usize] as usize % REMEMBERED] = now;
        }
    }

    #[inline]
    fn must_wait<E: Engine>(worker: &mut Worker<E, Self>, now: &mut u64) -> Result<bool, JobError> {
        let is_due = worker.schedule.as_ref().is_some_and(|schedule| schedule.due_ns() <= *now);
        worker.semantics.lateness.full |= is_due && worker.free.is_empty();
        match worker.semantics.ahead.take_fault() {
            Some(why) => Err(JobError::spec(why)),
            None => Ok(false),
        }
    }

    #[inline]
    fn may_issue<E: Engine>(worker: &mut Worker<E, Self>, now: u64) -> bool {
        let semantics = &mut worker.semantics;
        if semantics.closed {
            return semantics.due().is_some_and(|due_ns| due_ns <= now);
        }
        if let (Some(schedule), Some(_)) = (&worker.schedule, semantics.ahead.peek()) {
            let (late_ns, after_ns) = (now.saturating_sub(schedule.due_ns()), now.saturating_sub(semantics.begin_ns));
            semantics.lateness.issue(late_ns, after_ns);
        }
        true
    }

    fn patience<E: Engine>(worker: &mut Worker<E, Self>, now: u64) -> (u32, Option<Duration>) {
        match worker.semantics.due() {
            Some(due_ns) if due_ns.saturating_sub(now) <= WAKE_EARLY_NS => (0, None),
            Some(due_ns) => (1, Some(Duration::from_nanos(due_ns - now - WAKE_EARLY_NS))),
            None => (1, None),
        }
    }

    fn wait_for_turn<E: Engine>(worker: &mut Worker<E, Self>, now: u64) -> Result<u64, JobError> {
        let until = worker.semantics.due().unwrap_or(now).min(worker.timer_ns);
        if until.saturating_sub(now) > WAKE_EARLY_NS {
            sleep_until(until - WAKE_EARLY_NS);
        }
        Ok(worker.parts.clock.now_ns())
    }

    #[inline]
    fn record<E: Engine>(worker: &mut Worker<E, Self>, _series: Series, tag: u32, issued_ns: u64, _now: u64) {
        if worker.schedule.is_none() {
            return;
        }
        let late_ns = issued_ns.saturating_sub(worker.slots[tag as usize].start_ns);
        worker.parts.batch.record(Series::Lateness, late_ns, 0);
    }

    fn finish<E: Engine>(worker: &mut Worker<E, Self>, _now: u64) {
        worker.report.late_since_ns = worker.semantics.lateness.since_ns;
        worker.report.late = worker.semantics.lateness.late;
        worker.report.late_by_depth = worker.semantics.lateness.by_depth;
        if worker.parts.stop.load(Ordering::Relaxed) {
            return;
        }
        let held = worker.held.take();
        let rest = std::iter::from_fn(|| worker.semantics.ahead.pop().map(|step| step.next));
        for next in held.into_iter().chain(rest) {
            worker.report.unissued += 1;
            worker.report.common.offered += u64::from(next.kind.moves_data());
        }
    }
}

impl Recorded {
    /// When the next operation may be issued: none while it waits for another one.
    #[inline]
    fn due(&mut self) -> Option<u64> {
        let (begin_ns, issued) = (self.begin_ns, self.issued);
        let Some(&Step { due_ns, after, .. }) = self.ahead.peek() else { return Some(0) };
        let Some(after) = after else { return Some(begin_ns + due_ns) };
        if issued.saturating_sub(after) >= REMEMBERED as u64 {
            return Some(0);
        }
        match self.ended_ns[after as usize % REMEMBERED] {
            UNDER_WAY => None,
            ended_ns => Some(ended_ns.saturating_add(due_ns)),
        }
    }
}

/// Whether a job replays such a load.
pub fn is_asked_for(spec: &JobSpec) -> bool {
    spec.recording.is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_late_is_told_in_the_order_of_the_schedule_with_its_reason() {
        let mut lateness = Lateness::default();
        lateness.issue(KEPT_NS, 10);
        assert_eq!((lateness.since_ns, lateness.by_depth), (None, 0));
        lateness.issue(KEPT_NS + 1, 20);
        lateness.full = true;
        lateness.issue(KEPT_NS + 5, 30);
        // The backlog that the depth made counts as its own until it is worked off.
        lateness.issue(KEPT_NS + 1, 40);
        assert_eq!((lateness.since_ns, lateness.by_depth), (Some(20), 2));
        lateness.issue(0, 50);
        lateness.issue(KEPT_NS + 1, 60);
        assert_eq!((lateness.since_ns, lateness.late, lateness.by_depth), (Some(60), 4, 2));
    }
}
