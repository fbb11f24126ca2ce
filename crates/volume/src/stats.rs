//! Counters of a device, in the keys of the statistics page of EBS NVMe devices, so that tools which read that page read
//! these.
//!
//! Keys and meaning: `ebsnvme stats --json` of amazon-ec2-utils (log page 0xD0). `total_*_time` and the `*_exceeded_*`
//! counters are in microseconds. Credit balances and the other additions are in `plimsoll`, which the page has not.

use serde::Serialize;

use crate::model::layer::{OpKind, Report};

/// Bins by powers of two: below 1 µs, below 2 µs, … below 2^26 µs (67 s), and the rest.
const BINS: usize = 28;

/// What was done so far.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Counters {
    /// Reads.
    pub read: Side,
    /// Writes.
    pub write: Side,
    /// Flushes answered.
    pub flushes: u64,
    /// Operations that failed.
    pub errors: u64,
    /// Writes for which the backing had no space left, those of making the file system among them.
    pub no_space: u64,
}

/// Operations of one kind.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Side {
    /// Completed.
    pub ops: u64,
    /// Transferred.
    pub bytes: u64,
    /// Sum of latencies.
    pub time_ns: u64,
    bins: [u64; BINS],
}

impl Counters {
    /// Counts a completed operation.
    #[inline]
    pub fn record(&mut self, kind: OpKind, bytes: u64, latency_ns: u64) {
        let side = match kind {
            OpKind::Read => &mut self.read,
            OpKind::Write => &mut self.write,
            OpKind::Flush => return self.flushes += 1,
            OpKind::Discard => return,
        };
        side.ops += 1;
        side.bytes += bytes;
        side.time_ns += latency_ns;
        let bin = u64::BITS - (latency_ns / 1000).leading_zeros();
        side.bins[(bin as usize).min(BINS - 1)] += 1;
    }
}

/// The statistics page.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Statistics {
    total_read_ops: u64,
    total_write_ops: u64,
    total_read_bytes: u64,
    total_write_bytes: u64,
    total_read_time: u64,
    total_write_time: u64,
    ebs_volume_performance_exceeded_iops: u64,
    ebs_volume_performance_exceeded_tp: u64,
    ec2_instance_ebs_performance_exceeded_iops: u64,
    ec2_instance_ebs_performance_exceeded_tp: u64,
    volume_queue_length: u64,
    read_io_latency_histogram: Histogram,
    write_io_latency_histogram: Histogram,
    plimsoll: Additions,
}

/// What the page of the real device does not have.
#[derive(Debug, Clone, PartialEq, Serialize)]
struct Additions {
    flushes: u64,
    errors: u64,
    no_space: u64,
    #[serde(flatten)]
    report: Report,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
struct Histogram {
    num_bins: usize,
    bins: Vec<Bin>,
}

/// `lower` inclusive, `upper` exclusive, in microseconds.
#[derive(Debug, Clone, PartialEq, Serialize)]
struct Bin {
    lower: u64,
    upper: u64,
    count: u64,
}

impl Statistics {
    /// The page after `counters`, with the state of the model and the operations under way.
    pub fn new(counters: &Counters, report: Report, queue_length: u64) -> Self {
        let exceeded = |instance: bool, what: &str| {
            let of = |name: &str| name.starts_with("instance.") == instance && name.contains(what);
            // Members of an array wait side by side: the longest wait is the array's.
            report.buckets.iter().filter(|b| of(&b.name)).map(|b| b.exceeded_ns / 1000).max().unwrap_or(0)
        };
        Self {
            total_read_ops: counters.read.ops,
            total_write_ops: counters.write.ops,
            total_read_bytes: counters.read.bytes,
            total_write_bytes: counters.write.bytes,
            total_read_time: counters.read.time_ns / 1000,
            total_write_time: counters.write.time_ns / 1000,
            ebs_volume_performance_exceeded_iops: exceeded(false, ".iops"),
            ebs_volume_performance_exceeded_tp: exceeded(false, ".throughput"),
            ec2_instance_ebs_performance_exceeded_iops: exceeded(true, ".iops"),
            ec2_instance_ebs_performance_exceeded_tp: exceeded(true, ".throughput"),
            volume_queue_length: queue_length,
            read_io_latency_histogram: histogram(&counters.read),
            write_io_latency_histogram: histogram(&counters.write),
            plimsoll: Additions {
                flushes: counters.flushes,
                errors: counters.errors,
                no_space: counters.no_space,
                report,
            },
        }
    }
}

fn histogram(side: &Side) -> Histogram {
    let bins = side.bins.iter().enumerate().map(|(i, &count)| Bin {
        lower: if i == 0 { 0 } else { 1 << (i - 1) },
        upper: if i == BINS - 1 { u64::MAX } else { 1 << i },
        count,
    });
    Histogram { num_bins: BINS, bins: bins.collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn has_the_keys_of_the_page_and_counts_in_microseconds() {
        let mut counters = Counters::default();
        counters.record(OpKind::Read, 4096, 900);
        counters.record(OpKind::Read, 4096, 250_000);
        counters.record(OpKind::Write, 8192, 3_000_000);
        counters.record(OpKind::Flush, 0, 1);
        let page = serde_json::to_value(Statistics::new(&counters, Report::default(), 3)).unwrap();
        for (key, value) in [
            ("total_read_ops", 2),
            ("total_write_bytes", 8192),
            ("total_read_time", 250),
            ("total_write_time", 3000),
            ("ebs_volume_performance_exceeded_iops", 0),
            ("ec2_instance_ebs_performance_exceeded_tp", 0),
            ("volume_queue_length", 3),
        ] {
            assert_eq!(page[key], value, "{key}");
        }
        let bins = page["read_io_latency_histogram"]["bins"].as_array().unwrap();
        assert_eq!(page["read_io_latency_histogram"]["num_bins"], bins.len());
        let filled: Vec<_> = bins.iter().filter(|bin| bin["count"] != 0).collect();
        assert_eq!((&filled[0]["lower"], &filled[0]["upper"]), (&0.into(), &1.into()));
        assert_eq!((&filled[1]["lower"], &filled[1]["upper"]), (&128.into(), &256.into()));
        assert_eq!(page["plimsoll"]["flushes"], 1);
    }
}
