//! Counters of a device, for hosts where single I/Os cannot be seen.

use serde::{Deserialize, Serialize};

/// A device's counters since it was there, as `/sys/block/X/stat` has them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Counters {
    /// Requests that completed, after merging: reads, writes, trims, flushes.
    pub requests: [u64; 4],
    /// I/Os that were merged into others before they were issued; flushes never are.
    pub merged: [u64; 4],
    /// Bytes that were moved; flushes have none.
    pub bytes: [u64; 4],
    /// Sum of the latencies of those requests.
    pub latency_ns: [u64; 4],
    /// Requests under way.
    pub in_flight: u64,
    /// How long there was any.
    pub busy_ns: u64,
}

/// What a device did in one interval.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Sample {
    /// The interval's end, since the trace's start.
    pub time_ns: u64,
    /// How long it was.
    pub interval_ns: u64,
    /// Which device of the header.
    pub device: u16,
    /// What the counters grew by; `in_flight` is as it was at the end.
    pub grown: Counters,
}
