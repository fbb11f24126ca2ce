//! What there is to do in a cycle, and in which folder.

use plimsoll_core::random::Stream;

use super::folders::{COUNT, FILLERS, Share};
use super::lifecycles::{LIFECYCLES, Lifecycle};
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

/// One thing to do, beside the lifecycles of files.
#[derive(Clone, Copy)]
pub enum Action {
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

impl Action {
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
    pub lifecycles: Vec<&'static Lifecycle>,
    /// Everything else.
    pub actions: Vec<Action>,
}

/// The visits of a cycle by folder, each in random order.
pub fn of_cycle(cycle: u32, stream: &mut Stream) -> [Visit; COUNT] {
    let part = |whole: u32| portion(whole, cycle, CYCLES);
    let mut actions = Vec::new();
    for (row, session) in SESSIONS.iter().enumerate() {
        if !matches!(session.target, Target::Young(_)) {
            actions.extend(part(session.count).map(|_| Action::Session(row)));
        }
    }
    for (action, count) in [
        (Action::Query, QUERIES),
        (Action::QueryMissing, MISSING_QUERIES),
        (Action::QuerySpace, SPACE_QUERIES),
        (Action::List, LISTS),
        (Action::ListMissing, MISSING_LISTS),
    ] {
        actions.extend(part(count).map(|_| action));
    }
    shuffle(&mut actions, stream);
    let mut visits: [Visit; COUNT] = Default::default();
    for share in Share::ALL {
        let chosen: Vec<Action> = actions.iter().copied().filter(|action| action.share() == share).collect();
        let folders = deal(&share.weights(), chosen.len(), stream);
        chosen.into_iter().zip(folders).for_each(|(action, folder)| visits[folder].actions.push(action));
    }
    for life in &LIFECYCLES {
        let folders = deal(&life.folders, part(life.count).count(), stream);
        folders.into_iter().for_each(|folder| visits[folder].lifecycles.push(life));
    }
    visits.iter_mut().for_each(|visit| shuffle(&mut visit.lifecycles, stream));
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
