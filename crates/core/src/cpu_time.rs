//! CPU time, context switches and page faults of the calling thread.

/// What a thread has used since it began.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Used {
    /// CPU time in our own code.
    pub user_ns: u64,
    /// CPU time in the kernel on our behalf.
    pub system_ns: u64,
    /// Voluntary and other.
    pub context_switches: u64,
    /// Page faults that had to wait for a device.
    pub major_faults: u64,
    /// All other page faults.
    pub minor_faults: u64,
}

impl Used {
    /// What was used since `earlier`.
    pub fn since(self, earlier: Self) -> Self {
        Self {
            user_ns: self.user_ns.saturating_sub(earlier.user_ns),
            system_ns: self.system_ns.saturating_sub(earlier.system_ns),
            context_switches: self.context_switches.saturating_sub(earlier.context_switches),
            major_faults: self.major_faults.saturating_sub(earlier.major_faults),
            minor_faults: self.minor_faults.saturating_sub(earlier.minor_faults),
        }
    }

    /// Both together.
    pub fn plus(self, more: Self) -> Self {
        Self {
            user_ns: self.user_ns + more.user_ns,
            system_ns: self.system_ns + more.system_ns,
            context_switches: self.context_switches + more.context_switches,
            major_faults: self.major_faults + more.major_faults,
            minor_faults: self.minor_faults + more.minor_faults,
        }
    }

    /// User and system time.
    pub fn cpu_ns(self) -> u64 {
        self.user_ns + self.system_ns
    }
}

/// CPU time as a share of what all processors that the process may use have in `span_ns`, 0…1.
pub fn share_of_processors(cpu_ns: u64, span_ns: u64) -> f64 {
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    (cpu_ns as f64 / (span_ns.max(1) as f64 * processors as f64)).min(1.0)
}

/// What the calling thread has used until now.
pub fn used() -> Used {
    // SAFETY: an all-zero rusage is valid, and the pointer lives through the call.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_THREAD, &mut usage);
        usage
    };
    let ns = |time: libc::timeval| time.tv_sec as u64 * 1_000_000_000 + time.tv_usec as u64 * 1000;
    let count = |number: libc::c_long| u64::try_from(number).unwrap_or(0);
    Used {
        user_ns: ns(usage.ru_utime),
        system_ns: ns(usage.ru_stime),
        context_switches: count(usage.ru_nvcsw) + count(usage.ru_nivcsw),
        major_faults: count(usage.ru_majflt),
        minor_faults: count(usage.ru_minflt),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_count_every_processor() {
        let processors = std::thread::available_parallelism().map_or(1, usize::from) as u64;
        assert_eq!([share_of_processors(0, 100), share_of_processors(100 * processors, 100)], [0.0, 1.0]);
        assert!((share_of_processors(50 * processors, 100) - 0.5).abs() < 1e-9);
        // The clocks of processors are read a moment after the span has ended.
        assert_eq!(
            [share_of_processors(101 * processors, 100), share_of_processors(1, 0)],
            [1.0, 1.0 / processors as f64]
        );
    }
}
