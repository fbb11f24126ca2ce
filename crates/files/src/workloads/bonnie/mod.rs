//! Bonnie++ 1.03 and 2.00: characters, blocks, rewriting, seeks; creating, looking at and deleting many files.
//!
//! **The original.** On a file of twice the memory (1.x: files of at most 1 GiB): write and read characters, write and read
//! blocks, rewrite (read a block, change a byte, write it back), 8192 random seeks by several seekers of which about a
//! tenth write back. Then in one folder, with names in order and in random order: create files, `stat` each, delete each.
//! Rates are in KiB per second over the time of a phase.
//!
//! **Made equal.** The calls of each version, seen with strace of 2.00a, in the same order and timed region. Version 1.x:
//! characters go through `putc` and `getc` over the whole size, and nothing is synced unless `unbuffered`. Version 2.x: one
//! `write` or `read` call per character over 3 MiB, `fsync` before each close within the time, `sync` within the time of
//! creating and deleting. Seekers are threads that take tickets from a pipe, and begin at once instead of after 3 or 5 idle
//! seconds. The original prints `+++++` for phases below 0.5 s; here their rate is given as it is.
//!
//! **What it cannot say.** With a file that fits into memory it measures memory; that the size should be twice the memory
//! is the only guard the original has. Blocks are nearly all zeros. `sync` of the whole machine is `syncfs` of the one
//! file system here. Several folders (`-n …:dirs`) are not offered.

mod blocks;
mod gate;
mod names;
mod seeks;

use plimsoll_core::parameters::{Unit, bytes, count, parameters, word};
use serde::{Deserialize, Serialize};

use crate::common::{Common, MAX_BYTES, MAX_COUNT, at_least, one_thread};
use crate::fault::{Fault, Result};
use crate::outcome::{Expected, PhasePlan, Plan};
use crate::phase::Phase;
use crate::workload::{Definition, Measure, Workload, higher, per_second};

/// A small instance.
pub const EXAMPLE: &str = r#"{"version":"2","size":262144,"chunk":8192,"skip_characters":false,"unbuffered":false,
    "seeks":200,"seekers":5,"files":100,"file_size_min":0,"file_size_max":0}"#;

parameters! {
    /// What can be set. The threads of the request are 1; seekers are a number of their own.
    #[derive(Eq)]
    pub struct Parameters {
        /// Conventions of 1.03 or of 2.00.
        version: Version = Version::Two, in word::<Version>();
        /// Bytes of the data; 0 for twice the memory, as the original.
        size: u64 = 0, in bytes(..=MAX_BYTES);
        /// Bytes of a block.
        chunk: u64 = 8 << 10, in bytes(2..=16 << 20);
        /// Leave out the tests of characters (-f).
        skip_characters: bool = false, in Unit::Flag;
        /// Sync after every writing phase and operation on a file (-b).
        unbuffered: bool = false, in Unit::Flag;
        /// Random places that are read, in all.
        seeks: u64 = 8192, in count(1..=MAX_COUNT);
        /// Processes that seek at the same time; 3 in 1.x.
        seekers: u32 = 5, in count(1..=64);
        /// Files for the tests of many files; 0 leaves them out.
        files: u64 = 16_384, in count(..=2_000_000);
        /// Bytes of the smallest of these files.
        file_size_min: u64 = 0, in bytes(..=1 << 40);
        /// Bytes of the largest of these files.
        file_size_max: u64 = 0, in bytes(..=1 << 40);
        /// Leave out the tests of the data (-s 0).
        skip_data: bool = false, in Unit::Flag, default;
        /// Write the blocks with O_DIRECT (-D of 2.x).
        /// What is there is then read and rewritten as ever.
        direct: bool = false, in Unit::Flag, default;
        /// Begin each phase together with all processes that share the semaphores of -p (-y s).
        together: bool = false, in Unit::Flag, default;
        /// Begin each phase when a line has come on standard input, or when that has ended (-y p).
        prompts: bool = false, in Unit::Flag, default;
    }
}

/// Conventions of a version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Version {
    /// 1.03.
    #[serde(rename = "1")]
    One,
    /// 2.00.
    #[serde(rename = "2")]
    Two,
}

/// Bytes that 2.x writes and reads one by one.
const CHARACTERS: u64 = 3 << 20;

impl Parameters {
    fn characters(&self) -> u64 {
        match self.version {
            Version::One => self.size,
            Version::Two => CHARACTERS.min(self.size),
        }
    }

    /// Bytes of the data; 0 without its tests.
    fn data(&self) -> u64 {
        if self.skip_data { 0 } else { self.size }
    }

    fn block_phases(&self) -> Vec<PhasePlan> {
        if self.skip_data {
            return Vec::new();
        }
        let bytes = Expected::Bytes;
        let all = [
            ("char_write", true, false, bytes(self.characters())),
            ("block_write", true, false, bytes(self.size)),
            ("rewrite", true, true, bytes(self.size * 2)),
            ("char_read", false, true, bytes(self.characters())),
            ("block_read", false, true, bytes(self.size)),
            ("seeks", true, true, Expected::Calls(self.seeks)),
        ];
        all.into_iter()
            .filter(|(name, ..)| !(self.skip_characters && name.starts_with("char")))
            .map(|(name, writes, reads, expected)| PhasePlan { name: name.to_owned(), writes, reads, expected })
            .collect()
    }

    fn name_phases(&self) -> Vec<PhasePlan> {
        if self.files == 0 {
            return Vec::new();
        }
        let calls = Expected::Calls(self.files);
        ["sequential", "random"]
            .into_iter()
            .flat_map(|order| {
                [("create", true), ("stat", false), ("delete", true)].map(|(what, writes)| (order, what, writes))
            })
            .map(|(order, what, writes)| PhasePlan {
                name: format!("{order}_{what}"),
                writes,
                reads: what == "stat",
                expected: calls,
            })
            .collect()
    }
}

impl Definition for Parameters {
    fn validate(&self, common: &Common) -> Result<()> {
        one_thread(common, "bonnie")?;
        at_least("size", self.size, if self.skip_data { 0 } else { self.chunk })?;
        if self.skip_data && self.files == 0 {
            return Err(Fault::spec("skip_data with files 0 leaves nothing to do: give files, or the data".to_owned()));
        }
        if self.direct && !self.chunk.is_multiple_of(512) {
            return Err(Fault::spec(format!("chunk is {}: with direct it must be a multiple of 512", self.chunk)));
        }
        at_least("file_size_max", self.file_size_max, self.file_size_min)
    }

    fn plan(&self, _common: &Common) -> Plan {
        let file_bytes = self.files * self.file_size_max;
        let characters = if self.skip_characters || self.skip_data { 0 } else { self.characters() };
        let (size, seeks) = (self.data(), if self.skip_data { 0 } else { self.seeks });
        Plan {
            phases: [self.block_phases(), self.name_phases()].concat(),
            disk_bytes: size.max(file_bytes),
            written_bytes: characters + 2 * size + seeks / 10 * self.chunk + 2 * file_bytes,
            read_bytes: characters + 2 * size + seeks * self.chunk + 2 * file_bytes,
            files: self.files + size.div_ceil(blocks::FILE_BYTES),
            memory_bytes: self.files * 2 * size_of::<names::Short>() as u64
                + self.chunk * u64::from(self.seekers + 2)
                + u64::from(self.seekers) * (96 << 10),
        }
    }

    fn begin(&self, common: &Common) -> Box<dyn Workload> {
        Box::new(Bonnie { parameters: self.clone(), names: names::Names::new(self, common.seed) })
    }
}

struct Bonnie {
    parameters: Parameters,
    names: names::Names,
}

impl Workload for Bonnie {
    fn await_start(&mut self, planned: &PhasePlan, phase: &Phase<'_>) -> Result<()> {
        if self.parameters.together {
            phase.awaits(&planned.name);
            phase.solo(|context| gate::pass(context, &planned.name))?;
        }
        if self.parameters.prompts {
            phase.awaits(&planned.name);
            phase.solo(|context| gate::line(context))?;
        }
        Ok(())
    }

    fn measure(&mut self, planned: &PhasePlan, phase: &Phase<'_>) -> Result<Measure> {
        let blocks = blocks::Blocks::new(&self.parameters);
        if let Some((order, what)) = planned.name.split_once('_')
            && matches!(order, "sequential" | "random")
        {
            let elapsed_ns = self.names.measure(&self.parameters, order == "random", what, phase)?;
            return Ok(rate(self.parameters.files, 0, elapsed_ns, "files"));
        }
        let characters = self.parameters.characters();
        match planned.name.as_str() {
            "char_write" => Ok(throughput(characters, 1, blocks.write_characters(phase)?)),
            "block_write" => Ok(throughput(blocks.size(), self.parameters.chunk, blocks.write(phase)?)),
            "rewrite" => Ok(throughput(blocks.size(), self.parameters.chunk, blocks.rewrite(phase)?)),
            "char_read" => Ok(throughput(characters, 1, blocks.read_characters(phase)?)),
            "block_read" => Ok(throughput(blocks.size(), self.parameters.chunk, blocks.read(phase)?)),
            _ => {
                let elapsed_ns = seeks::seek(&self.parameters, &blocks, phase)?;
                if self.parameters.files > 0 {
                    blocks.remove(phase)?;
                }
                Ok(rate(self.parameters.seeks, self.parameters.seeks * self.parameters.chunk, elapsed_ns, "seeks"))
            }
        }
    }
}

fn throughput(bytes: u64, unit: u64, elapsed_ns: u64) -> Measure {
    let scores = vec![higher("throughput", per_second(bytes, elapsed_ns) / 1024.0, "KiB/s")];
    Measure { elapsed_ns, operations: bytes / unit, bytes, scores, points: Vec::new() }
}

fn rate(operations: u64, bytes: u64, elapsed_ns: u64, what: &str) -> Measure {
    let score = higher(&format!("{what}_per_second"), per_second(operations, elapsed_ns), &format!("{what}/s"));
    Measure { elapsed_ns, operations, bytes, scores: vec![score], points: Vec::new() }
}
