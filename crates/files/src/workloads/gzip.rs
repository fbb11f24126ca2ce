//! gzip of 2 GB: a test of the processor that is counted among the disk tests.
//!
//! **The original.** `cat` of a file of 2 GiB zeros, piped to `gzip` (level 6), piped to nothing. Making and deleting the
//! file is not timed. Score: seconds.
//!
//! **Made equal.** The file is read in pieces of 128 KiB, as `cat` does, and goes through deflate at the same level, its
//! output thrown away. One thread does both, where the original has two processes of which `cat` mostly waits.
//!
//! **What it cannot say.** Anything about a disk: the file was just written and is in memory, and zeros are deflated a
//! thousandfold. The implementation of deflate is not that of gzip and takes about half its time (6.7 s of processor time
//! where gzip 1.12 took 13.3 s), so that the score must not be compared with the original's. `text` content is no classic
//! test.

use std::io::{self, Write};

use flate2::Compression;
use flate2::write::GzEncoder;
use plimsoll_core::parameters::{bytes, count, parameters, word};
use serde::{Deserialize, Serialize};

use crate::common::{Common, MAX_BYTES, one_thread};
use crate::fault::Result;
use crate::outcome::{Expected, PhasePlan, Plan};
use crate::phase::Phase;
use crate::sys::Name;
use crate::tally::OpKind;
use crate::text::Text;
use crate::workload::{Definition, Measure, Workload, higher, lower, mib_per_second, seconds};

/// A small instance.
pub const EXAMPLE: &str = r#"{"size":3000000,"level":6,"content":"zeros"}"#;

parameters! {
    /// What can be set.
    #[derive(Eq)]
    pub struct Parameters {
        /// Bytes of the file.
        size: u64 = 2 << 30, in bytes(1..=MAX_BYTES);
        /// 1…9.
        level: u32 = 6, in count(1..=9);
        /// What is compressed.
        content: Content = Content::Zeros, in word::<Content>();
    }
}

/// What is compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Content {
    /// Zero bytes.
    Zeros,
    /// Text like source code.
    Text,
}

const PIECE: usize = 128 << 10;

impl Definition for Parameters {
    fn validate(&self, common: &Common) -> Result<()> {
        one_thread(common, "gzip")
    }

    fn plan(&self, _common: &Common) -> Plan {
        Plan {
            phases: vec![PhasePlan {
                name: "compress".to_owned(),
                writes: false,
                reads: true,
                // Each piece is counted twice: read, and compressed.
                expected: Expected::Bytes(self.size * 2),
            }],
            disk_bytes: self.size,
            written_bytes: self.size,
            read_bytes: self.size,
            files: 1,
            memory_bytes: 4 << 20,
        }
    }

    fn begin(&self, _common: &Common) -> Box<dyn Workload> {
        Box::new(Gzip { parameters: self.clone() })
    }
}

struct Gzip {
    parameters: Parameters,
}

/// Counts what it throws away.
#[derive(Default)]
struct Nothing(u64);

impl Write for Nothing {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Gzip {
    /// Calls `work` with the offset and length of each piece.
    fn pieces(&self, mut work: impl FnMut(u64, usize) -> Result<()>) -> Result<()> {
        let mut offset = 0;
        while offset < self.parameters.size {
            let length = (self.parameters.size - offset).min(PIECE as u64);
            work(offset, length as usize)?;
            offset += length;
        }
        Ok(())
    }
}

impl Workload for Gzip {
    fn prepare(&mut self, phase: &Phase<'_>) -> Result<()> {
        let name = file_name();
        let mut text = Text::new(phase.common.seed);
        let mut buffer = vec![0; PIECE];
        phase.solo(|context| {
            let file = context.open(OpKind::Create, &name, libc::O_WRONLY | libc::O_CREAT | libc::O_TRUNC)?;
            self.pieces(|offset, length| {
                if self.parameters.content == Content::Text {
                    text.fill(&mut buffer[..length]);
                }
                context.write(&file, &buffer[..length], (&name, offset))
            })?;
            context.close(file, &name)
        })
    }

    fn measure(&mut self, _planned: &PhasePlan, phase: &Phase<'_>) -> Result<Measure> {
        let name = file_name();
        let mut buffer = vec![0; PIECE];
        let mut encoder = GzEncoder::new(Nothing::default(), Compression::new(self.parameters.level));
        let (packed, elapsed_ns) = phase.timed(|context| {
            let file = context.open(OpKind::Open, &name, libc::O_RDONLY)?;
            self.pieces(|offset, length| {
                context.read(&file, &mut buffer[..length], (&name, offset))?;
                context
                    .transfer(OpKind::Compress, (&name, offset), length, |done| encoder.write(&buffer[done..length]))
                    .map(drop)
            })?;
            context.close(file, &name)?;
            let packed = encoder.finish().map_err(|error| context.fault(OpKind::Compress, &name, None, &error))?;
            Ok(packed.0)
        })?;
        let size = self.parameters.size;
        let scores = vec![
            lower("duration", seconds(elapsed_ns), "s"),
            higher("throughput", mib_per_second(size, elapsed_ns), "MiB/s"),
            higher("ratio", size as f64 / packed.max(1) as f64, "1"),
        ];
        Ok(Measure { elapsed_ns, operations: 1, bytes: size, scores, points: Vec::new() })
    }
}

fn file_name() -> Name {
    Name::new(format_args!("compressfile"))
}
