//! The kernel's own tracing of block I/O: its binary ring buffers become events.

pub mod fields;
pub mod page;
pub mod tap;
