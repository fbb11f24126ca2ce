//! YCSB's `AcknowledgedCounterGenerator`: numbers of inserted records, and up to where all of them are there.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Inserts that may be ahead of the oldest unfinished one.
const WINDOW: usize = 1 << 20;

/// Shared by all clients; nobody ever waits.
#[derive(Debug)]
pub struct Acknowledged {
    next: AtomicU64,
    /// All numbers below are acknowledged.
    limit: AtomicU64,
    advancing: AtomicBool,
    window: Box<[AtomicBool]>,
}

impl Acknowledged {
    /// All numbers below `first` are there.
    pub fn new(first: u64) -> Self {
        let window = (0..WINDOW).map(|_| AtomicBool::new(false)).collect();
        Self { next: AtomicU64::new(first), limit: AtomicU64::new(first), advancing: AtomicBool::new(false), window }
    }

    /// Number of a record to insert.
    pub fn next(&self) -> u64 {
        self.next.fetch_add(1, Ordering::Relaxed)
    }

    /// The insert of record `number` is over. (YCSB counts a failed insert as there, too: it would hold up all others.)
    pub fn acknowledge(&self, number: u64) {
        self.window[number as usize % WINDOW].store(true, Ordering::Release);
        if self.advancing.swap(true, Ordering::Acquire) {
            // Somebody else is at it; what they miss, the next one finds.
            return;
        }
        let mut limit = self.limit.load(Ordering::Relaxed);
        while self.window[limit as usize % WINDOW].swap(false, Ordering::AcqRel) {
            limit += 1;
        }
        self.limit.store(limit, Ordering::Release);
        self.advancing.store(false, Ordering::Release);
    }

    /// All records below this number are there.
    #[inline]
    pub fn limit(&self) -> u64 {
        self.limit.load(Ordering::Acquire)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_is_the_gapless_prefix() {
        let records = Acknowledged::new(10);
        assert_eq!((records.next(), records.next(), records.next()), (10, 11, 12));
        records.acknowledge(11);
        assert_eq!(records.limit(), 10);
        records.acknowledge(10);
        assert_eq!(records.limit(), 12);
        records.acknowledge(12);
        assert_eq!(records.limit(), 13);
    }

    #[test]
    fn threads_lose_nothing() {
        let records = Acknowledged::new(0);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| (0..25_000).for_each(|_| records.acknowledge(records.next())));
            }
        });
        // One more acknowledgement sweeps up what the last racing ones left.
        records.acknowledge(records.next());
        assert_eq!(records.limit(), 100_001);
    }
}
