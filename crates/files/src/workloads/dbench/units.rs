//! What waits for its turn within a cycle, and in which folder.

use plimsoll_core::random::Stream;

use super::folders::{COUNT, FILLERS, Share};
use super::sessions::{SESSIONS, Target};
use super::sizes::portion;
use super::trace::CYCLES;
use crate::tree::{apportion, shuffle};

/// Operations besides sessions: found and missing names, free space, lists, removal.
const QUERIES: u32 = 71_814 - 24_385;
const MISSING_QUERIES: u32 = 24_385;
const SPACE_QUERIES: u32 = 13_168 - FILLERS as u32;
const LISTS: u32 = 27_765 - 14_328;
const MISSING_LISTS: u32 = 14_328;
const UNLINKS: u32 = 16_000 - SETUP_UNLINKS;
/// Removals before the first cycle.
pub const SETUP_UNLINKS: u32 = 4;

/// One thing to do.
#[derive(Clone, Copy)]
pub enum Unit {
    /// The `number`-th of a row of [`SESSIONS`].
    Session { row: usize, number: u32 },
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
    /// Removes a file.
    Unlink,
}

impl Unit {
    /// How it is spread over the folders; nothing for what is removed, which follows what is born.
    fn share(self) -> Option<Share> {
        match self {
            Self::Session { row, .. } => Some(match (SESSIONS[row].target, SESSIONS[row].flushes) {
                (Target::Missing, _) => Share::Missing,
                (Target::Document | Target::Kept, _) => Share::Documents,
                (Target::Renamed, _) => Share::Renamed,
                (Target::New, 0) => Share::Born,
                _ => Share::Young,
            }),
            Self::Query | Self::QuerySpace | Self::List | Self::ListMissing => Some(Share::Known),
            Self::QueryMissing => Some(Share::Unknown),
            Self::Unlink => None,
        }
    }

    /// Whether it needs an empty file.
    pub fn begins(self) -> bool {
        matches!(self, Self::Session { row, .. } if SESSIONS[row].target == Target::Empty)
    }

    fn creates(self) -> bool {
        matches!(self, Self::Session { row, .. } if SESSIONS[row].target == Target::New)
    }
}

/// The units of a cycle by folder, each in random order.
pub fn of_cycle(cycle: u32, stream: &mut Stream) -> [Vec<Unit>; COUNT] {
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
    shuffle(&mut units, stream);
    let mut by_folder = [const { Vec::new() }; COUNT];
    let mut born = [0; COUNT];
    for share in Share::ALL {
        deal(&units, Some(share), &share.weights(), &mut by_folder, stream);
    }
    for (sum, dealt) in born.iter_mut().zip(&by_folder) {
        *sum = dealt.iter().filter(|unit| unit.creates()).count() as u64;
    }
    deal(&units, None, &born, &mut by_folder, stream);
    by_folder.iter_mut().for_each(|dealt| shuffle(dealt, stream));
    by_folder
}

/// Puts the units of one share into folders, as many into each as its weight asks for.
fn deal(
    units: &[Unit], share: Option<Share>, weights: &[u64], by_folder: &mut [Vec<Unit>; COUNT], stream: &mut Stream,
) {
    let chosen: Vec<Unit> = units.iter().copied().filter(|unit| unit.share() == share).collect();
    let counts = apportion(weights, chosen.len() as u64).into_iter().enumerate();
    let mut folders: Vec<usize> =
        counts.flat_map(|(folder, count)| std::iter::repeat_n(folder, count as usize)).collect();
    shuffle(&mut folders, stream);
    chosen.into_iter().zip(folders).for_each(|(unit, folder)| by_folder[folder].push(unit));
}
