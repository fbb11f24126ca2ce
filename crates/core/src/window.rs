//! The measured part of a job on the clock of all its threads.

/// When load and counting begin and end.
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
    /// Rates are over the time until all is back, not until nothing is started any more ([`Window::measured_ns`]).
    pub until_all_is_back: bool,
}

impl Window {
    /// Load begins at `begin_ns`: a warm-up, and then the measured part.
    pub fn new(begin_ns: u64, warmup_ns: u64, runtime_ns: u64, interval_ns: u64) -> Self {
        let measure_ns = begin_ns + warmup_ns;
        // A rest of less than half an interval belongs to the interval before.
        let intervals = ((runtime_ns as f64 / interval_ns as f64).round() as u64).max(1);
        let (last_interval, until_all_is_back) = (intervals - 1, warmup_ns == 0);
        Self { begin_ns, measure_ns, end_ns: measure_ns + runtime_ns, interval_ns, last_interval, until_all_is_back }
    }

    /// How long the measured time is if all was back `lasted_ns` after its beginning.
    ///
    /// What counts is what was started in it. After a warm-up that is as much as its time is worth, however long an
    /// operation takes: as many are under way at its beginning, and do not count, as at its end, and do. Waiting for the
    /// latter takes time in which nothing is started, and is no part of it. Without a warm-up the operations that fill the
    /// queue come on top, and with them the time that it takes to empty it again.
    pub fn measured_ns(&self, lasted_ns: u64) -> u64 {
        if self.until_all_is_back { lasted_ns } else { lasted_ns.min(self.end_ns - self.measure_ns) }
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

/// The part of `total` that belongs to thread `thread` of `threads`.
pub fn share(total: u64, thread: u32, threads: u32) -> u64 {
    let (thread, threads) = (u64::from(thread), u64::from(threads));
    total / threads + u64::from(thread < total % threads)
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
    fn after_a_warm_up_the_measured_time_ends_with_its_time() {
        let times = |window: Window| [0, 900, 1000, 1400].map(|lasted_ns| window.measured_ns(lasted_ns));
        assert_eq!(times(Window::new(100, 50, 1000, 1000)), [0, 900, 1000, 1000]);
        assert_eq!(times(Window::new(100, 0, 1000, 1000)), [0, 900, 1000, 1400]);
    }

    #[test]
    fn shares_sum_to_the_whole() {
        assert_eq!([0, 1, 2].map(|thread| share(11, thread, 3)), [4, 4, 3]);
        assert_eq!((0..7).map(|thread| share(3, thread, 7)).sum::<u64>(), 3);
    }
}
