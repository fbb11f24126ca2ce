//! Episodes in which a volume gives less than provisioned: fewer operations per second, each of them later.

use plimsoll_core::random::Stream;

use super::bucket::Bucket;
use super::layer::{Arrival, Completion, Io, Layer, OpKind, Report, Saved};
use super::{Draw, stream};
use crate::spec::{DegradationSpec, VolumeSpec};

const DAY_NS: f64 = 86_400e9;
/// A degraded volume has nothing saved up: its bucket holds this many seconds of its rate.
const DEPTH_S: f64 = 0.01;

/// Random episodes around the next layer.
pub struct Degradation {
    spec: DegradationSpec,
    unit_bytes: u64,
    /// Provisioned operations per second; without a limit only latency degrades.
    iops: Option<f64>,
    time_scale: f64,
    episode: Episode,
    stream: Stream,
    next: Box<dyn Layer>,
}

/// The current or the coming episode.
#[derive(Debug)]
struct Episode {
    start_ns: u64,
    end_ns: u64,
    latency_ns: u64,
    bucket: Option<Bucket>,
}

impl Degradation {
    /// Around `next`, or `next` itself when nothing ever degrades.
    pub fn around(spec: &VolumeSpec, member: u32, now_ns: u64, next: Box<dyn Layer>) -> Box<dyn Layer> {
        let Some(degradation) = spec.degradation.filter(|d| d.events_per_day > 0.0) else { return next };
        let mut layer = Self {
            spec: degradation,
            unit_bytes: spec.accounting.unit_bytes,
            iops: spec.iops.map(|limit| limit.rate as f64),
            time_scale: spec.time_scale,
            episode: Episode { start_ns: now_ns, end_ns: now_ns, latency_ns: 0, bucket: None },
            stream: stream(spec.seed, Draw::Episode, member),
            next,
        };
        layer.episode = layer.draw(now_ns);
        Box::new(layer)
    }

    /// The first episode that begins after `after_ns`.
    fn draw(&mut self, after_ns: u64) -> Episode {
        let mean_gap_ns = DAY_NS / self.spec.events_per_day / self.time_scale;
        let start_ns = after_ns + (self.stream.exponential() * mean_gap_ns) as u64;
        let spec = self.spec;
        let mut between = |low: f64, high: f64| low + (high - low) * self.stream.unit();
        let length_ns = between(spec.duration_min_ns as f64, spec.duration_max_ns as f64) / self.time_scale;
        let loss = between(spec.loss_min, spec.loss_max);
        let latency_ns = between(spec.latency_min_ns as f64, spec.latency_max_ns as f64) as u64;
        let bucket = self.iops.map(|iops| {
            let rate = (iops * (1.0 - loss)).max(1.0);
            Bucket::new(rate, (rate * DEPTH_S).max(1.0))
        });
        Episode { start_ns, end_ns: start_ns + length_ns as u64, latency_ns, bucket }
    }
}

impl Layer for Degradation {
    #[inline]
    fn submit(&mut self, io: &Io, arrival: Arrival) -> Completion {
        let completion = self.next.submit(io, arrival);
        if arrival.now_ns < self.episode.start_ns {
            return completion;
        }
        while arrival.now_ns >= self.episode.end_ns {
            self.episode = self.draw(self.episode.end_ns);
        }
        if arrival.now_ns < self.episode.start_ns || matches!(io.kind, OpKind::Flush | OpKind::Discard) {
            return completion;
        }
        let units = io.bytes.div_ceil(self.unit_bytes);
        let released_ns = self.episode.bucket.as_mut().map_or(0, |bucket| bucket.take(units, arrival.now_ns));
        completion.later(self.episode.latency_ns).not_before(released_ns)
    }

    fn report(&self, now_ns: u64, report: &mut Report) {
        report.degraded |= (self.episode.start_ns..self.episode.end_ns).contains(&now_ns);
        self.next.report(now_ns, report);
    }

    fn save(&mut self, now_ns: u64, saved: &mut Saved) {
        self.next.save(now_ns, saved);
    }

    fn restore(&mut self, now_ns: u64, saved: &mut Saved) {
        self.next.restore(now_ns, saved);
    }
}
