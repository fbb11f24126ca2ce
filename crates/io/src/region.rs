//! The region of a job: who works on which part of it, and an operation in it.

use plimsoll_core::distribution::Blocks;

use crate::engine::OpKind;
use crate::rotation;
use crate::spec::{Distribution, JobSpec};

/// An operation before it has a tag and a buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Next {
    /// What it does.
    pub kind: OpKind,
    /// First byte in the file.
    pub offset: u64,
    /// Bytes.
    pub length: u32,
}

/// The distribution of a job over its region, or over that part of it that is in one of several files, computed once and then given to each thread's [`Pattern`].
pub fn blocks(spec: &JobSpec) -> Blocks {
    blocks_of(spec, &spec.distribution)
}

fn blocks_of(spec: &JobSpec, kind: &Distribution) -> Blocks {
    let unit = spec.grid();
    Blocks::new(kind, slice(spec, 0).1 / rotation::count(spec) as u64 / unit, unit, spec.seed)
}

/// The distribution of a job over so many bytes.
pub fn blocks_in(spec: &JobSpec, bytes: u64) -> Blocks {
    let unit = spec.grid();
    Blocks::new(&spec.distribution, bytes / unit, unit, spec.seed)
}

/// First byte and length of the part of the region that thread `thread` works on.
pub fn slice(spec: &JobSpec, thread: u32) -> (u64, u64) {
    if spec.files.is_some() {
        return (0, spec.size);
    }
    if spec.mode.is_random() && !spec.verify {
        return (spec.offset, spec.size);
    }
    let unit = spec.smallest_block();
    let length = spec.size / u64::from(spec.threads) / unit * unit;
    (spec.offset + u64::from(thread) * length, length)
}
