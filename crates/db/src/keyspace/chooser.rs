//! Which record an operation asks for: YCSB's request distributions.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use plimsoll_core::clock::wall_ns;
use plimsoll_core::random::{Stream, mix64};

use super::{Acknowledged, ScrambledZipfian, Zipfian};
use crate::spec::{Request, Ycsb};

/// Draws that may miss before the newest record is taken instead. With YCSB's own settings a miss happens at most about
/// every second time; a key space that is mostly empty must not become an endless loop.
const TRIES: u32 = 10_000;

/// What all clients share.
#[derive(Debug)]
pub struct Shared {
    /// Records that are there.
    pub records: Acknowledged,
    /// Position of `sequential`.
    sequence: AtomicU64,
    /// Another number for every run. Values follow from it, keys and kinds do not: repeated runs ask for the same, and
    /// yet write something new. MySQL and MariaDB leave out an update with the value that is there, commit and all.
    pub run: u64,
}

impl Shared {
    /// With `records` in the table.
    pub fn new(records: u64) -> Self {
        Self { records: Acknowledged::new(records), sequence: AtomicU64::new(0), run: mix64(wall_ns()) }
    }
}

#[derive(Debug, Clone)]
enum Choice {
    Uniform { first: u64, count: u64 },
    Zipfian(ScrambledZipfian),
    Latest(Zipfian),
    Hotspot { first: u64, hot: u64, cold: u64, operations: f64 },
    Sequential { first: u64, count: u64 },
    Exponential { gamma: f64 },
}

/// Chooses existing records.
#[derive(Debug, Clone)]
pub struct Chooser {
    kind: Choice,
    shared: Arc<Shared>,
}

impl Chooser {
    /// As the workload says; `operations` are expected.
    pub fn new(ycsb: &Ycsb, operations: u64, shared: Arc<Shared>) -> Self {
        let first = ycsb.insert_start;
        let count = ycsb.keys();
        let kind = match ycsb.request {
            Request::Uniform => Choice::Uniform { first, count },
            Request::Zipfian { theta } => {
                let expected = (operations as f64 * ycsb.insert_share() * 2.0) as u64;
                Choice::Zipfian(ScrambledZipfian::new(first, first + count + expected, theta))
            }
            Request::Latest { theta } => Choice::Latest(Zipfian::new(shared.records.limit().max(2) - 1, theta)),
            Request::Hotspot { data, operations } => {
                let hot = (count as f64 * data) as u64;
                Choice::Hotspot { first, hot: hot.max(1), cold: count - hot, operations }
            }
            Request::Sequential => Choice::Sequential { first, count },
            Request::Exponential { percentile, share } => {
                let range = ycsb.records as f64 * share;
                Choice::Exponential { gamma: -(1.0 - percentile / 100.0).ln() / range }
            }
        };
        Self { kind, shared }
    }

    /// Draws do not depend on when they happen, as long as nothing is inserted: what was drawn and never used is missed by
    /// nobody.
    pub fn is_steady(&self) -> bool {
        !matches!(self.kind, Choice::Sequential { .. })
    }

    /// The next few records at once, which takes less time than one after the other. The same ones.
    #[inline]
    pub fn draw_each<const N: usize>(&mut self, stream: &mut Stream) -> [u64; N] {
        if let Choice::Zipfian(zipfian) = &self.kind {
            let (before, end) = (stream.clone(), self.shared.records.limit().max(1));
            let numbers = zipfian.at_each(std::array::from_fn(|_| stream.unit()));
            if numbers.iter().all(|&number| number < end) {
                return numbers;
            }
            *stream = before;
        }
        std::array::from_fn(|_| self.draw(stream))
    }

    /// Number of a record that is there.
    #[inline]
    pub fn draw(&mut self, stream: &mut Stream) -> u64 {
        let last = self.shared.records.limit().saturating_sub(1);
        for _ in 0..TRIES {
            let number = match &mut self.kind {
                Choice::Uniform { first, count } => *first + stream.below(*count),
                Choice::Zipfian(zipfian) => zipfian.at(stream.unit()),
                Choice::Latest(zipfian) => last.saturating_sub(zipfian.at_grown(stream.unit(), last)),
                Choice::Hotspot { first, hot, cold, operations } => {
                    if *cold == 0 || stream.unit() < *operations {
                        *first + stream.below(*hot)
                    } else {
                        *first + *hot + stream.below(*cold)
                    }
                }
                Choice::Sequential { first, count } => {
                    *first + self.shared.sequence.fetch_add(1, Ordering::Relaxed) % *count
                }
                Choice::Exponential { gamma } => {
                    let back = -(1.0 - stream.unit()).ln() / *gamma;
                    if back > last as f64 {
                        continue;
                    }
                    last - back as u64
                }
            };
            if number <= last {
                return number;
            }
        }
        last
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::tests::workload_a;
    use plimsoll_core::random::Purpose;

    fn counts(request: Request, records: u64, draws: u32) -> Vec<u32> {
        let ycsb = Ycsb { records, request, ..workload_a() };
        let mut chooser = Chooser::new(&ycsb, 0, Arc::new(Shared::new(records)));
        let mut stream = Stream::new(1, 0, Purpose::Offset);
        let mut counts = vec![0; records as usize];
        (0..draws).for_each(|_| counts[chooser.draw(&mut stream) as usize] += 1);
        counts
    }

    #[test]
    fn uniform_and_sequential_are_flat() {
        assert_eq!(counts(Request::Sequential, 100, 1000), vec![10; 100]);
        let uniform = counts(Request::Uniform, 100, 100_000);
        let chi_square: f64 = uniform.iter().map(|&c| (f64::from(c) - 1000.0).powi(2) / 1000.0).sum();
        assert!((60.0..149.0).contains(&chi_square), "{chi_square}");
    }

    #[test]
    fn hotspot_gives_its_share() {
        let counts = counts(Request::Hotspot { data: 0.2, operations: 0.8 }, 1000, 100_000);
        let hot: u32 = counts[..200].iter().sum();
        assert!((79_000..81_000).contains(&hot), "{hot}");
        assert!(counts[200..].iter().all(|&c| c > 0));
    }

    #[test]
    fn latest_asks_for_the_newest_and_follows_inserts() {
        let counts = counts(Request::Latest { theta: 0.99 }, 1000, 100_000);
        assert!(counts[999] > 10_000, "{}", counts[999]);
        assert_eq!(counts[0], 0, "YCSB never asks for record 0");
        let ycsb = Ycsb { records: 1000, request: Request::Latest { theta: 0.99 }, ..workload_a() };
        let shared = Arc::new(Shared::new(1000));
        let mut chooser = Chooser::new(&ycsb, 0, Arc::clone(&shared));
        (0..500).for_each(|_| shared.records.acknowledge(shared.records.next()));
        let mut stream = Stream::new(2, 0, Purpose::Offset);
        let newest = (0..10_000).filter(|_| chooser.draw(&mut stream) == 1499).count();
        assert!(newest > 1000, "{newest}");
    }

    #[test]
    fn exponential_leaves_its_percentile_to_the_newest() {
        let counts = counts(Request::Exponential { percentile: 95.0, share: 0.5 }, 10_000, 100_000);
        let newest: u32 = counts[5000..].iter().sum();
        // 95 % of the unbounded law, among the 99.75 % that fall on a record.
        assert!((94_700..95_800).contains(&newest), "{newest}");
    }

    #[test]
    fn records_that_are_not_there_are_never_asked_for() {
        let mut ycsb = workload_a();
        (ycsb.records, ycsb.insert, ycsb.read, ycsb.update) = (1000, 0.5, 0.5, 0.0);
        let mut chooser = Chooser::new(&ycsb, 10_000, Arc::new(Shared::new(1000)));
        let mut stream = Stream::new(3, 0, Purpose::Offset);
        assert!((0..10_000).all(|_| chooser.draw(&mut stream) < 1000));
    }
}
