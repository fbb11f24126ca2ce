//! One reader of any trace: our own files and those of other tools, known by their content.

use crate::trace::event::Event;
use crate::trace::fault::Fault;
use crate::trace::header::{Header, Totals};
use crate::trace::reader::Reader;
use crate::trace::sample::Sample;
use crate::trace::text::lines::Text;
use crate::trace::text::{FORMATS, named, recognise};

/// So much of a file is needed to know its format.
pub const HEAD_BYTES: usize = 64 << 10;

/// Name of our own format.
pub const OWN: &str = "plimsoll";

/// A trace while it arrives: `feed`, then `take`, again and again; then `finish` and a last `take`.
pub struct Source {
    reader: Inner,
    totals: Totals,
}

#[allow(clippy::large_enum_variant, reason = "there is one for each trace: a box would save nothing")]
enum Inner {
    Own(Reader),
    Text(Text),
}

impl Source {
    /// The reader for a file that begins with `head`, at least [`HEAD_BYTES`] of it or the `whole` file; `format` is what
    /// the user says it is.
    pub fn new(head: &[u8], whole: bool, format: Option<&str>) -> Result<Self, Fault> {
        let own = Reader::recognises(head);
        let reader = match format {
            Some(OWN) => Inner::Own(Reader::new()?),
            None if own => Inner::Own(Reader::new()?),
            Some(name) => Inner::Text(named(name).ok_or_else(|| unknown(name))?.reader()),
            None => match recognise(head, whole).as_slice() {
                [format] => Inner::Text(format.reader()),
                [] => return Err(Fault::of_file(format!("is no trace that is known here; known are {}", titles()))),
                several => {
                    let names: Vec<_> =
                        several.iter().map(|format| format!("{} ({})", format.name, format.title)).collect();
                    let why = format!("can be {}: say which with --format", names.join(" or "));
                    return Err(Fault::of_file(why));
                }
            },
        };
        Ok(Self { reader, totals: Totals::default() })
    }

    /// Reads on. After a fault the reader is of no further use.
    pub fn feed(&mut self, chunk: &[u8]) -> Result<(), Fault> {
        match &mut self.reader {
            Inner::Own(reader) => reader.feed(chunk),
            Inner::Text(text) => text.feed(chunk),
        }
    }

    /// What is known of the trace so far; devices and processes are those of the events that were taken.
    pub fn header(&self) -> Option<&Header> {
        match &self.reader {
            Inner::Own(reader) => reader.header(),
            Inner::Text(text) => Some(text.header()),
        }
    }

    /// Replaces `events` by those that have arrived since the last call, in order of arrival.
    pub fn take(&mut self, events: &mut Vec<Event>) {
        match &mut self.reader {
            Inner::Own(reader) => reader.take(events),
            Inner::Text(text) => {
                text.take(events);
                events.iter().for_each(|event| self.totals.add(event));
            }
        }
    }

    /// Takes the samples that have arrived since the last call, of a trace of counters.
    pub fn take_samples(&mut self) -> Vec<Sample> {
        match &mut self.reader {
            Inner::Own(reader) => reader.take_samples(),
            Inner::Text(_) => Vec::new(),
        }
    }

    /// Drops those samples, where only I/Os are looked for: however many there are, they are no fault then.
    pub fn skip_samples(&mut self) {
        self.take_samples();
    }

    /// No byte is left. Puts the last events into `events`, and says what was in the trace.
    pub fn finish(&mut self, events: &mut Vec<Event>) -> Result<Totals, Fault> {
        match &mut self.reader {
            Inner::Own(reader) => {
                reader.take(events);
                reader.finish()
            }
            Inner::Text(text) => {
                text.end()?;
                text.take(events);
                events.iter().for_each(|event| self.totals.add(event));
                let found = std::mem::take(&mut self.totals);
                if found.events() == 0 {
                    return Err(Fault::of_file("holds no I/O"));
                }
                let end = |totals: &Totals| totals.last_arrival_ns;
                let recorded_ns = end(&found);
                Ok(Totals {
                    kinds: found.kinds,
                    unfinished: found.unfinished,
                    last_arrival_ns: end(&found),
                    recorded_ns,
                    ..text.totals()
                })
            }
        }
    }
}

fn unknown(name: &str) -> Fault {
    let names: Vec<_> = FORMATS.iter().map(|format| format.name).collect();
    Fault::of_file(format!("cannot be read as {name}, which is no format; known are {OWN}, {}", names.join(", ")))
}

fn titles() -> String {
    let titles: Vec<_> = FORMATS.iter().map(|format| format.title).collect();
    format!("traces of plimsoll observe, {}", titles.join(", "))
}
