//! fio's I/O logs: `fio version 3 iolog`, then `304 /dev/sda write 774144 4096`; version 2 has no time but `wait`.
//!
//! Times are µs (as fio 3.33 writes them). How long an I/O took is not in it.

use crate::stream::Why;
use crate::trace::event::{Event, OpKind, UNKNOWN};
use crate::trace::fault::Fault;
use crate::trace::header::Device;
use crate::trace::text::columns::number;
use crate::trace::text::format::{Format, NO_LATENCIES};
use crate::trace::text::lines::Rows;
use crate::trace::text::sink::Sink;

/// Its entry in the list.
pub const FORMAT: Format = Format {
    name: "fio_iolog",
    title: "fio iolog (version 2 or 3)",
    resolution_ns: MICROSECOND_NS,
    unix: false,
    notes: &[NO_LATENCIES],
    rows: || Box::new(Iolog::default()),
};

const MICROSECOND_NS: u64 = 1000;
const NO_FIRST: Why = "is not the first line of a fio iolog (fio version 2 iolog, fio version 3 iolog)";
const NO_LINE: Why = "is not a line of this version of fio's iolog";

#[derive(Default)]
struct Iolog {
    version: u8,
    waited_us: u64,
    waits: bool,
}

impl Rows for Iolog {
    #[inline]
    fn row(&mut self, line: &[u8], number: u64, sink: &mut Sink) -> Result<(), Fault> {
        if self.version == 0 {
            self.version = match line.trim_ascii() {
                b"fio version 2 iolog" => 2,
                b"fio version 3 iolog" => 3,
                _ => return Err(NO_FIRST.into()),
            };
            return Ok(());
        }
        let event = self.event(line, sink)?.ok_or(NO_LINE)?;
        sink.rows += 1;
        event.map_or(Ok(()), |event| sink.event(event, number))
    }

    fn finish(&mut self, sink: &mut Sink) -> Result<(), Fault> {
        if self.version == 2 && !self.waits {
            let why = "this iolog of version 2 has no times: all its I/Os arrive at once, so its rate and its bursts are \
                       unknown; record with fio 3.30 or later, which writes version 3";
            sink.header.notes.push(why.to_owned());
        }
        Ok(())
    }
}

impl Iolog {
    /// `Some(None)` for a line that is no I/O.
    fn event(&mut self, line: &[u8], sink: &mut Sink) -> Result<Option<Option<Event>>, Why> {
        let mut words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
        let time_us = if self.version == 3 { words.next().and_then(number) } else { Some(self.waited_us) };
        let (Some(time_us), Some(file), Some(action)) = (time_us, words.next(), words.next()) else { return Ok(None) };
        let kind = match action {
            b"read" => OpKind::Read,
            b"write" => OpKind::Write,
            b"trim" => OpKind::Trim,
            b"sync" | b"datasync" => OpKind::Flush,
            b"add" | b"open" | b"close" => return Ok(Some(None)),
            b"wait" if self.version == 2 => {
                let waited = words.next().and_then(number).and_then(|wait| wait.checked_add(self.waited_us));
                self.waits = true;
                return Ok(waited.map(|waited| {
                    self.waited_us = waited;
                    None
                }));
            }
            _ => return Ok(None),
        };
        let (offset, bytes) = match (kind, words.next().and_then(number), words.next().and_then(number)) {
            (OpKind::Flush, ..) => (0, Some(0)),
            (_, Some(offset), Some(bytes)) => (offset, u32::try_from(bytes).ok()),
            _ => return Ok(None),
        };
        let (Some(bytes), Some(arrival_ns)) = (bytes, time_us.checked_mul(MICROSECOND_NS)) else { return Ok(None) };
        let device = sink.device(file, |name| Device { name, ..Device::default() })?;
        let event =
            Event { arrival_ns, issue_ns: UNKNOWN, latency_ns: UNKNOWN, kind, offset, bytes, device, process: 0 };
        Ok(Some(Some(event)))
    }
}
