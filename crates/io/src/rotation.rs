//! Which of several files is next: fio's `file_service_type`, tried with its binary.

use plimsoll_core::distribution::Blocks;
use plimsoll_core::random::{Purpose, Stream};
use plimsoll_core::spec::{FileOrder, Files, JobSpec};

/// Parts of a file that a distribution over files tells apart, so that it is one over few of them, too: as many as fio has.
const FINE: u64 = 1024;

/// The order of the files of one thread, without end. A file is through when it has had as many bytes as it holds; when
/// all are, the next pass begins at the first.
#[derive(Debug)]
pub struct Rotation {
    order: FileOrder,
    turn: u64,
    /// Bytes after which a file is through.
    each: u64,
    /// Bytes that each has had in this pass.
    done: Vec<u64>,
    at: usize,
    /// Operations since it is the turn of this file.
    served: u64,
    draws: Stream,
    /// Which files come more often, in [`FINE`] parts of each.
    favour: Option<Blocks>,
}

/// Files that the region of a job lies over.
pub fn count(spec: &JobSpec) -> u64 {
    spec.files.as_ref().map_or(1, |files| files.more.len() as u64 + 1)
}

/// Bytes of the region in each of them.
pub fn each(spec: &JobSpec) -> u64 {
    spec.size / count(spec)
}

impl Rotation {
    /// At the first file.
    pub fn new(spec: &JobSpec, files: &Files) -> Self {
        Self {
            order: files.order,
            turn: files.turn,
            // A file with gaps, or that may come more often than others, begins anew at its end, and is never through: so
            // it is with fio.
            each: if files.favour.is_some() || spec.sequence.is_some_and(|sequence| sequence.skip > 0) {
                u64::MAX
            } else {
                each(spec)
            },
            done: vec![0; files.more.len() + 1],
            at: 0,
            served: 0,
            draws: Stream::new(spec.seed, 0, Purpose::File),
            favour: files.favour.as_ref().map(|kind| Blocks::new(kind, count(spec) * FINE, 1, spec.seed)),
        }
    }

    /// The file of an operation; one without bytes, a sync, takes its turn like any other, as with fio.
    pub fn next(&mut self, length: u64) -> usize {
        let count = self.done.len();
        let over = self.served >= self.turn;
        let first = match self.order {
            FileOrder::Turns if over => (self.at + 1) % count,
            FileOrder::Random if over || self.served == 0 => match &mut self.favour {
                Some(favour) => (favour.draw_in_order(&mut self.draws) / FINE) as usize,
                None => self.draws.below(count as u64) as usize,
            },
            _ => self.at,
        };
        let fits = |&index: &usize| self.done[index] + length.max(1) <= self.each;
        let chosen = (0..count).map(|step| (first + step) % count).find(fits).unwrap_or_else(|| {
            self.done.fill(0);
            0
        });
        if over || chosen != self.at {
            (self.at, self.served) = (chosen, 0);
        }
        self.served += 1;
        self.done[chosen] += length;
        chosen
    }
}
