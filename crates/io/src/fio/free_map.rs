//! Which blocks are still to come, with a fast way to the next one.

/// One bit per block, set once it is used; above each level one bit per word, set once all of its bits are.
#[derive(Debug, Clone)]
pub struct FreeMap {
    blocks: u64,
    levels: Vec<Vec<u64>>,
}

const BITS: u64 = u64::BITS as u64;

impl FreeMap {
    /// All free.
    pub fn new(blocks: u64) -> Self {
        let mut made = Self { blocks, levels: Vec::new() };
        let mut count = blocks;
        loop {
            let words = count.div_ceil(BITS).max(1);
            made.levels.push(vec![0; words as usize]);
            if words == 1 {
                break;
            }
            count = words;
        }
        made.clear();
        made
    }

    /// All are free again.
    pub fn clear(&mut self) {
        let mut count = self.blocks;
        for level in &mut self.levels {
            level.fill(0);
            // Bits behind the last block are never free.
            let rest = count % BITS;
            if let Some(last) = level.last_mut().filter(|_| rest > 0 || count == 0) {
                *last = u64::MAX << rest;
            }
            count = level.len() as u64;
        }
    }

    /// The first free block from `from` on, else from the beginning; none when all are used.
    pub fn next(&self, from: u64) -> Option<u64> {
        self.free_from(from).or_else(|| self.free_from(0))
    }

    fn free_from(&self, from: u64) -> Option<u64> {
        let mut at = from;
        for (height, level) in self.levels.iter().enumerate() {
            let word = (at / BITS) as usize;
            let free = level.get(word).map_or(0, |bits| !bits & (u64::MAX << (at % BITS)));
            if free != 0 {
                let mut found = word as u64 * BITS + u64::from(free.trailing_zeros());
                for below in self.levels[..height].iter().rev() {
                    found = found * BITS + u64::from((!below[found as usize]).trailing_zeros());
                }
                return Some(found);
            }
            at = word as u64 + 1;
        }
        None
    }

    /// Uses a free block and those behind it, `count` at most, up to the next that is used; returns how many.
    pub fn take(&mut self, first: u64, count: u64) -> u64 {
        let end = (first + count).min(self.blocks);
        let mut at = first;
        while at < end && self.levels[0][(at / BITS) as usize] & (1 << (at % BITS)) == 0 {
            self.mark(at);
            at += 1;
        }
        at - first
    }

    fn mark(&mut self, block: u64) {
        let mut at = block;
        for level in &mut self.levels {
            let word = &mut level[(at / BITS) as usize];
            *word |= 1 << (at % BITS);
            if *word != u64::MAX {
                break;
            }
            at /= BITS;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn it_is_what_a_plain_list_is(blocks in 1u64..10_000, steps in prop::collection::vec((any::<u64>(), 1u64..200), 1..200)) {
            let (mut map, mut plain) = (FreeMap::new(blocks), vec![false; blocks as usize]);
            for (number, count) in steps {
                let from = number % blocks;
                let expected = (from..blocks).chain(0..from).find(|&block| !plain[block as usize]);
                prop_assert_eq!(map.next(from), expected);
                let Some(first) = expected else { break };
                let run = (first..(first + count).min(blocks)).take_while(|&block| !plain[block as usize]).count() as u64;
                prop_assert_eq!(map.take(first, count), run);
                plain[first as usize..(first + run) as usize].fill(true);
            }
            map.clear();
            prop_assert_eq!(map.take(0, blocks), blocks);
            prop_assert_eq!(map.next(0), None);
        }
    }
}
