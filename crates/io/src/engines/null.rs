//! `null`: completes everything at once and touches nothing. Measures the measuring, and is the smallest engine.

use std::io;
use std::os::fd::RawFd;
use std::time::Duration;

use crate::engine::{Caps, Completion, Engine, Operation, Setup, Submitted};

/// Finished operations wait here to be reaped.
pub struct NullEngine {
    finished: Vec<Completion>,
    depth: usize,
}

impl Engine for NullEngine {
    const CAPS: Caps = Caps {
        name: "null",
        description: "does nothing and succeeds: the cost of the measuring itself",
        trim_file: true,
        trim_device: true,
        real: false,
        stores: false,
        ..Caps::ASYNCHRONOUS
    };

    fn open(setup: &Setup<'_>) -> io::Result<Self> {
        Ok(Self { finished: Vec::with_capacity(setup.depth as usize), depth: setup.depth as usize })
    }

    fn put(&mut self, _file: usize, _descriptor: RawFd) -> io::Result<()> {
        Ok(())
    }

    #[inline]
    fn submit(&mut self, operation: Operation) -> Submitted {
        if self.finished.len() == self.depth {
            return Submitted::Full(operation);
        }
        let Operation { tag, length, buffer, .. } = operation;
        self.finished.push(Completion { tag, result: i64::from(length), buffer });
        Submitted::Queued
    }

    #[inline]
    fn reap(&mut self, _at_least: u32, _timeout: Option<Duration>, finished: &mut Vec<Completion>) -> io::Result<()> {
        finished.append(&mut self.finished);
        Ok(())
    }
}
