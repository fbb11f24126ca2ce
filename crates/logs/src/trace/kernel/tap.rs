//! From the pages of all processors to a trace file: in order of time, paired, packed.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use crate::trace::event::{Event, OpKind};
use crate::trace::fault::Fault;
use crate::trace::header::{Header, MOST_NAMES, Totals};
use crate::trace::kernel::fields::{Layout, POINTS, Point};
use crate::trace::kernel::page::records;
use crate::trace::pairing::{Pairing, Range, SECTOR_BYTES};
use crate::trace::writer::Writer;

/// A device counts an I/O a moment after it is traced, or before.
const SLACK_NS: u64 = 5_000_000;

/// What is observed, and how the kernel tells it.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Setup {
    /// The trace's.
    pub header: Header,
    /// By name of the tracepoint: its `format` file.
    pub formats: HashMap<String, String>,
    /// By the numbers of the header.
    pub devices: Vec<Observed>,
    /// No process names.
    pub anonymous: bool,
    /// The trace's start, by the clock of the records.
    pub start_ns: u64,
}

/// A device that is observed.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Observed {
    /// The kernel's own number.
    pub dev: u64,
    /// Whether it makes requests of I/Os: only they, or only the I/Os, are then traced when they complete.
    pub requests: bool,
    /// Whether it writes through its cache by itself (FUA).
    pub fua: bool,
}

/// What one device completed between two looks at its counters: it must have counted at least the first, at most the second.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Between {
    /// Reads, writes, trims, flushes: after the first look, before the second.
    pub least: [Sum; 4],
    /// The same, with those during the looks.
    pub most: [Sum; 4],
}

/// Requests, or where there are none I/Os, with each part of a split one counted; and their bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Sum {
    /// Parts.
    pub parts: u64,
    /// Bytes.
    pub bytes: u64,
}

/// How far the recording is.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct State {
    /// I/Os that were let out.
    pub events: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Under way.
    pub in_flight: usize,
    /// Completions without an arrival.
    pub begun_before: u64,
    /// Pages before which records were lost.
    pub gaps: u64,
    /// By device.
    pub between: Vec<Between>,
}

/// One record of the kernel.
#[derive(Debug, Clone, Copy)]
struct Record {
    at_ns: u64,
    point: Point,
    range: Range,
    second: u64,
    process: u16,
    failed: bool,
    sequence: bool,
    forced: bool,
}

/// The recorder.
pub struct Tap {
    setup: Setup,
    layouts: Vec<Layout>,
    processes: HashMap<Vec<u8>, u16>,
    named: usize,
    waiting: Vec<Record>,
    pairing: Pairing,
    writer: Option<Writer>,
    totals: Totals,
    edges: Vec<(u64, u64)>,
    /// Bytes of the I/Os under way, by what finds them when they complete.
    lengths: HashMap<(u16, OpKind, u64), Vec<u64>>,
    state: State,
    pass_through: u64,
    forced: u64,
    newest_ns: u64,
}

impl Tap {
    /// Begins a trace in `out`.
    pub fn new(setup: Setup, out: &mut Vec<u8>) -> Result<Self, Fault> {
        let mut layouts = Vec::new();
        for (name, point) in POINTS {
            if let Some(text) = setup.formats.get(name) {
                layouts.push(Layout::parse(point, text)?);
            }
        }
        let writer = Writer::new(&setup.header, out)?;
        let state = State { between: vec![Between::default(); setup.devices.len()], ..State::default() };
        Ok(Self {
            named: setup.header.processes.len(),
            setup,
            layouts,
            processes: HashMap::new(),
            waiting: Vec::new(),
            pairing: Pairing::default(),
            writer: Some(writer),
            totals: Totals::default(),
            edges: Vec::new(),
            lengths: HashMap::new(),
            state,
            pass_through: 0,
            forced: 0,
            newest_ns: 0,
        })
    }

    /// How a file begins that goes on with what comes from now on.
    pub fn begin(&self, out: &mut Vec<u8>) -> Result<(), Fault> {
        Writer::new(&self.setup.header, out)?;
        Ok(())
    }

    /// Takes a page of one processor.
    pub fn page(&mut self, page: &[u8]) {
        let (setup, layouts, waiting) = (&mut self.setup, &self.layouts, &mut self.waiting);
        let (processes, pass_through) = (&mut self.processes, &mut self.pass_through);
        let lost = records(page, |at_ns, record| {
            let Some((head, _)) = record.split_first_chunk::<2>() else { return };
            let id = u16::from_le_bytes(*head);
            let Some(layout) = layouts.iter().find(|layout| layout.id == id) else { return };
            match decode(layout, at_ns, record, setup, processes) {
                Some(Some(found)) => waiting.push(found),
                Some(None) => *pass_through += u64::from(matches!(layout.point, Point::Complete | Point::Done)),
                None => {}
            }
        });
        self.state.gaps += u64::from(lost);
    }

    /// The devices' counters were read between these moments: once at the beginning, once at the end.
    pub fn edge(&mut self, begin_ns: u64, end_ns: u64) {
        self.edges.push((begin_ns.saturating_sub(SLACK_NS), end_ns.saturating_add(SLACK_NS)));
    }

    /// Everything before this moment has arrived from all processors: appends what is complete to `out`.
    pub fn advance(&mut self, until_ns: u64, out: &mut Vec<u8>) -> Result<(), Fault> {
        let mut ripe: Vec<Record> = Vec::new();
        self.waiting.retain(|record| {
            let now = record.at_ns < until_ns;
            if now {
                ripe.push(*record);
            }
            !now
        });
        ripe.sort_by_key(|record| record.at_ns);
        for record in ripe {
            self.newest_ns = self.newest_ns.max(record.at_ns);
            self.apply(&record);
        }
        // What is not complete by now may be later: only time that has passed gives it up.
        self.release(until_ns.min(self.newest_ns), out)
    }

    /// How far it is.
    pub fn state(&mut self) -> &State {
        self.state.events = self.totals.events();
        self.state.bytes = self.totals.kinds.iter().map(|sum| sum.bytes).sum();
        self.state.in_flight = self.pairing.in_flight();
        self.state.begun_before = self.pairing.counted.strangers;
        &self.state
    }

    /// Packs what is there, so that it is not lost whatever comes.
    pub fn flush(&mut self, out: &mut Vec<u8>) -> Result<(), Fault> {
        Ok(self.writer.as_mut().map_or(Ok(()), |writer| writer.flush(out))?)
    }

    /// Ends the trace. `totals` has what only the caller knows: the counters, what the kernel lost, how long it took; the
    /// rest is added.
    pub fn finish(&mut self, totals: &mut Totals, out: &mut Vec<u8>) -> Result<(), Fault> {
        let mut last = Vec::new();
        self.pairing.finish(|event| last.push(event));
        self.names(out)?;
        let Some(mut writer) = self.writer.take() else { return Ok(()) };
        for event in &last {
            self.totals.add(event);
            writer.push(event, out)?;
        }
        totals.kinds = self.totals.kinds;
        totals.unfinished = self.totals.unfinished;
        totals.last_arrival_ns = self.totals.last_arrival_ns;
        self.tell(totals);
        Ok(writer.finish(totals, out)?)
    }

    fn tell(&self, totals: &mut Totals) {
        totals.leave_out_unpaired(&self.pairing.counted);
        totals.leave_out_pass_through(self.pass_through);
        totals.leave_out_forced(self.forced);
    }

    fn apply(&mut self, record: &Record) {
        let Record { at_ns, point, range, second, process, failed, sequence, forced } = *record;
        // All times alike, so that what comes later is never earlier, and differences are right on average.
        let since = at_ns.saturating_sub(self.setup.start_ns);
        let since = since - since % self.setup.header.resolution_ns.max(1);
        let key = (range.device, range.kind, range.sector);
        let requests = self.setup.devices[usize::from(range.device)].requests;
        match point {
            Point::Queue => {
                self.forced += u64::from(forced);
                self.pairing.arrive(since, range, process, sequence);
                if !requests {
                    self.lengths.entry(key).or_default().push(u64::from(range.sectors));
                }
            }
            // Requests tell their sectors, however I/Os were split.
            Point::Split if requests => {}
            Point::Split => {
                self.pairing.split(range, second);
                self.split(key, second);
            }
            Point::Issue => self.pairing.issue(since, range),
            Point::Requeue => self.pairing.requeue(range),
            Point::Complete if requests => {}
            Point::Complete => {
                self.pairing.complete_part(since, range, failed);
                let sectors = self.part(key);
                self.count(at_ns, range, sectors);
            }
            // The kernel's own flush is a part of what was asked for, which completes after it, with no sector left.
            Point::Done if range.kind == OpKind::Flush => {}
            Point::Done => {
                self.pairing.complete_range(since, range, failed);
                self.count(at_ns, range, u64::from(range.sectors));
            }
        }
    }

    fn split(&mut self, (device, kind, sector): (u16, OpKind, u64), second: u64) {
        let Some(length) = self.lengths.get_mut(&(device, kind, sector)).and_then(|lengths| lengths.last_mut()) else {
            return;
        };
        let first = second.saturating_sub(sector).min(*length);
        let rest = *length - first;
        *length = first;
        self.lengths.entry((device, kind, second)).or_default().push(rest);
    }

    /// How long the part is that begins here and completes.
    fn part(&mut self, key: (u16, OpKind, u64)) -> u64 {
        let Some(lengths) = self.lengths.get_mut(&key) else { return 0 };
        let sectors = if lengths.is_empty() { 0 } else { lengths.remove(0) };
        if lengths.is_empty() {
            self.lengths.remove(&key);
        }
        sectors
    }

    /// Something is complete: whether the device has counted it at its looks is known by the time.
    fn count(&mut self, at_ns: u64, range: Range, sectors: u64) {
        let Some(between) = self.state.between.get_mut(usize::from(range.device)) else { return };
        let (first, second) = (self.edges.first(), self.edges.get(1));
        let kind = range.kind as usize;
        let sure = first.is_some_and(|edge| at_ns > edge.1) && second.is_none_or(|edge| at_ns < edge.0);
        let may = first.is_some_and(|edge| at_ns >= edge.0) && second.is_none_or(|edge| at_ns <= edge.1);
        for (counts, sum) in [(sure, &mut between.least[kind]), (may, &mut between.most[kind])] {
            sum.parts += u64::from(counts);
            sum.bytes += if counts { sectors * SECTOR_BYTES } else { 0 };
        }
    }

    fn names(&mut self, out: &mut Vec<u8>) -> Result<(), Fault> {
        let known = self.setup.header.processes.len();
        if let Some(writer) = self.writer.as_mut().filter(|_| known > self.named) {
            writer.header(&self.setup.header, out)?;
            self.named = known;
        }
        Ok(())
    }

    fn release(&mut self, until_ns: u64, out: &mut Vec<u8>) -> Result<(), Fault> {
        self.names(out)?;
        let (Some(writer), totals) = (self.writer.as_mut(), &mut self.totals) else { return Ok(()) };
        let mut told = Ok(());
        self.pairing.take(until_ns.saturating_sub(self.setup.start_ns), |event: Event| {
            totals.add(&event);
            if told.is_ok() {
                told = writer.push(&event, out);
            }
        });
        Ok(told?)
    }
}

/// `None`: not of our devices; `Some(None)`: no I/O that moves data.
fn decode(
    layout: &Layout,
    at_ns: u64,
    record: &[u8],
    setup: &mut Setup,
    processes: &mut HashMap<Vec<u8>, u16>,
) -> Option<Option<Record>> {
    let dev = layout.dev.number(record)?;
    let device = setup.devices.iter().position(|known| known.dev == dev)?;
    let second = layout.second.number(record)?;
    let sectors = if layout.point == Point::Split { 1 } else { second as u32 };
    let sector = layout.sector.number(record)?;
    let flags = layout.rwbs.text(record)?;
    // An I/O that is complete has no sectors left, whatever it had.
    let empty = if layout.point == Point::Complete { sector == 0 } else { sectors == 0 };
    let Some(kind) = kind(flags, empty) else { return Some(None) };
    let sector = if kind == OpKind::Flush { 0 } else { sector };
    let (first, through) = (flags.starts_with(b"F"), flags.get(1) == Some(&b'F'));
    let forced = kind == OpKind::Write && (first || through);
    let sequence = forced && setup.devices[device].requests && (first || !setup.devices[device].fua);
    let range = Range { device: device as u16, kind, sector, sectors };
    let process = match layout.comm {
        Some(comm) if layout.point == Point::Queue && !setup.anonymous => {
            process(comm.text(record)?, &mut setup.header, processes)
        }
        _ => 0,
    };
    let failed = layout.error.and_then(|error| error.number(record)).is_some_and(|error| error != 0);
    Some(Some(Record { at_ns, point: layout.point, range, second, process, failed, sequence, forced }))
}

fn process(name: &[u8], header: &mut Header, known: &mut HashMap<Vec<u8>, u16>) -> u16 {
    if let Some(number) = known.get(name) {
        return *number;
    }
    // Names beyond the table are nobody's: the I/Os count all the same.
    if header.processes.len() >= MOST_NAMES {
        return 0;
    }
    let number = header.processes.len() as u16;
    header.processes.push(String::from_utf8_lossy(name).into_owned());
    known.insert(name.to_vec(), number);
    number
}

/// As `blk_fill_rwbs` of the kernel writes it; an F in front of something is a flush before it.
fn kind(flags: &[u8], empty: bool) -> Option<OpKind> {
    match flags {
        [b'F', b'F', ..] => Some(OpKind::Flush),
        [b'F', ..] if empty => Some(OpKind::Flush),
        [b'F', rest @ ..] => kind(rest, empty),
        [b'R', ..] => Some(OpKind::Read),
        [b'W', ..] => Some(OpKind::Write),
        [b'D', ..] => Some(OpKind::Trim),
        _ => None,
    }
}
