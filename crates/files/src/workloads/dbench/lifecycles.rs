//! What becomes of a file that comes and goes, from its creation to its removal.
//!
//! Counted in the load that comes with dbench 4.0: its 16,000 files have 27 kinds of lifecycles, each with the same number in all
//! of its 129 cycles; similar ones are one kind here. More than half are removed as soon as they were created, and what is
//! done with a file follows at once. It decides how often clients wait: who comes back to a file that a transaction of ext4
//! is writing meanwhile waits for its end.

use super::folders::{ACCESS, COREL, COUNT, EXCEL, PARADOX, POWERPOINT, WORD, WORDPRO, only};

/// What is done with a file next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// Created, and nothing else.
    Touch,
    /// Created and written.
    Fill,
    /// Created, written and flushed.
    Save,
    /// The same, and times set.
    SaveAndSet,
    /// Its first bytes, after it was created before.
    Begin,
    /// Opened and closed.
    Look,
    /// Opened, closed, and given another name.
    Rename,
    /// Its first 2 KiB read.
    ReadStart,
    /// Read.
    Read,
    /// Written behind its end, and read.
    Grow,
    /// The same, and flushed.
    GrowAndFlush,
    /// Read, overwritten, and times set.
    Change,
    /// The same, with two flushes.
    FlushTwice,
    /// The same, with six flushes.
    FlushOften,
    /// Asked for its facts.
    Ask,
    /// Times set.
    SetTimes,
}

impl Step {
    /// Whether the file is made by it.
    pub fn creates(self) -> bool {
        matches!(self, Self::Touch | Self::Fill | Self::Save | Self::SaveAndSet)
    }

    /// Whether what it writes first goes behind the end.
    pub fn grows(self) -> bool {
        matches!(self, Self::Begin | Self::Grow | Self::GrowAndFlush)
    }
}

/// How long a file stays after its last step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stay {
    /// Removed at once.
    No,
    /// Half of the time that the work stays in its folder.
    Visit,
    /// Until the work comes to its folder again.
    Cycle,
}

/// One kind of life: its steps follow each other at once, the removal at its time.
#[derive(Debug, Clone, Copy)]
pub struct Lifecycle {
    /// Over a loop.
    pub count: u32,
    /// How many in each folder, relative to each other.
    pub folders: [u64; COUNT],
    /// What is done with it.
    pub steps: &'static [Step],
    /// Until it is removed.
    pub stay: Stay,
}

impl Lifecycle {
    /// Whether any of its steps flushes.
    pub fn flushes(&self) -> bool {
        use Step::{FlushOften, FlushTwice, GrowAndFlush, Save, SaveAndSet};
        self.steps.iter().any(|step| matches!(step, Save | SaveAndSet | GrowAndFlush | FlushOften | FlushTwice))
    }

    /// Whether two such files are worked on side by side: a table and its index.
    pub fn is_paired(&self) -> bool {
        self.steps.contains(&Step::GrowAndFlush)
    }
}

const fn life(count: u32, folders: [u64; COUNT], stay: Stay, steps: &'static [Step]) -> Lifecycle {
    Lifecycle { count, folders, steps, stay }
}

use Stay::{Cycle, No, Visit};
use Step::*;

/// All of them.
pub const LIFECYCLES: [Lifecycle; 25] = [
    life(8723, [0, 3, 7, 6, 0, 36, 6, 0, 3, 6], No, &[Touch]),
    life(1731, [0, 3, 2, 4, 0, 1, 0, 0, 0, 4], Visit, &[Fill]),
    life(642, only(WORDPRO), No, &[Save, Rename, Read]),
    life(515, only(EXCEL), No, &[SaveAndSet, Rename, Read]),
    life(774, only(PARADOX), No, &[Touch, Begin, GrowAndFlush, Ask]),
    life(387, only(PARADOX), No, &[Touch, Begin, ReadStart]),
    life(387, only(PARADOX), No, &[Touch, Begin, Grow, Ask]),
    life(129, only(PARADOX), No, &[Touch, Begin]),
    life(129, only(ACCESS), No, &[Touch, Begin]),
    life(129, only(PARADOX), Cycle, &[Touch, Begin, Grow]),
    life(129, only(PARADOX), Cycle, &[Touch, Begin, Grow, Rename, ReadStart]),
    life(129, only(PARADOX), Cycle, &[Touch, Begin, ReadStart, Look, Grow, Look, Grow, Look, Grow]),
    life(128, only(PARADOX), Cycle, &[Touch, Begin, ReadStart, ReadStart, ReadStart, ReadStart, ReadStart]),
    life(258, only(COREL), Visit, &[Fill, Look, Rename, Rename]),
    life(254, only(WORD), No, &[Fill, Look]),
    life(260, only(WORD), No, &[Fill, Change, Rename, Read, Rename, SetTimes, Read, Look]),
    life(258, only(WORD), Cycle, &[Fill, Change, Rename, Change]),
    life(129, only(EXCEL), No, &[Fill, Rename, Read]),
    life(129, only(EXCEL), Visit, &[Fill, Rename, Read]),
    life(129, only(POWERPOINT), No, &[Fill, FlushOften, Read, Read, Read, Change, Rename, Look]),
    life(129, only(POWERPOINT), No, &[Fill, FlushOften, SetTimes, Read, Read, Read, Change, Rename, Look]),
    life(129, only(POWERPOINT), No, &[Fill, FlushTwice, Read, Read, Read, Change, Rename, Look]),
    life(129, only(POWERPOINT), No, &[Fill, FlushTwice, SetTimes, Read, Read, Read, Change, Rename, Look]),
    life(130, only(POWERPOINT), Cycle, &[Fill, FlushOften, SetTimes, Read]),
    life(130, only(POWERPOINT), Cycle, &[Fill, FlushTwice, SetTimes, Read]),
];
