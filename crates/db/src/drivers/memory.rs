//! Records in this process's own memory: an upper bound for any store, and the yardstick of the client's speed.
//!
//! A hash map in 64 parts, each behind a lock of its own (one part without a lock where one thread does everything), and
//! an ordered set of the keys for scans. Values are not copied out: a reader sees them under the lock. Every job begins
//! with an empty store.

mod rows;
mod table;

use std::cell::UnsafeCell;
use std::collections::BTreeSet;
use std::hash::BuildHasher;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use foldhash::fast::FixedState;

use crate::admit;
use crate::driver::{Caps, Driver, Reply, Request, Session, State, Values};
use crate::fault::{Cause, Fault, JobError};
use crate::setup::Setup;
use crate::spec::Workload;
use rows::Rows;

/// Parts that are locked one by one.
const PARTS: usize = 64;

/// A part of the records and its lock.
#[derive(Debug)]
struct Part {
    lock: Mutex<()>,
    rows: UnsafeCell<Rows>,
}

/// The store.
#[derive(Debug)]
struct Store {
    parts: Vec<Part>,
    keys: RwLock<BTreeSet<Box<[u8]>>>,
    hasher: FixedState,
}

// SAFETY: rows are touched in `Store::with` only: under their lock, or by the only thread that there is at that time.
unsafe impl Sync for Store {}

impl Store {
    /// `alone`: one thread does everything, and nothing has to be locked.
    fn new(alone: bool, records: u64) -> Self {
        let parts = if alone { 1 } else { PARTS };
        let room = records as usize / parts;
        let part = |_| Part { lock: Mutex::new(()), rows: UnsafeCell::new(Rows::with_room(room)) };
        let parts = (0..parts).map(part).collect();
        Self { parts, keys: RwLock::new(BTreeSet::new()), hasher: FixedState::default() }
    }

    #[inline]
    fn hash(&self, key: &[u8]) -> u64 {
        self.hasher.hash_one(key)
    }

    /// Works on the part where a hash belongs.
    #[inline]
    fn with<T>(&self, hash: u64, work: impl FnOnce(&mut Rows) -> T) -> T {
        let alone = self.parts.len() == 1;
        // The table of a part takes the lowest bits and the upper half.
        let part = &self.parts[if alone { 0 } else { (hash >> 26) as usize % PARTS }];
        let _guard = (!alone).then(|| part.lock.lock().unwrap_or_else(PoisonError::into_inner));
        // SAFETY: the lock is held, or no other thread uses the store (see `Kind::new`). `work` is our own and does not
        // come back here.
        work(unsafe { &mut *part.rows.get() })
    }

    /// Finds the record that is needed soon, and has it brought near, and the place where a later one will be looked for.
    /// Without a lock, so only where none is needed.
    #[inline]
    fn expect(&self, later: &Expected, soon: &mut Expected) {
        if self.parts.len() == 1 {
            self.with(later.hash, |rows| {
                soon.row = rows.expect_row(soon.hash, soon.written);
                rows.expect(later.hash);
            });
        }
    }

    /// Works on a record, if it is there; it is likely to be the expected one.
    #[inline]
    fn find(&self, key: &[u8], expected: Expected, work: impl FnOnce(&mut Rows, u32)) {
        if self.parts.len() == 1 {
            self.with(0, |rows| {
                let row = match expected.row {
                    Some(row) if rows.is(row, key) => Some(row),
                    _ => rows.find(self.hash(key), key),
                };
                if let Some(row) = row {
                    work(rows, row);
                }
            });
        } else {
            let hash = self.hash(key);
            self.with(hash, |rows| {
                if let Some(row) = rows.find(hash, key) {
                    work(rows, row);
                }
            });
        }
    }

    #[inline]
    fn read(&self, key: &[u8], expected: Expected, field: Option<u32>, reply: &mut Reply) {
        self.find(key, expected, |rows, row| {
            reply.row();
            match field {
                Some(field) => reply.field(field, rows.value(row, field as usize)),
                None => rows.read(row, reply),
            }
        });
    }

    #[inline]
    fn update(&self, key: &[u8], expected: Expected, values: &Values, reply: &mut Reply) {
        self.find(key, expected, |rows, row| {
            values.iter().for_each(|(field, value)| rows.set(row, field as usize, value));
            reply.row();
            reply.bytes += values.size();
        });
    }

    fn insert(&self, key: &[u8], values: &Values, reply: &mut Reply) -> Result<(), Fault> {
        let hash = self.hash(key);
        self.with(hash, |rows| {
            if rows.find(hash, key).is_some() {
                return Err(Fault::refused(Cause::Constraint, "there is a record with this key already"));
            }
            rows.insert(hash, key, values, |key| self.hash(key));
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
            self.read(key, Expected::default(), field, reply);
        }
    }

    fn remove(&self, key: &[u8]) -> bool {
        let hash = self.hash(key);
        let found = self.with(hash, |rows| rows.remove(hash, key, |key| self.hash(key)));
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
        let records = if let Workload::Ycsb(ycsb) = &setup.spec.workload { ycsb.record_count } else { 0 };
        Ok(Self { store: Arc::new(Store::new(alone, records)) })
    }

    fn connect(&self, _client: u32) -> Result<Memory, Fault> {
        Ok(Memory { store: Arc::clone(&self.store), expected: [Expected::default(); 3] })
    }

    fn facts(&self) -> Result<Vec<(String, String)>, Fault> {
        Ok(vec![("durability".to_owned(), "none".to_owned())])
    }

    fn remove(&self, keys: &[Vec<u8>]) -> Result<u64, Fault> {
        Ok(keys.iter().filter(|key| self.store.remove(key)).count() as u64)
    }
}

/// What an operation will be about.
#[derive(Debug, Clone, Copy, Default)]
struct Expected {
    hash: u64,
    /// The one field that it writes.
    written: Option<u32>,
    /// Number of a record with this hash.
    row: Option<u32>,
}

/// One client.
#[derive(Debug)]
pub struct Memory {
    store: Arc<Store>,
    /// The next operation and two after it.
    expected: [Expected; 3],
}

impl Session for Memory {
    const LOOKS_AHEAD: bool = true;

    #[inline]
    fn expect(&mut self, key: &[u8], written: Option<u32>) {
        let [_, next, mut soon] = self.expected;
        let later = Expected { hash: self.store.hash(key), written, row: None };
        self.store.expect(&later, &mut soon);
        self.expected = [next, soon, later];
    }

    #[inline]
    fn start(&mut self, request: &Request<'_>, reply: &mut Reply) -> Result<State, Fault> {
        let expected = self.expected[0];
        match *request {
            Request::Read { key, field } => self.store.read(key, expected, field, reply),
            Request::Update { key, values } => self.store.update(key, expected, values, reply),
            Request::Insert { key, values } => self.store.insert(key, values, reply)?,
            Request::Scan { key, count, field } => self.store.scan(key, count, field, reply),
            Request::Statement(..) | Request::Get => return Err(Fault::protocol("not a request of YCSB")),
        }
        Ok(State::Done)
    }
}
