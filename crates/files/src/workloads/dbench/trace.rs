//! One loop of the load, made from statistics: set-up, 129 similar cycles, removal of everything.

use std::collections::VecDeque;

use plimsoll_core::random::{Purpose, Stream};

use super::sessions::{
    OTHER_READ_BYTES, OTHER_READ_MAX, OTHER_WRITTEN_BYTES, OTHER_WRITTEN_MAX, READ_SIZES, Row, SESSIONS, Target,
    WRITE_SIZES,
};
use crate::tree::{apportion, shuffle};

/// Operations, bytes read and bytes written of a loop.
pub const PER_LOOP: (u64, u64, u64) = (458_344, 1_472_088_767, 1_015_974_170);
const CYCLES: u32 = 129;
/// Folders: the first holds the others.
const FOLDERS: [&str; 10] = [
    "~dmtmp",
    "~dmtmp/ACCESS",
    "~dmtmp/COREL",
    "~dmtmp/EXCEL",
    "~dmtmp/PARADOX",
    "~dmtmp/PM",
    "~dmtmp/PWRPNT",
    "~dmtmp/SEED",
    "~dmtmp/WORD",
    "~dmtmp/WORDPRO",
];
const CROWDED: usize = 4;
/// Files of 1 MiB among the documents, which come first.
const FILLERS: u16 = 5;
const DOCUMENTS: u16 = 57;
/// Names of files that come and go; with the documents, 135 names.
const TEMPORARIES: u16 = 78;
const FIRST_DOCUMENT: u16 = FOLDERS.len() as u16;
const FIRST_TEMPORARY: u16 = FIRST_DOCUMENT + DOCUMENTS;
/// What `FIND_FIRST` looks for: everything in the first folder. Whether it says that there is such a file or not, the
/// calls are the same.
const PATTERN: u16 = FIRST_TEMPORARY + TEMPORARIES;
const BLOCK: u32 = 65_536;
/// Where the original extends a file by one byte before it fills the block.
const AHEAD: u32 = 65_534;
/// Handles that are open at once, the first one for sessions that end before the next begins.
pub const SLOTS: u8 = 23;
/// Of reads and writes in documents, the share that follows the one before.
const FOLLOWING_READS: f64 = 0.5;

/// Operations that wait for their turn, besides sessions: found and missing names, free space, lists, removal.
const QUERIES: u32 = 71_814 - 24_385;
const MISSING_QUERIES: u32 = 24_385;
const SPACE_QUERIES: u32 = 13_168 - FILLERS as u32;
const LISTS: u32 = 27_765 - 14_328;
const MISSING_LISTS: u32 = 14_328;
const UNLINKS: u32 = 16_000 - SETUP_UNLINKS;
const SETUP_UNLINKS: u32 = 4;

/// What an entry does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Code {
    Open,
    OpenMissing,
    OpenFolder,
    Create,
    CreateFolder,
    Overwrite,
    Close,
    Read,
    Write,
    Flush,
    Query,
    QueryMissing,
    QueryFile,
    QuerySpace,
    SetFile,
    List,
    ListMissing,
    Unlink,
    Rename,
    Mkdir,
    DeleteTree,
    Lock,
    Unlock,
}

/// One operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    /// What it does.
    pub code: Code,
    /// On which handle.
    pub slot: u8,
    /// On which name, an index into [`Trace::names`].
    pub name: u16,
    /// Bytes, or the new name of a rename.
    pub size: u32,
    /// In the file.
    pub offset: u32,
}

/// The load that every client replays.
pub struct Trace {
    /// Relative to the client's folder.
    pub names: Vec<String>,
    /// One loop.
    pub entries: Vec<Entry>,
}

impl Trace {
    /// The same for the same seed.
    pub fn new(seed: u64) -> Self {
        let mut maker = Maker::new(seed);
        maker.set_up();
        for cycle in 0..CYCLES {
            maker.cycle(cycle);
        }
        maker.finish();
        Self { names: names(), entries: maker.entries }
    }
}

/// A fifth of the temporary files and more than a quarter of the documents are in one folder, so that looking through a
/// folder for a missing name finds about as many entries as in the recorded load: eleven.
fn names() -> Vec<String> {
    let file = |number: u16| {
        let crowded = if number < DOCUMENTS { number % 7 < 2 } else { number.is_multiple_of(5) };
        let others = CROWDED + 1 + usize::from(number) % (FOLDERS.len() - 2);
        let folder = if crowded { CROWDED } else { 1 + (others - 1) % (FOLDERS.len() - 1) };
        let (kind, end) = if number < DOCUMENTS { ("DOC", "DAT") } else { ("TMP", "TMP") };
        format!("{}/{kind}{number:03}.{end}", FOLDERS[folder])
    };
    let patterns = [format!("{}/*", FOLDERS[0])];
    FOLDERS.iter().map(ToString::to_string).chain((0..DOCUMENTS + TEMPORARIES).map(file)).chain(patterns).collect()
}

fn document_size(number: u16) -> u32 {
    if number < FILLERS { 16 * BLOCK } else { (5 + u32::from(number % 2)) * BLOCK }
}

/// What waits for its turn within a cycle.
#[derive(Clone, Copy)]
enum Unit {
    Session { row: usize, number: u32 },
    Query,
    QueryMissing,
    QuerySpace,
    List,
    ListMissing,
    Unlink,
}

/// Sizes of one kind of session over a loop, in the order in which its sessions take them.
struct Sizes {
    reads: Vec<u32>,
    /// Without those of one byte, which come first in a session.
    writes: Vec<u32>,
    ones: u32,
}

struct Maker {
    stream: Stream,
    sizes: Vec<Sizes>,
    entries: Vec<Entry>,
    waiting: VecDeque<Unit>,
    /// Temporary names that are there, and that are not.
    alive: Vec<u16>,
    dead: Vec<u16>,
    /// Handles that stay open, oldest first; the others.
    kept: VecDeque<u8>,
    unused: Vec<u8>,
}

impl Maker {
    fn new(seed: u64) -> Self {
        let mut stream = Stream::new(seed, 0, Purpose::Kind);
        Self {
            sizes: draw(&mut stream),
            stream,
            entries: Vec::with_capacity(PER_LOOP.0 as usize),
            waiting: VecDeque::new(),
            alive: Vec::new(),
            dead: (FIRST_TEMPORARY..FIRST_TEMPORARY + TEMPORARIES).collect(),
            kept: VecDeque::new(),
            unused: (1..SLOTS).collect(),
        }
    }

    fn add(&mut self, code: Code, name: u16) {
        self.on(code, 0, name, 0, 0);
    }

    fn on(&mut self, code: Code, slot: u8, name: u16, size: u32, offset: u32) {
        self.entries.push(Entry { code, slot, name, size, offset });
    }

    fn set_up(&mut self) {
        self.add(Code::DeleteTree, 0);
        self.add(Code::Mkdir, 0);
        for folder in 0..FIRST_DOCUMENT {
            self.add(Code::CreateFolder, folder);
            self.add(Code::Close, folder);
        }
        self.add(Code::OpenFolder, 0);
        self.add(Code::Close, 0);
        for number in 0..DOCUMENTS {
            let name = FIRST_DOCUMENT + number;
            self.add(Code::Create, name);
            if number < FILLERS {
                self.add(Code::QuerySpace, name);
                self.on(Code::Write, 0, name, 1, AHEAD);
                self.add(Code::QueryFile, name);
            }
            for block in 0..document_size(number) / BLOCK {
                self.on(Code::Write, 0, name, BLOCK, block * BLOCK);
            }
            self.add(Code::Close, name);
        }
        for index in 0..SETUP_UNLINKS as u16 {
            let name = FIRST_TEMPORARY + index;
            self.add(Code::Create, name);
            self.add(Code::Close, name);
        }
        self.add(Code::Overwrite, FIRST_TEMPORARY);
        self.add(Code::Close, FIRST_TEMPORARY);
        let spare = FIRST_TEMPORARY + SETUP_UNLINKS as u16;
        self.on(Code::Rename, 0, FIRST_TEMPORARY, spare.into(), 0);
        (FIRST_TEMPORARY + 1..=spare).for_each(|name| self.add(Code::Unlink, name));
    }

    fn cycle(&mut self, cycle: u32) {
        let part = |whole: u32| portion(whole, cycle, CYCLES);
        let mut units = Vec::new();
        for (row, session) in SESSIONS.iter().enumerate() {
            units.extend(part(session.count).map(|number| Unit::Session { row, number }));
        }
        for (unit, count) in [
            (Unit::Query, QUERIES),
            (Unit::QueryMissing, MISSING_QUERIES),
            (Unit::QuerySpace, SPACE_QUERIES),
            (Unit::List, LISTS),
            (Unit::ListMissing, MISSING_LISTS),
            (Unit::Unlink, UNLINKS),
        ] {
            units.extend(part(count).map(|_| unit));
        }
        shuffle(&mut units, &mut self.stream);
        self.waiting.extend(units);
        // What cannot be done yet waits for another to make it possible, in this cycle or the next.
        for _ in 0..self.waiting.len() {
            if let Some(unit) = self.waiting.pop_front()
                && !self.carry_out(unit)
            {
                self.waiting.push_back(unit);
            }
        }
    }

    fn finish(&mut self) {
        while let Some(unit) = self.waiting.pop_front() {
            let last_unlinks = self.waiting.iter().all(|unit| matches!(unit, Unit::Unlink));
            if matches!(unit, Unit::Unlink) && last_unlinks {
                self.unlink();
            } else if !self.carry_out(unit) {
                self.waiting.push_back(unit);
            }
        }
        while let Some(slot) = self.kept.pop_front() {
            self.on(Code::Close, slot, 0, 0, 0);
        }
        self.add(Code::DeleteTree, 0);
    }

    /// False when it is not possible now.
    fn carry_out(&mut self, unit: Unit) -> bool {
        match unit {
            Unit::Session { row, number } => return self.session(row, number),
            Unit::Unlink if self.alive.len() < 2 => return false,
            Unit::Unlink => self.unlink(),
            Unit::Query => {
                let known = FIRST_TEMPORARY as usize;
                let drawn = self.stream.below((known + self.alive.len()) as u64) as usize;
                let name = if drawn < known { drawn as u16 } else { self.alive[drawn - known] };
                self.add(Code::Query, name);
            }
            Unit::QuerySpace => self.add(Code::QuerySpace, 0),
            Unit::List => self.add(Code::List, PATTERN),
            Unit::ListMissing => self.add(Code::ListMissing, PATTERN),
            Unit::QueryMissing if self.dead.is_empty() => return false,
            Unit::QueryMissing => self.add_missing(Code::QueryMissing),
        }
        true
    }

    fn add_missing(&mut self, code: Code) {
        let name = self.dead[self.stream.below(self.dead.len() as u64) as usize];
        self.add(code, name);
    }

    fn unlink(&mut self) {
        let name = take(&mut self.alive, &mut self.stream);
        self.add(Code::Unlink, name);
        self.dead.push(name);
    }

    fn session(&mut self, row: usize, number: u32) -> bool {
        let session = &SESSIONS[row];
        match session.target {
            Target::Missing | Target::New if self.dead.is_empty() => return false,
            Target::Renamed if self.dead.is_empty() || self.alive.is_empty() => return false,
            Target::Missing => self.add_missing(Code::OpenMissing),
            Target::New => {
                let name = take(&mut self.dead, &mut self.stream);
                self.alive.push(name);
                self.add(Code::Create, name);
                self.work(session, row, number, name, None);
                self.add(Code::Close, name);
            }
            Target::Renamed => {
                let (from, to) = (take(&mut self.alive, &mut self.stream), take(&mut self.dead, &mut self.stream));
                self.add(Code::Open, from);
                self.on(Code::Rename, 0, from, to.into(), 0);
                self.add(Code::Close, from);
                self.alive.push(to);
                self.dead.push(from);
            }
            Target::Document => {
                let document = self.document();
                let name = FIRST_DOCUMENT + document;
                self.add(Code::Open, name);
                self.work(session, row, number, name, Some(document_size(document)));
                self.add(Code::Close, name);
            }
            Target::Kept => {
                if self.unused.is_empty()
                    && let Some(oldest) = self.kept.pop_front()
                {
                    self.on(Code::Close, oldest, 0, 0, 0);
                    self.unused.push(oldest);
                }
                let (document, slot) = (self.document(), self.unused.pop().unwrap_or(1));
                self.on(Code::Open, slot, FIRST_DOCUMENT + document, 0, 0);
                self.kept.push_back(slot);
            }
        }
        true
    }

    fn document(&mut self) -> u16 {
        self.stream.below(DOCUMENTS.into()) as u16
    }

    /// Everything between open and close. `length` is that of an existing file; a new one is written from its start.
    fn work(&mut self, session: &Row, row: usize, number: u32, name: u16, length: Option<u32>) {
        let part = |whole: usize| portion(whole as u32, number, session.count);
        let reads: Vec<u32> = part(self.sizes[row].reads.len()).map(|i| self.sizes[row].reads[i as usize]).collect();
        let writes: Vec<u32> = part(self.sizes[row].writes.len()).map(|i| self.sizes[row].writes[i as usize]).collect();
        let ones = part(self.sizes[row].ones as usize).count();
        let (flushes, locked) = (part(session.flushes as usize).count(), part(session.locks as usize).count() > 0);
        if locked {
            self.on(Code::Lock, 0, name, 1024, 0);
        }
        let mut position = 0;
        for size in reads {
            position = self.place(position, size, length);
            self.on(Code::Read, 0, name, size, position);
            position += size;
        }
        position = 0;
        for _ in 0..ones {
            let ahead = length.map_or(position + AHEAD, |length| length - 1);
            self.on(Code::Write, 0, name, 1, ahead);
        }
        let mut flushed = 0;
        for (index, size) in writes.iter().copied().enumerate() {
            position = self.place(position, size, length);
            self.on(Code::Write, 0, name, size, position);
            position += size;
            // Flushes follow writes, evenly.
            let due = (index + 1) * flushes / writes.len();
            (flushed..due).for_each(|_| self.add(Code::Flush, name));
            flushed = due;
        }
        (flushed..flushes).for_each(|_| self.add(Code::Flush, name));
        part(session.queries as usize).for_each(|_| self.add(Code::QueryFile, name));
        part(session.sets as usize).for_each(|_| self.add(Code::SetFile, name));
        if locked {
            self.on(Code::Unlock, 0, name, 1024, 0);
        }
    }

    /// Where the next transfer goes: in a new file behind the last one; in an existing one there or anywhere.
    fn place(&mut self, position: u32, size: u32, length: Option<u32>) -> u32 {
        match length {
            Some(length) if position + size > length || !self.stream.chance(FOLLOWING_READS) => {
                self.stream.below(u64::from((length - size) / 4096) + 1) as u32 * 4096
            }
            _ => position,
        }
    }
}

/// The part of `0..whole` that belongs to one of `count` equal shares.
fn portion(whole: u32, index: u32, count: u32) -> std::ops::Range<u32> {
    let edge = |index: u32| (u64::from(whole) * u64::from(index) / u64::from(count.max(1))) as u32;
    edge(index)..edge(index + 1)
}

/// Takes a random one out of a list that is not empty.
fn take(list: &mut Vec<u16>, stream: &mut Stream) -> u16 {
    list.swap_remove(stream.below(list.len() as u64) as usize)
}

/// The sizes of all sessions; "other" sizes are uniform and add up exactly, small ones to the sessions with small reads.
fn draw(stream: &mut Stream) -> Vec<Sizes> {
    let count = |of: fn(&Row) -> u32| SESSIONS.iter().map(|row| u64::from(of(row))).sum();
    let mut reads = uniform(count(|row| row.reads[5]), OTHER_READ_BYTES, OTHER_READ_MAX, stream);
    let mut writes = uniform(count(|row| row.writes[5]), OTHER_WRITTEN_BYTES, OTHER_WRITTEN_MAX, stream);
    reads.sort_unstable_by_key(|&size| std::cmp::Reverse(size));
    shuffle(&mut writes, stream);
    let (mut reads, mut writes) = (reads.into_iter(), writes.into_iter());
    let of_session = |row: &Row| {
        let pick = |counts: &[u32; 6], sizes: &[u32; 6], other: &mut dyn Iterator<Item = u32>| {
            let fixed = counts.iter().zip(sizes).filter(|(_, size)| **size > 1);
            let fixed = fixed.flat_map(|(&count, &size)| std::iter::repeat_n(size, count as usize));
            fixed.chain(other.take(counts[5] as usize)).collect::<Vec<u32>>()
        };
        let mut sizes = Sizes {
            reads: pick(&row.reads, &READ_SIZES, &mut reads),
            writes: pick(&row.writes, &WRITE_SIZES, &mut writes),
            ones: row.writes[4],
        };
        shuffle(&mut sizes.reads, stream);
        shuffle(&mut sizes.writes, stream);
        sizes
    };
    SESSIONS.iter().map(of_session).collect()
}

/// `count` sizes from 1 to `most` that add up to `bytes`.
fn uniform(count: u64, bytes: u64, most: u32, stream: &mut Stream) -> Vec<u32> {
    let weights: Vec<u64> = (0..count).map(|_| stream.below(most.into())).collect();
    let sizes = apportion(&weights, bytes - count);
    sizes.into_iter().map(|size| (size + 1) as u32).collect()
}

#[cfg(test)]
mod tests;
