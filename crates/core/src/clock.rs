//! A clock cheap enough to be read once per batch of completions.
//!
//! On x86-64 with an invariant time stamp counter a reading is one instruction and a multiplication. The counter's rate
//! is measured against `CLOCK_MONOTONIC` from the first use in the process on, so the estimate gets better with time, and
//! [`Clock::discipline`], called once per interval, steers the reading back to `CLOCK_MONOTONIC` without ever going
//! backwards. A counter that turns out to disagree (a migrated virtual machine) is dropped for `CLOCK_MONOTONIC` itself.
//!
//! (The `quanta` crate reads the same counter but calibrates once and offers no way to check or correct it later.)

use std::sync::OnceLock;

/// Fractional bits of the rate.
const SHIFT: u32 = 32;
/// How long the first calibration takes.
const CALIBRATION_NS: u64 = 10_000_000;
/// A rate that moved by more than this share since the first calibration is not a rate.
const TOLERANCE: f64 = 1e-3;

/// Nanoseconds of `CLOCK_MONOTONIC`; each thread has its own copy.
#[derive(Debug, Clone)]
pub struct Clock {
    /// Absent: read `CLOCK_MONOTONIC` itself.
    counter: Option<Scale>,
}

/// A line through the last anchor: `ns = base_ns + (ticks - base_ticks) * rate / 2³²`.
#[derive(Debug, Clone, Copy)]
struct Scale {
    base_ticks: u64,
    base_ns: u64,
    rate: u64,
}

/// The first pair of readings in this process, and the rate found right after it.
#[derive(Debug, Clone, Copy)]
struct Origin {
    ticks: u64,
    ns: u64,
    ns_per_tick: f64,
}

impl Clock {
    /// A calibrated clock. The first call in a process takes about 10 ms.
    pub fn new() -> Self {
        let Some(origin) = origin() else { return Self { counter: None } };
        let (ticks, ns) = pair();
        let mut clock =
            Self { counter: Some(Scale { base_ticks: ticks, base_ns: ns, rate: fixed_point(origin.ns_per_tick) }) };
        clock.discipline(1_000_000_000);
        clock
    }

    /// Nanoseconds since the same origin as `CLOCK_MONOTONIC`.
    #[inline(always)]
    pub fn now_ns(&self) -> u64 {
        match self.counter {
            Some(scale) => scale.at(ticks()),
            None => monotonic_ns(),
        }
    }

    /// Compares with `CLOCK_MONOTONIC` and steers so that the difference is gone after `interval_ns`. Returns the
    /// difference found, in nanoseconds.
    pub fn discipline(&mut self, interval_ns: u64) -> i64 {
        let (Some(scale), Some(origin)) = (self.counter, origin()) else { return 0 };
        let (ticks, ns) = pair();
        let reading = scale.at(ticks);
        let off_ns = reading as i64 - ns as i64;
        let (span_ticks, span_ns) = (ticks.wrapping_sub(origin.ticks), ns - origin.ns);
        // Below the length of the first calibration a new estimate would be worse than the old one.
        let rate = if span_ns > CALIBRATION_NS { span_ns as f64 / span_ticks as f64 } else { origin.ns_per_tick };
        if (rate / origin.ns_per_tick - 1.0).abs() > TOLERANCE {
            self.counter = None;
            return off_ns;
        }
        // At most 0.1 % faster or slower, so that latencies stay true while the clock is steered.
        let steer = (off_ns as f64 / interval_ns.max(1) as f64).clamp(-TOLERANCE, TOLERANCE);
        self.counter = Some(Scale { base_ticks: ticks, base_ns: reading, rate: fixed_point(rate * (1.0 - steer)) });
        off_ns
    }

    /// `tsc` or `monotonic`.
    pub fn name(&self) -> &'static str {
        if self.counter.is_some() { "tsc" } else { "monotonic" }
    }
}

impl Default for Clock {
    fn default() -> Self {
        Self::new()
    }
}

impl Scale {
    #[inline(always)]
    fn at(self, ticks: u64) -> u64 {
        // A counter read on another core may be a few ticks behind the anchor.
        let elapsed = ticks.saturating_sub(self.base_ticks);
        self.base_ns + ((u128::from(elapsed) * u128::from(self.rate)) >> SHIFT) as u64
    }
}

fn fixed_point(ns_per_tick: f64) -> u64 {
    (ns_per_tick * (1u64 << SHIFT) as f64).round() as u64
}

/// `CLOCK_MONOTONIC` in nanoseconds.
#[inline]
pub fn monotonic_ns() -> u64 {
    read_clock(libc::CLOCK_MONOTONIC)
}

/// Wall clock, nanoseconds since 1970.
pub fn wall_ns() -> u64 {
    read_clock(libc::CLOCK_REALTIME)
}

#[inline]
fn read_clock(id: libc::clockid_t) -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is a valid timespec; both clock ids exist on every Linux, so the call cannot fail.
    unsafe { libc::clock_gettime(id, &mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

fn origin() -> Option<Origin> {
    static ORIGIN: OnceLock<Option<Origin>> = OnceLock::new();
    *ORIGIN.get_or_init(|| {
        if !counter_is_invariant() {
            return None;
        }
        let (ticks, ns) = pair();
        let mut end = pair();
        while end.1 - ns < CALIBRATION_NS {
            std::thread::sleep(std::time::Duration::from_millis(2));
            end = pair();
        }
        let span = end.0.wrapping_sub(ticks);
        (span > 0).then(|| Origin { ticks, ns, ns_per_tick: (end.1 - ns) as f64 / span as f64 })
    })
}

/// One reading of both clocks, taken as close together as a few tries allow.
fn pair() -> (u64, u64) {
    let mut best = (u64::MAX, 0, 0);
    for _ in 0..5 {
        let before = ticks();
        let ns = monotonic_ns();
        let width = ticks().saturating_sub(before);
        if width <= best.0 {
            best = (width, before + width / 2, ns);
        }
    }
    (best.1, best.2)
}

#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn ticks() -> u64 {
    // SAFETY: RDTSC has no preconditions; `counter_is_invariant` made sure that it is meaningful.
    unsafe { core::arch::x86_64::_rdtsc() }
}

#[cfg(target_arch = "x86_64")]
fn counter_is_invariant() -> bool {
    use core::arch::x86_64::__cpuid;
    // Leaf 0x80000007, EDX bit 8: the counter runs at one rate in all power states.
    __cpuid(0x8000_0000).eax >= 0x8000_0007 && __cpuid(0x8000_0007).edx & (1 << 8) != 0
}

#[cfg(not(target_arch = "x86_64"))]
fn ticks() -> u64 {
    monotonic_ns()
}

#[cfg(not(target_arch = "x86_64"))]
fn counter_is_invariant() -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn follows_the_monotonic_clock_and_never_goes_back() {
        let mut clock = Clock::new();
        let mut last = clock.now_ns();
        for _ in 0..20 {
            std::thread::sleep(std::time::Duration::from_millis(2));
            clock.discipline(10_000_000);
            for _ in 0..1000 {
                let now = clock.now_ns();
                assert!(now >= last);
                last = now;
            }
        }
        let before = monotonic_ns();
        let now = clock.now_ns();
        let after = monotonic_ns();
        // Far above the error of a good calibration, far below one of a wrong rate.
        assert!(now + 100_000 >= before && now <= after + 100_000, "{before} {now} {after}");
    }

    #[test]
    fn steering_removes_an_offset() {
        let mut clock = Clock::new();
        let Some(scale) = clock.counter.as_mut() else { return };
        scale.base_ns += 300_000;
        let off_ns = clock.discipline(1_000_000_000);
        assert!(off_ns > 200_000, "{off_ns}");
        let (scale, origin) = (clock.counter.unwrap(), origin().unwrap());
        let reading = scale.at(scale.base_ticks + (1e9 / origin.ns_per_tick) as u64);
        let right = scale.base_ns + 1_000_000_000 - off_ns as u64;
        assert!(reading.abs_diff(right) < 60_000, "{reading} {right}");
    }

    #[test]
    fn a_wrong_counter_is_dropped() {
        let mut clock = Clock::new();
        let Some(origin) = origin() else { return };
        assert!((origin.ns_per_tick - 1.0).abs() < 0.99);
        clock.counter = None;
        assert_eq!(clock.name(), "monotonic");
        let (before, now, after) = (monotonic_ns(), clock.now_ns(), monotonic_ns());
        assert!(before <= now && now <= after);
    }
}
