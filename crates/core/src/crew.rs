//! What the threads of a job and the one that leads them have in common: the time line, what is handed over, the sum.

use std::sync::mpsc::{Receiver, Sender};

use crate::clock::{Clock, monotonic_ns};
use crate::outcome::{CpuUse, Outcome, SoFar};
use crate::timeline::{Batch, Timeline};
use crate::usage::{Used, share_of_processors, used};

/// The measured part of a job, on the clock of all threads.
#[derive(Debug, Clone, Copy)]
pub struct Window {
    /// Load begins.
    pub begin_ns: u64,
    /// Counting begins.
    pub measure_ns: u64,
    /// Nothing is started from here on.
    pub end_ns: u64,
    /// Length of an interval; the last one lasts to the end.
    pub interval_ns: u64,
    /// Number of the last interval.
    pub last_interval: u64,
}

impl Window {
    /// Load begins at `begin_ns`: a warm-up, and then the measured part.
    pub fn new(begin_ns: u64, warmup_ns: u64, runtime_ns: u64, interval_ns: u64) -> Self {
        let measure_ns = begin_ns + warmup_ns;
        // A rest of less than half an interval belongs to the interval before.
        let intervals = ((runtime_ns as f64 / interval_ns as f64).round() as u64).max(1);
        Self { begin_ns, measure_ns, end_ns: measure_ns + runtime_ns, interval_ns, last_interval: intervals - 1 }
    }

    /// The interval at `now`.
    pub fn interval_at(&self, now: u64) -> u64 {
        (now.saturating_sub(self.measure_ns) / self.interval_ns).min(self.last_interval)
    }

    /// When interval `index` is over; the last one never is.
    pub fn end_of(&self, index: u64) -> u64 {
        if index < self.last_interval {
            self.measure_ns.saturating_add((index + 1).saturating_mul(self.interval_ns))
        } else {
            u64::MAX
        }
    }
}

/// One interval of one thread, on its way to the time line.
#[derive(Debug)]
pub struct Delivery<B> {
    /// Number of the interval.
    pub index: u64,
    /// Comes back emptied.
    pub batch: Box<B>,
}

impl<B> Delivery<B> {
    /// Swaps a full batch for an empty one. Nothing when nobody takes it any more: then the job is over and the counts no
    /// longer matter.
    pub fn swap(index: u64, batch: &mut Box<B>, emptied: &Receiver<Box<B>>) -> Option<Self> {
        // Every batch comes back, so this waits only when the leader is two intervals behind.
        let empty = emptied.recv().ok()?;
        Some(Self { index, batch: std::mem::replace(batch, empty) })
    }
}

/// The leader's ends of the channels to one thread.
#[derive(Debug)]
pub struct Line<B> {
    /// Starts it; dropping this ends it.
    pub go: Sender<Window>,
    /// Emptied batches.
    pub emptied: Sender<Box<B>>,
}

/// What a thread says when it has ended.
#[derive(Debug, Clone, Copy, Default)]
pub struct Report {
    /// When its last operation was over.
    pub end_ns: u64,
    /// Over the measured part.
    pub used: Used,
    /// Operations that the schedule asked for, open loop only.
    pub offered: u64,
    /// `tsc` or `monotonic`.
    pub clock: &'static str,
}

impl Report {
    /// The thread ends at `now`; `since` holds what it had used before the measured part, if it came to that.
    pub fn close(&mut self, now: u64, since: Option<Used>, clock: &Clock) {
        self.end_ns = now;
        self.used = since.map_or(Used::default(), |since| used().since(since));
        self.clock = clock.name();
    }
}

/// The part of `total` that belongs to thread `thread` of `threads`.
pub fn share(total: u64, thread: u32, threads: u32) -> u64 {
    let (thread, threads) = (u64::from(thread), u64::from(threads));
    total / threads + u64::from(thread < total % threads)
}

/// Puts what the threads counted and said into the outcome. A thread without a report never came back.
pub fn sum_up<B: Batch>(
    outcome: &mut Outcome,
    timeline: &mut Timeline<B>,
    window: &Window,
    reports: &[Option<Report>],
    scheduled: bool,
) {
    let back: Vec<&Report> = reports.iter().flatten().collect();
    // A thread that never came back was measured until now.
    let last = if back.len() == reports.len() { back.iter().map(|report| report.end_ns).max() } else { None };
    let end_ns = last.unwrap_or_else(monotonic_ns);
    let elapsed_ns = end_ns.saturating_sub(window.measure_ns);
    outcome.elapsed_ns = elapsed_ns;
    outcome.phases.warmup_ns = (window.measure_ns - window.begin_ns).min(end_ns.saturating_sub(window.begin_ns));
    outcome.phases.measure_ns = elapsed_ns;
    outcome.operations = timeline.totals();
    outcome.histograms = timeline.total().histograms();
    outcome.latency_sums_ns = timeline.total().latency_sums_ns();
    outcome.intervals = if elapsed_ns > 0 { timeline.intervals(elapsed_ns, window.last_interval) } else { Vec::new() };
    outcome.interval_histograms = timeline.interval_histograms();
    outcome.mean_in_flight = timeline.total().in_flight_ns() as f64 / elapsed_ns.max(1) as f64;
    let threads: Vec<Used> = back.iter().map(|report| report.used).collect();
    outcome.cpu = cpu_use(&threads, elapsed_ns);
    outcome.offered_operations = scheduled.then(|| back.iter().map(|report| report.offered).sum());
    let steady = back.iter().all(|report| report.clock == "tsc") && !back.is_empty();
    outcome.clock = if steady { "tsc" } else { "monotonic" }.to_owned();
}

/// What was measured until the end of the last complete interval; `threads` had used so much by then.
pub fn so_far<B: Batch>(timeline: &Timeline<B>, threads: &[Used]) -> SoFar {
    let elapsed_ns = timeline.closed_ns();
    SoFar {
        elapsed_ns,
        operations: timeline.totals(),
        histograms: timeline.total().histograms(),
        latency_sums_ns: timeline.total().latency_sums_ns(),
        cpu: cpu_use(threads, elapsed_ns),
        mean_in_flight: timeline.total().in_flight_ns() as f64 / elapsed_ns.max(1) as f64,
    }
}

/// All threads together, over `span_ns`.
fn cpu_use(threads: &[Used], span_ns: u64) -> CpuUse {
    let sum = |of: fn(&Used) -> u64| threads.iter().map(of).sum::<u64>();
    let busiest_ns = threads.iter().map(|used| used.cpu_ns()).max().unwrap_or(0);
    CpuUse {
        user_ns: sum(|used| used.user_ns),
        system_ns: sum(|used| used.system_ns),
        context_switches: sum(|used| used.context_switches),
        major_faults: sum(|used| used.major_faults),
        minor_faults: sum(|used| used.minor_faults),
        busiest_thread: (busiest_ns as f64 / span_ns.max(1) as f64).min(1.0),
        all_processors: share_of_processors(sum(|used| used.cpu_ns()), span_ns),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_rest_belongs_to_the_interval_before() {
        let window = Window::new(100, 50, 2400, 1000);
        assert_eq!((window.measure_ns, window.end_ns, window.last_interval), (150, 2550, 1));
        assert_eq!(Window::new(100, 50, 2600, 1000).last_interval, 2);
        assert_eq!([0, 149, 1149, 1150, 9000].map(|now| window.interval_at(now)), [0, 0, 0, 1, 1]);
        assert_eq!([window.end_of(0), window.end_of(1)], [1150, u64::MAX]);
    }

    #[test]
    fn shares_sum_to_the_whole() {
        assert_eq!([0, 1, 2].map(|thread| share(11, thread, 3)), [4, 4, 3]);
        assert_eq!((0..7).map(|thread| share(3, thread, 7)).sum::<u64>(), 3);
    }
}
