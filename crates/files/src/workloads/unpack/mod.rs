//! Unpacking a source tree: `tar -xjf` of a kernel.
//!
//! **The original.** linux-2.6.32 as a bzip2 archive of 64 MB, unpacked by `bzip2` and `tar` as two processes with a pipe
//! between them, into the current folder. Nothing is synced. Score: seconds.
//!
//! **Made equal.** The archive is made before, from a tree with the published statistics and text that compresses as well;
//! one thread decodes, another makes tar's calls as strace of GNU tar 1.34 shows them, with at most a pipe of data between
//! them. `compressed` = false leaves the decoder out: what is left is the file system's part.
//!
//! **What it cannot say.** With the decoder it is a test of one processor core on anything newer than a slow disk: bzip2
//! decodes some ten MB/s. Without `durable` = `timed` the files end in memory. The number of files (30,500) and of folders
//! (1,810 here) of 2.6.32, and the calls of older versions of tar, are UNVERIFIED. The archive has 70 MB. Making it takes
//! about a minute, which is not timed.

mod archive;
mod extract;

use plimsoll_core::parameters::{Unit, parameters, share_from};

use crate::common::{Common, one_thread};
use crate::fault::{Fault, Result};
use crate::outcome::{Expected, PhasePlan, Plan};
use crate::phase::Phase;
use crate::tree::Tree;
use crate::workload::{Definition, Measure, Workload, higher, lower, mib_per_second, seconds};

/// A small instance.
pub const EXAMPLE: &str = r#"{"scale":0.003,"compressed":true}"#;

parameters! {
    /// What can be set.
    pub struct Parameters {
        /// Share of the files and bytes of the real tree.
        /// That has 30,500 files and 360 MB.
        scale: f64 = 1.0, in share_from(0.001);
        /// From a bzip2 archive rather than from a plain one.
        compressed: bool = true, in Unit::Flag;
    }
}

const FILES: f64 = 30_500.0;
/// Of the tree that the statistics were taken from.
const SOURCE_FILES: f64 = 21_280.0;
/// Bytes of the archive's tree, and how much smaller bzip2 makes them at least.
const TREE_BYTES: f64 = 360e6;
const RATIO: u64 = 4;

impl Parameters {
    fn tree(&self, seed: u64) -> Tree {
        Tree::source_with(self.scale * FILES / SOURCE_FILES, (TREE_BYTES * self.scale) as u64, seed)
    }
}

impl Definition for Parameters {
    fn validate(&self, common: &Common) -> Result<()> {
        one_thread(common, "unpack")
    }

    fn plan(&self, common: &Common) -> Plan {
        let tree = self.tree(common.seed);
        let (files, bytes) = (tree.files.len() as u64, tree.bytes());
        let packed = archive::length(&tree);
        let stored = if self.compressed { packed / RATIO } else { packed };
        Plan {
            phases: vec![PhasePlan {
                name: "unpack".to_owned(),
                writes: true,
                reads: true,
                expected: Expected::Bytes(bytes),
            }],
            disk_bytes: bytes + stored,
            written_bytes: bytes + stored,
            read_bytes: stored,
            files: files + tree.folders.len() as u64 + 1,
            memory_bytes: files * 24 + (16 << 20),
        }
    }

    fn begin(&self, common: &Common) -> Box<dyn Workload> {
        Box::new(Unpack { parameters: self.clone(), tree: self.tree(common.seed) })
    }
}

struct Unpack {
    parameters: Parameters,
    tree: Tree,
}

impl Workload for Unpack {
    fn prepare(&mut self, phase: &Phase<'_>) -> Result<()> {
        phase.solo(|context| archive::make(context, &self.tree, phase, self.parameters.compressed))
    }

    fn measure(&mut self, _planned: &PhasePlan, phase: &Phase<'_>) -> Result<Measure> {
        let (found, elapsed_ns) =
            phase.timed(|context| extract::extract(context, phase, self.parameters.compressed))?;
        if found != (self.tree.files.len() as u64, self.tree.bytes()) {
            return Err(Fault::Workload(format!(
                "the archive gave {} files and {} bytes, which are not its own",
                found.0, found.1
            )));
        }
        let scores = vec![
            lower("duration", seconds(elapsed_ns), "s"),
            higher("throughput", mib_per_second(found.1, elapsed_ns), "MiB/s"),
        ];
        Ok(Measure { elapsed_ns, operations: found.0, bytes: found.1, scores, points: Vec::new() })
    }
}
