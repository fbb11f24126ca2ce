//! The record that describes a volume: resolved numbers only, sent by Python as JSON.
//!
//! Base units (bytes, nanoseconds, operations, bytes per second). Which numbers a provider's volume type has is decided
//! by the catalogue in Python; this side knows mechanisms only. Unknown fields are refused.

use std::path::PathBuf;

use plimsoll_core::parameters::{bytes, count, number, parameters, word};
use serde::{Deserialize, Serialize};

use crate::error::VolumeError;

parameters! {
    /// One emulated volume, or the array of equal volumes in [`array`](Self::array). Its parameters are options of a
    /// volume by the same names; what stands beside them follows from its type and instance.
    pub struct VolumeSpec {
        beside {
            /// Operations per second, reads and writes together, counted in units of [`accounting`](Self::accounting).
            iops: Option<LimitSpec>, default;
            /// Bytes per second, reads and writes together.
            throughput: Option<LimitSpec>, default;
            /// How operations are counted against the limits.
            accounting: AccountingSpec, default;
            /// Service time of a read that no limit delays.
            read_latency: LatencySpec;
            /// The same for a write.
            write_latency: LatencySpec;
            /// The same for a flush; providers without a volatile cache answer it in a round trip.
            flush_latency_ns: u64, default;
            /// Blocks that are slow the first time they are touched.
            first_touch: Option<FirstTouchSpec>, default;
            /// Episodes in which the volume gives less than provisioned.
            degradation: Option<DegradationSpec>, default;
            /// Limits of the machine that the volume is attached to.
            instance: Option<InstanceSpec>, default;
            /// Several such volumes as one device.
            array: Option<ArraySpec>, default;
            /// Where a served volume keeps its bytes; a simulation has none.
            backing: BackingSpec, default;
        }
        /// Size of one volume, such as 100GiB.
        /// The device of an array is larger, see [`device_bytes`](Self::device_bytes).
        size_bytes as "size": u64 = 1 << 30, in bytes(1 << 20..=1 << 56);
        /// Order in which operations leave a queue in front of an exhausted limit.
        queue: QueueOrder = QueueOrder::Fifo, in word::<QueueOrder>();
        /// Where the random numbers of the model begin; the same seed gives the same latencies.
        seed: u64 = 1, in count(..);
        /// Durations (credits, bursts, episodes) are this many times shorter.
        /// Depth of buckets, credits, 30-minute buckets, initialisation, degradation; rates and latencies stay as they are.
        time_scale: f64 = 1.0, in number(1.0, f64::MAX);
    }
}

/// A rate with its burst. The bucket holds `rate * depth_s` and starts full: a volume that was idle gives one second of
/// its rate at once (measured on gp3, io2, RAID 0 and the instance link, fio logs of 2020-12 on r5b.large).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LimitSpec {
    /// Per second; with credits, the rate while there are any.
    pub rate: u64,
    /// Seconds of `rate` that an idle volume may give at once.
    #[serde(default = "one")]
    pub depth_s: f64,
    /// Share of that second which is there at the start, 0…1: 0 is a volume that was busy before.
    #[serde(default = "one")]
    pub initial: f64,
    /// The long bucket behind the rate.
    #[serde(default)]
    pub credits: Option<CreditSpec>,
}

/// Credits: earned at `baseline`, spent by use, full at `capacity`. While there are any the limit is the rate, then the
/// baseline. The same law fits gp2 (5.4 million I/O credits), st1 and sc1 (bytes), Azure credit bursting
/// (`(burst - base) * 1800`) and the 30-minute buckets of instances (`(maximum - baseline) * 1800`).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CreditSpec {
    /// Earned per second, and the rate that remains without credits.
    pub baseline: u64,
    /// Most credits that can be held, in operations or bytes.
    pub capacity: u64,
    /// Share of the capacity at the start, 0…1.
    #[serde(default = "one")]
    pub initial: f64,
}

/// How operations become charges (EBS: I/O characteristics; 256 KiB on SSD, 1 MiB on HDD).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AccountingSpec {
    /// An operation of `b` bytes counts as `ceil(b / unit)`.
    #[serde(default = "unit_bytes")]
    pub unit_bytes: u64,
    /// Following operations of at least this size are merged into units; 0 merges none.
    #[serde(default)]
    pub merge_min_bytes: u64,
    /// An operation that comes later than this after the one it follows starts a new unit.
    #[serde(default = "merge_window_ns")]
    pub merge_window_ns: u64,
    /// Charge the throughput limit whole units instead of bytes (st1, sc1: a random 4 KiB costs 1 MiB).
    #[serde(default)]
    pub throughput_in_units: bool,
}

impl Default for AccountingSpec {
    fn default() -> Self {
        Self {
            unit_bytes: unit_bytes(),
            merge_min_bytes: 0,
            merge_window_ns: merge_window_ns(),
            throughput_in_units: false,
        }
    }
}

/// A latency distribution: a log-normal body that never falls below the floor, and a rare log-normal tail.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LatencySpec {
    /// The fastest operation.
    #[serde(default)]
    pub floor_ns: u64,
    /// Median of the body.
    pub median_ns: u64,
    /// Standard deviation of the logarithm, `ln(p99 / p50) / 2.326`.
    #[serde(default)]
    pub sigma: f64,
    /// Share of operations in the tail, 0…1.
    #[serde(default)]
    pub tail_share: f64,
    /// Median of the tail.
    #[serde(default)]
    pub tail_median_ns: u64,
    /// Standard deviation of the logarithm in the tail.
    #[serde(default)]
    pub tail_sigma: f64,
    /// The slowest operation; 0 is unbounded.
    #[serde(default)]
    pub max_ns: u64,
    /// Adds `bytes / rate` to each operation; 0 adds nothing.
    #[serde(default)]
    pub bytes_per_s: u64,
}

/// Order of service in front of an exhausted limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum QueueOrder {
    /// First come, first served: every operation waits about equally long.
    #[default]
    Fifo,
    /// Waits spread around the same mean with p99 at four times p50, as saturated EBS volumes show (2020-12, r5b.large,
    /// 16 jobs of depth 16: p50 11.2, p90 27.3, p99 43.8, p99.9 56.6 ms).
    Unfair,
}

/// A volume restored from a snapshot: chunks are fetched when first touched, or by the background initialisation.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FirstTouchSpec {
    /// What is fetched at once.
    pub chunk_bytes: u64,
    /// Added to the operation that touches it first.
    pub latency: LatencySpec,
    /// Background initialisation from the start of the volume; 0 is none (EBS sells 100 to 300 MiB/s).
    #[serde(default)]
    pub initialization_bytes_per_s: u64,
}

/// Random episodes of lower capacity and higher latency (PlanetScale, "The real failure rate of EBS", 2025-03).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DegradationSpec {
    /// Mean number of episodes; the time between them is exponential.
    pub events_per_day: f64,
    /// Length of an episode, uniform.
    pub duration_min_ns: u64,
    /// Longest episode.
    pub duration_max_ns: u64,
    /// Share of the provisioned operations lost, uniform, 0…1.
    pub loss_min: f64,
    /// Largest loss, below 1.
    pub loss_max: f64,
    /// Added to every operation, uniform per episode.
    pub latency_min_ns: u64,
    /// Largest added latency.
    pub latency_max_ns: u64,
}

/// Limits of the attaching machine, shared by all its volumes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InstanceSpec {
    /// Operations per second over all volumes.
    #[serde(default)]
    pub iops: Option<LimitSpec>,
    /// Bytes per second over all volumes.
    #[serde(default)]
    pub throughput: Option<LimitSpec>,
    /// How operations count against the instance.
    #[serde(default)]
    pub accounting: AccountingSpec,
    /// File through which the volumes of one instance share its buckets; absent: this volume has the instance alone.
    #[serde(default)]
    pub shared_state: Option<PathBuf>,
}

parameters! {
    /// An array of equal volumes.
    #[derive(Copy, Eq)]
    pub struct ArraySpec {
        /// Array level over equal volumes: 0, 1, 5 or 10.
        level as "raid": u8 = 0, in count(0..=10);
        /// Volumes in the array.
        members: u32 = 2, in count(1..=64);
        /// Stripe unit of the array; the default is md's.
        chunk_bytes as "chunk": u64 = 512 << 10, in bytes(4 << 10..=1 << 56);
    }
}

/// Where the bytes of a served volume are.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BackingSpec {
    /// A sparse file, created if absent; without one, memory.
    #[serde(default)]
    pub path: Option<PathBuf>,
    /// Without a file: writes that would take more of the machine's memory than this get "no space left". Absent: as much
    /// as the machine has.
    #[serde(default)]
    pub memory_bytes_max: Option<u64>,
    /// Writes that a power loss drops when no flush followed, at most this many bytes; older ones count as written out.
    /// 0 is a device without volatile cache, such as EBS: a power loss drops nothing that was acknowledged.
    #[serde(default)]
    pub volatile_cache_bytes: u64,
    /// Make a flush durable on the host too. Costs what the host's disk takes, so latencies are no longer the model's.
    #[serde(default)]
    pub host_sync: bool,
}

fn one() -> f64 {
    1.0
}

fn unit_bytes() -> u64 {
    256 * 1024
}

fn merge_window_ns() -> u64 {
    1_000_000
}

/// Rates above this are no limit of any device and would overflow nothing but sense.
const RATE_MAX: u64 = 1 << 50;

impl VolumeSpec {
    /// Reads and checks the JSON form.
    pub fn from_json(json: &str) -> Result<Self, VolumeError> {
        let spec: Self = serde_json::from_str(json)?;
        spec.validate()?;
        Ok(spec)
    }

    /// Size of the device that the user sees.
    pub fn device_bytes(&self) -> u64 {
        match self.array {
            None => self.size_bytes,
            Some(array) => {
                // Arrays use whole chunks of each member.
                let usable = self.size_bytes / array.chunk_bytes * array.chunk_bytes;
                match array.level {
                    0 => usable * u64::from(array.members),
                    1 => self.size_bytes,
                    5 => usable * u64::from(array.members - 1),
                    _ => usable * u64::from(array.members / 2),
                }
            }
        }
    }

    /// Refuses numbers that no mechanism can carry out. Provider rules are checked in Python.
    pub fn validate(&self) -> Result<(), VolumeError> {
        self.check_bounds().map_err(|refused| VolumeError::spec(refused.to_string()))?;
        check_accounting("accounting", &self.accounting)?;
        check_latency("read_latency", &self.read_latency)?;
        check_latency("write_latency", &self.write_latency)?;
        let instance = self.instance.as_ref();
        let limits = [
            ("iops", self.iops),
            ("throughput", self.throughput),
            ("instance.iops", instance.and_then(|i| i.iops)),
            ("instance.throughput", instance.and_then(|i| i.throughput)),
        ];
        limits.iter().try_for_each(|(name, limit)| limit.as_ref().map_or(Ok(()), |l| check_limit(name, l)))?;
        if let Some(instance) = instance {
            check_accounting("instance.accounting", &instance.accounting)?;
        }
        if let Some(touch) = &self.first_touch {
            require((4096..=1 << 30).contains(&touch.chunk_bytes), || {
                format!("first_touch.chunk_bytes is {}: from 4 KiB to 1 GiB", touch.chunk_bytes)
            })?;
            check_latency("first_touch.latency", &touch.latency)?;
        }
        self.degradation.as_ref().map_or(Ok(()), check_degradation)?;
        self.array.as_ref().map_or(Ok(()), |array| check_array(array, self.size_bytes))
    }
}

fn require(holds: bool, message: impl FnOnce() -> String) -> Result<(), VolumeError> {
    if holds { Ok(()) } else { Err(VolumeError::spec(message())) }
}

fn share(name: &str, value: f64) -> Result<(), VolumeError> {
    require((0.0..=1.0).contains(&value), || format!("{name} is {value}: from 0 to 1"))
}

fn check_limit(name: &str, limit: &LimitSpec) -> Result<(), VolumeError> {
    require((1..=RATE_MAX).contains(&limit.rate), || {
        format!("{name}.rate is {}: from 1 to 2^50 per second", limit.rate)
    })?;
    require((0.000_001..=3600.0).contains(&limit.depth_s), || {
        format!("{name}.depth_s is {}: from 0.000001 to 3600", limit.depth_s)
    })?;
    share(&format!("{name}.initial"), limit.initial)?;
    let Some(credits) = limit.credits else { return Ok(()) };
    require((1..=limit.rate).contains(&credits.baseline), || {
        format!("{name}.credits.baseline is {}: from 1 to the rate, {}", credits.baseline, limit.rate)
    })?;
    require(credits.capacity >= 1, || format!("{name}.credits.capacity is 0: at least 1"))?;
    share(&format!("{name}.credits.initial"), credits.initial)
}

fn check_accounting(name: &str, accounting: &AccountingSpec) -> Result<(), VolumeError> {
    require(accounting.unit_bytes >= 512, || format!("{name}.unit_bytes is {}: at least 512", accounting.unit_bytes))
}

fn check_latency(name: &str, latency: &LatencySpec) -> Result<(), VolumeError> {
    for (field, sigma) in [("sigma", latency.sigma), ("tail_sigma", latency.tail_sigma)] {
        require((0.0..=5.0).contains(&sigma), || format!("{name}.{field} is {sigma}: from 0 to 5"))?;
    }
    share(&format!("{name}.tail_share"), latency.tail_share)?;
    require(latency.max_ns == 0 || latency.max_ns >= latency.floor_ns, || {
        format!("{name}.max_ns is {}: at least floor_ns, {}", latency.max_ns, latency.floor_ns)
    })
}

fn check_degradation(spec: &DegradationSpec) -> Result<(), VolumeError> {
    require((0.0..=86_400.0).contains(&spec.events_per_day), || {
        format!("degradation.events_per_day is {}: from 0 to 86400", spec.events_per_day)
    })?;
    let ordered = 0.0 <= spec.loss_min && spec.loss_min <= spec.loss_max && spec.loss_max < 1.0;
    require(ordered, || "degradation: loss_min and loss_max must be in order, from 0 to below 1".to_owned())?;
    let ordered = spec.duration_min_ns <= spec.duration_max_ns && spec.latency_min_ns <= spec.latency_max_ns;
    require(ordered, || "degradation: each minimum must not exceed its maximum".to_owned())
}

fn check_array(array: &ArraySpec, size_bytes: u64) -> Result<(), VolumeError> {
    array.check_bounds().map_err(|refused| VolumeError::spec(refused.to_string()))?;
    let (level, members) = (array.level, array.members);
    let least = match level {
        0 | 1 => 2,
        5 => 3,
        10 => 4,
        level => return Err(VolumeError::spec(format!("raid is {level}: choose 0, 1, 5 or 10"))),
    };
    require(members >= least && (level != 10 || members.is_multiple_of(2)), || {
        let even = if level == 10 { ", an even number" } else { "" };
        format!("members is {members}: raid={level} needs members={least} to 64{even}")
    })?;
    let chunk = array.chunk_bytes;
    require(chunk.is_power_of_two() && chunk <= size_bytes, || {
        format!("chunk is {chunk}: a power of two up to the size of a member")
    })
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn with(more: &str) -> Result<VolumeSpec, VolumeError> {
        let mut found = json!({
            "size": 1 << 30, "queue": "fifo", "seed": 1, "time_scale": 1.0,
            "read_latency": {"median_ns": 1}, "write_latency": {"median_ns": 1},
        });
        let more: Value = serde_json::from_str(more).unwrap();
        found.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        VolumeSpec::from_json(&found.to_string())
    }

    #[test]
    fn defaults_are_the_common_case() {
        let spec = with("{}").unwrap();
        assert_eq!((spec.accounting.unit_bytes, spec.time_scale, spec.queue), (262_144, 1.0, QueueOrder::Fifo));
        let text = serde_json::to_string(&spec).unwrap();
        assert_eq!(VolumeSpec::from_json(&text).unwrap(), spec);
    }

    #[test]
    fn refusals_name_field_value_and_range() {
        for (more, part) in [
            (r#"{"iopz": 1}"#, "iopz"),
            (r#"{"iops": {"rate": 0}}"#, "iops.rate is 0"),
            (r#"{"iops": {"rate": 10, "credits": {"baseline": 11, "capacity": 1}}}"#, "baseline is 11"),
            (r#"{"iops": {"rate": 10, "initial": 1.5}}"#, "iops.initial is 1.5"),
            (r#"{"size": 4096}"#, "size is 4096: use 1048576 to"),
            (r#"{"time_scale": 0.5}"#, "time_scale is 0.5: use 1 to"),
            (r#"{"array": {"raid": 11, "members": 4, "chunk": 65536}}"#, "raid is 11: use 0 to 10"),
            (r#"{"array": {"raid": 6, "members": 4, "chunk": 65536}}"#, "raid is 6: choose 0, 1, 5 or 10"),
            (r#"{"array": {"raid": 10, "members": 5, "chunk": 65536}}"#, "members is 5"),
            (r#"{"array": {"raid": 0, "members": 2, "chunk": 65537}}"#, "chunk is 65537"),
        ] {
            let message = with(more).unwrap_err().to_string();
            assert!(message.contains(part), "{message}");
        }
    }

    #[test]
    fn arrays_have_the_size_of_their_data() {
        for (level, members, factor) in [(0, 4, 4), (1, 4, 1), (5, 4, 3), (10, 4, 2)] {
            let array = format!(r#"{{"array": {{"raid": {level}, "members": {members}, "chunk": 524288}}}}"#);
            assert_eq!(with(&array).unwrap().device_bytes(), factor << 30);
        }
    }
}
