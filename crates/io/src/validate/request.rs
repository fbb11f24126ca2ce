//! What makes no sense whatever the engine, machine and target.

use plimsoll_core::error::JobError;

use crate::spec::{
    Backlog, Content, Distribution, DropEach, FileOrder, JobSpec, Layout, OpKind, Piece, PriorityShare, Recording,
    SyncKind, Verification, Zone,
};

use super::refuse;

/// The longest time series that is kept.
const MAX_INTERVALS: u64 = 100_000;
/// Verification keeps two bytes per block in memory.
const MAX_VERIFIED_BLOCKS: u64 = 64 << 20;
/// Room for checksum, offset, generation and seed in a verified block.
const MIN_VERIFIED_BLOCK: u64 = 32;
/// The longest pattern, that of fio.
const MAX_PATTERN: usize = 1 << 16;
const MAX_RATE: f64 = 1e12;
const PRIORITY_CLASS_SHIFT: u32 = 13;
const MAX_PRIORITY_CLASS: u16 = 3;

/// Refuses impossible combinations; each message says what to change.
pub fn validate(spec: &JobSpec) -> Result<(), JobError> {
    spec.check_bounds().map_err(|error| JobError::spec(error.to_string()))?;
    sizes(spec)?;
    distribution(spec)?;
    limits(spec)?;
    sync(spec)?;
    groups(spec)?;
    files(spec)?;
    renewal(spec)?;
    passes(spec)?;
    extras(spec)?;
    verify(spec)
}

fn sizes(spec: &JobSpec) -> Result<(), JobError> {
    let largest = spec.largest_block();
    for sizes in [Some(&spec.block_sizes), spec.write_block_sizes.as_ref()].into_iter().flatten() {
        let weights_ok = sizes.iter().all(|s| s.weight.is_finite() && s.weight >= 0.0);
        let sum: f64 = sizes.iter().map(|s| s.weight).sum();
        if !weights_ok || !sum.is_finite() || sum <= 0.0 {
            return refuse("weights of block sizes must be 0 or more, not all 0, and their sum must be finite");
        }
    }
    if spec.size < largest {
        return refuse(format!(
            "the region has {} bytes, less than one block of {largest}: use a larger size or a smaller block",
            spec.size
        ));
    }
    match spec.offset.checked_add(spec.size) {
        Some(end) if end <= i64::MAX as u64 => {}
        _ => return refuse("offset plus size is beyond what a file can hold: use smaller ones"),
    }
    if (!spec.mode.is_random() || spec.verify) && spec.size / u64::from(spec.threads) < largest {
        return refuse(format!(
            "each of {} threads needs a part of the region of at least one block of {largest} bytes: use fewer threads or a larger size",
            spec.threads
        ));
    }
    Ok(())
}

fn distribution(spec: &JobSpec) -> Result<(), JobError> {
    if spec.write_distribution == Some(Distribution::Once) {
        return refuse("blocks that come once are for reads and writes together: use uniform places for writes");
    }
    let all = [Some(&spec.distribution), spec.write_distribution.as_ref()];
    all.into_iter().flatten().try_for_each(|kind| places(spec, kind))
}

fn places(spec: &JobSpec, kind: &Distribution) -> Result<(), JobError> {
    let centre = match *kind {
        Distribution::Zipf { centre, .. }
        | Distribution::Pareto { centre, .. }
        | Distribution::Normal { centre, .. } => centre,
        _ => None,
    };
    if let Some(centre) = centre.filter(|centre| !(0.0..=1.0).contains(centre)) {
        return refuse(format!("centre {centre}: use a share of the region between 0 and 1"));
    }
    match *kind {
        Distribution::Zipf { theta, .. } if !(theta.is_finite() && theta > 0.0) || (theta - 1.0).abs() < 1e-6 => {
            refuse(format!("zipf theta {theta}: use a value above 0 that is not 1, such as 0.99 or 1.1"))
        }
        Distribution::Pareto { h, .. } if !(h > 0.0 && h < 1.0) => {
            refuse(format!("pareto h {h}: use a share strictly between 0 and 1, such as 0.2"))
        }
        Distribution::Normal { deviation, .. } if !(0.0..1.0).contains(&deviation) => {
            refuse(format!("normal deviation {deviation}: use a share of the region from 0 to below 1, such as 0.1"))
        }
        Distribution::Zones { ref zones } => zones_fit(spec, zones),
        _ => Ok(()),
    }
}

fn zones_fit(spec: &JobSpec, zones: &[Zone]) -> Result<(), JobError> {
    let sum: f64 = zones.iter().map(|zone| zone.weight).sum();
    if zones.iter().any(|zone| zone.weight.is_nan() || zone.weight < 0.0) || !sum.is_finite() || sum <= 0.0 {
        return refuse("weights of zones must be 0 or more, not all 0, and their sum must be finite");
    }
    let unit = spec.smallest_block();
    if zones.iter().any(|zone| !zone.bytes.is_multiple_of(unit) || (zone.weight > 0.0 && zone.bytes == 0)) {
        return refuse(format!("a zone with operations has at least one block, and whole ones of {unit} bytes"));
    }
    let files = spec.files.as_ref().map_or(1, |files| files.more.len() as u64 + 1);
    let parts = if spec.verify { u64::from(spec.threads) } else { files };
    let uneven = spec.files.iter().flat_map(|files| &files.parts).copied().filter(|&part| part > 0).min();
    let room = uneven.unwrap_or(spec.size / parts);
    let together = zones.iter().try_fold(0u64, |sum, zone| sum.checked_add(zone.bytes));
    if together.is_none_or(|bytes| bytes > room) {
        return refuse(format!("the zones are larger than the {room} bytes they lie in: use smaller ones"));
    }
    Ok(())
}

fn limits(spec: &JobSpec) -> Result<(), JobError> {
    let threads = u64::from(spec.threads);
    if [spec.max_operations, spec.max_bytes].into_iter().flatten().any(|limit| limit < threads) {
        return refuse("the limit is smaller than the number of threads: use a larger limit or fewer threads");
    }
    if spec.runtime_ns / spec.interval_length_ns() > MAX_INTERVALS {
        return refuse(format!(
            "the run has more than {MAX_INTERVALS} intervals: use longer intervals or a shorter runtime"
        ));
    }
    if spec.runtime_ns.checked_add(spec.warmup_ns).is_none_or(|n| n > i64::MAX as u64) {
        return refuse("runtime plus warm-up is beyond 292 years: use a shorter one");
    }
    if let Some(rate) = spec.rate {
        let kinds = rate.apart.iter().flat_map(|apart| [apart.read, apart.write]).flatten();
        if let Some(bad) = kinds.chain([rate.per_second]).find(|&each| !(each > 0.0 && each <= MAX_RATE)) {
            return refuse(format!("a rate of {bad} per second: use a positive one up to {MAX_RATE:e}"));
        }
        if rate.apart.is_some_and(|apart| apart.read.is_none() && apart.write.is_none()) {
            return refuse("rates of reads and of writes are both missing: give one of them, or no rate");
        }
        if rate.apart.is_some() && !(spec.mode.reads() && spec.mode.writes()) {
            return refuse("separate rates of reads and of writes are for modes that do both");
        }
        if spec.think_time_ns > 0 {
            return refuse("a rate and think time cannot be combined: use one of them");
        }
    }
    Ok(())
}

fn sync(spec: &JobSpec) -> Result<(), JobError> {
    let counts = spec.sync_every().is_some();
    if let Some(beside) = spec.sync_beside {
        if !counts || (beside.fdatasync_every > 0 && spec.sync != SyncKind::Fsync) {
            return refuse("a second way to sync needs fsync, or as an open flag fdatasync");
        }
        if matches!(beside.opened, SyncKind::Fsync | SyncKind::Fdatasync) {
            return refuse("the open flag beside fsync or fdatasync is none, dsync or sync");
        }
    }
    if (counts || spec.sync_at_end) && !spec.mode.writes() {
        return refuse("a sync policy needs a mode that writes");
    }
    Ok(())
}

fn groups(spec: &JobSpec) -> Result<(), JobError> {
    if let Some(sequence) = spec.sequence {
        if sequence.every == 0 {
            return refuse("a random place for every 0 operations: use 1 or more");
        }
        if sequence.skip != 0 && (spec.mode.is_random() || sequence.skip.unsigned_abs() > spec.size) {
            return refuse("a gap between operations is for sequential modes, and smaller than the region");
        }
    }
    if spec.batch.is_some_and(|batch| {
        let within = 1..=spec.depth;
        !within.contains(&batch.submit) || !within.contains(&batch.complete) || batch.low > spec.depth
    }) {
        return refuse(format!("a group has 1 to {} operations, the depth", spec.depth));
    }
    Ok(())
}

fn files(spec: &JobSpec) -> Result<(), JobError> {
    let Some(files) = &spec.files else { return Ok(()) };
    let count = files.more.len() as u64 + 1;
    if files.turn == 0 {
        return refuse("0 operations in each file before the next: use 1 or more");
    }
    if let Some(kind) = &files.favour {
        let hot = matches!(kind, Distribution::Zipf { .. } | Distribution::Pareto { .. } | Distribution::Normal { .. });
        if !hot || files.order != FileOrder::Random {
            return refuse(
                "files that are used more often than others come in random order, by zipf, pareto or normal",
            );
        }
        places(spec, kind)?;
    }
    if files.open == Some(0) {
        return refuse("0 files open at once: use 1 or more");
    }
    parts(spec, &files.parts, count)?;
    if spec.threads > 1 || spec.layout != Layout::Keep {
        return refuse("several files are for one thread, and must exist: use layout keep");
    }
    if spec.reads_back_after_run() {
        return refuse("several files are not read back after the run: verify them after each pass");
    }
    Ok(())
}

/// Bytes of the region in each of several files.
fn parts(spec: &JobSpec, parts: &[u64], count: u64) -> Result<(), JobError> {
    let largest = spec.largest_block();
    if parts.is_empty() {
        return if spec.size.is_multiple_of(count) && spec.size / count >= largest {
            Ok(())
        } else {
            refuse(format!("a region over {count} files has as many bytes in each, at least one block"))
        };
    }
    let together = parts.iter().try_fold(0u64, |sum, part| sum.checked_add(*part));
    if parts.len() as u64 != count || together != Some(spec.size) {
        return refuse(format!("{count} files have a part of the region each, and all of it together"));
    }
    if parts.iter().any(|&part| part > 0 && part < largest) {
        return refuse(format!("a file has at least one block of {largest} bytes, or nothing of the region"));
    }
    Ok(())
}

/// What only some front ends ask for.
fn extras(spec: &JobSpec) -> Result<(), JobError> {
    if !spec.has_extras() && spec.align == 0 {
        return Ok(());
    }
    if spec.threads > 1 {
        return refuse("times of submission, given orders, strides and flows are for one thread");
    }
    if spec.align > 0 && spec.align > spec.size {
        return refuse("random places are multiples of a number smaller than the region");
    }
    if let Some(strides) = spec.strides {
        let largest = spec.largest_block();
        if strides.bytes == 0 || strides.range < largest || strides.range > spec.size {
            return refuse(format!("a zone has at least one block of {largest} bytes, and lies in the region"));
        }
        if spec.files.is_some() || spec.verify {
            return refuse("zones with gaps between them are for one file, without verify");
        }
    }
    if spec.draws.is_some() && (!spec.mode.is_random() || spec.files.is_some() || spec.strides.is_some()) {
        return refuse("places drawn as in fio are for random modes and one file, without zones");
    }
    if let Some(priorities) = &spec.priorities {
        [&priorities.reads, &priorities.writes].into_iter().try_for_each(|shares| shared_out(shares))?;
    }
    if spec.flow.is_some_and(|flow| flow.weight == 0) {
        return refuse("a flow of weight 0 never moves: use 1 or more");
    }
    if let Some(load) = &spec.recording {
        recording(spec, load)?;
    }
    let Some(replay) = &spec.replay else { return Ok(()) };
    if replay.operations.is_empty() || spec.verify || spec.strides.is_some() || spec.rate.is_some() {
        return refuse("a recorded load has operations, and neither verify, zones nor a rate");
    }
    let largest = spec.largest_block();
    for &(_, kind, offset, length) in &replay.operations {
        let moves = matches!(kind, OpKind::Read | OpKind::Write);
        if offset.checked_add(u64::from(length)).is_none_or(|end| end > spec.size && moves) {
            return refuse(format!("a recorded operation at {offset} is beyond the region of {} bytes", spec.size));
        }
        if moves && u64::from(length) > largest {
            return refuse(format!(
                "a recorded operation has {length} bytes, more than the largest block of {largest}"
            ));
        }
    }
    Ok(())
}

/// A trace has one order and one schedule.
fn recording(spec: &JobSpec, load: &Recording) -> Result<(), JobError> {
    if spec.threads > 1 || spec.verify || spec.rate.is_some() || spec.has_extras() || spec.files.is_some() {
        return refuse(
            "a recorded load is replayed by one thread on one file, without verify, rate or fio's own rules",
        );
    }
    if !(load.speed.is_finite() && load.speed > 0.0) {
        return refuse("a recorded load is replayed at a speed above 0");
    }
    if load.from_ns >= load.until_ns || load.align == 0 || spec.largest_block() > spec.size {
        return refuse(
            "a recorded load has a beginning before its end, an alignment, and a region larger than its blocks",
        );
    }
    Ok(())
}

/// No more operations have a priority of their own than there are.
fn shared_out(shares: &[PriorityShare]) -> Result<(), JobError> {
    for share in shares {
        let of_size = shares.iter().filter(|other| other.size == share.size || other.size == 0);
        let sum = of_size.fold(0u32, |sum, other| sum.saturating_add(other.percent));
        if share.percent == 0 || sum > 100 {
            return refuse(format!("shares of priorities of {sum} %: use 1 to 100 for operations of one size"));
        }
        if share.priority >> PRIORITY_CLASS_SHIFT > MAX_PRIORITY_CLASS {
            return refuse(format!("priority {:#06x}: the class is 0 to {MAX_PRIORITY_CLASS}", share.priority));
        }
    }
    Ok(())
}

/// Files that are made anew belong to one thread, and hold nothing that would have to stay.
fn renewal(spec: &JobSpec) -> Result<(), JobError> {
    if spec.drop_each == DropEach::Files && (spec.threads > 1 || spec.verify) {
        return refuse("files that are removed after each pass are for one thread, without verify");
    }
    Ok(())
}

fn passes(spec: &JobSpec) -> Result<(), JobError> {
    let Some(passes) = &spec.passes else { return Ok(()) };
    if spec.threads > 1 {
        return refuse("passes are for one thread");
    }
    if passes.least == Some(0) {
        return refuse("0 passes: use 1 or more");
    }
    if passes.read_back && !spec.verify {
        return refuse("passes read back what is verified: set verify");
    }
    Ok(())
}

fn verify(spec: &JobSpec) -> Result<(), JobError> {
    if !spec.verify {
        let how = spec.verification.is_some();
        return if how { refuse("verification has parameters, but is not asked for: set verify") } else { Ok(()) };
    }
    if spec.checks_reads() {
        if spec.mode.writes() || !spec.mode.reads() {
            return refuse("what was written before is verified by a mode that only reads");
        }
    } else if !spec.mode.writes() {
        return refuse("verify checks what the job wrote: use a mode that writes");
    }
    let smallest = spec.smallest_block();
    if let Some(how) = &spec.verification {
        verification(how, smallest)?;
    }
    let (interval, checksums) = (spec.verified_block(), spec.verification.as_ref().is_none_or(|how| how.checksums));
    if checksums && interval < MIN_VERIFIED_BLOCK {
        return refuse(format!("verify needs blocks of at least {MIN_VERIFIED_BLOCK} bytes"));
    }
    if spec.sizes().any(|size| size % smallest != 0) {
        return refuse("verify needs block sizes that are multiples of the smallest one");
    }
    if spec.size / interval > MAX_VERIFIED_BLOCKS {
        return refuse(format!(
            "verify keeps a map of at most {MAX_VERIFIED_BLOCKS} blocks: use larger blocks or a smaller region"
        ));
    }
    if spec.content == Content::Zero || spec.compressible > 0.0 || spec.dedupe > 0.0 {
        return refuse("verify writes its own content: leave zero, compressible and dedupe off");
    }
    Ok(())
}

fn verification(how: &Verification, smallest: u64) -> Result<(), JobError> {
    if how.interval == 0 || !smallest.is_multiple_of(how.interval) {
        return refuse(format!(
            "a checksum every {} bytes does not fit: use a divisor of the smallest block, {smallest}",
            how.interval
        ));
    }
    let length = |piece: &Piece| if let Piece::Bytes(bytes) = piece { bytes.len() } else { 8 };
    let round: usize = how.pattern.iter().map(length).sum();
    if round > MAX_PATTERN || (round == 0 && !(how.pattern.is_empty() && how.checksums)) {
        return refuse(format!("a pattern to verify has 1 to {MAX_PATTERN} bytes, and is needed without checksums"));
    }
    let numbers = |backlog: Backlog| [backlog.every, backlog.batch];
    if how.backlog.is_some_and(|backlog| numbers(backlog).iter().any(|n| !(1..=MAX_VERIFIED_BLOCKS).contains(n))) {
        return refuse(format!("a backlog of writes to verify has 1 to {MAX_VERIFIED_BLOCKS} of them"));
    }
    Ok(())
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::spec::{Apart, Backlog, Files, Mode, Rate, RateUnit, SizeWeight, SyncBeside};

    pub(crate) fn plain() -> JobSpec {
        JobSpec {
            path: "/f".to_owned(),
            engine: "null".to_owned(),
            mode: Mode::Randwrite,
            size: 1 << 20,
            direct: false,
            runtime_ns: 1_000_000_000,
            warmup_ns: 0,
            drop_cache: false,
            ..JobSpec::default()
        }
    }

    fn message(change: impl FnOnce(&mut JobSpec)) -> String {
        let mut spec = plain();
        change(&mut spec);
        validate(&spec).map(|()| String::new()).unwrap_or_else(|error| error.to_string())
    }

    #[test]
    fn the_wire_format_is_strict_and_round_trips() {
        assert_eq!(validate(&plain()), Ok(()));
        let plain_text = serde_json::to_string(&plain()).unwrap();
        let read = |text: &str| serde_json::from_str::<JobSpec>(text);
        assert_eq!(read(&plain_text).unwrap(), plain());
        assert!(read(&plain_text.replace("\"seed\":1", "\"seed\":1,\"sede\":2")).is_err());
        assert!(read(&plain_text.replace("\"depth\":1,", "")).is_err());
        assert!(read(&plain_text.replace("\"depth\":1", "\"depth\":-1")).is_err());
        // What only front ends write, and what names a place beside its path, may be left out.
        assert_eq!(read(&plain_text.replace("\"align\":0,", "").replace("\"made\":[],", "")).unwrap(), plain());
    }

    #[test]
    fn files_that_cannot_be_are_refused_with_what_to_change() {
        let files = |order, favour, parts: &[u64], open| {
            let (more, parts) = (vec!["/g".to_owned()], parts.to_vec());
            Some(Files { more, order, turn: 1, favour, parts, open, endless: false })
        };
        let parts = |parts: &[u64], open| files(FileOrder::Turns, None, parts, open);
        let favour = |order, theta| files(order, Some(Distribution::Zipf { theta, centre: None }), &[], None);
        let cases = [
            ("more often", message(|s| s.files = favour(FileOrder::Turns, 1.1))),
            ("part of the region each", message(|s| s.files = parts(&[4096], Some(1)))),
            ("part of the region each", message(|s| s.files = parts(&[u64::MAX, 1], None))),
            ("at least one block", message(|s| s.files = parts(&[1, s.size - 1], None))),
            ("0 files open", message(|s| s.files = parts(&[0, s.size], Some(0)))),
            ("after each pass", message(|s| (s.threads, s.drop_each) = (2, DropEach::Files))),
            ("theta", message(|s| s.files = favour(FileOrder::Random, 1.0))),
        ];
        for (word, message) in cases {
            assert!(message.contains(word), "{word}: {message:?}");
        }
    }

    #[test]
    fn impossible_requests_are_refused_with_what_to_change() {
        let weighted = |size, weight| vec![SizeWeight { size, weight }];
        let rate = |per_second| Some(Rate { per_second, unit: RateUnit::Operations, apart: None });
        let zones = |zones: &[(f64, u64)]| Distribution::Zones {
            zones: zones.iter().map(|&(weight, bytes)| Zone { weight, bytes }).collect(),
        };
        let apart = |read, write| rate(1.0).map(|rate| Rate { apart: Some(Apart { read, write }), ..rate });
        let cases: [(&str, String); 43] = [
            ("block_size is []: use one or more of 1 to", message(|s| s.block_sizes.clear())),
            ("block_size is [[0,1.0]]", message(|s| s.block_sizes = weighted(0, 1.0))),
            ("weights", message(|s| s.block_sizes = weighted(512, 0.0))),
            ("weights", message(|s| s.block_sizes = weighted(512, f64::NAN))),
            ("weights", message(|s| s.block_sizes = weighted(512, f64::MAX).repeat(2))),
            ("less than one block", message(|s| s.size = 4095)),
            ("beyond", message(|s| s.offset = u64::MAX - 5)),
            ("threads", message(|s| s.threads = 0)),
            ("depth", message(|s| s.depth = 0)),
            ("depth", message(|s| s.depth = 1_000_000)),
            ("fewer threads", message(|s| (s.threads, s.mode) = (257, Mode::Write))),
            ("read_share", message(|s| s.read_share = 1.5)),
            ("random_share is not a number", message(|s| s.random_share = f64::NAN)),
            ("compressible", message(|s| s.compressible = -0.1)),
            ("theta", message(|s| s.distribution = Distribution::Zipf { theta: 1.0, centre: None })),
            ("theta", message(|s| s.distribution = Distribution::Zipf { theta: 0.0, centre: None })),
            ("theta", message(|s| s.distribution = Distribution::Zipf { theta: f64::NAN, centre: None })),
            ("theta", message(|s| s.distribution = Distribution::Zipf { theta: f64::INFINITY, centre: None })),
            ("pareto", message(|s| s.distribution = Distribution::Pareto { h: 1.0, centre: None })),
            ("pareto", message(|s| s.distribution = Distribution::Pareto { h: f64::NAN, centre: None })),
            ("centre", message(|s| s.distribution = Distribution::Zipf { theta: 1.1, centre: Some(1.5) })),
            ("deviation", message(|s| s.distribution = Distribution::Normal { deviation: 1.0, centre: None })),
            ("deviation", message(|s| s.distribution = Distribution::Normal { deviation: f64::NAN, centre: None })),
            ("weights of zones", message(|s| s.distribution = zones(&[]))),
            ("weights of zones", message(|s| s.distribution = zones(&[(f64::NAN, 4096)]))),
            ("whole ones", message(|s| s.distribution = zones(&[(1.0, 4097)]))),
            ("at least one", message(|s| s.distribution = zones(&[(1.0, 0)]))),
            ("zones are larger", message(|s| s.write_distribution = Some(zones(&[(1.0, 4096), (1.0, 1 << 20)])))),
            ("zones are larger", message(|s| s.distribution = zones(&[(1.0, 4096), (1.0, u64::MAX / 4096 * 4096)]))),
            ("come once", message(|s| s.write_distribution = Some(Distribution::Once))),
            ("max_operations is 0: use 1 or more", message(|s| s.max_operations = Some(0))),
            ("smaller than the number of threads", message(|s| (s.threads, s.max_operations) = (4, Some(3)))),
            ("intervals", message(|s| (s.runtime_ns, s.interval_ns) = (200_000_000_000_000, Some(1_000_000_000)))),
            ("rate", message(|s| s.rate = rate(0.0))),
            ("rate", message(|s| s.rate = rate(f64::NAN))),
            ("rate", message(|s| s.rate = rate(f64::INFINITY))),
            ("rate of -1", message(|s| (s.rate, s.mode) = (apart(Some(5.0), Some(-1.0)), Mode::Rw))),
            ("both missing", message(|s| (s.rate, s.mode) = (apart(None, None), Mode::Rw))),
            ("modes that do both", message(|s| s.rate = apart(Some(5.0), None))),
            ("cannot be combined", message(|s| (s.rate, s.think_time_ns) = (rate(1.0), 1))),
            ("sync_every is 0: use 1 or more", message(|s| (s.sync, s.sync_every) = (SyncKind::Fsync, 0))),
            ("mode that writes", message(|s| (s.sync_at_end, s.mode) = (true, Mode::Randread))),
            ("verify", message(|s| (s.verify, s.mode) = (true, Mode::Read))),
        ];
        for (word, message) in cases {
            assert!(message.contains(word), "{word}: {message:?}");
        }
    }

    #[test]
    fn verification_has_bounds() {
        let verify = |change: fn(&mut JobSpec)| {
            message(|spec| {
                spec.verify = true;
                change(spec);
            })
        };
        assert_eq!(verify(|_| ()), "");
        assert!(verify(|s| s.size = (MAX_VERIFIED_BLOCKS + 1) * 4096).contains("at most"));
        assert!(verify(|s| s.block_sizes[0].size = 16).contains("at least"));
        assert!(verify(|s| s.block_sizes.push(SizeWeight { size: 5000, weight: 1.0 })).contains("multiples"));
        assert!(verify(|s| s.content = Content::Zero).contains("own content"));
        assert!(verify(|s| s.dedupe = 0.5).contains("own content"));
    }

    #[test]
    fn ways_to_verify_are_possible_ones() {
        let how = |change: fn(&mut Verification)| {
            let mut how = Verification {
                interval: 512,
                pattern: vec![Piece::Bytes(vec![1, 2]), Piece::Offset],
                checksums: false,
                backlog: Some(Backlog { every: 16, batch: 16 }),
                stop_at_first: false,
                read_back: true,
                existing: false,
            };
            change(&mut how);
            message(|spec| (spec.verify, spec.verification) = (true, Some(how)))
        };
        assert_eq!(how(|_| ()), "");
        assert_eq!(how(|h| h.interval = 16), "");
        assert!(how(|h| (h.interval, h.checksums) = (16, true)).contains("at least"));
        assert!(how(|h| h.interval = 0).contains("divisor"));
        assert!(how(|h| h.interval = 1000).contains("divisor"));
        assert!(how(|h| h.interval = 8192).contains("divisor"));
        assert!(how(|h| h.pattern.clear()).contains("pattern"));
        assert!(how(|h| h.pattern = vec![Piece::Bytes(Vec::new())]).contains("pattern"));
        assert!(how(|h| h.pattern = vec![Piece::Bytes(vec![0; MAX_PATTERN + 1])]).contains("pattern"));
        assert!(how(|h| h.backlog = Some(Backlog { every: 0, batch: 1 })).contains("backlog"));
        assert!(how(|h| h.backlog = Some(Backlog { every: 1, batch: 0 })).contains("backlog"));
        let beside = |change: fn(&mut JobSpec)| {
            message(|spec| {
                (spec.sync, spec.sync_every) = (SyncKind::Fsync, 4);
                spec.sync_beside = Some(SyncBeside { fdatasync_every: 2, opened: SyncKind::Dsync });
                change(spec);
            })
        };
        assert_eq!(beside(|_| ()), "");
        assert!(beside(|s| s.sync = SyncKind::Fdatasync).contains("second way"));
        assert!(beside(|s| s.sync_beside.as_mut().unwrap().opened = SyncKind::Fsync).contains("open flag"));
    }
}
