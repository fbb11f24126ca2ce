//! Writes that wait to be read back: their places and lengths, in the order that fio reads them.

use std::collections::VecDeque;

use crate::spec::{Distribution, JobSpec};

use crate::bits::Bits;
use crate::engine::OpKind;
use crate::region::{Next, slice};

/// One entry for each write that was not read back. In a job of passes nothing here allocates once it is made.
#[derive(Debug)]
pub struct Written {
    base: u64,
    unit: u64,
    order: Order,
}

#[derive(Debug)]
enum Order {
    /// As they were written, with first block and blocks of each: in a pass no block comes twice.
    Listed(VecDeque<(u32, u32)>),
    /// By place.
    Sorted(Sorted),
}

/// A write that was written over, even in part, is forgotten.
#[derive(Debug)]
struct Sorted {
    /// On where a write begins.
    begins: Bits,
    /// Blocks of the write that begins there; empty where all have as many.
    lengths: Vec<u32>,
    /// Blocks of the longest.
    longest: u32,
    /// None begins before.
    first: usize,
    count: usize,
}

/// Writes that the limits of a job leave room for.
fn most_writes(spec: &JobSpec) -> usize {
    let bytes = spec.max_bytes.map_or(u64::MAX, |bytes| bytes.div_ceil(spec.smallest_block()));
    bytes.min(spec.max_operations.unwrap_or(u64::MAX)) as usize
}

impl Written {
    /// For the writes of one thread.
    pub fn new(spec: &JobSpec, thread: u32) -> Self {
        let (unit, (base, size)) = (spec.smallest_block(), slice(spec, thread));
        let blocks = size.div_ceil(unit) as usize;
        let once =
            spec.mode.is_random() && spec.distribution == Distribution::Once && spec.write_distribution.is_none();
        let order = if once || spec.passes.is_none() {
            Order::Listed(VecDeque::with_capacity(blocks.min(most_writes(spec))))
        } else {
            let longest = (spec.largest_block() / unit) as u32;
            let lengths = if longest > 1 { vec![0; blocks] } else { Vec::new() };
            Order::Sorted(Sorted { begins: Bits::new(blocks), lengths, longest, first: 0, count: 0 })
        };
        Self { base, unit, order }
    }

    /// Writes that wait.
    pub fn len(&self) -> usize {
        match &self.order {
            Order::Listed(list) => list.len(),
            Order::Sorted(sorted) => sorted.count,
        }
    }

    /// A write is done.
    pub fn add(&mut self, offset: u64, length: u32) {
        let (first, blocks) = (((offset - self.base) / self.unit) as u32, length.div_ceil(self.unit as u32));
        match &mut self.order {
            Order::Listed(list) => list.push_back((first, blocks)),
            Order::Sorted(sorted) => sorted.add(first as usize, blocks),
        }
    }

    /// The one to read back next.
    pub fn first(&mut self) -> Option<Next> {
        let (first, blocks) = match &mut self.order {
            Order::Listed(list) => *list.front()?,
            Order::Sorted(sorted) => sorted.first()?,
        };
        let (offset, length) = (self.base + u64::from(first) * self.unit, blocks * self.unit as u32);
        Some(Next { kind: OpKind::Read, offset, length })
    }

    /// The first one is read.
    pub fn pop(&mut self) {
        match &mut self.order {
            Order::Listed(list) => drop(list.pop_front()),
            Order::Sorted(sorted) => sorted.pop(),
        }
    }
}

impl Sorted {
    fn blocks(&self, place: usize) -> u32 {
        self.lengths.get(place).copied().unwrap_or(1)
    }

    fn add(&mut self, place: usize, blocks: u32) {
        let mut at = place.saturating_sub(self.longest as usize - 1);
        while let Some(other) = self.begins.next(at).filter(|&other| other < place + blocks as usize) {
            if other + self.blocks(other) as usize > place {
                self.begins.set(other, false);
                self.count -= 1;
            }
            at = other + 1;
        }
        self.begins.set(place, true);
        if let Some(length) = self.lengths.get_mut(place) {
            *length = blocks;
        }
        self.count += 1;
        self.first = self.first.min(place);
    }

    fn first(&mut self) -> Option<(u32, u32)> {
        let place = self.begins.next(self.first)?;
        self.first = place;
        Some((place as u32, self.blocks(place)))
    }

    fn pop(&mut self) {
        if let Some((place, _)) = self.first() {
            self.begins.set(place as usize, false);
            self.count -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pattern::tests::spec;
    use crate::spec::{Mode, Passes};
    use proptest::prelude::*;

    fn all(written: &mut Written) -> Vec<(u64, u32)> {
        let mut found = Vec::new();
        while let Some(next) = written.first() {
            written.pop();
            found.push((next.offset / 4096, next.length / 4096));
        }
        assert_eq!(written.len(), 0);
        found
    }

    #[test]
    fn the_order_is_that_of_fio() {
        // Writes and reads of fio 3.33 with bssplit=4k/50:8k/50, with norandommap and without.
        let writes = [(0, 1), (5, 2), (6, 2), (3, 1), (3, 2), (6, 1), (3, 2), (2, 1), (7, 1)];
        let mut spec = spec(Mode::Randwrite, &[4096, 8192], 0, 8 * 4096, 1);
        spec.passes = Some(Passes { least: Some(1), bytes: 0, ends: false, again: true, read_back: true });
        let found = |spec: &JobSpec| {
            let mut written = Written::new(spec, 0);
            writes.iter().for_each(|&(block, blocks)| written.add(block * 4096, blocks * 4096));
            all(&mut written)
        };
        assert_eq!(found(&spec), writes);
        spec.distribution = Distribution::Uniform;
        assert_eq!(found(&spec), [(0, 1), (2, 1), (3, 2), (6, 1), (7, 1)]);
    }

    proptest! {
        #[test]
        fn what_is_sorted_never_overlaps_and_ends_with_the_last_write(
            writes in prop::collection::vec((0u64..60, 1u32..=4), 1..80), pops in 0usize..5,
        ) {
            let mut spec = spec(Mode::Randwrite, &[4096, 4 * 4096], 0, 64 * 4096, 1);
            spec.distribution = Distribution::Uniform;
            spec.passes = Some(Passes { least: Some(1), bytes: 0, ends: false, again: true, read_back: true });
            let mut written = Written::new(&spec, 0);
            let (last, before) = writes.split_last().unwrap();
            before.iter().for_each(|&(block, blocks)| written.add(block * 4096, blocks * 4096));
            (0..pops).for_each(|_| written.pop());
            written.add(last.0 * 4096, last.1 * 4096);
            let count = written.len();
            let found = all(&mut written);
            prop_assert_eq!(found.len(), count);
            prop_assert!(found.contains(last));
            prop_assert!(found.windows(2).all(|pair| pair[0].0 + u64::from(pair[0].1) <= pair[1].0));
        }
    }
}
