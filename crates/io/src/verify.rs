//! Blocks that can be told apart: every written block carries where, when (which generation) and by which job it was
//! written, under a checksum, and a map in memory knows what must be there.
//!
//! Block layout, little endian: crc32 of the rest · generation (u32) · offset (u64) · seed (u64) · content.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

use crate::buffer::Buffer;

const HEADER: usize = 24;

/// What the blocks of one thread's slice of the region hold.
#[derive(Debug)]
pub struct Stamps {
    base: u64,
    unit: u64,
    seed: u64,
    /// Of the last write; 0 when nothing is known about the block.
    generations: Vec<u16>,
    /// One bit per block that is being written.
    busy: Vec<u64>,
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

impl Stamps {
    /// For the slice that begins at `base` and is `size` bytes long, in blocks of `unit`.
    pub fn new(base: u64, size: u64, unit: u64, seed: u64) -> Self {
        let blocks = (size / unit) as usize;
        Self { base, unit, seed, generations: vec![0; blocks], busy: vec![0; blocks.div_ceil(64)] }
    }

    fn range(&self, offset: u64, length: u64) -> std::ops::Range<usize> {
        let first = ((offset - self.base) / self.unit) as usize;
        first..first + (length / self.unit) as usize
    }

    /// Claims the blocks of a write; false when one of them is being written.
    pub fn reserve(&mut self, offset: u64, length: u32) -> bool {
        let range = self.range(offset, u64::from(length));
        if range.clone().any(|block| self.busy[block / 64] & (1 << (block % 64)) != 0) {
            return false;
        }
        range.for_each(|block| self.busy[block / 64] |= 1 << (block % 64));
        true
    }

    /// The write of the blocks has ended; after a failed one nothing is known about them.
    pub fn release(&mut self, offset: u64, length: u32, good: bool) {
        for block in self.range(offset, u64::from(length)) {
            self.busy[block / 64] &= !(1 << (block % 64));
            if !good {
                self.generations[block] = 0;
            }
        }
    }

    /// Puts the next generation of each block into the bytes to be written.
    pub fn stamp(&mut self, offset: u64, bytes: &mut [u8]) {
        let first = self.range(offset, 0).start;
        for (i, block) in bytes.chunks_exact_mut(self.unit as usize).enumerate() {
            let generation = &mut self.generations[first + i];
            *generation = generation.checked_add(1).unwrap_or(1);
            let place = self.base + (first + i) as u64 * self.unit;
            block[4..8].copy_from_slice(&u32::from(*generation).to_le_bytes());
            block[8..16].copy_from_slice(&place.to_le_bytes());
            block[16..HEADER].copy_from_slice(&self.seed.to_le_bytes());
            let sum = crc32fast::hash(&block[4..]);
            block[..4].copy_from_slice(&sum.to_le_bytes());
        }
    }

    fn is_good(&self, index: usize, block: &[u8]) -> bool {
        let place = self.base + index as u64 * self.unit;
        block[4..8] == u32::from(self.generations[index]).to_le_bytes()
            && block[8..16] == place.to_le_bytes()
            && block[16..HEADER] == self.seed.to_le_bytes()
            && block[..4] == crc32fast::hash(&block[4..]).to_le_bytes()
    }

    /// Reads every written block and checks it. `keep_going` is told the share done, 0…1, after each piece, and ends the
    /// pass early by returning false. A block that cannot be read counts as bad.
    pub fn read_back(
        &self,
        file: &File,
        buffer: &mut Buffer,
        mut keep_going: impl FnMut(f64) -> bool,
    ) -> io::Result<ReadBack> {
        let unit = self.unit as usize;
        let per_piece = (buffer.bytes().len() / unit).max(1);
        let mut found = ReadBack::default();
        for first in (0..self.generations.len()).step_by(per_piece) {
            let last = (first + per_piece).min(self.generations.len());
            if self.generations[first..last].iter().any(|&generation| generation != 0) {
                let bytes = &mut buffer.bytes_mut()[..(last - first) * unit];
                let got = read_fully(file, bytes, self.base + (first * unit) as u64)?;
                for (index, block) in (first..last).zip(bytes.chunks_exact(unit)) {
                    if self.generations[index] == 0 {
                        continue;
                    }
                    found.blocks += 1;
                    let whole = (index - first + 1) * unit <= got;
                    if !(whole && self.is_good(index, block)) {
                        found.bad_blocks += 1;
                        found.first_bad_offset.get_or_insert(self.base + index as u64 * self.unit);
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
