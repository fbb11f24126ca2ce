//! Reads our own trace file, as a stream: what was cut off at its end is said, what is damaged inside is refused.

use crate::trace::event::Event;
use crate::trace::fault::Fault;
use crate::trace::header::{Header, MOST_NAMES, Totals};
use crate::trace::planes::{MOST_EVENTS, Unpacker};
use crate::trace::sample::Sample;
use crate::trace::writer::{CHUNK_HEAD_BYTES, EVENTS, HEADER, MARK, SAMPLES, TOTALS, checksum};

/// No chunk is longer: 65,536 events of the longest numbers, or the header of 131,070 names.
const LONGEST_CHUNK: usize = 16 << 20;
const LONGEST_SAMPLES: usize = 64 << 20;
const MOST_SAMPLES: usize = 100_000;
/// No more events wait to be taken: real ones need bytes, and these come of what one call of `feed` brought.
const MOST_WAITING: usize = 1 << 22;

const NEWER: &str = "is a trace of a newer version of this program; update it";
const NO_TRACE: &str = "is not a trace of this program";
const TOO_DENSE: &str =
    "unpacks to far more I/Os than a recording of its size can hold; it was not made by observing a device";
const COUNTERS: &str = "holds counters, and no I/Os: observe again with the right to trace, or ask plimsoll advise";
const DAMAGED: &str = "is damaged inside, so that nothing after that place can be trusted; copy it again";

/// A trace while it arrives.
pub struct Reader {
    unpacker: Unpacker,
    rest: Vec<u8>,
    begun: bool,
    ended: bool,
    header: Option<Header>,
    events: Vec<Event>,
    samples: Vec<Sample>,
    last_arrival_ns: u64,
    counted: Totals,
    totals: Option<Totals>,
}

impl Reader {
    /// Before the first byte.
    pub fn new() -> Result<Self, Fault> {
        Ok(Self {
            unpacker: Unpacker::new()?,
            rest: Vec::new(),
            begun: false,
            ended: false,
            header: None,
            events: Vec::new(),
            samples: Vec::new(),
            last_arrival_ns: 0,
            counted: Totals::default(),
            totals: None,
        })
    }

    /// Whether a file that begins so is ours.
    pub fn recognises(head: &[u8]) -> bool {
        head.starts_with(&MARK[..7])
    }

    /// Reads on.
    pub fn feed(&mut self, chunk: &[u8]) -> Result<(), Fault> {
        let mut rest = std::mem::take(&mut self.rest);
        rest.extend_from_slice(chunk);
        let used = self.chunks(&rest)?;
        rest.drain(..used);
        self.rest = rest;
        Ok(())
    }

    /// The header, once it has arrived; it can grow with what is fed.
    pub fn header(&self) -> Option<&Header> {
        self.header.as_ref()
    }

    /// Takes the events that have arrived since the last call; the buffer given comes back empty the next time.
    pub fn take(&mut self, events: &mut Vec<Event>) {
        events.clear();
        std::mem::swap(&mut self.events, events);
    }

    /// Takes the samples that have arrived since the last call.
    pub fn take_samples(&mut self) -> Vec<Sample> {
        std::mem::take(&mut self.samples)
    }

    /// What is in it.
    pub fn finish(&mut self) -> Result<Totals, Fault> {
        if self.header.is_none() {
            return Err(Fault::of_file("is cut short in its header: there is nothing in it"));
        }
        let counted = std::mem::take(&mut self.counted);
        match self.totals.take() {
            Some(totals) if totals.kinds == counted.kinds => Ok(totals),
            Some(_) => Err(Fault::of_file(DAMAGED)),
            None => Ok(Totals { cut: true, recorded_ns: counted.last_arrival_ns, ..counted }),
        }
    }

    fn chunks(&mut self, bytes: &[u8]) -> Result<usize, Fault> {
        let mut at = 0;
        if !self.begun {
            if bytes.len() < MARK.len() {
                return Ok(0);
            }
            if bytes[..7] != MARK[..7] {
                return Err(Fault::of_file(NO_TRACE));
            }
            if bytes[7] != MARK[7] {
                return Err(Fault::of_file(NEWER));
            }
            self.begun = true;
            at = MARK.len();
        }
        while let Some(head) = bytes[at..].first_chunk::<CHUNK_HEAD_BYTES>() {
            let number = |from: usize| u32::from_le_bytes([head[from], head[from + 1], head[from + 2], head[from + 3]]);
            let (count, length) = (number(1), number(5) as usize);
            if length > LONGEST_CHUNK || self.ended {
                return Err(Fault::of_file(DAMAGED));
            }
            let begin = at + CHUNK_HEAD_BYTES;
            let Some(payload) = bytes.get(begin..begin + length) else { break };
            if checksum(head[0], count, payload) != number(9) {
                return Err(Fault::of_file(DAMAGED));
            }
            self.chunk(head[0], count as usize, payload)?;
            at = begin + length;
        }
        Ok(at)
    }

    fn chunk(&mut self, kind: u8, count: usize, payload: &[u8]) -> Result<(), Fault> {
        let damaged = || Fault::of_file(DAMAGED);
        match (kind, &self.header) {
            (HEADER, before) => {
                let header: Header = serde_json::from_slice(payload).map_err(|_| damaged())?;
                let grows = |before: &Header| {
                    header.devices.len() >= before.devices.len() && header.processes.len() >= before.processes.len()
                };
                let most = header.devices.len().max(header.processes.len());
                if most > MOST_NAMES || !before.as_ref().is_none_or(grows) {
                    return Err(damaged());
                }
                self.header = Some(header);
                Ok(())
            }
            (EVENTS, Some(header)) => {
                let names = (header.devices.len(), header.processes.len());
                self.block(payload, count, names)
            }
            (SAMPLES, Some(_)) => {
                let json = zstd::bulk::decompress(payload, LONGEST_SAMPLES).map_err(|_| damaged())?;
                let samples: Vec<Sample> = serde_json::from_slice(&json).map_err(|_| damaged())?;
                if samples.len() != count {
                    return Err(damaged());
                }
                // Who reads counters takes them with each part of the file.
                if self.samples.len() + count > MOST_SAMPLES {
                    return Err(Fault::of_file(COUNTERS));
                }
                self.samples.extend(samples);
                Ok(())
            }
            (TOTALS, Some(_)) => {
                self.totals = Some(serde_json::from_slice(payload).map_err(|_| damaged())?);
                self.ended = true;
                Ok(())
            }
            // Later versions may add kinds of chunks that earlier readers can do without.
            (b'a'..=b'z', Some(_)) => Ok(()),
            _ => Err(damaged()),
        }
    }

    fn block(&mut self, payload: &[u8], count: usize, names: (usize, usize)) -> Result<(), Fault> {
        let begin = self.events.len();
        if count > MOST_EVENTS {
            return Err(Fault::of_file(DAMAGED));
        }
        if begin + count > MOST_WAITING {
            return Err(Fault::of_file(TOO_DENSE));
        }
        self.unpacker.unpack(payload, count, names, &mut self.events)?;
        for event in &self.events[begin..] {
            if event.arrival_ns < self.last_arrival_ns {
                return Err(Fault::of_file(DAMAGED));
            }
            self.last_arrival_ns = event.arrival_ns;
            self.counted.add(event);
        }
        Ok(())
    }
}
