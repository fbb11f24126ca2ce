//! Random seeks of several seekers.

use std::io;
use std::os::fd::OwnedFd;
use std::sync::Mutex;
use std::time::Duration;

use plimsoll_core::random::{Purpose, Stream};

use super::Parameters;
use super::blocks::{Blocks, Part, change, write_back};
use crate::context::WorkerContext;
use crate::fault::Result;
use crate::phase::Phase;
use crate::sys::{self, Name};
use crate::tally::OpKind;

/// A seek of every ten writes back.
const WRITES_BACK: u64 = 10;
/// What ends a seeker.
const END: u32 = u32::MAX;
/// Tickets that the feeder writes at once, and how long it waits when the pipe is full.
const TICKETS: usize = 1024;
const PAUSE: Duration = Duration::from_millis(1);

/// When a seeker began and ended; nothing for the feeder.
type Times = Option<(u64, u64)>;

/// Seekers take tickets of four bytes from one pipe, as in the original, whose score is often bounded by just that; from
/// the first start to the last end.
pub fn seek(parameters: &Parameters, blocks: &Blocks<'_>, phase: &Phase<'_>) -> Result<u64> {
    let name = Name::new(format_args!("tickets"));
    let (reader, writer) =
        phase.solo(|context| sys::pipe().map_err(|error| context.fault(OpKind::Seek, &name, None, &error)))?;
    // The feeder closes it, so that seekers never wait for tickets that will not come.
    let writer = Mutex::new(Some(writer));
    let workers = phase.threads(parameters.seekers + 1, |context, seeker| {
        if seeker == parameters.seekers {
            let writer = writer.lock().ok().and_then(|mut writer| writer.take());
            feed(parameters, context, writer, phase.common.seed)?;
            return Ok(None);
        }
        one_seeker(blocks, context, &reader)
    })?;
    let times: Vec<_> = workers.results.into_iter().flatten().collect();
    let start_ns = times.iter().map(|times| times.0).min().unwrap_or(0);
    Ok(times.iter().map(|times| times.1).max().unwrap_or(0) - start_ns)
}

/// Writes the tickets: random numbers, and then one end per seeker.
fn feed(parameters: &Parameters, context: &WorkerContext<'_>, writer: Option<OwnedFd>, seed: u64) -> Result<()> {
    let Some(writer) = writer else { return Ok(()) };
    let mut stream = Stream::new(seed, 0, Purpose::Offset);
    let numbers = (0..parameters.seeks).map(|_| (stream.bits() >> 33) as u32);
    let mut tickets = numbers.chain((0..parameters.seekers).map(|_| END));
    let mut bytes = Vec::with_capacity(4 * TICKETS);
    loop {
        bytes.clear();
        bytes.extend(tickets.by_ref().take(TICKETS).flat_map(u32::to_ne_bytes));
        if bytes.is_empty() {
            return Ok(());
        }
        let mut done = 0;
        while done < bytes.len() {
            context.check()?;
            match sys::write(&writer, &bytes[done..]) {
                Ok(more) => done += more,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => std::thread::sleep(PAUSE),
                Err(error) => {
                    return Err(context.fault(OpKind::Seek, &Name::new(format_args!("tickets")), None, &error));
                }
            }
        }
    }
}

fn one_seeker(blocks: &Blocks<'_>, context: &mut WorkerContext<'_>, tickets: &OwnedFd) -> Result<Times> {
    let parts = blocks.open(context, None)?;
    let mut buffer = vec![0; blocks.chunk()];
    let mut own = 0;
    let mut next = ticket(tickets);
    let start_ns = context.now_ns();
    while let Some(ticket_number) = next {
        let block = u64::from(ticket_number) % blocks.blocks;
        let (part, offset) = blocks.place(&parts, block);
        seek_and_read(context, part, &mut buffer, offset)?;
        // 2.x goes by the number, 1.x by the seeker's own count.
        let count = if blocks.two() { ticket_number.into() } else { own };
        if count % WRITES_BACK == 0 {
            change(&mut buffer, own);
            write_back(context, &part.file, &buffer, (&part.name, offset))?;
        }
        own += 1;
        next = ticket(tickets);
    }
    context.check()?;
    blocks.close(context, parts, true)?;
    context.settle()?;
    Ok(Some((start_ns, context.now_ns())))
}

/// Nothing at the end, and when the feeder has given up.
fn ticket(tickets: &OwnedFd) -> Option<u32> {
    let mut bytes = [0; 4];
    let number =
        sys::read(tickets, &mut bytes).is_ok_and(|count| count == bytes.len()).then(|| u32::from_ne_bytes(bytes));
    number.filter(|&number| number != END)
}

fn seek_and_read(context: &mut WorkerContext<'_>, part: &Part, buffer: &mut [u8], offset: u64) -> Result<()> {
    let length = buffer.len();
    let done = context.transfer(OpKind::Seek, (&part.name, offset), length, |done| {
        sys::seek(&part.file, offset + done as u64)?;
        sys::read(&part.file, &mut buffer[done..])
    })?;
    context.whole(OpKind::Seek, (&part.name, offset), done, length)
}
