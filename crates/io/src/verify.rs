//! Blocks that can be told apart: every written block carries where, when (which generation) and by which job it was
//! written, under a checksum, and a map in memory knows what must be there. Or it holds a pattern, and nothing else.
//!
//! Block layout, little endian: crc32 of the rest · generation (u32) · offset (u64) · seed (u64) · content.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

use crate::bits::Bits;
use crate::block_pattern::Pattern;
use crate::buffer::Buffer;
use crate::spec::JobSpec;

const HEADER: usize = 24;

/// What the blocks of one thread's slice of the region hold.
#[derive(Debug)]
pub struct Stamps {
    base: u64,
    unit: u64,
    seed: u64,
    checksums: bool,
    pattern: Option<Pattern>,
    stop_at_first: bool,
    /// What was written by another job is checked: its seed and its generations are not known.
    existing: bool,
    /// Of the last write; 0 when nothing is known about the block.
    generations: Vec<u16>,
    /// One bit per block that is being written, or read for a check.
    busy: Bits,
    /// One bit per block that has been checked since its last write.
    checked: Bits,
    /// By checks during the run.
    found: ReadBack,
}

/// Result of reading one slice back.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ReadBack {
    /// Blocks that were checked.
    pub blocks: u64,
    /// Blocks that were not what was written.
    pub bad_blocks: u64,
    /// Of the first bad block.
    pub first_bad_offset: Option<u64>,
}

impl ReadBack {
    fn count(&mut self, offset: u64, good: bool) {
        self.blocks += 1;
        if !good {
            self.bad_blocks += 1;
            self.first_bad_offset.get_or_insert(offset);
        }
    }

    /// Adds what was found in another slice.
    pub fn add(&mut self, other: Self) {
        self.blocks += other.blocks;
        self.bad_blocks += other.bad_blocks;
        self.first_bad_offset = self.first_bad_offset.or(other.first_bad_offset);
    }
}

impl Stamps {
    /// For the slice that begins at the first of two numbers and is as long as the second says.
    pub fn new(spec: &JobSpec, (base, size): (u64, u64)) -> Self {
        let (unit, how) = (spec.verified_block(), spec.verification.as_ref());
        let blocks = (size / unit) as usize;
        let pieces = how.map_or(&[][..], |how| &how.pattern);
        Self {
            base,
            unit,
            seed: spec.seed,
            checksums: how.is_none_or(|how| how.checksums),
            pattern: (!pieces.is_empty()).then(|| Pattern::new(pieces, spec.smallest_block())),
            stop_at_first: how.is_some_and(|how| how.stop_at_first),
            existing: spec.checks_reads(),
            generations: vec![0; if spec.checks_reads() { 0 } else { blocks }],
            busy: Bits::new(blocks),
            checked: Bits::new(blocks),
            found: ReadBack::default(),
        }
    }

    fn range(&self, offset: u64, length: u64) -> std::ops::Range<usize> {
        let first = ((offset - self.base) / self.unit) as usize;
        first..first + (length / self.unit) as usize
    }

    fn place(&self, index: usize) -> u64 {
        self.base + index as u64 * self.unit
    }

    /// Claims the blocks of a write or a check; false when one of them is being written or checked.
    pub fn reserve(&mut self, offset: u64, length: u32) -> bool {
        let range = self.range(offset, u64::from(length));
        if range.clone().any(|block| self.busy.has(block)) {
            return false;
        }
        range.for_each(|block| self.busy.set(block, true));
        true
    }

    /// The write of the blocks has ended; after a failed one nothing is known about them.
    pub fn release(&mut self, offset: u64, length: u32, good: bool) {
        for block in self.range(offset, u64::from(length)) {
            self.busy.set(block, false);
            if !good {
                self.generations[block] = 0;
            }
        }
    }

    /// Puts the next generation of each block into the bytes to be written.
    pub fn stamp(&mut self, offset: u64, bytes: &mut [u8]) {
        if let Some(pattern) = &self.pattern {
            pattern.lay(offset, bytes);
        }
        let first = self.range(offset, 0).start;
        for (index, block) in (first..).zip(bytes.chunks_exact_mut(self.unit as usize)) {
            let place = self.place(index);
            let generation = &mut self.generations[index];
            *generation = generation.checked_add(1).unwrap_or(1);
            self.checked.set(index, false);
            if self.checksums {
                block[4..8].copy_from_slice(&u32::from(*generation).to_le_bytes());
                block[8..16].copy_from_slice(&place.to_le_bytes());
                block[16..HEADER].copy_from_slice(&self.seed.to_le_bytes());
                let sum = crc32fast::hash(&block[4..]);
                block[..4].copy_from_slice(&sum.to_le_bytes());
            }
        }
    }

    fn is_good(&self, index: usize, block: &[u8]) -> bool {
        if !self.checksums {
            return self.is_pattern(index, block);
        }
        let known = self.existing
            || block[4..8] == u32::from(self.generations[index]).to_le_bytes()
                && block[16..HEADER] == self.seed.to_le_bytes();
        known
            && block[8..16] == self.place(index).to_le_bytes()
            && block[..4] == crc32fast::hash(&block[4..]).to_le_bytes()
    }

    fn is_pattern(&self, index: usize, block: &[u8]) -> bool {
        let Some(pattern) = &self.pattern else { return true };
        let inside = index as u64 * self.unit % pattern.block;
        let mut whole = vec![0; pattern.block as usize];
        pattern.lay(self.place(index) - inside, &mut whole);
        whole[inside as usize..][..block.len()] == *block
    }

    /// Checks blocks that were read during the run. False when the job is to end at the first bad one, and one was bad.
    pub fn check(&mut self, offset: u64, bytes: &[u8]) -> bool {
        let first = self.range(offset, 0).start;
        for (index, block) in (first..).zip(bytes.chunks_exact(self.unit as usize)) {
            let good = self.is_good(index, block);
            self.found.count(self.place(index), good);
            self.checked.set(index, true);
            if !good && self.stop_at_first {
                return false;
            }
        }
        true
    }

    /// Whether every read is to be checked.
    pub fn checks_reads(&self) -> bool {
        self.existing
    }

    /// What the checks during the run have found.
    pub fn found(&self) -> ReadBack {
        self.found
    }

    fn is_due(&self, index: usize) -> bool {
        self.generations[index] != 0 && !self.checked.has(index)
    }

    /// Reads every written block that has not been checked yet, and checks it; tells what was found with what the run
    /// itself has found. `keep_going` is told the share done, 0…1, after each piece, and ends the pass early by returning
    /// false. A block that cannot be read counts as bad.
    pub fn read_back(
        &self,
        file: &File,
        buffer: &mut Buffer,
        mut keep_going: impl FnMut(f64) -> bool,
    ) -> io::Result<ReadBack> {
        let unit = self.unit as usize;
        let per_piece = (buffer.bytes().len() / unit).max(1);
        let mut found = self.found;
        for first in (0..self.generations.len()).step_by(per_piece) {
            let last = (first + per_piece).min(self.generations.len());
            if (first..last).any(|index| self.is_due(index)) {
                let bytes = &mut buffer.bytes_mut()[..(last - first) * unit];
                let got = read_fully(file, bytes, self.place(first))?;
                for (index, block) in (first..last).zip(bytes.chunks_exact(unit)) {
                    if self.is_due(index) {
                        let whole = (index - first + 1) * unit <= got;
                        found.count(self.place(index), whole && self.is_good(index, block));
                        if found.bad_blocks > 0 && self.stop_at_first {
                            return Ok(found);
                        }
                    }
                }
            }
            if !keep_going(last as f64 / self.generations.len() as f64) {
                break;
            }
        }
        Ok(found)
    }
}

/// As many bytes as there are; fewer only at the end of the file.
fn read_fully(file: &File, bytes: &mut [u8], offset: u64) -> io::Result<usize> {
    let mut got = 0;
    while got < bytes.len() {
        match file.read_at(&mut bytes[got..], offset + got as u64) {
            Ok(0) => break,
            Ok(n) => got += n,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(got)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::Piece;
    use proptest::prelude::*;

    /// `%o` is `None`.
    fn pattern(pieces: &[Option<&[u8]>], block: u64) -> Pattern {
        let pieces: Vec<Piece> =
            pieces.iter().map(|piece| piece.map_or(Piece::Offset, |bytes| Piece::Bytes(bytes.to_vec()))).collect();
        Pattern::new(&pieces, block)
    }

    #[test]
    fn patterns_begin_anew_in_each_block_and_name_it() {
        // As fio 3.33 writes verify_pattern=0xff%o"ab"-12 at 4096.
        let pattern = pattern(&[Some(&[0xff]), None, Some(b"ab"), Some(&[0xf4, 0xff, 0xff, 0xff])], 4096);
        let mut bytes = vec![0; 8192];
        pattern.lay(0, &mut bytes);
        let round = |place: u8| [0xff, 0, place, 0, 0, 0, 0, 0, 0, b'a', b'b', 0xf4, 0xff, 0xff, 0xff];
        assert_eq!(bytes[..30], [round(0), round(0)].concat());
        assert_eq!(bytes[4096..4126], [round(0x10), round(0x10)].concat());
        assert_eq!(bytes[4095], 0xff, "4096 = 273 · 15 + 1");
    }

    proptest! {
        #[test]
        fn one_byte_is_as_good_as_many(
            interval in prop::sample::select(vec![32u64, 512, 4096]), checksums: bool, patterned: bool,
            at in 0usize..8192, flip in 1u8..,
        ) {
            prop_assume!(checksums || patterned);
            let mut stamps = Stamps {
                base: 4096,
                unit: interval,
                seed: 7,
                checksums,
                pattern: patterned.then(|| pattern(&[Some(b"abc"), None], 4096)),
                stop_at_first: false,
                existing: false,
                generations: vec![0; 16384 / interval as usize],
                busy: Bits::new(16384 / interval as usize),
                checked: Bits::new(16384 / interval as usize),
                found: ReadBack::default(),
            };
            let mut bytes = vec![0x55; 8192];
            stamps.stamp(8192, &mut bytes);
            prop_assert!(stamps.check(8192, &bytes));
            prop_assert_eq!(stamps.found(), ReadBack { blocks: 8192 / interval, ..ReadBack::default() });
            stamps.found = ReadBack::default();
            bytes[at] ^= flip;
            stamps.check(8192, &bytes);
            let bad = 8192 + at as u64 / interval * interval;
            prop_assert_eq!(stamps.found().bad_blocks, 1);
            prop_assert_eq!(stamps.found().first_bad_offset, Some(bad));
            stamps.stop_at_first = true;
            prop_assert!(!stamps.check(8192, &bytes));
        }
    }
}
