//! The threads of a measured part: set up one by one, started together, merged as they count, ended together.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use crate::clock::{Clock, monotonic_ns};
use crate::cpu_time::{Used, used};
use crate::job::{Control, Inbox, Outbox};
use crate::outcome::phase;
use crate::threads::{ThreadFault, caught};
use crate::timeline::{Batch, Timeline};
use crate::window::Window;

/// How often threads that are to end are woken from what they wait for.
const WAKE_INTERVAL: Duration = Duration::from_millis(5);

/// What the threads of one kind of job hand to the one that leads them.
pub trait Exchange: 'static {
    /// What a thread counts during one interval.
    type Batch: Batch + Send;
    /// What a thread tells before its interval is over.
    type Note: Send;
    /// What a thread has found by its end, beyond its [`Report`].
    type Found: Send;
    /// Why a thread ends early.
    type Error: Send + From<ThreadFault>;
}

/// How the threads of a pool are made, and what they do.
pub trait Launch: Send + Sync + 'static {
    /// What they hand over.
    type Exchange: Exchange;
    /// What a thread works with.
    type Parts;
    /// Batches of a thread that are under way while it fills another one.
    const SPARE_BATCHES: usize;
    /// Ends the system call that a thread (by its kernel number) may sit in; nothing where none waits without a limit.
    const INTERRUPT: Option<fn(libc::pid_t)>;

    /// Name of a thread.
    fn thread_name(&self, thread: u32) -> String;

    /// A batch in which nothing is counted yet.
    fn batch(&self) -> BatchOf<Self>;

    /// Sets a thread up, on that thread: opens everything that it will use.
    fn open(&self, outlet: Outlet<Self::Exchange>) -> Result<Self::Parts, ErrorOf<Self>>;

    /// Does the work of a thread in `window`.
    fn run(&self, parts: Self::Parts, window: Window) -> Ended<Self::Exchange>;
}

type BatchOf<L> = <<L as Launch>::Exchange as Exchange>::Batch;
type ErrorOf<L> = <<L as Launch>::Exchange as Exchange>::Error;

/// Who follows a pool at work, on the thread that leads the job.
pub trait Observer<X: Exchange> {
    /// A thread tells something.
    fn noted(&mut self, _note: X::Note) {}

    /// A thread has filled a batch, which is not merged yet.
    fn filled(&mut self, _thread: u32, _batch: &X::Batch) {}

    /// A batch is merged.
    fn merged(&mut self, timeline: &mut Timeline<X::Batch>);
}

/// What every thread says when it has ended.
#[derive(Debug, Clone, Copy, Default)]
pub struct Report {
    /// When its last operation was over.
    pub end_ns: u64,
    /// Over the measured part.
    pub used: Used,
    /// Operations that the schedule asked for, open loop only.
    pub offered: u64,
    /// `tsc` or `monotonic`.
    pub clock: &'static str,
}

impl Report {
    /// The thread ends at `now`; it had used `since` before the measured part, if it came to that, or `counted` in the
    /// slices of it.
    pub fn close(&mut self, now: u64, since: Option<Used>, counted: Option<Used>, clock: &Clock) {
        self.end_ns = now;
        self.used = counted.unwrap_or_else(|| since.map_or(Used::default(), |since| used().since(since)));
        self.clock = clock.name();
    }
}

/// The end of a thread's work.
pub struct Ended<X: Exchange> {
    /// As in every job.
    pub report: Report,
    /// What only this kind of job finds.
    pub found: X::Found,
    /// What ended it early; ends the others too.
    pub fault: Option<X::Error>,
}

/// What reaches the leader.
enum Event<X: Exchange> {
    /// A thread is set up (its kernel number), or cannot be.
    Ready(u32, Result<libc::pid_t, X::Error>),
    /// A thread has finished an interval; its batch comes back emptied.
    Interval(u32, u64, Box<X::Batch>),
    Note(X::Note),
    Ended(u32, Box<Ended<X>>),
    /// A thread has ended, and left nothing but this.
    Panicked(u32, ThreadFault),
}

/// A thread's ends of its channels.
pub struct Outlet<X: Exchange> {
    /// Number of the thread.
    pub thread: u32,
    /// The thread is to end.
    pub stop: Arc<AtomicBool>,
    events: Outbox<Event<X>>,
    emptied: Receiver<Box<X::Batch>>,
}

impl<X: Exchange> Outlet<X> {
    /// Hands over what was counted in interval `index`, and leaves an empty batch in its place. Nothing when nobody takes
    /// it any more: then the job is over and the counts no longer matter.
    pub fn deliver(&self, index: u64, batch: &mut Box<X::Batch>) {
        // Every batch comes back, so this waits only when the leader is behind by as many intervals as there are spares.
        if let Ok(empty) = self.emptied.recv() {
            self.events.send(Event::Interval(self.thread, index, std::mem::replace(batch, empty)));
        }
    }

    /// Tells something at once.
    pub fn note(&self, note: X::Note) {
        self.events.send(Event::Note(note));
    }
}

/// The leader's view of one thread.
struct Member<X: Exchange> {
    /// Starts it; dropping this ends it.
    go: Sender<Window>,
    /// Emptied batches.
    emptied: Sender<Box<X::Batch>>,
    /// For the kernel; 0 before it is set up.
    number: libc::pid_t,
    /// Nothing more comes from it.
    over: bool,
    /// How it ended; nothing of one that panicked.
    ended: Option<Ended<X>>,
}

/// The threads of one measured part. Dropping the pool ends them.
pub struct WorkerPool<X: Exchange> {
    control: Arc<Control>,
    /// Ends all threads: set on a stop request and on the first fault.
    halt: Arc<AtomicBool>,
    inbox: Inbox<Event<X>>,
    members: Vec<Member<X>>,
    /// The first one that ended a thread early.
    fault: Option<X::Error>,
    interrupt: Option<fn(libc::pid_t)>,
}

impl<X: Exchange> WorkerPool<X> {
    /// Starts all threads, which set themselves up and wait.
    pub fn start<L: Launch<Exchange = X>>(
        launch: L,
        threads: u32,
        control: &Arc<Control>,
    ) -> Result<Self, ThreadFault> {
        let (events, inbox) = control.inbox();
        let halt = Arc::new(AtomicBool::new(false));
        let control = Arc::clone(control);
        let mut pool = Self { control, halt, inbox, members: Vec::new(), fault: None, interrupt: L::INTERRUPT };
        let launch = Arc::new(launch);
        for thread in 0..threads {
            let (go, start) = channel();
            let (emptied, empty) = channel();
            let (stop, events) = (Arc::clone(&pool.halt), events.clone());
            let outlet = Outlet { thread, stop, events, emptied: empty };
            let (launch, spares, name) = (Arc::clone(&launch), emptied.clone(), launch.thread_name(thread));
            let which = format!("thread {} of {threads}", thread + 1);
            let (what, events) = (which.clone(), outlet.events.clone());
            let lives = move || {
                if let Err(fault) = caught(&what, || live(launch, outlet, &start, spares)) {
                    events.send(Event::Panicked(thread, fault));
                }
            };
            let spawned = thread::Builder::new().name(name).spawn(lives);
            spawned.map_err(|error| ThreadFault::refused(which, error))?;
            pool.members.push(Member { go, emptied, number: 0, over: false, ended: None });
        }
        Ok(pool)
    }

    /// Waits until every thread is set up. False when a stop request came first; the threads then end.
    ///
    /// # Errors
    /// The first thread that cannot be set up says why; the others then end.
    pub fn ready(&mut self) -> Result<bool, X::Error> {
        let mut waiting = self.members.len();
        while waiting > 0 {
            if self.control.stopped() {
                self.halt.store(true, Ordering::SeqCst);
                return Ok(false);
            }
            let number = match self.inbox.next(None) {
                Some(Event::Ready(thread, result)) => result.map(|number| (thread, number)),
                Some(Event::Panicked(_, fault)) => Err(fault.into()),
                _ => continue,
            };
            let (thread, number) = number.inspect_err(|_| self.halt.store(true, Ordering::SeqCst))?;
            self.members[thread as usize].number = number;
            waiting -= 1;
        }
        Ok(true)
    }

    /// Waits, when all threads are set up, until the job is told to go: from when its times count. Nothing when a stop
    /// request came first; the threads then end.
    ///
    /// # Errors
    /// A thread has ended meanwhile; the others then end.
    pub fn wait_for_go(&mut self) -> Result<Option<u64>, X::Error> {
        self.control.go.ready();
        self.control.board.enter(phase::READY, monotonic_ns(), None);
        loop {
            if self.control.stopped() {
                self.halt.store(true, Ordering::SeqCst);
                return Ok(None);
            }
            if let Some(begin_ns) = self.control.go.told() {
                return Ok(Some(begin_ns));
            }
            if let Some(Event::Panicked(_, fault)) = self.inbox.next(None) {
                self.halt.store(true, Ordering::SeqCst);
                return Err(fault.into());
            }
        }
    }

    /// Lets all threads work in `window`, and merges what they count until all have ended. After a stop request or a fault
    /// they get `grace` to end, and are then left behind.
    pub fn run(
        &mut self,
        window: Window,
        grace: Duration,
        timeline: &mut Timeline<X::Batch>,
        observer: &mut impl Observer<X>,
    ) {
        for member in &self.members {
            // A thread that is gone has left its fault among the events.
            let _ = member.go.send(window);
        }
        let mut deadline: Option<Instant> = None;
        while self.members.iter().any(|member| !member.over) {
            let now = Instant::now();
            if self.control.stopped() || self.fault.is_some() {
                self.halt.store(true, Ordering::SeqCst);
                if *deadline.get_or_insert(now + grace) <= now {
                    return;
                }
                self.interrupt();
            }
            if let Some(event) = self.inbox.next(deadline.map(|deadline| deadline.min(now + WAKE_INTERVAL))) {
                self.take(event, timeline, observer);
            }
        }
    }

    fn interrupt(&self) {
        if let Some(interrupt) = self.interrupt {
            self.members.iter().filter(|member| !member.over).for_each(|member| interrupt(member.number));
        }
    }

    fn take(&mut self, event: Event<X>, timeline: &mut Timeline<X::Batch>, observer: &mut impl Observer<X>) {
        match event {
            Event::Interval(thread, index, mut batch) => {
                observer.filled(thread, &batch);
                timeline.add(thread, index, &batch);
                batch.clear();
                // A thread that has ended needs no empty batch.
                let _ = self.members[thread as usize].emptied.send(batch);
                observer.merged(timeline);
            }
            Event::Note(note) => observer.noted(note),
            Event::Ended(thread, mut ended) => {
                let fault = ended.fault.take();
                self.end(thread, fault, timeline);
                self.members[thread as usize].ended = Some(*ended);
            }
            Event::Panicked(thread, fault) => self.end(thread, Some(fault.into()), timeline),
            Event::Ready(..) => {}
        }
    }

    fn end(&mut self, thread: u32, fault: Option<X::Error>, timeline: &mut Timeline<X::Batch>) {
        timeline.finish(thread);
        self.members[thread as usize].over = true;
        if let Some(fault) = fault {
            self.fault.get_or_insert(fault);
        }
    }

    fn ended(&self) -> impl Iterator<Item = &Ended<X>> {
        self.members.iter().filter_map(|member| member.ended.as_ref())
    }

    /// One report per thread; nothing of a thread that never came back.
    pub fn reports(&self) -> Vec<Option<Report>> {
        self.members.iter().map(|member| member.ended.as_ref().map(|ended| ended.report)).collect()
    }

    /// What the threads that came back have found, in the order of their numbers.
    pub fn found(&self) -> impl Iterator<Item = &X::Found> {
        self.ended().map(|ended| &ended.found)
    }

    /// The same; or the fault that was the first to end a thread early.
    pub fn into_found(mut self) -> Result<Vec<X::Found>, X::Error> {
        let ended = self.members.drain(..).filter_map(|member| member.ended);
        self.fault.take().map_or_else(|| Ok(ended.map(|ended| ended.found).collect()), Err)
    }
}

impl<X: Exchange> Drop for WorkerPool<X> {
    /// Also where the thread that leads the job gives up, or panics.
    fn drop(&mut self) {
        self.halt.store(true, Ordering::SeqCst);
    }
}

/// The whole life of one thread.
fn live<L: Launch>(
    launch: Arc<L>,
    outlet: Outlet<L::Exchange>,
    start: &Receiver<Window>,
    spares: Sender<Box<BatchOf<L>>>,
) {
    let (thread, events) = (outlet.thread, outlet.events.clone());
    let parts = match launch.open(outlet) {
        Ok(parts) => parts,
        Err(error) => return events.send(Event::Ready(thread, Err(error))),
    };
    // Made here, so that their memory is near the processor that this thread may be pinned to.
    (0..L::SPARE_BATCHES).for_each(|_| drop(spares.send(Box::new(launch.batch()))));
    drop(spares);
    // SAFETY: takes nothing and cannot fail.
    events.send(Event::Ready(thread, Ok(unsafe { libc::gettid() })));
    if let Ok(window) = start.recv() {
        let ended = launch.run(parts, window);
        // What it holds is given up before: the next job may open the same files.
        drop(launch);
        events.send(Event::Ended(thread, Box::new(ended)));
    }
}

#[cfg(test)]
mod tests;
