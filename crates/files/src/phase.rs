//! Where a workload runs: the workers of a phase, one or many.

use std::path::Path;
use std::sync::atomic::Ordering;
use std::sync::{Condvar, Mutex, PoisonError};
use std::thread;

use plimsoll_core::clock::monotonic_ns;
use plimsoll_core::cpu_time::Used;
use plimsoll_core::threads::{ThreadFault, caught};

use crate::common::Common;
use crate::context::{PhaseContext, WorkerContext};
use crate::fault::{Fault, Result};
use crate::thread_setup;

/// One phase, or the preparation.
pub struct Phase<'a> {
    /// The parameters that every workload has.
    pub common: &'a Common,
    context: PhaseContext<'a>,
}

/// What the workers of a phase did.
pub struct Workers<T> {
    /// What each worker returned, by number.
    pub results: Vec<T>,
    /// From the moment that all were released to the moment that the last one ended.
    pub elapsed_ns: u64,
}

impl<'a> Phase<'a> {
    /// For one phase.
    pub fn new(common: &'a Common, context: PhaseContext<'a>) -> Self {
        Self { common, context }
    }

    /// The job's folder; for code that takes a path. Calls of workers are relative to it.
    pub fn place(&self) -> &Path {
        self.context.place
    }

    /// Runs `work` on the calling thread.
    pub fn solo<T>(&self, work: impl FnOnce(&mut WorkerContext<'_>) -> Result<T>) -> Result<T> {
        work(&mut WorkerContext::new(self.context)?)
    }

    /// Runs `work` on the calling thread and times it, together with making durable what it wrote if that is asked for.
    pub fn timed<T>(&self, work: impl FnOnce(&mut WorkerContext<'_>) -> Result<T>) -> Result<(T, u64)> {
        self.solo(|context| {
            let start_ns = context.now_ns();
            let result = work(context)?;
            context.settle()?;
            Ok((result, context.now_ns() - start_ns))
        })
    }

    /// What was counted until now is forgotten and the measured part begins now: the end of a warm-up. Workers take notice
    /// with [`WorkerContext::restart`].
    pub fn restart(&self) -> u64 {
        self.context.shared.begin_phase(true)
    }

    /// What is told from now on until this phase begins: somebody or something is waited for.
    pub fn awaits(&self, phase: &str) {
        self.context.shared.enter(format!("waiting {phase}"));
    }

    /// CPU time, user and system, of a thread that helps a worker.
    pub fn add_cpu(&self, used: Used) {
        self.context.shared.measured().cpu.add(used);
    }

    /// Runs `work` on as many threads, each with its number and descriptors of its own, as processes have them. All begin
    /// together; the first fault ends all.
    pub fn processes<T: Send>(
        &self,
        workers: u32,
        work: impl Fn(&mut WorkerContext<'_>, u32) -> Result<T> + Sync,
    ) -> Result<Workers<T>> {
        self.workers(workers, true, work)
    }

    /// The same with shared descriptors, for originals with threads.
    pub fn threads<T: Send>(
        &self,
        workers: u32,
        work: impl Fn(&mut WorkerContext<'_>, u32) -> Result<T> + Sync,
    ) -> Result<Workers<T>> {
        self.workers(workers, false, work)
    }

    fn workers<T: Send>(
        &self,
        workers: u32,
        own_descriptors: bool,
        work: impl Fn(&mut WorkerContext<'_>, u32) -> Result<T> + Sync,
    ) -> Result<Workers<T>> {
        let gate = Gate::new(workers);
        let shift = |number| {
            let which = format!("worker {} of {workers}", number + 1);
            let context = caught(&which, || {
                thread_setup::block_signals();
                if own_descriptors {
                    thread_setup::own_descriptors(self.place());
                }
                WorkerContext::new(self.context)
            });
            gate.wait();
            let start_ns = monotonic_ns();
            let halted = self.context.shared.halt.load(Ordering::SeqCst);
            let result = context.map_err(Fault::from).and_then(|context| {
                let mut context = context?;
                if halted { Err(Fault::Halted) } else { caught(&which, || work(&mut context, number))? }
            });
            if result.is_err() {
                self.context.shared.halt.store(true, Ordering::SeqCst);
            }
            (start_ns, monotonic_ns(), result)
        };
        let shifts: Vec<_> = thread::scope(|scope| {
            let shift = &shift;
            let mut started = Vec::new();
            let mut refused = Ok(());
            for number in 0..workers {
                match thread::Builder::new().spawn_scoped(scope, move || shift(number)) {
                    Ok(worker) => started.push(worker),
                    Err(error) => {
                        // Those that wait for the others to come are let go, and find that there is nothing to do.
                        self.context.shared.halt.store(true, Ordering::SeqCst);
                        gate.expect(number);
                        let which = format!("thread {} of {workers}", number + 1);
                        refused = Err(ThreadFault::refused(which, error).into());
                        break;
                    }
                }
            }
            let panicked = |payload| ThreadFault::panicked("a worker", payload).into();
            let done = started.into_iter().map(|worker| worker.join().map_err(panicked)).collect::<Result<_>>();
            refused.and(done)
        })?;
        let start_ns = shifts.iter().map(|shift| shift.0).min().unwrap_or(0);
        let end_ns = shifts.iter().map(|shift| shift.1).max().unwrap_or(0);
        let (good, bad): (Vec<_>, Vec<_>) = shifts.into_iter().map(|shift| shift.2).partition(Result::is_ok);
        // The fault that ended the others, rather than the news that they were ended.
        let fault = bad.into_iter().filter_map(Result::err).min_by_key(|fault| *fault == Fault::Halted);
        match fault {
            Some(fault) => Err(fault),
            None => Ok(Workers { results: good.into_iter().flatten().collect(), elapsed_ns: end_ns - start_ns }),
        }
    }
}

/// Where threads wait for each other; unlike a barrier it can learn that some will not come.
struct Gate {
    /// Those who have come, and those who are expected.
    counts: Mutex<(u32, u32)>,
    opened: Condvar,
}

impl Gate {
    fn new(expected: u32) -> Self {
        Self { counts: Mutex::new((0, expected)), opened: Condvar::new() }
    }

    fn wait(&self) {
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        counts.0 += 1;
        self.opened.notify_all();
        while counts.0 < counts.1 {
            counts = self.opened.wait(counts).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn expect(&self, fewer: u32) {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner).1 = fewer;
        self.opened.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::{Duration, Instant};

    use plimsoll_core::job::Control;

    use super::*;
    use crate::common::Durable;
    use crate::measured::Shared;

    #[test]
    fn a_worker_that_panics_ends_the_others() {
        let folder = tempfile::tempdir().unwrap();
        let shared = Shared::new(&Arc::new(Control::new("test")), 1);
        let (shared, place, durable) = (&shared, folder.path(), Durable::None);
        let context = PhaseContext { shared, place, durable, writes: false, begin_ns: None, interval_ns: 1 };
        let common = Common::default();
        let deadline = Instant::now() + Duration::from_secs(30);
        let worked = Phase::new(&common, context).threads(3, |context, number| {
            assert!(number != 1, "on purpose");
            while Instant::now() < deadline {
                context.check()?;
                thread::sleep(Duration::from_millis(1));
            }
            Ok(())
        });
        let Err(Fault::Internal(told)) = worked.map(|workers| workers.results) else { panic!("nothing is told") };
        assert!(told.contains("worker 2 of 3") && told.contains("on purpose"), "{told}");
        assert!(Instant::now() < deadline, "the others went on");
    }

    #[test]
    fn all_wait_for_the_last() {
        let gate = Gate::new(3);
        let come = Mutex::new(0);
        thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    *come.lock().unwrap() += 1;
                    gate.wait();
                    assert_eq!(*come.lock().unwrap(), 3);
                });
            }
        });
    }

    #[test]
    fn those_who_wait_for_one_that_never_comes_are_let_go() {
        let gate = Gate::new(16);
        thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| gate.wait());
            }
            gate.expect(2);
        });
    }
}
