//! One device's part of a trace.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use serde::Serialize;

use crate::trace::event::{Event, OpKind, UNKNOWN};
use crate::trace::profile::reuse::{Absorbed, Reuse};
use crate::trace::profile::spread::Spread;

/// Six weeks: no longer trace is profiled.
pub const MOST_SECONDS: u64 = 6 * 7 * 24 * 3600;
/// So many I/Os in flight are followed.
const MOST_IN_FLIGHT: usize = 1 << 16;
/// Streams that are followed at once.
const STREAMS: usize = 16;
/// Sizes that are counted one by one; beyond them, up to the next power of two.
const MOST_SIZES: usize = 1024;
const SECOND_NS: u64 = 1_000_000_000;

/// What happened in one second.
#[derive(Debug, Clone, Copy, Default)]
struct Second {
    reads: u32,
    writes: u32,
    read_bytes: u64,
    write_bytes: u64,
    waited_s: f32,
}

/// Everything that is known of one device, while I/Os arrive in order.
#[derive(Default)]
pub struct Device {
    seconds: Vec<Second>,
    others: [u64; 2],
    sizes: [BTreeMap<u32, u64>; 2],
    latency: [Spread; 2],
    flights: Flights,
    places: Places,
    processes: BTreeMap<u16, [u64; 2]>,
    reuse: Reuse,
    extent: u64,
}

impl Device {
    /// Adds an I/O; false for one that is too late for a profile.
    pub fn add(&mut self, event: &Event) -> bool {
        let second = event.arrival_ns / SECOND_NS;
        if second >= MOST_SECONDS {
            return false;
        }
        let kind = match event.kind {
            OpKind::Read => 0,
            OpKind::Write => 1,
            OpKind::Trim | OpKind::Flush => {
                self.others[usize::from(event.kind == OpKind::Flush)] += 1;
                return true;
            }
        };
        self.count(second as usize, kind, event);
        let process = self.processes.entry(event.process).or_default();
        process[0] += 1;
        process[1] += u64::from(event.bytes);
        let sizes = &mut self.sizes[kind];
        let known = sizes.len() < MOST_SIZES || sizes.contains_key(&event.bytes);
        let size = if known { event.bytes } else { event.bytes.checked_next_power_of_two().unwrap_or(u32::MAX) };
        *sizes.entry(size).or_default() += 1;
        if event.latency_ns != UNKNOWN {
            self.latency[kind].add(event.latency_ns);
        }
        self.flights.add(event);
        self.places.add(event);
        self.reuse.touch(event.offset, event.bytes, kind == 0);
        self.extent = self.extent.max(event.offset.saturating_add(u64::from(event.bytes)));
        true
    }

    fn count(&mut self, second: usize, kind: usize, event: &Event) {
        if self.seconds.len() <= second {
            self.seconds.resize(second + 1, Second::default());
        }
        let sums = &mut self.seconds[second];
        let (count, bytes) = match kind {
            0 => (&mut sums.reads, &mut sums.read_bytes),
            _ => (&mut sums.writes, &mut sums.write_bytes),
        };
        *count = count.saturating_add(1);
        *bytes = bytes.saturating_add(u64::from(event.bytes));
        if event.latency_ns != UNKNOWN {
            sums.waited_s += event.latency_ns as f32 / SECOND_NS as f32;
        }
    }

    /// What was found.
    pub fn profile(&self) -> Profile {
        let column = |of: fn(&Second) -> f64| self.seconds.iter().map(of).collect();
        let timed: u64 = self.latency.iter().map(Spread::total).sum();
        let count: u64 = self.processes.values().map(|sums| sums[0]).sum();
        Profile {
            reads: column(|second| f64::from(second.reads)),
            writes: column(|second| f64::from(second.writes)),
            read_bytes: column(|second| second.read_bytes as f64),
            write_bytes: column(|second| second.write_bytes as f64),
            waited_s: column(|second| f64::from(second.waited_s)),
            trims: self.others[0],
            flushes: self.others[1],
            timed,
            sizes: self.sizes.clone().map(|sizes| sizes.into_iter().collect()),
            latency_ns: [0, 1].map(|kind| quantiles(&self.latency[kind])),
            depth: quantiles(&self.flights.depth),
            think_ns: quantiles(&self.flights.think),
            too_deep: self.flights.too_deep,
            sequential: self.places.sequential as f64 / count.max(1) as f64,
            seek_bytes: quantiles(&self.places.seeks),
            processes: self.processes.iter().map(|(process, sums)| (*process, sums[0], sums[1])).collect(),
            touched_bytes: self.reuse.touched_bytes(),
            touched_error: self.reuse.touched_error(),
            extent: self.extent,
            absorbed: self.reuse.absorbed(),
        }
    }
}

/// Mean, median, 99th percentile and highest; `None` of nothing.
type Quantiles = Option<(f64, u64, u64, u64)>;

fn quantiles(spread: &Spread) -> Quantiles {
    Some((spread.mean()?, spread.quantile(0.5)?, spread.quantile(0.99)?, spread.highest()))
}

/// A device's part of a trace; shares from 0 to 1, columns by second.
#[derive(Debug, Clone, Serialize)]
#[allow(missing_docs, reason = "each is what its name says")]
pub struct Profile {
    pub reads: Vec<f64>,
    pub writes: Vec<f64>,
    pub read_bytes: Vec<f64>,
    pub write_bytes: Vec<f64>,
    pub waited_s: Vec<f64>,
    pub trims: u64,
    pub flushes: u64,
    /// Reads and writes with a latency.
    pub timed: u64,
    /// Of reads and of writes: bytes and how many.
    pub sizes: [Vec<(u32, u64)>; 2],
    /// Of reads and of writes.
    pub latency_ns: [Quantiles; 2],
    /// In flight when an I/O arrives, itself included.
    pub depth: Quantiles,
    /// From when nothing is in flight to the next arrival.
    pub think_ns: Quantiles,
    /// Whether more were in flight than are followed.
    pub too_deep: bool,
    /// I/Os that begin where one of the last streams ended.
    pub sequential: f64,
    /// Between the end of an I/O and the beginning of the next one, where these differ.
    pub seek_bytes: Quantiles,
    /// Number of the process, its I/Os and their bytes.
    pub processes: Vec<(u16, u64, u64)>,
    pub touched_bytes: f64,
    pub touched_error: f64,
    /// Behind the last byte that was read or written.
    pub extent: u64,
    pub absorbed: Vec<Absorbed>,
}

/// What is in flight.
#[derive(Default)]
struct Flights {
    ends: BinaryHeap<Reverse<u64>>,
    last_end_ns: u64,
    depth: Spread,
    think: Spread,
    too_deep: bool,
}

impl Flights {
    fn add(&mut self, event: &Event) {
        if event.latency_ns == UNKNOWN {
            return;
        }
        let mut ended = false;
        while self.ends.peek().is_some_and(|end| end.0 <= event.arrival_ns) {
            if let Some(Reverse(end)) = self.ends.pop() {
                self.last_end_ns = end;
                ended = true;
            }
        }
        if ended && self.ends.is_empty() {
            self.think.add(event.arrival_ns - self.last_end_ns);
        }
        if self.ends.len() < MOST_IN_FLIGHT {
            self.ends.push(Reverse(event.arrival_ns.saturating_add(event.latency_ns)));
        } else {
            self.too_deep = true;
        }
        self.depth.add(self.ends.len() as u64);
    }
}

/// Where I/Os go.
#[derive(Default)]
struct Places {
    streams: [Option<(OpKind, u64)>; STREAMS],
    oldest: usize,
    last_end: Option<u64>,
    sequential: u64,
    seeks: Spread,
}

impl Places {
    fn add(&mut self, event: &Event) {
        let wanted = Some((event.kind, event.offset));
        let ended = Some((event.kind, event.end()));
        if let Some(stream) = self.streams.iter_mut().find(|stream| **stream == wanted) {
            *stream = ended;
            self.sequential += 1;
        } else {
            self.streams[self.oldest] = ended;
            self.oldest = (self.oldest + 1) % STREAMS;
        }
        if let Some(distance) = self.last_end.map(|end| end.abs_diff(event.offset)).filter(|distance| *distance > 0) {
            self.seeks.add(distance);
        }
        self.last_end = Some(event.end());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(arrival_ns: u64, latency_ns: u64, offset: u64) -> Event {
        Event {
            arrival_ns,
            issue_ns: UNKNOWN,
            latency_ns,
            kind: OpKind::Read,
            offset,
            bytes: 4096,
            device: 0,
            process: 0,
        }
    }

    fn of(events: impl Iterator<Item = Event>) -> Profile {
        let mut device = Device::default();
        events.for_each(|event| assert!(device.add(&event)));
        device.profile()
    }

    #[test]
    fn one_at_a_time_with_pauses() {
        let found = of((0..100).map(|i| read(i * 1_000, 600, i * 4096)));
        assert_eq!(found.depth, Some((1.0, 1, 1, 1)));
        assert_eq!(found.think_ns.map(|think| (think.0, think.3)), Some((400.0, 400)));
        assert_eq!((found.sequential, found.seek_bytes), (0.99, None));
        assert_eq!((found.touched_bytes, found.touched_error), (409_600.0, 0.0));
        assert_eq!(found.absorbed.len(), 1);
        assert_eq!(found.absorbed[0].share, 0.0);
    }

    #[test]
    fn four_at_a_time_on_two_streams() {
        let found = of((0..100).map(|i| read(i * 1_000, 4_000, (i % 2) * (1 << 30) + (i / 2) * 4096)));
        assert_eq!(found.depth.map(|depth| depth.3), Some(4));
        assert_eq!(found.think_ns, None);
        assert_eq!(found.sequential, 0.98);
        assert!(found.seek_bytes.is_some_and(|seeks| seeks.1 > 1 << 29));
    }

    #[test]
    fn without_latencies_there_is_no_depth() {
        let found = of((0..10).map(|i| read(i * SECOND_NS, UNKNOWN, 0)));
        assert_eq!((found.depth, found.think_ns, found.timed), (None, None, 0));
        assert_eq!(found.reads, vec![1.0; 10]);
        assert_eq!(found.absorbed[0].share, 0.9);
    }

    #[test]
    fn later_than_six_weeks_is_refused() {
        assert!(!Device::default().add(&read(MOST_SECONDS * SECOND_NS, 1, 0)));
    }
}
