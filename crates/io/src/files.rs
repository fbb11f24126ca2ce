//! The files of a job: one; or several, over which the region then lies, one behind the other.

use std::fs::File;
use std::os::fd::{AsRawFd, RawFd};

use crate::spec::JobSpec;

use crate::rotation;

/// Stands for a file that is not open.
const CLOSED: RawFd = -1;

/// At least one file, open or not.
#[derive(Debug)]
pub struct Files {
    open: Vec<Option<File>>,
    map: Map,
}

/// Which file an offset of the region is in, and where in it. Engines keep one.
#[derive(Debug, Clone)]
pub struct Map {
    descriptors: Vec<RawFd>,
    /// First byte of the region in each of several files.
    first: u64,
    cut: Cut,
}

/// Where the region passes from one file to the next.
#[derive(Debug, Clone)]
enum Cut {
    /// As many bytes in each.
    Even(u64),
    /// The bytes of the region that are first in each.
    At(Vec<u64>),
}

impl Files {
    /// The one file of a job, where offsets of the region are those of the file.
    pub fn one(file: File) -> Self {
        let map = Map { descriptors: vec![file.as_raw_fd()], first: 0, cut: Cut::Even(u64::MAX) };
        Self { open: vec![Some(file)], map }
    }

    /// Those of a job with several, none of them open yet.
    pub fn several(spec: &JobSpec) -> Self {
        let count = rotation::count(spec);
        let parts = spec.files.as_ref().map_or(&[][..], |files| &files.parts);
        let cut = if parts.is_empty() {
            Cut::Even(spec.size / count as u64)
        } else {
            let begin = |end: &mut u64, part: &u64| {
                *end += part;
                Some(*end - part)
            };
            Cut::At(parts.iter().scan(0, begin).collect())
        };
        let open = (0..count).map(|_| None).collect();
        Self { open, map: Map { descriptors: vec![CLOSED; count], first: spec.offset, cut } }
    }

    /// Puts a file, or none, in the place of another one; tells what engines need to know of it.
    pub fn put(&mut self, index: usize, file: Option<File>) -> RawFd {
        let descriptor = file.as_ref().map_or(CLOSED, AsRawFd::as_raw_fd);
        self.open[index] = file;
        self.map.put(index, descriptor);
        descriptor
    }

    /// Whether a file is open.
    #[inline]
    pub fn is_open(&self, index: usize) -> bool {
        self.open[index].is_some()
    }

    /// For an engine.
    pub fn map(&self) -> Map {
        self.map.clone()
    }

    /// Number of the file that an offset is in.
    #[inline]
    pub fn index(&self, offset: u64) -> usize {
        self.map.find(offset).0
    }

    /// The file of an offset, if it is open, and the offset in it.
    pub fn find(&self, offset: u64) -> (Option<&File>, u64) {
        let (index, offset) = self.map.find(offset);
        (self.open[index].as_ref(), offset)
    }

    /// Those that are open, each with its number.
    pub fn iter(&self) -> impl Iterator<Item = (usize, &File)> {
        self.open.iter().enumerate().filter_map(|(index, file)| Some((index, file.as_ref()?)))
    }
}

impl Map {
    /// All descriptors, for registration; less than 0 where a file is not open.
    pub fn descriptors(&self) -> &[RawFd] {
        &self.descriptors
    }

    /// Another descriptor for a file.
    pub fn put(&mut self, index: usize, descriptor: RawFd) {
        self.descriptors[index] = descriptor;
    }

    /// Number of the file, and the offset in it.
    #[inline]
    pub fn find(&self, offset: u64) -> (usize, u64) {
        if self.descriptors.len() == 1 {
            return (0, offset);
        }
        match &self.cut {
            Cut::Even(each) => ((offset / each) as usize, self.first + offset % each),
            Cut::At(begins) => {
                // Of files that begin at one byte all but the last hold nothing.
                let index = begins.partition_point(|&begin| begin <= offset) - 1;
                (index, self.first + offset - begins[index])
            }
        }
    }

    /// Descriptor of the file, and the offset in it.
    #[inline]
    pub fn place(&self, offset: u64) -> (RawFd, u64) {
        let (index, offset) = self.find(offset);
        (self.descriptors[index], offset)
    }
}
