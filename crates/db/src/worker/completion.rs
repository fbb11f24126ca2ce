//! A request is over: count it, go on, try again or give up.

use super::{Gate, Worker};
use crate::client::LONGEST_PAUSE_NS;
use crate::driver::{Driver, Session, State};
use crate::fault::{Cause, Fault, JobError};
use crate::recorder::Sample;

impl<D: Driver> Worker<D> {
    /// What came back in the measured part and began before is shown in its interval. In the warm-up nothing is, nor in
    /// slices.
    #[cold]
    fn not_counted(&mut self, kind: usize, took_ns: u64, bytes: u64) {
        if self.course.is_none() && self.counting_ns != u64::MAX {
            self.parts.batch.came_early(kind, took_ns, bytes);
        }
    }

    /// The request of a client's step ended well. True: its next request is to be sent.
    #[inline]
    pub(super) fn step_done(&mut self, index: usize, now: u64) -> bool {
        // It belongs to the interval in which it came back.
        if now >= self.timer_ns {
            self.on_timer(now);
        }
        let parts = &mut self.parts;
        let client = &mut parts.clients[index];
        if let Some(fault) = client.failure.take() {
            return self.rolled_back(index, fault, now);
        }
        let (bytes, rows) = (client.reply.bytes, u64::from(client.reply.rows));
        let missed = rows == 0 && parts.work.expects_rows(&client.operation);
        let part = parts.work.part(&client.operation);
        if client.counted {
            if let Some(part) = part {
                let service_ns = now - client.step_ns;
                let first_ns = if client.operation.step == 0 { now - client.intended_ns } else { service_ns };
                parts.batch.record(part, Sample { response_ns: first_ns, service_ns, bytes, rows, missed });
            }
            if client.reply.checker.is_some() {
                let kind = part.unwrap_or(client.operation.kind);
                parts.batch.check(kind, u64::from(client.reply.fields), u64::from(client.reply.wrong));
            }
        } else if let Some(part) = part {
            let took_ns = now - client.step_ns;
            self.not_counted(part, took_ns, bytes);
        }
        let parts = &mut self.parts;
        let client = &mut parts.clients[index];
        client.bytes += bytes;
        client.rows += rows;
        client.missed |= missed;
        client.operation.step += 1;
        if client.operation.step < client.operation.steps {
            return true;
        }
        if client.counted {
            let sample = Sample {
                response_ns: now - client.intended_ns,
                service_ns: now - client.started_ns,
                bytes: client.bytes,
                rows: client.rows,
                missed: client.missed,
            };
            parts.batch.record(client.operation.kind, sample);
        } else {
            let (kind, took_ns, bytes) = (client.operation.kind, now - client.intended_ns, client.bytes);
            self.not_counted(kind, took_ns, bytes);
        }
        self.report.added += u64::from(self.parts.work.adds_row(&self.parts.clients[index].operation));
        self.alive_ns = now;
        if self.absence.is_open() {
            self.absence.back(now);
        }
        self.complete(index, now);
        false
    }

    /// A request failed. True: another one is to be sent.
    #[cold]
    pub(super) fn step_failed(&mut self, index: usize, fault: Fault, now: u64) -> bool {
        let client = &mut self.parts.clients[index];
        client.waiting = false;
        let first = client.failure.take();
        if fault.broken {
            // What broke the connection ends the operation, not what went wrong before.
            let cause = fault.cause;
            self.give_up(index, first.unwrap_or(fault), now);
            self.lose(index, cause, now);
            return false;
        }
        let in_transaction = self.parts.work.is_transaction(&client.operation);
        if first.is_none() && in_transaction {
            client.failure = Some(fault);
            return true;
        }
        self.rolled_back(index, first.unwrap_or(fault), now)
    }

    /// An operation failed and left nothing behind. True: it is tried again.
    #[cold]
    fn rolled_back(&mut self, index: usize, fault: Fault, now: u64) -> bool {
        let client = &mut self.parts.clients[index];
        if fault.cause.is_retryable() && client.tries < self.parts.setup.spec.max_tries {
            client.tries += 1;
            if self.parts.work.is_transaction(&client.operation) {
                client.operation.step = 0;
                (client.bytes, client.rows, client.missed) = (0, 0, false);
            }
            self.parts.batch.retries += u64::from(client.counted);
            return true;
        }
        self.give_up(index, fault, now);
        self.idle.push(index as u32);
        false
    }

    /// Counts a failed operation.
    fn give_up(&mut self, index: usize, fault: Fault, now: u64) {
        let parts = &mut self.parts;
        let client = &mut parts.clients[index];
        if client.counted {
            parts.batch.fail(client.operation.kind, fault.cause);
            if let Some(part) = parts.work.part(&client.operation) {
                parts.batch.fail(part, fault.cause);
            }
        }
        if !parts.setup.spec.count_errors && self.report.fault.is_none() {
            self.report.fault = Some(JobError::operation(parts.names[client.operation.kind], &fault));
        }
        self.report.messages[fault.cause as usize].get_or_insert(fault.message);
        parts.work.settle(&client.operation);
        self.account(now);
        self.busy -= 1;
    }

    /// An operation ended well.
    #[inline]
    fn complete(&mut self, index: usize, now: u64) {
        self.parts.work.settle(&self.parts.clients[index].operation);
        self.account(now);
        self.busy -= 1;
        self.idle.push(index as u32);
    }

    /// A client's connection is of no use any more.
    fn lose(&mut self, index: usize, cause: Cause, now: u64) {
        let client = &mut self.parts.clients[index];
        client.session = None;
        self.down.push((now + client.pause_ns, index as u32));
        // The operation that failed was answered before it began, or by others while it was waiting.
        let alive_ns = self.alive_ns.max(client.started_ns);
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
            if due > now || self.gate != Gate::Open {
                at += 1;
                continue;
            }
            self.down.swap_remove(at);
            self.connect(index as usize);
            if self.report.fault.is_some() {
                break;
            }
        }
        if self.gate == Gate::Finished && self.busy == 0 {
            self.down.clear();
        }
        self.parts.clock.now_ns()
    }

    fn connect(&mut self, index: usize) {
        let spec = &self.parts.setup.spec;
        let number = self.parts.clients[index].number;
        let connected = self.parts.driver.connect(number);
        let now = self.parts.clock.now_ns();
        let client = &mut self.parts.clients[index];
        match connected {
            Ok(session) => {
                client.session = Some(session);
                client.pause_ns = crate::client::FIRST_PAUSE_NS;
                self.parts.batch.reconnects += 1;
                if let Err(error) = self.watch_client(index) {
                    self.report.fault = Some(JobError::driver(format!("cannot watch a connection: {error}")));
                }
                self.alive_ns = now;
                self.idle.push(index as u32);
            }
            Err(fault) => {
                self.parts.batch.failed_reconnects += 1;
                self.absence.refused();
                client.pause_ns = (client.pause_ns * 2).min(LONGEST_PAUSE_NS);
                self.down.push((now + client.pause_ns, index as u32));
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
        for index in 0..self.parts.clients.len() {
            let client = &self.parts.clients[index];
            if client.waiting && now.saturating_sub(client.step_ns) > timeout_ns {
                let message = format!("no answer for {:.1} s", timeout_ns as f64 / 1e9);
                self.step_failed(index, Fault::broken(Cause::Timeout, message), now);
            }
        }
    }

    /// Takes what comes back of a request, without anything new.
    pub(super) fn take_back(&mut self, index: usize) {
        let client = &mut self.parts.clients[index];
        if !client.waiting {
            return;
        }
        let Some(session) = &mut client.session else { return };
        let result = session.resume(&mut client.reply);
        if result != Ok(State::Waiting) {
            client.waiting = false;
            let now = self.parts.clock.now_ns();
            // An operation with steps left is cut off, as its stop request says.
            if result.is_ok() && client.operation.step + 1 == client.operation.steps && client.failure.is_none() {
                self.step_done(index, now);
            } else {
                self.account(now);
                self.busy -= 1;
            }
        }
    }
}
