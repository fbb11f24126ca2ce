//! What clients do: each workload turns a draw into a sequence of requests. One thread's part serves all its clients.

mod load;
mod tpcb;
mod ycsb;

use std::sync::Arc;

use crate::driver::{Numbers, Request};
use crate::keyspace::Shared;
use crate::recorder::OpKinds;
use crate::spec::{DbSpec, Measure, Rate, Workload};

use load::Load;
use tpcb::Scripted;
use ycsb::Core;

/// Accounts of TPC-B's tables.
pub fn accounts(scale: u32) -> u64 {
    u64::from(scale) * u64::from(tpcb::ACCOUNTS)
}

/// One operation of one client, from its draw to its end.
#[derive(Debug, Clone, Copy, Default)]
pub struct Operation {
    /// Kind of the whole operation.
    pub kind: usize,
    /// Request that is next or in progress.
    pub step: usize,
    /// Requests in all.
    pub steps: usize,
    /// YCSB: number of the record.
    pub record: u64,
    /// YCSB: the one field that is read; absent: all.
    pub field: Option<u32>,
    /// YCSB: records to scan.
    pub scan: u32,
    /// YCSB: the one field that is written, where not all are.
    pub written: u32,
    /// TPC-B.
    pub numbers: Numbers,
}

/// The work of one thread.
#[derive(Debug)]
pub enum Work {
    /// Inserts of a load.
    Load(Box<Load>),
    /// YCSB's mix.
    Core(Box<Core>),
    /// pgbench's scripts.
    Scripted(Scripted),
    /// `GET`s.
    Web,
}

/// What a job's threads do together.
#[derive(Debug, Clone)]
pub enum Phase {
    /// Records `first..end` are inserted; `Shared::records` deals them out.
    Load {
        /// One beyond the last.
        end: u64,
    },
    /// The workload.
    Run,
}

impl Phase {
    /// Records are inserted, whether or not that is measured.
    pub fn is_load(&self) -> bool {
        matches!(self, Self::Load { .. })
    }

    /// The schedule; what is loaded before a run has none.
    pub fn rate(&self, spec: &DbSpec) -> Option<Rate> {
        spec.rate().filter(|_| matches!(self, Self::Run) || spec.measure() == Measure::Load)
    }
}

const LOAD: &[&str] = &["insert"];
const WEB: &[&str] = &["get"];

impl Work {
    /// The part of thread `thread`.
    pub fn new(spec: &DbSpec, phase: &Phase, shared: &Arc<Shared>, thread: u32) -> Self {
        match (&spec.workload, phase) {
            (Workload::Ycsb(ycsb), Phase::Load { end }) => {
                Self::Load(Box::new(Load::new(ycsb, spec.seed, thread, Arc::clone(shared), *end)))
            }
            (Workload::Ycsb(ycsb), Phase::Run) => {
                let operations = spec.max_operations.unwrap_or(ycsb.records);
                Self::Core(Box::new(Core::new(ycsb, operations, spec.seed, thread, Arc::clone(shared))))
            }
            (Workload::Tpcb(tpcb), _) => Self::Scripted(Scripted::new(*tpcb, spec.seed, thread)),
            (Workload::Web(_), _) => Self::Web,
        }
    }

    /// What is counted.
    pub fn kinds(spec: &DbSpec, phase: &Phase) -> OpKinds {
        let open = phase.rate(spec).is_some();
        match (&spec.workload, phase) {
            (_, Phase::Load { .. }) => OpKinds { names: LOAD, whole: 1, used: 1, open },
            (Workload::Ycsb(ycsb), Phase::Run) => OpKinds { open, ..ycsb::kinds(ycsb) },
            (Workload::Tpcb(tpcb), Phase::Run) => OpKinds { open, ..tpcb::kinds(tpcb.script) },
            (Workload::Web(_), Phase::Run) => OpKinds { names: WEB, whole: 1, used: 1, open },
        }
    }

    /// Chooses a client's next operation. False: there is nothing left to do.
    #[inline]
    pub fn draw(&mut self, operation: &mut Operation) -> bool {
        if let Self::Core(core) = self {
            core.draw(operation);
            return true;
        }
        (operation.step, operation.steps, operation.kind) = (0, 1, 0);
        match self {
            Self::Load(load) => return load.draw(operation),
            Self::Scripted(scripted) => scripted.draw(operation),
            Self::Core(_) | Self::Web => {}
        }
        true
    }

    /// The request of the operation's step.
    #[inline]
    pub fn request(&mut self, operation: &Operation) -> Request<'_> {
        match self {
            Self::Load(load) => load.request(operation),
            Self::Core(core) => core.request(operation),
            Self::Scripted(scripted) => scripted.request(operation),
            Self::Web => Request::Get,
        }
    }

    /// Kind of the operation's step, when steps are counted as well.
    #[inline]
    pub fn part(&self, operation: &Operation) -> Option<usize> {
        match self {
            Self::Core(_) if operation.steps > 1 => Some(ycsb::part(operation)),
            Self::Scripted(scripted) => Some(scripted.part(operation)),
            _ => None,
        }
    }

    /// The operation's steps are one transaction: when one fails, it is rolled back and begun again or given up.
    pub fn is_transaction(&self, operation: &Operation) -> bool {
        matches!(self, Self::Scripted(_)) && operation.steps > 1
    }

    /// A step that brings or changes no row has missed its record.
    #[inline]
    pub fn expects_rows(&self, operation: &Operation) -> bool {
        match self {
            Self::Load(_) | Self::Web => false,
            Self::Core(_) => operation.kind != ycsb::INSERT,
            Self::Scripted(scripted) => scripted.expects_rows(operation),
        }
    }

    /// When the operation ends well there is one row more.
    #[inline]
    pub fn adds_row(&self, operation: &Operation) -> bool {
        match self {
            Self::Load(_) => true,
            Self::Web => false,
            Self::Core(_) => operation.kind == ycsb::INSERT,
            Self::Scripted(_) => operation.steps > 1,
        }
    }

    /// Values of the operation's reads are checked against its key.
    pub fn checked_key(&mut self, operation: &Operation) -> Option<&[u8]> {
        match self {
            Self::Core(core) if core.is_checked(operation) => Some(core.key(operation.record)),
            _ => None,
        }
    }

    /// The operation is over, well or not.
    #[inline]
    pub fn settle(&mut self, operation: &Operation) {
        if let Self::Core(core) = self
            && operation.kind == ycsb::INSERT
        {
            core.acknowledge(operation.record);
        }
    }
}
