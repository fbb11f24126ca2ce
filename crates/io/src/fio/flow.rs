//! Jobs that keep a ratio: fio's `flow`. All jobs of this process with one number share a count.
//!
//! Source: fio 3.33, `flow.c`: a job whose part of all operations is more than its part of all weights waits.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use crate::spec::Flow;

/// By number. One that was of use stays until the next of its number begins: who comes later must know who has gone.
static SHARED: LazyLock<Mutex<HashMap<u64, Arc<Shared>>>> = LazyLock::new(Mutex::default);

#[derive(Debug, Default)]
struct Shared {
    operations: AtomicU64,
    weights: AtomicU64,
    /// Jobs that have begun to work, or have ended without.
    came: AtomicU64,
}

/// A job that is to take part, from its start to its end: until it begins to work, or has failed to, the others wait.
#[derive(Debug)]
pub struct Place {
    shared: Arc<Shared>,
    flow: Flow,
    came: AtomicBool,
}

impl Place {
    /// Of one job.
    pub fn take(flow: Flow) -> Self {
        let mut all = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
        let shared = all.entry(flow.id).or_default();
        if Arc::strong_count(shared) == 1 && shared.came.load(Ordering::Relaxed) >= flow.jobs {
            // All have come and gone.
            *shared = Arc::default();
        }
        Self { shared: Arc::clone(shared), flow, came: AtomicBool::new(false) }
    }

    /// Begins to work.
    pub fn sit(&self) -> Seat {
        self.shared.weights.fetch_add(u64::from(self.flow.weight), Ordering::Relaxed);
        self.come();
        Seat { shared: Arc::clone(&self.shared), flow: self.flow, own: 0 }
    }

    fn come(&self) {
        if !self.came.swap(true, Ordering::Relaxed) {
            self.shared.came.fetch_add(1, Ordering::Relaxed);
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.come();
    }
}

/// A job that works. Once it is dropped the others go on as if it had never been.
#[derive(Debug)]
pub struct Seat {
    shared: Arc<Shared>,
    flow: Flow,
    own: u64,
}

impl Seat {
    /// Whether it is the turn of this job.
    #[inline]
    pub fn may_go(&self) -> bool {
        let all = self.shared.operations.load(Ordering::Relaxed);
        // Who comes early waits for the others, as if they were there.
        let late = self.shared.came.load(Ordering::Relaxed) < self.flow.jobs;
        let there = self.shared.weights.load(Ordering::Relaxed);
        let weights = if late { there.max(self.flow.weights) } else { there };
        u128::from(self.own) * u128::from(weights) <= u128::from(self.flow.weight) * u128::from(all)
    }

    /// The job has issued an operation. What it was allowed and put off, because its block or its file was in use, does
    /// not count: it asks again.
    #[inline]
    pub fn went(&mut self) {
        self.shared.operations.fetch_add(1, Ordering::Relaxed);
        self.own += 1;
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

    fn flow(id: u64, weight: u32) -> Flow {
        Flow { id, weight, sleep_ns: 0, jobs: 2, weights: 4 }
    }

    fn goes(seat: &mut Seat) -> bool {
        let may = seat.may_go();
        if may {
            seat.went();
        }
        may
    }

    #[test]
    fn operations_keep_the_ratio_of_the_weights() {
        let places = [1, 3].map(|weight| Place::take(flow(0xf10, weight)));
        let mut early = places[1].sit();
        let ahead = (0..100).filter(|_| goes(&mut early)).count();
        assert_eq!(ahead, 1, "the other one has not come yet");
        let mut seats = [places[0].sit(), early];
        for _ in 0..4000 {
            seats.iter_mut().for_each(|seat| _ = goes(seat));
        }
        let [one, three] = seats.each_ref().map(|seat| seat.own as f64);
        assert!((three / one - 3.0).abs() < 0.01, "{one} {three}");
        drop((seats, places));
        let mut alone = Place::take(Flow { jobs: 1, ..flow(0xf10, 1) }).sit();
        assert!((0..100).all(|_| goes(&mut alone)), "nothing is left of those that have gone");
    }

    #[test]
    fn who_never_works_is_not_waited_for() {
        for order in [[true, false], [false, true]] {
            let mut works = None;
            for fails in order {
                let place = Place::take(flow(0xf11, 1));
                if !fails {
                    works = Some((place.sit(), place));
                }
            }
            let (mut seat, _place) = works.unwrap();
            assert!((0..100).all(|_| goes(&mut seat)), "{order:?}");
        }
    }
}
