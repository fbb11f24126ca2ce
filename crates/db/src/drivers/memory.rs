//! Records in this process's own memory: an upper bound for any store, and the yardstick of the client's speed.
//!
//! A hash map in 64 parts, each behind a lock of its own, and an ordered set of the keys for scans. Values are not copied
//! out: a reader sees them under the lock. Every job begins with an empty store.

use std::collections::{BTreeSet, HashMap};
use std::hash::BuildHasher;
use std::os::fd::RawFd;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use foldhash::fast::FixedState;

use crate::driver::{Caps, Driver, Found, Reply, Request, Session, State, Values};
use crate::fault::{Cause, Fault, JobError};
use crate::setup::Setup;

/// Parts that are locked one by one.
const PARTS: usize = 64;

type Part = HashMap<Box<[u8]>, Record, FixedState>;

/// Fields of one record.
type Record = Vec<Vec<u8>>;

/// The store.
#[derive(Debug)]
struct Store {
    parts: Vec<Mutex<Part>>,
    keys: RwLock<BTreeSet<Box<[u8]>>>,
    hasher: FixedState,
}

impl Store {
    fn new() -> Self {
        let hasher = FixedState::default();
        let parts = (0..PARTS).map(|_| Mutex::new(HashMap::with_hasher(hasher.clone()))).collect();
        Self { parts, keys: RwLock::new(BTreeSet::new()), hasher }
    }

    #[inline]
    fn part(&self, key: &[u8]) -> MutexGuard<'_, Part> {
        // The high bits: the map itself takes the low ones.
        let part = (self.hasher.hash_one(key) >> 32) as usize % PARTS;
        self.parts[part].lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[inline]
    fn read(&self, key: &[u8], field: Option<u32>, reply: &mut Reply) {
        if let Some(record) = self.part(key).get(key) {
            reply.row();
            match field {
                Some(field) => reply.field(field, record.get(field as usize).map_or(&[], Vec::as_slice)),
                None => (0..).zip(record).for_each(|(field, value)| reply.field(field, value)),
            }
        }
    }

    #[inline]
    fn update(&self, key: &[u8], values: &Values, reply: &mut Reply) {
        if let Some(record) = self.part(key).get_mut(key) {
            for (field, value) in values.iter() {
                if let Some(place) = record.get_mut(field as usize) {
                    place.clear();
                    place.extend_from_slice(value);
                }
            }
            reply.row();
            reply.bytes += values.size();
        }
    }

    fn insert(&self, key: &[u8], values: &Values, reply: &mut Reply) -> Result<(), Fault> {
        let record = values.iter().map(|(_, value)| value.to_vec()).collect();
        let mut part = self.part(key);
        if part.contains_key(key) {
            return Err(Fault::refused(Cause::Constraint, "there is a record with this key already"));
        }
        part.insert(key.into(), record);
        drop(part);
        self.keys.write().unwrap_or_else(PoisonError::into_inner).insert(key.into());
        reply.row();
        reply.bytes += values.size();
        Ok(())
    }

    fn scan(&self, key: &[u8], count: u32, field: Option<u32>, reply: &mut Reply) {
        let keys = self.keys.read().unwrap_or_else(PoisonError::into_inner);
        let from = (std::ops::Bound::Included(key), std::ops::Bound::Unbounded);
        for key in keys.range::<[u8], _>(from).take(count as usize) {
            self.read(key, field, reply);
        }
    }
}

/// The driver.
#[derive(Debug)]
pub struct Kind {
    store: Arc<Store>,
}

impl Driver for Kind {
    type Session = Memory;
    const CAPS: Caps = Caps {
        name: "memory",
        description: "a hash map in this process's memory, new for every job",
        url: "",
        workloads: &["ycsb"],
        server: false,
        tls: false,
    };

    fn new(setup: Arc<Setup>) -> Result<Self, JobError> {
        setup.refuse("memory", true, true)?;
        Ok(Self { store: Arc::new(Store::new()) })
    }

    fn connect(&self, _client: u32) -> Result<Memory, Fault> {
        Ok(Memory { store: Arc::clone(&self.store) })
    }

    fn facts(&self) -> Result<Vec<(String, String)>, Fault> {
        Ok(vec![("durability".to_owned(), "none".to_owned())])
    }

    fn look(&self) -> Result<Option<Found>, Fault> {
        Ok(None)
    }

    fn create(&self) -> Result<(), Fault> {
        Ok(())
    }

    fn drop_tables(&self) -> Result<(), Fault> {
        Ok(())
    }

    fn remove(&self, keys: &[Vec<u8>]) -> Result<u64, Fault> {
        let mut order = self.store.keys.write().unwrap_or_else(PoisonError::into_inner);
        Ok(keys
            .iter()
            .filter(|key| {
                order.remove(key.as_slice());
                self.store.part(key).remove(key.as_slice()).is_some()
            })
            .count() as u64)
    }
}

/// One client.
#[derive(Debug)]
pub struct Memory {
    store: Arc<Store>,
}

impl Session for Memory {
    #[inline]
    fn start(&mut self, request: &Request<'_>, reply: &mut Reply) -> Result<State, Fault> {
        match *request {
            Request::Read { key, field } => self.store.read(key, field, reply),
            Request::Update { key, values } => self.store.update(key, values, reply),
            Request::Insert { key, values } => self.store.insert(key, values, reply)?,
            Request::Scan { key, count, field } => self.store.scan(key, count, field, reply),
            Request::Statement(..) | Request::Get => return Err(Fault::protocol("not a request of YCSB")),
        }
        Ok(State::Done)
    }

    fn resume(&mut self, _reply: &mut Reply) -> Result<State, Fault> {
        Ok(State::Done)
    }

    fn descriptor(&self) -> Option<RawFd> {
        None
    }
}
