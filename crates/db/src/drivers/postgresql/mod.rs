//! PostgreSQL: prepared statements over the extended protocol, one round trip per request.

mod login;
mod message;

use std::sync::Arc;

use crate::caps::Caps;
use crate::console::{self, Console, Dialect};
use crate::driver::{Reply, Request};
use crate::fault::{Fault, JobError};
use crate::setup::Setup;
use crate::sql::{self, Database, Parameters, Statements};
use crate::tables;
use crate::url::Url;
use crate::wire::{Address, Talk, Wire};

use message::{Message, error_of, next_message, write_message};

/// Settings that decide what a number means.
const FACTS: &str = "SELECT name, current_setting(name) FROM pg_settings WHERE name IN ('server_version', 'fsync', \
    'synchronous_commit', 'wal_sync_method', 'full_page_writes', 'wal_level', 'wal_compression', 'shared_buffers', \
    'wal_buffers', 'max_wal_size', 'checkpoint_timeout', 'effective_io_concurrency', 'max_connections', \
    'autovacuum', 'data_checksums', 'default_transaction_isolation', 'commit_delay', 'huge_pages', 'io_method')";
/// Type of 32-bit and 64-bit integers, and "decide yourself".
const INT4: u32 = 23;
const INT8: u32 = 20;
const ANY: u32 = 0;

/// The driver.
#[derive(Debug)]
pub struct PostgresqlDriver {
    setup: Arc<Setup>,
    url: Url,
    address: Address,
    shared: Arc<Shared>,
}

/// What all sessions share.
#[derive(Debug)]
struct Shared {
    /// Parse messages of all statements.
    parse: Vec<u8>,
    /// Start of the Bind message of each statement, after its length: portal, name, formats, number of parameters.
    bind: Vec<Vec<u8>>,
}

/// Execute and Sync, which end every request.
const EXECUTE: [u8; 15] = [b'E', 0, 0, 0, 9, 0, 0, 0, 0, 0, b'S', 0, 0, 0, 4];

impl Shared {
    fn new(setup: &Setup) -> Self {
        let statements = Statements::new(setup, Dialect::PostgreSql);
        let ycsb = setup.ycsb().is_some();
        let (mut parse, mut bind) = (Vec::new(), Vec::new());
        for (number, (text, parameters)) in statements.texts.iter().enumerate() {
            let name = number.to_string();
            write_message(&mut parse, b'P', |body| {
                body.extend_from_slice(name.as_bytes());
                body.push(0);
                body.extend_from_slice(text.as_bytes());
                body.push(0);
                body.extend_from_slice(&(*parameters as u16).to_be_bytes());
                for parameter in 0..*parameters {
                    let kind = match (ycsb, number, parameter) {
                        (false, ..) => INT4,
                        (true, sql::SCAN, 1) => INT8,
                        _ => ANY,
                    };
                    body.extend_from_slice(&kind.to_be_bytes());
                }
            });
            let mut head = vec![0];
            head.extend_from_slice(name.as_bytes());
            head.push(0);
            // Text for YCSB but for the length of a scan, binary for numbers.
            let formats: &[u16] = if !ycsb {
                &[1, 1]
            } else if number == sql::SCAN {
                &[2, 0, 1]
            } else {
                &[0]
            };
            formats.iter().for_each(|word| head.extend_from_slice(&word.to_be_bytes()));
            head.extend_from_slice(&(*parameters as u16).to_be_bytes());
            bind.push(head);
        }
        write_message(&mut parse, b'S', |_| {});
        Self { parse, bind }
    }
}

impl Database for PostgresqlDriver {
    type Session = Postgres;
    type Console = Postgres;
    const DIALECT: Dialect = Dialect::PostgreSql;
    const CAPS: Caps = Caps {
        name: "postgresql",
        description: "PostgreSQL, prepared statements; tables as YCSB's JDBC binding and pgbench have them",
        schemes: &[("postgresql", 5432), ("postgres", 5432)],
        url: "postgresql://user@127.0.0.1:5432/database",
        workloads: &["ycsb", "tpcb"],
        settings: true,
        counters: &["cache_bytes", "cache_hits", "cache_misses", "checkpoints", "data_bytes"],
        ..Caps::SERVER
    };

    fn new(setup: Arc<Setup>) -> Result<Self, JobError> {
        let url = Url::read(&setup.spec.url, Self::CAPS.schemes)?;
        url.only(&["socket"])?;
        let address = match url.parameter("socket") {
            Some(folder) => Address::Unix(format!("{folder}/.s.PGSQL.{}", url.port)),
            None => Address::Tcp(url.host.clone(), url.port),
        };
        let shared = Arc::new(Shared::new(&setup));
        Ok(Self { setup, url, address, shared })
    }

    fn connect(&self, _client: u32) -> Result<Postgres, Fault> {
        let mut session = self.log_in()?;
        session.wire.out().extend_from_slice(&self.shared.parse);
        session.wire.send()?;
        session.take_waiting(&mut Reply::default())?;
        session.wire.stop_waiting()?;
        Ok(session)
    }

    fn facts(&self) -> Result<Vec<(String, String)>, Fault> {
        let mut facts = console::pairs(self.log_in()?.query(FACTS)?);
        facts.push(("server".to_owned(), "PostgreSQL".to_owned()));
        Ok(facts)
    }

    fn counters(&self) -> Result<Vec<(&'static str, u64)>, Fault> {
        let sizes = format!(
            "SELECT sum(pg_total_relation_size(c.oid)) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace \
             WHERE n.nspname = current_schema() AND c.relkind = 'r' AND lower(c.relname) IN ({})",
            tables::quoted(&self.setup)
        );
        let mut session = self.log_in()?;
        // What a server does not have is not asked for: each question in vain stands in its log.
        let version = console::numbers(&mut session, &[(&["version"], "SELECT current_setting('server_version_num')")]);
        let checkpoints = if version.first().is_some_and(|&(_, version)| version >= 170_000) {
            "SELECT num_timed + num_requested FROM pg_stat_checkpointer"
        } else {
            "SELECT checkpoints_timed + checkpoints_req FROM pg_stat_bgwriter"
        };
        let queries: [(&[&'static str], &str); 4] = [
            (&["data_bytes"], &sizes),
            (&["cache_bytes"], "SELECT pg_size_bytes(current_setting('shared_buffers'))"),
            (
                &["cache_hits", "cache_misses"],
                "SELECT blks_hit, blks_read FROM pg_stat_database WHERE datname = current_database()",
            ),
            (&["checkpoints"], checkpoints),
        ];
        Ok(console::numbers(&mut session, &queries))
    }

    fn setup(&self) -> &Setup {
        &self.setup
    }

    fn console(&self) -> Result<Postgres, Fault> {
        let mut session = self.log_in()?;
        session.wire.wait_until_stopped();
        Ok(session)
    }
}

/// One connection.
#[derive(Debug)]
pub struct Postgres {
    wire: Wire,
    shared: Arc<Shared>,
    /// First column of the rows that come is their key.
    keyed: bool,
    /// What the server has said against the request in progress.
    error: Option<Fault>,
}

impl Talk for Postgres {
    fn wire(&mut self) -> &mut Wire {
        &mut self.wire
    }

    #[inline]
    fn write(&mut self, request: &Request<'_>, reply: &mut Reply) -> Result<(), Fault> {
        let (statement, parameters) = sql::statement(request, reply)?;
        let out = self.wire.out();
        write_message(out, b'B', |body| {
            body.extend_from_slice(&self.shared.bind[statement]);
            write_parameters(body, &parameters);
            // Results as text.
            body.extend_from_slice(&[0, 0]);
        });
        out.extend_from_slice(&EXECUTE);
        Ok(())
    }

    #[inline]
    fn take(&mut self, reply: &mut Reply) -> Result<bool, Fault> {
        let data = self.wire.data();
        let (mut at, mut over) = (0, false);
        while let Some(Message { kind, body, length }) = next_message(&data[at..])? {
            at += length;
            match kind {
                b'D' => take_row(body, self.keyed, reply)?,
                b'C' => take_tag(body, reply),
                b'E' => {
                    let fault = error_of(body);
                    if fault.broken {
                        return Err(fault);
                    }
                    self.error = Some(fault);
                }
                b'Z' => {
                    over = true;
                    break;
                }
                // Parsed, bound, no data, notices and the like.
                _ => {}
            }
        }
        self.wire.consume(at);
        match self.error.take_if(|_| over) {
            Some(fault) => Err(fault),
            None => Ok(over),
        }
    }
}

impl Console for Postgres {
    fn query(&mut self, sql: &str) -> Result<Vec<Vec<Option<String>>>, Fault> {
        write_message(self.wire.out(), b'Q', |body| {
            body.extend_from_slice(sql.as_bytes());
            body.push(0);
        });
        self.wire.send()?;
        let mut rows = Vec::new();
        let mut error = None;
        loop {
            while let Some(Message { kind, body, length }) = next_message(self.wire.data())? {
                match kind {
                    b'D' => rows.push(message::cells(body)?),
                    b'E' => error = Some(error_of(body)),
                    _ => {}
                }
                self.wire.consume(length);
                console::check_length(&rows)?;
                match (kind, error.take()) {
                    (b'Z', None) => return Ok(rows),
                    (b'Z', Some(fault)) => return Err(fault),
                    (_, Some(fault)) if fault.broken => return Err(fault),
                    (_, other) => error = other,
                }
            }
            self.wire.await_more()?;
        }
    }
}

#[inline]
fn write_parameters(body: &mut Vec<u8>, parameters: &Parameters<'_>) {
    match *parameters {
        Parameters::Texts(texts) => texts.iter().for_each(|value| counted(body, value)),
        Parameters::Range(key, count) => {
            counted(body, key);
            counted(body, &u64::from(count).to_be_bytes());
        }
        Parameters::Numbers(numbers, count) => {
            numbers[..count].iter().for_each(|number| counted(body, &number.to_be_bytes()));
        }
    }
}

/// A value after its length.
#[inline]
fn counted(body: &mut Vec<u8>, value: &[u8]) {
    body.extend_from_slice(&(value.len() as u32).to_be_bytes());
    body.extend_from_slice(value);
}

/// Counts a row and its fields.
#[inline]
fn take_row(body: &[u8], keyed: bool, reply: &mut Reply) -> Result<(), Fault> {
    reply.row();
    let mut cells = message::Cells::new(body)?;
    if keyed {
        cells.next();
    }
    for (field, cell) in (0..).zip(cells) {
        reply.field(field, cell?.unwrap_or_default());
    }
    Ok(())
}

/// Rows that were changed, from a tag such as `UPDATE 1` or `INSERT 0 1`; rows that came were counted.
#[inline]
fn take_tag(body: &[u8], reply: &mut Reply) {
    if matches!(body.first(), Some(b'U' | b'I')) {
        let digits = body.iter().rev().skip(1).take_while(|byte| byte.is_ascii_digit());
        let (rows, _) = digits.fold((0u32, 1u32), |(sum, unit), byte| {
            (sum.wrapping_add(u32::from(byte - b'0').wrapping_mul(unit)), unit.wrapping_mul(10))
        });
        reply.rows = reply.rows.wrapping_add(rows);
    }
}
