//! Operations in flight, in the order in which they end.

use std::collections::VecDeque;

use crate::model::layer::Kind;

/// One operation in flight.
#[derive(Debug, Clone, Copy)]
pub struct Waiting {
    pub deadline_ns: u64,
    /// From when its latency counts.
    pub since_ns: u64,
    pub bytes: u64,
    pub kind: Kind,
    pub failed: bool,
}

/// A sorted queue. Under a limit, operations end in the order in which they come, so a new one nearly always belongs at
/// the end; that beats a heap, and for depths of storage the moves otherwise are short.
#[derive(Debug)]
pub struct Pending {
    sorted: VecDeque<Waiting>,
    depth: usize,
}

impl Pending {
    /// Room for `depth` operations.
    pub fn new(depth: usize) -> Self {
        Self { sorted: VecDeque::with_capacity(depth), depth }
    }

    #[inline]
    pub fn is_full(&self) -> bool {
        self.sorted.len() >= self.depth
    }

    pub fn len(&self) -> usize {
        self.sorted.len()
    }

    /// When the first one ends; never, if there is none.
    #[inline]
    pub fn earliest_ns(&self) -> u64 {
        self.sorted.front().map_or(u64::MAX, |first| first.deadline_ns)
    }

    /// Adds one; among equal deadlines the older goes first.
    #[inline]
    pub fn push(&mut self, waiting: Waiting) {
        if self.sorted.back().is_none_or(|last| last.deadline_ns <= waiting.deadline_ns) {
            self.sorted.push_back(waiting);
        } else {
            let place = self.sorted.partition_point(|other| other.deadline_ns <= waiting.deadline_ns);
            self.sorted.insert(place, waiting);
        }
    }

    /// Takes the first one. There is one: callers ask [`earliest_ns`](Self::earliest_ns) or [`is_full`](Self::is_full).
    #[inline]
    pub fn pop(&mut self) -> Waiting {
        match self.sorted.pop_front() {
            Some(first) => first,
            None => unreachable!("asked for the first of no operations"),
        }
    }
}
