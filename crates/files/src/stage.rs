//! Where a workload runs: the workers of a phase, alone or as a crew.

use std::path::Path;
use std::sync::Barrier;
use std::sync::atomic::Ordering;
use std::thread;

use plimsoll_core::usage::Used;

use crate::fault::{Fault, Step};
use crate::hand::{Bench, Hand};
use crate::spec::FilesSpec;
use crate::usage;

/// One phase, or the preparation.
pub struct Stage<'a> {
    /// The request.
    pub spec: &'a FilesSpec,
    bench: Bench<'a>,
}

/// What a crew did.
pub struct Crew<T> {
    /// What each worker returned, by number.
    pub results: Vec<T>,
    /// From the moment that all were released to the moment that the last one ended.
    pub elapsed_ns: u64,
}

impl<'a> Stage<'a> {
    /// For one phase.
    pub fn new(spec: &'a FilesSpec, bench: Bench<'a>) -> Self {
        Self { spec, bench }
    }

    /// The job's folder; for code that takes a path. Calls of workers are relative to it.
    pub fn place(&self) -> &Path {
        self.bench.place
    }

    /// Runs `work` on the calling thread.
    pub fn solo<T>(&self, work: impl FnOnce(&mut Hand<'_>) -> Step<T>) -> Step<T> {
        work(&mut Hand::new(self.bench)?)
    }

    /// Runs `work` on the calling thread and times it, together with making durable what it wrote if that is asked for.
    pub fn timed<T>(&self, work: impl FnOnce(&mut Hand<'_>) -> Step<T>) -> Step<(T, u64)> {
        self.solo(|hand| {
            let start_ns = hand.now_ns();
            let result = work(hand)?;
            hand.settle()?;
            Ok((result, hand.now_ns() - start_ns))
        })
    }

    /// What was counted until now is forgotten and the measured part begins now: the end of a warm-up. Hands take notice
    /// with [`Hand::restart`].
    pub fn restart(&self) -> u64 {
        self.bench.shared.begin_phase(true)
    }

    /// CPU time, user and system, of a thread that helps a worker.
    pub fn add_cpu(&self, used: Used) {
        self.bench.shared.measured().cpu.add(used);
    }

    /// Runs `work` on as many threads, each with its number and descriptors of its own, as processes have them. All begin
    /// together; the first fault ends all.
    pub fn crew<T: Send>(&self, workers: u32, work: impl Fn(&mut Hand<'_>, u32) -> Step<T> + Sync) -> Step<Crew<T>> {
        self.workers(workers, true, work)
    }

    /// The same with shared descriptors, for originals with threads.
    pub fn threads<T: Send>(&self, workers: u32, work: impl Fn(&mut Hand<'_>, u32) -> Step<T> + Sync) -> Step<Crew<T>> {
        self.workers(workers, false, work)
    }

    fn workers<T: Send>(
        &self,
        workers: u32,
        own_descriptors: bool,
        work: impl Fn(&mut Hand<'_>, u32) -> Step<T> + Sync,
    ) -> Step<Crew<T>> {
        let gate = Barrier::new(workers as usize);
        let shift = |number| {
            usage::block_signals();
            if own_descriptors {
                usage::own_descriptors();
            }
            let hand = Hand::new(self.bench);
            gate.wait();
            let start_ns = plimsoll_core::clock::monotonic_ns();
            let result = hand.and_then(|mut hand| work(&mut hand, number));
            if result.is_err() {
                self.bench.shared.halt.store(true, Ordering::SeqCst);
            }
            (start_ns, plimsoll_core::clock::monotonic_ns(), result)
        };
        let shifts: Vec<_> = thread::scope(|scope| {
            let shift = &shift;
            let started: Vec<_> = (0..workers).map(|number| scope.spawn(move || shift(number))).collect();
            started.into_iter().map(|worker| worker.join().map_err(|_| panicked())).collect::<Step<_>>()
        })?;
        let start_ns = shifts.iter().map(|shift| shift.0).min().unwrap_or(0);
        let end_ns = shifts.iter().map(|shift| shift.1).max().unwrap_or(0);
        let (good, bad): (Vec<_>, Vec<_>) = shifts.into_iter().map(|shift| shift.2).partition(Result::is_ok);
        // The fault that ended the others, rather than the news that they were ended.
        let fault = bad.into_iter().filter_map(Result::err).min_by_key(|fault| *fault == Fault::Halted);
        match fault {
            Some(fault) => Err(fault),
            None => Ok(Crew { results: good.into_iter().flatten().collect(), elapsed_ns: end_ns - start_ns }),
        }
    }
}

fn panicked() -> Fault {
    Fault::Internal("a worker ended unexpectedly; please report this with the program's output".to_owned())
}
