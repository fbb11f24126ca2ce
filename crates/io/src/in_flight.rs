//! What asynchronous engines keep while the kernel has an operation.

use crate::buffer::Buffer;
use crate::engine::{Completion, OpKind, Operation};

/// Buffers of the operations in flight, by tag.
#[derive(Debug)]
pub struct InFlight(Vec<Held>);

#[derive(Debug, Default)]
struct Held {
    buffer: Option<Buffer>,
    /// The kernel answers 0 to a trim; completions carry its length.
    trimmed: u32,
}

impl InFlight {
    /// For tags below `depth`.
    pub fn new(depth: u32) -> Self {
        Self((0..depth).map(|_| Held::default()).collect())
    }

    /// Keeps the buffer of an operation and returns its address (null without one) and registered index.
    #[inline]
    pub fn keep(&mut self, operation: Operation) -> (*mut u8, u16) {
        let held = &mut self.0[operation.tag as usize];
        held.trimmed = if operation.kind == OpKind::Trim { operation.length } else { 0 };
        held.buffer = operation.buffer;
        held.buffer.as_mut().map_or((std::ptr::null_mut(), 0), |buffer| (buffer.as_mut_ptr(), buffer.index()))
    }

    /// The completion of an operation that the kernel answered with `result`.
    #[inline]
    pub fn complete(&mut self, tag: u32, result: i64) -> Completion {
        let held = &mut self.0[tag as usize];
        let result = if result == 0 { i64::from(held.trimmed) } else { result };
        Completion { tag, result, buffer: held.buffer.take() }
    }
}
