//! Which operation comes next: kind, offset and length.

use std::sync::Arc;

use crate::size_mix::SizeMix;
use crate::spec::{Distribution, JobSpec, Mode, Sequence};
use plimsoll_core::distribution::Blocks;
use plimsoll_core::random::{Purpose, Stream, mix64};

use crate::draws::Draws;
use crate::engine::Kind;
use crate::mix::Mix;
use crate::region::{Next, slice};
use crate::replay::Replay;
use crate::rotation::{self, Rotation};
use crate::strides::Strides;

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
    only: Option<Kind>,
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
    extras: Extras,
}

/// What only some front ends ask for.
#[derive(Debug, Clone, Default)]
struct Extras {
    mix: Option<Mix>,
    draws: Option<Draws>,
    strides: Option<Strides>,
    replay: Option<Replay>,
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
        let strides = Strides::new(spec);
        if let (Some(strides), [spot]) = (&strides, &mut spots[..]) {
            (spot.size, spot.random) = (strides.range(), strides.fresh());
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
                Mode::Read | Mode::Randread => Some(Kind::Read),
                Mode::Write | Mode::Randwrite => Some(Kind::Write),
                Mode::Trim | Mode::Randtrim => Some(Kind::Trim),
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
            extras: Extras { mix: Mix::new(spec), draws: Draws::new(spec), strides, replay: Replay::new(spec) },
        }
    }

    /// The next operation; none when the pass is over. `X`: with the extras of [`JobSpec::has_extras`].
    #[inline]
    pub fn draw<const X: bool>(&mut self) -> Option<Next> {
        let kind = self.draw_kind::<X>();
        self.draw_of::<X>(kind)
    }

    /// When the next operation is due, since the begin of the load; 0: at once.
    pub fn due_ns(&self) -> u64 {
        self.extras.replay.as_ref().map_or(0, Replay::due_ns)
    }

    /// Whether the next operation reads, writes or trims.
    #[inline]
    pub fn draw_kind<const X: bool>(&mut self) -> Kind {
        if X && let Some(replay) = &self.extras.replay {
            return replay.kind();
        }
        if X && self.only.is_none()
            && !self.trims_first
            && let Some(mix) = &mut self.extras.mix
        {
            return if mix.draw() { Kind::Write } else { Kind::Read };
        }
        match (self.only, &mut self.turns) {
            (Some(kind), _) => kind,
            _ if self.trims_first => {
                if self.trimmed.is_some() {
                    Kind::Write
                } else {
                    Kind::Trim
                }
            }
            (None, Some(wrote)) => {
                *wrote = !*wrote;
                if *wrote { Kind::Write } else { Kind::Read }
            }
            (None, None) if self.kinds.chance(self.read_share) => Kind::Read,
            (None, None) => Kind::Write,
        }
    }

    /// The next operation, of a kind that this pattern has; none when there is no room left for it in this pass.
    #[inline]
    pub fn draw_of<const X: bool>(&mut self, kind: Kind) -> Option<Next> {
        if X && let Some(replay) = &mut self.extras.replay {
            return replay.next();
        }
        if X && self.extras.draws.is_some() {
            return self.draw_as_fio(kind);
        }
        if let Some(trimmed) = self.trimmed.take() {
            return Some(Next { kind, ..trimmed });
        }
        let sizes = match &self.write_sizes {
            Some(sizes) if kind == Kind::Write => sizes,
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
        if X {
            self.move_on(kind, length);
        }
        let offset = self.offset(spot, kind, length);
        let next = Next { kind, offset, length: length as u32 };
        self.trimmed = (self.trims_first).then_some(next);
        Some(next)
    }

    /// A random place and a size, drawn as in fio.
    fn draw_as_fio(&mut self, kind: Kind) -> Option<Next> {
        let (offset, length) = self.extras.draws.as_mut()?.next(kind)?;
        if let Some(mix) = &mut self.extras.mix {
            mix.issued(kind == Kind::Write);
        }
        Some(Next { kind, offset: self.begin + offset, length: length as u32 })
    }

    /// The extras of an operation that is about to be placed.
    fn move_on(&mut self, kind: Kind, length: u64) {
        if let Some(mix) = &mut self.extras.mix {
            mix.issued(kind == Kind::Write);
        }
        let Some(strides) = &mut self.extras.strides else { return };
        let zone = strides.next(length);
        if zone.anew {
            let spot = &mut self.spots[0];
            (spot.base, spot.last, spot.follow) = (self.begin + zone.begin, [0; 2], [0; 2]);
            spot.random = strides.fresh();
        }
    }

    /// Whether a pass of so many bytes has no room for another operation: no file has, or the order has come to its end,
    /// or as many bytes were moved as there are.
    fn is_through(&self, kind: Kind, passed: u64, length: u64) -> bool {
        if let Some(rotation) = self.rotation.as_ref().filter(|rotation| !rotation.is_endless()) {
            return rotation.is_through(length);
        }
        let first = &self.spots[0];
        let own = usize::from(self.sequence.is_some() && kind == Kind::Write);
        let ordered = self.rotation.is_none() && first.random.is_none() && self.extras.strides.is_none();
        let at = if ordered { first.follow[own] } else { passed };
        at + length > self.size
    }

    /// Begins the next pass with the places of the first one.
    pub fn repeat(&mut self, first: &Self) {
        let mix = self.extras.mix.take();
        self.clone_from(first);
        if let (Some(mut mix), Some(first)) = (mix, &first.extras.mix) {
            mix.begin_pass(first);
            self.extras.mix = Some(mix);
        }
    }

    /// Begins the next pass, with random places of its own.
    pub fn begin_pass(&mut self) {
        self.passed = self.passed.map(|_| 0);
        (self.before_jump, self.trimmed) = (0, None);
        for spot in &mut self.spots {
            (spot.last, spot.follow) = ([0; 2], [0; 2]);
        }
        if let Some(rotation) = &mut self.rotation {
            rotation.begin_pass();
        }
        if let Some(mix) = &mut self.extras.mix {
            mix.go_on();
        }
        if let Some(draws) = &mut self.extras.draws {
            draws.begin_pass();
        }
        if let Some(replay) = &mut self.extras.replay {
            replay.begin_pass();
        }
    }

    /// Where an operation goes. It has two callers, with and without extras, and is a quarter of what drawing costs.
    #[inline(always)]
    fn offset(&mut self, spot: usize, kind: Kind, length: u64) -> u64 {
        let jumps = self.jumps();
        let spot = &mut self.spots[spot];
        let (own, stay, skip) = match self.sequence {
            None => (0, false, 0),
            Some(sequence) => (usize::from(kind == Kind::Write), sequence.stay, sequence.skip),
        };
        let follow = spot.follow[own];
        let at_end = follow + length > spot.size;
        let random = match &mut spot.random_writes {
            Some(blocks) if kind == Kind::Write => Some(blocks),
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
pub(crate) mod tests {
    use super::*;
    use crate::region::blocks;
    use crate::spec::{FileOrder, Files, Layout, SizeWeight, Zone};
    use proptest::prelude::*;

    pub(crate) fn spec(mode: Mode, sizes: &[u64], offset: u64, size: u64, threads: u32) -> JobSpec {
        JobSpec {
            path: "/f".to_owned(),
            engine: "null".to_owned(),
            mode,
            read_share: 0.7,
            block_sizes: sizes.iter().map(|&size| SizeWeight { size, weight: 1.0 }).collect(),
            threads,
            size,
            offset,
            direct: false,
            layout: Layout::Keep,
            drop_cache: false,
            ..JobSpec::default()
        }
    }

    fn draws(spec: &JobSpec, thread: u32, n: usize) -> Vec<Next> {
        let mut pattern = Pattern::new(&Arc::new(spec.clone()), thread, &blocks(spec));
        (0..n)
            .map(|_| if spec.has_extras() { pattern.draw::<true>() } else { pattern.draw::<false>() }.unwrap())
            .collect()
    }

    fn any_mode() -> impl Strategy<Value = Mode> {
        prop::sample::select(vec![Mode::Read, Mode::Rw, Mode::Randread, Mode::Randrw, Mode::Randwrite, Mode::Trim])
    }

    proptest! {
        #[test]
        fn operations_stay_inside_and_on_the_grid(
            mode in any_mode(), offset in 0u64..1_000_000, extra in 0u64..300_000, threads in 1u32..4,
            share in 0.0f64..=1.0, verify: bool,
        ) {
            let sizes = [4096, 512, 65_536];
            let mut spec = spec(mode, &sizes, offset, 65_536 * 4 + extra, threads);
            (spec.random_share, spec.verify) = (share, verify);
            for thread in 0..threads {
                let (base, size) = slice(&spec, thread);
                for next in draws(&spec, thread, 300) {
                    prop_assert!(next.offset >= base && next.offset + u64::from(next.length) <= base + size);
                    prop_assert!(base + size <= offset + spec.size);
                    prop_assert_eq!((next.offset - offset) % 512, 0);
                    prop_assert!(sizes.contains(&u64::from(next.length)));
                }
            }
        }
    }

    #[test]
    fn threads_read_their_slices_in_order_and_go_round() {
        let spec = spec(Mode::Read, &[4096], 8192, 16 * 4096, 2);
        let offsets: Vec<u64> = draws(&spec, 1, 10).iter().map(|next| (next.offset - 8192) / 4096).collect();
        assert_eq!(offsets, [8, 9, 10, 11, 12, 13, 14, 15, 8, 9]);
    }

    #[test]
    fn threads_touch_every_block_of_a_random_region_once_together() {
        let spec = spec(Mode::Randread, &[4096], 0, 30 * 4096, 3);
        let mut seen: Vec<u64> = (0..3).flat_map(|t| draws(&spec, t, 10)).map(|next| next.offset / 4096).collect();
        seen.sort_unstable();
        assert!(seen.into_iter().eq(0..30));
    }

    #[test]
    fn each_block_is_trimmed_before_it_is_written() {
        let spec = spec(Mode::Trimwrite, &[4096], 0, 4 * 4096, 1);
        let steps: Vec<_> = draws(&spec, 0, 10).iter().map(|next| (next.kind, next.offset / 4096)).collect();
        let (trim, write) = (Kind::Trim, Kind::Write);
        assert_eq!(steps[..6], [(trim, 0), (write, 0), (trim, 1), (write, 1), (trim, 2), (write, 2)]);
        assert_eq!(steps[6..], [(trim, 3), (write, 3), (trim, 0), (write, 0)]);
    }

    #[test]
    fn writes_go_to_places_of_their_own() {
        let mut spec = spec(Mode::Randrw, &[4096], 0, 64 * 4096, 1);
        let zone = |bytes| vec![Zone { weight: 1.0, bytes }];
        spec.distribution = Distribution::Zones { zones: zone(64 * 4096) };
        spec.write_distribution = Some(Distribution::Zones { zones: zone(8 * 4096) });
        let all = draws(&spec, 0, 2000);
        let last = |kind| all.iter().filter(|next| next.kind == kind).map(|next| next.offset / 4096).max();
        assert_eq!((last(Kind::Read), last(Kind::Write)), (Some(63), Some(7)));
    }

    #[test]
    fn shares_of_reads_and_of_random_offsets_are_kept() {
        let mut spec = spec(Mode::Randrw, &[4096], 0, 1 << 30, 1);
        spec.random_share = 0.25;
        let all = draws(&spec, 0, 20_000);
        let reads = all.iter().filter(|next| next.kind == Kind::Read).count() as f64 / 20_000.0;
        assert!((reads - 0.7).abs() < 0.02, "{reads}");
        // Each kind follows the last one of its own.
        let of = |kind| all.iter().filter(|next| next.kind == kind).map(|next| next.offset).collect::<Vec<_>>();
        let jumps = [of(Kind::Read), of(Kind::Write)]
            .iter()
            .map(|offsets| offsets.windows(2).filter(|w| w[1] != w[0] + 4096).count())
            .sum::<usize>() as f64
            / 20_000.0;
        assert!((jumps - 0.25).abs() < 0.02, "{jumps}");
    }

    /// As letters and block numbers: `r3` reads block 3, `2:w0` writes block 0 of file 2.
    fn written_out(spec: &JobSpec, n: usize) -> Vec<String> {
        let each = rotation::part(spec, 0);
        let word = |next: Next| {
            let letter = if next.kind == Kind::Read { 'r' } else { 'w' };
            let file = spec.files.as_ref().map_or(String::new(), |_| format!("{}:", next.offset / each));
            format!("{file}{letter}{}", next.offset % each / 4096)
        };
        draws(spec, 0, n).into_iter().map(word).collect()
    }

    #[test]
    fn a_random_place_is_held_for_several_operations() {
        let mut spec = spec(Mode::Randread, &[4096], 0, 32 * 4096, 1);
        spec.sequence = Some(Sequence { every: 8, stay: false, skip: 0 });
        let offsets: Vec<u64> = draws(&spec, 0, 800).iter().map(|next| next.offset / 4096).collect();
        for run in offsets.chunks(8) {
            // Only where the region ends, a run goes on at another random place.
            assert!(run.windows(2).all(|pair| pair[1] == pair[0] + 1 || pair[0] == 31), "{run:?}");
        }
        let places: Vec<u64> = offsets.chunks(8).take(30).map(|run| run[0]).collect();
        assert!(places.iter().collect::<std::collections::HashSet<_>>().len() > 15, "{places:?}");
        spec.sequence = Some(Sequence { every: 4, stay: true, skip: 0 });
        let stays = draws(&spec, 0, 400);
        assert!(stays.chunks(4).all(|run| run.iter().all(|next| next.offset == run[0].offset)));
    }

    #[test]
    fn reads_and_writes_of_a_sequence_each_follow_their_own() {
        let mut spec = spec(Mode::Rw, &[4096], 0, 64 * 4096, 1);
        spec.sequence = Some(Sequence { every: 1, stay: false, skip: 0 });
        let words = written_out(&spec, 40);
        for letter in ["r", "w"] {
            let blocks: Vec<&String> = words.iter().filter(|word| word.starts_with(letter)).collect();
            assert!(blocks.iter().enumerate().all(|(i, word)| **word == format!("{letter}{i}")), "{words:?}");
        }
    }

    #[test]
    fn bytes_are_left_out_between_operations() {
        let mut spec = spec(Mode::Write, &[4096], 0, 32 * 4096, 1);
        spec.sequence = Some(Sequence { every: 1, stay: false, skip: 4096 });
        let blocks: Vec<u64> = draws(&spec, 0, 18).iter().map(|next| next.offset / 4096).collect();
        assert_eq!(blocks, [0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30, 0, 2]);
        spec.sequence = Some(Sequence { every: 1, stay: false, skip: 6144 });
        let offsets: Vec<u64> = draws(&spec, 0, 4).iter().map(|next| next.offset / 2048).collect();
        assert_eq!(offsets, [0, 5, 10, 15]);
    }

    #[test]
    fn files_take_turns_as_with_fio() {
        let mut spec = spec(Mode::Write, &[4096], 0, 24 * 4096, 1);
        let files = |order, turn| {
            Some(Files {
                more: vec!["/b".to_owned(), "/c".to_owned()],
                order,
                turn,
                favour: None,
                parts: vec![],
                open: None,
                endless: false,
            })
        };
        spec.files = files(FileOrder::Turns, 1);
        assert_eq!(written_out(&spec, 5), ["0:w0", "1:w0", "2:w0", "0:w1", "1:w1"]);
        spec.files = files(FileOrder::Turns, 4);
        assert_eq!(
            written_out(&spec, 14)[2..],
            ["0:w2", "0:w3", "1:w0", "1:w1", "1:w2", "1:w3", "2:w0", "2:w1", "2:w2", "2:w3", "0:w4", "0:w5"]
        );
        spec.files = files(FileOrder::Sequential, 1);
        assert_eq!(written_out(&spec, 26)[6..10], ["0:w6", "0:w7", "1:w0", "1:w1"]);
        assert_eq!(written_out(&spec, 26)[23..], ["2:w7", "0:w0", "0:w1"]);
    }

    #[test]
    fn a_sync_takes_the_turn_of_a_file_as_with_fio() {
        let mut spec = spec(Mode::Write, &[4096], 0, 24 * 4096, 1);
        let more = vec!["/b".to_owned(), "/c".to_owned()];
        spec.files = Some(Files {
            more,
            order: FileOrder::Turns,
            turn: 1,
            favour: None,
            parts: vec![],
            open: None,
            endless: false,
        });
        let mut pattern = Pattern::new(&Arc::new(spec.clone()), 0, &blocks(&spec));
        let each = 8 * 4096;
        let group = |pattern: &mut Pattern| {
            [0, 1]
                .map(|_| pattern.draw::<false>().unwrap().offset / each)
                .into_iter()
                .chain([pattern.sync_offset() / each])
                .collect::<Vec<_>>()
                .try_into()
                .unwrap()
        };
        let groups: Vec<[u64; 3]> = (0..12).map(|_| group(&mut pattern)).collect();
        assert!(groups[..8].iter().all(|group| *group == [0, 1, 2]), "{groups:?}");
        assert!(groups[8..].iter().all(|group| group[..2] == [2, 2]), "{groups:?}");
        // A file with gaps is never through.
        spec.sequence = Some(Sequence { every: 1, stay: false, skip: 4096 });
        let mut pattern = Pattern::new(&Arc::new(spec.clone()), 0, &blocks(&spec));
        assert!((0..12).all(|_| group(&mut pattern) == [0, 1, 2]));
    }

    #[test]
    fn files_of_many_sizes_are_through_when_they_have_had_theirs() {
        for mode in [Mode::Write, Mode::Randwrite] {
            for order in [FileOrder::Turns, FileOrder::Sequential, FileOrder::Random] {
                let mut spec = spec(mode, &[4096], 0, 12 * 4096, 1);
                let more = (1..4).map(|number| format!("/{number}")).collect();
                let parts = [2, 0, 7, 3].map(|blocks| blocks * 4096).to_vec();
                spec.files = Some(Files { more, order, turn: 1, favour: None, parts, open: None, endless: false });
                for pass in draws(&spec, 0, 36).chunks(12) {
                    let mut seen: Vec<u64> = pass.iter().map(|next| next.offset / 4096).collect();
                    seen.sort_unstable();
                    assert!(seen.into_iter().eq(0..12), "{mode:?} {order:?}");
                }
            }
        }
    }

    #[test]
    fn no_more_files_are_in_use_than_may_be_open() {
        let files_of = |order, open| {
            let mut spec = spec(Mode::Write, &[4096], 0, 24 * 4096, 1);
            let more = (1..6).map(|number| format!("/{number}")).collect();
            spec.files = Some(Files { more, order, turn: 1, favour: None, parts: vec![], open, endless: false });
            spec
        };
        let numbers =
            |spec: &JobSpec| -> Vec<u64> { draws(spec, 0, 24).iter().map(|next| next.offset / (4 * 4096)).collect() };
        // As fio 3.33 writes them with openfiles=2.
        let turns = numbers(&files_of(FileOrder::Turns, Some(2)));
        let pair = |first: u64| [first, first + 1].repeat(4);
        assert_eq!(turns, [pair(0), pair(2), pair(4)].concat());
        let random = numbers(&files_of(FileOrder::Random, Some(2)));
        let mut left = [4; 6];
        for file in random {
            left[file as usize] -= 1;
            let begun = left.iter().filter(|&&left| 0 < left && left < 4).count();
            assert!(begun <= 2, "{left:?}");
        }
        assert_eq!(left, [0; 6]);
        let mut endless = files_of(FileOrder::Turns, Some(2));
        endless.files.as_mut().unwrap().endless = true;
        assert_eq!(numbers(&endless), [0, 1].repeat(12));
    }

    #[test]
    fn some_files_come_more_often() {
        let mut spec = spec(Mode::Randread, &[4096], 0, 8 << 20, 1);
        let more: Vec<String> = (1..8).map(|number| format!("/{number}")).collect();
        // As fio counts them with zipf:1.2:0 and with gauss:10.
        for (favour, hot, share) in [
            (Distribution::Zipf { theta: 1.2, centre: Some(0.0) }, 0..1, 0.89..0.94),
            (Distribution::Normal { deviation: 0.1, centre: None }, 3..5, 0.83..0.88),
        ] {
            let more = more.clone();
            spec.files = Some(Files {
                more,
                order: FileOrder::Random,
                turn: 1,
                favour: Some(favour),
                parts: vec![],
                open: None,
                endless: false,
            });
            let all = draws(&spec, 0, 2000);
            let there = all.iter().filter(|next| hot.contains(&(next.offset >> 20))).count() as f64 / 2000.0;
            assert!(share.contains(&there), "{hot:?}: {there}");
        }
    }

    #[test]
    fn every_block_of_every_file_comes_once() {
        for order in [FileOrder::Turns, FileOrder::Sequential, FileOrder::Random] {
            let mut spec = spec(Mode::Randread, &[4096], 0, 24 * 4096, 1);
            let more = vec!["/b".to_owned(), "/c".to_owned()];
            spec.files = Some(Files { more, order, turn: 1, favour: None, parts: vec![], open: None, endless: false });
            let mut seen: Vec<u64> = draws(&spec, 0, 24).iter().map(|next| next.offset / 4096).collect();
            assert!(seen[..8] != seen[8..16], "{order:?}");
            seen.sort_unstable();
            assert!(seen.into_iter().eq(0..24), "{order:?}");
        }
    }
}
