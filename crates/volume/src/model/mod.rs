//! The model of a volume: pure, seeded, time passed in.
//!
//! ```text
//! faults ─► instance limits ─► array ─┬► member: volume limits ─► degradation ─► first touch ─► latency
//!                                     └► …
//! ```
//! Each is a [`layer::Layer`] around the next one. An operation goes down the stack once, when it arrives, and comes
//! back with the time at which it is done; nobody sleeps in here.

pub mod accounting;
pub mod bucket;
pub mod degradation;
pub mod fault_state;
pub mod faults;
pub mod first_touch;
pub mod instance;
pub mod latency;
pub mod layer;
pub mod normal;
pub mod operation;
pub mod quantiles;
pub mod raid;
pub mod throttle;
pub mod touched;
pub mod unfair;

use plimsoll_core::random::{Purpose, Stream, mix64};

use crate::error::VolumeError;
use crate::spec::{AccountingSpec, QueueOrder, VolumeSpec};
use fault_state::Fault;
use faults::Faults;
use instance::Cells;
use layer::{Arrival, Completion, Io, Layer, Report, Saved};
use throttle::{Limits, Throttle};

/// What a random stream of the model is drawn for.
#[derive(Debug, Clone, Copy)]
enum Draw {
    Latency = 1,
    Queue,
    Fetch,
    Episode,
}

/// The stream of one purpose and member, so that a change in one leaves the others as they were.
fn stream(seed: u64, draw: Draw, member: u32) -> Stream {
    Stream::new(mix64(seed ^ draw as u64), member, Purpose::Pace)
}

/// A volume, or an array of volumes, with all its state.
pub struct Volume {
    spec: VolumeSpec,
    stack: Faults,
    cells: Option<Cells>,
}

impl Volume {
    /// A volume that is attached at `now_ns` after having been idle: buckets full, credits at their initial share.
    /// `cells` holds the buckets of the instance when several volumes share it.
    pub fn new(spec: &VolumeSpec, cells: Option<Cells>, now_ns: u64) -> Result<Self, VolumeError> {
        spec.validate()?;
        Ok(Self { spec: spec.clone(), stack: Faults::new(build(spec, cells.as_ref(), now_ns)), cells })
    }

    /// When and how `io` completes if it arrives at `now_ns`, which never decreases from call to call.
    #[inline]
    pub fn submit(&mut self, io: &Io, now_ns: u64) -> Completion {
        self.stack.submit(io, Arrival::at(now_ns))
    }

    /// What there is to see at `now_ns`.
    pub fn report(&self, now_ns: u64) -> Report {
        let mut report = Report::default();
        self.stack.report(now_ns, &mut report);
        report
    }

    /// Begins a fault.
    pub fn inject(&mut self, fault: Fault, now_ns: u64) {
        self.stack.state.inject(fault, now_ns);
    }

    /// Nothing is to be answered before this time (a stall), whatever its deadline.
    pub fn stalled_until_ns(&self) -> u64 {
        self.stack.state.stalled_until_ns()
    }

    /// Becomes the volume of `spec` while in use: credits, levels of buckets, fetched chunks and faults stay. The layout
    /// of an array and its number of members cannot change, and a volume cannot shrink.
    pub fn modify(&mut self, spec: &VolumeSpec, now_ns: u64) -> Result<(), VolumeError> {
        spec.validate()?;
        if spec.array != self.spec.array {
            return Err(VolumeError::spec("the array of a volume in use cannot change; create another volume"));
        }
        if spec.size_bytes < self.spec.size_bytes {
            let (from, to) = (self.spec.size_bytes, spec.size_bytes);
            return Err(VolumeError::spec(format!("a volume in use cannot shrink, from {from} to {to} bytes")));
        }
        let mut saved = Saved::default();
        self.stack.save(now_ns, &mut saved);
        self.stack = Faults::new(build(spec, self.cells.as_ref(), now_ns));
        self.stack.restore(now_ns, &mut saved);
        self.spec = spec.clone();
        Ok(())
    }

    /// Buckets and credits as they were at the start; fetched chunks and faults stay. What an instance shares is left as
    /// it is, because it belongs to other volumes as well.
    pub fn restart(&mut self, now_ns: u64) {
        let mut saved = Saved::default();
        self.stack.save(now_ns, &mut saved);
        saved.buckets.clear();
        self.stack = Faults::new(build(&self.spec, self.cells.as_ref(), now_ns));
        self.stack.restore(now_ns, &mut saved);
    }

    /// What it is now.
    pub fn spec(&self) -> &VolumeSpec {
        &self.spec
    }
}

fn build(spec: &VolumeSpec, cells: Option<&Cells>, now_ns: u64) -> Box<dyn Layer> {
    let device = match spec.array {
        None => build_member(spec, "volume", 0, now_ns),
        Some(array) => {
            let members = (0..array.members).map(|m| build_member(spec, &format!("member{m}"), m, now_ns)).collect();
            Box::new(raid::Raid::new(array, members))
        }
    };
    let Some(instance) = &spec.instance else { return device };
    let limits = Limits {
        party: "instance",
        iops: instance.iops,
        throughput: instance.throughput,
        accounting: AccountingSpec { merge_min_bytes: 0, ..instance.accounting },
        time_scale: spec.time_scale,
        cells: cells.cloned(),
    };
    Box::new(Throttle::new(&limits, QueueOrder::Fifo, stream(spec.seed, Draw::Queue, u32::MAX), now_ns, device))
}

fn build_member(spec: &VolumeSpec, party: &str, member: u32, now_ns: u64) -> Box<dyn Layer> {
    let latency = Box::new(latency::Latency::new(spec, member));
    let touched = first_touch::FirstTouch::around(spec, member, now_ns, latency);
    let degraded = degradation::Degradation::around(spec, member, now_ns, touched);
    if spec.iops.is_none() && spec.throughput.is_none() {
        return degraded;
    }
    let limits = Limits {
        party,
        iops: spec.iops,
        throughput: spec.throughput,
        accounting: spec.accounting,
        time_scale: spec.time_scale,
        cells: None,
    };
    Box::new(Throttle::new(&limits, spec.queue, stream(spec.seed, Draw::Queue, member), now_ns, degraded))
}
