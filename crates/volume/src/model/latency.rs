//! The innermost layer: how long an operation takes when nothing is in its way.

use plimsoll_core::random::Stream;

use super::layer::{Arrival, Completion, Io, Layer, OpKind, Report, Saved};
use super::normal;
use super::quantiles::{Place, Quantiles, SPARE_BITS};
use super::{Draw, stream};
use crate::spec::{LatencySpec, VolumeSpec};

/// Draws from a [`LatencySpec`] with one 64-bit random number and, nearly always, one multiplication.
#[derive(Debug, Clone)]
pub struct Sampler {
    spec: LatencySpec,
    body_ns: Quantiles,
    tail_below: u64,
    ns_per_byte: f64,
}

impl Sampler {
    /// Prepares the table.
    pub fn new(spec: LatencySpec) -> Self {
        let body_ns = if spec.sigma == 0.0 {
            Quantiles::new(|_| bounded(&spec, spec.median_ns as f64))
        } else {
            Quantiles::new(|p| body(&spec, p))
        };
        let tail_below = (spec.tail_share * f64::from(1u32 << SPARE_BITS)).round() as u64;
        let ns_per_byte = if spec.bytes_per_s == 0 { 0.0 } else { 1e9 / spec.bytes_per_s as f64 };
        Self { spec, body_ns, tail_below, ns_per_byte }
    }

    /// One latency for an operation of `bytes`.
    #[inline]
    pub fn draw(&self, stream: &mut Stream, bytes: u64) -> u64 {
        let bits = stream.bits();
        let place = Place::of(bits);
        // What the table leaves over of the number decides between body and tail.
        let service_ns = if bits & ((1 << SPARE_BITS) - 1) < self.tail_below {
            tail(&self.spec, place.share())
        } else if place.is_outermost() && self.spec.sigma > 0.0 {
            body(&self.spec, place.share())
        } else {
            self.body_ns.at(place)
        };
        (service_ns + bytes as f64 * self.ns_per_byte) as u64
    }
}

fn body(spec: &LatencySpec, p: f64) -> f64 {
    log_normal(spec, spec.median_ns, spec.sigma, p)
}

fn tail(spec: &LatencySpec, p: f64) -> f64 {
    log_normal(spec, spec.tail_median_ns, spec.tail_sigma, p)
}

fn log_normal(spec: &LatencySpec, median_ns: u64, sigma: f64, p: f64) -> f64 {
    // One draw in 2^38 would ask for the quantile of 0.
    let z = normal::quantile(p.clamp(1e-12, 1.0 - 1e-12));
    bounded(spec, median_ns as f64 * (sigma * z).exp())
}

fn bounded(spec: &LatencySpec, ns: f64) -> f64 {
    let max = if spec.max_ns == 0 { f64::INFINITY } else { spec.max_ns as f64 };
    ns.clamp(spec.floor_ns as f64, max)
}

/// Service times of reads, writes and flushes.
#[derive(Debug)]
pub struct Latency {
    read: Sampler,
    write: Sampler,
    flush_ns: u64,
    stream: Stream,
}

impl Latency {
    /// The service times of member `member`.
    pub fn new(spec: &VolumeSpec, member: u32) -> Self {
        Self {
            read: Sampler::new(spec.read_latency),
            write: Sampler::new(spec.write_latency),
            flush_ns: spec.flush_latency_ns,
            stream: stream(spec.seed, Draw::Latency, member),
        }
    }
}

impl Layer for Latency {
    #[inline]
    fn submit(&mut self, io: &Io, arrival: Arrival) -> Completion {
        let service_ns = match io.kind {
            OpKind::Read => self.read.draw(&mut self.stream, io.bytes),
            OpKind::Write => self.write.draw(&mut self.stream, io.bytes),
            OpKind::Discard => self.write.draw(&mut self.stream, 0),
            OpKind::Flush => self.flush_ns,
        };
        Completion::done(arrival.ready_ns + service_ns)
    }

    fn report(&self, _now_ns: u64, _report: &mut Report) {}

    fn save(&mut self, _now_ns: u64, _saved: &mut Saved) {}

    fn restore(&mut self, _now_ns: u64, _saved: &mut Saved) {}
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::quantiles::PIECES;

    fn quantiles<const N: usize>(spec: LatencySpec, at: [f64; N]) -> [f64; N] {
        let sampler = Sampler::new(spec);
        let mut stream = stream(3, Draw::Latency, 0);
        let mut draws: Vec<u64> = (0..400_000).map(|_| sampler.draw(&mut stream, 4096)).collect();
        draws.sort_unstable();
        at.map(|p| draws[(p * draws.len() as f64) as usize] as f64)
    }

    fn spec(floor_ns: u64, median_ns: u64, sigma: f64) -> LatencySpec {
        LatencySpec {
            floor_ns,
            median_ns,
            sigma,
            tail_share: 0.0,
            tail_median_ns: 0,
            tail_sigma: 0.0,
            max_ns: 0,
            bytes_per_s: 0,
        }
    }

    /// io2, 4 KiB synchronous writes at depth 1, c8a.xlarge, 2026-09-14: p50 300, p90 393, p99 517 µs.
    #[test]
    fn reproduces_the_measured_io2_percentiles() {
        let [p50, p90, p99] = quantiles(spec(0, 299_800, 0.234), [0.5, 0.9, 0.99]);
        for (got, measured) in [(p50, 299_800.0), (p90, 393_100.0), (p99, 517_000.0)] {
            assert!((got / measured - 1.0).abs() < 0.04, "{got} {measured}");
        }
    }

    /// i8g instance store, the same study: p50 11.3, p99 17.3, p99.9 109.9 µs; 0.3 % of the writes take about 110 µs.
    #[test]
    fn reproduces_a_rare_tail() {
        let tail =
            LatencySpec { tail_share: 0.003, tail_median_ns: 110_000, tail_sigma: 0.05, ..spec(0, 11_300, 0.18) };
        let [p50, p99, p999] = quantiles(tail, [0.5, 0.99, 0.999]);
        assert!((p50 / 11_300.0 - 1.0).abs() < 0.01, "{p50}");
        assert!((p99 / 17_300.0 - 1.0).abs() < 0.06, "{p99}");
        assert!((p999 / 109_900.0 - 1.0).abs() < 0.06, "{p999}");
    }

    #[test]
    fn floor_maximum_transfer_and_constants_hold() {
        let bounds = LatencySpec { max_ns: 400_000, ..spec(250_000, 300_000, 0.5) };
        let [low, high] = quantiles(bounds, [0.0, 0.999_999]);
        assert_eq!((low, high), (250_000.0, 400_000.0));
        assert_eq!(quantiles(spec(0, 70_000, 0.0), [0.0, 0.999]), [70_000.0; 2]);
        let transfer = LatencySpec { bytes_per_s: 4_096_000, ..spec(0, 70_000, 0.0) };
        assert_eq!(quantiles(transfer, [0.5]), [1_070_000.0]);
    }

    #[test]
    fn the_table_is_as_good_as_the_formula() {
        let sampler = Sampler::new(spec(0, 1_000_000, 0.8));
        for i in 1..PIECES - 1 {
            let middle = sampler.body_ns.at(Place::of((2 * i as u64 + 1) << (63 - PIECES.trailing_zeros())));
            let exact = body(&sampler.spec, (i as f64 + 0.5) / PIECES as f64);
            assert!((middle / exact - 1.0).abs() < 0.02, "{i}: {middle} {exact}");
        }
    }
}
