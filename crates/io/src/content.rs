//! What written blocks hold.

use plimsoll_core::random::{Purpose, Stream, mix64};

use crate::block_pattern::Pattern;
use crate::spec::{Content, JobSpec};

/// Content and marks are laid out in pieces of this size, the smallest unit that devices deduplicate or compress.
const CHUNK: usize = 512;

/// Fills buffers with the content a job asks for, and marks every write so that no two are equal.
#[derive(Debug)]
pub struct Filler {
    /// Leading bytes of each chunk that are random.
    random_bytes: usize,
    stream: Stream,
    mark: u64,
    /// Where blocks repeat.
    repeats: Option<Repeats>,
    /// In place of all that.
    pattern: Option<Pattern>,
}

/// Blocks of one size that differ by their marks alone, so that one with the marks of another is the same.
#[derive(Debug)]
struct Repeats {
    share: f64,
    block: Vec<u8>,
    /// The mark that the last new block began with.
    last: Option<u64>,
    /// Any of these blocks may be next, by the number that their marks come from; otherwise the last new one is.
    set: Option<(u64, u64)>,
}

impl Filler {
    /// The content of one thread, whose writes are whole numbers of the smallest block where they repeat.
    pub fn new(spec: &JobSpec, mut stream: Stream) -> Self {
        let unit = spec.smallest_block();
        let share = if spec.content == Content::Zero { 0.0 } else { 1.0 - spec.compressible };
        let pattern = (!spec.pattern.is_empty()).then(|| Pattern::new(&spec.pattern, unit));
        let random_bytes = if pattern.is_some() { 0 } else { (CHUNK as f64 * share).round() as usize };
        let mut filler = Self { random_bytes, mark: stream.bits() | 1, stream, repeats: None, pattern };
        if spec.dedupe > 0.0 {
            let mut block = vec![0; unit as usize];
            let seed = spec.shared_seed.unwrap_or(spec.seed);
            let set = (spec.working_set > 0).then_some((spec.working_set, mix64(seed)));
            if spec.shared_seed.is_some() {
                let own = std::mem::replace(&mut filler.stream, Stream::new(seed, 0, Purpose::Content));
                filler.draw(&mut block);
                filler.stream = own;
            } else {
                filler.draw(&mut block);
            }
            filler.repeats = Some(Repeats { share: spec.dedupe, block, last: None, set });
        }
        filler
    }

    /// First content of a buffer.
    pub fn fill(&mut self, bytes: &mut [u8]) {
        match &self.repeats {
            Some(Repeats { block, .. }) => {
                bytes.chunks_mut(block.len()).for_each(|part| part.copy_from_slice(&block[..part.len()]));
            }
            None => self.draw(bytes),
        }
    }

    fn draw(&mut self, bytes: &mut [u8]) {
        for chunk in bytes.chunks_mut(CHUNK) {
            let random = self.random_bytes.min(chunk.len());
            self.stream.fill(&mut chunk[..random]);
            chunk[random..].fill(0);
        }
    }

    /// Changes eight bytes of every chunk, so that devices cannot deduplicate. Content that is (nearly) all zero stays.
    #[inline]
    pub fn stamp(&mut self, offset: u64, bytes: &mut [u8]) {
        if self.random_bytes < 8 {
            return self.lay(offset, bytes);
        }
        if self.repeats.is_none() {
            self.mark = mark(bytes, self.mark);
        } else {
            self.repeat(bytes);
        }
    }

    /// The content of blocks of which some are alike.
    #[inline(never)]
    fn repeat(&mut self, bytes: &mut [u8]) {
        let Some(Repeats { share, block, last, set }) = &mut self.repeats else { return };
        for part in bytes.chunks_mut(block.len()) {
            if let Some((blocks, seed)) = *set {
                if self.stream.chance(*share) {
                    mark(part, mix64(seed ^ self.stream.below(blocks)));
                } else {
                    self.mark = mark(part, self.mark);
                }
                continue;
            }
            match last {
                Some(begin) if self.stream.chance(*share) => {
                    mark(part, *begin);
                }
                _ => {
                    *last = Some(self.mark);
                    self.mark = mark(part, self.mark);
                }
            }
        }
    }

    /// The pattern, if there is one.
    #[cold]
    fn lay(&self, offset: u64, bytes: &mut [u8]) {
        if let Some(pattern) = &self.pattern {
            pattern.lay(offset, bytes);
        }
    }
}

/// Puts the marks after `last` into the chunks; returns the last of them.
#[inline]
fn mark(bytes: &mut [u8], mut last: u64) -> u64 {
    for chunk in bytes.chunks_mut(CHUNK) {
        if let Some(head) = chunk.first_chunk_mut::<8>() {
            // A Weyl sequence: 2⁶⁴ steps before a mark comes back, and cheaper than any generator.
            last = last.wrapping_add(0x9E37_79B9_7F4A_7C15);
            *head = last.to_le_bytes();
        }
    }
    last
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::buffer::{ALIGNMENT, Pool};
    use crate::pattern::tests::spec;
    use crate::spec::Mode;
    use flate2::Compression;
    use flate2::write::DeflateEncoder;
    use std::io::Write;

    fn asked(zero: bool, compressible: f64, dedupe: f64) -> JobSpec {
        let mut spec = spec(Mode::Write, &[4096], 0, 1 << 20, 1);
        spec.content = if zero { Content::Zero } else { Content::Random };
        (spec.compressible, spec.dedupe) = (compressible, dedupe);
        spec
    }

    fn content(zero: bool, compressible: f64) -> Vec<u8> {
        let (_pool, mut buffers) = Pool::new(1, 256 * 1024).unwrap();
        let mut filler = Filler::new(&asked(zero, compressible, 0.0), Stream::new(1, 0, Purpose::Content));
        filler.fill(buffers[0].bytes_mut());
        filler.stamp(0, buffers[0].bytes_mut());
        buffers[0].bytes().to_vec()
    }

    fn deflated_share(bytes: &[u8]) -> f64 {
        let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap().len() as f64 / bytes.len() as f64
    }

    #[test]
    fn a_real_compressor_finds_the_share_that_was_asked_for() {
        for share in [0.0, 0.25, 0.5, 0.75, 0.9] {
            let left = deflated_share(&content(false, share));
            assert!((left - (1.0 - share)).abs() < 0.06, "compressible {share}: {left} left");
        }
        assert!(content(true, 0.0).iter().all(|&b| b == 0));
        assert!(content(false, 1.0).iter().all(|&b| b == 0));
    }

    #[test]
    fn stamped_chunks_never_repeat() {
        let (_pool, mut buffers) = Pool::new(1, 4096).unwrap();
        let mut filler = Filler::new(&asked(false, 0.0, 0.0), Stream::new(1, 0, Purpose::Content));
        let bytes = buffers[0].bytes_mut();
        filler.fill(bytes);
        let mut seen = std::collections::HashSet::new();
        for _ in 0..1000 {
            filler.stamp(0, bytes);
            assert!(bytes.chunks(CHUNK).all(|chunk| seen.insert(chunk.to_vec())));
        }
    }

    #[test]
    fn the_share_of_blocks_that_repeat_is_the_one_asked_for() {
        for (dedupe, compressible, low, high) in [
            (0.5, 0.0, 950, 1050),
            (0.9, 0.0, 160, 240),
            (0.3, 0.5, 1340, 1460),
            (1.0, 0.0, 1, 1),
            (0.0, 0.5, 2000, 2000),
        ] {
            let (_pool, mut buffers) = Pool::new(2, 8192).unwrap();
            let stream = Stream::new(1, 0, Purpose::Content);
            let mut filler = Filler::new(&asked(false, compressible, dedupe), stream);
            buffers.iter_mut().for_each(|buffer| filler.fill(buffer.bytes_mut()));
            let mut seen = std::collections::HashSet::new();
            for turn in 0..1000 {
                let bytes = buffers[turn % 2].bytes_mut();
                filler.stamp(0, bytes);
                seen.extend(bytes.chunks(4096).map(<[u8]>::to_vec));
            }
            assert!((low..=high).contains(&seen.len()), "{dedupe}: {} of 2000", seen.len());
        }
    }

    #[test]
    fn buffers_are_aligned_and_disjoint() {
        let (pool, mut buffers) = Pool::new(5, 5000).unwrap();
        for (i, buffer) in buffers.iter_mut().enumerate() {
            assert_eq!(buffer.as_mut_ptr() as usize % ALIGNMENT, 0);
            buffer.bytes_mut().fill(i as u8 + 1);
        }
        for (i, buffer) in buffers.iter().enumerate() {
            assert!(buffer.bytes().iter().all(|&b| b == i as u8 + 1));
            assert_eq!(usize::from(buffer.index()), i);
        }
        assert_eq!(pool.iovecs().len(), 5);
    }
}
