//! Records in this process's own memory: an upper bound for any store, and the yardstick of the client's speed.
//!
//! A hash map in 64 parts, each behind a lock of its own, and an ordered set of the keys for scans. Values are not copied
//! out: a reader sees them under the lock. Every job begins with an empty store.

use std::collections::BTreeSet;
use std::hash::BuildHasher;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use foldhash::fast::FixedState;
use hashbrown::HashTable;

use crate::driver::{Caps, Driver, Reply, Request, Session, State, Values};
use crate::fault::{Cause, Fault, JobError};
use crate::setup::Setup;

/// Parts that are locked one by one.
const PARTS: usize = 64;
/// Keys up to here lie in the table itself, so that comparing them costs no memory access.
const SHORT: usize = 30;

/// A key, short or long.
#[derive(Debug)]
enum Key {
    Short(u8, [u8; SHORT]),
    Long(Box<[u8]>),
}

impl Key {
    fn new(key: &[u8]) -> Self {
        let mut bytes = [0; SHORT];
        match bytes.get_mut(..key.len()) {
            Some(room) => {
                room.copy_from_slice(key);
                Self::Short(key.len() as u8, bytes)
            }
            None => Self::Long(key.into()),
        }
    }

    #[inline]
    fn bytes(&self) -> &[u8] {
        match self {
            Self::Short(length, bytes) => &bytes[..usize::from(*length)],
            Self::Long(bytes) => bytes,
        }
    }
}

/// One record: where each of its values ends, and the values. What only counts them touches the ends.
#[derive(Debug)]
struct Record {
    ends: Box<[u32]>,
    values: Box<[u8]>,
}

impl Record {
    fn new<'a>(values: impl Iterator<Item = &'a [u8]>) -> Self {
        let (mut ends, mut bytes) = (Vec::new(), Vec::new());
        for value in values {
            bytes.extend_from_slice(value);
            ends.push(bytes.len() as u32);
        }
        Self { ends: ends.into(), values: bytes.into() }
    }

    #[inline]
    fn value(&self, field: usize) -> &[u8] {
        let start = if field == 0 { 0 } else { self.ends.get(field - 1).map_or(0, |&end| end as usize) };
        self.ends.get(field).map_or(&[], |&end| &self.values[start..end as usize])
    }

    #[inline]
    fn set(&mut self, field: usize, value: &[u8]) {
        let old = self.value(field);
        if old.len() == value.len() {
            let end = self.ends[field] as usize;
            self.values[end - value.len()..end].copy_from_slice(value);
        } else if field < self.ends.len() {
            let fields = 0..self.ends.len();
            *self = Self::new(fields.map(|other| if other == field { value } else { self.value(other) }));
        }
    }
}

type Part = HashTable<(Key, Record)>;

/// The store.
#[derive(Debug)]
struct Store {
    parts: Vec<Mutex<Part>>,
    keys: RwLock<BTreeSet<Box<[u8]>>>,
    hasher: FixedState,
}

impl Store {
    fn new() -> Self {
        let parts = (0..PARTS).map(|_| Mutex::new(HashTable::new())).collect();
        Self { parts, keys: RwLock::new(BTreeSet::new()), hasher: FixedState::default() }
    }

    /// The part where a key belongs, and its hash there.
    #[inline]
    fn part(&self, key: &[u8]) -> (MutexGuard<'_, Part>, u64) {
        let hash = self.hasher.hash_one(key);
        // The table itself takes the lowest and the highest bits.
        let part = (hash >> 32) as usize % PARTS;
        (self.parts[part].lock().unwrap_or_else(PoisonError::into_inner), hash)
    }

    #[inline]
    fn read(&self, key: &[u8], field: Option<u32>, reply: &mut Reply) {
        let (part, hash) = self.part(key);
        if let Some((_, record)) = part.find(hash, |(other, _)| other.bytes() == key) {
            reply.row();
            match field {
                Some(field) => reply.field(field, record.value(field as usize)),
                None => (0..record.ends.len()).for_each(|field| reply.field(field as u32, record.value(field))),
            }
        }
    }

    #[inline]
    fn update(&self, key: &[u8], values: &Values, reply: &mut Reply) {
        let (mut part, hash) = self.part(key);
        if let Some((_, record)) = part.find_mut(hash, |(other, _)| other.bytes() == key) {
            values.iter().for_each(|(field, value)| record.set(field as usize, value));
            reply.row();
            reply.bytes += values.size();
        }
    }

    fn insert(&self, key: &[u8], values: &Values, reply: &mut Reply) -> Result<(), Fault> {
        let record = Record::new(values.iter().map(|(_, value)| value));
        let (mut part, hash) = self.part(key);
        if part.find(hash, |(other, _)| other.bytes() == key).is_some() {
            return Err(Fault::refused(Cause::Constraint, "there is a record with this key already"));
        }
        part.insert_unique(hash, (Key::new(key), record), |(other, _)| self.hasher.hash_one(other.bytes()));
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

    fn remove(&self, key: &[u8]) -> bool {
        let (mut part, hash) = self.part(key);
        let found = part.find_entry(hash, |(other, _)| other.bytes() == key).map(|entry| entry.remove()).is_ok();
        drop(part);
        self.keys.write().unwrap_or_else(PoisonError::into_inner).remove(key);
        found
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

    fn remove(&self, keys: &[Vec<u8>]) -> Result<u64, Fault> {
        Ok(keys.iter().filter(|key| self.store.remove(key)).count() as u64)
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
}
