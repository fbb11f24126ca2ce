use super::*;
use crate::region::blocks;
use crate::spec::{FileOrder, Files, Layout, SizeWeight, Zone};
use proptest::prelude::*;

pub(crate) fn spec(mode: Mode, sizes: &[u64], offset: u64, size: u64, threads: u32) -> JobSpec {
    JobSpec {
        path: "/f".to_owned(),
        engine: "null".to_owned(),
        mode,
        read_share: 0.7,
        block_sizes: sizes.iter().map(|&size| SizeWeight { size, weight: 1.0 }).collect(),
        threads,
        size,
        offset,
        direct: false,
        layout: Layout::Keep,
        drop_cache: false,
        ..JobSpec::default()
    }
}

fn draws(spec: &JobSpec, thread: u32, n: usize) -> Vec<Next> {
    let mut pattern = Pattern::new(&Arc::new(spec.clone()), thread, &blocks(spec));
    (0..n).map(|_| pattern.draw().unwrap()).collect()
}

fn any_mode() -> impl Strategy<Value = Mode> {
    prop::sample::select(vec![Mode::Read, Mode::Rw, Mode::Randread, Mode::Randrw, Mode::Randwrite, Mode::Trim])
}

proptest! {
    #[test]
    fn operations_stay_inside_and_on_the_grid(
        mode in any_mode(), offset in 0u64..1_000_000, extra in 0u64..300_000, threads in 1u32..4,
        share in 0.0f64..=1.0, verify: bool,
    ) {
        let sizes = [4096, 512, 65_536];
        let mut spec = spec(mode, &sizes, offset, 65_536 * 4 + extra, threads);
        (spec.random_share, spec.verify) = (share, verify);
        for thread in 0..threads {
            let (base, size) = slice(&spec, thread);
            for next in draws(&spec, thread, 300) {
                prop_assert!(next.offset >= base && next.offset + u64::from(next.length) <= base + size);
                prop_assert!(base + size <= offset + spec.size);
                prop_assert_eq!((next.offset - offset) % 512, 0);
                prop_assert!(sizes.contains(&u64::from(next.length)));
            }
        }
    }
}

#[test]
fn threads_read_their_slices_in_order_and_go_round() {
    let spec = spec(Mode::Read, &[4096], 8192, 16 * 4096, 2);
    let offsets: Vec<u64> = draws(&spec, 1, 10).iter().map(|next| (next.offset - 8192) / 4096).collect();
    assert_eq!(offsets, [8, 9, 10, 11, 12, 13, 14, 15, 8, 9]);
}

#[test]
fn threads_touch_every_block_of_a_random_region_once_together() {
    let spec = spec(Mode::Randread, &[4096], 0, 30 * 4096, 3);
    let mut seen: Vec<u64> = (0..3).flat_map(|t| draws(&spec, t, 10)).map(|next| next.offset / 4096).collect();
    seen.sort_unstable();
    assert!(seen.into_iter().eq(0..30));
}

#[test]
fn each_block_is_trimmed_before_it_is_written() {
    let spec = spec(Mode::Trimwrite, &[4096], 0, 4 * 4096, 1);
    let steps: Vec<_> = draws(&spec, 0, 10).iter().map(|next| (next.kind, next.offset / 4096)).collect();
    let (trim, write) = (OpKind::Trim, OpKind::Write);
    assert_eq!(steps[..6], [(trim, 0), (write, 0), (trim, 1), (write, 1), (trim, 2), (write, 2)]);
    assert_eq!(steps[6..], [(trim, 3), (write, 3), (trim, 0), (write, 0)]);
}

#[test]
fn writes_go_to_places_of_their_own() {
    let mut spec = spec(Mode::Randrw, &[4096], 0, 64 * 4096, 1);
    let zone = |bytes| vec![Zone { weight: 1.0, bytes }];
    spec.distribution = Distribution::Zones { zones: zone(64 * 4096) };
    spec.write_distribution = Some(Distribution::Zones { zones: zone(8 * 4096) });
    let all = draws(&spec, 0, 2000);
    let last = |kind| all.iter().filter(|next| next.kind == kind).map(|next| next.offset / 4096).max();
    assert_eq!((last(OpKind::Read), last(OpKind::Write)), (Some(63), Some(7)));
}

#[test]
fn shares_of_reads_and_of_random_offsets_are_kept() {
    let mut spec = spec(Mode::Randrw, &[4096], 0, 1 << 30, 1);
    spec.random_share = 0.25;
    let all = draws(&spec, 0, 20_000);
    let reads = all.iter().filter(|next| next.kind == OpKind::Read).count() as f64 / 20_000.0;
    assert!((reads - 0.7).abs() < 0.02, "{reads}");
    // Each kind follows the last one of its own.
    let of = |kind| all.iter().filter(|next| next.kind == kind).map(|next| next.offset).collect::<Vec<_>>();
    let jumps = [of(OpKind::Read), of(OpKind::Write)]
        .iter()
        .map(|offsets| offsets.windows(2).filter(|w| w[1] != w[0] + 4096).count())
        .sum::<usize>() as f64
        / 20_000.0;
    assert!((jumps - 0.25).abs() < 0.02, "{jumps}");
}

/// As letters and block numbers: `r3` reads block 3, `2:w0` writes block 0 of file 2.
fn written_out(spec: &JobSpec, n: usize) -> Vec<String> {
    let each = rotation::part(spec, 0);
    let word = |next: Next| {
        let letter = if next.kind == OpKind::Read { 'r' } else { 'w' };
        let file = spec.files.as_ref().map_or(String::new(), |_| format!("{}:", next.offset / each));
        format!("{file}{letter}{}", next.offset % each / 4096)
    };
    draws(spec, 0, n).into_iter().map(word).collect()
}

#[test]
fn a_random_place_is_held_for_several_operations() {
    let mut spec = spec(Mode::Randread, &[4096], 0, 32 * 4096, 1);
    spec.sequence = Some(Sequence { every: 8, stay: false, skip: 0 });
    let offsets: Vec<u64> = draws(&spec, 0, 800).iter().map(|next| next.offset / 4096).collect();
    for run in offsets.chunks(8) {
        // Only where the region ends, a run goes on at another random place.
        assert!(run.windows(2).all(|pair| pair[1] == pair[0] + 1 || pair[0] == 31), "{run:?}");
    }
    let places: Vec<u64> = offsets.chunks(8).take(30).map(|run| run[0]).collect();
    assert!(places.iter().collect::<std::collections::HashSet<_>>().len() > 15, "{places:?}");
    spec.sequence = Some(Sequence { every: 4, stay: true, skip: 0 });
    let stays = draws(&spec, 0, 400);
    assert!(stays.chunks(4).all(|run| run.iter().all(|next| next.offset == run[0].offset)));
}

#[test]
fn reads_and_writes_of_a_sequence_each_follow_their_own() {
    let mut spec = spec(Mode::Rw, &[4096], 0, 64 * 4096, 1);
    spec.sequence = Some(Sequence { every: 1, stay: false, skip: 0 });
    let words = written_out(&spec, 40);
    for letter in ["r", "w"] {
        let blocks: Vec<&String> = words.iter().filter(|word| word.starts_with(letter)).collect();
        assert!(blocks.iter().enumerate().all(|(i, word)| **word == format!("{letter}{i}")), "{words:?}");
    }
}

#[test]
fn bytes_are_left_out_between_operations() {
    let mut spec = spec(Mode::Write, &[4096], 0, 32 * 4096, 1);
    spec.sequence = Some(Sequence { every: 1, stay: false, skip: 4096 });
    let blocks: Vec<u64> = draws(&spec, 0, 18).iter().map(|next| next.offset / 4096).collect();
    assert_eq!(blocks, [0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30, 0, 2]);
    spec.sequence = Some(Sequence { every: 1, stay: false, skip: 6144 });
    let offsets: Vec<u64> = draws(&spec, 0, 4).iter().map(|next| next.offset / 2048).collect();
    assert_eq!(offsets, [0, 5, 10, 15]);
}

#[test]
fn files_take_turns_as_with_fio() {
    let mut spec = spec(Mode::Write, &[4096], 0, 24 * 4096, 1);
    let files = |order, turn| {
        Some(Files {
            more: vec!["/b".to_owned(), "/c".to_owned()],
            order,
            turn,
            favour: None,
            parts: vec![],
            open: None,
            endless: false,
        })
    };
    spec.files = files(FileOrder::Turns, 1);
    assert_eq!(written_out(&spec, 5), ["0:w0", "1:w0", "2:w0", "0:w1", "1:w1"]);
    spec.files = files(FileOrder::Turns, 4);
    assert_eq!(
        written_out(&spec, 14)[2..],
        ["0:w2", "0:w3", "1:w0", "1:w1", "1:w2", "1:w3", "2:w0", "2:w1", "2:w2", "2:w3", "0:w4", "0:w5"]
    );
    spec.files = files(FileOrder::Sequential, 1);
    assert_eq!(written_out(&spec, 26)[6..10], ["0:w6", "0:w7", "1:w0", "1:w1"]);
    assert_eq!(written_out(&spec, 26)[23..], ["2:w7", "0:w0", "0:w1"]);
}

#[test]
fn a_sync_takes_the_turn_of_a_file_as_with_fio() {
    let mut spec = spec(Mode::Write, &[4096], 0, 24 * 4096, 1);
    let more = vec!["/b".to_owned(), "/c".to_owned()];
    spec.files =
        Some(Files { more, order: FileOrder::Turns, turn: 1, favour: None, parts: vec![], open: None, endless: false });
    let mut pattern = Pattern::new(&Arc::new(spec.clone()), 0, &blocks(&spec));
    let each = 8 * 4096;
    let group = |pattern: &mut Pattern| {
        [0, 1]
            .map(|_| pattern.draw().unwrap().offset / each)
            .into_iter()
            .chain([pattern.sync_offset() / each])
            .collect::<Vec<_>>()
            .try_into()
            .unwrap()
    };
    let groups: Vec<[u64; 3]> = (0..12).map(|_| group(&mut pattern)).collect();
    assert!(groups[..8].iter().all(|group| *group == [0, 1, 2]), "{groups:?}");
    assert!(groups[8..].iter().all(|group| group[..2] == [2, 2]), "{groups:?}");
    // A file with gaps is never through.
    spec.sequence = Some(Sequence { every: 1, stay: false, skip: 4096 });
    let mut pattern = Pattern::new(&Arc::new(spec.clone()), 0, &blocks(&spec));
    assert!((0..12).all(|_| group(&mut pattern) == [0, 1, 2]));
}

#[test]
fn files_of_many_sizes_are_through_when_they_have_had_theirs() {
    for mode in [Mode::Write, Mode::Randwrite] {
        for order in [FileOrder::Turns, FileOrder::Sequential, FileOrder::Random] {
            let mut spec = spec(mode, &[4096], 0, 12 * 4096, 1);
            let more = (1..4).map(|number| format!("/{number}")).collect();
            let parts = [2, 0, 7, 3].map(|blocks| blocks * 4096).to_vec();
            spec.files = Some(Files { more, order, turn: 1, favour: None, parts, open: None, endless: false });
            for pass in draws(&spec, 0, 36).chunks(12) {
                let mut seen: Vec<u64> = pass.iter().map(|next| next.offset / 4096).collect();
                seen.sort_unstable();
                assert!(seen.into_iter().eq(0..12), "{mode:?} {order:?}");
            }
        }
    }
}

#[test]
fn no_more_files_are_in_use_than_may_be_open() {
    let files_of = |order, open| {
        let mut spec = spec(Mode::Write, &[4096], 0, 24 * 4096, 1);
        let more = (1..6).map(|number| format!("/{number}")).collect();
        spec.files = Some(Files { more, order, turn: 1, favour: None, parts: vec![], open, endless: false });
        spec
    };
    let numbers =
        |spec: &JobSpec| -> Vec<u64> { draws(spec, 0, 24).iter().map(|next| next.offset / (4 * 4096)).collect() };
    // As fio 3.33 writes them with openfiles=2.
    let turns = numbers(&files_of(FileOrder::Turns, Some(2)));
    let pair = |first: u64| [first, first + 1].repeat(4);
    assert_eq!(turns, [pair(0), pair(2), pair(4)].concat());
    let random = numbers(&files_of(FileOrder::Random, Some(2)));
    let mut left = [4; 6];
    for file in random {
        left[file as usize] -= 1;
        let begun = left.iter().filter(|&&left| 0 < left && left < 4).count();
        assert!(begun <= 2, "{left:?}");
    }
    assert_eq!(left, [0; 6]);
    let mut endless = files_of(FileOrder::Turns, Some(2));
    endless.files.as_mut().unwrap().endless = true;
    assert_eq!(numbers(&endless), [0, 1].repeat(12));
}

#[test]
fn some_files_come_more_often() {
    let mut spec = spec(Mode::Randread, &[4096], 0, 8 << 20, 1);
    let more: Vec<String> = (1..8).map(|number| format!("/{number}")).collect();
    // As fio counts them with zipf:1.2:0 and with gauss:10.
    for (favour, hot, share) in [
        (Distribution::Zipf { theta: 1.2, centre: Some(0.0) }, 0..1, 0.89..0.94),
        (Distribution::Normal { deviation: 0.1, centre: None }, 3..5, 0.83..0.88),
    ] {
        let more = more.clone();
        spec.files = Some(Files {
            more,
            order: FileOrder::Random,
            turn: 1,
            favour: Some(favour),
            parts: vec![],
            open: None,
            endless: false,
        });
        let all = draws(&spec, 0, 2000);
        let there = all.iter().filter(|next| hot.contains(&(next.offset >> 20))).count() as f64 / 2000.0;
        assert!(share.contains(&there), "{hot:?}: {there}");
    }
}

#[test]
fn every_block_of_every_file_comes_once() {
    for order in [FileOrder::Turns, FileOrder::Sequential, FileOrder::Random] {
        let mut spec = spec(Mode::Randread, &[4096], 0, 24 * 4096, 1);
        let more = vec!["/b".to_owned(), "/c".to_owned()];
        spec.files = Some(Files { more, order, turn: 1, favour: None, parts: vec![], open: None, endless: false });
        let mut seen: Vec<u64> = draws(&spec, 0, 24).iter().map(|next| next.offset / 4096).collect();
        assert!(seen[..8] != seen[8..16], "{order:?}");
        seen.sort_unstable();
        assert!(seen.into_iter().eq(0..24), "{order:?}");
    }
}
