//! Jobs that keep a ratio: fio's `flow`. All jobs of this process with one number share a count.
//!
//! Source: fio 3.33, `flow.c`: a job whose part of all operations is more than its part of all weights waits.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, Mutex, PoisonError, Weak};

use plimsoll_core::spec::Flow;

static SHARED: LazyLock<Mutex<HashMap<u64, Weak<Shared>>>> = LazyLock::new(Mutex::default);

#[derive(Debug, Default)]
struct Shared {
    operations: AtomicU64,
    weights: AtomicU64,
    /// Jobs that have come, also those that have gone.
    joined: AtomicU64,
}

/// The part of one job. Once it is dropped the others go on as if it had never been.
#[derive(Debug)]
pub struct Seat {
    shared: Arc<Shared>,
    flow: Flow,
    own: u64,
}

impl Seat {
    /// Joins the others.
    pub fn take(flow: Flow) -> Self {
        let mut all = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|_, shared| shared.strong_count() > 0);
        let shared = all.get(&flow.id).and_then(Weak::upgrade).unwrap_or_default();
        all.insert(flow.id, Arc::downgrade(&shared));
        shared.weights.fetch_add(u64::from(flow.weight), Ordering::Relaxed);
        shared.joined.fetch_add(1, Ordering::Relaxed);
        Self { shared, flow, own: 0 }
    }

    /// Whether it is the turn of this job; if so, the operation counts.
    #[inline]
    pub fn may_go(&mut self) -> bool {
        let all = self.shared.operations.load(Ordering::Relaxed);
        // Who comes early waits for the others, as if they were there.
        let late = self.shared.joined.load(Ordering::Relaxed) < self.flow.jobs;
        let there = self.shared.weights.load(Ordering::Relaxed);
        let weights = if late { there.max(self.flow.weights) } else { there };
        if u128::from(self.own) * u128::from(weights) > u128::from(self.flow.weight) * u128::from(all) {
            return false;
        }
        self.shared.operations.fetch_add(1, Ordering::Relaxed);
        self.own += 1;
        true
    }

    /// What a job that is ahead waits before it looks again.
    pub fn sleep_ns(&self) -> u64 {
        self.flow.sleep_ns
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.shared.operations.fetch_sub(self.own, Ordering::Relaxed);
        self.shared.weights.fetch_sub(u64::from(self.flow.weight), Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_keep_the_ratio_of_the_weights() {
        let flow = |weight| Flow { id: 0xf10, weight, sleep_ns: 0, jobs: 2, weights: 4 };
        let mut early = Seat::take(flow(3));
        let ahead = (0..100).filter(|_| early.may_go()).count();
        assert_eq!(ahead, 1, "the other one has not come yet");
        let mut seats = [Seat::take(flow(1)), early];
        for _ in 0..4000 {
            seats.iter_mut().for_each(|seat| _ = seat.may_go());
        }
        let [one, three] = seats.each_ref().map(|seat| seat.own as f64);
        assert!((three / one - 3.0).abs() < 0.01, "{one} {three}");
        drop(seats);
        let mut alone = Seat::take(Flow { jobs: 1, ..flow(1) });
        assert!((0..100).all(|_| alone.may_go()), "nothing is left of those that have gone");
    }
}
