//! The thread that reads a recorded load ahead of the loop that replays it.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::Read;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use plimsoll_core::error::JobError;
use plimsoll_logs::trace::source::HEAD_BYTES;
use plimsoll_logs::trace::{Event, OpKind as Kind, Source, UNKNOWN};

use crate::engine::OpKind;
use crate::region::Next;
use crate::spec::{JobSpec, Recording};

const CHUNK_BYTES: usize = 1 << 20;
/// Operations that are handed over together.
const BATCH: usize = 4096;
/// Batches that are ready: half a million operations.
const BATCHES: usize = 128;

/// An operation of the load.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    /// Since the load began, or after the end of `after`.
    pub due_ns: u64,
    /// Number of the operation that it waits for, where the load is closed.
    pub after: Option<u64>,
    /// What it does.
    pub next: Next,
}

/// What was read ahead.
#[derive(Debug)]
pub struct Ahead {
    batches: Receiver<Result<Vec<Step>, String>>,
    spare: SyncSender<Vec<Step>>,
    batch: Vec<Step>,
    at: usize,
    ended: bool,
    fault: Option<String>,
}

impl Ahead {
    /// Begins to read the file at `spec.recorded_at`.
    pub fn start(spec: &JobSpec, recording: &Recording) -> Result<Self, JobError> {
        let path = spec.recorded_at.clone();
        let cannot = |error: std::io::Error| JobError::Open {
            message: format!("cannot open the trace {path}: {error}"),
            errno: error.raw_os_error(),
        };
        let file = File::open(&path).map_err(cannot)?;
        let (filled, batches) = sync_channel(BATCHES);
        let (spare, emptied) = sync_channel(BATCHES + 1);
        let placing = Placing::new(spec, recording);
        let reader = Reading { path: path.clone(), file, placing, filled, emptied };
        thread::Builder::new().name("plimsoll-trace".to_owned()).spawn(move || reader.run()).map_err(cannot)?;
        Ok(Self { batches, spare, batch: Vec::new(), at: 0, ended: false, fault: None })
    }

    /// Of a load without operations.
    pub fn nothing() -> Self {
        let ((_, batches), (spare, _)) = (sync_channel(0), sync_channel(0));
        Self { batches, spare, batch: Vec::new(), at: 0, ended: true, fault: None }
    }

    /// The next operation; none behind the last one.
    #[inline]
    pub fn peek(&mut self) -> Option<&Step> {
        if self.at == self.batch.len() && !self.refill() {
            return None;
        }
        self.batch.get(self.at)
    }

    /// Takes the next operation.
    #[inline]
    pub fn pop(&mut self) -> Option<Step> {
        let step = self.peek().copied();
        self.at += usize::from(step.is_some());
        step
    }

    /// Why the file could not be read to its end.
    #[inline]
    pub fn take_fault(&mut self) -> Option<String> {
        self.fault.take()
    }

    #[cold]
    fn refill(&mut self) -> bool {
        if self.ended {
            return false;
        }
        let used = std::mem::take(&mut self.batch);
        let _ = self.spare.try_send(used);
        self.at = 0;
        match self.batches.recv() {
            Ok(Ok(batch)) => self.batch = batch,
            Ok(Err(why)) => (self.ended, self.fault) = (true, Some(why)),
            Err(_) => self.ended = true,
        }
        !self.ended
    }
}

/// The thread's own.
struct Reading {
    path: String,
    file: File,
    placing: Placing,
    filled: SyncSender<Result<Vec<Step>, String>>,
    emptied: Receiver<Vec<Step>>,
}

/// Whoever waited for more is gone.
struct Gone;

impl Reading {
    fn run(mut self) {
        if let Err(why) = self.read() {
            let _ = self.filled.send(Err(why));
        }
    }

    fn read(&mut self) -> Result<(), String> {
        let path = self.path.clone();
        let failed = |error: std::io::Error| format!("cannot read the trace {path}: {error}");
        let faulty = |fault: plimsoll_logs::trace::fault::Fault| format!("the trace {path} {}", fault.why);
        let mut chunk = vec![0; CHUNK_BYTES];
        let mut length = self.file.read(&mut chunk).map_err(failed)?;
        let head = &chunk[..length.min(HEAD_BYTES)];
        let format = Some(self.placing.recording.format.as_str()).filter(|name| !name.is_empty());
        let mut source = Source::new(head, length < HEAD_BYTES, format).map_err(faulty)?;
        let (mut events, mut batch) = (Vec::new(), self.empty());
        while length > 0 {
            source.feed(&chunk[..length]).map_err(faulty)?;
            source.take(&mut events);
            if self.hand_over(&events, &mut batch).is_err() {
                return Ok(());
            }
            length = self.file.read(&mut chunk).map_err(failed)?;
        }
        source.finish(&mut events).map_err(faulty)?;
        if self.hand_over(&events, &mut batch).is_ok() {
            let _ = self.filled.send(Ok(batch));
        }
        Ok(())
    }

    fn hand_over(&mut self, events: &[Event], batch: &mut Vec<Step>) -> Result<(), Gone> {
        for event in events {
            if let Some(step) = self.placing.step(event) {
                batch.push(step);
            }
            if batch.len() == BATCH {
                let full = std::mem::replace(batch, self.empty());
                self.filled.send(Ok(full)).map_err(|_| Gone)?;
            }
        }
        Ok(())
    }

    fn empty(&self) -> Vec<Step> {
        let mut batch = self.emptied.try_recv().unwrap_or_default();
        batch.clear();
        batch.reserve(BATCH);
        batch
    }
}

/// Makes operations of events.
struct Placing {
    recording: Recording,
    reads_only: bool,
    begin: u64,
    size: u64,
    longest: u64,
    number: u64,
    /// Ends of operations that had not ended yet: when, and which.
    ends: BinaryHeap<Reverse<(u64, u64)>>,
    /// The last one that had ended.
    last: Option<(u64, u64)>,
}

impl Placing {
    fn new(spec: &JobSpec, recording: &Recording) -> Self {
        Self {
            recording: recording.clone(),
            reads_only: !spec.mode.writes(),
            begin: spec.offset,
            size: spec.size,
            longest: spec.largest_block(),
            number: 0,
            ends: BinaryHeap::new(),
            last: None,
        }
    }

    fn step(&mut self, event: &Event) -> Option<Step> {
        let recording = &self.recording;
        let wanted = recording.from_ns <= event.arrival_ns && event.arrival_ns < recording.until_ns;
        // A trim would take from the device what later reads are to find; it is left out, which Python says.
        let left_out = event.kind == Kind::Trim || (self.reads_only && event.kind != Kind::Read);
        if event.device != recording.device || !wanted || left_out {
            return None;
        }
        let next = self.next(event)?;
        let arrival_ns = event.arrival_ns - self.recording.from_ns;
        let (due_ns, after) = if self.recording.closed { self.after(event, arrival_ns) } else { (arrival_ns, None) };
        self.number += 1;
        Some(Step { due_ns: (due_ns as f64 / self.recording.speed) as u64, after, next })
    }

    /// How long after which operation it arrived: the last that had ended by then.
    fn after(&mut self, event: &Event, arrival_ns: u64) -> (u64, Option<u64>) {
        while let Some(&Reverse(end)) = self.ends.peek().filter(|Reverse((end_ns, _))| *end_ns <= arrival_ns) {
            self.ends.pop();
            self.last = Some(end);
        }
        if event.latency_ns != UNKNOWN {
            self.ends.push(Reverse((arrival_ns.saturating_add(event.latency_ns), self.number)));
        }
        self.last.map_or((arrival_ns, None), |(end_ns, number)| (arrival_ns - end_ns, Some(number)))
    }

    /// The operation in the region: scaled where that is smaller than what was recorded, and in whole units.
    fn next(&self, event: &Event) -> Option<Next> {
        let kind = match event.kind {
            Kind::Read => OpKind::Read,
            Kind::Write => OpKind::Write,
            Kind::Trim | Kind::Flush => return Some(Next { kind: OpKind::Fdatasync, offset: self.begin, length: 0 }),
        };
        let unit = self.recording.align.max(1);
        let length = u64::from(event.bytes).next_multiple_of(unit).min(self.longest).min(self.size) / unit * unit;
        if length == 0 {
            return None;
        }
        let extent = self.recording.extent.max(1);
        let scaled = if extent > self.size {
            (u128::from(event.offset) * u128::from(self.size) / u128::from(extent)) as u64
        } else {
            event.offset
        };
        let offset = scaled.min(self.size - length) / unit * unit;
        Some(Next { kind, offset: self.begin + offset, length: length as u32 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::Mode;

    fn recording(closed: bool) -> Recording {
        Recording {
            sha256: String::new(),
            speed: 1.0,
            closed,
            device: 0,
            from_ns: 0,
            until_ns: u64::MAX,
            extent: 1 << 20,
            align: 512,
            format: String::new(),
            lasts_ns: 0,
            operations: 0,
            together: 0,
        }
    }

    fn placing(mode: Mode, size: u64, recording: &Recording) -> Placing {
        let mut spec = crate::pattern::tests::spec(mode, &[65_536], 0, size, 1);
        spec.offset = 4096;
        Placing::new(&spec, recording)
    }

    fn event(arrival_ns: u64, latency_ns: u64, kind: Kind, offset: u64, bytes: u32) -> Event {
        Event { arrival_ns, issue_ns: UNKNOWN, latency_ns, kind, offset, bytes, device: 0, process: 0 }
    }

    #[test]
    fn addresses_keep_their_order_in_a_smaller_region() {
        let placing = placing(Mode::Randrw, 1 << 18, &recording(false));
        let offsets = [0, 4096, 1 << 19, (1 << 20) - 512];
        let placed: Vec<_> =
            offsets.iter().map(|&at| placing.next(&event(0, 0, Kind::Read, at, 512)).unwrap()).collect();
        assert_eq!(placed.iter().map(|next| next.offset).collect::<Vec<_>>(), [4096, 5120, 135_168, 265_728]);
        assert!(placed.iter().all(|next| next.offset + 512 <= 4096 + (1 << 18) && next.length == 512));
    }

    #[test]
    fn a_job_that_only_reads_leaves_the_rest_out() {
        let mut placing = placing(Mode::Randread, 1 << 20, &recording(false));
        let kinds = [Kind::Write, Kind::Trim, Kind::Flush, Kind::Read];
        let steps = kinds.map(|kind| placing.step(&event(5, 1, kind, 0, 4096)).is_some());
        assert_eq!(steps, [false, false, false, true]);
    }

    #[test]
    fn a_closed_load_waits_for_the_last_one_that_had_ended() {
        let mut placing = placing(Mode::Randrw, 1 << 20, &recording(true));
        // The second arrives while the first is under way; the third 30 after the second, the first having ended before.
        let events = [(0, 100), (50, 70), (150, 10), (155, UNKNOWN), (400, 1)];
        let told = events.map(|(at, latency)| {
            let step = placing.step(&event(at, latency, Kind::Write, 0, 4096)).unwrap();
            (step.due_ns, step.after)
        });
        assert_eq!(told, [(0, None), (50, None), (30, Some(1)), (35, Some(1)), (240, Some(2))]);
    }
}
