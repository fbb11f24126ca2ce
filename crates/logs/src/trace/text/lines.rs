//! What each line of a text says, whatever the format.

use crate::lines::Lines;
use crate::trace::event::Event;
use crate::trace::fault::Fault;
use crate::trace::header::{Header, Totals};
use crate::trace::text::sink::Sink;

/// No line of a trace is longer.
const LONGEST: usize = 64 << 10;

/// What makes events of the lines of one format.
pub trait Rows: Send {
    /// Takes one line, without its end and never blank.
    fn row(&mut self, line: &[u8], number: u64, sink: &mut Sink) -> Result<(), Fault>;

    /// No line is left.
    fn finish(&mut self, _sink: &mut Sink) -> Result<(), Fault> {
        Ok(())
    }
}

/// A text while it arrives.
pub struct Text {
    rows: Box<dyn Rows>,
    sink: Sink,
    lines: Lines,
    line: u64,
}

impl Text {
    /// Before the first byte.
    pub fn new(rows: Box<dyn Rows>, sink: Sink) -> Self {
        Self { rows, sink, lines: Lines::default(), line: 0 }
    }

    /// How many lines said something of an I/O.
    pub fn rows(&self) -> u64 {
        self.sink.rows
    }

    /// What is known of the trace so far.
    pub fn header(&self) -> &Header {
        &self.sink.header
    }

    /// Reads on. After a fault the reader is of no further use.
    pub fn feed(&mut self, chunk: &[u8]) -> Result<(), Fault> {
        let mut lines = std::mem::take(&mut self.lines);
        let fed = lines.feed(chunk, |line| self.complete(line));
        self.lines = lines;
        fed?;
        self.bounded()
    }

    /// No byte is left: a last line that has no end and cannot be read was cut short, and is left out.
    pub fn end(&mut self) -> Result<(), Fault> {
        let last = self.lines.last();
        self.sink.totals.cut = self.complete(&last).is_err();
        self.rows.finish(&mut self.sink)?;
        self.sink.finish();
        Ok(())
    }

    /// Takes what is in order.
    pub fn take(&mut self, events: &mut Vec<Event>) {
        self.sink.take(events);
    }

    /// What was left out.
    pub fn totals(&mut self) -> Totals {
        std::mem::take(&mut self.sink.totals)
    }

    fn complete(&mut self, line: &[u8]) -> Result<(), Fault> {
        self.line += 1;
        if line.len() > LONGEST {
            return Err(self.too_long(line));
        }
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.iter().all(u8::is_ascii_whitespace) {
            return Ok(());
        }
        self.rows.row(line, self.line, &mut self.sink).map_err(|fault| match fault.line {
            Some(_) => fault,
            None => Fault::of_line(self.line, line, fault.why),
        })
    }

    fn bounded(&mut self) -> Result<(), Fault> {
        if self.lines.rest().len() > LONGEST {
            self.line += 1;
            return Err(self.too_long(&self.lines.rest()[..LONGEST]));
        }
        Ok(())
    }

    fn too_long(&self, line: &[u8]) -> Fault {
        Fault::of_line(self.line, line, "is longer than any line of a trace")
    }
}
