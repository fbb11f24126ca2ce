//! How a database is spoken to.
//!
//! A [`Driver`] knows one database; a [`Session`] is one client's connection to it. Sessions never wait: a request is
//! started, and either it is done at once (embedded databases) or the session is resumed when its descriptor is ready. So
//! one thread serves any number of clients. Neither reads the clock, chooses a key or counts.

use std::os::fd::RawFd;
use std::sync::Arc;

use crate::caps::Caps;
use crate::fault::{Fault, JobError};
use crate::integrity::Checker;
use crate::outcome::Made;
use crate::ownership::Whose;
use crate::setup::Setup;

/// The tables of a workload as they are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Found {
    /// YCSB: records; TPC-B: accounts.
    pub records: u64,
    /// YCSB: fields per record, where the database knows; TPC-B: branches.
    pub shape: Option<u64>,
    /// Who made it.
    pub whose: Whose,
}

/// One database. All methods but [`Driver::connect`] are for preparing, and may take their time; what has no tables needs
/// none of those that are about tables.
pub trait Driver: Sized + Send + Sync + 'static {
    /// One client's connection.
    type Session: Session;
    /// What it is and can do.
    const CAPS: Caps;

    /// Why this machine cannot use it, if so.
    fn available() -> Result<(), String> {
        Ok(())
    }

    /// Reads the URL; opens nothing on the network yet.
    fn new(setup: Arc<Setup>) -> Result<Self, JobError>;

    /// Opens the connection of client `client`, ready for the workload whose tables exist.
    fn connect(&self, client: u32) -> Result<Self::Session, Fault>;

    /// Versions and settings of the server.
    fn facts(&self) -> Result<Vec<(String, String)>, Fault>;

    /// Numbers that the server keeps of itself, named as in [`crate::outcome::Counters`]; those that it does not tell this
    /// user are left out.
    fn counters(&self) -> Result<Vec<(&'static str, u64)>, Fault> {
        Ok(Vec::new())
    }

    /// Rows in the table that the workload's writes add to; nothing where they add none.
    fn rows(&self) -> Result<Option<u64>, Fault> {
        Ok(None)
    }

    /// What is in the workload's tables; nothing when there are none. It changes nothing: what is there may be somebody
    /// else's.
    fn look(&self) -> Result<Option<Found>, Fault> {
        Ok(None)
    }

    /// Makes empty tables, with our mark.
    fn create(&self) -> Result<(), Fault> {
        Ok(())
    }

    /// Marks data of ours once more, where a server may have lost the mark and kept, or got, the data: by a crash without
    /// a log, or because it had too little memory.
    fn mark(&self) -> Result<(), Fault> {
        Ok(())
    }

    /// Removes the tables and everything in them.
    fn drop_tables(&self) -> Result<(), Fault> {
        Ok(())
    }

    /// Everything in the database that carries our mark, whichever workload made it.
    fn made(&self) -> Result<Vec<Made>, Fault> {
        Ok(Vec::new())
    }

    /// Removes what [`Driver::made`] names so.
    fn unmake(&self, name: &str) -> Result<(), Fault> {
        let _ = name;
        Ok(())
    }

    /// Fills TPC-B's tables; told how far it is.
    fn fill(&self, told: &mut dyn FnMut(f64) -> bool) -> Result<(), Fault> {
        let _ = told;
        Ok(())
    }

    /// Removes records by key and says how many there were.
    fn remove(&self, keys: &[Vec<u8>]) -> Result<u64, Fault> {
        let _ = keys;
        Ok(0)
    }

    /// After a load and before a run: what the original does (vacuum, statistics, an empty history).
    fn settle(&self) -> Result<(), Fault> {
        Ok(())
    }
}

/// How far a request is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// The reply is complete.
    Done,
    /// Resume when the descriptor is ready.
    Waiting,
}

/// One connection. At most one request is in progress. What does every request at once needs [`Session::start`] only.
pub trait Session: Send {
    /// Begins a request.
    fn start(&mut self, request: &Request<'_>, reply: &mut Reply) -> Result<State, Fault>;

    /// Goes on with it.
    fn resume(&mut self, reply: &mut Reply) -> Result<State, Fault> {
        let _ = reply;
        Ok(State::Done)
    }

    /// What to watch, edge-triggered, for reading and writing; nothing when every request is done at once.
    fn descriptor(&mut self) -> Option<RawFd> {
        None
    }

    /// The descriptor is another one than when this was asked last.
    fn reopened(&mut self) -> bool {
        false
    }
}

/// One request. Keys and values live in the generator's buffers.
#[derive(Debug)]
pub enum Request<'a> {
    /// All fields, or one.
    Read { key: &'a [u8], field: Option<u32> },
    /// Some fields.
    Update { key: &'a [u8], values: &'a Values },
    /// All fields.
    Insert { key: &'a [u8], values: &'a Values },
    /// `count` records from `key` on.
    Scan { key: &'a [u8], count: u32, field: Option<u32> },
    /// One statement of a TPC-B script.
    Statement(Statement, Numbers),
    /// The page.
    Get,
}

/// A statement of pgbench's scripts, in their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(usize)]
pub enum Statement {
    Begin,
    UpdateAccounts,
    SelectAccounts,
    UpdateTellers,
    UpdateBranches,
    InsertHistory,
    End,
    Rollback,
}

/// What a transaction is about.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Numbers {
    pub aid: i32,
    pub bid: i32,
    pub tid: i32,
    pub delta: i32,
}

/// Values of consecutive fields, in one buffer.
#[derive(Debug, Default)]
pub struct Values {
    first: u32,
    ends: Vec<u32>,
    bytes: Vec<u8>,
}

impl Values {
    /// Forgets everything; the next value is that of field `first`.
    #[inline]
    pub fn begin(&mut self, first: u32) {
        self.first = first;
        self.ends.clear();
        self.bytes.clear();
    }

    /// Adds the value of the next field, which `write` appends to the buffer.
    #[inline]
    pub fn push(&mut self, write: impl FnOnce(&mut Vec<u8>)) {
        write(&mut self.bytes);
        self.ends.push(self.bytes.len() as u32);
    }

    /// Number of fields.
    #[inline]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Bytes of all values.
    #[inline]
    pub fn size(&self) -> u64 {
        self.bytes.len() as u64
    }

    /// First field.
    #[inline]
    pub fn first(&self) -> u32 {
        self.first
    }

    /// Number and value of each field.
    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = (u32, &[u8])> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        (self.first..)
            .zip(starts.zip(&self.ends))
            .map(|(field, (start, &end))| (field, &self.bytes[start as usize..end as usize]))
    }
}

/// What came back; the session reports each row and value once.
#[derive(Debug, Default)]
pub struct Reply {
    /// Rows found or changed.
    pub rows: u32,
    /// Values that came back.
    pub fields: u32,
    /// Bytes of the values.
    pub bytes: u64,
    /// Values that were not what they had to be.
    pub wrong: u32,
    /// Present when values are checked.
    pub checker: Option<Box<Checker>>,
}

impl Reply {
    /// Before a request.
    #[inline]
    pub fn begin(&mut self) {
        (self.rows, self.fields, self.bytes, self.wrong) = (0, 0, 0, 0);
    }

    /// One row found or changed.
    #[inline]
    pub fn row(&mut self) {
        self.rows += 1;
    }

    /// One value of field `field`.
    #[inline]
    pub fn field(&mut self, field: u32, value: &[u8]) {
        self.fields += 1;
        self.bytes += value.len() as u64;
        if let Some(checker) = &mut self.checker
            && !checker.is_right(field, value)
        {
            self.wrong += 1;
        }
    }
}
