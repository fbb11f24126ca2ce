//! The device that the workers and the control channel share.

use std::io;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::backing::Backing;
use super::system::{self, WakeEvent};
use crate::error::VolumeError;
use crate::model::Volume;
use crate::model::fault_state::Fault;
use crate::model::layer::{Completion, Io, OpKind, Outcome};
use crate::spec::VolumeSpec;
use crate::stats::{Counters, Statistics};

/// A served volume.
pub struct Device {
    /// Its bytes.
    pub backing: Backing,
    state: Mutex<State>,
    size_bytes: AtomicU64,
    in_flight: AtomicU64,
    stalled_until_ns: AtomicU64,
    /// Goes up with each power loss: what was under way before it fails.
    power: AtomicU64,
    stopping: AtomicBool,
    bypassed: AtomicBool,
    /// How long an answer waits while the model is bypassed.
    bypass_ns: AtomicU64,
    /// What the way between a program and this server takes; answers leave so much earlier.
    path_ns: AtomicU64,
    /// One per worker.
    wake_events: Vec<WakeEvent>,
}

struct State {
    volume: Volume,
    counters: Counters,
    /// Workers read their own clocks; the model wants time that never goes back.
    last_ns: u64,
}

impl Device {
    /// The device of `volume` on `backing`, for so many workers.
    pub fn new(volume: Volume, backing: Backing, workers: usize) -> io::Result<Self> {
        Ok(Self {
            backing,
            size_bytes: AtomicU64::new(volume.spec().device_bytes()),
            state: Mutex::new(State { volume, counters: Counters::default(), last_ns: 0 }),
            in_flight: AtomicU64::new(0),
            stalled_until_ns: AtomicU64::new(0),
            power: AtomicU64::new(0),
            stopping: AtomicBool::new(false),
            bypassed: AtomicBool::new(false),
            bypass_ns: AtomicU64::new(0),
            path_ns: AtomicU64::new(0),
            wake_events: (0..workers).map(|_| WakeEvent::new()).collect::<io::Result<_>>()?,
        })
    }

    /// When and how `io` completes that arrived at `now_ns`.
    #[inline]
    pub fn submit(&self, io: &Io, now_ns: u64) -> Completion {
        self.in_flight.fetch_add(1, Ordering::Relaxed);
        if self.is_bypassed() {
            let deadline_ns = now_ns + self.bypass_ns.load(Ordering::Relaxed);
            return Completion { deadline_ns, outcome: Outcome::Done };
        }
        let mut state = system::lock(&self.state);
        state.last_ns = state.last_ns.max(now_ns);
        let arrived_ns = state.last_ns;
        let completion = state.volume.submit(io, arrived_ns);
        let deadline_ns = completion.deadline_ns.saturating_sub(self.path_ns.load(Ordering::Relaxed));
        Completion { deadline_ns: deadline_ns.max(arrived_ns), ..completion }
    }

    /// Counts an operation that was answered so long after it arrived.
    #[inline]
    pub fn answered(&self, kind: OpKind, bytes: u64, latency_ns: u64, failed: bool) {
        self.in_flight.fetch_sub(1, Ordering::Relaxed);
        if self.is_bypassed() {
            return;
        }
        let latency_ns = latency_ns + self.path_ns.load(Ordering::Relaxed);
        let mut state = system::lock(&self.state);
        if failed {
            state.counters.errors += 1;
        } else {
            state.counters.record(kind, bytes, latency_ns);
        }
    }

    /// Counts an operation for which the backing had no space: the kernel tells its program of an I/O error only.
    #[cold]
    pub fn ran_out_of_space(&self) {
        system::lock(&self.state).counters.no_space += 1;
    }

    /// Size of the device.
    pub fn size_bytes(&self) -> u64 {
        self.size_bytes.load(Ordering::Relaxed)
    }

    /// Nothing is answered before this time.
    #[inline]
    pub fn stalled_until_ns(&self) -> u64 {
        self.stalled_until_ns.load(Ordering::Relaxed)
    }

    /// Number of power losses so far.
    #[inline]
    pub fn power(&self) -> u64 {
        self.power.load(Ordering::Acquire)
    }

    /// Workers are to answer what they hold and end.
    pub fn is_stopping(&self) -> bool {
        self.stopping.load(Ordering::Relaxed)
    }

    /// Operations go past the model: answered at once, charged to nothing, counted nowhere, hit by no fault. For what is
    /// no use of the volume, such as making its file system or taking it away.
    #[inline]
    pub fn is_bypassed(&self) -> bool {
        self.bypassed.load(Ordering::Relaxed)
    }

    /// Whether what waits for its time is answered all the same.
    #[inline]
    pub fn answers_at_once(&self) -> bool {
        self.is_bypassed() && self.bypass_ns.load(Ordering::Relaxed) == 0
    }

    /// Begins or ends the bypass, with a wait of `wait_ns` for each answer; without one, what waits is answered when it
    /// begins.
    pub fn bypass(&self, on: bool, wait_ns: u64) {
        self.bypass_ns.store(wait_ns, Ordering::Relaxed);
        self.bypassed.store(on, Ordering::Relaxed);
        self.wake();
    }

    /// Takes `path_ns` off every answer's wait, as far as there is any.
    pub fn compensate(&self, path_ns: u64) {
        self.path_ns.store(path_ns, Ordering::Relaxed);
    }

    /// What wakes worker `index`.
    pub fn wake_event(&self, index: usize) -> &WakeEvent {
        &self.wake_events[index]
    }

    /// The statistics page.
    pub fn statistics(&self, now_ns: u64) -> Statistics {
        let state = system::lock(&self.state);
        let report = state.volume.report(now_ns.max(state.last_ns));
        Statistics::new(&state.counters, report, self.in_flight.load(Ordering::Relaxed))
    }

    /// Begins a fault; returns how many bytes a power loss took back.
    pub fn inject(&self, fault: Fault, now_ns: u64) -> io::Result<u64> {
        let mut lost = 0;
        {
            let mut state = system::lock(&self.state);
            let now_ns = now_ns.max(state.last_ns);
            state.volume.inject(fault, now_ns);
            self.stalled_until_ns.store(state.volume.stalled_until_ns(), Ordering::Relaxed);
        }
        if let Fault::PowerLoss { .. } = fault {
            self.power.fetch_add(1, Ordering::AcqRel);
            lost = self.backing.lose_power()?;
        }
        self.wake();
        Ok(lost)
    }

    /// Becomes the volume of `spec` while in use.
    pub fn modify(&self, spec: &VolumeSpec, now_ns: u64) -> Result<(), VolumeError> {
        let mut state = system::lock(&self.state);
        let now_ns = now_ns.max(state.last_ns);
        state.volume.modify(spec, now_ns)?;
        let size_bytes = spec.device_bytes();
        self.backing.grow(size_bytes).map_err(VolumeError::system("cannot enlarge the backing of the volume"))?;
        self.size_bytes.store(size_bytes, Ordering::Relaxed);
        Ok(())
    }

    /// Buckets and credits become what they were at the start.
    pub fn restart(&self, now_ns: u64) {
        let mut state = system::lock(&self.state);
        let now_ns = now_ns.max(state.last_ns);
        state.volume.restart(now_ns);
    }

    /// Ends the workers.
    pub fn stop(&self) {
        self.stopping.store(true, Ordering::Relaxed);
        self.wake();
    }

    fn wake(&self) {
        self.wake_events.iter().for_each(WakeEvent::signal);
    }
}
