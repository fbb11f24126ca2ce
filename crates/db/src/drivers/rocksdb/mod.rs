//! RocksDB, as YCSB's binding has it: a column family per table, records of named fields. The system's library does it all.

mod database;
mod folder;
mod library;
mod record;
mod settings;
mod threads;

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};

use crate::caps::{Caps, Level};
use crate::driver::{Driver, Found, Reply, Request, Session, State};
use crate::fault::{Cause, Fault, JobError};
use crate::outcome::Made;
use crate::ownership::Whose;
use crate::setup::Setup;
use crate::spec::{Data, Durability};
use crate::url;

use database::{Db, Table};
use folder::Holds;
use settings::Settings;

/// Settings that decide what a number means, in the words of RocksDB's own list.
const FACTS: [&str; 14] = [
    "rocksdb_version",
    "write_buffer_size",
    "max_write_buffer_number",
    "max_background_jobs",
    "max_total_wal_size",
    "wal_bytes_per_sync",
    "bytes_per_sync",
    "manual_wal_flush",
    "use_fsync",
    "use_direct_reads",
    "use_direct_io_for_flush_and_compaction",
    "allow_mmap_reads",
    "compression_per_level",
    "block_size",
];

/// Why a database is left alone.
const FOREIGN: &str = "the folder holds a RocksDB database without a mark of Plimsoll's";

/// The driver.
pub struct RocksdbDriver {
    setup: Arc<Setup>,
    settings: Settings,
    path: String,
    opened: Mutex<Option<Opened>>,
}

/// The database, from its first use to the end of the job.
struct Opened {
    db: Arc<Db>,
    table: Option<Arc<Table>>,
}

impl Driver for RocksdbDriver {
    type Session = RocksDb;
    const CAPS: Caps = Caps {
        name: "rocksdb",
        description: "RocksDB (the system's library), a folder; tables and records as YCSB's binding has them",
        schemes: &[("rocksdb", 0)],
        url: "rocksdb:/path/of/folder",
        workloads: &["ycsb"],
        settings: true,
        data: "rocksdb",
        folder: true,
        durability: &[
            Level { durability: Durability::Full, settings: &[("sync", "true")] },
            Level { durability: Durability::Relaxed, settings: &[("sync", "false")] },
            Level { durability: Durability::None, settings: &[("sync", "false"), ("disableWAL", "true")] },
        ],
        counters: &["compactions", "data_bytes"],
        replaces: true,
        ..Caps::EMBEDDED
    };

    fn available() -> Result<(), String> {
        library::api().map(drop).map_err(str::to_owned)
    }

    fn new(setup: Arc<Setup>) -> Result<Self, JobError> {
        let settings = Settings::new(&setup)?;
        Self::available().map_err(JobError::connect)?;
        let Some(path) = url::path(&setup.spec.url, Self::CAPS.schemes) else {
            return Err(JobError::spec("the URL of a RocksDB database is rocksdb: and the absolute path of a folder"));
        };
        let path = path.trim_end_matches('/').to_owned();
        if !Path::new(&path).parent().is_some_and(Path::is_dir) {
            return Err(JobError::spec(format!(
                "there is no folder to make the RocksDB database {path} in: make it first"
            )));
        }
        Ok(Self { setup, settings, path, opened: Mutex::new(None) })
    }

    fn connect(&self, _client: u32) -> Result<RocksDb, Fault> {
        let table = self.with(|opened| Ok(opened.table.clone()))?;
        let missing = || Fault::refused(Cause::Server, format!("there is no table {} in {}", self.name(), self.path));
        Ok(RocksDb { table: table.ok_or_else(missing)?, record: Vec::new() })
    }

    fn facts(&self) -> Result<Vec<(String, String)>, Fault> {
        let options = self.with(|opened| Ok(opened.db.options()))?;
        // Levels that are compressed alike are told once.
        let brief = |value: &str| {
            let mut levels: Vec<&str> = value.split(':').collect();
            levels.dedup();
            levels.join(", then ")
        };
        let known = options.into_iter().filter(|(name, _)| FACTS.contains(&name.as_str()));
        let known = known.map(|(name, value)| (name, brief(&value)));
        let own = [
            ("server", "RocksDB".to_owned()),
            ("sync", self.settings.sync.to_string()),
            ("wal", if self.settings.log { "on" } else { "off" }.to_owned()),
        ];
        Ok(own.into_iter().map(|(name, value)| (name.to_owned(), value)).chain(known).collect())
    }

    fn counters(&self) -> Result<Vec<(&'static str, u64)>, Fault> {
        // The library tells of its work in a file beside the data, one event a line; the sizes are those of the files.
        let files = std::fs::read_dir(&self.path)?.flatten();
        let sizes = files.filter(|file| file.file_name().to_string_lossy().ends_with(".sst"));
        let data = sizes.filter_map(|file| file.metadata().ok()).map(|about| about.len()).sum();
        let events = BufReader::new(File::open(Path::new(&self.path).join("LOG"))?);
        let begun = events.split(b'\n').map_while(Result::ok).filter(|line| tells_of_compaction(line)).count();
        Ok(vec![("data_bytes", data), ("compactions", begun as u64)])
    }

    fn look(&self) -> Result<Option<Found>, Fault> {
        let others = |what| Ok(Some(Found { records: 0, shape: None, whose: Whose::Others(what) }));
        let holds = folder::look(&self.path)?;
        let ours = match &holds {
            Holds::Nothing => return Ok(None),
            Holds::Files => {
                let why = format!("the folder {} holds other files: name an empty one, or a new one", self.path);
                return Err(Fault::broken(Cause::Connect, why));
            }
            Holds::Ours(tables) => tables.contains(self.name()),
            // It is opened where the user says that this very table is to be used.
            Holds::Foreign if self.setup.spec.data == Data::Keep => false,
            Holds::Foreign => return others(FOREIGN),
        };
        let Some(table) = self.with(|opened| Ok(opened.table.clone()))? else {
            return if holds == Holds::Foreign { others(FOREIGN) } else { Ok(None) };
        };
        let mut shape = None;
        let records = table.scan(b"", u64::MAX, |bytes| {
            if self.setup.stopped.load(Ordering::Relaxed) {
                return Err(Fault::refused(Cause::Server, "stopped while counting the records"));
            }
            if shape.is_none() {
                shape = Some(record::count(bytes)?);
            }
            Ok(())
        })?;
        Ok(Some(Found { records, shape, whose: if ours { Whose::Ours } else { Whose::Unmarked } }))
    }

    fn create(&self) -> Result<(), Fault> {
        self.own(self.name(), true)?;
        self.with(|opened| {
            opened.table = Some(Arc::new(opened.db.create(self.name())?));
            Ok(())
        })
    }

    fn drop_tables(&self) -> Result<(), Fault> {
        // Nobody else has the table while data are prepared.
        self.with(|opened| opened.table.take().and_then(Arc::into_inner).map_or(Ok(()), Table::remove))
    }

    fn made(&self) -> Result<Vec<Made>, Fault> {
        let Holds::Ours(tables) = folder::look(&self.path)? else { return Ok(Vec::new()) };
        let mut found = Vec::new();
        for name in tables {
            if let (_db, Some(table)) = Db::open(&self.path, &name, &self.settings)? {
                let records = table.scan(b"", u64::MAX, |_| Ok(()))?;
                found.push(Made { name, records, bytes: None });
            }
        }
        Ok(found)
    }

    fn unmake(&self, name: &str) -> Result<(), Fault> {
        let (db, table) = Db::open(&self.path, name, &self.settings)?;
        table.map_or(Ok(()), Table::remove)?;
        db.list_tables()?;
        self.own(name, false)
    }

    fn remove(&self, keys: &[Vec<u8>]) -> Result<u64, Fault> {
        let Some(table) = self.with(|opened| Ok(opened.table.clone()))? else { return Ok(0) };
        let mut removed = 0;
        for key in keys {
            if table.get(key, |_| Ok(()))?.is_some() {
                table.delete(key)?;
                removed += 1;
            }
        }
        Ok(removed)
    }
}

impl RocksdbDriver {
    fn name(&self) -> &str {
        self.setup.ycsb().map_or("usertable", |ycsb| &ycsb.table)
    }

    /// Puts a table on the list of ours, or takes it off; in somebody else's database it is not ours.
    fn own(&self, name: &str, ours: bool) -> Result<(), Fault> {
        let mut tables = match folder::look(&self.path)? {
            Holds::Ours(tables) => tables,
            Holds::Nothing => BTreeSet::new(),
            Holds::Foreign | Holds::Files => return Ok(()),
        };
        if ours {
            tables.insert(name.to_owned())
        } else {
            tables.remove(name)
        };
        folder::mark(&self.path, &tables)
    }

    /// Works with the database, which is opened when it is not.
    fn with<T>(&self, work: impl FnOnce(&mut Opened) -> Result<T, Fault>) -> Result<T, Fault> {
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        if opened.is_none() {
            if folder::look(&self.path)? == Holds::Nothing {
                // Before there is a database, so that none of ours is ever without.
                folder::mark(&self.path, &BTreeSet::new())?;
            }
            let (db, table) = Db::open(&self.path, self.name(), &self.settings)?;
            *opened = Some(Opened { db, table: table.map(Arc::new) });
        }
        match &mut *opened {
            Some(opened) => work(opened),
            None => unreachable!("it was opened right now"),
        }
    }
}

/// One client. All of them share the database, which is made for that.
pub struct RocksDb {
    table: Arc<Table>,
    /// The record that is written.
    record: Vec<u8>,
}

impl Session for RocksDb {
    #[inline]
    fn start(&mut self, request: &Request<'_>, reply: &mut Reply) -> Result<State, Fault> {
        let Self { table, record: room } = self;
        room.clear();
        match *request {
            Request::Read { key, field } => {
                table.get(key, |bytes| record::take(bytes, field, reply))?;
            }
            Request::Insert { key, values } => {
                record::write(values, room);
                table.put(key, room)?;
                reply.row();
                reply.bytes += values.size();
            }
            Request::Update { key, values } => {
                // As in YCSB's binding a record is read, changed and written as a whole.
                if table.get(key, |bytes| record::write_changed(bytes, values, room))?.is_some() {
                    table.put(key, room)?;
                    reply.row();
                    reply.bytes += values.size();
                }
            }
            Request::Scan { key, count, field } => {
                table.scan(key, u64::from(count), |bytes| record::take(bytes, field, reply))?;
            }
            Request::Statement(..) | Request::Get => return Err(Fault::protocol("not a request of YCSB")),
        }
        Ok(State::Done)
    }
}

fn tells_of_compaction(line: &[u8]) -> bool {
    const EVENT: &[u8] = b"\"event\": \"compaction_started\"";
    line.windows(EVENT.len()).any(|part| part == EVENT)
}
