//! Which operation comes next: kind, offset and length.

use plimsoll_core::distribution::Blocks;
use plimsoll_core::random::{Purpose, Stream};
use plimsoll_core::size_mix::SizeMix;
use plimsoll_core::spec::{JobSpec, Mode};

use crate::engine::Kind;

/// An operation before it has a tag and a buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Next {
    /// What it does.
    pub kind: Kind,
    /// First byte in the file.
    pub offset: u64,
    /// Bytes.
    pub length: u32,
}

/// The operations of one thread, without end.
///
/// Sequential modes split the region into one slice per thread and go round in it. Random modes share the whole region,
/// except when verifying: then each thread owns its slice, so that no two threads write the same block.
#[derive(Debug)]
pub struct Pattern {
    base: u64,
    size: u64,
    unit: u64,
    sizes: SizeMix,
    /// Sizes of writes where they have their own.
    write_sizes: Option<SizeMix>,
    /// Kinds take turns; true: the last one was a write.
    turns: Option<bool>,
    only: Option<Kind>,
    read_share: f64,
    random: Option<Blocks>,
    random_share: f64,
    /// Where the last operation ended, relative to `base`.
    follow: u64,
    offsets: Stream,
    kinds: Stream,
    draws: Stream,
    follows: Stream,
}

/// The distribution of a job over its region, computed once and then given to each thread's [`Pattern`].
pub fn blocks(spec: &JobSpec) -> Blocks {
    let unit = spec.smallest_block();
    Blocks::new(spec.distribution, slice(spec, 0).1 / unit, spec.seed)
}

/// First byte and length of the part of the region that thread `thread` works on.
pub fn slice(spec: &JobSpec, thread: u32) -> (u64, u64) {
    if spec.mode.is_random() && !spec.verify {
        return (spec.offset, spec.size);
    }
    let unit = spec.smallest_block();
    let length = spec.size / u64::from(spec.threads) / unit * unit;
    (spec.offset + u64::from(thread) * length, length)
}

impl Pattern {
    /// The pattern of thread `thread`, with the job's [`blocks`].
    pub fn new(spec: &JobSpec, thread: u32, blocks: &Blocks) -> Self {
        let (base, size) = slice(spec, thread);
        let stream = |purpose| Stream::new(spec.seed, thread, purpose);
        // Slices are disjoint already; only a shared region has to be dealt out.
        let (dealer, hands) = if spec.verify { (0, 1) } else { (thread, spec.threads) };
        Self {
            base,
            size,
            unit: spec.smallest_block(),
            sizes: SizeMix::new(&spec.block_sizes),
            write_sizes: (!spec.write_block_sizes.is_empty()).then(|| SizeMix::new(&spec.write_block_sizes)),
            turns: spec.alternate.then_some(false),
            only: match spec.mode {
                Mode::Read | Mode::Randread => Some(Kind::Read),
                Mode::Write | Mode::Randwrite => Some(Kind::Write),
                Mode::Trim | Mode::Randtrim => Some(Kind::Trim),
                Mode::Rw | Mode::Randrw => None,
            },
            read_share: spec.read_share,
            random: spec.mode.is_random().then(|| blocks.for_thread(dealer, hands)),
            random_share: spec.random_share,
            follow: 0,
            offsets: stream(Purpose::Offset),
            kinds: stream(Purpose::Kind),
            draws: stream(Purpose::Size),
            follows: stream(Purpose::Follow),
        }
    }

    /// The next operation.
    #[inline]
    pub fn draw(&mut self) -> Next {
        let kind = match (self.only, &mut self.turns) {
            (Some(kind), _) => kind,
            (None, Some(wrote)) => {
                *wrote = !*wrote;
                if *wrote { Kind::Write } else { Kind::Read }
            }
            (None, None) if self.kinds.chance(self.read_share) => Kind::Read,
            (None, None) => Kind::Write,
        };
        let sizes = match &self.write_sizes {
            Some(sizes) if kind == Kind::Write => sizes,
            _ => &self.sizes,
        };
        let length = sizes.draw(&mut self.draws);
        let start = match &mut self.random {
            Some(blocks) if self.random_share >= 1.0 || self.follows.chance(self.random_share) => {
                let start = blocks.draw(&mut self.offsets) * self.unit;
                // A large operation of a mix that would stick out moves back to the last place where it fits.
                if start + length > self.size { (self.size - length) / self.unit * self.unit } else { start }
            }
            _ if self.follow + length > self.size => 0,
            _ => self.follow,
        };
        self.follow = (start + length).next_multiple_of(self.unit);
        Next { kind, offset: self.base + start, length: length as u32 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use plimsoll_core::spec::SizeWeight;
    use proptest::prelude::*;

    fn spec(mode: Mode, sizes: &[u64], offset: u64, size: u64, threads: u32) -> JobSpec {
        let mut spec: JobSpec = serde_json::from_str(
            r#"{"path":"/f","engine":"null","mode":"read","read_share":0.7,"block_sizes":[],"depth":1,"threads":1,
            "offset":0,"size":0,"direct":false,"sync":{"kind":"none","every":0,"at_end":false},
            "limit":{"runtime_ns":1,"bytes":null,"operations":null},"warmup_ns":0,"rate":null,"think":null,
            "distribution":{"kind":"once"},"random_share":1.0,"seed":1,
            "content":{"zero":false,"compressible":0.0},"layout":"keep","drop_cache":false,"verify":false,
            "cpus":[],"count_errors":false,"interval_ns":1,"sqpoll":false,"iopoll":false}"#,
        )
        .unwrap();
        (spec.mode, spec.offset, spec.size, spec.threads) = (mode, offset, size, threads);
        spec.block_sizes = sizes.iter().map(|&size| SizeWeight { size, weight: 1.0 }).collect();
        spec
    }

    fn draws(spec: &JobSpec, thread: u32, n: usize) -> Vec<Next> {
        let mut pattern = Pattern::new(spec, thread, &blocks(spec));
        (0..n).map(|_| pattern.draw()).collect()
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
    fn shares_of_reads_and_of_random_offsets_are_kept() {
        let mut spec = spec(Mode::Randrw, &[4096], 0, 1 << 30, 1);
        spec.random_share = 0.25;
        let all = draws(&spec, 0, 20_000);
        let reads = all.iter().filter(|next| next.kind == Kind::Read).count() as f64 / 20_000.0;
        assert!((reads - 0.7).abs() < 0.02, "{reads}");
        let jumps = all.windows(2).filter(|w| w[1].offset != w[0].offset + 4096).count() as f64 / 20_000.0;
        assert!((jumps - 0.25).abs() < 0.02, "{jumps}");
    }
}
