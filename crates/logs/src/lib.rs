//! Log files of other tools, of any size, as a stream of chunks: fio's, pgbench's, HdrHistogram's; and traces of I/O.
//!
//! Touches no file: bytes go in, sums, exact counts and seconds come out. What it holds in memory does not grow with
//! the log. The bytes may come from a stranger: whatever they are, the answer is a summary or a refusal with its line.

pub mod answer;
pub mod counts;
mod field;
pub mod fio;
pub mod fio_bins;
pub mod hdr;
mod hdr_decode;
mod lines;
pub mod pgbench;
pub mod stream;
pub mod trace;

use stream::{Refusal, Stream};

/// The words of [`Reader::of`].
pub const KINDS: [&str; 4] = ["fio", "fio_bins", "pgbench", "hdr"];

/// One reader of any kind of log.
#[allow(clippy::large_enum_variant, reason = "there is one for each log: a box would save nothing")]
pub enum Reader {
    /// fio's bandwidth, IOPS and latency logs.
    Fio(Stream<fio::Log>),
    /// fio's histogram logs.
    FioBins(Stream<fio_bins::Log>),
    /// pgbench's logs, per transaction or per interval.
    Pgbench(Stream<pgbench::Log>),
    /// HdrHistogram's interval logs.
    Hdr(Stream<hdr::Log>),
}

impl Reader {
    /// The reader for a kind of log; `None` for a word that names none.
    pub fn of(kind: &str) -> Option<Self> {
        Some(match kind {
            "fio" => Self::Fio(Stream::new(fio::Log::default())),
            "fio_bins" => Self::FioBins(Stream::new(fio_bins::Log::default())),
            "pgbench" => Self::Pgbench(Stream::new(pgbench::Log::default())),
            "hdr" => Self::Hdr(Stream::new(hdr::Log::default())),
            _ => return None,
        })
    }

    /// Reads on. After a refusal the reader is of no further use.
    pub fn feed(&mut self, chunk: &[u8]) -> Result<(), Refusal> {
        match self {
            Self::Fio(stream) => stream.feed(chunk),
            Self::FioBins(stream) => stream.feed(chunk),
            Self::Pgbench(stream) => stream.feed(chunk),
            Self::Hdr(stream) => stream.feed(chunk),
        }
    }

    /// What was in the log.
    pub fn finish(self) -> Result<answer::Answer, Refusal> {
        Ok(match self {
            Self::Fio(stream) => answer::Answer::Fio(stream.finish()?.map(fio::Log::answer)),
            Self::FioBins(stream) => answer::Answer::FioBins(stream.finish()?.map(fio_bins::Log::answer)),
            Self::Pgbench(stream) => answer::Answer::Pgbench(stream.finish()?.map(pgbench::Log::answer)),
            Self::Hdr(stream) => answer::Answer::Hdr(stream.finish()?.map(hdr::Log::answer)),
        })
    }
}
