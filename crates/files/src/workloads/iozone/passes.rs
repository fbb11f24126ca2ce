//! One pass over the file.

use std::io;
use std::os::fd::OwnedFd;

use plimsoll_core::distribution::Once;

use super::{Parameters, writes};
use crate::buffer::Buffer;
use crate::context::WorkerContext;
use crate::fault::{Fault, Result};
use crate::phase::Phase;
use crate::stdio::Stream;
use crate::sys::{self, Name};
use crate::tally::OpKind;

const PAGE: usize = 4096;
/// First bytes of each page.
const PATTERN: [u8; 8] = 0xA5A5_A5A5_A5A5_A5A5_u64.to_ne_bytes();

/// Its time.
pub fn carry_out(parameters: &Parameters, pass: &str, phase: &Phase<'_>) -> Result<u64> {
    let name = Name::new(format_args!("iozone.tmp"));
    phase.solo(|context| match pass {
        "fwrite" | "frewrite" | "fread" | "freread" => stream(parameters, pass, context, &name),
        _ => calls(parameters, pass, context, &name, phase.common.seed),
    })
}

fn record(parameters: &Parameters) -> Buffer {
    let mut buffer = Buffer::new(parameters.record as usize);
    buffer.chunks_mut(PAGE).for_each(|page| page[..8].copy_from_slice(&PATTERN));
    buffer
}

/// Passes that call the kernel for each record.
fn calls(parameters: &Parameters, pass: &str, context: &mut WorkerContext<'_>, name: &Name, seed: u64) -> Result<u64> {
    let writing = writes(pass);
    let mut flags = if writing { libc::O_RDWR | libc::O_CREAT } else { libc::O_RDONLY };
    if parameters.direct {
        flags |= libc::O_DIRECT;
    }
    let mut buffer = record(parameters);
    let file = context.quietly(|context| {
        let file = context.open(OpKind::Open, name, flags)?;
        context.fsync(&file, name)?;
        if !writing {
            context.read(&file, &mut buffer, (name, 0))?;
        }
        seek(context, &file, name, 0)?;
        Ok(file)
    })?;
    let start_ns = context.now_ns();
    each(parameters, pass, seed, |number| one(context, pass, (&file, name), number * parameters.record, &mut buffer))?;
    if parameters.sync_in_time {
        context.fsync(&file, name)?;
    }
    context.settle()?;
    let elapsed_ns = context.now_ns() - start_ns;
    context.quietly(|context| {
        context.fsync(&file, name)?;
        context.close(file, name)
    })?;
    Ok(elapsed_ns)
}

/// Calls `work` with each record's number in the order of the pass.
fn each(parameters: &Parameters, pass: &str, seed: u64, mut work: impl FnMut(u64) -> Result<()>) -> Result<()> {
    let records = parameters.size / parameters.record;
    match pass {
        "random_read" | "random_write" => {
            let mut order = Once::new(records, seed);
            (0..records).try_for_each(|_| work(order.draw()))
        }
        "backward_read" => (0..records).rev().try_for_each(work),
        "record_rewrite" => (0..records).try_for_each(|_| work(0)),
        "stride_read" => (0..parameters.stride.min(records))
            .try_for_each(|first| (first..records).step_by(parameters.stride as usize).try_for_each(&mut work)),
        _ => (0..records).try_for_each(work),
    }
}

/// One record.
fn one(
    context: &mut WorkerContext<'_>,
    pass: &str,
    (file, name): (&OwnedFd, &Name),
    offset: u64,
    buffer: &mut Buffer,
) -> Result<()> {
    let at = (name, offset);
    let length = buffer.len();
    match pass {
        "write" | "rewrite" => context.write(file, buffer, at),
        "pwrite" | "repwrite" => context.write_at(file, buffer, at),
        "pwritev" | "repwritev" => {
            let write = |done: usize| sys::write_vector_at(file, &buffer[done..], offset + done as u64);
            let done = context.transfer(OpKind::Write, at, length, write)?;
            context.whole(OpKind::Write, at, done, length)
        }
        "random_write" | "record_rewrite" => {
            let write = |done: usize| {
                sys::seek(file, offset + done as u64)?;
                sys::write(file, &buffer[done..])
            };
            let done = context.transfer(OpKind::Write, at, length, write)?;
            context.whole(OpKind::Write, at, done, length)
        }
        _ => {
            let read = |done: usize| match pass {
                "pread" | "repread" => sys::read_at(file, &mut buffer[done..], offset + done as u64),
                "preadv" | "repreadv" => sys::read_vector_at(file, &mut buffer[done..], offset + done as u64),
                "read" | "reread" => sys::read(file, &mut buffer[done..]),
                _ => {
                    sys::seek(file, offset + done as u64)?;
                    sys::read(file, &mut buffer[done..])
                }
            };
            let done = context.transfer(OpKind::Read, at, length, read)?;
            context.whole(OpKind::Read, at, done, length)?;
            verify(context, name, offset, buffer)
        }
    }
}

/// Compares the first bytes of each page, within the time as the original does.
fn verify(context: &WorkerContext<'_>, name: &Name, offset: u64, buffer: &[u8]) -> Result<()> {
    if buffer.chunks(PAGE).all(|page| page.len() < 8 || page[..8] == PATTERN) {
        return Ok(());
    }
    Err(Fault::Workload(format!("{} does not hold what was written at offset {offset}", context.shown(name))))
}

fn seek(context: &WorkerContext<'_>, file: &OwnedFd, name: &Name, offset: u64) -> Result<()> {
    sys::seek(file, offset).map_err(|error| context.fault(OpKind::Seek, name, Some(offset), &error))
}

/// Passes through a stream with a buffer of one record.
fn stream(parameters: &Parameters, pass: &str, context: &mut WorkerContext<'_>, name: &Name) -> Result<u64> {
    let writing = writes(pass);
    let (kind, mode) = match pass {
        "fwrite" => (OpKind::Write, c"w+"),
        "frewrite" => (OpKind::Write, c"r+"),
        _ => (OpKind::Read, c"r"),
    };
    let mut flags = if writing { libc::O_RDWR | libc::O_CREAT } else { libc::O_RDONLY };
    if pass == "fwrite" {
        flags |= libc::O_TRUNC;
    }
    let mut buffer = record(parameters);
    let file = context.quietly(|context| context.open(OpKind::Open, name, flags))?;
    let fail = |context: &WorkerContext<'_>, error: io::Error| context.fault(kind, name, None, &error);
    let mut stream = Stream::new(file, mode).map_err(|error| fail(context, error))?;
    let length = buffer.len();
    stream.buffer(length).map_err(|error| fail(context, error))?;
    let start_ns = context.now_ns();
    for number in 0..parameters.size / parameters.record {
        let at = (name, number * parameters.record);
        let move_record = |_| if writing { stream.write(&buffer) } else { stream.read(&mut buffer) };
        let done = context.transfer(kind, at, length, move_record)?;
        context.whole(kind, at, done, length)?;
        if !writing {
            verify(context, name, at.1, &buffer)?;
        }
    }
    match (writing, parameters.sync_in_time && context.syncs()) {
        (true, true) => context.call(OpKind::Fsync, name, |_| stream.sync())?,
        (true, false) => context.call(OpKind::Write, name, |_| stream.flush())?,
        _ => {}
    }
    context.settle()?;
    let elapsed_ns = context.now_ns() - start_ns;
    stream.close().map_err(|error| fail(context, error))?;
    Ok(elapsed_ns)
}
