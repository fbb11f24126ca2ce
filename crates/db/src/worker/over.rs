//! A request is over: count it, go on, try again or give up.

use super::Worker;
use crate::driver::{Driver, Session, State};
use crate::fault::{Cause, Fault, JobError};
use crate::lane::LONGEST_PAUSE_NS;
use crate::recorder::Sample;

impl<D: Driver> Worker<D> {
    /// The request of a client's step ended well. True: its next request is to be sent.
    #[inline]
    pub(super) fn step_over(&mut self, index: usize, now: u64) -> bool {
        let parts = &mut self.parts;
        let lane = &mut parts.lanes[index];
        if let Some(fault) = lane.failure.take() {
            return self.rolled_back(index, fault, now);
        }
        let (bytes, rows) = (lane.reply.bytes, u64::from(lane.reply.rows));
        let missed = rows == 0 && parts.work.expects_rows(&lane.turn);
        let part = parts.work.part(&lane.turn);
        if lane.counted {
            if let Some(part) = part {
                let service_ns = now - lane.step_ns;
                let first_ns = if lane.turn.step == 0 { now - lane.intended_ns } else { service_ns };
                parts.batch.record(part, Sample { response_ns: first_ns, service_ns, bytes, rows, missed });
            }
            if lane.reply.checker.is_some() {
                let kind = part.unwrap_or(lane.turn.kind);
                parts.batch.check(kind, u64::from(lane.reply.fields), u64::from(lane.reply.wrong));
            }
        }
        lane.bytes += bytes;
        lane.rows += rows;
        lane.missed |= missed;
        lane.turn.step += 1;
        if lane.turn.step < lane.turn.steps {
            return true;
        }
        if lane.counted {
            let sample = Sample {
                response_ns: now - lane.intended_ns,
                service_ns: now - lane.started_ns,
                bytes: lane.bytes,
                rows: lane.rows,
                missed: lane.missed,
            };
            parts.batch.record(lane.turn.kind, sample);
        }
        self.report.added += u64::from(parts.work.adds_row(&lane.turn));
        self.alive_ns = now;
        if self.absence.is_open() {
            self.absence.back(now);
        }
        self.turn_over(index, now);
        false
    }

    /// A request failed. True: another one is to be sent.
    #[cold]
    pub(super) fn step_failed(&mut self, index: usize, fault: Fault, now: u64) -> bool {
        let lane = &mut self.parts.lanes[index];
        lane.waiting = false;
        let first = lane.failure.take();
        if fault.broken {
            // What broke the connection ends the operation, not what went wrong before.
            let cause = fault.cause;
            self.give_up(index, first.unwrap_or(fault), now);
            self.lose(index, cause, now);
            return false;
        }
        let in_transaction = self.parts.work.is_transaction(&lane.turn);
        if first.is_none() && in_transaction {
            lane.failure = Some(fault);
            return true;
        }
        self.rolled_back(index, first.unwrap_or(fault), now)
    }

    /// An operation failed and left nothing behind. True: it is tried again.
    #[cold]
    fn rolled_back(&mut self, index: usize, fault: Fault, now: u64) -> bool {
        let lane = &mut self.parts.lanes[index];
        if fault.cause.is_retryable() && lane.tries < self.parts.setup.spec.max_tries {
            lane.tries += 1;
            if self.parts.work.is_transaction(&lane.turn) {
                lane.turn.step = 0;
                (lane.bytes, lane.rows, lane.missed) = (0, 0, false);
            }
            self.parts.batch.retries += u64::from(lane.counted);
            return true;
        }
        self.give_up(index, fault, now);
        self.idle.push_back(index as u32);
        false
    }

    /// Counts a failed operation.
    fn give_up(&mut self, index: usize, fault: Fault, now: u64) {
        let parts = &mut self.parts;
        let lane = &mut parts.lanes[index];
        if lane.counted {
            parts.batch.fail(lane.turn.kind, fault.cause);
            if let Some(part) = parts.work.part(&lane.turn) {
                parts.batch.fail(part, fault.cause);
            }
        }
        if !parts.setup.spec.count_errors && self.report.fault.is_none() {
            self.report.fault = Some(JobError::operation(parts.names[lane.turn.kind], &fault));
        }
        self.report.messages[fault.cause as usize].get_or_insert(fault.message);
        parts.work.settle(&lane.turn);
        self.account(now);
        self.busy -= 1;
    }

    /// An operation ended well.
    #[inline]
    fn turn_over(&mut self, index: usize, now: u64) {
        self.parts.work.settle(&self.parts.lanes[index].turn);
        self.account(now);
        self.busy -= 1;
        self.idle.push_back(index as u32);
    }

    /// A client's connection is of no use any more.
    fn lose(&mut self, index: usize, cause: Cause, now: u64) {
        let lane = &mut self.parts.lanes[index];
        lane.session = None;
        self.down.push((now + lane.pause_ns, index as u32));
        // The operation that failed was answered before it began, or by others while it was waiting.
        let alive_ns = self.alive_ns.max(lane.started_ns);
        match cause {
            Cause::Timeout => self.absence.unanswered(alive_ns),
            _ => self.absence.lost(alive_ns, self.down.len()),
        }
    }

    /// Opens connections anew whose pause is over.
    #[cold]
    pub(super) fn reconnect(&mut self, now: u64) -> u64 {
        let mut at = 0;
        while at < self.down.len() {
            let (due, index) = self.down[at];
            if due > now || self.shut {
                at += 1;
                continue;
            }
            self.down.swap_remove(at);
            self.connect(index as usize);
            if self.report.fault.is_some() {
                break;
            }
        }
        if self.shut && self.busy == 0 {
            self.down.clear();
        }
        self.parts.clock.now_ns()
    }

    fn connect(&mut self, index: usize) {
        let spec = &self.parts.setup.spec;
        let client = self.parts.lanes[index].client;
        let connected = self.parts.driver.connect(client);
        let now = self.parts.clock.now_ns();
        let lane = &mut self.parts.lanes[index];
        match connected {
            Ok(session) => {
                lane.session = Some(session);
                lane.pause_ns = crate::lane::FIRST_PAUSE_NS;
                self.parts.batch.reconnects += 1;
                if let Err(error) = self.watch_lane(index) {
                    self.report.fault = Some(JobError::driver(format!("cannot watch a connection: {error}")));
                }
                self.alive_ns = now;
                self.idle.push_back(index as u32);
            }
            Err(fault) => {
                self.parts.batch.failed_reconnects += 1;
                self.absence.refused();
                lane.pause_ns = (lane.pause_ns * 2).min(LONGEST_PAUSE_NS);
                self.down.push((now + lane.pause_ns, index as u32));
                if now.saturating_sub(self.alive_ns) > spec.give_up_ns {
                    self.report.fault = Some(JobError::connect(format!(
                        "the server has been away for {:.0} s: {}",
                        now.saturating_sub(self.alive_ns) as f64 / 1e9,
                        fault.message
                    )));
                }
                self.report.messages[fault.cause as usize].get_or_insert(fault.message);
            }
        }
    }

    /// Ends requests that have waited too long.
    #[cold]
    pub(super) fn expire(&mut self, now: u64) {
        let timeout_ns = self.parts.setup.spec.timeout_ns;
        for index in 0..self.parts.lanes.len() {
            let lane = &self.parts.lanes[index];
            if lane.waiting && now.saturating_sub(lane.step_ns) > timeout_ns {
                let message = format!("no answer for {:.1} s", timeout_ns as f64 / 1e9);
                self.step_failed(index, Fault::broken(Cause::Timeout, message), now);
            }
        }
    }

    /// Takes what comes back of a request, without anything new.
    pub(super) fn take_back(&mut self, index: usize) {
        let lane = &mut self.parts.lanes[index];
        if !lane.waiting {
            return;
        }
        let Some(session) = &mut lane.session else { return };
        let result = session.resume(&mut lane.reply);
        if result != Ok(State::Waiting) {
            lane.waiting = false;
            let now = self.parts.clock.now_ns();
            // An operation with steps left is cut off, as its stop request says.
            if result.is_ok() && lane.turn.step + 1 == lane.turn.steps && lane.failure.is_none() {
                self.step_over(index, now);
            } else {
                self.account(now);
                self.busy -= 1;
            }
        }
    }
}
