//! A job that runs on threads of its own: the handle that others hold, and what the job itself sees of it.

use std::marker::PhantomData;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::clock::monotonic_ns;
use crate::go::{Go, NotNow};
use crate::once_value::OnceValue;
use crate::outcome::{Progress, phase};
use crate::progress::Board;
use crate::threads::{ThreadFault, caught};

/// What the jobs of one kind do.
pub trait Work: 'static {
    /// The request.
    type Spec: Send + 'static;
    /// What was found, or why not.
    type Outcome: Clone + Send + 'static;
    /// Name of the thread that leads the job.
    const THREAD: &'static str;
    /// The phase that a job begins in.
    const FIRST_PHASE: &'static str;

    /// Whether the job waits, once it is set up, until it is told to go: one with slices does.
    fn waits(_spec: &Self::Spec) -> bool {
        false
    }

    /// Carries the request out, and ends soon after `control` says so.
    fn run(spec: Self::Spec, control: &Arc<Control>) -> Self::Outcome;

    /// The outcome of a job that found nothing, because of `fault`.
    fn failed(fault: ThreadFault) -> Self::Outcome;
}

/// A running job. Dropping the handle stops it.
pub struct Job<W: Work> {
    control: Arc<Control>,
    outcome: Arc<OnceValue<W::Outcome>>,
    work: PhantomData<fn() -> W>,
}

impl<W: Work> Job<W> {
    /// Starts it and returns at once. Everything that can go wrong is told in the outcome, but that its thread cannot be
    /// started.
    pub fn start(spec: W::Spec) -> std::io::Result<Self> {
        let control = Control { go: Go::new(W::waits(&spec)), ..Control::new(W::FIRST_PHASE) };
        let control = Arc::new(control);
        let outcome = Arc::new(OnceValue::default());
        let (seen, found) = (Arc::clone(&control), Arc::clone(&outcome));
        let leads = move || {
            let outcome = caught("the thread that leads the job", || W::run(spec, &seen)).unwrap_or_else(|fault| {
                // For what it has started, and can no longer end itself.
                seen.stop();
                W::failed(fault)
            });
            seen.go.over();
            seen.board.enter(phase::FINISHED, monotonic_ns(), None);
            found.set(outcome);
        };
        thread::Builder::new().name(W::THREAD.to_owned()).spawn(leads)?;
        Ok(Self { control, outcome, work: PhantomData })
    }

    /// How far it is; cheap.
    pub fn poll(&self) -> Progress {
        self.control.board.progress()
    }

    /// Tells a job with slices, which is in phase [`phase::READY`], that its times count from `begin_ns` on: nanoseconds of
    /// `CLOCK_MONOTONIC`, a moment ahead, so that its threads can be told before.
    ///
    /// # Errors
    /// It is no such job, not in this phase, or the moment is not ahead.
    pub fn go(&self, begin_ns: u64) -> Result<(), NotNow> {
        self.control.go.tell(begin_ns, monotonic_ns())?;
        self.control.wake();
        Ok(())
    }

    /// Asks it to end. The outcome then holds what was measured until now.
    pub fn stop(&self) {
        self.control.stop();
    }

    /// A copy of the outcome, waited for at most `timeout`; nothing when the time is over first.
    pub fn result(&self, timeout: Option<Duration>) -> Option<W::Outcome> {
        self.outcome.wait(timeout)
    }
}

impl<W: Work> Drop for Job<W> {
    fn drop(&mut self) {
        self.stop();
    }
}

/// What the handle and the job both see.
pub struct Control {
    /// Set once, by a stop request.
    pub stop: Arc<AtomicBool>,
    /// How far the job is.
    pub board: Board,
    /// When a job with slices is to begin.
    pub go: Go,
    /// Wakes the thread that leads the job.
    wake: Mutex<Box<dyn Fn() + Send>>,
}

impl Control {
    /// Of a job that begins in `phase`.
    pub fn new(phase: &'static str) -> Self {
        let (stop, board, go) = (Arc::new(AtomicBool::new(false)), Board::new(phase), Go::new(false));
        Self { stop, board, go, wake: Mutex::new(Box::new(|| ())) }
    }

    /// The job is to end.
    pub fn stopped(&self) -> bool {
        self.stop.load(Ordering::SeqCst)
    }

    fn stop(&self) {
        self.stop.store(true, Ordering::SeqCst);
        self.wake();
    }

    fn wake(&self) {
        (self.wake.lock().unwrap_or_else(PoisonError::into_inner))();
    }

    /// A channel to the thread that leads the job, which a stop request, or the word to go, wakes while it waits there. The last one made is
    /// the one that is woken.
    pub fn inbox<T: Send + 'static>(&self) -> (Outbox<T>, Inbox<T>) {
        let (sender, events) = channel();
        let outbox = Outbox(sender.clone());
        let wake = move || {
            // When nobody waits there any more, there is nobody to wake.
            let _ = sender.send(None);
        };
        *self.wake.lock().unwrap_or_else(PoisonError::into_inner) = Box::new(wake);
        (outbox, Inbox(events))
    }

    /// Runs `task` on a thread of its own, which `what` describes, and waits for what it gives. When a stop request or the
    /// deadline comes first, `over` is called, and the task has `grace` to end; nothing when it does not, and its thread is
    /// then left behind.
    ///
    /// # Errors
    /// The thread cannot be started, or the task panicked.
    pub fn await_task<T: Send + 'static>(
        &self,
        (name, what): (&str, &str),
        (mut deadline, grace): (Option<Instant>, Duration),
        over: impl FnOnce(),
        task: impl FnOnce() -> T + Send + 'static,
    ) -> Result<Option<T>, ThreadFault> {
        let (outbox, inbox) = self.inbox();
        let whose = what.to_owned();
        let spawned = thread::Builder::new().name(name.to_owned()).spawn(move || outbox.send(caught(&whose, task)));
        spawned.map_err(|error| ThreadFault::refused(what, error))?;
        let mut over = Some(over);
        loop {
            let passed = deadline.is_some_and(|deadline| deadline <= Instant::now());
            match over.take() {
                Some(over) if passed || self.stopped() => {
                    over();
                    deadline = Some(Instant::now() + grace);
                }
                None if passed => return Ok(None),
                not_over => over = not_over,
            }
            if let Some(found) = inbox.next(deadline) {
                return found.map(Some);
            }
        }
    }
}

/// The end of a channel that threads of a job put their events into.
pub struct Outbox<T>(Sender<Option<T>>);

impl<T> Outbox<T> {
    /// Hands an event over. When nobody takes it any more the job was given up, and it no longer matters.
    pub fn send(&self, event: T) {
        let _ = self.0.send(Some(event));
    }
}

impl<T> Clone for Outbox<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

/// The end of a channel where the thread that leads a job waits.
pub struct Inbox<T>(Receiver<Option<T>>);

impl<T> Inbox<T> {
    /// The next event; nothing at the deadline or after a stop request.
    pub fn next(&self, deadline: Option<Instant>) -> Option<T> {
        // A sender is kept for stop requests, so the only failure is the deadline.
        match deadline {
            None => self.0.recv().ok().flatten(),
            Some(deadline) => self.0.recv_timeout(deadline.saturating_duration_since(Instant::now())).ok().flatten(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GRACE: Duration = Duration::from_millis(1);

    /// Ends when it is stopped.
    struct Waits;

    impl Work for Waits {
        type Spec = u32;
        type Outcome = (u32, bool);
        const THREAD: &'static str = "waits";
        const FIRST_PHASE: &'static str = "waiting";

        fn run(spec: u32, control: &Arc<Control>) -> (u32, bool) {
            let (_outbox, inbox) = control.inbox::<()>();
            while !control.stopped() {
                inbox.next(None);
            }
            (spec, control.stopped())
        }

        fn failed(_fault: ThreadFault) -> (u32, bool) {
            (0, false)
        }
    }

    /// Ends in a panic; its outcome says why.
    struct Panics;

    impl Work for Panics {
        type Spec = Sender<Arc<Control>>;
        type Outcome = String;
        const THREAD: &'static str = "panics";
        const FIRST_PHASE: &'static str = "panicking";

        fn run(spec: Self::Spec, control: &Arc<Control>) -> String {
            spec.send(Arc::clone(control)).unwrap();
            panic!("on purpose")
        }

        fn failed(fault: ThreadFault) -> String {
            fault.to_string()
        }
    }

    #[test]
    fn a_job_that_panics_says_so_and_stops_what_it_has_started() {
        let (sender, receiver) = channel();
        let job = Job::<Panics>::start(sender).unwrap();
        let told = job.result(Some(Duration::from_secs(30))).expect("the job has an outcome");
        assert!(told.contains("leads the job") && told.contains("on purpose"), "{told}");
        assert!(receiver.recv().unwrap().stopped());
        assert_eq!(job.poll().phase, phase::FINISHED);
    }

    #[test]
    fn a_task_that_panics_is_not_waited_for() {
        let late = Some(Instant::now() + Duration::from_secs(30));
        let panics = || -> u32 { panic!("on purpose") };
        let found = Control::new("test").await_task(("task", "the thread that tests"), (late, GRACE), || (), panics);
        let told = found.expect_err("it panicked").to_string();
        assert!(told.contains("the thread that tests") && told.contains("on purpose"), "{told}");
    }

    #[test]
    fn a_stop_request_wakes_the_job_and_the_outcome_stays() {
        let job = Job::<Waits>::start(7).unwrap();
        assert_eq!(job.poll().phase, "waiting");
        assert_eq!(job.result(Some(Duration::ZERO)), None);
        job.stop();
        assert_eq!([job.result(None), job.result(None)], [Some((7, true)); 2]);
    }

    #[test]
    fn a_task_gives_its_value_unless_it_is_late() {
        let control = Control::new("test");
        let mut told = false;
        let quick = control.await_task(("quick", "a task"), (None, GRACE), || told = true, || 3);
        assert_eq!((quick.unwrap(), told), (Some(3), false));
        let (release, held) = channel::<()>();
        let hangs = move || held.recv().is_ok();
        let past = Some(Instant::now());
        let late = control.await_task(("slow", "a task"), (past, GRACE), || told = true, hangs);
        assert_eq!((late.unwrap(), told), (None, true));
        drop(release);
    }

    #[test]
    fn what_a_task_gives_in_its_time_of_grace_counts() {
        let control = Control::new("test");
        control.stop();
        let (sender, receiver) = channel();
        let over = || sender.send(5).unwrap();
        let found =
            control.await_task(("ends", "a task"), (None, Duration::from_secs(60)), over, move || receiver.recv());
        assert_eq!(found.unwrap(), Some(Ok(5)));
    }
}
