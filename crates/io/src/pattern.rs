//! Which operation comes next: kind, offset and length.

use std::sync::Arc;

use crate::size_mix::SizeMix;
use crate::spec::{Distribution, JobSpec, Mode, Sequence};
use plimsoll_core::distribution::Blocks;
use plimsoll_core::random::{Purpose, Stream, mix64};

use crate::engine::OpKind;
use crate::region::{Next, slice};
use crate::rotation::{self, Rotation};

/// The operations of one thread, without end.
///
/// Sequential modes split the region into one slice per thread and go round in it. Random modes share the whole region,
/// except when verifying: then each thread owns its slice, so that no two threads write the same block. With several files
/// each of them has an order of its own.
#[derive(Debug, Clone)]
pub struct Pattern {
    /// One per file.
    spots: Vec<Spot>,
    rotation: Option<Rotation>,
    /// The smallest block.
    unit: u64,
    /// What random places are multiples of.
    grid: u64,
    sizes: SizeMix,
    /// Sizes of writes where they have their own.
    write_sizes: Option<SizeMix>,
    /// Kinds take turns; true: the last one was a write.
    turns: Option<bool>,
    only: Option<OpKind>,
    /// Each block is trimmed first; holds the one that is to be written now.
    trims_first: bool,
    trimmed: Option<Next>,
    read_share: f64,
    random_share: f64,
    sequence: Option<Sequence>,
    /// Operations that are still to come before the next random place.
    before_jump: u64,
    offsets: Stream,
    kinds: Stream,
    draws: Stream,
    follows: Stream,
    /// Passes end: bytes of this one.
    passed: Option<u64>,
    /// The region: bytes of all parts together, and the first byte.
    size: u64,
    begin: u64,
    /// Only a part of the region is in use at a time.
    zoned: bool,
}

/// A part of the region, and where in it the pattern is.
#[derive(Debug, Clone)]
struct Spot {
    base: u64,
    size: u64,
    random: Option<Blocks>,
    /// Of writes, where they have their own.
    random_writes: Option<Blocks>,
    /// Where the last operation began and where the next one follows, relative to `base`; with a [`Sequence`] for reads
    /// and for writes.
    last: [u64; 2],
    follow: [u64; 2],
}

impl Pattern {
    /// The pattern of thread `thread`, with the job's [`blocks`].
    pub fn new(spec: &Arc<JobSpec>, thread: u32, blocks: &Blocks) -> Self {
        let (base, size) = slice(spec, thread);
        let stream = |purpose| Stream::new(spec.seed, thread, purpose);
        // Slices are disjoint already; only a shared region has to be dealt out.
        let (dealer, hands) = if spec.verify { (0, 1) } else { (thread, spec.threads) };
        let mut spots = match &spec.files {
            None => vec![Spot::new(base, size, spec.mode.is_random().then(|| blocks.for_thread(dealer, hands)))],
            Some(_) => spots_of_files(spec, blocks),
        };
        if let Some(kind) = spec.write_distribution.as_ref().filter(|_| spec.mode.is_random()) {
            let unit = spec.grid();
            for spot in spots.iter_mut().filter(|spot| spot.random.is_some()) {
                spot.random_writes = Some(Blocks::new(kind, spot.size / unit, unit, spec.seed));
            }
        }
        Self {
            spots,
            rotation: spec.files.as_ref().map(|files| Rotation::new(spec, files)),
            unit: spec.smallest_block(),
            grid: spec.grid(),
            sizes: SizeMix::new(&spec.block_sizes),
            write_sizes: spec.write_block_sizes.as_deref().map(SizeMix::new),
            turns: spec.alternate.then_some(false),
            only: match spec.mode {
                Mode::Read | Mode::Randread => Some(OpKind::Read),
                Mode::Write | Mode::Randwrite => Some(OpKind::Write),
                Mode::Trim | Mode::Randtrim => Some(OpKind::Trim),
                Mode::Rw | Mode::Randrw | Mode::Trimwrite | Mode::Randtrimwrite => None,
            },
            trims_first: spec.mode.trims_first(),
            trimmed: None,
            read_share: spec.read_share,
            random_share: spec.random_share,
            sequence: spec.sequence(),
            before_jump: 0,
            offsets: stream(Purpose::Offset),
            kinds: stream(Purpose::Kind),
            draws: stream(Purpose::Size),
            follows: stream(Purpose::Follow),
            passed: spec.passes.is_some_and(|passes| passes.ends).then_some(0),
            size,
            begin: base,
            zoned: false,
        }
    }

    /// The next operation; none when the pass is over.
    #[cfg(test)]
    pub fn draw(&mut self) -> Option<Next> {
        let kind = self.draw_kind();
        self.draw_of(kind)
    }

    /// The first byte of the region.
    pub fn begin(&self) -> u64 {
        self.begin
    }

    /// Whether some operations read and others write, in no fixed order.
    pub fn is_mixed(&self) -> bool {
        self.only.is_none() && !self.trims_first
    }

    /// Uses so many bytes of the region at a time, from its begin on, with random places in them.
    pub fn use_zones(&mut self, size: u64, random: Option<Blocks>) {
        self.zoned = true;
        if let [spot] = &mut self.spots[..] {
            (spot.size, spot.random) = (size, random);
        }
    }

    /// Goes on in the zone that begins so many bytes behind the begin of the region.
    pub fn enter_zone(&mut self, begin: u64, random: Option<Blocks>) {
        let spot = &mut self.spots[0];
        (spot.base, spot.last, spot.follow) = (self.begin + begin, [0; 2], [0; 2]);
        spot.random = random;
    }

    /// Whether the next operation reads, writes or trims.
    #[inline]
    pub fn draw_kind(&mut self) -> OpKind {
        match (self.only, &mut self.turns) {
            (Some(kind), _) => kind,
            _ if self.trims_first => {
                if self.trimmed.is_some() {
                    OpKind::Write
                } else {
                    OpKind::Trim
                }
            }
            (None, Some(wrote)) => {
                *wrote = !*wrote;
                if *wrote { OpKind::Write } else { OpKind::Read }
            }
            (None, None) if self.kinds.chance(self.read_share) => OpKind::Read,
            (None, None) => OpKind::Write,
        }
    }

    /// The next operation, of a kind that this pattern has; none when there is no room left for it in this pass.
    #[inline]
    pub fn draw_of(&mut self, kind: OpKind) -> Option<Next> {
        self.draw_with(kind, |_, _| ())
    }

    /// The same; `before` is called with the length of an operation right before it is placed.
    #[inline]
    pub fn draw_with(&mut self, kind: OpKind, before: impl FnOnce(&mut Self, u64)) -> Option<Next> {
        if let Some(trimmed) = self.trimmed.take() {
            return Some(Next { kind, ..trimmed });
        }
        let sizes = match &self.write_sizes {
            Some(sizes) if kind == OpKind::Write => sizes,
            _ => &self.sizes,
        };
        let length = sizes.draw(&mut self.draws);
        if let Some(passed) = self.passed {
            if self.is_through(kind, passed, length) {
                return None;
            }
            self.passed = Some(passed + length);
        }
        let spot = self.rotation.as_mut().map_or(0, |rotation| rotation.next(length));
        before(self, length);
        let offset = self.offset(spot, kind, length);
        let next = Next { kind, offset, length: length as u32 };
        self.trimmed = (self.trims_first).then_some(next);
        Some(next)
    }

    /// Whether a pass of so many bytes has no room for another operation: no file has, or the order has come to its end,
    /// or as many bytes were moved as there are.
    fn is_through(&self, kind: OpKind, passed: u64, length: u64) -> bool {
        if let Some(rotation) = self.rotation.as_ref().filter(|rotation| !rotation.is_endless()) {
            return rotation.is_through(length);
        }
        let first = &self.spots[0];
        let own = usize::from(self.sequence.is_some() && kind == OpKind::Write);
        let ordered = self.rotation.is_none() && first.random.is_none() && !self.zoned;
        let at = if ordered { first.follow[own] } else { passed };
        at + length > self.size
    }

    /// Begins the next pass, with random places of its own.
    pub fn begin_pass(&mut self) {
        self.passed = self.passed.map(|_| 0);
        (self.before_jump, self.trimmed) = (0, None);
        if !self.zoned {
            // Zones go on from where they are.
            for spot in &mut self.spots {
                (spot.last, spot.follow) = ([0; 2], [0; 2]);
            }
        }
        if let Some(rotation) = &mut self.rotation {
            rotation.begin_pass();
        }
    }

    /// Where an operation goes. It has several callers, by semantics, and is a quarter of what drawing costs.
    #[inline(always)]
    fn offset(&mut self, spot: usize, kind: OpKind, length: u64) -> u64 {
        let jumps = self.jumps();
        let spot = &mut self.spots[spot];
        let (own, stay, skip) = match self.sequence {
            None => (0, false, 0),
            Some(sequence) => (usize::from(kind == OpKind::Write), sequence.stay, sequence.skip),
        };
        let follow = spot.follow[own];
        let at_end = follow + length > spot.size;
        let random = match &mut spot.random_writes {
            Some(blocks) if kind == OpKind::Write => Some(blocks),
            _ => spot.random.as_mut(),
        };
        let start = match random {
            Some(blocks) if jumps || (at_end && self.sequence.is_some() && !stay) => {
                let start = blocks.draw(&mut self.offsets) * self.grid;
                // A large operation of a mix that would stick out moves back to the last place where it fits.
                if start + length > spot.size { (spot.size - length) / self.grid * self.grid } else { start }
            }
            Some(_) if stay => spot.last[own],
            _ if at_end => 0,
            _ => follow,
        };
        spot.last[own] = start;
        spot.follow[own] = if skip == 0 {
            (start + length).next_multiple_of(self.unit)
        } else {
            // Backwards behind the begin is at the end, as with fio.
            (start + length).checked_add_signed(skip).unwrap_or_else(|| spot.size.saturating_add_signed(skip))
        };
        spot.base + start
    }

    /// Whether an operation of a random mode takes a new place.
    #[inline]
    fn jumps(&mut self) -> bool {
        if let Some(sequence) = self.sequence {
            let due = self.before_jump == 0;
            self.before_jump = if due { sequence.every - 1 } else { self.before_jump - 1 };
            if !due {
                return false;
            }
        }
        self.random_share >= 1.0 || self.follows.chance(self.random_share)
    }

    /// The offset that tells which of several files a sync is for.
    pub fn sync_offset(&mut self) -> u64 {
        self.rotation.as_mut().map_or(0, |rotation| self.spots[rotation.next(0)].base)
    }

    /// Whether one of several files is wanted open.
    pub fn wants(&self, file: usize) -> bool {
        self.rotation.as_ref().is_some_and(|rotation| rotation.is_open(file))
    }
}

impl Spot {
    fn new(base: u64, size: u64, random: Option<Blocks>) -> Self {
        Self { base, size, random, random_writes: None, last: [0; 2], follow: [0; 2] }
    }
}

/// Every file has an order of its own; hot blocks are at the same place in each, where they are of one size.
fn spots_of_files(spec: &JobSpec, blocks: &Blocks) -> Vec<Spot> {
    let unit = spec.grid();
    let equal = spec.files.as_ref().is_none_or(|files| files.parts.is_empty());
    let own = |file: usize, part: u64| match spec.distribution {
        Distribution::Once => {
            Blocks::new(&spec.distribution, part / unit, unit, mix64(spec.seed).wrapping_add(file as u64))
        }
        _ if equal => blocks.clone(),
        _ => Blocks::new(&spec.distribution, part / unit, unit, spec.seed),
    };
    let mut begin = 0;
    let mut spot = |file: usize| {
        let part = rotation::part(spec, file);
        let random = (spec.mode.is_random() && part > 0).then(|| own(file, part));
        begin += part;
        Spot::new(begin - part, part, random)
    };
    (0..rotation::count(spec)).map(&mut spot).collect()
}

#[cfg(test)]
pub(crate) mod tests;
