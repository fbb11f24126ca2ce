//! MSR Cambridge: `128166372003061629,hm,0,Write,2654453760,4096,54086`.
//!
//! A time of Windows (100 ns since 1601), host, disk, type, offset, size, and how long it took in 100 ns.

use crate::stream::Why;
use crate::trace::event::{Event, OpKind, UNKNOWN};
use crate::trace::fault::Fault;
use crate::trace::header::Device;
use crate::trace::text::columns::{length, number, split};
use crate::trace::text::format::Format;
use crate::trace::text::lines::Rows;
use crate::trace::text::sink::Sink;

/// Its entry in the list.
pub const FORMAT: Format = Format {
    name: "msr",
    title: "MSR Cambridge CSV",
    resolution_ns: TICK_NS,
    unix: true,
    notes: &[],
    rows: || Box::new(Msr),
};

const NO_LINE: Why =
    "is not a row of an MSR Cambridge trace (Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime)";
const TICK_NS: u64 = 100;
/// From 1601 to 1970.
const TICKS_TO_1970: u64 = 116_444_736_000_000_000;

struct Msr;

impl Rows for Msr {
    #[inline]
    fn row(&mut self, line: &[u8], number: u64, sink: &mut Sink) -> Result<(), Fault> {
        if number == 1 && line.to_ascii_lowercase().starts_with(b"timestamp,hostname,") {
            return Ok(());
        }
        let event = event(line, sink)?.ok_or(NO_LINE)?;
        sink.rows += 1;
        sink.event(event, number)
    }
}

fn event(line: &[u8], sink: &mut Sink) -> Result<Option<Event>, Why> {
    let Some([time, host, disk, kind, offset, size, response]) = split::<7>(line, b',') else { return Ok(None) };
    let kind = match kind {
        b"Read" | b"read" => OpKind::Read,
        b"Write" | b"write" => OpKind::Write,
        _ => return Ok(None),
    };
    let numbers = (number(time), number(disk), number(offset), number(size).and_then(length), number(response));
    let (Some(time), Some(_), Some(offset), Some(bytes), Some(response)) = numbers else { return Ok(None) };
    let Some(arrival_ns) = time.checked_sub(TICKS_TO_1970).and_then(|ticks| ticks.checked_mul(TICK_NS)) else {
        return Ok(None);
    };
    let mut name = host.to_vec();
    name.push(b'_');
    name.extend_from_slice(disk);
    let device = sink.device(&name, |name| Device { name, ..Device::default() })?;
    let latency_ns = response.checked_mul(TICK_NS).unwrap_or(UNKNOWN);
    Ok(Some(Event { arrival_ns, issue_ns: UNKNOWN, latency_ns, kind, offset, bytes, device, process: 0 }))
}
