//! Putting the load together: what a loop has to hold, in an order in which it can be carried out.

use std::collections::VecDeque;

use plimsoll_core::random::{Purpose, Stream};

use super::folders::{self, COUNT, FILLERS};
use super::sessions::{Row, SESSIONS, Target};
use super::sizes::{self, Sizes, portion};
use super::trace::{
    Code, DOCUMENTS, Entry, FIRST_DOCUMENT, FIRST_TEMPORARY, PATTERN, PER_LOOP, SLOTS, TEMPORARIES,
};
use super::units::{self, SETUP_UNLINKS, Unit};
use crate::tree::shuffle;

const BLOCK: u32 = 65_536;
/// Where the original extends a file by one byte before it fills the block.
const AHEAD: u32 = 65_534;
/// Of reads and writes within a file, the share that follows the one before.
const FOLLOWING: f64 = 0.5;

fn document_size(number: u16) -> u32 {
    if number < FILLERS { 16 * BLOCK } else { (5 + u32::from(number % 2)) * BLOCK }
}

/// What a temporary file has been through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Age {
    Empty,
    Begun,
    Done,
}

/// A temporary file that is there.
#[derive(Debug, Clone, Copy)]
struct Temporary {
    name: u16,
    age: Age,
    length: u32,
}

/// Where a session finds its file.
#[derive(Clone, Copy)]
enum Room {
    /// Empty: written from its start.
    New,
    /// Of so many bytes: reads and writes anywhere in it.
    Inside(u32),
    /// Of so many bytes: grows until the first flush.
    Growing(u32),
}

/// Files that were begun are kept for sessions that go on with them, up to so many in a folder.
const BEGUN_KEPT: usize = 2;

/// A loop that is being made.
pub struct Maker {
    stream: Stream,
    sizes: Vec<Sizes>,
    /// So far.
    pub entries: Vec<Entry>,
    /// By folder.
    waiting: [VecDeque<Unit>; COUNT],
    /// Folders of documents and of temporary names.
    places: [Vec<u8>; 2],
    /// In which the work goes on.
    folder: u8,
    /// Temporary names that are there, and that are not.
    alive: Vec<Temporary>,
    dead: Vec<u16>,
    /// Handles that stay open, oldest first; the others.
    kept: VecDeque<u8>,
    unused: Vec<u8>,
}

impl Maker {
    /// Nothing yet.
    pub fn new(seed: u64) -> Self {
        let mut stream = Stream::new(seed, 0, Purpose::Kind);
        Self {
            sizes: sizes::draw(&mut stream),
            stream,
            entries: Vec::with_capacity(PER_LOOP.0 as usize),
            waiting: [const { VecDeque::new() }; COUNT],
            places: [folders::of_documents(), folders::of_temporaries()],
            folder: 0,
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

    /// Folders and documents.
    pub fn set_up(&mut self) {
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

    /// One of [`CYCLES`].
    pub fn cycle(&mut self, cycle: u32) {
        let units = units::of_cycle(cycle, &mut self.stream);
        let mut order: Vec<usize> = (0..COUNT).collect();
        shuffle(&mut order, &mut self.stream);
        for folder in order {
            self.waiting[folder].extend(&units[folder]);
            self.stay(folder);
        }
    }

    /// What waits in a folder. What cannot be done yet waits for another to make it possible, here or in the next cycle.
    fn stay(&mut self, folder: usize) {
        self.folder = folder as u8;
        let mut before = usize::MAX;
        while self.waiting[folder].len() < before {
            before = self.waiting[folder].len();
            for _ in 0..before {
                if let Some(unit) = self.waiting[folder].pop_front()
                    && !self.carry_out(unit)
                {
                    self.waiting[folder].push_back(unit);
                }
            }
        }
    }

    /// What still waits, and the end.
    pub fn finish(&mut self) {
        let mut left: Vec<(Unit, u8)> = Vec::new();
        for (units, folder) in self.waiting.iter_mut().zip(0..) {
            left.extend(units.drain(..).map(|unit| (unit, folder)));
        }
        // There is nothing to rename once everything is removed.
        left.sort_by_key(|(unit, _)| matches!(unit, Unit::Unlink));
        let mut left = VecDeque::from(left);
        let mut in_vain = 0;
        while let Some((unit, folder)) = left.pop_front() {
            self.folder = folder;
            let stuck = in_vain > left.len();
            let done = match unit {
                // Nothing will make these possible any more.
                Unit::Unlink if stuck => {
                    self.unlink(0);
                    true
                }
                Unit::Session { row, number } if stuck && !matches!(SESSIONS[row].target, Target::Renamed) => {
                    self.document_session(&SESSIONS[row], row, number);
                    true
                }
                _ => self.carry_out(unit),
            };
            in_vain = if done { 0 } else { in_vain + 1 };
            if !done {
                left.push_back((unit, folder));
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
            Unit::Unlink => {
                let here = |file: &Temporary| self.place_of(file.name) == self.folder;
                let begun = self.alive.iter().filter(|file| file.age == Age::Begun && here(file)).count();
                let spared = |file: &Temporary| file.age == Age::Begun && begun <= BEGUN_KEPT;
                // Empty files that are to be begun here are removed last.
                let wanted = self.waiting[usize::from(self.folder)].iter().any(|unit| unit.begins());
                let full = self.alive_where(|file, here| here && (!wanted || file.age == Age::Done) && !spared(file));
                let here = full.or_else(|| self.alive_where(|file, here| here && !spared(file)));
                match here.or_else(|| self.alive_where(|file, _| !spared(file))) {
                    Some(index) if self.alive.len() > 1 => self.unlink(index),
                    _ => return false,
                }
            }
            Unit::Query => {
                let name = if self.stream.chance(0.5) { None } else { self.alive_where(|_, here| here) };
                let name = match name {
                    Some(index) => self.alive[index].name,
                    None => FIRST_DOCUMENT + self.document(),
                };
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
        let index = self.dead_here();
        let name = self.dead[index];
        self.add(code, name);
    }

    fn unlink(&mut self, index: usize) {
        let name = self.alive.swap_remove(index).name;
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
                let index = self.dead_here();
                let name = self.dead.swap_remove(index);
                self.add(Code::Create, name);
                let length = self.work(session, row, number, name, Room::New);
                let age = if length == 0 { Age::Empty } else { Age::Done };
                self.alive.push(Temporary { name, age, length });
                self.add(Code::Close, name);
            }
            Target::Empty => return self.go_on(session, row, number, Age::Empty, Age::Begun),
            Target::Begun => return self.go_on(session, row, number, Age::Begun, Age::Done),
            Target::Renamed => {
                let here = self.alive_where(|_, here| here);
                let Some(index) = here.or_else(|| self.alive_where(|_, _| true)) else { return false };
                let from = self.alive[index].name;
                // Within its folder, as all that were recorded: others would wait for each other in the kernel.
                let beside = |&name: &u16| self.place_of(name) == self.place_of(from);
                let Some(place) = self.dead.iter().position(beside) else { return false };
                let to = self.dead.swap_remove(place);
                self.add(Code::Open, from);
                self.on(Code::Rename, 0, from, to.into(), 0);
                self.add(Code::Close, from);
                self.alive[index].name = to;
                self.dead.push(from);
            }
            Target::Document => self.document_session(session, row, number),
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

    /// A session on a temporary file of one age, which then has another; false when there is none.
    fn go_on(&mut self, session: &Row, row: usize, number: u32, age: Age, next: Age) -> bool {
        let here = |file: &Temporary| file.age == age && self.place_of(file.name) == self.folder;
        let Some(index) = self.alive.iter().position(here) else { return false };
        let Temporary { name, length, .. } = self.alive[index];
        self.add(Code::Open, name);
        let length = self.work(session, row, number, name, Room::Growing(length));
        self.alive[index] = Temporary { name, age: next, length };
        self.add(Code::Close, name);
        true
    }

    fn document_session(&mut self, session: &Row, row: usize, number: u32) {
        let document = self.document();
        let name = FIRST_DOCUMENT + document;
        self.add(Code::Open, name);
        self.work(session, row, number, name, Room::Inside(document_size(document)));
        self.add(Code::Close, name);
    }

    /// One of this folder; of any, where it has none.
    fn document(&mut self) -> u16 {
        let here = |number: &u16| self.places[0][usize::from(*number)] == self.folder;
        let found: Vec<u16> = (0..DOCUMENTS).filter(here).collect();
        let number = self.stream.below(if found.is_empty() { DOCUMENTS.into() } else { found.len() as u64 });
        found.get(number as usize).copied().unwrap_or(number as u16)
    }

    /// Folder of a temporary name.
    fn place_of(&self, name: u16) -> u8 {
        self.places[1][usize::from(name - FIRST_TEMPORARY)]
    }

    /// Index of a name of this folder that is not there; of any folder, where all are.
    fn dead_here(&mut self) -> usize {
        let found: Vec<usize> =
            (0..self.dead.len()).filter(|&index| self.place_of(self.dead[index]) == self.folder).collect();
        let drawn = self.stream.below(if found.is_empty() { self.dead.len() } else { found.len() } as u64) as usize;
        found.get(drawn).copied().unwrap_or(drawn)
    }

    /// Index of a temporary file that is such; it is said of each whether it is in this folder.
    fn alive_where(&mut self, such: impl Fn(&Temporary, bool) -> bool) -> Option<usize> {
        let such = |file: &Temporary| such(file, self.place_of(file.name) == self.folder);
        let found: Vec<usize> = (0..self.alive.len()).filter(|&index| such(&self.alive[index])).collect();
        match found.len() {
            0 => None,
            count => Some(found[self.stream.below(count as u64) as usize]),
        }
    }

    /// Everything between open and close; the length of the file after it.
    fn work(&mut self, session: &Row, row: usize, number: u32, name: u16, room: Room) -> u32 {
        let part = |whole: usize| portion(whole as u32, number, session.count);
        let sizes = &self.sizes[row];
        let reads: Vec<u32> = part(sizes.reads.len()).map(|index| sizes.reads[index as usize]).collect();
        let writes: Vec<u32> = part(sizes.writes.len()).map(|index| sizes.writes[index as usize]).collect();
        let ones = part(sizes.ones as usize).count() as u32;
        let flushes = part(session.flushes as usize).count();
        let locked = part(session.locks as usize).count() > 0;
        if locked {
            self.on(Code::Lock, 0, name, 1024, 0);
        }
        let length = match room {
            Room::Inside(length) => {
                self.read(&reads, name, length);
                self.write(name, (ones, &writes, flushes), room)
            }
            // There is something to read only when it was written.
            Room::New | Room::Growing(_) => {
                let length = self.write(name, (ones, &writes, flushes), room);
                self.read(&reads, name, length);
                length
            }
        };
        part(session.queries as usize).for_each(|_| self.add(Code::QueryFile, name));
        part(session.sets as usize).for_each(|_| self.add(Code::SetFile, name));
        if locked {
            self.on(Code::Unlock, 0, name, 1024, 0);
        }
        length
    }

    fn read(&mut self, sizes: &[u32], name: u16, length: u32) {
        let mut position = 0;
        for &size in sizes {
            position = self.inside(position, size, length);
            self.on(Code::Read, 0, name, size, position);
            position += size;
        }
    }

    /// Writes of one byte, then the others with flushes evenly among them; the length of the file after it.
    fn write(&mut self, name: u16, (ones, writes, flushes): (u32, &[u32], usize), room: Room) -> u32 {
        let (mut length, mut position) = match room {
            Room::New => (0, 0),
            Room::Inside(length) => (length, 0),
            Room::Growing(length) => (length, length),
        };
        for _ in 0..ones {
            // The last byte of what is then written; of the block, when that is much.
            let offset = match (room, writes.first()) {
                (Room::Inside(length), _) => length - 1,
                (_, Some(&first)) if first < AHEAD => position + first - 1,
                _ => position + AHEAD,
            };
            self.on(Code::Write, 0, name, 1, offset);
            length = length.max(offset + 1);
        }
        let mut flushed = 0;
        for (index, &size) in writes.iter().enumerate() {
            let grows = matches!(room, Room::New) || (matches!(room, Room::Growing(_)) && flushed == 0);
            if !grows {
                position = self.inside(position, size, length);
            }
            self.on(Code::Write, 0, name, size, position);
            position += size;
            length = length.max(position);
            let due = (index + 1) * flushes / writes.len();
            (flushed..due).for_each(|_| self.add(Code::Flush, name));
            flushed = due;
        }
        (flushed..flushes).for_each(|_| self.add(Code::Flush, name));
        length
    }

    /// Where the next transfer in a file goes: behind the last one, or anywhere.
    fn inside(&mut self, position: u32, size: u32, length: u32) -> u32 {
        if position + size <= length && self.stream.chance(FOLLOWING) {
            return position;
        }
        self.stream.below(u64::from(length.saturating_sub(size) / 4096) + 1) as u32 * 4096
    }
}
