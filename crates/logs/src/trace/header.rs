//! What a trace says of itself: at its beginning, what it is of; at its end, what is in it and what is not.

use serde::{Deserialize, Serialize};

use crate::trace::event::{Event, UNKNOWN};
use crate::trace::pairing::Counted;
use crate::trace::sample::Counters;

/// No trace has more devices, and none more processes.
pub const MOST_NAMES: usize = u16::MAX as usize;

/// Process of an I/O of which nobody knows who asked for it: the first of every table.
pub const NOBODY: &str = "";

/// What the records of a trace are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Content {
    /// Each I/O.
    #[default]
    Events,
    /// Counters of devices, once a second or so.
    Samples,
}

/// A device that I/Os went to.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Device {
    /// As the source names it: nvme0n1, hm_0, 8,16.
    pub name: String,
    /// Its numbers in the kernel, where known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub number: Option<(u32, u32)>,
    /// How large it is, where known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// What else is known of it, such as the model or what it is a member of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub about: Option<String>,
}

/// What a trace is of.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Header {
    /// What its records are.
    #[serde(default)]
    pub content: Content,
    /// Where it is from: `observe`, or the format of another tool.
    pub source: String,
    /// The trace's start, in nanoseconds since 1970; `None` where the source has no clock of the wall.
    pub start_unix_ns: Option<i64>,
    /// The smallest step of the source's clock.
    pub resolution_ns: u64,
    /// By the numbers of the events.
    pub devices: Vec<Device>,
    /// By the numbers of the events; the first is [`NOBODY`].
    pub processes: Vec<String>,
    /// What a reader has to know, each a sentence.
    #[serde(default)]
    pub notes: Vec<String>,
}

impl Header {
    /// Of a source with this name, of which nothing else is known yet.
    pub fn of(source: &str, resolution_ns: u64) -> Self {
        let processes = vec![NOBODY.to_owned()];
        Self { source: source.to_owned(), resolution_ns, processes, ..Self::default() }
    }
}

/// I/Os of one kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Sum {
    /// How many.
    pub events: u64,
    /// Their bytes.
    pub bytes: u64,
}

/// Something that is not in the trace, or not as it was.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftOut {
    /// A word for programs.
    pub what: String,
    /// How often.
    pub count: u64,
    /// A sentence with the count: what it was, and what was done instead.
    pub why: String,
}

/// Counters of one device at both edges of the recording.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Edges {
    /// Which device of the header.
    pub device: u16,
    /// Before the first event.
    pub before: Counters,
    /// After the last.
    pub after: Counters,
}

/// What is in a trace.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Totals {
    /// Reads, writes, trims, flushes.
    pub kinds: [Sum; 4],
    /// How many of them were never seen to complete.
    pub unfinished: u64,
    /// Arrival of the last one.
    pub last_arrival_ns: u64,
    /// How long was recorded, if that is known: not less than the time of the last event.
    pub recorded_ns: u64,
    /// What is not in it.
    #[serde(default)]
    pub left_out: Vec<LeftOut>,
    /// The devices' own counters, where they were read.
    #[serde(default)]
    pub counters: Vec<Edges>,
    /// Whether the file was cut short: nothing is known of what came after the last whole block.
    #[serde(default)]
    pub cut: bool,
}

impl Totals {
    /// Adds an event.
    #[inline]
    pub fn add(&mut self, event: &Event) {
        let sum = &mut self.kinds[event.kind as usize];
        sum.events += 1;
        sum.bytes = sum.bytes.saturating_add(u64::from(event.bytes));
        self.unfinished += u64::from(event.latency_ns == UNKNOWN);
        self.last_arrival_ns = self.last_arrival_ns.max(event.arrival_ns);
    }

    /// How many I/Os.
    pub fn events(&self) -> u64 {
        self.kinds.iter().map(|sum| sum.events).sum()
    }

    /// Says what did not pair up as it should.
    pub fn leave_out_unpaired(&mut self, counted: &Counted) {
        self.leave_out("begun_before", counted.strangers, || {
            "completions of I/Os that were under way when the recording began: {}; they are left out".to_owned()
        });
        self.leave_out("failed", counted.failed, || "I/Os that failed: {}; they count like others".to_owned());
        self.leave_out("given_up", counted.given_up, || {
            "I/Os that did not complete within 10 minutes: {}; they count as never completed".to_owned()
        });
    }

    /// Says what moves no data in a way that is known here.
    pub fn leave_out_pass_through(&mut self, count: u64) {
        self.leave_out("pass_through", count, || {
            "requests that are neither reads, writes, trims nor flushes (pass-through): {}; they are left out"
                .to_owned()
        });
    }

    /// Says of writes with a promise of the device that this promise is not in the trace.
    pub fn leave_out_forced(&mut self, count: u64) {
        self.leave_out("forced", count, || {
            "writes that are to be durable when they are done (FUA), or that come behind a flush: {}; they count as plain \
             writes, and a replay neither forces them nor flushes before them"
                .to_owned()
        });
    }

    /// Says that something is missing; the same word adds up. The count is told in the place of `{}`.
    pub fn leave_out(&mut self, what: &str, count: u64, why: impl FnOnce() -> String) {
        if count == 0 {
            return;
        }
        let before = self.left_out.iter().position(|left| left.what == what);
        let place = before.unwrap_or(self.left_out.len());
        if before.is_none() {
            self.left_out.push(LeftOut { what: what.to_owned(), count: 0, why: String::new() });
        }
        let left = &mut self.left_out[place];
        left.count += count;
        left.why = why().replacen("{}", &grouped(left.count), 1);
    }
}

/// `1,234,567`
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut found = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            found.push(',');
        }
        found.push(digit);
    }
    found
}
