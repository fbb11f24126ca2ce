//! Tencent's cloud block storage of 2018: `1538323200,12910952,128,0,1063`.
//!
//! Whole seconds since 1970, sector, sectors, kind (0 read, 1 write), volume. How long an I/O took is not in it.

use crate::stream::Why;
use crate::trace::event::{Event, OpKind, UNKNOWN};
use crate::trace::fault::Fault;
use crate::trace::header::Device;
use crate::trace::text::columns::{length, number, split};
use crate::trace::text::format::{Format, NO_LATENCIES, WHOLE_SECONDS};
use crate::trace::text::lines::Rows;
use crate::trace::text::sink::Sink;

/// Its entry in the list.
pub const FORMAT: Format = Format {
    name: "tencent",
    title: "Tencent block storage CSV",
    resolution_ns: SECOND_NS,
    unix: true,
    notes: &[NO_LATENCIES, WHOLE_SECONDS],
    rows: || Box::new(Tencent),
};

const NO_LINE: Why = "is not a row of a Tencent block storage trace (timestamp,offset,size,IOType,VolumeID)";
const SECOND_NS: u64 = 1_000_000_000;
const SECTOR_BYTES: u64 = 512;
/// Such a trace is not from before 2001 or after 2200.
const SECONDS: std::ops::Range<u64> = 978_307_200..7_258_118_400;

struct Tencent;

impl Rows for Tencent {
    #[inline]
    fn row(&mut self, line: &[u8], number: u64, sink: &mut Sink) -> Result<(), Fault> {
        if number == 1 && line.to_ascii_lowercase().starts_with(b"timestamp,offset,") {
            return Ok(());
        }
        let event = event(line, sink)?.ok_or(NO_LINE)?;
        sink.rows += 1;
        sink.event(event, number)
    }
}

fn event(line: &[u8], sink: &mut Sink) -> Result<Option<Event>, Why> {
    let Some([time, sector, sectors, kind, volume]) = split::<5>(line, b',') else { return Ok(None) };
    let kind = match kind {
        b"0" => OpKind::Read,
        b"1" => OpKind::Write,
        _ => return Ok(None),
    };
    let bytes = number(sectors).and_then(|sectors| sectors.checked_mul(SECTOR_BYTES)).and_then(length);
    let offset = number(sector).and_then(|sector| sector.checked_mul(SECTOR_BYTES));
    let time = number(time).filter(|time| SECONDS.contains(time));
    let (Some(time), Some(offset), Some(bytes), Some(_)) = (time, offset, bytes, number(volume)) else {
        return Ok(None);
    };
    let device = sink.device(volume, |name| Device { name, ..Device::default() })?;
    let arrival_ns = time * SECOND_NS;
    Ok(Some(Event { arrival_ns, issue_ns: UNKNOWN, latency_ns: UNKNOWN, kind, offset, bytes, device, process: 0 }))
}
