//! Loading: every record once, dealt out to whichever client is free.

use std::sync::Arc;

use super::Operation;
use super::ycsb::Fields;
use crate::driver::Request;
use crate::keyspace::{Keys, Shared};
use crate::spec::Ycsb;

/// One thread's part.
#[derive(Debug)]
pub struct Load {
    keys: Keys,
    fields: Fields,
    key: Vec<u8>,
    shared: Arc<Shared>,
    end: u64,
}

impl Load {
    pub fn new(ycsb: &Ycsb, seed: u64, thread: u32, shared: Arc<Shared>, end: u64) -> Self {
        // A stream apart from that of the run: thread numbers of a run are small.
        let fields = Fields::new(ycsb, seed, 0, thread | 1 << 31);
        Self { keys: Keys::new(ycsb), fields, key: Vec::with_capacity(64), shared, end }
    }

    pub fn draw(&mut self, operation: &mut Operation) -> bool {
        operation.record = self.shared.records.next();
        operation.record < self.end
    }

    pub fn request(&mut self, operation: &Operation) -> Request<'_> {
        self.keys.write(operation.record, &mut self.key);
        self.fields.write_all(&self.key);
        Request::Insert { key: &self.key, values: &self.fields.values }
    }
}
