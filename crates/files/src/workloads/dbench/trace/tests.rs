//! The statistics of the recorded load, as they are published, hold for the made one.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::*;
use crate::workloads::dbench::lifecycles::{LIFECYCLES, Lifecycle};
use crate::workloads::dbench::sessions::{SESSIONS, Target};

fn counts(trace: &Trace) -> BTreeMap<Code, u64> {
    let mut counts = BTreeMap::new();
    trace.entries.iter().for_each(|entry| *counts.entry(entry.code).or_insert(0) += 1);
    counts
}

#[test]
fn every_count_of_the_published_table_is_exact() {
    (1..=5).for_each(counts_are_exact);
}

fn counts_are_exact(seed: u64) {
    let trace = Trace::new(seed);
    let found = counts(&trace);
    let of = |codes: &[Code]| codes.iter().map(|code| found[code]).sum::<u64>();
    use Code::*;
    let table: [(&[Code], u64); 19] = [
        (&[Read], 124_199),
        (&[Open, OpenMissing, OpenFolder, Create, CreateFolder, Overwrite], 79_230),
        (&[OpenMissing], 21_030),
        (&[Open, OpenMissing, OpenFolder], 63_162),
        (&[Create, CreateFolder], 16_067),
        (&[Query, QueryMissing], 71_814),
        (&[QueryMissing], 24_385),
        (&[Close], 58_200),
        (&[Write], 39_502),
        (&[List, ListMissing], 27_765),
        (&[ListMissing], 14_328),
        (&[Unlink], 16_000),
        (&[QuerySpace], 13_168),
        (&[QueryFile], 12_585),
        (&[SetFile], 6_454),
        (&[Flush], 5_553),
        (&[Rename], 3_355),
        (&[Lock], 258),
        (&[DeleteTree], 2),
    ];
    for (codes, count) in table {
        assert_eq!(of(codes), count, "{codes:?}");
    }
    assert_eq!((of(&[Unlock]), of(&[Mkdir])), (258, 1));
    assert_eq!(trace.entries.len() as u64, PER_LOOP.0);
    assert_eq!(trace.names.len(), 135 + FOLDERS.len() + 1);
}

#[test]
fn bytes_are_exact_and_sizes_have_the_published_shares() {
    let trace = Trace::new(1);
    for (code, bytes, count, shares) in [
        (
            Code::Read,
            PER_LOOP.1,
            124_199,
            vec![(4096, 0.67), (61_440, 0.134), (2048, 0.037), (8192, 0.037), (16_384, 0.016)],
        ),
        (Code::Write, PER_LOOP.2, 39_502, vec![(65_536, 0.32), (4096, 0.25), (1, 0.188), (2048, 0.042), (8192, 0.029)]),
    ] {
        let sizes: Vec<u32> = trace.entries.iter().filter(|entry| entry.code == code).map(|entry| entry.size).collect();
        assert_eq!(sizes.iter().map(|&size| u64::from(size)).sum::<u64>(), bytes, "{code:?}");
        for (size, share) in shares {
            let found = sizes.iter().filter(|&&one| one == size).count() as f64 / f64::from(count);
            assert!((found - share).abs() < 0.002, "{code:?} of {size}: {found}");
        }
    }
}

/// What is opened, read, renamed and removed is there, and what is expected to be missing is not.
#[test]
fn a_loop_can_be_carried_out() {
    (3..=5).for_each(carry_out);
}

fn carry_out(seed: u64) {
    let trace = Trace::new(seed);
    let mut lengths: HashMap<u16, u32> = HashMap::new();
    let (mut open, mut most_open, mut most_bytes) = (HashSet::new(), 0, 0);
    for entry in &trace.entries {
        let there = lengths.contains_key(&entry.name);
        match entry.code {
            Code::Open => assert!(there && open.insert(entry.slot), "{entry:?}"),
            Code::OpenFolder | Code::CreateFolder => assert!(entry.name < FIRST_DOCUMENT && open.insert(entry.slot)),
            Code::OpenMissing | Code::QueryMissing | Code::ListMissing => assert!(!there, "{entry:?}"),
            Code::Create => assert!(lengths.insert(entry.name, 0).is_none() && open.insert(entry.slot), "{entry:?}"),
            Code::Overwrite => assert!(lengths.insert(entry.name, 0).is_some() && open.insert(entry.slot), "{entry:?}"),
            Code::Close => assert!(open.remove(&entry.slot), "{entry:?}"),
            Code::Read => assert!(entry.offset + entry.size <= lengths[&entry.name], "{entry:?}"),
            Code::Write => {
                let length = lengths.entry(entry.name).or_default();
                *length = (*length).max(entry.offset + entry.size);
            }
            Code::Unlink => assert!(lengths.remove(&entry.name).is_some(), "{entry:?}"),
            Code::Rename => {
                let length = lengths.remove(&entry.name).unwrap();
                assert!(lengths.insert(entry.size as u16, length).is_none(), "{entry:?}");
            }
            Code::Query => assert!(there || entry.name < FIRST_DOCUMENT, "{entry:?}"),
            _ => {}
        }
        most_open = most_open.max(open.len());
        most_bytes = most_bytes.max(lengths.values().map(|&length| u64::from(length)).sum());
    }
    assert!(open.is_empty());
    assert_eq!(lengths.len(), 57, "files that are there at the end of a loop");
    assert_eq!(most_open, 23);
    assert!((22_000_000..34_000_000).contains(&most_bytes), "{most_bytes}");
}

#[test]
fn cycles_are_alike_and_seeds_differ() {
    let (one, other) = (Trace::new(1), Trace::new(1));
    assert!(one.entries == other.entries);
    assert!(one.entries != Trace::new(2).entries);
    // Its last operations remove four files.
    let set_up = 4 + one.entries.iter().position(|entry| entry.code == Code::Unlink).unwrap();
    assert!((450..700).contains(&set_up), "{set_up}");
    let per_cycle = (PER_LOOP.0 as usize - set_up) / CYCLES as usize;
    assert!((3540..=3555).contains(&per_cycle), "{per_cycle}");
}

/// Of the files that are removed, about half are empty; of the flushes, about half follow the growth of a file.
#[test]
fn young_files_are_flushed_and_empty_ones_removed_as_often_as_recorded() {
    (1..=5).for_each(flushed);
}

fn flushed(seed: u64) {
    let trace = Trace::new(seed);
    let mut files: HashMap<u16, (u32, bool)> = HashMap::new();
    let (mut empty, mut grown) = (0, 0);
    for entry in &trace.entries {
        match entry.code {
            Code::Create | Code::Overwrite => drop(files.insert(entry.name, (0, false))),
            Code::Write => {
                let file = files.get_mut(&entry.name).unwrap();
                file.1 |= entry.offset + entry.size > file.0;
                file.0 = file.0.max(entry.offset + entry.size);
            }
            Code::Flush => grown += u64::from(std::mem::replace(&mut files.get_mut(&entry.name).unwrap().1, false)),
            Code::Rename => {
                let file = files.remove(&entry.name).unwrap();
                files.insert(entry.size as u16, file);
            }
            Code::Unlink => empty += u64::from(files.remove(&entry.name).unwrap().0 == 0),
            _ => {}
        }
    }
    // Seen with strace of the original: 53 % of the removed files, 49 % of the flushes.
    let (empty, grown) = (empty as f64 / 16_000.0, grown as f64 / 5_553.0);
    assert!((empty - 0.53).abs() < 0.04 && (grown - 0.49).abs() < 0.04, "{empty} {grown}");
}

/// Counted in the load that comes with dbench 4.0: 1.08 folders, half of the flushes within 8 operations of the one before,
/// three quarters within 63, nine tenths within 250.
#[test]
fn work_stays_in_a_folder_and_flushes_come_close_together() {
    (1..=5).for_each(stays);
}

fn stays(seed: u64) {
    let trace = Trace::new(seed);
    let changes = [Code::Create, Code::Write, Code::Unlink, Code::Rename, Code::SetFile];
    let folder = |entry: &&Entry| trace.names[usize::from(entry.name)].rsplit_once('/').map(|(folder, _)| folder);
    let windows = trace.entries[2000..].chunks_exact(50);
    let of_window = |window: &[Entry]| {
        let changing = window.iter().filter(|entry| changes.contains(&entry.code));
        changing.filter_map(|entry| folder(&entry)).collect::<HashSet<_>>().len()
    };
    let folders: Vec<usize> = windows.map(of_window).collect();
    let mean = folders.iter().sum::<usize>() as f64 / folders.len() as f64;
    assert!((mean - 1.08).abs() < 0.1, "{mean}");
    let flushes = trace.entries.iter().zip(0..).filter(|(entry, _)| entry.code == Code::Flush).map(|(_, at)| at);
    let flushes: Vec<u32> = flushes.collect();
    let mut gaps: Vec<u32> = flushes.windows(2).map(|pair| pair[1] - pair[0]).collect();
    gaps.sort_unstable();
    let quantile = |share: f64| gaps[(gaps.len() as f64 * share) as usize];
    let (half, most, nearly_all) = (quantile(0.5), quantile(0.75), quantile(0.9));
    assert!((3..13).contains(&half) && (45..90).contains(&most), "{half} {most}");
    assert!((200..300).contains(&nearly_all), "{nearly_all}");
}

#[test]
fn every_session_with_a_file_that_comes_and_goes_belongs_to_a_life() {
    for row in SESSIONS {
        if let Target::Young(step) = row.target {
            let times = |life: &Lifecycle| life.steps.iter().filter(|&&one| one == step).count() as u32;
            assert_eq!(LIFECYCLES.iter().map(|life| life.count * times(life)).sum::<u32>(), row.count, "{step:?}");
        }
    }
    assert_eq!(LIFECYCLES.iter().map(|life| life.count).sum::<u32>(), 16_000 - 4, "four are removed in the set-up");
    let steps = LIFECYCLES.iter().flat_map(|life| life.steps);
    assert!(steps.into_iter().all(|&step| SESSIONS.iter().any(|row| row.target == Target::Young(step))));
}
