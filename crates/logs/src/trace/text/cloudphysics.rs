//! CloudPhysics' vSCSI traces, as libCacheSim has them: `version,time,op,size,lbn`, then `1,5633898,2a,512,42932745`.
//!
//! Time in whole seconds (libCacheSim's FAQ on units; in the published file 3,000 I/Os span 779 of them), a SCSI
//! operation in hexadecimal, bytes, and a block of 512 bytes. How long an I/O took is not in it.

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
    name: "cloudphysics",
    title: "CloudPhysics vSCSI CSV",
    resolution_ns: SECOND_NS,
    unix: false,
    notes: &[NO_LATENCIES, WHOLE_SECONDS],
    rows: || Box::new(CloudPhysics::default()),
};

const NO_LINE: Why = "is not a row of a CloudPhysics vSCSI trace (version,time,op,size,lbn)";
const SECOND_NS: u64 = 1_000_000_000;
const BLOCK_BYTES: u64 = 512;

#[derive(Default)]
struct CloudPhysics {
    others: u64,
}

impl Rows for CloudPhysics {
    #[inline]
    fn row(&mut self, line: &[u8], number: u64, sink: &mut Sink) -> Result<(), Fault> {
        if number == 1 && line.starts_with(b"version,time,op,") {
            return Ok(());
        }
        let event = self.event(line, sink)?.ok_or(NO_LINE)?;
        sink.rows += 1;
        event.map_or(Ok(()), |event| sink.event(event, number))
    }

    fn finish(&mut self, sink: &mut Sink) -> Result<(), Fault> {
        sink.totals.leave_out("pass_through", self.others, || {
            "SCSI operations that are neither reads, writes, unmaps nor flushes: {}; they are left out".to_owned()
        });
        Ok(())
    }
}

impl CloudPhysics {
    fn event(&mut self, line: &[u8], sink: &mut Sink) -> Result<Option<Option<Event>>, Why> {
        let Some([version, time, op, size, block]) = split::<5>(line, b',') else { return Ok(None) };
        let op = match op {
            [high, low] => hexadecimal(*high).zip(hexadecimal(*low)).map(|(high, low)| high << 4 | low),
            [low] => hexadecimal(*low),
            _ => None,
        };
        let numbers = (number(time), number(size), number(block).and_then(|block| block.checked_mul(BLOCK_BYTES)));
        let (b"1" | b"2", Some(op), (Some(time), Some(size), Some(offset))) = (version, op, numbers) else {
            return Ok(None);
        };
        let kind = match op {
            0x08 | 0x28 | 0xa8 | 0x88 => OpKind::Read,
            0x0a | 0x2a | 0xaa | 0x8a | 0x2e | 0x41 | 0x93 => OpKind::Write,
            0x42 => OpKind::Trim,
            0x35 | 0x91 => OpKind::Flush,
            _ => {
                self.others += 1;
                return Ok(Some(None));
            }
        };
        let bytes = if kind == OpKind::Flush { Some(0) } else { length(size) };
        let (Some(bytes), Some(arrival_ns)) = (bytes, time.checked_mul(SECOND_NS)) else { return Ok(None) };
        let device = sink.device(b"vscsi", |name| Device { name, ..Device::default() })?;
        let event =
            Event { arrival_ns, issue_ns: UNKNOWN, latency_ns: UNKNOWN, kind, offset, bytes, device, process: 0 };
        Ok(Some(Some(event)))
    }
}

fn hexadecimal(digit: u8) -> Option<u8> {
    (digit as char).to_digit(16).map(|value| value as u8)
}
