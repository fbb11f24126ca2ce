//! A trace of our own as a stream: it may be larger than memory. It is looked through once before it is replayed, for how
//! long it is and whether it fits.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use plimsoll_logs::trace::reader::Reader;
use plimsoll_logs::trace::source::HEAD_BYTES;
use plimsoll_logs::trace::{Event, OpKind as Kind, Source as Events};

use super::Source;
use super::trace::beyond;
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
    ended: bool,
    fault: Option<VolumeError>,
}

impl Source for Streamed {
    #[inline]
    fn next(&mut self) -> Option<(u64, Io)> {
        self.event().map(|event| operation(&event))
    }
}

impl Streamed {
    /// Whether the file is one of ours.
    pub fn recognises(path: &Path) -> Result<bool, VolumeError> {
        let mut head = [0; 16];
        let mut file = open(path)?;
        let length = file.read(&mut head).map_err(cannot_read(path))?;
        Ok(Reader::recognises(&head[..length]))
    }

    /// At its first operation.
    pub fn open(path: &Path) -> Result<Self, VolumeError> {
        let mut file = open(path)?;
        let mut chunk = vec![0; CHUNK_BYTES];
        let ready = file.read(&mut chunk).map_err(cannot_read(path))?;
        let events = Events::new(&chunk[..ready.min(HEAD_BYTES)], ready < HEAD_BYTES, None)
            .map_err(|fault| VolumeError::spec(format!("{} {}", path.display(), fault.why)))?;
        let (path, batch) = (path.to_owned(), Vec::new());
        Ok(Self { path, file, events, chunk, ready, batch, at: 0, ended: false, fault: None })
    }

    /// Looks through all of it. Refuses operations of a second device, and behind the end of a device of `device_bytes`.
    pub fn facts(path: &Path, device_bytes: u64, duration_ns: Option<u64>) -> Result<Facts, VolumeError> {
        let mut trace = Self::open(path)?;
        let (mut facts, mut device) = (Facts::default(), None);
        while let Some(event) = trace.event() {
            if *device.get_or_insert(event.device) != event.device {
                let why = "holds several devices, and a volume replays one: observe one by itself";
                return Err(VolumeError::spec(format!("{} {why}", path.display())));
            }
            if event.kind != Kind::Flush && event.end() > device_bytes {
                return Err(beyond(event.end(), device_bytes));
            }
            let (at_ns, _) = operation(&event);
            facts.operations += 1;
            facts.end_ns = at_ns;
            facts.due += u64::from(duration_ns.is_none_or(|end_ns| at_ns < end_ns));
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
        let faulty =
            |fault: plimsoll_logs::trace::fault::Fault| VolumeError::spec(format!("{} {}", path.display(), fault.why));
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
fn operation(event: &Event) -> (u64, Io) {
    let (kind, offset, bytes) = match event.kind {
        Kind::Read => (OpKind::Read, event.offset, u64::from(event.bytes)),
        Kind::Write => (OpKind::Write, event.offset, u64::from(event.bytes)),
        Kind::Trim => (OpKind::Discard, event.offset, u64::from(event.bytes)),
        Kind::Flush => (OpKind::Flush, 0, 0),
    };
    (event.arrival_ns.saturating_add(1), Io { kind, offset, bytes })
}

fn open(path: &Path) -> Result<File, VolumeError> {
    File::open(path).map_err(cannot_read(path))
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
        assert!(Streamed::recognises(&path).unwrap());
        let facts = Streamed::facts(&path, 1 << 30, Some(100_000_000)).unwrap();
        assert_eq!(facts, Facts { operations: 200_000, end_ns: 199_999_001, due: 100_000 });
        let mut streamed = Streamed::open(&path).unwrap();
        for expected in &events {
            assert_eq!(streamed.next(), Some(operation(expected)));
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
}
