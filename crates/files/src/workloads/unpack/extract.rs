//! Reading the archive and making its files.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use bzip2::read::MultiBzDecoder;
use plimsoll_core::cpu_time::used;
use plimsoll_core::threads::ThreadFault;

use super::archive::ARCHIVE;
use crate::context::WorkerContext;
use crate::fault::{Fault, Result};
use crate::phase::Phase;
use crate::sys;
use crate::sys::Name;
use crate::tally::OpKind;
use crate::tar::{BLOCK, Header, RECORD};
use crate::thread_setup;

/// Records between decoder and unpacking: a pipe of 64 KiB.
const PIPE: usize = (64 << 10) / RECORD;

const DECODES: &str = "the thread that decodes";

type Record = Vec<u8>;

/// Files and bytes that were unpacked.
pub fn extract(context: &mut WorkerContext<'_>, phase: &Phase<'_>, compressed: bool) -> Result<(u64, u64)> {
    let path = phase.place().join(ARCHIVE);
    let fail = |error: io::Error| Fault::call("read", &path.display().to_string(), None, &error);
    if !compressed {
        let mut archive = File::open(&path).map_err(fail)?;
        let mut next = |record: &mut Record| {
            fill(&mut archive, record).map_err(fail)?;
            Ok(())
        };
        return Unpacker::new(&mut next).run(context);
    }
    thread::scope(|scope| {
        let (full, filled) = sync_channel(PIPE);
        let (empty, emptied) = sync_channel(PIPE + 1);
        let archive = &path;
        let decoding = move || {
            thread_setup::block_signals();
            decode(archive, &full, &emptied);
            used()
        };
        let decoder = thread::Builder::new()
            .spawn_scoped(scope, decoding)
            .map_err(|error| ThreadFault::refused(DECODES, error))?;
        let mut next = |record: &mut Record| -> Result<()> {
            let decoded: io::Result<Record> = filled.recv().unwrap_or_else(|_| Ok(Vec::new()));
            let used = std::mem::replace(record, decoded.map_err(fail)?);
            // The decoder is done when nobody takes it.
            let _ = empty.send(used);
            Ok(())
        };
        let result = Unpacker::new(&mut next).run(context);
        // Ends a decoder that waits for room.
        drop((filled, empty));
        phase.add_cpu(decoder.join().map_err(|payload| ThreadFault::panicked(DECODES, payload))?);
        result
    })
}

/// Sends the archive in records until its end.
fn decode(path: &Path, full: &SyncSender<io::Result<Record>>, emptied: &Receiver<Record>) {
    let mut decoder = match File::open(path) {
        Ok(file) => MultiBzDecoder::new(file),
        Err(error) => return drop(full.send(Err(error))),
    };
    let mut made = 0;
    loop {
        let mut record = if made < PIPE {
            made += 1;
            vec![0; RECORD]
        } else {
            match emptied.recv() {
                Ok(record) => record,
                Err(_) => return,
            }
        };
        record.resize(RECORD, 0);
        let result = fill(&mut decoder, &mut record).map(|()| record);
        let over = !matches!(&result, Ok(record) if record.len() == RECORD);
        if full.send(result).is_err() || over {
            return;
        }
    }
}

/// Reads until the record is full; shorter at the end.
fn fill(source: &mut impl Read, record: &mut Record) -> io::Result<()> {
    record.resize(RECORD, 0);
    let mut filled = 0;
    while filled < record.len() {
        match source.read(&mut record[filled..]) {
            Ok(0) => break,
            Ok(more) => filled += more,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    record.truncate(filled);
    Ok(())
}

/// What tar does with its records.
struct Unpacker<'a> {
    next: &'a mut dyn FnMut(&mut Record) -> Result<()>,
    record: Record,
    at: usize,
    /// Folders whose times and mode are set when they are left.
    open: Vec<String>,
    files: u64,
    bytes: u64,
}

impl<'a> Unpacker<'a> {
    fn new(next: &'a mut dyn FnMut(&mut Record) -> Result<()>) -> Self {
        Self { next, record: Vec::new(), at: 0, open: Vec::new(), files: 0, bytes: 0 }
    }

    fn run(mut self, context: &mut WorkerContext<'_>) -> Result<(u64, u64)> {
        while let Some(header) = self.header()? {
            self.leave(context, &header.path)?;
            if header.is_folder {
                context.mkdir(&Name::new(format_args!("{}", header.path)), 0o700)?;
                self.open.push(header.path);
            } else {
                self.file(context, &header)?;
            }
        }
        self.leave(context, "")?;
        Ok((self.files, self.bytes))
    }

    /// What is left of the record; the next one when nothing is.
    fn available(&mut self) -> Result<usize> {
        if self.at == self.record.len() {
            (self.next)(&mut self.record)?;
            self.at = 0;
        }
        Ok(self.record.len() - self.at)
    }

    /// Nothing at the end of the archive.
    fn header(&mut self) -> Result<Option<Header>> {
        if self.available()? < BLOCK {
            return Err(damaged());
        }
        let mut block = [0; BLOCK];
        block.copy_from_slice(&self.record[self.at..self.at + BLOCK]);
        self.at += BLOCK;
        if block == [0; BLOCK] {
            return Ok(None);
        }
        Header::from_block(&block).map(Some).ok_or_else(damaged)
    }

    fn file(&mut self, context: &mut WorkerContext<'_>, header: &Header) -> Result<()> {
        let name = Name::new(format_args!("{}", header.path));
        let flags = libc::O_WRONLY | libc::O_CREAT | libc::O_EXCL | libc::O_NOCTTY | libc::O_NONBLOCK;
        let file = context.call(OpKind::Create, &name, |folder| folder.open_file(name.as_c(), flags, 0o600))?;
        let mut left = header.size;
        while left > 0 {
            let length = (self.available()? as u64).min(left) as usize;
            if length == 0 {
                return Err(damaged());
            }
            context.write(&file, &self.record[self.at..self.at + length], (&name, header.size - left))?;
            left -= length as u64;
            // Files end at a block.
            self.at += length.next_multiple_of(BLOCK).min(self.record.len() - self.at);
        }
        context.call(OpKind::SetTimes, &name, |_| {
            sys::set_times(&file, MODIFIED)?;
            sys::chown(&file)?;
            sys::chmod(&file, 0o644)
        })?;
        context.close(file, &name)?;
        (self.files, self.bytes) = (self.files + 1, self.bytes + header.size);
        Ok(())
    }

    /// Finishes the folders that `path` is not in.
    fn leave(&mut self, context: &mut WorkerContext<'_>, path: &str) -> Result<()> {
        while let Some(folder) = self.open.pop_if(|folder| !is_in(path, folder)) {
            let name = Name::new(format_args!("{folder}"));
            context.call(OpKind::SetTimes, &name, |root| {
                root.set_times(name.as_c(), MODIFIED, MODIFIED)?;
                root.chmod(name.as_c(), 0o755)
            })?;
        }
        Ok(())
    }
}

/// Time of every file: December 2009, as of the original's.
const MODIFIED: i64 = 1_259_816_283;

fn is_in(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
}

fn damaged() -> Fault {
    Fault::Workload("the archive that was made before is damaged: the storage changed it".to_owned())
}
