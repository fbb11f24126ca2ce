//! zcav: how fast each part of a device or file can be read, from its beginning to its end.
//!
//! **The original.** Reads a device sequentially in pieces of 1 MiB and prints, for each block of some hundred of them, its
//! position and rate; blocks can be left out in between, and several passes averaged after the fastest and slowest third
//! are dropped. A disk with platters gets slower towards its end.
//!
//! **Made equal.** Same blocks, pieces, passes and averages; `points` has the blocks. The score is the mean rate in MiB/s of
//! all of them, as in the last line of the original.
//!
//! **What it cannot say.** The original prints no rate for a block that takes less than a second (0.5 s in 1.03e), which
//! on a fast device is every block: that rule is dropped here. It reads through the page cache and never drops it, so that
//! a second look at a part that fits into memory shows memory; `direct`, or `cold`, avoids that. Writing (`-w`) destroys
//! what is there: zeros, and one `fsync` after each piece. The front end alone asks for it, where the user named the place
//! to be destroyed.

use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};

use plimsoll_core::parameters::{Unit, bytes, count, parameters};
use plimsoll_core::random::{Purpose, Stream};

use crate::buffer::Buffer;
use crate::common::{Cold, Common, MAX_BYTES, MAX_COUNT, at_least, at_most, one_thread};
use crate::context::WorkerContext;
use crate::fault::{Fault, Result};
use crate::outcome::{Expected, PhasePlan, Plan, Point};
use crate::phase::Phase;
use crate::sys::{self, Name};
use crate::tally::OpKind;
use crate::workload::{Definition, Measure, Workload, higher, mib_per_second};

/// A small instance.
pub const EXAMPLE: &str = r#"{"path":null,"size":8388608,"start":0,"block":2097152,"chunk":262144,"step":1,"passes":3,
    "direct":false}"#;

parameters! {
    /// What can be set.
    #[derive(Eq)]
    pub struct Parameters {
        /// File or device that is read, never written; none: a new file.
        /// With `write` it is written.
        path: Option<String> = None, in Unit::Text;
        /// Bytes that are read; 0 for all of a path or device, 8 GiB of a new file.
        size: u64 = 0, in bytes(..=MAX_BYTES);
        /// First byte.
        start: u64 = 0, in bytes(..=MAX_BYTES);
        /// Bytes of one measured block; 100 MiB in 1.03.
        /// 256 MiB in 1.03e.
        block: u64 = 512 << 20, in bytes(1..=MAX_BYTES);
        /// Bytes of a read.
        chunk: u64 = 1 << 20, in bytes(512..=64 << 20);
        /// One block in this many is read.
        step: u64 = 1, in count(1..=MAX_COUNT);
        /// Times over the whole.
        /// Three are the least that averaging can drop something from.
        passes: u32 = 1, in count(1..=1000);
        /// Bypass the page cache (O_DIRECT).
        direct: bool = false, in Unit::Flag;
        /// Write zeros in place of reading (-w): what is in path is lost.
        write: bool = false, in Unit::Flag, default;
    }
}

const MAX_BLOCKS: u64 = 1 << 20;
const FILE: &str = "zcav";

impl Parameters {
    /// Bytes to read: those asked for, or what the path has.
    fn length(&self) -> io::Result<u64> {
        let Some(path) = &self.path else { return Ok(self.size) };
        let metadata = std::fs::metadata(path)?;
        if !metadata.is_file() && !metadata.file_type().is_block_device() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "neither a regular file nor a block device"));
        }
        let file: OwnedFd = File::open(path)?.into();
        let rest = sys::end(&file)?.saturating_sub(self.start);
        Ok(if self.size == 0 { rest } else { self.size.min(rest) })
    }

    /// Offsets of the blocks that are read; a last one that is not whole is left out, unless it is the only one.
    fn blocks(&self, length: u64) -> Vec<(u64, u64)> {
        let block = self.block.min(length / self.chunk * self.chunk);
        let offsets = (0..length / block.max(1)).step_by(self.step as usize);
        offsets.map(|index| (self.start + index * block, block)).collect()
    }
}

impl Definition for Parameters {
    fn validate(&self, common: &Common) -> Result<()> {
        one_thread(common, "zcav")?;
        if self.write && self.path.is_none() {
            return Err(Fault::spec("write overwrites what is in path: give one".to_owned()));
        }
        if self.block == 0 || !self.block.is_multiple_of(self.chunk) {
            return Err(Fault::spec(format!(
                "a block of {} bytes is not a multiple of chunk {}",
                self.block, self.chunk
            )));
        }
        let length = self
            .length()
            .map_err(|error| Fault::spec(format!("cannot read {}: {error}", self.path.as_deref().unwrap_or(FILE))))?;
        at_least("size", length, self.chunk)?;
        at_most("number of blocks", length / self.block, MAX_BLOCKS)
    }

    fn plan(&self, _common: &Common) -> Plan {
        // It was there when the request was checked; if it is gone, opening it says so.
        let length = self.length().unwrap_or(0);
        let moved: u64 = self.blocks(length).iter().map(|block| block.1).sum::<u64>() * u64::from(self.passes);
        let own = if self.path.is_none() { self.start + self.size } else { 0 };
        Plan {
            phases: vec![PhasePlan {
                name: if self.write { "write" } else { "read" }.to_owned(),
                writes: self.write,
                reads: !self.write,
                expected: Expected::Bytes(moved),
            }],
            disk_bytes: own,
            written_bytes: own + if self.write { moved } else { 0 },
            read_bytes: if self.write { 0 } else { moved },
            files: 1,
            memory_bytes: self.chunk * 2 + length / self.block * (24 + 8 * u64::from(self.passes)),
        }
    }

    fn begin(&self, _common: &Common) -> Box<dyn Workload> {
        Box::new(Zcav { parameters: self.clone() })
    }
}

struct Zcav {
    parameters: Parameters,
}

impl Workload for Zcav {
    fn prepare(&mut self, phase: &Phase<'_>) -> Result<()> {
        if self.parameters.path.is_some() {
            return Ok(());
        }
        let name = Name::new(format_args!("{FILE}"));
        let mut stream = Stream::new(phase.common.seed, 0, Purpose::Content);
        let mut buffer = vec![0; self.parameters.chunk as usize];
        phase.solo(|context| {
            let file = context.open(OpKind::Create, &name, libc::O_WRONLY | libc::O_CREAT | libc::O_TRUNC)?;
            let end = self.parameters.start + self.parameters.size;
            for offset in (0..end).step_by(buffer.len()) {
                stream.fill(&mut buffer);
                let length = (end - offset).min(buffer.len() as u64) as usize;
                context.write(&file, &buffer[..length], (&name, offset))?;
            }
            // Reading back what is still to be written would measure both.
            context.fsync(&file, &name)?;
            context.close(file, &name)
        })
    }

    fn measure(&mut self, _planned: &PhasePlan, phase: &Phase<'_>) -> Result<Measure> {
        let parameters = &self.parameters;
        let own = phase.place().join(FILE).display().to_string();
        let path = parameters.path.as_ref().unwrap_or(&own);
        let fail = |error: io::Error| Fault::call("open", path, None, &error);
        let blocks = parameters.blocks(parameters.length().map_err(fail)?);
        let mut times: Vec<Vec<u64>> = vec![Vec::with_capacity(parameters.passes as usize); blocks.len()];
        let elapsed_ns = phase.solo(|context| {
            let flags = if parameters.direct { libc::O_DIRECT } else { 0 };
            let write = parameters.write;
            let mut options = File::options();
            let file = options.read(!write).write(write).custom_flags(flags).open(path).map_err(fail)?.into();
            let mut buffer = Buffer::new(parameters.chunk as usize);
            let mut elapsed_ns = 0;
            for _ in 0..parameters.passes {
                for (block, times) in blocks.iter().zip(&mut times) {
                    if phase.common.cold != Cold::No {
                        sys::drop_pages(&file, block.0, block.1);
                    }
                    let time_ns = if write {
                        overwrite(context, &file, &buffer, *block)?
                    } else {
                        read(context, &file, &mut buffer, *block)?
                    };
                    times.push(time_ns);
                    elapsed_ns += time_ns;
                }
            }
            Ok(elapsed_ns)
        })?;
        let points: Vec<Point> = blocks
            .iter()
            .zip(&mut times)
            .map(|(&(position, bytes), times)| Point { position, bytes, elapsed_ns: middle_mean(times) })
            .collect();
        let bytes = blocks.iter().map(|block| block.1).sum::<u64>() * u64::from(parameters.passes);
        Ok(Measure {
            elapsed_ns,
            operations: bytes / parameters.chunk,
            bytes,
            scores: vec![higher("throughput", mib_per_second(bytes, elapsed_ns), "MiB/s")],
            points,
        })
    }
}

/// The time of one block.
fn read(
    context: &mut WorkerContext<'_>,
    file: &OwnedFd,
    buffer: &mut Buffer,
    (start, length): (u64, u64),
) -> Result<u64> {
    let name = Name::new(format_args!("{FILE}"));
    let start_ns = context.now_ns();
    for offset in (start..start + length).step_by(buffer.len()) {
        context.read_at(file, buffer, (&name, offset))?;
    }
    Ok(context.now_ns() - start_ns)
}

/// The time of one block of zeros.
fn overwrite(
    context: &mut WorkerContext<'_>,
    file: &OwnedFd,
    buffer: &Buffer,
    (start, length): (u64, u64),
) -> Result<u64> {
    let name = Name::new(format_args!("{FILE}"));
    let start_ns = context.now_ns();
    for offset in (start..start + length).step_by(buffer.len()) {
        context.write_at(file, buffer, (&name, offset))?;
        context.fsync(file, &name)?;
    }
    Ok(context.now_ns() - start_ns)
}

/// Mean of the passes over a block, without the fastest and the slowest third.
fn middle_mean(times_ns: &mut [u64]) -> u64 {
    times_ns.sort_unstable();
    let dropped = times_ns.len() / 3;
    let middle = &times_ns[dropped..times_ns.len() - dropped];
    middle.iter().sum::<u64>() / middle.len().max(1) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thirds_are_dropped_at_both_ends() {
        assert_eq!(middle_mean(&mut [5]), 5);
        assert_eq!(middle_mean(&mut [4, 8]), 6);
        assert_eq!(middle_mean(&mut [900, 1, 7]), 7);
        assert_eq!(middle_mean(&mut [1, 2, 10, 20, 900, 901]), 15);
    }

    #[test]
    fn blocks_are_whole_and_in_range() {
        let parameters: Parameters = serde_json::from_str(EXAMPLE).unwrap();
        assert_eq!(parameters.blocks(5 << 20), [(0, 2 << 20), (2 << 20, 2 << 20)]);
        assert_eq!(parameters.blocks(1 << 20), [(0, 1 << 20)]);
        let apart = Parameters { step: 2, start: 512, ..parameters };
        assert_eq!(apart.blocks(8 << 20), [(512, 2 << 20), ((4 << 20) + 512, 2 << 20)]);
    }
}
