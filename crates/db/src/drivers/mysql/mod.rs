//! MySQL and MariaDB: binary prepared statements, one round trip per request.

mod login;
mod packet;

use std::os::fd::RawFd;
use std::sync::Arc;

use crate::driver::{Caps, Driver, Found, Reply, Request, Session, State, Values};
use crate::fault::{Cause, Fault, JobError};
use crate::setup::Setup;
use crate::sql::{self, Console, Dialect, Statements};
use crate::url::Url;
use crate::wire::{Address, Wire};

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
pub struct Kind {
    setup: Arc<Setup>,
    url: Url,
    address: Address,
    statements: Arc<Statements>,
}

impl Driver for Kind {
    type Session = MySql;
    const CAPS: Caps = Caps {
        name: "mysql",
        description: "MySQL and MariaDB, prepared statements; tables as YCSB's JDBC binding and pgbench have them",
        url: "mysql://user@127.0.0.1:3306/database",
        workloads: &["ycsb", "tpcb"],
        server: true,
        tls: cfg!(feature = "tls"),
    };

    fn new(setup: Arc<Setup>) -> Result<Self, JobError> {
        let url = Url::read(&setup.spec.url, &[("mysql", 3306), ("mariadb", 3306)])?;
        url.only(&["socket"])?;
        if url.path.is_empty() {
            return Err(JobError::spec("the URL names no database: write it as mysql://user@host:3306/database"));
        }
        let plain = |name: &str| name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        if let Some(name) = setup.spec.settings.keys().find(|name| !plain(name)) {
            return Err(JobError::spec(format!("{name:?} is no name of a session variable")));
        }
        let address = match url.parameter("socket") {
            Some(path) => Address::Unix(path.to_owned()),
            None => Address::Tcp(url.host.clone(), url.port),
        };
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
        let mut facts = sql::pairs(self.log_in()?.query(FACTS)?);
        let maria = facts.iter().any(|(_, value)| value.contains("MariaDB"));
        facts.push(("server".to_owned(), if maria { "MariaDB" } else { "MySQL" }.to_owned()));
        Ok(facts)
    }

    fn look(&self) -> Result<Option<Found>, Fault> {
        sql::look(&mut self.console()?, Dialect::MySql, &self.setup)
    }

    fn create(&self) -> Result<(), Fault> {
        sql::create(&mut self.console()?, Dialect::MySql, &self.setup)
    }

    fn drop_tables(&self) -> Result<(), Fault> {
        sql::drop_tables(&mut self.console()?, &self.setup)
    }

    fn fill(&self, told: &mut dyn FnMut(f64) -> bool) -> Result<(), Fault> {
        sql::fill(&mut self.console()?, Dialect::MySql, &self.setup, told)
    }

    fn remove(&self, keys: &[Vec<u8>]) -> Result<u64, Fault> {
        sql::remove(&mut self.console()?, &self.setup, keys)
    }

    fn settle(&self) -> Result<(), Fault> {
        sql::settle(&mut self.console()?, Dialect::MySql, &self.setup)
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

    /// Writes an execution: parameter types, then their values.
    #[inline]
    fn execute(&mut self, statement: usize, write: impl FnOnce(&mut Vec<u8>)) {
        let prepared = &self.prepared[statement];
        (self.part, self.columns) = (Part::Head, prepared.columns);
        write_packet(self.wire.out(), 0, |body| {
            body.extend_from_slice(&prepared.head);
            write(body);
        });
    }

    /// Takes the packets that are there. True: the request is over.
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
                    reply.rows += Reader::new(&body[1..]).number()? as u32;
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

impl Session for MySql {
    #[inline]
    fn start(&mut self, request: &Request<'_>, reply: &mut Reply) -> Result<State, Fault> {
        match *request {
            Request::Read { key, .. } => self.execute(sql::READ, |body| {
                types(body, 1);
                text(body, key);
            }),
            Request::Insert { key, values } => {
                reply.bytes += values.size();
                self.execute(sql::INSERT, |body| {
                    types(body, 1 + values.len());
                    text(body, key);
                    texts(body, values);
                });
            }
            Request::Update { key, values } => {
                reply.bytes += values.size();
                let one = values.len() == 1;
                let statement = if one { sql::UPDATE_FIELD + values.first() as usize } else { sql::UPDATE_ALL };
                self.execute(statement, |body| {
                    types(body, values.len() + 1);
                    texts(body, values);
                    text(body, key);
                });
            }
            Request::Scan { key, count, .. } => self.execute(sql::SCAN, |body| {
                body.extend_from_slice(&[1, STRING, 0, LONGLONG, 0]);
                text(body, key);
                body.extend_from_slice(&u64::from(count).to_le_bytes());
            }),
            Request::Statement(statement, numbers) => {
                let (parameters, count) = sql::parameters(statement, numbers);
                self.execute(statement as usize, |body| {
                    if count > 0 {
                        body.push(1);
                    }
                    (0..count).for_each(|_| body.extend_from_slice(&[LONG, 0]));
                    parameters[..count].iter().for_each(|number| body.extend_from_slice(&number.to_le_bytes()));
                });
            }
            Request::Get => return Err(Fault::protocol("MySQL has no pages")),
        }
        self.wire.send()?;
        Ok(State::Waiting)
    }

    #[inline]
    fn resume(&mut self, reply: &mut Reply) -> Result<State, Fault> {
        self.wire.wake()?;
        loop {
            if self.take(reply)? {
                return Ok(State::Done);
            }
            if !self.wire.receive()? {
                return Ok(State::Waiting);
            }
        }
    }

    fn descriptor(&self) -> Option<RawFd> {
        Some(self.wire.descriptor())
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

/// So many parameters are text.
#[inline]
fn types(body: &mut Vec<u8>, count: usize) {
    body.push(1);
    (0..count).for_each(|_| body.extend_from_slice(&[STRING, 0]));
}

#[inline]
fn text(body: &mut Vec<u8>, value: &[u8]) {
    write_length(body, value.len() as u64);
    body.extend_from_slice(value);
}

#[inline]
fn texts(body: &mut Vec<u8>, values: &Values) {
    values.iter().for_each(|(_, value)| text(body, value));
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
