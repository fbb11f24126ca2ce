//! How soon blocks are read again, from a sample of the blocks: what a cache beside those that the trace has already
//! passed would absorb.
//!
//! A block is in the sample if a hash of its number is below a threshold (SHARDS). The threshold sinks so that the sample
//! stays as large as it is, whatever the trace; counts so far are then scaled, as if it had been so low from the beginning.

use std::collections::{BTreeSet, HashMap};

use serde::Serialize;

/// The unit that is cached.
pub const BLOCK_BYTES: u64 = 4096;
/// So many blocks are followed.
pub const SAMPLE: usize = 16_384;
/// Parts of the sample that estimate the same, so that their spread is its error.
const GROUPS: usize = 16;
const SIZES: usize = 64;
/// Work for so many blocks is added with each I/O; what one leaves is there for later ones, up to 4 GiB.
const WORK_BLOCKS: u64 = 4096;
const MOST_WORK_BLOCKS: u64 = 1 << 20;
const FULL: f64 = 18_446_744_073_709_551_616.0;

/// Distances between uses of a block, in other blocks used in between.
pub struct Reuse {
    limit: usize,
    /// Hashes up to this one are in the sample.
    threshold: u64,
    last: HashMap<u64, usize>,
    by_hash: BTreeSet<(u64, u64)>,
    recent: Recent,
    groups: Vec<Group>,
    /// Blocks that may be looked at: no file of a few bytes keeps a processor busy for hours.
    work: u64,
}

#[derive(Clone)]
struct Group {
    /// Reads that a cache of 2^i blocks has, but none of half its size.
    found: [f64; SIZES],
    reads: f64,
}

/// What a cache of some size would answer.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Absorbed {
    /// Of the cache.
    pub bytes: u64,
    /// Of the bytes read.
    pub share: f64,
    /// Two standard errors of the share; 0 where every block was followed.
    pub error: f64,
}

impl Default for Reuse {
    fn default() -> Self {
        Self::new(SAMPLE)
    }
}

impl Reuse {
    /// Follows at most so many blocks.
    pub fn new(limit: usize) -> Self {
        Self {
            limit,
            threshold: u64::MAX,
            last: HashMap::new(),
            by_hash: BTreeSet::new(),
            recent: Recent::new(limit),
            groups: vec![Group { found: [0.0; SIZES], reads: 0.0 }; GROUPS],
            work: MOST_WORK_BLOCKS,
        }
    }

    /// An I/O on these bytes. A write brings its blocks into the cache, too, but only reads can be absorbed.
    pub fn touch(&mut self, offset: u64, bytes: u32, read: bool) {
        let begin = offset / BLOCK_BYTES;
        let end = offset.saturating_add(u64::from(bytes)).div_ceil(BLOCK_BYTES);
        self.work = (self.work + WORK_BLOCKS).min(MOST_WORK_BLOCKS);
        let end = end.min(begin + self.work);
        self.work -= end.saturating_sub(begin);
        for block in begin..end {
            let hash = mixed(block);
            if hash <= self.threshold {
                self.use_block(block, hash, read);
            }
        }
    }

    /// How many bytes were touched at all, in whole blocks.
    pub fn touched_bytes(&self) -> f64 {
        self.last.len() as f64 / self.share() * BLOCK_BYTES as f64
    }

    /// Two standard errors of the bytes touched, as a share of them.
    pub fn touched_error(&self) -> f64 {
        if self.exact() || self.last.is_empty() { 0.0 } else { 2.0 / (self.last.len() as f64).sqrt() }
    }

    /// Whether every block was followed.
    pub const fn exact(&self) -> bool {
        self.threshold == u64::MAX
    }

    /// What caches of 1 MiB, 2 MiB and so on would absorb, up to the first that holds every block.
    pub fn absorbed(&self) -> Vec<Absorbed> {
        let reads: f64 = self.groups.iter().map(|group| group.reads).sum();
        let mut sizes = Vec::new();
        for log in 8..SIZES - 12 {
            if reads == 0.0 {
                break;
            }
            let bytes = BLOCK_BYTES << log;
            let share = self.groups.iter().map(|group| group.hits(log)).sum::<f64>() / reads;
            sizes.push(Absorbed { bytes, share, error: self.error(log, share, reads) });
            if bytes as f64 >= self.touched_bytes() {
                break;
            }
        }
        sizes
    }

    /// From how the groups differ (a ratio of sums).
    fn error(&self, log: usize, share: f64, reads: f64) -> f64 {
        if self.exact() {
            return 0.0;
        }
        let squares: f64 = self.groups.iter().map(|group| (group.hits(log) - share * group.reads).powi(2)).sum();
        let count = GROUPS as f64;
        2.0 * (squares * count / (count - 1.0)).sqrt() / reads
    }

    fn share(&self) -> f64 {
        (self.threshold as f64 + 1.0) / FULL
    }

    fn use_block(&mut self, block: u64, hash: u64, read: bool) {
        let before = self.last.get(&block).copied();
        let distance = before.map(|time| self.recent.after(time) as f64 / self.share());
        if let Some(time) = before {
            self.recent.clear(time);
        } else {
            self.by_hash.insert((hash, block));
        }
        if self.recent.full() {
            self.renumber(block);
        }
        self.last.insert(block, self.recent.push());
        if read {
            let group = &mut self.groups[(hash % GROUPS as u64) as usize];
            group.reads += 1.0;
            if let Some(distance) = distance {
                group.found[size_of(distance)] += 1.0;
            }
        }
        if self.last.len() > self.limit {
            self.lower();
        }
    }

    /// Times from 0 on again, in the same order; `block` is about to get a new one.
    fn renumber(&mut self, block: u64) {
        let mut order: Vec<_> = self.last.iter().filter(|(other, _)| **other != block).collect();
        order.sort_unstable_by_key(|(_, time)| **time);
        let order: Vec<u64> = order.into_iter().map(|(block, _)| *block).collect();
        self.recent = Recent::new(self.limit);
        for block in order {
            self.last.insert(block, self.recent.push());
        }
    }

    /// The block with the highest hash leaves the sample.
    fn lower(&mut self) {
        let old = self.share();
        if let Some((hash, block)) = self.by_hash.pop_last() {
            if let Some(time) = self.last.remove(&block) {
                self.recent.clear(time);
            }
            self.threshold = hash.saturating_sub(1);
        }
        let scale = self.share() / old;
        for group in &mut self.groups {
            group.reads *= scale;
            group.found.iter_mut().for_each(|found| *found *= scale);
        }
    }
}

impl Group {
    fn hits(&self, log: usize) -> f64 {
        self.found[..=log].iter().sum()
    }
}

/// The least i so that a cache of 2^i blocks holds a block over so many others.
fn size_of(distance: f64) -> usize {
    let others = distance as u64;
    ((64 - others.leading_zeros()) as usize).min(SIZES - 1)
}

/// Spreads neighbours (the end of splitmix64).
const fn mixed(block: u64) -> u64 {
    let mut x = block.wrapping_add(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// Which times are somebody's last use: a binary indexed tree.
struct Recent {
    tree: Vec<u32>,
    next: usize,
    live: usize,
}

impl Recent {
    fn new(limit: usize) -> Self {
        Self { tree: vec![0; 4 * (limit + 2)], next: 0, live: 0 }
    }

    const fn full(&self) -> bool {
        self.next + 1 >= self.tree.len()
    }

    fn push(&mut self) -> usize {
        let time = self.next;
        self.next += 1;
        self.live += 1;
        self.change(time, 1);
        time
    }

    fn clear(&mut self, time: usize) {
        self.live -= 1;
        self.change(time, u32::MAX);
    }

    fn change(&mut self, time: usize, by: u32) {
        let mut at = time + 1;
        while at < self.tree.len() {
            self.tree[at] = self.tree[at].wrapping_add(by);
            at += at & at.wrapping_neg();
        }
    }

    /// How many are later than this one.
    fn after(&self, time: usize) -> usize {
        let (mut at, mut until) = (time + 1, 0);
        while at > 0 {
            until += self.tree[at] as usize;
            at -= at & at.wrapping_neg();
        }
        self.live - until
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Shares of reads that caches of 2^i blocks answer, with a list of all blocks, the newest last.
    fn exactly(uses: &[(u64, bool)]) -> Vec<f64> {
        let (mut stack, mut found, mut reads) = (Vec::<u64>::new(), [0.0; SIZES], 0.0);
        for (block, read) in uses {
            let before = stack.iter().position(|other| other == block);
            if let Some(place) = before {
                stack.remove(place);
            }
            if *read {
                reads += 1.0;
                if let Some(place) = before {
                    let size = (0..).find(|log| stack.len() - place < 1 << log).unwrap_or(0);
                    found[size] += 1.0;
                }
            }
            stack.push(*block);
        }
        (0..20).map(|log| found[..=log].iter().sum::<f64>() / f64::max(reads, 1.0)).collect()
    }

    fn shares(reuse: &Reuse) -> Vec<f64> {
        let reads: f64 = reuse.groups.iter().map(|group| group.reads).sum();
        (0..20).map(|log| reuse.groups.iter().map(|g| g.hits(log)).sum::<f64>() / reads.max(1.0)).collect()
    }

    fn used(limit: usize, uses: &[(u64, bool)]) -> Reuse {
        let mut reuse = Reuse::new(limit);
        uses.iter().for_each(|(block, read)| reuse.touch(block * BLOCK_BYTES, 4096, *read));
        reuse
    }

    proptest! {
        #[test]
        fn distances_are_exact_where_every_block_is_followed(
            uses in prop::collection::vec((0u64..60, any::<bool>()), 1..900)
        ) {
            let reuse = used(64, &uses);
            prop_assert!(reuse.exact());
            for (ours, exact) in shares(&reuse).iter().zip(exactly(&uses)) {
                prop_assert!((ours - exact).abs() < 1e-9);
            }
        }
    }

    #[test]
    fn long_ios_are_whole_until_there_are_only_long_ones() {
        let mut reuse = Reuse::default();
        reuse.touch(0, u32::MAX, true);
        let told = reuse.touched_bytes() / f64::from(u32::MAX);
        assert!((told - 1.0).abs() < 2.0 * reuse.touched_error(), "{told}");
        for number in 1..2000 {
            reuse.touch(number << 32, u32::MAX, true);
        }
        let told = reuse.touched_bytes() / (BLOCK_BYTES * (MOST_WORK_BLOCKS + 1999 * WORK_BLOCKS)) as f64;
        assert!((told - 1.0).abs() < 2.0 * reuse.touched_error(), "{told}");
    }

    /// Reads of 20,000 blocks of which some are read far more often; a fixed stream of random numbers.
    fn skewed(count: u64) -> Vec<(u64, bool)> {
        (0..count)
            .map(|i| {
                let random = mixed(i ^ 0xabcd) as f64 / FULL;
                ((random * random * 20_000.0) as u64, true)
            })
            .collect()
    }

    #[test]
    fn a_sample_comes_close_and_says_how_close() {
        let uses = skewed(60_000);
        let (sample, all) = (used(2048, &uses), used(65_536, &uses));
        assert!(!sample.exact() && all.exact() && sample.last.len() <= 2048);
        let told = sample.touched_bytes() / all.touched_bytes();
        assert!((told - 1.0).abs() < 1.5 * sample.touched_error(), "{told}");
        for (ours, exact) in sample.absorbed().iter().zip(all.absorbed()) {
            assert!((ours.share - exact.share).abs() <= 0.05, "{ours:?} {exact:?}");
            assert!((ours.share - exact.share).abs() <= 1.5 * ours.error + 0.01, "{ours:?} {exact:?}");
        }
    }
}
