//! A recorded load, operation by operation.

use std::sync::Arc;

use crate::region::Next;
use crate::spec::{JobSpec, OpKind};

/// Where a job is in its record.
#[derive(Debug, Clone)]
pub struct Replay {
    spec: Arc<JobSpec>,
    at: usize,
}

impl Replay {
    /// Nothing where the operations of a job follow from its pattern.
    pub fn new(spec: &Arc<JobSpec>) -> Option<Self> {
        spec.replay.is_some().then(|| Self { spec: Arc::clone(spec), at: 0 })
    }

    /// When the next operation is due, since the begin of the load; 0 where it may start at once.
    pub fn due_ns(&self) -> u64 {
        let replay = self.spec.replay.as_ref().filter(|replay| replay.timed);
        replay.and_then(|replay| replay.operations.get(self.at)).map_or(0, |&(at_ns, ..)| at_ns)
    }

    /// The kind of the next operation; that of a read behind the last one.
    pub fn kind(&self) -> OpKind {
        let operations = self.spec.replay.iter().flat_map(|replay| replay.operations.get(self.at)).next();
        operations.map_or(OpKind::Read, |&(_, kind, ..)| kind)
    }

    /// The next operation; none behind the last one.
    pub fn next(&mut self) -> Option<Next> {
        let kind = self.kind();
        let &(_, _, offset, length) = self.spec.replay.as_ref()?.operations.get(self.at)?;
        self.at += 1;
        Some(Next { kind, offset: self.spec.offset + offset, length })
    }

    /// Begins anew.
    pub fn begin_pass(&mut self) {
        self.at = 0;
    }
}
