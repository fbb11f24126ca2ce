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
    let unit = SizeMix::new(&spec.block_sizes).smallest();
    Blocks::new(spec.distribution, slice(spec, 0).1 / unit, spec.seed)
}

/// First byte and length of the part of the region that thread `thread` works on.
pub fn slice(spec: &JobSpec, thread: u32) -> (u64, u64) {
    if spec.mode.is_random() && !spec.verify {
        return (spec.offset, spec.size);
    }
    let unit = SizeMix::new(&spec.block_sizes).smallest();
    let length = spec.size / u64::from(spec.threads) / unit * unit;
    (spec.offset + u64::from(thread) * length, length)
}

impl Pattern {
    /// The pattern of thread `thread`, with the job's [`blocks`].
    pub fn new(spec: &JobSpec, thread: u32, blocks: &Blocks) -> Self {
        let (base, size) = slice(spec, thread);
        let sizes = SizeMix::new(&spec.block_sizes);
        let stream = |purpose| Stream::new(spec.seed, thread, purpose);
        // Slices are disjoint already; only a shared region has to be dealt out.
        let (dealer, hands) = if spec.verify { (0, 1) } else { (thread, spec.threads) };
        Self {
            base,
            size,
            unit: sizes.smallest(),
            sizes,
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
        let kind = match self.only {
            Some(kind) => kind,
            None if self.kinds.chance(self.read_share) => Kind::Read,
            None => Kind::Write,
        };
        let length = self.sizes.draw(&mut self.draws);
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
