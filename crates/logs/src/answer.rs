//! What a log holds, as it goes to Python in JSON. Long columns are little-endian 64-bit integers in base64.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;

use crate::stream::Whole;

/// What one file of any kind holds.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
#[allow(clippy::large_enum_variant, reason = "there is one for each log: a box would save nothing")]
pub enum Answer {
    /// fio's bandwidth, IOPS and latency logs.
    Fio(Whole<FioLog>),
    /// fio's histogram logs.
    FioBins(Whole<FioBins>),
    /// pgbench's logs.
    Pgbench(Whole<PgbenchLog>),
    /// HdrHistogram's interval logs.
    Hdr(Whole<HdrLog>),
}

/// A fio log: reads, writes, trims.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FioLog {
    /// `null` for a kind that has no row.
    pub flows: [Option<FioFlow>; 3],
}

/// One kind of I/O of a fio log; values are in the unit of the file.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FioFlow {
    /// How many rows.
    pub rows: u64,
    /// Whether no row has a size: each is an average.
    pub averaged: bool,
    /// Sum of the values.
    pub sum: u128,
    /// Sum of the sizes, bytes.
    pub size: u64,
    /// Largest value.
    pub max: u64,
    /// Time of the last row.
    pub last_ms: u64,
    /// Lowest value of each histogram bucket, and its count.
    pub counts: Vec<(u64, u64)>,
    /// The same of the values times 1,000.
    pub counts_us: Vec<(u64, u64)>,
    /// Rows of each second.
    pub second_rows: String,
    /// Sum of the values of each second.
    pub second_value: String,
    /// Sum of the sizes of each second.
    pub second_size: String,
}

/// Kind of I/O, bins in its line, index of the bin, count.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Bin(pub usize, pub usize, pub usize, pub u64);

/// A histogram log of fio.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FioBins {
    /// Largest time of a row.
    pub last_ms: u64,
    /// Bins with something in them.
    pub bins: Vec<Bin>,
}

/// A log of pgbench.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PgbenchLog {
    /// Seconds since 1970, ascending.
    pub epochs: String,
    /// Transactions of each.
    pub transactions: String,
    /// Sum of their latencies.
    pub total_us: String,
    /// The largest of them.
    pub max_us: String,
    /// Lowest latency of each histogram bucket, ns, and its count: of single transactions alone.
    pub counts: Vec<(u64, u64)>,
    /// When the first transaction began; `null` where no row is of a single one.
    pub first_us: Option<i64>,
    /// When the last transaction ended.
    pub last_us: u64,
    /// Transactions that failed.
    pub failed: u64,
    /// Transactions that were skipped.
    pub skipped: u64,
}

/// An interval log of HdrHistogram.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct HdrLog {
    /// What the log is of, as YCSB says it.
    pub named: Option<String>,
    /// Its start, as it stands there.
    pub started: Option<String>,
    /// End of the last interval, in seconds.
    pub seconds: f64,
    /// Intervals whose histogram is damaged.
    pub damaged: u64,
    /// Sums by tag; the empty tag is that of the log itself.
    pub tags: Vec<HdrTag>,
}

/// The sum of the histograms of one tag.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct HdrTag {
    /// Its name.
    pub tag: String,
    /// Lowest and highest value of each bucket, and its count.
    pub buckets: Vec<(u64, u64, u64)>,
}

/// A long column.
pub fn packed(values: impl Iterator<Item = u64>) -> String {
    // What does not fit into a signed number is damage, and far beyond anything that is shown.
    let bytes: Vec<u8> = values.flat_map(|value| value.min(i64::MAX as u64).to_le_bytes()).collect();
    STANDARD.encode(bytes)
}
