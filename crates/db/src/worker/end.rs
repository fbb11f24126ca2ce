//! The end of a thread's work.

use std::time::Duration;

use plimsoll_core::course::Course;

use super::{Gate, Report, Worker};
use crate::driver::Driver;
use crate::fault::JobError;

/// After a stop request, requests get this long to be answered.
const DRAIN_NS: u64 = 50_000_000;

impl<D: Driver> Worker<D> {
    /// After a stop request: takes back what comes back soon.
    pub(super) fn drain(&mut self) {
        self.gate = Gate::Finished;
        let deadline = self.parts.clock.now_ns() + DRAIN_NS;
        while self.busy > 0 {
            let now = self.parts.clock.now_ns();
            if now >= deadline {
                break;
            }
            let Some(watch) = &mut self.watch else { break };
            let ready = watch.wait(Duration::from_nanos(deadline - now));
            for event in 0..ready {
                let index = self.watch.as_ref().map_or(0, |watch| watch.token(event)) as usize;
                self.take_back(index);
            }
        }
        if self.busy > 0 {
            self.report.silent_ns = self.parts.clock.now_ns().saturating_sub(self.alive_ns);
        }
    }

    pub(super) fn finish(mut self) -> Report {
        let now = self.parts.clock.now_ns();
        self.count_unissued(now);
        let stopped = self.stopped();
        self.deliver_last(now);
        let mut report = std::mem::take(&mut self.report);
        report.absent = std::mem::take(&mut self.absence).end(now, self.parts.clients.len());
        report.common.close(now, self.used_at_start, self.course.as_ref().map(Course::used), &self.parts.clock);
        if self.used_at_start.is_some() {
            let batch = &mut self.parts.batch;
            batch.in_flight_ns = self.in_flight_at_end.unwrap_or(batch.in_flight_ns);
            self.deliver(self.interval);
        } else if self.course.is_none() && report.fault.is_none() && !stopped {
            report.fault = Some(JobError::driver("the run ended before it was measured"));
        }
        report
    }
}
