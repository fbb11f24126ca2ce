//! What all threads of a job counted and used, as its outcome tells it.

use crate::clock::monotonic_ns;
use crate::cpu_time::{Used, share_of_processors};
use crate::outcome::{CpuUse, Outcome, SoFar};
use crate::pool::Report;
use crate::timeline::{Batch, Timeline};
use crate::window::Window;

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
    let lasted_ns = end_ns.saturating_sub(window.measure_ns);
    let counted_ns = timeline.counted_ns(lasted_ns);
    let elapsed_ns = window.measured_ns(counted_ns);
    outcome.elapsed_ns = elapsed_ns;
    outcome.phases.warmup_ns = (window.measure_ns - window.begin_ns).min(end_ns.saturating_sub(window.begin_ns));
    outcome.phases.measure_ns = lasted_ns;
    outcome.operations = timeline.totals();
    outcome.discarded = timeline.total().discarded();
    outcome.histograms = timeline.total().histograms();
    outcome.latency_sums_ns = timeline.total().latency_sums_ns();
    outcome.intervals = if elapsed_ns > 0 { timeline.intervals(lasted_ns, window.last_interval) } else { Vec::new() };
    outcome.interval_histograms = timeline.interval_histograms();
    outcome.mean_in_flight = timeline.total().in_flight_ns() as f64 / elapsed_ns.max(1) as f64;
    let threads: Vec<Used> = back.iter().map(|report| report.used).collect();
    outcome.cpu = cpu_use(&threads, counted_ns);
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
