//! Records in this process's own memory, new for every job: a store that is always there, for tests. What the client itself
//! costs is seen with `null`.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use crate::caps::Caps;
use crate::driver::{Driver, Reply, Request, Session, State, Values};
use crate::fault::{Cause, Fault, JobError};
use crate::setup::Setup;

/// Fields by number.
type Row = Vec<Vec<u8>>;

/// Records by key.
#[derive(Debug, Default)]
struct Store(RwLock<BTreeMap<Box<[u8]>, Row>>);

impl Store {
    fn read(&self) -> RwLockReadGuard<'_, BTreeMap<Box<[u8]>, Row>> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, BTreeMap<Box<[u8]>, Row>> {
        self.0.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// The records from `key` on, at most `count`.
    fn scan(&self, key: &[u8], count: u32, field: Option<u32>, reply: &mut Reply) {
        let from = (std::ops::Bound::Included(key), std::ops::Bound::Unbounded);
        self.read().range::<[u8], _>(from).take(count as usize).for_each(|(_, row)| tell(row, field, reply));
    }

    fn update(&self, key: &[u8], values: &Values, reply: &mut Reply) {
        if let Some(row) = self.write().get_mut(key) {
            values.iter().for_each(|(field, value)| value.clone_into(&mut row[field as usize]));
            reply.row();
            reply.bytes += values.size();
        }
    }

    fn insert(&self, key: &[u8], values: &Values, reply: &mut Reply) -> Result<(), Fault> {
        let mut rows = self.write();
        let Entry::Vacant(place) = rows.entry(key.into()) else {
            return Err(Fault::refused(Cause::Constraint, "a record with this key already exists"));
        };
        place.insert(values.iter().map(|(_, value)| value.to_vec()).collect());
        reply.row();
        reply.bytes += values.size();
        Ok(())
    }
}

/// All fields of a record, or one.
fn tell(row: &Row, field: Option<u32>, reply: &mut Reply) {
    reply.row();
    match field {
        Some(field) => reply.field(field, &row[field as usize]),
        None => (0..).zip(row).for_each(|(field, value)| reply.field(field, value)),
    }
}

/// The driver.
#[derive(Debug)]
pub struct MemoryDriver(Arc<Store>);

impl Driver for MemoryDriver {
    type Session = Memory;
    const CAPS: Caps = Caps {
        name: "memory",
        description: "a map in this process's memory, new for every job",
        schemes: &[("memory", 0)],
        workloads: &["ycsb"],
        ..Caps::EMBEDDED
    };

    fn new(_setup: Arc<Setup>) -> Result<Self, JobError> {
        Ok(Self(Arc::default()))
    }

    fn connect(&self, _client: u32) -> Result<Memory, Fault> {
        Ok(Memory(Arc::clone(&self.0)))
    }

    fn facts(&self) -> Result<Vec<(String, String)>, Fault> {
        Ok(vec![("durability".to_owned(), "none".to_owned())])
    }
}

/// One client.
#[derive(Debug)]
pub struct Memory(Arc<Store>);

impl Session for Memory {
    fn start(&mut self, request: &Request<'_>, reply: &mut Reply) -> Result<State, Fault> {
        match *request {
            Request::Read { key, field } => {
                if let Some(row) = self.0.read().get(key) {
                    tell(row, field, reply);
                }
            }
            Request::Update { key, values } => self.0.update(key, values, reply),
            Request::Insert { key, values } => self.0.insert(key, values, reply)?,
            Request::Scan { key, count, field } => self.0.scan(key, count, field, reply),
            Request::Statement(..) | Request::Get => return Err(Fault::protocol("not a request of YCSB")),
        }
        Ok(State::Done)
    }
}
