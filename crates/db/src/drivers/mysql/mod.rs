//! MySQL and MariaDB: binary prepared statements, one round trip per request.

mod login;
mod packet;

use std::sync::Arc;

use crate::caps::Caps;
use crate::console::{self, Console, Dialect};
use crate::driver::{Reply, Request};
use crate::fault::{Cause, Fault, JobError};
use crate::setup::Setup;
use crate::sql::{self, Database, Parameters, Statements};
use crate::tables;
use crate::url::Url;
use crate::wire::{Address, Talk, Wire};

use packet::{Packet, Reader, error_of, next_packet, write_length, write_packet};

/// Settings that decide what a number means.
const FACTS: &str = "SHOW GLOBAL VARIABLES WHERE Variable_name IN ('version', 'version_comment', \
    'innodb_flush_log_at_trx_commit', 'sync_binlog', 'log_bin', 'innodb_doublewrite', 'innodb_flush_method', \
    'innodb_buffer_pool_size', 'innodb_log_file_size', 'innodb_redo_log_capacity', 'innodb_log_buffer_size', \
    'innodb_page_size', 'innodb_io_capacity', 'transaction_isolation', 'tx_isolation', 'max_connections', \
    'default_storage_engine', 'innodb_use_native_aio')";

const QUERY: u8 = 0x03;
const PREPARE: u8 = 0x16;
const EXECUTE: u8 = 0x17;
/// Types of parameters.
const STRING: u8 = 0xFD;
const LONG: u8 = 0x03;
const LONGLONG: u8 = 0x08;

/// The driver.
#[derive(Debug)]
pub struct MysqlDriver {
    setup: Arc<Setup>,
    url: Url,
    address: Address,
    statements: Arc<Statements>,
}

impl Database for MysqlDriver {
    type Session = MySql;
    type Console = MySql;
    const DIALECT: Dialect = Dialect::MySql;
    const CAPS: Caps = Caps {
        name: "mysql",
        description: "MySQL and MariaDB, prepared statements; tables as YCSB's JDBC binding and pgbench have them",
        schemes: &[("mysql", 3306), ("mariadb", 3306)],
        url: "mysql://user@127.0.0.1:3306/database",
        workloads: &["ycsb", "tpcb"],
        settings: true,
        counters: &["cache_bytes", "cache_hits", "cache_misses", "data_bytes"],
        ..Caps::SERVER
    };

    fn new(setup: Arc<Setup>) -> Result<Self, JobError> {
        let url = Url::read(&setup.spec.url, Self::CAPS.schemes)?;
        url.only(&["socket"])?;
        if url.path.is_empty() {
            return Err(JobError::spec("the URL names no database: write it as mysql://user@host:3306/database"));
        }
        let plain = |name: &str| name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        if let Some(name) = setup.settings.keys().find(|name| !plain(name)) {
            return Err(JobError::spec(format!("{name:?} is not the name of a session variable")));
        }
        let address = Address::of(&url);
        let statements = Arc::new(Statements::new(&setup, Dialect::MySql));
        Ok(Self { setup, url, address, statements })
    }

    fn connect(&self, _client: u32) -> Result<MySql, Fault> {
        let mut session = self.log_in()?;
        for (text, parameters) in &self.statements.texts {
            let prepared = session.prepare(text, *parameters)?;
            session.prepared.push(prepared);
        }
        session.wire.stop_waiting()?;
        Ok(session)
    }

    fn facts(&self) -> Result<Vec<(String, String)>, Fault> {
        let mut facts = console::pairs(self.log_in()?.query(FACTS)?);
        let maria = facts.iter().any(|(_, value)| value.contains("MariaDB"));
        facts.push(("server".to_owned(), if maria { "MariaDB" } else { "MySQL" }.to_owned()));
        Ok(facts)
    }

    fn counters(&self) -> Result<Vec<(&'static str, u64)>, Fault> {
        let mut session = self.log_in()?;
        let sizes = format!(
            "SELECT CAST(sum(data_length + index_length) AS UNSIGNED) FROM information_schema.tables \
             WHERE table_schema = DATABASE() AND lower(table_name) IN ({})",
            tables::quoted(&self.setup)
        );
        let queries: [(&[&'static str], &str); 2] =
            [(&["data_bytes"], &sizes), (&["cache_bytes"], "SELECT @@innodb_buffer_pool_size")];
        let mut found = console::numbers(&mut session, &queries);
        let status = session.query(
            "SHOW GLOBAL STATUS WHERE Variable_name IN ('Innodb_buffer_pool_read_requests', 'Innodb_buffer_pool_reads')",
        );
        let status: std::collections::BTreeMap<_, _> = console::pairs(status.unwrap_or_default()).into_iter().collect();
        let number = |name: &str| status.get(name).and_then(|text| text.parse::<u64>().ok());
        if let (Some(asked), Some(missed)) =
            (number("Innodb_buffer_pool_read_requests"), number("Innodb_buffer_pool_reads"))
        {
            found.extend([("cache_hits", asked.saturating_sub(missed)), ("cache_misses", missed)]);
        }
        Ok(found)
    }

    fn setup(&self) -> &Setup {
        &self.setup
    }

    fn console(&self) -> Result<MySql, Fault> {
        let mut session = self.log_in()?;
        session.wire.wait_until_stopped();
        Ok(session)
    }
}

/// A statement that the server knows.
#[derive(Debug)]
struct Prepared {
    /// Start of the command: kind, number, flags, one execution, no NULL among the parameters.
    head: Vec<u8>,
    /// Columns that its rows have.
    columns: usize,
}

/// How far the reply in progress is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Head,
    /// So many column definitions are to come.
    Columns(u64),
    Rows,
}

/// One connection.
#[derive(Debug)]
pub struct MySql {
    wire: Wire,
    prepared: Vec<Prepared>,
    /// Rows begin with their key and hold text; otherwise they hold one number.
    keyed: bool,
    part: Part,
    /// Columns of the statement in progress.
    columns: usize,
}

impl MySql {
    fn over(wire: Wire, keyed: bool) -> Self {
        Self { wire, prepared: Vec::new(), keyed, part: Part::Head, columns: 0 }
    }

    /// The next packet, waited for.
    fn await_packet(&mut self) -> Result<Vec<u8>, Fault> {
        loop {
            if let Some(Packet { body, length, .. }) = next_packet(self.wire.data()) {
                let body = body.to_vec();
                self.wire.consume(length);
                return Ok(body);
            }
            self.wire.await_more()?;
        }
    }

    fn prepare(&mut self, text: &str, parameters: usize) -> Result<Prepared, Fault> {
        write_packet(self.wire.out(), 0, |body| {
            body.push(PREPARE);
            body.extend_from_slice(text.as_bytes());
        });
        self.wire.send()?;
        let reply = self.await_packet()?;
        if reply.first() == Some(&0xFF) {
            return Err(error_of(&reply));
        }
        let [0, a, b, c, d, e, f, g, h, ..] = reply.as_slice() else {
            return Err(Fault::protocol("the server's answer to a statement makes no sense"));
        };
        let columns = usize::from(u16::from_le_bytes([*e, *f]));
        let definitions = usize::from(u16::from_le_bytes([*g, *h])) + columns;
        for _ in 0..definitions {
            self.await_packet()?;
        }
        let mut head = vec![EXECUTE, *a, *b, *c, *d, 0, 1, 0, 0, 0];
        head.extend(std::iter::repeat_n(0, parameters.div_ceil(8)));
        Ok(Prepared { head, columns })
    }
}

impl Talk for MySql {
    fn wire(&mut self) -> &mut Wire {
        &mut self.wire
    }

    #[inline]
    fn write(&mut self, request: &Request<'_>, reply: &mut Reply) -> Result<(), Fault> {
        let (statement, parameters) = sql::statement(request, reply)?;
        let prepared = &self.prepared[statement];
        (self.part, self.columns) = (Part::Head, prepared.columns);
        write_packet(self.wire.out(), 0, |body| {
            body.extend_from_slice(&prepared.head);
            write_parameters(body, &parameters);
        });
        Ok(())
    }

    #[inline]
    fn take(&mut self, reply: &mut Reply) -> Result<bool, Fault> {
        let data = self.wire.data();
        let (mut at, mut over, mut error) = (0, false, None);
        while let Some(Packet { body, length }) = next_packet(&data[at..]) {
            at += length;
            match (self.part, body.first()) {
                (_, Some(0xFF)) => {
                    error = Some(error_of(body));
                    over = true;
                }
                (Part::Head, Some(0)) => {
                    reply.rows = reply.rows.wrapping_add(Reader::new(&body[1..]).number()? as u32);
                    over = true;
                }
                (Part::Head, _) => {
                    let mut reader = Reader::new(body);
                    let columns = reader.number()?;
                    // Servers that leave out definitions that have not changed say so.
                    let defined = reader.rest().first() != Some(&0);
                    self.part = if defined { Part::Columns(columns) } else { Part::Rows };
                }
                (Part::Columns(left), _) => {
                    self.part = if left > 1 { Part::Columns(left - 1) } else { Part::Rows };
                }
                (Part::Rows, Some(0xFE)) => over = true,
                (Part::Rows, _) => take_row(body, self.keyed, self.columns, reply)?,
            }
            if over {
                break;
            }
        }
        self.wire.consume(at);
        match error {
            Some(fault) => Err(fault),
            None => Ok(over),
        }
    }
}

impl Console for MySql {
    fn query(&mut self, sql: &str) -> Result<Vec<Vec<Option<String>>>, Fault> {
        write_packet(self.wire.out(), 0, |body| {
            body.push(QUERY);
            body.extend_from_slice(sql.as_bytes());
        });
        self.wire.send()?;
        let head = self.await_packet()?;
        match head.first() {
            Some(0xFF) => return Err(error_of(&head)),
            Some(0) => return Ok(Vec::new()),
            _ => {}
        }
        let mut reader = Reader::new(&head);
        let columns = reader.number()?;
        if reader.rest().first() != Some(&0) {
            for _ in 0..columns {
                self.await_packet()?;
            }
        }
        let mut rows = Vec::new();
        loop {
            console::check_length(&rows)?;
            let body = self.await_packet()?;
            match body.first() {
                Some(0xFF) => return Err(error_of(&body)),
                Some(0xFE) => return Ok(rows),
                _ => {}
            }
            let mut reader = Reader::new(&body);
            let cell = |_| Ok(reader.text()?.map(|text| String::from_utf8_lossy(text).into_owned()));
            rows.push((0..columns).map(cell).collect::<Result<_, Fault>>()?);
        }
    }
}

/// Types, then values.
#[inline]
fn write_parameters(body: &mut Vec<u8>, parameters: &Parameters<'_>) {
    let types = |body: &mut Vec<u8>, kind, count| {
        if count > 0 {
            body.push(1);
        }
        (0..count).for_each(|_| body.extend_from_slice(&[kind, 0]));
    };
    match *parameters {
        Parameters::Texts(texts) => {
            types(body, STRING, texts.len());
            texts.iter().for_each(|value| text(body, value));
        }
        Parameters::Range(key, count) => {
            body.extend_from_slice(&[1, STRING, 0, LONGLONG, 0]);
            text(body, key);
            body.extend_from_slice(&u64::from(count).to_le_bytes());
        }
        Parameters::Numbers(numbers, count) => {
            types(body, LONG, count);
            numbers[..count].iter().for_each(|number| body.extend_from_slice(&number.to_le_bytes()));
        }
    }
}

#[inline]
fn text(body: &mut Vec<u8>, value: &[u8]) {
    write_length(body, value.len() as u64);
    body.extend_from_slice(value);
}

/// Counts a row in binary form and its fields: a zero, a bit for each NULL (two bits late), values.
#[inline]
fn take_row(body: &[u8], keyed: bool, columns: usize, reply: &mut Reply) -> Result<(), Fault> {
    reply.row();
    let nulls = (columns + 9) / 8;
    let (Some(bits), Some(values)) = (body.get(1..1 + nulls), body.get(1 + nulls..)) else {
        return Err(Fault::refused(Cause::Protocol, "a row of the server is cut off"));
    };
    if !keyed {
        reply.bytes += values.len() as u64;
        return Ok(());
    }
    let mut reader = Reader::new(values);
    for column in 0..columns {
        let null = bits[(column + 2) / 8] >> ((column + 2) % 8) & 1 == 1;
        let value = if null { &[] } else { reader.text()?.unwrap_or_default() };
        if column > 0 {
            reply.field(column as u32 - 1, value);
        }
    }
    Ok(())
}
