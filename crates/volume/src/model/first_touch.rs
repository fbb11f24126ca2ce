//! Volumes restored from a snapshot: the first operation on a chunk waits until it is fetched.

use plimsoll_core::random::Stream;

use super::latency::Sampler;
use super::layer::{Arrival, Completion, Io, Layer, OpKind, Report, Saved};
use super::touched::Touched;
use super::{Draw, stream};
use crate::spec::VolumeSpec;

/// Adds the fetch to first touches.
pub struct FirstTouch {
    touched: Touched,
    fetch: Sampler,
    /// Background initialisation, in chunks per nanosecond.
    chunks_per_ns: f64,
    started_ns: u64,
    /// Chunks below this one were fetched in the background.
    initialized: u64,
    chunks: u64,
    stream: Stream,
    next: Box<dyn Layer>,
}

impl FirstTouch {
    /// Around `next`, or `next` itself when the volume has no first touch.
    pub fn around(spec: &VolumeSpec, member: u32, now_ns: u64, next: Box<dyn Layer>) -> Box<dyn Layer> {
        let Some(touch) = spec.first_touch else { return next };
        let bytes_per_ns = touch.initialization_bytes_per_s as f64 / 1e9 * spec.time_scale;
        Box::new(Self {
            touched: Touched::new(touch.chunk_bytes, spec.size_bytes),
            fetch: Sampler::new(touch.latency),
            chunks_per_ns: bytes_per_ns / touch.chunk_bytes as f64,
            started_ns: now_ns,
            initialized: 0,
            chunks: spec.size_bytes.div_ceil(touch.chunk_bytes),
            stream: stream(spec.seed, Draw::Fetch, member),
            next,
        })
    }

    fn initialize(&mut self, now_ns: u64) {
        let reached = (now_ns.saturating_sub(self.started_ns) as f64 * self.chunks_per_ns) as u64;
        while self.initialized < reached.min(self.chunks) {
            self.touched.touch(self.initialized);
            self.initialized += 1;
        }
    }

    /// The longest fetch among the chunks of `io` that were not there yet; they are fetched side by side.
    fn fetch_ns(&mut self, io: &Io) -> u64 {
        let (first, last) =
            (io.offset / self.touched.chunk_bytes, (io.offset + io.bytes - 1) / self.touched.chunk_bytes);
        let mut longest_ns = 0;
        for chunk in first..=last.min(self.chunks - 1) {
            if self.touched.touch(chunk) {
                longest_ns = longest_ns.max(self.fetch.draw(&mut self.stream, 0));
            }
        }
        longest_ns
    }
}

impl Layer for FirstTouch {
    #[inline]
    fn submit(&mut self, io: &Io, arrival: Arrival) -> Completion {
        let completion = self.next.submit(io, arrival);
        if !matches!(io.kind, OpKind::Read | OpKind::Write) || io.bytes == 0 || self.touched.count == self.chunks {
            return completion;
        }
        self.initialize(arrival.now_ns);
        completion.later(self.fetch_ns(io))
    }

    fn report(&self, now_ns: u64, report: &mut Report) {
        let bytes = report.initialized_bytes.unwrap_or(0);
        report.initialized_bytes = Some(bytes + self.touched.count * self.touched.chunk_bytes);
        self.next.report(now_ns, report);
    }

    fn save(&mut self, now_ns: u64, saved: &mut Saved) {
        self.initialize(now_ns);
        saved.touched.push(self.touched.clone());
        self.next.save(now_ns, saved);
    }

    fn restore(&mut self, now_ns: u64, saved: &mut Saved) {
        if !saved.touched.is_empty() {
            let before = saved.touched.remove(0);
            if before.chunk_bytes == self.touched.chunk_bytes {
                self.touched.take_over(&before, self.chunks);
            }
        }
        self.next.restore(now_ns, saved);
    }
}
