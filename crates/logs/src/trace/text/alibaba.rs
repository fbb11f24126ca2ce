//! Alibaba's block traces of 2020: `0,R,126703644672,4096,1577808000000626`.
//!
//! Device, kind, offset, length, and µs since 1970. How long an I/O took is not in it.

use crate::stream::Why;
use crate::trace::event::{Event, OpKind, UNKNOWN};
use crate::trace::fault::Fault;
use crate::trace::header::Device;
use crate::trace::text::columns::{length, number, split};
use crate::trace::text::format::{Format, NO_LATENCIES};
use crate::trace::text::lines::Rows;
use crate::trace::text::sink::Sink;

/// Its entry in the list.
pub const FORMAT: Format = Format {
    name: "alibaba",
    title: "Alibaba block trace CSV",
    resolution_ns: 1000,
    unix: true,
    notes: &[NO_LATENCIES],
    rows: || Box::new(Alibaba),
};

const NO_LINE: Why = "is not a row of an Alibaba block trace (device_id,opcode,offset,length,timestamp)";

struct Alibaba;

impl Rows for Alibaba {
    #[inline]
    fn row(&mut self, line: &[u8], number: u64, sink: &mut Sink) -> Result<(), Fault> {
        if number == 1 && line.starts_with(b"device_id,") {
            return Ok(());
        }
        let event = event(line, sink)?.ok_or(NO_LINE)?;
        sink.rows += 1;
        sink.event(event, number)
    }
}

fn event(line: &[u8], sink: &mut Sink) -> Result<Option<Event>, Why> {
    let Some([device, kind, offset, bytes, time]) = split::<5>(line, b',') else { return Ok(None) };
    let kind = match kind {
        b"R" => OpKind::Read,
        b"W" => OpKind::Write,
        _ => return Ok(None),
    };
    let numbers = (number(device), number(offset), number(bytes).and_then(length), number(time));
    let (Some(_), Some(offset), Some(bytes), Some(time)) = numbers else { return Ok(None) };
    let Some(arrival_ns) = time.checked_mul(1000) else { return Ok(None) };
    let device = sink.device(device, |name| Device { name, ..Device::default() })?;
    Ok(Some(Event { arrival_ns, issue_ns: UNKNOWN, latency_ns: UNKNOWN, kind, offset, bytes, device, process: 0 }))
}
