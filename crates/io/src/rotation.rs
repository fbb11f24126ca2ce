//! Which of several files is next: fio's `file_service_type` and `openfiles`, tried with its binary.

use crate::spec::{FileOrder, Files, JobSpec};
use plimsoll_core::distribution::Blocks;
use plimsoll_core::random::{Purpose, Stream};

/// Parts of a file that a distribution over files tells apart, so that it is one over few of them, too: as many as fio has.
const FINE: u64 = 1024;
/// Draws for a file that is open, where some files come more often: those that do are soon among the open ones.
const MOST_DRAWS: usize = 1000;

/// The order of the files of one thread, without end. A file is through when it has had as many bytes as it holds; when
/// all are, the next pass begins at the first. Where fewer than all may be open, the order is one of those that are; one
/// that is through gives way to the next.
#[derive(Debug, Clone)]
pub struct Rotation {
    order: FileOrder,
    turn: u64,
    /// No file is ever through.
    endless: bool,
    /// Bytes after which each is through.
    parts: Vec<u64>,
    /// Bytes that each has had in this pass.
    done: Vec<u64>,
    /// Files that may be open.
    limit: usize,
    /// Files that are, and which.
    open: Vec<usize>,
    is_open: Vec<bool>,
    at: usize,
    /// Operations since it is the turn of this file.
    served: u64,
    draws: Stream,
    /// Which files come more often, in [`FINE`] parts of each.
    favour: Option<Blocks>,
}

/// Files that the region of a job lies over.
pub fn count(spec: &JobSpec) -> usize {
    spec.files.as_ref().map_or(1, |files| files.more.len() + 1)
}

/// Bytes of the region in one of them.
pub fn part(spec: &JobSpec, index: usize) -> u64 {
    let parts = spec.files.as_ref().map_or(&[][..], |files| &files.parts);
    parts.get(index).copied().unwrap_or(spec.size / count(spec) as u64)
}

/// The byte of the region that is the first in one of them.
pub fn begin(spec: &JobSpec, index: usize) -> u64 {
    (0..index).map(|before| part(spec, before)).sum()
}

impl Rotation {
    /// At the first file.
    pub fn new(spec: &JobSpec, files: &Files) -> Self {
        let count = count(spec);
        // A file with gaps, or that may come more often than others, begins anew at its end, and is never through: so it
        // is with fio.
        let gaps = spec.sequence.is_some_and(|sequence| sequence.skip != 0);
        let endless = files.endless || files.favour.is_some() || gaps;
        let through = |part: u64| if endless && part > 0 { u64::MAX } else { part };
        Self {
            order: files.order,
            turn: files.turn,
            endless,
            parts: (0..count).map(|index| through(part(spec, index))).collect(),
            done: vec![0; count],
            limit: files.open.unwrap_or(count),
            open: Vec::new(),
            is_open: vec![false; count],
            at: 0,
            served: 0,
            draws: Stream::new(spec.seed, 0, Purpose::File),
            favour: files.favour.as_ref().map(|kind| Blocks::new(kind, count as u64 * FINE, 1, spec.seed)),
        }
    }

    /// The file of an operation; one without bytes, a sync, takes its turn like any other, as with fio.
    pub fn next(&mut self, length: u64) -> usize {
        let over = self.served >= self.turn;
        let first = match self.order {
            FileOrder::Turns if over => (self.at + 1) % self.parts.len(),
            FileOrder::Random if over || self.served == 0 => self.drawn(length),
            _ => self.at,
        };
        let chosen = self.seek(first, length);
        if over || chosen != self.at {
            (self.at, self.served) = (chosen, 0);
        }
        self.served += 1;
        self.done[chosen] += length;
        chosen
    }

    /// Whether no file is ever through.
    pub fn is_endless(&self) -> bool {
        self.endless
    }

    /// Whether no file has room for an operation, so that the pass is over.
    pub fn is_through(&self, length: u64) -> bool {
        (0..self.parts.len()).all(|index| !self.fits(index, length))
    }

    /// Begins the next pass at the first file, with none of them through.
    pub fn begin_pass(&mut self) {
        self.begin_all();
        (self.at, self.served) = (0, 0);
    }

    fn begin_all(&mut self) {
        self.done.fill(0);
        (0..self.parts.len()).for_each(|index| self.close(index));
    }

    /// Whether a file is not through yet, nor still to come.
    pub fn is_open(&self, index: usize) -> bool {
        self.is_open[index]
    }

    fn fits(&self, index: usize, length: u64) -> bool {
        self.done[index].saturating_add(length.max(1)) <= self.parts[index]
    }

    /// The next one from `first` that has room and may be open.
    fn seek(&mut self, first: usize, length: u64) -> usize {
        let count = self.parts.len();
        // One that could not be opened the first time can be once another one was found to be through.
        for step in 0..2 * count {
            let index = (first + step) % count;
            if !self.fits(index, length) {
                self.close(index);
            } else if self.is_open[index] || self.open.len() < self.limit {
                return self.opened(index);
            }
        }
        self.begin_all();
        let chosen = (0..count).find(|&index| self.fits(index, length)).unwrap_or(0);
        self.opened(chosen)
    }

    fn opened(&mut self, index: usize) -> usize {
        if !std::mem::replace(&mut self.is_open[index], true) {
            self.open.push(index);
        }
        index
    }

    fn close(&mut self, index: usize) {
        if std::mem::replace(&mut self.is_open[index], false) {
            self.open.retain(|&other| other != index);
        }
    }

    /// Any file; where no more may be opened, any of the open ones.
    fn drawn(&mut self, length: u64) -> usize {
        let count = self.parts.len();
        while self.limit < count && self.open.len() == self.limit {
            if self.favour.is_some() {
                for _ in 0..MOST_DRAWS {
                    let index = self.draw();
                    if self.is_open[index] {
                        return index;
                    }
                }
                return self.open[0];
            }
            let index = self.open[self.draws.below(self.open.len() as u64) as usize];
            if self.fits(index, length) {
                return index;
            }
            self.close(index);
        }
        self.draw()
    }

    fn draw(&mut self) -> usize {
        match &mut self.favour {
            Some(favour) => (favour.draw_in_order(&mut self.draws) / FINE) as usize,
            None => self.draws.below(self.parts.len() as u64) as usize,
        }
    }
}
