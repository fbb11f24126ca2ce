//! SQLite, 12,500 INSERTs: one transaction per row, each made durable.
//!
//! **The original.** A shell script makes a table, copies a file of 2,500 INSERT statements and feeds it five times to the
//! `sqlite3` shell, each time a new process, all timed. No transaction is begun, so that each statement is one: with
//! SQLite's defaults (rollback journal deleted at each commit, `synchronous=FULL`) it makes and removes a journal and
//! waits for four sync calls. Score: seconds of the whole.
//!
//! **Made equal.** SQLite itself, built in, with page size 1024 as in 3.7.3; the statements go through its parser one by
//! one, read from a file; the copy of that file and a new connection per pass are timed. No statement is prepared twice.
//!
//! **What it cannot say.** The start of five processes (some milliseconds each) is not in it. The real statement file was
//! not at hand: its exact bytes, and that it has no explicit transaction, are UNVERIFIED, as is the choice between `fsync`
//! and `fdatasync` of 3.7.3. With `durable` = `none`, `synchronous` is `OFF`.

use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::Path;

use plimsoll_core::parameters::{bytes, count, parameters};
use plimsoll_core::random::{Purpose, Stream};
use rusqlite::Connection;

use crate::common::{Common, Durable, one_thread};
use crate::context::WorkerContext;
use crate::fault::{Fault, Result};
use crate::outcome::{Expected, PhasePlan, Plan};
use crate::phase::Phase;
use crate::tally::OpKind;
use crate::workload::{Definition, Measure, Workload, higher, lower, per_second, seconds};

/// A small instance.
pub const EXAMPLE: &str = r#"{"inserts":20,"passes":2,"page_size":1024}"#;

parameters! {
    /// What can be set.
    #[derive(Eq)]
    pub struct Parameters {
        /// Statements in the file.
        inserts: u64 = 2500, in count(1..=500_000);
        /// Times that the file is fed to a new connection.
        /// In profiles from 1.9.0 on 3, another test.
        passes: u64 = 5, in count(1..=1 << 20);
        /// Bytes of a database page.
        /// 1024 was the default until SQLite 3.12.
        page_size: u64 = 1024, in bytes(512..=65_536);
    }
}

const STATEMENTS: &str = "sqlite-insertions.txt";
const COPY: &str = "sqlite-insertions-copy.txt";
const DATABASE: &str = "benchmark.db";
const TABLE: &str = "CREATE TABLE pts1 ('I' SMALLINT NOT NULL, 'DT' TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP, \
                     'F1' VARCHAR(4) NOT NULL, 'F2' VARCHAR(16) NOT NULL);";
/// About the length of a statement and of its row.
const STATEMENT_BYTES: u64 = 110;
const ROW_BYTES: u64 = 60;

impl Definition for Parameters {
    fn validate(&self, common: &Common) -> Result<()> {
        one_thread(common, "sqlite")?;
        if !self.page_size.is_power_of_two() || !(512..=65_536).contains(&self.page_size) {
            return Err(Fault::spec(format!("page_size is {}: use a power of two from 512 to 65536", self.page_size)));
        }
        Ok(())
    }

    fn plan(&self, _common: &Common) -> Plan {
        let rows = self.inserts * self.passes;
        Plan {
            phases: vec![PhasePlan {
                name: "insert".to_owned(),
                writes: true,
                reads: false,
                expected: Expected::Calls(rows),
            }],
            disk_bytes: 2 * self.inserts * STATEMENT_BYTES + rows * ROW_BYTES + 16 * self.page_size,
            // Per row: the journal's header twice and old pages, then two pages of the database.
            written_bytes: rows * (4 * self.page_size + 1024),
            read_bytes: 0,
            files: 4,
            memory_bytes: self.inserts * STATEMENT_BYTES + (4 << 20),
        }
    }

    fn begin(&self, _common: &Common) -> Box<dyn Workload> {
        Box::new(Sqlite { parameters: self.clone() })
    }
}

struct Sqlite {
    parameters: Parameters,
}

impl Workload for Sqlite {
    fn prepare(&mut self, phase: &Phase<'_>) -> Result<()> {
        let mut stream = Stream::new(phase.common.seed, 0, Purpose::Content);
        let mut text = String::new();
        for number in 1..=self.parameters.inserts {
            let (short, long) = (stream.below(10_000), stream.below(10_000_000_000_000_000));
            // Writing to a string cannot fail.
            let _ = writeln!(
                text,
                "INSERT INTO 'pts1' ('I', 'DT', 'F1', 'F2') VALUES ('{number}', CURRENT_TIMESTAMP, '{short:04}', '{long:016}');"
            );
        }
        let path = phase.place().join(STATEMENTS);
        fs::write(&path, text).map_err(|error| failed(OpKind::Write, &path, &error))
    }

    fn measure(&mut self, _planned: &PhasePlan, phase: &Phase<'_>) -> Result<Measure> {
        let place = phase.place();
        let (source, copy, database) = (place.join(STATEMENTS), place.join(COPY), place.join(DATABASE));
        let synchronous = if phase.common.durable == Durable::None { "OFF" } else { "FULL" };
        let setting = format!(
            "PRAGMA page_size={}; PRAGMA journal_mode=DELETE; PRAGMA synchronous={synchronous};",
            self.parameters.page_size
        );
        let (rows, elapsed_ns) = phase.timed(|context| {
            fs::copy(&source, &copy).map_err(|error| failed(OpKind::Write, &copy, &error))?;
            let table = open(&database, &setting)?;
            execute(&table, TABLE, &database)?;
            close(table, &database)?;
            for _ in 0..self.parameters.passes {
                let connection = open(&database, &setting)?;
                let text = fs::read_to_string(&copy).map_err(|error| failed(OpKind::Read, &copy, &error))?;
                text.lines().try_for_each(|statement| commit(context, &connection, statement, &database))?;
                close(connection, &database)?;
            }
            Ok(self.parameters.inserts * self.parameters.passes)
        })?;
        verify(&database, rows)?;
        let scores = vec![
            lower("duration", seconds(elapsed_ns), "s"),
            higher("inserts_per_second", per_second(rows, elapsed_ns), "inserts/s"),
        ];
        Ok(Measure { elapsed_ns, operations: rows, bytes: 0, scores, points: Vec::new() })
    }
}

fn open(path: &Path, setting: &str) -> Result<Connection> {
    let connection = plimsoll_sqlite::open(path).map_err(|error| faulty("open", path, &error))?;
    connection.execute_batch(setting).map_err(|error| faulty("open", path, &error))?;
    Ok(connection)
}

fn close(connection: Connection, path: &Path) -> Result<()> {
    connection.close().map_err(|(_, error)| faulty("close", path, &error))
}

fn execute(connection: &Connection, statement: &str, path: &Path) -> Result<()> {
    connection.execute(statement, []).map(|_| ()).map_err(|error| faulty("commit", path, &error))
}

fn commit(context: &mut WorkerContext<'_>, connection: &Connection, statement: &str, path: &Path) -> Result<()> {
    context.check()?;
    let start_ns = context.now_ns();
    execute(connection, statement, path)?;
    let end_ns = context.now_ns();
    context.record(OpKind::Commit, start_ns, end_ns, 0);
    Ok(())
}

/// Every row is there.
fn verify(path: &Path, rows: u64) -> Result<()> {
    let connection = open(path, "")?;
    let found: i64 = connection
        .query_row("SELECT count(*) FROM pts1", [], |row| row.get(0))
        .map_err(|error| faulty("read", path, &error))?;
    if found == rows as i64 {
        return Ok(());
    }
    Err(Fault::Workload(format!("{} has {found} rows after {rows} inserts: the storage lost some", path.display())))
}

fn failed(kind: OpKind, path: &Path, error: &io::Error) -> Fault {
    Fault::call(kind.name(), &path.display().to_string(), None, error)
}

/// SQLite tells full and faulty disks by codes of its own.
fn faulty(operation: &'static str, path: &Path, error: &rusqlite::Error) -> Fault {
    let errno = match error.sqlite_error_code() {
        Some(rusqlite::ErrorCode::DiskFull) => Some(libc::ENOSPC),
        Some(rusqlite::ErrorCode::SystemIoFailure) => Some(libc::EIO),
        Some(rusqlite::ErrorCode::ReadOnly) => Some(libc::EROFS),
        _ => None,
    };
    match errno {
        Some(errno) => Fault::call(operation, &path.display().to_string(), None, &io::Error::from_raw_os_error(errno)),
        None => Fault::Workload(format!("{operation} of {} failed: {error}", path.display())),
    }
}
