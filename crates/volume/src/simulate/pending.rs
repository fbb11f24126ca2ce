//! Operations in flight, in the order in which they end.

use crate::model::layer::OpKind;

/// One operation in flight.
#[derive(Debug, Clone, Copy)]
pub struct Waiting {
    pub deadline_ns: u64,
    /// From when its latency counts.
    pub since_ns: u64,
    pub bytes: u64,
    pub kind: OpKind,
    pub failed: bool,
}

/// Operations that a new one is compared with one by one, from the last; further ones are halved.
const NEAR: usize = 64;

/// A sorted queue. Under a limit, operations end in the order in which they come, so a new one nearly always belongs at
/// the end, and in an unfair queue near it; that beats a heap, and for depths of storage the moves are short.
#[derive(Debug)]
pub struct Pending {
    /// Deadline and slot; sorted from `first` on. What is before has been taken.
    sorted: Vec<(u64, u32)>,
    first: usize,
    slots: Vec<Waiting>,
    free: Vec<u32>,
    depth: usize,
}

impl Pending {
    /// Room for `depth` operations.
    pub fn new(depth: usize) -> Self {
        let idle = Waiting { deadline_ns: 0, since_ns: 0, bytes: 0, kind: OpKind::Read, failed: false };
        Self {
            sorted: Vec::with_capacity(2 * depth),
            first: 0,
            slots: vec![idle; depth],
            free: (0..depth as u32).rev().collect(),
            depth,
        }
    }

    #[inline]
    pub fn is_full(&self) -> bool {
        self.len() >= self.depth
    }

    #[inline]
    pub fn len(&self) -> usize {
        self.sorted.len() - self.first
    }

    /// When the first one ends; never, if there is none.
    #[inline]
    pub fn earliest_ns(&self) -> u64 {
        self.sorted.get(self.first).map_or(u64::MAX, |&(deadline_ns, _)| deadline_ns)
    }

    /// Adds one, for which there is room; among equal deadlines the older goes first.
    #[inline]
    pub fn push(&mut self, waiting: Waiting) {
        let Some(slot) = self.free.pop() else { unreachable!("callers ask whether it is full") };
        self.slots[slot as usize] = waiting;
        if self.sorted.len() == self.sorted.capacity() {
            self.sorted.drain(..self.first);
            self.first = 0;
        }
        let mut at = self.sorted.len();
        self.sorted.push((waiting.deadline_ns, slot));
        let near = at.saturating_sub(NEAR).max(self.first);
        while at > near && self.sorted[at - 1].0 > waiting.deadline_ns {
            self.sorted[at] = self.sorted[at - 1];
            at -= 1;
        }
        if at == near && at > self.first {
            let place = self.sorted[self.first..at].partition_point(|other| other.0 <= waiting.deadline_ns);
            self.sorted.copy_within(self.first + place..at, self.first + place + 1);
            at = self.first + place;
        }
        self.sorted[at] = (waiting.deadline_ns, slot);
    }

    /// Takes the first one. There is one: callers ask [`earliest_ns`](Self::earliest_ns) or [`is_full`](Self::is_full).
    #[inline]
    pub fn pop(&mut self) -> Waiting {
        let Some(&(_, slot)) = self.sorted.get(self.first) else {
            unreachable!("asked for the first of no operations")
        };
        self.first += 1;
        self.free.push(slot);
        self.slots[slot as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// As a stable sort would have it, whatever the order of additions and removals.
        #[test]
        fn operations_leave_in_the_order_of_their_deadlines(
            steps in proptest::collection::vec((0u64..300, proptest::bool::ANY), 1..600), depth in 1usize..200,
        ) {
            let mut pending = Pending::new(depth);
            let mut model: Vec<(u64, u64)> = Vec::new();
            for (number, (deadline_ns, taken)) in (0..).zip(steps) {
                if pending.is_full() || taken && pending.len() > 0 {
                    let (deadline_ns, since_ns) = model.remove(0);
                    prop_assert_eq!(pending.earliest_ns(), deadline_ns);
                    prop_assert_eq!(pending.pop().since_ns, since_ns);
                }
                pending.push(Waiting { deadline_ns, since_ns: number, bytes: 1, kind: OpKind::Read, failed: false });
                let place = model.partition_point(|other| other.0 <= deadline_ns);
                model.insert(place, (deadline_ns, number));
                prop_assert_eq!(pending.len(), model.len());
            }
        }
    }
}
