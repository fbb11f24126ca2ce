//! Dbench 4.0: what a file server's disk sees when clients run an office benchmark, without the network.
//!
//! **The original.** Each client is a process that replays one recorded load in an endless loop, without pauses; a fifth of
//! the time is warm-up. Throughput is the requested bytes of reads and writes of all clients after the warm-up, over the
//! time since then, in 10⁶ per second. Every operation on a path first looks it up, and when it is not there reads the
//! whole directory for a name that differs in case only.
//!
//! **Made equal.** Same operations with the same calls behind them, as strace shows them (also the one with which a
//! client asks before each operation whether its parent is alive), same formula; the load is made from the published
//! statistics of the recorded one (`trace`): per loop the number of operations of every kind, of expected failures, of
//! bytes and of flushes is exact, and so are the most frequent sizes, the kinds of sessions and the lifecycles of files.
//! Clients are threads with descriptor tables of their own. `max_latency` is the longest time between two starts of
//! operations of a client.
//!
//! **What it cannot say.** 24 MB per client stay in memory: after the warm-up no read reaches a disk, and the number is
//! bounded by 5,553 `fsync` calls per loop and by the processor. The order of operations within a folder is drawn, not
//! recorded.

mod actions;
mod folders;
mod generator;
mod lifecycles;
mod replay;
mod sessions;
mod sizes;
mod trace;

use std::sync::Arc;

use plimsoll_core::parameters::{count, nanoseconds, parameters};

use crate::common::{Common, SECOND};
use crate::fault::{Fault, Result};
use crate::outcome::{Expected, PhasePlan, Plan};
use crate::phase::Phase;
use crate::workload::{Definition, Measure, Workload, higher, lower, per_second};

use replay::Run;
use trace::Trace;

/// A small instance.
pub const EXAMPLE: &str = r#"{"runtime":300000000,"warmup":50000000,"loops":0}"#;

parameters! {
    /// What can be set. Clients are threads; classic: 1, 6, 12, 48, 128, 256.
    #[derive(Eq)]
    pub struct Parameters {
        /// Measured time.
        runtime_ns as "runtime": u64 = 600 * SECOND, in nanoseconds(1..);
        /// Load before anything is counted.
        /// Classic: a fifth of the runtime.
        warmup_ns as "warmup": u64 = 120 * SECOND, in nanoseconds(..);
        /// When not 0: every client ends after this many loops, without warm-up.
        loops: u64 = 0, in count(..=1 << 20);
    }
}

/// About the largest set of files of one client, and their number.
const CLIENT_BYTES: u64 = 36 << 20;
const CLIENT_FILES: u64 = 160;
/// Names, buffers and samples of one client.
const CLIENT_MEMORY: u64 = 320 << 10;

impl Definition for Parameters {
    fn validate(&self, common: &Common) -> Result<()> {
        let whole = self.runtime_ns.saturating_add(self.warmup_ns);
        if self.loops == 0 && whole > common.timeout_ns {
            return Err(Fault::spec("runtime and warm-up of dbench are above the time limit: raise the limit"));
        }
        if common.threads > 512 {
            return Err(Fault::spec(format!("{} clients: use 512 or fewer", common.threads)));
        }
        Ok(())
    }

    fn plan(&self, common: &Common) -> Plan {
        let clients = u64::from(common.threads);
        let (calls, read, written) = trace::PER_LOOP;
        let expected = match self.loops {
            0 => Expected::Nanoseconds(self.runtime_ns.saturating_add(self.warmup_ns)),
            loops => Expected::Calls(loops * calls * clients),
        };
        Plan {
            // What it reads it has written itself, so that there is nothing to drop before.
            phases: vec![PhasePlan { name: "run".to_owned(), writes: true, reads: false, expected }],
            disk_bytes: clients * CLIENT_BYTES,
            written_bytes: self.loops * written * clients,
            read_bytes: self.loops * read * clients,
            files: clients * CLIENT_FILES,
            memory_bytes: calls * size_of::<trace::Entry>() as u64 + clients * CLIENT_MEMORY,
        }
    }

    fn begin(&self, common: &Common) -> Box<dyn Workload> {
        Box::new(Dbench { parameters: self.clone(), trace: Arc::new(Trace::new(common.seed)) })
    }
}

struct Dbench {
    parameters: Parameters,
    trace: Arc<Trace>,
}

impl Workload for Dbench {
    fn measure(&mut self, _planned: &PhasePlan, phase: &Phase<'_>) -> Result<Measure> {
        let run = Run::new(&self.parameters, phase.common.threads);
        let found = run.carry_out(phase, &self.trace)?;
        let scores = vec![
            higher("throughput", per_second(found.bytes, found.elapsed_ns) / 1e6, "MB/s"),
            lower("max_latency", found.max_latency_ns as f64 / 1e6, "ms"),
        ];
        Ok(Measure {
            elapsed_ns: found.elapsed_ns,
            operations: found.operations,
            bytes: found.bytes,
            scores,
            points: Vec::new(),
        })
    }
}
