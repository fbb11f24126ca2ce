//! What is written over and over into each block, in place of random bytes.

use crate::spec::Piece;

/// Content that is known beforehand.
#[derive(Debug)]
pub struct Pattern {
    /// Bytes after which it begins again.
    round: Vec<u8>,
    /// Places in it that hold the offset of the block.
    offsets: Vec<usize>,
    /// Bytes of the blocks that it begins anew in.
    pub block: u64,
}

impl Pattern {
    /// From its pieces; `block` is not 0.
    pub fn new(pieces: &[Piece], block: u64) -> Self {
        let (mut round, mut offsets) = (Vec::new(), Vec::new());
        for piece in pieces {
            match piece {
                Piece::Bytes(bytes) => round.extend(bytes),
                Piece::Offset => {
                    offsets.push(round.len());
                    round.extend([0; 8]);
                }
            }
        }
        Self { round, offsets, block }
    }

    /// Fills whole blocks; the first one lies at `place`.
    pub fn lay(&self, place: u64, bytes: &mut [u8]) {
        for (place, block) in (place..).step_by(self.block as usize).zip(bytes.chunks_mut(self.block as usize)) {
            for round in block.chunks_mut(self.round.len()) {
                round.copy_from_slice(&self.round[..round.len()]);
                for &at in &self.offsets {
                    let length = round.len().saturating_sub(at).min(8);
                    if length > 0 {
                        round[at..at + length].copy_from_slice(&place.to_le_bytes()[..length]);
                    }
                }
            }
        }
    }
}
