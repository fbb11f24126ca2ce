//! One pass over the file.

use std::io;
use std::os::fd::OwnedFd;

use plimsoll_core::distribution::Once;

use super::{Parameters, writes};
use crate::buffer::Buffer;
use crate::fault::{Fault, Step};
use crate::hand::Hand;
use crate::stage::Stage;
use crate::stdio::Stream;
use crate::sys::{self, Name};
use crate::tally::Kind;

const PAGE: usize = 4096;
/// First bytes of each page.
const PATTERN: [u8; 8] = 0xA5A5_A5A5_A5A5_A5A5_u64.to_ne_bytes();

/// Its time.
pub fn carry_out(parameters: &Parameters, pass: &str, stage: &Stage<'_>) -> Step<u64> {
    let name = Name::new(format_args!("iozone.tmp"));
    stage.solo(|hand| match pass {
        "fwrite" | "frewrite" | "fread" | "freread" => stream(parameters, pass, hand, &name),
        _ => calls(parameters, pass, hand, &name, stage.spec.common.seed),
    })
}

fn record(parameters: &Parameters) -> Buffer {
    let mut buffer = Buffer::new(parameters.record as usize);
    buffer.chunks_mut(PAGE).for_each(|page| page[..8].copy_from_slice(&PATTERN));
    buffer
}

/// Passes that call the kernel for each record.
fn calls(parameters: &Parameters, pass: &str, hand: &mut Hand<'_>, name: &Name, seed: u64) -> Step<u64> {
    let writing = writes(pass);
    let mut flags = if writing { libc::O_RDWR | libc::O_CREAT } else { libc::O_RDONLY };
    if parameters.direct {
        flags |= libc::O_DIRECT;
    }
    let mut buffer = record(parameters);
    let file = hand.quietly(|hand| {
        let file = hand.open(Kind::Open, name, flags)?;
        hand.fsync(&file, name)?;
        if !writing {
            hand.read(&file, &mut buffer, (name, 0))?;
        }
        seek(hand, &file, name, 0)?;
        Ok(file)
    })?;
    let start_ns = hand.now_ns();
    each(parameters, pass, seed, |number| one(hand, pass, (&file, name), number * parameters.record, &mut buffer))?;
    if parameters.sync_in_time {
        hand.fsync(&file, name)?;
    }
    hand.settle()?;
    let elapsed_ns = hand.now_ns() - start_ns;
    hand.quietly(|hand| {
        hand.fsync(&file, name)?;
        hand.close(file, name)
    })?;
    Ok(elapsed_ns)
}

/// Calls `work` with each record's number in the order of the pass.
fn each(parameters: &Parameters, pass: &str, seed: u64, mut work: impl FnMut(u64) -> Step<()>) -> Step<()> {
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
    hand: &mut Hand<'_>,
    pass: &str,
    (file, name): (&OwnedFd, &Name),
    offset: u64,
    buffer: &mut Buffer,
) -> Step<()> {
    let at = (name, offset);
    let length = buffer.len();
    match pass {
        "write" | "rewrite" => hand.write(file, buffer, at),
        "pwrite" | "repwrite" => hand.write_at(file, buffer, at),
        "pwritev" | "repwritev" => {
            let write = |done: usize| sys::write_vector_at(file, &buffer[done..], offset + done as u64);
            let done = hand.transfer(Kind::Write, at, length, write)?;
            hand.whole(Kind::Write, at, done, length)
        }
        "random_write" | "record_rewrite" => {
            let write = |done: usize| {
                sys::seek(file, offset + done as u64)?;
                sys::write(file, &buffer[done..])
            };
            let done = hand.transfer(Kind::Write, at, length, write)?;
            hand.whole(Kind::Write, at, done, length)
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
            let done = hand.transfer(Kind::Read, at, length, read)?;
            hand.whole(Kind::Read, at, done, length)?;
            verify(hand, name, offset, buffer)
        }
    }
}

/// Compares the first bytes of each page, within the time as the original does.
fn verify(hand: &Hand<'_>, name: &Name, offset: u64, buffer: &[u8]) -> Step<()> {
    if buffer.chunks(PAGE).all(|page| page.len() < 8 || page[..8] == PATTERN) {
        return Ok(());
    }
    Err(Fault::Workload(format!("{} does not hold what was written at offset {offset}", hand.shown(name))))
}

fn seek(hand: &Hand<'_>, file: &OwnedFd, name: &Name, offset: u64) -> Step<()> {
    sys::seek(file, offset).map_err(|error| hand.fault(Kind::Seek, name, Some(offset), &error))
}

/// Passes through a stream with a buffer of one record.
fn stream(parameters: &Parameters, pass: &str, hand: &mut Hand<'_>, name: &Name) -> Step<u64> {
    let writing = writes(pass);
    let (kind, mode) = match pass {
        "fwrite" => (Kind::Write, c"w+"),
        "frewrite" => (Kind::Write, c"r+"),
        _ => (Kind::Read, c"r"),
    };
    let mut flags = if writing { libc::O_RDWR | libc::O_CREAT } else { libc::O_RDONLY };
    if pass == "fwrite" {
        flags |= libc::O_TRUNC;
    }
    let mut buffer = record(parameters);
    let file = hand.quietly(|hand| hand.open(Kind::Open, name, flags))?;
    let fail = |hand: &Hand<'_>, error: io::Error| hand.fault(kind, name, None, &error);
    let mut stream = Stream::new(file, mode).map_err(|error| fail(hand, error))?;
    let length = buffer.len();
    stream.buffer(length).map_err(|error| fail(hand, error))?;
    let start_ns = hand.now_ns();
    for number in 0..parameters.size / parameters.record {
        let at = (name, number * parameters.record);
        let move_record = |_| if writing { stream.write(&buffer) } else { stream.read(&mut buffer) };
        let done = hand.transfer(kind, at, length, move_record)?;
        hand.whole(kind, at, done, length)?;
        if !writing {
            verify(hand, name, at.1, &buffer)?;
        }
    }
    match (writing, parameters.sync_in_time && hand.syncs()) {
        (true, true) => hand.call(Kind::Fsync, name, |_| stream.sync())?,
        (true, false) => hand.call(Kind::Write, name, |_| stream.flush())?,
        _ => {}
    }
    hand.settle()?;
    let elapsed_ns = hand.now_ns() - start_ns;
    stream.close().map_err(|error| fail(hand, error))?;
    Ok(elapsed_ns)
}
