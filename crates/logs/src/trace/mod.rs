//! Traces of block I/O: what one I/O is, the file that holds them, and who reads other tools' traces as the same.
//!
//! Bytes come in and events go out, in order of their arrival, a batch at a time; nothing grows with the trace.

pub mod conversion;
pub mod event;
pub mod fault;
pub mod header;
pub mod kernel;
pub mod merged;
pub mod order;
pub mod pairing;
pub mod planes;
pub mod profile;
pub mod reader;
pub mod sample;
pub mod source;
pub mod survey;
pub mod text;
pub mod writer;

pub use event::{Event, OpKind, UNKNOWN};
pub use header::{Header, Totals};
pub use source::Source;
