//! The limits of a volume or of an instance: an operation is charged to every bucket and done no earlier than the
//! slowest of them allows. The wait does not add to the service time: a throttled device works while it waits.

use plimsoll_core::random::Stream;

use super::accounting::{Accounting, Charge};
use super::bucket::Bucket;
use super::instance::Cells;
use super::layer::{Arrival, BucketReport, Completion, Io, Layer, OpKind, Report, Saved};
use super::unfair::Factors;
use crate::spec::{AccountingSpec, LimitSpec, QueueOrder};

/// What a bucket counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unit {
    Ops,
    Bytes,
}

/// One bucket with its name and its record.
#[derive(Debug)]
struct Limit {
    name: String,
    unit: Unit,
    bucket: Bucket,
    /// Tokens here are this many times smaller than the credits they stand for (`time_scale`).
    scale: f64,
    exceeded_ns: u64,
    /// End of the last wait, so that waits which overlap count once.
    exceeded_until_ns: u64,
}

/// Limits around the next layer.
pub struct Throttle {
    accounting: Accounting,
    limits: Vec<Limit>,
    queue: QueueOrder,
    factors: Factors,
    next: Box<dyn Layer>,
}

/// The limits of one party.
#[derive(Debug, Clone)]
pub struct Limits<'a> {
    /// Party in the names of the buckets: `volume`, `instance`, `member0`.
    pub party: &'a str,
    /// Operations per second.
    pub iops: Option<LimitSpec>,
    /// Bytes per second.
    pub throughput: Option<LimitSpec>,
    /// How both are counted.
    pub accounting: AccountingSpec,
    /// Credits and the depth last this many times shorter.
    pub time_scale: f64,
    /// Where the buckets are, when several volumes share them.
    pub cells: Option<Cells>,
}

impl Throttle {
    /// Puts limits around `next`. `draws` decides the order of an unfair queue.
    pub fn new(limits: &Limits, queue: QueueOrder, draws: Stream, now_ns: u64, next: Box<dyn Layer>) -> Self {
        let mut built = Vec::new();
        for (unit, what, spec) in [(Unit::Ops, "iops", limits.iops), (Unit::Bytes, "throughput", limits.throughput)] {
            let Some(spec) = spec else { continue };
            let place = if unit == Unit::Ops { 0 } else { 2 };
            let rate = spec.rate as f64;
            let bucket = |rate, depth, index| match &limits.cells {
                Some(cells) => Bucket::shared(rate, depth, cells.clone(), index),
                None => Bucket::new(rate, depth),
            };
            let name = format!("{}.{what}", limits.party);
            // The depth is a duration too; below 10 ms the jitter of arrivals would cost throughput.
            let depth_s = (spec.depth_s / limits.time_scale).max(spec.depth_s.min(0.01));
            let depth = (rate * depth_s).max(1.0);
            let mut stored = bucket(rate, depth, place);
            // What a shared bucket stores is a matter of all volumes of the instance.
            if limits.cells.is_none() {
                stored.set_tokens(depth * spec.initial, now_ns);
            }
            built.push(Limit::new(name.clone(), unit, stored, 1.0));
            if let Some(credits) = spec.credits {
                let depth = (credits.capacity as f64 / limits.time_scale).max(1.0);
                let mut bucket = bucket(credits.baseline as f64, depth, place + 1);
                bucket.start_with(depth * credits.initial, now_ns);
                built.push(Limit::new(name + "_credits", unit, bucket, limits.time_scale));
            }
        }
        Self {
            accounting: Accounting::new(limits.accounting),
            limits: built,
            queue,
            factors: Factors::new(draws),
            next,
        }
    }

    /// When the limits let an operation through that arrives at `now_ns`.
    #[inline]
    fn take(&mut self, charge: Charge, now_ns: u64) -> u64 {
        let mut released_ns = now_ns;
        let mut slowest = None;
        for (index, limit) in self.limits.iter_mut().enumerate() {
            let tokens = if limit.unit == Unit::Ops { charge.ops } else { charge.bytes };
            let start_ns = limit.bucket.take(tokens, now_ns);
            if start_ns > released_ns {
                released_ns = start_ns;
                slowest = Some(index);
            }
        }
        if let Some(index) = slowest {
            self.limits[index].waited(now_ns, released_ns);
        }
        released_ns
    }

    /// When an operation leaves the queue that the limits would let go at `released_ns`.
    #[inline]
    fn leave(&mut self, now_ns: u64, released_ns: u64) -> u64 {
        if self.queue == QueueOrder::Fifo || released_ns == now_ns {
            return released_ns;
        }
        now_ns + ((released_ns - now_ns) as f64 * self.factors.draw()) as u64
    }
}

impl Limit {
    fn new(name: String, unit: Unit, bucket: Bucket, scale: f64) -> Self {
        Self { name, unit, bucket, scale, exceeded_ns: 0, exceeded_until_ns: 0 }
    }

    #[inline]
    fn waited(&mut self, from_ns: u64, until_ns: u64) {
        self.exceeded_ns += until_ns.saturating_sub(from_ns.max(self.exceeded_until_ns));
        self.exceeded_until_ns = self.exceeded_until_ns.max(until_ns);
    }
}

impl Layer for Throttle {
    #[inline]
    fn submit(&mut self, io: &Io, arrival: Arrival) -> Completion {
        if matches!(io.kind, OpKind::Flush | OpKind::Discard) {
            return self.next.submit(io, arrival);
        }
        let charge = self.accounting.charge(io, arrival.now_ns);
        let released_ns = self.take(charge, arrival.now_ns);
        if released_ns > arrival.now_ns {
            self.accounting.leaves(io, released_ns);
        }
        let left_ns = self.leave(arrival.now_ns, released_ns);
        self.next.submit(io, arrival).not_before(left_ns)
    }

    fn report(&self, now_ns: u64, report: &mut Report) {
        report.buckets.extend(self.limits.iter().map(|limit| BucketReport {
            name: limit.name.clone(),
            tokens: limit.bucket.tokens(now_ns) * limit.scale,
            capacity: limit.bucket.capacity() * limit.scale,
            // Waits are booked when they begin; what lies ahead has not happened.
            exceeded_ns: limit.exceeded_ns - limit.exceeded_until_ns.saturating_sub(now_ns).min(limit.exceeded_ns),
        }));
        self.next.report(now_ns, report);
    }

    fn save(&mut self, now_ns: u64, saved: &mut Saved) {
        for limit in &self.limits {
            let state =
                (limit.bucket.tokens(now_ns) * limit.scale, limit.bucket.capacity() * limit.scale, limit.exceeded_ns);
            saved.buckets.insert(limit.name.clone(), state);
        }
        self.next.save(now_ns, saved);
    }

    fn restore(&mut self, now_ns: u64, saved: &mut Saved) {
        for limit in &mut self.limits {
            if let Some((tokens, capacity, exceeded_ns)) = saved.buckets.remove(&limit.name) {
                limit.exceeded_ns = exceeded_ns;
                // Credits are kept as they are; the one-second bucket keeps its level, so a larger rate is no burst.
                let held = if limit.name.ends_with("_credits") {
                    tokens / limit.scale
                } else {
                    tokens / capacity * limit.bucket.capacity()
                };
                limit.bucket.set_tokens(held, now_ns);
            }
        }
        self.next.restore(now_ns, saved);
    }
}
