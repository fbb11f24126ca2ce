//! A trace of any format as a stream: it may be larger than memory. It is looked through once before it is replayed, for
//! how long it is and whether it fits.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use plimsoll_logs::trace::fault::Fault;
use plimsoll_logs::trace::source::HEAD_BYTES;
use plimsoll_logs::trace::{Event, OpKind as Kind, Source as Events};

use super::Source;
use crate::error::VolumeError;
use crate::model::layer::{Io, OpKind};

const CHUNK_BYTES: usize = 1 << 20;

/// What a recorded load is, before it is replayed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Facts {
    /// Number of operations.
    pub operations: u64,
    /// When the last one is due; 0 if nothing has a time.
    pub end_ns: u64,
    /// Those that are due in the simulated time.
    pub due: u64,
}

/// The operations of a trace, from its beginning.
pub struct Streamed {
    path: PathBuf,
    file: File,
    events: Events,
    chunk: Vec<u8>,
    /// Bytes of `chunk` that were read, and not fed yet.
    ready: usize,
    batch: Vec<Event>,
    at: usize,
    /// Its operations have times; without them each starts as soon as a slot of the queue is free.
    timed: bool,
    ended: bool,
    fault: Option<VolumeError>,
}

impl Source for Streamed {
    #[inline]
    fn next(&mut self) -> Option<(u64, Io)> {
        self.event().map(|event| operation(&event, self.timed))
    }
}

impl Streamed {
    /// At its first operation; `timed` says whether its operations have times, as [`Facts::end_ns`] tells.
    pub fn open(path: &Path, timed: bool) -> Result<Self, VolumeError> {
        let mut file = File::open(path).map_err(cannot_read(path))?;
        let mut chunk = vec![0; CHUNK_BYTES];
        let ready = file.read(&mut chunk).map_err(cannot_read(path))?;
        let events = Events::new(&chunk[..ready.min(HEAD_BYTES)], ready < HEAD_BYTES, None)
            .map_err(|fault| refused(path, &fault))?;
        let (path, batch) = (path.to_owned(), Vec::new());
        Ok(Self { path, file, events, chunk, ready, batch, at: 0, timed, ended: false, fault: None })
    }

    /// Looks through all of it. Refuses operations of a second device, and behind the end of a device of `device_bytes`.
    pub fn facts(path: &Path, device_bytes: u64, duration_ns: Option<u64>) -> Result<Facts, VolumeError> {
        let mut trace = Self::open(path, true)?;
        let (mut facts, mut device) = (Facts::default(), None);
        while let Some(event) = trace.event() {
            if *device.get_or_insert(event.device) != event.device {
                let why =
                    "holds I/Os of several devices or files; a volume replays one, so record one, or keep its lines";
                return Err(VolumeError::spec(format!("{} {why}", path.display())));
            }
            if event.kind != Kind::Flush && event.end() > device_bytes {
                return Err(beyond(event.end(), device_bytes));
            }
            facts.operations += 1;
            facts.end_ns = event.arrival_ns;
            facts.due += u64::from(duration_ns.is_none_or(|end_ns| event.arrival_ns < end_ns));
        }
        match trace.fault.take() {
            Some(fault) => Err(fault),
            None if facts.operations == 0 => Err(VolumeError::spec(format!("{} holds no I/O", path.display()))),
            None => Ok(facts),
        }
    }

    /// What ended it before its end.
    pub fn take_fault(&mut self) -> Option<VolumeError> {
        self.fault.take()
    }

    #[inline]
    fn event(&mut self) -> Option<Event> {
        while self.at == self.batch.len() {
            if self.ended {
                return None;
            }
            if let Err(why) = self.read() {
                (self.ended, self.fault) = (true, Some(why));
                return None;
            }
        }
        self.at += 1;
        self.batch.get(self.at - 1).copied()
    }

    #[cold]
    fn read(&mut self) -> Result<(), VolumeError> {
        let path = &self.path;
        let faulty = |fault| refused(path, &fault);
        self.at = 0;
        if self.ready == 0 {
            self.ended = true;
            return self.events.finish(&mut self.batch).map(drop).map_err(faulty);
        }
        self.events.feed(&self.chunk[..self.ready]).map_err(faulty)?;
        self.events.take(&mut self.batch);
        self.ready = self.file.read(&mut self.chunk).map_err(cannot_read(path))?;
        Ok(())
    }
}

/// When it is due, and what it is. A time of 0 would mean "at once".
#[inline]
fn operation(event: &Event, timed: bool) -> (u64, Io) {
    let (kind, offset, bytes) = match event.kind {
        Kind::Read => (OpKind::Read, event.offset, u64::from(event.bytes)),
        Kind::Write => (OpKind::Write, event.offset, u64::from(event.bytes)),
        Kind::Trim => (OpKind::Discard, event.offset, u64::from(event.bytes)),
        Kind::Flush => (OpKind::Flush, 0, 0),
    };
    (event.arrival_ns.saturating_add(u64::from(timed)), Io { kind, offset, bytes })
}

fn beyond(end: u64, device_bytes: u64) -> VolumeError {
    VolumeError::spec(format!("an operation ends at byte {end} and the volume at {device_bytes}; give a larger volume"))
}

fn refused(path: &Path, fault: &Fault) -> VolumeError {
    let line = fault.line.map_or_else(String::new, |line| format!(": line {line} ({})", fault.text));
    VolumeError::spec(format!("{}{line} {}", path.display(), fault.why))
}

fn cannot_read(path: &Path) -> impl FnOnce(std::io::Error) -> VolumeError {
    VolumeError::system(format!("cannot read {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use plimsoll_logs::trace::header::Device;
    use plimsoll_logs::trace::writer::Writer;
    use plimsoll_logs::trace::{Header, Totals, UNKNOWN};

    fn event(arrival_ns: u64, kind: Kind, offset: u64, device: u16) -> Event {
        Event { arrival_ns, issue_ns: UNKNOWN, latency_ns: 100, kind, offset, bytes: 4096, device, process: 0 }
    }

    fn written(folder: &Path, events: &[Event]) -> PathBuf {
        let mut header = Header::of("observe", 1);
        header.devices = vec![Device { name: "a".to_owned(), ..Device::default() }; 2];
        let mut bytes = Vec::new();
        let mut writer = Writer::new(&header, &mut bytes).unwrap();
        let mut totals = Totals::default();
        for event in events {
            writer.push(event, &mut bytes).unwrap();
            totals.add(event);
        }
        writer.finish(&totals, &mut bytes).unwrap();
        let path = folder.join("load.trace");
        std::fs::write(&path, bytes).unwrap();
        path
    }

    #[test]
    fn every_operation_comes_in_its_time() {
        let folder = tempfile::tempdir().unwrap();
        let events: Vec<_> = (0..200_000).map(|number| event(number * 1000, Kind::Read, number * 4096, 0)).collect();
        let path = written(folder.path(), &events);
        let facts = Streamed::facts(&path, 1 << 30, Some(100_000_000)).unwrap();
        assert_eq!(facts, Facts { operations: 200_000, end_ns: 199_999_000, due: 100_000 });
        let mut streamed = Streamed::open(&path, true).unwrap();
        for expected in &events {
            assert_eq!(streamed.next(), Some(operation(expected, true)));
        }
        assert_eq!(streamed.next(), None);
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let why =
            |events: &[Event]| Streamed::facts(&written(folder.path(), events), 8192, None).unwrap_err().to_string();
        assert!(why(&[event(0, Kind::Read, 8192, 0)]).contains("give a larger volume"));
        assert!(why(&[event(0, Kind::Read, 0, 0), event(5, Kind::Read, 0, 1)]).contains("several devices"));
    }

    /// When each operation is due, what it is, where and how long.
    fn operations(text: &str) -> Vec<(u64, OpKind, u64, u64)> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("load.txt");
        std::fs::write(&path, text).unwrap();
        let facts = Streamed::facts(&path, 1 << 30, None).unwrap();
        let mut streamed = Streamed::open(&path, facts.end_ns > 0).unwrap();
        let rows = std::iter::from_fn(|| streamed.next()).map(|(at_ns, io)| (at_ns, io.kind, io.offset, io.bytes));
        let rows: Vec<_> = rows.collect();
        assert_eq!(facts.operations, rows.len() as u64);
        rows
    }

    #[test]
    fn fio_logs_of_both_versions() {
        let third = "fio version 3 iolog\n21 /x add\n129 /x open\n132 /x read 61440 4096\n304 /x write 774144 4096\n\
                     500 /x sync\n900 /x close\n";
        let expected =
            [(1, OpKind::Read, 61_440, 4096), (172_001, OpKind::Write, 774_144, 4096), (368_001, OpKind::Flush, 0, 0)];
        assert_eq!(operations(third), expected);
        let second =
            "fio version 2 iolog\n/x add\n/x open\n/x read 0 4096\n/x wait 2000 0\n/x trim 4096 8192\n/x close\n";
        assert_eq!(operations(second), [(1, OpKind::Read, 0, 4096), (2_000_001, OpKind::Discard, 4096, 8192)]);
        let without_times = "fio version 2 iolog\n/x read 0 4096\n/x write 4096 4096\n";
        assert_eq!(operations(without_times), [(0, OpKind::Read, 0, 4096), (0, OpKind::Write, 4096, 4096)]);
    }

    #[test]
    fn blkparse_text() {
        let text = "  8,0    3        1     0.000000000   697  Q   W 223490 + 8 [kjournald]\n\
                    \x20 8,0    3        2     0.000001829   697  G   W 223490 + 8 [kjournald]\n\
                    \x20 8,0    1        3     0.000002500   697  Q FWS [x]\n\
                    \x20 8,0    1        4     0.500000000   697  Q  RM 16 + 1 [x]\n\
                    CPU0 (sda):\n Reads Queued:           1,        4KiB\n";
        let expected = [
            (1, OpKind::Write, 223_490 * 512, 4096),
            (2501, OpKind::Flush, 0, 0),
            (500_000_001, OpKind::Read, 16 * 512, 512),
        ];
        assert_eq!(operations(text), expected);
    }

    #[test]
    fn refusals_say_where_and_why() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("load.txt");
        let good = "/x read 0 1\n".repeat(3);
        for (text, part) in [
            ("hello\n".to_owned(), "load.txt is no trace that is known here"),
            (format!("fio version 2 iolog\n{good}/x read 0\n{good}"), "load.txt: line 5 (/x read 0) is not a line"),
            (format!("fio version 2 iolog\n{good}/x jump 0 1\n{good}"), "load.txt: line 5 (/x jump 0 1) is not"),
            (format!("fio version 2 iolog\n{good}/y read 0 1\n"), "several devices or files"),
            (format!("fio version 2 iolog\n{good}/x read 1073741824 1\n"), "give a larger volume"),
            (
                format!("fio version 2 iolog\n{good}/x wait 18446744073709551615\n{good}"),
                "line 5 (/x wait 18446744073709551615)",
            ),
        ] {
            std::fs::write(&path, text).unwrap();
            let message = Streamed::facts(&path, 1 << 30, None).unwrap_err().to_string();
            assert!(message.contains(part), "{message}");
        }
    }
}
