//! Putting the load together: what a loop has to hold, in an order in which it can be carried out.

use std::collections::{BTreeMap, VecDeque};

use plimsoll_core::random::{Purpose, Stream};

use super::actions::{self, Action, Visit};
use super::folders::{self, COUNT, FILLERS, ORDER, SEED};
use super::lifecycles::{Lifecycle, Stay, Step};
use super::sessions::{SESSIONS, Target};
use super::sizes::{self, Sizes, portion};
use super::trace::{
    self, CYCLES, Code, DOCUMENTS, Entry, FIRST_DOCUMENT, FIRST_TEMPORARY, PATTERN, PER_LOOP, SLOTS, TEMPORARIES, Trace,
};

const BLOCK: u32 = 65_536;
/// Where the original extends a file by one byte before it fills the block.
const AHEAD: u32 = 65_534;
/// Removals before the first cycle.
const SETUP_UNLINKS: u32 = 4;
/// Of reads within a file, the share that follows the one before.
const FOLLOWING: f64 = 0.5;
/// One in so many documents of a folder is ever changed, always at its beginning: 22 files, and 245 of their pages in 20,000
/// operations, as recorded. What is changed anywhere has to be written back five times as often.
const CHANGED: usize = 3;

fn document_size(number: u16) -> u32 {
    if number < FILLERS { 16 * BLOCK } else { (5 + u32::from(number % 2)) * BLOCK }
}

/// What happens in a visit.
enum Event {
    Action(Action),
    /// One file comes, or two side by side, and what is done with it.
    Comes(Vec<&'static Lifecycle>),
    /// The file of this name goes.
    Goes(u16),
}

/// Of a visit; moments are drawn from so many.
const VISIT: u64 = 1 << 20;

/// Where a session finds its file.
#[derive(Clone, Copy)]
enum FileState {
    /// Empty: written from its start.
    New,
    /// Of so many bytes: reads and writes anywhere in it.
    Inside(u32),
    /// Of so many bytes: grows until the first flush.
    Growing(u32),
}

/// A loop that is being made.
pub struct Generator {
    stream: Stream,
    sizes: Vec<Sizes>,
    /// So far.
    pub entries: Vec<Entry>,
    /// Sessions of each row so far.
    sessions: [u32; SESSIONS.len()],
    /// Files that go when the work comes to their folder again.
    leaving: [Vec<u16>; COUNT],
    /// Folders of documents and of temporary names.
    places: [Vec<u8>; 2],
    /// In which the work goes on.
    folder: u8,
    /// Temporary names that are there, and that are not.
    alive: Vec<u16>,
    dead: Vec<u16>,
    /// Handles that stay open, oldest first; the others.
    kept: VecDeque<u8>,
    unused: Vec<u8>,
}

impl Trace {
    /// The same for the same seed.
    pub fn new(seed: u64) -> Self {
        let mut generator = Generator::new(seed);
        generator.set_up();
        for cycle in 0..CYCLES {
            generator.cycle(cycle);
        }
        generator.finish();
        Self { names: trace::names(), entries: generator.entries }
    }
}

impl Generator {
    /// Nothing yet.
    pub fn new(seed: u64) -> Self {
        let mut stream = Stream::new(seed, 0, Purpose::Kind);
        Self {
            sizes: sizes::draw(&mut stream),
            stream,
            entries: Vec::with_capacity(PER_LOOP.0 as usize),
            sessions: [0; SESSIONS.len()],
            leaving: [const { Vec::new() }; COUNT],
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
        let mut visits = actions::of_cycle(cycle, &mut self.stream);
        let mut large = std::mem::take(&mut visits[SEED].actions);
        for (folder, left) in ORDER.into_iter().zip((0..ORDER.len()).rev()) {
            self.visit(folder, std::mem::take(&mut visits[folder]));
            // Between two folders, the recorded load goes to the large files.
            let rest = large.split_off(large.len() / (left + 1));
            self.visit(SEED, Visit { actions: std::mem::replace(&mut large, rest), ..Visit::default() });
        }
    }

    /// Everything that is to do in a folder.
    fn visit(&mut self, folder: usize, visit: Visit) {
        self.folder = folder as u8;
        let mut agenda: BTreeMap<(u64, usize), Event> = BTreeMap::new();
        let leaving = std::mem::take(&mut self.leaving[folder]);
        let (paired, alone): (Vec<_>, Vec<_>) = visit.lifecycles.into_iter().partition(|life| life.is_paired());
        let lifecycles = paired.chunks(2).map(<[_]>::to_vec).chain(alone.into_iter().map(|life| vec![life]));
        let events = visit.actions.into_iter().map(Event::Action).chain(lifecycles.map(Event::Comes));
        for event in events.chain(leaving.into_iter().map(Event::Goes)) {
            // What is saved in a folder is saved in the first two thirds of a visit.
            let saves = matches!(&event, Event::Comes(lifecycles) if lifecycles.iter().any(|life| life.flushes()));
            let moment = self.stream.below(if saves { VISIT * 2 / 3 } else { VISIT });
            agenda.insert((moment, agenda.len()), event);
        }
        while let Some(((moment, number), event)) = agenda.pop_first() {
            match event {
                Event::Action(action) => self.carry_out(action),
                Event::Goes(name) => self.unlink(name),
                Event::Comes(lifecycles) => {
                    for (life, name) in self.live(lifecycles) {
                        match life.stay {
                            Stay::No => self.unlink(name),
                            Stay::Visit => drop(agenda.insert((moment + VISIT / 2, number), Event::Goes(name))),
                            Stay::Cycle => self.leaving[folder].push(name),
                        }
                    }
                }
            }
        }
    }

    fn unlink(&mut self, name: u16) {
        self.alive.retain(|&other| other != name);
        self.dead.push(name);
        self.add(Code::Unlink, name);
    }

    /// The end.
    pub fn finish(&mut self) {
        for folder in 0..COUNT {
            self.visit(folder, Visit::default());
        }
        while let Some(slot) = self.kept.pop_front() {
            self.on(Code::Close, slot, 0, 0, 0);
        }
        self.add(Code::DeleteTree, 0);
    }

    fn carry_out(&mut self, action: Action) {
        match action {
            Action::Session(row) => self.session(row),
            Action::Query => {
                let name = if self.stream.chance(0.5) { None } else { self.young_here() };
                let name = name.unwrap_or_else(|| FIRST_DOCUMENT + self.document(1));
                self.add(Code::Query, name);
            }
            Action::QuerySpace => self.add(Code::QuerySpace, 0),
            Action::List => self.add(Code::List, PATTERN),
            Action::ListMissing => self.add(Code::ListMissing, PATTERN),
            Action::QueryMissing => self.add_missing(Code::QueryMissing),
        }
    }

    fn add_missing(&mut self, code: Code) {
        let index = self.dead_here();
        let name = self.dead[index];
        self.add(code, name);
    }

    /// A session with a document, or with what is missing.
    fn session(&mut self, row: usize) {
        match SESSIONS[row].target {
            Target::Missing => self.add_missing(Code::OpenMissing),
            Target::Kept => {
                if self.unused.is_empty()
                    && let Some(oldest) = self.kept.pop_front()
                {
                    self.on(Code::Close, oldest, 0, 0, 0);
                    self.unused.push(oldest);
                }
                let (document, slot) = (self.document(1), self.unused.pop().unwrap_or(1));
                self.on(Code::Open, slot, FIRST_DOCUMENT + document, 0, 0);
                self.kept.push_back(slot);
            }
            Target::Document | Target::Large | Target::Young(_) => {
                let writes = SESSIONS[row].writes.iter().any(|&count| count > 0);
                let document = self.document(if writes { CHANGED } else { 1 });
                let name = FIRST_DOCUMENT + document;
                self.add(Code::Open, name);
                self.work(row, name, FileState::Inside(document_size(document)));
                self.add(Code::Close, name);
            }
        }
    }

    /// All steps of files, one after the other, of those side by side, interleaved; the names that they have then.
    fn live(&mut self, lifecycles: Vec<&'static Lifecycle>) -> Vec<(&'static Lifecycle, u16)> {
        let mut files: Vec<(&Lifecycle, u16, u32)> =
            lifecycles.into_iter().map(|life| (life, self.appear(), 0)).collect();
        let most = files.iter().map(|(life, ..)| life.steps.len()).max().unwrap_or_default();
        for index in 0..most {
            for (life, name, length) in &mut files {
                if let Some(&step) = life.steps.get(index) {
                    (*name, *length) = self.step(step, *name, *length);
                }
            }
        }
        files.into_iter().map(|(life, name, _)| (life, name)).collect()
    }

    /// Name and length of the file after it.
    fn step(&mut self, step: Step, name: u16, length: u32) -> (u16, u32) {
        self.add(if step.creates() { Code::Create } else { Code::Open }, name);
        let state = match step {
            _ if step.creates() => FileState::New,
            _ if step.grows() => FileState::Growing(length),
            _ => FileState::Inside(length),
        };
        let length = self.work(row_of(step), name, state);
        self.add(Code::Close, name);
        if step != Step::Rename {
            return (name, length);
        }
        let to = self.appear();
        self.on(Code::Rename, 0, name, to.into(), 0);
        self.alive.retain(|&other| other != name);
        self.dead.push(name);
        (to, length)
    }

    /// A name of this folder that was not there.
    fn appear(&mut self) -> u16 {
        let index = self.dead_here();
        let name = self.dead.swap_remove(index);
        self.alive.push(name);
        name
    }

    /// One of the first documents of this folder; of any, where it has none.
    fn document(&mut self, one_in: usize) -> u16 {
        let here = |number: &u16| self.places[0][usize::from(*number)] == self.folder;
        let mut found: Vec<u16> = (0..DOCUMENTS).filter(here).collect();
        found.truncate(found.len().div_ceil(one_in));
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

    /// Name of a file of this folder that is there.
    fn young_here(&mut self) -> Option<u16> {
        let here: Vec<u16> = self.alive.iter().copied().filter(|&name| self.place_of(name) == self.folder).collect();
        let drawn = self.stream.below(here.len().max(1) as u64) as usize;
        here.get(drawn).copied()
    }

    /// Everything between open and close; the length of the file after it.
    fn work(&mut self, row: usize, name: u16, state: FileState) -> u32 {
        let (session, number) = (&SESSIONS[row], self.sessions[row]);
        self.sessions[row] += 1;
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
        let ones = self.extend(name, ones, writes.first(), state);
        part(session.queries as usize).for_each(|_| self.add(Code::QueryFile, name));
        if let FileState::Inside(length) | FileState::Growing(length) = state {
            self.read(&reads, name, length);
        }
        part(session.sets as usize).for_each(|_| self.add(Code::SetFile, name));
        let length = self.write(name, (&writes, flushes), state).max(ones);
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

    /// Writes of one byte; the length of the file after them.
    fn extend(&mut self, name: u16, ones: u32, first: Option<&u32>, state: FileState) -> u32 {
        let position = if let FileState::Growing(length) = state { length } else { 0 };
        // The last byte of what is then written; of the block, when that is much.
        let offset = match (state, first) {
            (FileState::Inside(length), _) => length.saturating_sub(1),
            (_, Some(&first)) if first < AHEAD => position + first - 1,
            _ => position + AHEAD,
        };
        (0..ones).for_each(|_| self.on(Code::Write, 0, name, 1, offset));
        if ones > 0 { offset + 1 } else { 0 }
    }

    /// All writes but those of one byte, with flushes evenly among them; the length of the file after it.
    fn write(&mut self, name: u16, (writes, flushes): (&[u32], usize), state: FileState) -> u32 {
        let (mut length, mut position) = match state {
            FileState::New => (0, 0),
            FileState::Inside(length) => (length, 0),
            FileState::Growing(length) => (length, length),
        };
        let mut flushed = 0;
        for (index, &size) in writes.iter().enumerate() {
            let grows = matches!(state, FileState::New) || (matches!(state, FileState::Growing(_)) && flushed == 0);
            if !grows && position + size > length {
                position = 0;
            }
            self.on(Code::Write, 0, name, size, position);
            position += size;
            length = length.max(position);
            let due = ((index + 1) * flushes).div_ceil(writes.len());
            (flushed..due).for_each(|_| self.add(Code::Flush, name));
            flushed = due;
        }
        (flushed..flushes).for_each(|_| self.add(Code::Flush, name));
        length
    }

    /// Where the next read in a file is: behind the last one, or anywhere.
    fn inside(&mut self, position: u32, size: u32, length: u32) -> u32 {
        if position + size <= length && self.stream.chance(FOLLOWING) {
            return position;
        }
        self.stream.below(u64::from(length.saturating_sub(size) / 4096) + 1) as u32 * 4096
    }
}

/// Row of [`SESSIONS`].
fn row_of(step: Step) -> usize {
    SESSIONS.iter().position(|row| row.target == Target::Young(step)).unwrap_or_default()
}
