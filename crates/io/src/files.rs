//! The open files of a job: one; or several of one size, over which the region then lies, one behind the other.

use std::fs::File;
use std::os::fd::{AsRawFd, RawFd};

/// At least one file.
#[derive(Debug)]
pub struct Files {
    open: Vec<File>,
    map: Map,
}

/// Which file an offset of the region is in, and where in it. Engines keep one.
#[derive(Debug, Clone)]
pub struct Map {
    descriptors: Vec<RawFd>,
    /// First byte of the region in each of several files.
    first: u64,
    /// Bytes of the region in each of several files.
    each: u64,
}

impl Files {
    /// The one file of a job, where offsets of the region are those of the file.
    pub fn one(file: File) -> Self {
        Self::several(vec![file], 0, u64::MAX)
    }

    /// Files of which each holds `each` bytes of the region, from its byte `first`.
    pub fn several(open: Vec<File>, first: u64, each: u64) -> Self {
        let descriptors = open.iter().map(AsRawFd::as_raw_fd).collect();
        Self { open, map: Map { descriptors, first, each } }
    }

    /// For an engine.
    pub fn map(&self) -> Map {
        self.map.clone()
    }

    /// The file of an offset, and the offset in it.
    pub fn find(&self, offset: u64) -> (&File, u64) {
        let (index, offset) = self.map.find(offset);
        (&self.open[index], offset)
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &File> {
        self.open.iter()
    }
}

impl Map {
    /// All descriptors, for registration.
    pub fn descriptors(&self) -> &[RawFd] {
        &self.descriptors
    }

    /// Number of the file, and the offset in it.
    #[inline]
    pub fn find(&self, offset: u64) -> (usize, u64) {
        if self.descriptors.len() == 1 {
            return (0, offset);
        }
        ((offset / self.each) as usize, self.first + offset % self.each)
    }

    /// Descriptor of the file, and the offset in it.
    #[inline]
    pub fn place(&self, offset: u64) -> (RawFd, u64) {
        let (index, offset) = self.find(offset);
        (self.descriptors[index], offset)
    }
}
