//! A job with slices: its clients finish what they are in the middle of when a slice ends, keep their connections, and go
//! on at the beginning of the next one.

use plimsoll_core::course::{Course, SlicePhase};

use super::line::LATE_NS;
use super::{Gate, Worker};
use crate::driver::Driver;

impl<D: Driver> Worker<D> {
    /// A slice begins, its counting begins, it ends, or what is in progress then is waited for.
    pub(super) fn turn(&mut self, now: u64) {
        if self.course().phase() == SlicePhase::Rest {
            self.begin_slice();
        }
        let Some(course) = &mut self.course else { return };
        course.go_on(now, &mut self.parts.batch.in_flight_ns);
        self.timer_ns = course.due_ns();
        if course.phase() == SlicePhase::Drain {
            if self.gate == Gate::Open {
                self.gate = Gate::Rest;
            }
            self.expire(now);
            self.timer_ns = now + LATE_NS;
        }
    }

    fn course(&mut self) -> &mut Course {
        self.course.as_mut().expect("only a job with slices asks for it")
    }

    /// Goes on where the last slice ended; for what is due and for the server's signs of life time has stood still.
    fn begin_slice(&mut self) {
        let Some(course) = &mut self.course else { return };
        let rest_ns = course.begin();
        (self.window, self.interval) = (course.window(), course.index());
        self.counting_ns = self.window.measure_ns;
        self.alive_ns += rest_ns;
        if let Some(pace) = &mut self.pace {
            pace.shift(rest_ns);
        }
        self.gate = Gate::Open;
    }

    /// Nothing is in progress, and nothing may be started. True when that stays so.
    #[cold]
    pub(super) fn is_over(&mut self, now: u64) -> bool {
        if self.gate == Gate::Rest && self.course().phase() == SlicePhase::Drain {
            self.deliver_slice(now);
            if self.course().rest(now) {
                let window = self.course().window();
                self.parts.clock.discipline(window.end_ns - now);
                self.timer_ns = window.begin_ns;
            } else {
                self.gate = Gate::Finished;
            }
        }
        self.gate == Gate::Finished
    }

    fn deliver_slice(&mut self, now: u64) {
        let index = self.interval;
        let batch = &mut self.parts.batch;
        let Some(course) = &mut self.course else { return };
        (batch.in_flight_ns, batch.drain_ns) = course.drained(now);
        self.parts.outlet.deliver(index, batch);
    }

    /// The thread ends, be it in the middle of a slice.
    pub(super) fn deliver_last(&mut self, now: u64) {
        let Some(course) = &mut self.course else { return };
        if course.end(now, &mut self.parts.batch.in_flight_ns) {
            self.deliver_slice(now);
        }
    }
}
