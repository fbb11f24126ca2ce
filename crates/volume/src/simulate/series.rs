//! The time series of a simulation.

use plimsoll_core::histogram::Latencies;
use serde::{Serialize, Serializer};

use crate::model::layer::Report;

/// One interval.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Interval {
    /// Reads completed.
    pub read_ops: u64,
    /// Writes completed.
    pub write_ops: u64,
    /// Bytes of both.
    pub bytes: u64,
    /// Median latency of both.
    pub p50_ns: u64,
    /// 99th percentile.
    pub p99_ns: u64,
    /// Slowest.
    pub max_ns: u64,
    /// What each bucket of [`Series::buckets`] held at the end, in operations or bytes.
    pub tokens: Vec<f64>,
    /// The bucket that operations waited for longest, if they waited for a tenth of the interval or more.
    pub limited_by: Option<usize>,
    /// A degradation episode was going on at the end.
    pub degraded: bool,
}

/// All intervals, and latencies over the whole time.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Series {
    /// Length of an interval.
    pub interval_ns: u64,
    /// Names of the buckets, outermost first.
    pub buckets: Vec<String>,
    /// In order; only complete ones.
    pub intervals: Vec<Interval>,
    /// Latencies of all reads, as `HdrHistogram` V2 in base64.
    #[serde(serialize_with = "encoded")]
    pub read_latency: Latencies,
    /// The same for writes.
    #[serde(serialize_with = "encoded")]
    pub write_latency: Latencies,
    #[serde(skip)]
    current: Current,
}

/// The interval that is going on.
#[derive(Debug, Clone, PartialEq, Default)]
struct Current {
    read: Latencies,
    write: Latencies,
    bytes: u64,
    /// Per bucket, the time exceeded up to its start.
    exceeded_ns: Vec<u64>,
}

fn encoded<S: Serializer>(latencies: &Latencies, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&latencies.encode())
}

impl Series {
    pub(super) fn new(interval_ns: u64) -> Self {
        Self {
            interval_ns,
            buckets: Vec::new(),
            intervals: Vec::new(),
            read_latency: Latencies::new(),
            write_latency: Latencies::new(),
            current: Current::default(),
        }
    }

    #[inline]
    pub(super) fn interval_end_ns(&self) -> u64 {
        (self.intervals.len() as u64 + 1) * self.interval_ns
    }

    #[inline]
    pub(super) fn record(&mut self, is_read: bool, bytes: u64, latency_ns: u64) {
        let side = if is_read { &mut self.current.read } else { &mut self.current.write };
        side.record(latency_ns);
        self.current.bytes += bytes;
    }

    pub(super) fn close(&mut self, report: &Report) {
        if self.buckets.is_empty() {
            self.buckets = report.buckets.iter().map(|bucket| bucket.name.clone()).collect();
            self.current.exceeded_ns = vec![0; self.buckets.len()];
        }
        let waits = report.buckets.iter().zip(&self.current.exceeded_ns).map(|(b, &before)| b.exceeded_ns - before);
        let longest = waits.enumerate().max_by_key(|&(_, wait_ns)| wait_ns);
        let limited_by = longest.filter(|&(_, wait_ns)| wait_ns * 10 >= self.interval_ns).map(|(index, _)| index);
        let (read_ops, write_ops) = (self.current.read.count(), self.current.write.count());
        self.read_latency.add_if_any(&self.current.read);
        self.write_latency.add_if_any(&self.current.write);
        // Only a mixed load has to be put together to ask for its percentiles.
        if read_ops > 0 && write_ops > 0 {
            self.current.read.add(&self.current.write);
        }
        let both = if read_ops > 0 { &self.current.read } else { &self.current.write };
        self.intervals.push(Interval {
            read_ops,
            write_ops,
            bytes: self.current.bytes,
            p50_ns: both.quantile_ns(0.5),
            p99_ns: both.quantile_ns(0.99),
            max_ns: both.max_ns(),
            tokens: report.buckets.iter().map(|bucket| bucket.tokens).collect(),
            limited_by,
            degraded: report.degraded,
        });
        self.current.start(report, read_ops > 0, write_ops > 0);
    }
}

impl Current {
    fn start(&mut self, report: &Report, had_reads: bool, had_writes: bool) {
        if had_reads {
            self.read.clear();
        }
        if had_writes {
            self.write.clear();
        }
        self.bytes = 0;
        for (before, bucket) in self.exceeded_ns.iter_mut().zip(&report.buckets) {
            *before = bucket.exceeded_ns;
        }
    }
}

/// Adding an empty histogram costs as much as adding a full one.
trait AddIfAny {
    fn add_if_any(&mut self, other: &Self);
}

impl AddIfAny for Latencies {
    fn add_if_any(&mut self, other: &Self) {
        if other.count() > 0 {
            self.add(other);
        }
    }
}
