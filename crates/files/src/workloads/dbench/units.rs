//! What there is to do in a cycle, and in which folder.

use plimsoll_core::random::Stream;

use super::folders::{COUNT, FILLERS, Share};
use super::lives::{LIVES, Life};
use super::sessions::{SESSIONS, Target};
use super::sizes::portion;
use super::trace::CYCLES;
use crate::tree::{apportion, shuffle};

/// Operations besides sessions: found and missing names, free space, lists.
const QUERIES: u32 = 71_814 - 24_385;
const MISSING_QUERIES: u32 = 24_385;
const SPACE_QUERIES: u32 = 13_168 - FILLERS as u32;
const LISTS: u32 = 27_765 - 14_328;
const MISSING_LISTS: u32 = 14_328;

/// One thing to do, beside the lives of files.
#[derive(Clone, Copy)]
pub enum Unit {
    /// A session with a document, or with what is missing: one of this row of [`SESSIONS`].
    Session(usize),
    /// Asks for a name that is there.
    Query,
    /// Asks for one that is not.
    QueryMissing,
    /// Asks for free space.
    QuerySpace,
    /// Looks through a folder and finds something.
    List,
    /// Looks through a folder in vain.
    ListMissing,
}

impl Unit {
    /// How it is spread over the folders.
    fn share(self) -> Share {
        match self {
            Self::Session(row) => match SESSIONS[row].target {
                Target::Missing => Share::Missing,
                Target::Large => Share::Large,
                Target::Document if SESSIONS[row].flushes > 0 => Share::Flushed,
                Target::Document | Target::Kept | Target::Young(_) => Share::Documents,
            },
            Self::Query | Self::QuerySpace | Self::List | Self::ListMissing => Share::Known,
            Self::QueryMissing => Share::Unknown,
        }
    }
}

/// What is done while the work stays in a folder.
#[derive(Default)]
pub struct Visit {
    /// Files that come, each with the kind of its life.
    pub lives: Vec<&'static Life>,
    /// Everything else.
    pub units: Vec<Unit>,
}

/// The visits of a cycle by folder, each in random order.
pub fn of_cycle(cycle: u32, stream: &mut Stream) -> [Visit; COUNT] {
    let part = |whole: u32| portion(whole, cycle, CYCLES);
    let mut units = Vec::new();
    for (row, session) in SESSIONS.iter().enumerate() {
        if !matches!(session.target, Target::Young(_)) {
            units.extend(part(session.count).map(|_| Unit::Session(row)));
        }
    }
    for (unit, count) in [
        (Unit::Query, QUERIES),
        (Unit::QueryMissing, MISSING_QUERIES),
        (Unit::QuerySpace, SPACE_QUERIES),
        (Unit::List, LISTS),
        (Unit::ListMissing, MISSING_LISTS),
    ] {
        units.extend(part(count).map(|_| unit));
    }
    shuffle(&mut units, stream);
    let mut visits: [Visit; COUNT] = Default::default();
    for share in Share::ALL {
        let chosen: Vec<Unit> = units.iter().copied().filter(|unit| unit.share() == share).collect();
        let folders = deal(&share.weights(), chosen.len(), stream);
        chosen.into_iter().zip(folders).for_each(|(unit, folder)| visits[folder].units.push(unit));
    }
    for life in &LIVES {
        let folders = deal(&life.folders, part(life.count).count(), stream);
        folders.into_iter().for_each(|folder| visits[folder].lives.push(life));
    }
    visits.iter_mut().for_each(|visit| shuffle(&mut visit.lives, stream));
    visits
}

/// Folders for `count` things, as many of each as its weight asks for, in random order.
fn deal(weights: &[u64], count: usize, stream: &mut Stream) -> Vec<usize> {
    let counts = apportion(weights, count as u64).into_iter().enumerate();
    let mut folders: Vec<usize> =
        counts.flat_map(|(folder, count)| std::iter::repeat_n(folder, count as usize)).collect();
    shuffle(&mut folders, stream);
    folders
}
