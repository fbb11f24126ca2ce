//! Random places and sizes as fio draws them, so that a job goes where it goes there, in blocks of the same sizes.
//!
//! Source: fio 3.33, `io_u.c` (`get_next_rand_offset`, `get_next_buflen`, `mark_random_map`), `lib/axmap.c`. With a map of
//! blocks a place is the next free one behind the number that was drawn, and a block that does not fit before the next
//! used one is shortened to what does.

use crate::spec::{self, JobSpec, SizeWeight};

use super::free_map::FreeMap;
use super::tausworthe::Tausworthe;
use crate::engine::OpKind;

/// The random places of one job.
#[derive(Debug, Clone)]
pub struct Draws {
    asked: spec::Draws,
    places: Tausworthe,
    /// Of reads and of writes.
    sizes: [Sizes; 2],
    /// Blocks that are still to come, where each comes once.
    free: Option<FreeMap>,
    size: u64,
    /// What places are multiples of, and how many of them there are.
    grid: u64,
    count: u64,
    unit: u64,
    /// Bytes of this pass.
    moved: u64,
}

/// The sizes of one kind of operation.
#[derive(Debug, Clone)]
struct Sizes {
    draws: Tausworthe,
    least: u64,
    largest: u64,
    /// Sizes with their shares in percent, the smallest share first; none: any between the two.
    split: Vec<(u64, u32)>,
}

impl Draws {
    /// Nothing where the job's own streams decide.
    pub fn new(spec: &JobSpec) -> Option<Self> {
        let asked = spec.draws?;
        let sizes = |seed, sizes: &[SizeWeight]| Sizes::new(seed, sizes, asked.ranged);
        let own = spec.write_block_sizes.as_ref().unwrap_or(&spec.block_sizes);
        let kinds = [sizes(asked.sizes[0], &spec.block_sizes), sizes(asked.sizes[1], own)];
        let (unit, grid) = (spec.smallest_block(), spec.grid());
        let count = (spec.size - unit.saturating_sub(grid)) / grid;
        Some(Self {
            asked,
            places: Tausworthe::new(asked.places),
            sizes: kinds,
            free: asked.map.then(|| FreeMap::new(spec.size / unit)),
            size: spec.size,
            grid,
            count,
            unit,
            moved: 0,
        })
    }

    /// Offset in the region and bytes of the next operation; none when the pass is over.
    pub fn next(&mut self, kind: OpKind) -> Option<(u64, u64)> {
        if self.asked.pass.is_some_and(|bytes| self.moved >= bytes) {
            return None;
        }
        let offset = self.place()? * self.grid;
        let mut length = self.sizes[usize::from(kind == OpKind::Write)].draw(self.size - offset)?;
        if let Some(free) = &mut self.free {
            let blocks = free.take(offset / self.unit, length.div_ceil(self.unit));
            length = length.min(blocks * self.unit);
        }
        self.moved += length;
        Some((offset, length))
    }

    fn place(&mut self) -> Option<u64> {
        let drawn = (self.count as f64 * self.places.share()) as u64;
        let Some(free) = &mut self.free else { return Some(drawn) };
        if let Some(found) = free.next(drawn) {
            return Some(found);
        }
        if !self.asked.endless {
            return None;
        }
        free.clear();
        let drawn = (self.count as f64 * self.places.share()) as u64;
        self.free.as_ref()?.next(drawn)
    }

    /// Begins another pass, in an order of its own.
    pub fn begin_pass(&mut self) {
        self.moved = 0;
        if let Some(free) = &mut self.free {
            free.clear();
        }
    }
}

impl Sizes {
    fn new(seed: u32, sizes: &[SizeWeight], ranged: bool) -> Self {
        let ends = || sizes.iter().map(|each| each.size);
        let mut split: Vec<(u64, u32)> =
            sizes.iter().filter(|_| !ranged).map(|each| (each.size, each.weight as u32)).collect();
        split.sort_by_key(|&(_, share)| share);
        Self {
            draws: Tausworthe::new(seed),
            least: ends().min().unwrap_or(0),
            largest: ends().max().unwrap_or(0),
            split,
        }
    }

    /// A size that fits into `room`; none where no size does. One size alone always does.
    fn draw(&mut self, room: u64) -> Option<u64> {
        if self.least == self.largest {
            return (self.least <= room).then_some(self.least);
        }
        if self.least > room {
            return None;
        }
        loop {
            let drawn = self.draws.next();
            let length = if self.split.is_empty() {
                self.least + (self.largest as f64 * (f64::from(drawn) / 4_294_967_296.0)) as u64
            } else {
                self.of_split(drawn, room)
            };
            let length = (length - length % self.least).min(self.largest);
            if length <= room {
                return Some(length);
            }
        }
    }

    /// The first size whose share the number lies in, and that fits; else the last.
    fn of_split(&self, drawn: u32, room: u64) -> u64 {
        let (mut sum, mut length) = (0, 0);
        for &(size, share) in self.split.iter().filter(|(_, share)| *share > 0) {
            (sum, length) = (sum + share, size);
            if drawn / sum <= u32::MAX / 100 && size <= room {
                break;
            }
        }
        length
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pattern::tests::spec;
    use crate::spec::Mode;

    const SEED: u32 = 0xb189_9bed;

    fn draws(sizes: &[(u64, f64)], size: u64, map: bool) -> Draws {
        let mut spec = spec(Mode::Randread, &[], 0, size, 1);
        spec.block_sizes = sizes.iter().map(|&(size, weight)| SizeWeight { size, weight }).collect();
        let pass = Some(size);
        spec.draws = Some(spec::Draws { places: SEED, sizes: [1, 2], ranged: false, map, endless: false, pass });
        Draws::new(&spec).unwrap()
    }

    fn all(draws: &mut Draws) -> Vec<(u64, u64)> {
        std::iter::from_fn(|| draws.next(OpKind::Read)).collect()
    }

    #[test]
    fn a_map_covers_every_byte_once_whatever_the_sizes() {
        let mut draws = draws(&[(512, 10.0), (4096, 60.0), (65536, 30.0)], 1 << 20, true);
        for _ in 0..2 {
            let mut found = all(&mut draws);
            found.sort_unstable();
            let mut end = 0;
            for (offset, length) in found {
                assert_eq!(offset, end);
                end += length;
            }
            assert_eq!(end, 1 << 20);
            draws.begin_pass();
        }
    }

    #[test]
    fn without_a_map_a_pass_is_as_many_bytes_as_there_are() {
        let found = all(&mut draws(&[(4096, 50.0), (8192, 50.0)], 1 << 20, false));
        let moved: u64 = found.iter().map(|(_, length)| length).sum();
        assert!((1 << 20..(1 << 20) + 8192).contains(&moved));
        assert!(found.iter().all(|(offset, length)| offset + length <= 1 << 20));
    }

    #[test]
    fn an_endless_map_begins_anew_when_all_blocks_are_used() {
        let mut draws = draws(&[(4096, 100.0)], 16 * 4096, true);
        (draws.asked.endless, draws.asked.pass) = (true, None);
        for _ in 0..3 {
            let mut round: Vec<_> = (0..16).map(|_| draws.next(OpKind::Read).unwrap().0 / 4096).collect();
            round.sort_unstable();
            assert!(round.into_iter().eq(0..16));
        }
    }
}
