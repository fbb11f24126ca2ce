//! `cpuio`: each operation keeps a processor busy for a while, as fio has it; nothing is moved.

use std::hint;
use std::io;
use std::os::fd::RawFd;
use std::time::{Duration, Instant};

use crate::engine::{Caps, Completion, Engine, Operation, Setup, Submitted};

/// Numbers that are sorted at a time.
const SORTED: usize = 4096;

/// How it is kept busy.
pub struct CpuioEngine {
    burn: Duration,
    /// Present where it sorts.
    numbers: Option<Vec<u32>>,
}

impl Engine for CpuioEngine {
    const CAPS: Caps = Caps {
        name: "cpuio",
        description: "computes for a while in place of each operation; moves no data",
        files: false,
        real: false,
        stores: false,
        dataless: true,
        ..Caps::SYNCHRONOUS
    };

    fn open(setup: &Setup<'_>) -> io::Result<Self> {
        let (ns, sorts) = setup.burn.map_or((0, false), |burn| (burn.ns, burn.sorts));
        let numbers = sorts.then(|| (0..SORTED as u32).map(|each| each.wrapping_mul(0x9e37_0001)).collect());
        Ok(Self { burn: Duration::from_nanos(ns), numbers })
    }

    fn put(&mut self, _file: usize, _descriptor: RawFd) -> io::Result<()> {
        Ok(())
    }

    fn submit(&mut self, operation: Operation) -> Submitted {
        // The only engine that looks at a clock: its operations are time.
        let start = Instant::now();
        while start.elapsed() < self.burn {
            match &mut self.numbers {
                Some(numbers) => {
                    numbers.sort_unstable();
                    numbers.iter_mut().for_each(|each| *each = each.wrapping_mul(0x9e37_0001));
                }
                None => hint::spin_loop(),
            }
        }
        let Operation { tag, length, buffer, .. } = operation;
        Submitted::Done(Completion { tag, result: i64::from(length), buffer })
    }
}
