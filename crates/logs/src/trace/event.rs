//! One I/O.

use serde::{Deserialize, Serialize};

/// A time that nobody saw.
pub const UNKNOWN: u64 = u64::MAX;

/// What an I/O asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[repr(u8)]
pub enum OpKind {
    /// Data from the device.
    Read = 0,
    /// Data, or zeros, to the device.
    Write = 1,
    /// The device may forget a range.
    Trim = 2,
    /// The device's cache goes to its medium; has no range.
    Flush = 3,
}

impl OpKind {
    /// All of them, in the order of their numbers.
    pub const ALL: [Self; 4] = [Self::Read, Self::Write, Self::Trim, Self::Flush];

    /// The kind with a number.
    pub const fn of(number: u8) -> Option<Self> {
        match number {
            0 => Some(Self::Read),
            1 => Some(Self::Write),
            2 => Some(Self::Trim),
            3 => Some(Self::Flush),
            _ => None,
        }
    }
}

/// One I/O of a trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Event {
    /// When it was asked for, since the trace's start.
    pub arrival_ns: u64,
    /// When the device got it, since its arrival; [`UNKNOWN`] if nobody saw that.
    pub issue_ns: u64,
    /// From its arrival to its completion; [`UNKNOWN`] if that was never seen.
    pub latency_ns: u64,
    /// What it asks for.
    pub kind: OpKind,
    /// Where it begins, in bytes of the device.
    pub offset: u64,
    /// How long it is.
    pub bytes: u32,
    /// Which device of the header.
    pub device: u16,
    /// Which process of the header.
    pub process: u16,
}

impl Event {
    /// Behind its last byte.
    pub const fn end(&self) -> u64 {
        self.offset.saturating_add(self.bytes as u64)
    }
}
