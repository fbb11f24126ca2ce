//! What is known of a format before a line of it is read.

use crate::trace::header::Header;
use crate::trace::text::lines::{Rows, Text};
use crate::trace::text::sink::Sink;

/// For formats that have only arrivals.
pub const NO_LATENCIES: &str = "how long each I/O took is not in this format: depth, think times and what limited the \
                                load cannot be known from it";

/// So many lines are looked at to know a format.
const LOOKED_AT: usize = 100;

/// A format of other tools.
pub struct Format {
    /// A word.
    pub name: &'static str,
    /// What people call it.
    pub title: &'static str,
    /// The smallest step of its clock.
    pub resolution_ns: u64,
    /// Whether its times, as its rows are given on, count from 1970.
    pub unix: bool,
    /// What a reader has to know of all such traces.
    pub notes: &'static [&'static str],
    /// Makes its reader.
    pub rows: fn() -> Box<dyn Rows>,
}

impl Format {
    /// A reader of a file of this format.
    pub fn reader(&self) -> Text {
        let mut header = Header::of(self.name, self.resolution_ns);
        header.notes = self.notes.iter().map(|&note| note.to_owned()).collect();
        Text::new((self.rows)(), Sink::new(header, self.unix))
    }

    /// Whether a file that begins so can be of this format: all its first whole lines are; `whole` says that this is all
    /// of it.
    pub fn fits(&self, head: &[u8], whole: bool) -> bool {
        let mut reader = self.reader();
        let mut at = 0;
        for _ in 0..LOOKED_AT {
            let Some(end) = memchr::memchr(b'\n', &head[at..]) else { break };
            if reader.feed(&head[at..=at + end]).is_err() {
                // One damaged line among many is for the reader to name.
                return reader.rows() > 2;
            }
            at += end + 1;
        }
        if at == 0 && whole {
            return reader.feed(head).is_ok() && reader.feed(b"\n").is_ok() && reader.rows() > 0;
        }
        reader.rows() > 0
    }
}

/// A note of formats whose times are that coarse.
pub const WHOLE_SECONDS: &str = "times are whole seconds: all I/Os of a second count at its beginning, so bursts within a \
                             second are not those of the volume";
