//! The load that a simulation puts on a volume.

use plimsoll_core::random::{Purpose, Stream};
use serde::{Deserialize, Serialize};

use super::Source;
use crate::error::VolumeError;
use crate::model::layer::{Io, OpKind};

/// One kind of load for the whole simulation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Workload {
    /// Size of each operation.
    pub block_bytes: u64,
    /// Operations in flight: exactly as many in a closed loop, at most as many with a rate.
    pub depth: u32,
    /// Absent: closed loop. Present: operations per second, evenly spaced, latency counted from when each was due.
    #[serde(default)]
    pub rate: Option<f64>,
    /// Share of reads, 0…1.
    pub read_share: f64,
    /// Where operations go.
    pub pattern: Pattern,
    /// Part of the device from its start that is used; absent: all of it.
    #[serde(default)]
    pub region_bytes: Option<u64>,
    /// Virtual time.
    pub duration_ns: u64,
    /// Length of an interval of the series.
    #[serde(default = "second")]
    pub interval_ns: u64,
    /// Of offsets and kinds; the volume has its own.
    pub seed: u64,
}

/// Where operations go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Pattern {
    /// Uniform over the blocks.
    Random,
    /// Each after the one before, around at the end.
    Sequential,
}

pub(super) fn second() -> u64 {
    1_000_000_000
}

impl Workload {
    /// Refuses what cannot be run on a device of this size.
    pub fn validate(&self, device_bytes: u64) -> Result<(), VolumeError> {
        let region = self.region_bytes.unwrap_or(device_bytes);
        let problem = if self.block_bytes == 0 || self.block_bytes > region || region > device_bytes {
            format!("block_bytes {} in a region of {region} on a device of {device_bytes}", self.block_bytes)
        } else if !(1..=65_536).contains(&self.depth) {
            format!("depth is {}: from 1 to 65536", self.depth)
        } else if !(0.0..=1.0).contains(&self.read_share) {
            format!("read_share is {}: from 0 to 1", self.read_share)
        } else if self.rate.is_some_and(|rate| !(1e-3..=1e9).contains(&rate)) {
            format!("rate is {:?}: from 0.001 to 10^9 per second", self.rate)
        } else if self.interval_ns == 0 || self.duration_ns / self.interval_ns > 10_000_000 {
            format!("{} ns in intervals of {}: at most 10 million intervals", self.duration_ns, self.interval_ns)
        } else {
            return Ok(());
        };
        Err(VolumeError::spec(format!("the workload cannot be simulated: {problem}")))
    }

    /// The operations; they never end.
    pub(super) fn source(&self, device_bytes: u64) -> Generator {
        Generator {
            block_bytes: self.block_bytes,
            blocks: self.region_bytes.unwrap_or(device_bytes) / self.block_bytes,
            sequential: self.pattern == Pattern::Sequential,
            next_block: 0,
            gap_ns: self.rate.map_or(0.0, |rate| 1e9 / rate),
            count: 0,
            read_share: self.read_share,
            offsets: Stream::new(self.seed, 0, Purpose::Offset),
            kinds: Stream::new(self.seed, 0, Purpose::Kind),
        }
    }
}

/// The operations of a [`Workload`].
pub(super) struct Generator {
    block_bytes: u64,
    blocks: u64,
    sequential: bool,
    next_block: u64,
    gap_ns: f64,
    count: u64,
    read_share: f64,
    offsets: Stream,
    kinds: Stream,
}

impl Source for Generator {
    #[inline]
    fn next(&mut self) -> Option<(u64, Io)> {
        let block = if self.sequential {
            let block = self.next_block;
            self.next_block = if block + 1 == self.blocks { 0 } else { block + 1 };
            block
        } else {
            self.offsets.below(self.blocks)
        };
        let reads = self.read_share >= 1.0 || (self.read_share > 0.0 && self.kinds.chance(self.read_share));
        let kind = if reads { OpKind::Read } else { OpKind::Write };
        // Counted, not summed, so that no error builds up; the first is due at 1 ns because 0 means "now".
        let intended_ns = if self.gap_ns > 0.0 { (self.count as f64 * self.gap_ns) as u64 + 1 } else { 0 };
        self.count += 1;
        Some((intended_ns, Io { kind, offset: block * self.block_bytes, bytes: self.block_bytes }))
    }
}
