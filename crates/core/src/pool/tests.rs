use super::*;
use crate::count::Count;
use crate::error::JobError;

/// Where thread 1 panics.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Panics {
    Opening,
    MakingBatches,
    Working,
}

impl Panics {
    fn at(self, place: Self, thread: &str) {
        assert!(self != place || thread != "1", "{place:?}");
    }
}

enum Shared {}

impl Exchange for Shared {
    type Batch = Count;
    type Note = ();
    type Found = ();
    type Error = JobError;
}

impl Launch for Panics {
    type Exchange = Shared;
    type Parts = Outlet<Shared>;
    const SPARE_BATCHES: usize = 1;
    const INTERRUPT: Option<fn(libc::pid_t)> = None;

    fn thread_name(&self, thread: u32) -> String {
        thread.to_string()
    }

    fn batch(&self) -> Count {
        self.at(Self::MakingBatches, thread::current().name().unwrap());
        Count::default()
    }

    fn open(&self, outlet: Outlet<Shared>) -> Result<Outlet<Shared>, JobError> {
        self.at(Self::Opening, &outlet.thread.to_string());
        Ok(outlet)
    }

    /// The others work until they are told to end.
    fn run(&self, outlet: Outlet<Shared>, _window: Window) -> Ended<Shared> {
        self.at(Self::Working, &outlet.thread.to_string());
        while !outlet.stop.load(Ordering::SeqCst) {
            thread::sleep(Duration::from_millis(1));
        }
        Ended { report: Report::default(), found: (), fault: None }
    }
}

impl Observer<Shared> for () {
    fn merged(&mut self, _timeline: &mut Timeline<Count>) {}
}

/// How a job of three threads fails, and how many of them have ended as they should.
fn carry_out(panics: Panics) -> (JobError, usize) {
    let control = Arc::new(Control::new("test"));
    let mut pool = WorkerPool::start(panics, 3, &control).unwrap();
    if let Err(error) = pool.ready() {
        return (error, 0);
    }
    let window = Window::new(0, 0, 1, 1);
    pool.run(window, Duration::from_secs(60), &mut Timeline::new(3, 1, Count::default), &mut ());
    let ended = pool.found().count();
    (pool.into_found().unwrap_err(), ended)
}

#[test]
fn a_thread_that_panics_ends_the_job_and_the_other_threads() {
    for (panics, well) in [(Panics::Opening, 0), (Panics::MakingBatches, 0), (Panics::Working, 2)] {
        let (sender, receiver) = channel();
        thread::spawn(move || sender.send(carry_out(panics)));
        let ended = receiver.recv_timeout(Duration::from_secs(30));
        let (error, ended) = ended.unwrap_or_else(|_| panic!("the job waits for ever: {panics:?}"));
        let told = error.to_string();
        let parts = ["thread 2 of 3", &format!("({panics:?})"), "please report"];
        assert!(parts.iter().all(|part| told.contains(part)), "{told}");
        assert_eq!(ended, well, "{panics:?}");
    }
}
