//! fio's `zonemode=strided`: a part of the region is used until enough was moved, then the next one.

use crate::spec::{self, JobSpec};
use plimsoll_core::distribution::Blocks;

use crate::region::blocks_in;

/// Where the current zone is.
#[derive(Debug, Clone)]
pub struct Strides {
    asked: spec::Strides,
    /// Bytes of the region.
    size: u64,
    /// First byte of the current zone.
    at: u64,
    /// Bytes moved in it.
    moved: u64,
    /// Random places in a zone, as they are at its begin.
    fresh: Option<Blocks>,
}

/// What a zone gives for an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Zone {
    /// First byte.
    pub begin: u64,
    /// It is a new one.
    pub anew: bool,
}

impl Strides {
    /// Nothing where the whole region is used.
    pub fn new(spec: &JobSpec) -> Option<Self> {
        let asked = spec.strides?;
        let fresh = spec.mode.is_random().then(|| blocks_in(spec, asked.range));
        Some(Self { asked, size: spec.size, at: 0, moved: 0, fresh })
    }

    /// The zone that an operation of so many bytes is in; it counts. After the last one comes the first.
    ///
    /// As with fio, a last zone that the region cuts short is used up to its end. In random modes, where fio's job ends
    /// at the first place behind that end, such a zone is left out.
    pub fn next(&mut self, length: u64) -> Zone {
        let cut = self.at + self.asked.range > self.size;
        let anew = self.moved >= self.asked.bytes || (cut && self.at + self.moved + length > self.size);
        if anew {
            self.moved = 0;
            self.at += self.asked.range + self.asked.skip;
            let needs = if self.fresh.is_some() { self.asked.range } else { length };
            if self.at + needs > self.size {
                self.at = 0;
            }
        }
        self.moved += length;
        Zone { begin: self.at, anew }
    }

    /// Bytes that a zone's operations lie in.
    pub fn range(&self) -> u64 {
        self.asked.range
    }

    /// Random places of a new zone.
    pub fn fresh(&self) -> Option<Blocks> {
        self.fresh.clone()
    }
}
