//! What the parts of a model say to each other. A model is a stack of layers; each forwards to the next and adds its own
//! delay or refusal, so that a layer can be left out without the others knowing.

use std::collections::BTreeMap;

use serde::Serialize;

use super::fault_state::FaultState;
pub use super::operation::{Arrival, Completion, Io, OpKind, Outcome};
use super::touched::Touched;

/// One part of a model.
pub trait Layer: Send {
    /// When and how `io` completes. `arrival.now_ns` never decreases.
    fn submit(&mut self, io: &Io, arrival: Arrival) -> Completion;

    /// Adds what there is to see at `now_ns`, then asks the next layer.
    fn report(&self, now_ns: u64, report: &mut Report);

    /// Hands over what must survive a change of the volume, then asks the next layer.
    fn save(&mut self, now_ns: u64, saved: &mut Saved);

    /// Takes back what fits, then asks the next layer.
    fn restore(&mut self, now_ns: u64, saved: &mut Saved);
}

/// State of a model that users see.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Report {
    /// Every bucket, outermost first.
    pub buckets: Vec<BucketReport>,
    /// Bytes that were fetched so far on a volume with first touch, over all members.
    pub initialized_bytes: Option<u64>,
    /// A degradation episode is going on.
    pub degraded: bool,
    /// Until when operations are stalled by a fault.
    pub stalled_until_ns: u64,
}

/// One bucket.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BucketReport {
    /// `volume.iops`, `volume.iops_credits`, `instance.throughput`, …; members of an array as `member0.iops`.
    pub name: String,
    /// Held now, in operations or bytes.
    pub tokens: f64,
    /// At most.
    pub capacity: f64,
    /// Total time in which operations waited for this bucket.
    pub exceeded_ns: u64,
}

/// State on its way from one stack to the stack that replaces it.
#[derive(Debug, Default)]
pub struct Saved {
    /// By name: tokens, capacity, time exceeded.
    pub buckets: BTreeMap<String, (f64, f64, u64)>,
    /// By member.
    pub touched: Vec<Touched>,
    /// Faults that are going on.
    pub faults: Option<FaultState>,
}
