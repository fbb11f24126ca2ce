//! SQLite, built in: one connection per client on one database file.
//!
//! Statements are prepared once; the hot path calls SQLite's own functions, because the wrapper looks every statement up in
//! a cache by its text.

use std::ffi::{CStr, c_int};
use std::fs::File;
use std::io::Read as _;
use std::path::Path;
use std::sync::Arc;

use rusqlite::{Connection, OpenFlags, ffi};

use crate::caps::{Caps, Level};
use crate::console::{self, Console, Dialect};
use crate::driver::{Reply, Request, Session, State, Statement};
use crate::fault::{Cause, Fault, JobError};
use crate::ownership::MARK;
use crate::setup::Setup;
use crate::spec::Durability;
use crate::sql::{self, Database, Parameters, Statements};
use crate::url;

/// Settings that decide what a number means.
const FACTS: [&str; 8] = [
    "journal_mode",
    "synchronous",
    "page_size",
    "cache_size",
    "wal_autocheckpoint",
    "mmap_size",
    "locking_mode",
    "auto_vacuum",
];

/// The driver.
#[derive(Debug)]
pub struct SqliteDriver {
    setup: Arc<Setup>,
    path: String,
    statements: Arc<Statements>,
}

impl Database for SqliteDriver {
    type Session = Sqlite;
    type Console = Connection;
    const DIALECT: Dialect = Dialect::Sqlite;
    const CAPS: Caps = Caps {
        name: "sqlite",
        description: "SQLite (built in), a file; tables as YCSB's JDBC binding and pgbench have them",
        schemes: &[("sqlite", 0), ("sqlite3", 0)],
        url: "sqlite:/path/of/file.db",
        workloads: &["ycsb", "tpcb"],
        settings: true,
        data: "database.db",
        durability: &[
            Level { durability: Durability::Full, settings: &[("synchronous", "FULL")] },
            Level { durability: Durability::Relaxed, settings: &[("synchronous", "NORMAL")] },
            Level { durability: Durability::None, settings: &[("synchronous", "OFF")] },
        ],
        counters: &["data_bytes"],
        ..Caps::EMBEDDED
    };

    fn new(setup: Arc<Setup>) -> Result<Self, JobError> {
        let path = url::path(&setup.spec.url, <Self as Database>::CAPS.schemes);
        let Some(path) = path.filter(|path| !path.ends_with('/')) else {
            return Err(JobError::spec("the URL of a SQLite database is sqlite: and the absolute path of a file"));
        };
        if !Path::new(path).parent().is_some_and(Path::is_dir) {
            return Err(JobError::spec(format!("there is no folder for the SQLite database {path}: make it first")));
        }
        // SQLite would make a database of a block device as well, and of whatever is on it.
        if Path::new(path).metadata().is_ok_and(|found| !found.is_file()) {
            return Err(JobError::spec(format!(
                "{path} is a device or a folder, and SQLite needs a file: name another"
            )));
        }
        let plain = |text: &str| text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
        if let Some((name, _)) = setup.settings.iter().find(|(name, value)| !plain(name) || !plain(value)) {
            return Err(JobError::spec(format!("the setting {name:?} is not a PRAGMA with a plain value")));
        }
        let (path, statements) = (path.to_owned(), Arc::new(Statements::new(&setup, Dialect::Sqlite)));
        Ok(Self { setup, path, statements })
    }

    fn connect(&self, _client: u32) -> Result<Sqlite, Fault> {
        let connection = self.console()?;
        let mut session = Sqlite { statements: Vec::new(), connection, keyed: self.setup.ycsb().is_some() };
        for (text, _) in &self.statements.texts {
            let statement = session.prepare(text)?;
            session.statements.push(statement);
        }
        Ok(session)
    }

    fn facts(&self) -> Result<Vec<(String, String)>, Fault> {
        let mut facts =
            vec![("server".to_owned(), "SQLite".to_owned()), ("version".to_owned(), rusqlite::version().to_owned())];
        let mut connection = self.console()?;
        for name in FACTS {
            let rows = connection.query(&format!("PRAGMA {name}"))?;
            if let Some(Some(value)) = rows.into_iter().next().and_then(|row| row.into_iter().next()) {
                facts.push((name.to_owned(), value));
            }
        }
        Ok(facts)
    }

    fn counters(&self) -> Result<Vec<(&'static str, u64)>, Fault> {
        let size = "SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()";
        Ok(console::numbers(&mut self.console()?, &[(&["data_bytes"], size)]))
    }

    fn setup(&self) -> &Setup {
        &self.setup
    }

    fn console(&self) -> Result<Connection, Fault> {
        let failed = |error: rusqlite::Error| {
            Fault::broken(Cause::Connect, format!("cannot open the SQLite database {}: {error}", self.path))
        };
        let mut connection = plimsoll_sqlite::open(Path::new(&self.path)).map_err(failed)?;
        connection.busy_timeout(self.setup.timeout()).map_err(failed)?;
        for (name, value) in &self.setup.settings {
            connection.query(&format!("PRAGMA {name} = {value}"))?;
        }
        Ok(connection)
    }

    /// A file that is somebody else's is read, and nothing is made beside it: where a write-ahead log is in use but none is
    /// there, SQLite would make one even for a reader that cannot write, unless it is told that nobody else is at work.
    fn peek(&self) -> Result<Option<Connection>, Fault> {
        let Ok(mut file) = File::open(&self.path) else { return Ok(None) };
        let beside = |end: &str| Path::new(&format!("{}{end}", self.path)).metadata().is_ok_and(|file| file.len() > 0);
        let mut head = [0; 20];
        let has_log = file.read_exact(&mut head).is_ok() && head[18..] == [2, 2];
        let cut_off = beside("-journal");
        let mut connection = self.look_at(cut_off || (has_log && !beside("-wal")))?;
        // A change that was cut off is taken back by whoever opens the file for writing, which is ours to do in ours only.
        let ours = format!("SELECT 1 FROM sqlite_master WHERE sql LIKE '%/* {MARK}%'");
        if cut_off && connection.query(&ours).is_ok_and(|rows| !rows.is_empty()) {
            return self.console().map(Some);
        }
        Ok(Some(connection))
    }
}

impl SqliteDriver {
    /// A connection that only reads; `alone`: it may take it that nobody writes, and makes nothing beside the file.
    fn look_at(&self, alone: bool) -> Result<Connection, Fault> {
        let path = self.path.replace('%', "%25").replace('?', "%3f").replace('#', "%23");
        let place = format!("file:{path}?mode=ro{}", if alone { "&immutable=1" } else { "" });
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
        let failed = |error: rusqlite::Error| {
            Fault::broken(Cause::Connect, format!("cannot open the SQLite database {}: {error}", self.path))
        };
        let connection = plimsoll_sqlite::open_as(Path::new(&self.path), place, flags).map_err(failed)?;
        connection.busy_timeout(self.setup.timeout()).map_err(failed)?;
        Ok(connection)
    }
}

impl Console for Connection {
    fn query(&mut self, sql: &str) -> Result<Vec<Vec<Option<String>>>, Fault> {
        let failed = |error: rusqlite::Error| match error {
            rusqlite::Error::SqliteFailure(code, message) => {
                Fault::refused(cause_of(code.extended_code), message.unwrap_or_else(|| code.to_string()))
            }
            other => Fault::refused(Cause::Server, other.to_string()),
        };
        let mut statement = self.prepare(sql).map_err(failed)?;
        let columns = statement.column_count();
        let mut rows = statement.query([]).map_err(failed)?;
        let mut found = Vec::new();
        while let Some(row) = rows.next().map_err(failed)? {
            let cell = |column| {
                use rusqlite::types::ValueRef;
                Ok(match row.get_ref(column).map_err(failed)? {
                    ValueRef::Null => None,
                    ValueRef::Integer(number) => Some(number.to_string()),
                    ValueRef::Real(number) => Some(number.to_string()),
                    ValueRef::Text(bytes) | ValueRef::Blob(bytes) => Some(String::from_utf8_lossy(bytes).into_owned()),
                })
            };
            found.push((0..columns).map(cell).collect::<Result<_, Fault>>()?);
        }
        Ok(found)
    }
}

/// A prepared statement of the connection that is beside it.
#[derive(Debug)]
struct Prepared(*mut ffi::sqlite3_stmt);

impl Drop for Prepared {
    fn drop(&mut self) {
        // SAFETY: it was prepared by us, is finalized once, and its connection is still open (see `Sqlite`).
        unsafe { ffi::sqlite3_finalize(self.0) };
    }
}

/// One connection.
#[derive(Debug)]
pub struct Sqlite {
    /// Before the connection, so that they are dropped first.
    statements: Vec<Prepared>,
    connection: Connection,
    keyed: bool,
}

// SAFETY: the statements belong to the connection that moves with them, and SQLite is built to be used by one thread at a
// time, whichever.
unsafe impl Send for Sqlite {}

/// Changes the database does not report for a statement of this kind.
fn cause_of(code: c_int) -> Cause {
    match code & 0xFF {
        ffi::SQLITE_BUSY | ffi::SQLITE_LOCKED => Cause::Serialization,
        ffi::SQLITE_CONSTRAINT => Cause::Constraint,
        ffi::SQLITE_FULL => Cause::DiskFull,
        ffi::SQLITE_READONLY => Cause::ReadOnly,
        ffi::SQLITE_CANTOPEN => Cause::Connect,
        _ => Cause::Server,
    }
}

impl Sqlite {
    #[cold]
    fn fault(&self, code: c_int) -> Fault {
        // SAFETY: the connection is open; the message is valid until its next call, and copied before.
        let message = unsafe { CStr::from_ptr(ffi::sqlite3_errmsg(self.connection.handle())) };
        Fault::refused(cause_of(code), message.to_string_lossy().into_owned())
    }

    fn prepare(&self, text: &str) -> Result<Prepared, Fault> {
        let mut statement = std::ptr::null_mut();
        // SAFETY: text and length are those of a string, and the connection is open.
        let code = unsafe {
            ffi::sqlite3_prepare_v3(
                self.connection.handle(),
                text.as_ptr().cast(),
                text.len() as c_int,
                ffi::SQLITE_PREPARE_PERSISTENT,
                &raw mut statement,
                std::ptr::null_mut(),
            )
        };
        if code == ffi::SQLITE_OK { Ok(Prepared(statement)) } else { Err(self.fault(code)) }
    }

    /// Binds a text, which must live until the statement is reset.
    #[inline]
    fn bind_text(&self, statement: usize, parameter: c_int, text: &[u8]) -> Result<(), Fault> {
        // SAFETY: the statement is ours; the text outlives its use, since `run` resets before the request ends.
        let code = unsafe {
            ffi::sqlite3_bind_text(
                self.statements[statement].0,
                parameter,
                text.as_ptr().cast(),
                text.len() as c_int,
                ffi::SQLITE_STATIC(),
            )
        };
        if code == ffi::SQLITE_OK { Ok(()) } else { Err(self.fault(code)) }
    }

    #[inline]
    fn bind_number(&self, statement: usize, parameter: c_int, number: i64) -> Result<(), Fault> {
        // SAFETY: the statement is ours.
        let code = unsafe { ffi::sqlite3_bind_int64(self.statements[statement].0, parameter, number) };
        if code == ffi::SQLITE_OK { Ok(()) } else { Err(self.fault(code)) }
    }

    /// Steps through all rows and resets.
    #[inline]
    fn run(&self, statement: usize, changes: bool, reply: &mut Reply) -> Result<(), Fault> {
        let handle = self.statements[statement].0;
        let result = loop {
            // SAFETY: the statement is ours, and its parameters are bound.
            match unsafe { ffi::sqlite3_step(handle) } {
                ffi::SQLITE_ROW => self.take_row(handle, reply),
                ffi::SQLITE_DONE => break Ok(()),
                code => break Err(self.fault(code)),
            }
        };
        // SAFETY: the statement and the connection are ours.
        unsafe {
            ffi::sqlite3_reset(handle);
            if changes && result.is_ok() {
                reply.rows += ffi::sqlite3_changes(self.connection.handle()) as u32;
            }
        }
        result
    }

    #[inline]
    fn take_row(&self, handle: *mut ffi::sqlite3_stmt, reply: &mut Reply) {
        reply.row();
        // SAFETY: the statement is at a row; a column's bytes are valid until the next step, and used before.
        unsafe {
            if !self.keyed {
                reply.bytes += ffi::sqlite3_column_bytes(handle, 0) as u64;
                return;
            }
            for column in 1..ffi::sqlite3_column_count(handle) {
                let text = ffi::sqlite3_column_text(handle, column);
                let length = ffi::sqlite3_column_bytes(handle, column) as usize;
                let value = if text.is_null() { &[] } else { std::slice::from_raw_parts(text, length) };
                reply.field(column as u32 - 1, value);
            }
        }
    }
}

impl Session for Sqlite {
    #[inline]
    fn start(&mut self, request: &Request<'_>, reply: &mut Reply) -> Result<State, Fault> {
        let (statement, parameters) = sql::statement(request, reply)?;
        match parameters {
            Parameters::Texts(texts) => {
                for (parameter, text) in (1..).zip(texts.iter()) {
                    self.bind_text(statement, parameter, text)?;
                }
            }
            Parameters::Range(key, count) => {
                self.bind_text(statement, 1, key)?;
                self.bind_number(statement, 2, i64::from(count))?;
            }
            Parameters::Numbers(numbers, count) => {
                for (parameter, &number) in (1..).zip(&numbers[..count]) {
                    self.bind_number(statement, parameter, i64::from(number))?;
                }
            }
        }
        let changes = match *request {
            Request::Statement(statement, _) => !matches!(
                statement,
                Statement::Begin | Statement::SelectAccounts | Statement::End | Statement::Rollback
            ),
            _ => matches!(request, Request::Insert { .. } | Request::Update { .. }),
        };
        match self.run(statement, changes, reply) {
            // SQLite rolls back itself after some errors; then there is nothing left to roll back.
            Err(_)
                if matches!(request, Request::Statement(Statement::Rollback, _)) && self.connection.is_autocommit() => {
            }
            other => other?,
        }
        Ok(State::Done)
    }
}
