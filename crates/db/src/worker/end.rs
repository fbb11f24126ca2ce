//! The end of a thread's work.

use std::time::Duration;

use super::{Report, Worker};
use crate::driver::Driver;
use crate::fault::JobError;
use crate::usage::{self, Used};

/// After a stop request, requests get this long to be answered.
const DRAIN_NS: u64 = 50_000_000;

impl<D: Driver> Worker<D> {
    /// After a stop request: takes back what comes back soon.
    pub(super) fn drain(&mut self) {
        self.shut = true;
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
    }

    pub(super) fn finish(mut self) -> Report {
        let now = self.parts.clock.now_ns();
        self.count_unissued(now);
        let used = usage::used();
        let counted = self.counting_ns != u64::MAX;
        let stopped = self.stopped();
        let mut report = std::mem::take(&mut self.report);
        report.end_ns = now;
        report.used = if counted { used.since(self.used_at_start) } else { Used::default() };
        report.clock = self.parts.clock.name();
        if counted {
            self.deliver(self.interval);
        } else if report.fault.is_none() && !stopped {
            report.fault = Some(JobError::driver("the run ended before it was measured"));
        }
        report
    }
}
