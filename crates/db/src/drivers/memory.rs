//! Records in this process's own memory: an upper bound for any store, and the yardstick of the client's speed.
//!
//! A hash map in 64 parts, each behind a lock of its own, and an ordered set of the keys for scans. Values are not copied
//! out: a reader sees them under the lock. Every job begins with an empty store.

use std::cell::UnsafeCell;
use std::collections::BTreeSet;
use std::hash::BuildHasher;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use foldhash::fast::FixedState;
use hashbrown::HashTable;

use crate::admit;
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

/// Where the values of a record end. Values of one length, which is what YCSB has by default, are counted without looking
/// anywhere else.
#[derive(Debug)]
enum Ends {
    Equal { fields: u32, length: u32 },
    Each(Box<[u32]>),
}

/// One record.
#[derive(Debug)]
struct Record {
    ends: Ends,
    values: Box<[u8]>,
}

impl Record {
    fn new<'a>(values: impl Iterator<Item = &'a [u8]>) -> Self {
        let (mut ends, mut bytes) = (Vec::new(), Vec::new());
        for value in values {
            bytes.extend_from_slice(value);
            ends.push(bytes.len() as u32);
        }
        let length = ends.first().copied().unwrap_or_default();
        let equal = (1..).zip(&ends).all(|(number, &end)| end == number * length);
        let fields = ends.len() as u32;
        let ends = if equal { Ends::Equal { fields, length } } else { Ends::Each(ends.into()) };
        Self { ends, values: bytes.into() }
    }

    #[inline]
    fn fields(&self) -> usize {
        match &self.ends {
            Ends::Equal { fields, .. } => *fields as usize,
            Ends::Each(ends) => ends.len(),
        }
    }

    #[inline]
    fn place(&self, field: usize) -> Range<usize> {
        match &self.ends {
            Ends::Equal { fields, length } if field < *fields as usize => {
                let length = *length as usize;
                field * length..(field + 1) * length
            }
            Ends::Each(ends) if field < ends.len() => {
                let start = if field == 0 { 0 } else { ends[field - 1] };
                start as usize..ends[field] as usize
            }
            _ => 0..0,
        }
    }

    #[inline]
    fn value(&self, field: usize) -> &[u8] {
        &self.values[self.place(field)]
    }

    #[inline]
    fn set(&mut self, field: usize, value: &[u8]) {
        let place = self.place(field);
        if place.len() == value.len() {
            self.values[place].copy_from_slice(value);
        } else if field < self.fields() {
            let fields = 0..self.fields();
            *self = Self::new(fields.map(|other| if other == field { value } else { self.value(other) }));
        }
    }
}

type Table = HashTable<(Key, Record)>;

/// A part of the table and its lock.
#[derive(Debug, Default)]
struct Part {
    lock: Mutex<()>,
    table: UnsafeCell<Table>,
}

/// The store.
#[derive(Debug)]
struct Store {
    parts: Vec<Part>,
    keys: RwLock<BTreeSet<Box<[u8]>>>,
    hasher: FixedState,
    /// One thread does everything, and no part has to be locked.
    alone: bool,
}

// SAFETY: a table is touched in `Store::with` only: under its lock, or by the only thread that there is at that time.
unsafe impl Sync for Store {}

impl Store {
    fn new(alone: bool) -> Self {
        let parts = (0..PARTS).map(|_| Part::default()).collect();
        Self { parts, keys: RwLock::new(BTreeSet::new()), hasher: FixedState::default(), alone }
    }

    /// Works on the part where a key belongs; told its hash there.
    #[inline]
    fn with<T>(&self, key: &[u8], work: impl FnOnce(&mut Table, u64) -> T) -> T {
        let hash = self.hasher.hash_one(key);
        // The table itself takes the lowest and the highest bits.
        let part = &self.parts[(hash >> 32) as usize % PARTS];
        let _guard = (!self.alone).then(|| part.lock.lock().unwrap_or_else(PoisonError::into_inner));
        // SAFETY: the lock is held, or no other thread uses the store (see `Kind::new`). `work` is our own and does not
        // come back here.
        work(unsafe { &mut *part.table.get() }, hash)
    }

    #[inline]
    fn read(&self, key: &[u8], field: Option<u32>, reply: &mut Reply) {
        self.with(key, |table, hash| {
            let Some((_, record)) = table.find(hash, |(other, _)| other.bytes() == key) else { return };
            reply.row();
            match field {
                Some(field) => reply.field(field, record.value(field as usize)),
                None => (0..record.fields()).for_each(|field| reply.field(field as u32, record.value(field))),
            }
        });
    }

    #[inline]
    fn update(&self, key: &[u8], values: &Values, reply: &mut Reply) {
        self.with(key, |table, hash| {
            let Some((_, record)) = table.find_mut(hash, |(other, _)| other.bytes() == key) else { return };
            values.iter().for_each(|(field, value)| record.set(field as usize, value));
            reply.row();
            reply.bytes += values.size();
        });
    }

    fn insert(&self, key: &[u8], values: &Values, reply: &mut Reply) -> Result<(), Fault> {
        let record = Record::new(values.iter().map(|(_, value)| value));
        self.with(key, |table, hash| {
            if table.find(hash, |(other, _)| other.bytes() == key).is_some() {
                return Err(Fault::refused(Cause::Constraint, "there is a record with this key already"));
            }
            table.insert_unique(hash, (Key::new(key), record), |(other, _)| self.hasher.hash_one(other.bytes()));
            Ok(())
        })?;
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
        let found = self.with(key, |table, hash| {
            table.find_entry(hash, |(other, _)| other.bytes() == key).map(|entry| entry.remove()).is_ok()
        });
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
        // The runner touches the store before and after its threads only.
        let alone = admit::threads(&setup.spec, Self::CAPS.server) == 1;
        Ok(Self { store: Arc::new(Store::new(alone)) })
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

#[cfg(test)]
mod tests {
    use super::*;

    fn values(record: &Record) -> Vec<&[u8]> {
        (0..record.fields()).map(|field| record.value(field)).collect()
    }

    #[test]
    fn values_of_one_length_and_of_many_are_the_same_record() {
        let mut record = Record::new(["ab", "cd", "ef"].map(str::as_bytes).into_iter());
        assert!(matches!(record.ends, Ends::Equal { fields: 3, length: 2 }));
        record.set(1, b"XY");
        assert_eq!(values(&record), [b"ab".as_slice(), b"XY", b"ef"]);
        record.set(0, b"longer");
        assert!(matches!(record.ends, Ends::Each(_)));
        assert_eq!(values(&record), [b"longer".as_slice(), b"XY", b"ef"]);
        record.set(2, b"");
        record.set(7, b"none");
        assert_eq!(values(&record), [b"longer".as_slice(), b"XY", b""]);
        assert_eq!(record.value(7), b"");
        assert_eq!(size_of::<(Key, Record)>(), 64, "an entry is one line of the cache");
    }
}
