//! What the SQL databases have in common: tables as YCSB's JDBC binding and pgbench have them.

use std::sync::Arc;

use crate::caps::Caps;
use crate::console::{Console, Dialect, count};
use crate::driver::{Driver, Found, Numbers, Reply, Request, Session, Statement, Values};
use crate::fault::{Fault, JobError};
use crate::outcome::Made;
use crate::setup::Setup;
use crate::spec::{Script, Workload, Ycsb};
use crate::tables;
use crate::workloads::accounts;

/// What is left of a driver when the tables are those of SQL.
pub trait Database: Sized + Send + Sync + 'static {
    /// One client's connection.
    type Session: Session;
    /// A connection that prepares the data.
    type Console: Console;
    /// What it can do.
    const CAPS: Caps;
    /// How it is spoken to.
    const DIALECT: Dialect;

    /// As in [`Driver`].
    fn new(setup: Arc<Setup>) -> Result<Self, JobError>;

    /// As in [`Driver`].
    fn connect(&self, client: u32) -> Result<Self::Session, Fault>;

    /// As in [`Driver`].
    fn facts(&self) -> Result<Vec<(String, String)>, Fault>;

    /// As in [`Driver`].
    fn counters(&self) -> Result<Vec<(&'static str, u64)>, Fault> {
        Ok(Vec::new())
    }

    /// The request.
    fn setup(&self) -> &Setup;

    /// Opens one.
    fn console(&self) -> Result<Self::Console, Fault>;

    /// Opens one to look only, which changes nothing; nothing where there is no database yet.
    fn peek(&self) -> Result<Option<Self::Console>, Fault> {
        self.console().map(Some)
    }
}

impl<D: Database> Driver for D {
    type Session = D::Session;
    const CAPS: Caps = D::CAPS;

    fn new(setup: Arc<Setup>) -> Result<Self, JobError> {
        D::new(setup)
    }

    fn connect(&self, client: u32) -> Result<Self::Session, Fault> {
        Database::connect(self, client)
    }

    fn facts(&self) -> Result<Vec<(String, String)>, Fault> {
        Database::facts(self)
    }

    fn counters(&self) -> Result<Vec<(&'static str, u64)>, Fault> {
        Database::counters(self)
    }

    fn rows(&self) -> Result<Option<u64>, Fault> {
        let table = match &self.setup().spec.workload {
            Workload::Ycsb(ycsb) => ycsb.table.as_str(),
            Workload::Tpcb(tpcb) if tpcb.script != Script::SelectOnly => "pgbench_history",
            Workload::Tpcb(_) | Workload::Web(_) => return Ok(None),
        };
        count(&mut self.console()?, &format!("SELECT count(*) FROM {table}")).map(Some)
    }

    fn look(&self) -> Result<Option<Found>, Fault> {
        let Some(mut console) = self.peek()? else { return Ok(None) };
        tables::look(&mut console, D::DIALECT, self.setup())
    }

    fn create(&self) -> Result<(), Fault> {
        create(&mut self.console()?, D::DIALECT, self.setup())
    }

    fn drop_tables(&self) -> Result<(), Fault> {
        tables::remove(&mut self.console()?, D::DIALECT, self.setup())
    }

    fn made(&self) -> Result<Vec<Made>, Fault> {
        let Some(mut console) = self.peek()? else { return Ok(Vec::new()) };
        tables::made(&mut console, D::DIALECT)
    }

    fn unmake(&self, name: &str) -> Result<(), Fault> {
        tables::unmake(&mut self.console()?, D::DIALECT, name)
    }

    fn fill(&self, told: &mut dyn FnMut(f64) -> bool) -> Result<(), Fault> {
        fill(&mut self.console()?, D::DIALECT, self.setup(), told)
    }

    fn remove(&self, keys: &[Vec<u8>]) -> Result<u64, Fault> {
        remove(&mut self.console()?, self.setup(), keys)
    }

    fn settle(&self) -> Result<(), Fault> {
        settle(&mut self.console()?, D::DIALECT, self.setup())
    }
}

/// Statements that a session prepares, by position.
#[derive(Debug)]
pub struct Statements {
    /// Texts with their number of parameters.
    pub texts: Vec<(String, usize)>,
}

/// Positions of YCSB's statements; updates of one field follow.
const READ: usize = 0;
const INSERT: usize = 1;
pub const SCAN: usize = 2;
const UPDATE_ALL: usize = 3;
const UPDATE_FIELD: usize = 4;

impl Statements {
    /// Those of the workload. As in the JDBC binding, reads and scans bring all fields whichever are asked for.
    pub fn new(setup: &Setup, dialect: Dialect) -> Self {
        let mark = |n: usize| if dialect == Dialect::PostgreSql { format!("${n}") } else { "?".to_owned() };
        let texts = match &setup.spec.workload {
            Workload::Ycsb(ycsb) => ycsb_texts(ycsb, mark),
            Workload::Tpcb(_) => tpcb_texts(dialect, mark),
            Workload::Web(_) => Vec::new(),
        };
        Self { texts }
    }
}

fn ycsb_texts(ycsb: &Ycsb, mark: impl Fn(usize) -> String) -> Vec<(String, usize)> {
    let (table, fields) = (&ycsb.table, ycsb.fields as usize);
    let each = |what: &dyn Fn(usize) -> String| (0..fields).map(what).collect::<Vec<_>>().join(",");
    let names = each(&|f| format!("FIELD{f}"));
    let marks = each(&|f| mark(f + 2));
    let sets = each(&|f| format!("FIELD{f}={}", mark(f + 1)));
    let mut texts = vec![
        (format!("SELECT * FROM {table} WHERE YCSB_KEY = {}", mark(1)), 1),
        (format!("INSERT INTO {table} (YCSB_KEY,{names}) VALUES ({},{marks})", mark(1)), fields + 1),
        (format!("SELECT * FROM {table} WHERE YCSB_KEY >= {} ORDER BY YCSB_KEY LIMIT {}", mark(1), mark(2)), 2),
        (format!("UPDATE {table} SET {sets} WHERE YCSB_KEY = {}", mark(fields + 1)), fields + 1),
    ];
    texts.extend(
        (0..fields).map(|f| (format!("UPDATE {table} SET FIELD{f}={} WHERE YCSB_KEY = {}", mark(1), mark(2)), 2)),
    );
    texts
}

/// In the order of [`Statement`].
fn tpcb_texts(dialect: Dialect, mark: impl Fn(usize) -> String) -> Vec<(String, usize)> {
    let update = |table: &str, balance: &str, id: &str| {
        (format!("UPDATE pgbench_{table} SET {balance} = {balance} + {} WHERE {id} = {}", mark(1), mark(2)), 2)
    };
    // SQLite takes the lock for writing at once: a lock that is raised later cannot be waited for.
    let begin = if dialect == Dialect::Sqlite { "BEGIN IMMEDIATE" } else { "BEGIN" };
    let end = if dialect == Dialect::PostgreSql { "END" } else { "COMMIT" };
    vec![
        (begin.to_owned(), 0),
        update("accounts", "abalance", "aid"),
        (format!("SELECT abalance FROM pgbench_accounts WHERE aid = {}", mark(1)), 1),
        update("tellers", "tbalance", "tid"),
        update("branches", "bbalance", "bid"),
        (
            format!(
                "INSERT INTO pgbench_history (tid, bid, aid, delta, mtime) VALUES ({}, {}, {}, {}, CURRENT_TIMESTAMP)",
                mark(1),
                mark(2),
                mark(3),
                mark(4)
            ),
            4,
        ),
        (end.to_owned(), 0),
        ("ROLLBACK".to_owned(), 0),
    ]
}

/// What goes with a statement.
#[derive(Debug)]
pub enum Parameters<'a> {
    /// YCSB's reads and writes.
    Texts(Texts<'a>),
    /// YCSB's scans: first key and number of records.
    Range(&'a [u8], u32),
    /// TPC-B's; the first so many count.
    Numbers([i32; 4], usize),
}

/// Texts in the order of a statement's parameters: the key comes before its values or after them.
#[derive(Debug, Clone, Copy)]
pub struct Texts<'a> {
    before: Option<&'a [u8]>,
    values: Option<&'a Values>,
    after: Option<&'a [u8]>,
}

impl<'a> Texts<'a> {
    /// How many.
    #[inline]
    pub fn len(&self) -> usize {
        usize::from(self.before.is_some()) + self.values.map_or(0, Values::len) + usize::from(self.after.is_some())
    }

    /// Each of them.
    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = &'a [u8]> + use<'a> {
        let values = self.values.into_iter().flat_map(Values::iter).map(|(_, value)| value);
        self.before.into_iter().chain(values).chain(self.after)
    }
}

/// The statement of a request, by position, and its parameters. Payload that is written counts as such.
#[inline]
pub fn statement<'a>(request: &Request<'a>, reply: &mut Reply) -> Result<(usize, Parameters<'a>), Fault> {
    let none = Texts { before: None, values: None, after: None };
    Ok(match *request {
        Request::Read { key, .. } => (READ, Parameters::Texts(Texts { before: Some(key), ..none })),
        Request::Insert { key, values } => {
            reply.bytes += values.size();
            (INSERT, Parameters::Texts(Texts { before: Some(key), values: Some(values), ..none }))
        }
        Request::Update { key, values } => {
            reply.bytes += values.size();
            let one = values.len() == 1;
            let statement = if one { UPDATE_FIELD + values.first() as usize } else { UPDATE_ALL };
            (statement, Parameters::Texts(Texts { values: Some(values), after: Some(key), ..none }))
        }
        Request::Scan { key, count, .. } => (SCAN, Parameters::Range(key, count)),
        Request::Statement(statement, numbers) => {
            let (numbers, count) = parameters(statement, numbers);
            (statement as usize, Parameters::Numbers(numbers, count))
        }
        Request::Get => return Err(Fault::protocol("a database has no pages")),
    })
}

/// Parameters of a TPC-B statement, and how many of them count.
#[inline]
fn parameters(statement: Statement, numbers: Numbers) -> ([i32; 4], usize) {
    let Numbers { aid, bid, tid, delta } = numbers;
    match statement {
        Statement::Begin | Statement::End | Statement::Rollback => ([0; 4], 0),
        Statement::UpdateAccounts => ([delta, aid, 0, 0], 2),
        Statement::SelectAccounts => ([aid, 0, 0, 0], 1),
        Statement::UpdateTellers => ([delta, tid, 0, 0], 2),
        Statement::UpdateBranches => ([delta, bid, 0, 0], 2),
        Statement::InsertHistory => ([tid, bid, aid, delta], 4),
    }
}

/// Makes empty tables.
fn create(console: &mut dyn Console, dialect: Dialect, setup: &Setup) -> Result<(), Fault> {
    let mut make = |name: &str, columns: &str, extra: &str| {
        console.query(&tables::create_with_mark(dialect, name, columns, extra)).map(drop)
    };
    match &setup.spec.workload {
        Workload::Ycsb(ycsb) => {
            let fields: Vec<String> = (0..ycsb.fields).map(|f| format!("FIELD{f} TEXT")).collect();
            make(&ycsb.table, &format!("YCSB_KEY VARCHAR(255) PRIMARY KEY, {}", fields.join(", ")), "")
        }
        Workload::Tpcb(_) => {
            let (key, full) = match dialect {
                // pgbench adds its keys after loading.
                Dialect::PostgreSql => ("int not null", " with (fillfactor=100)"),
                Dialect::MySql => ("int not null primary key", ""),
                Dialect::Sqlite => ("integer not null primary key", ""),
            };
            make("pgbench_history", "tid int,bid int,aid int,delta int,mtime timestamp,filler char(22)", "")?;
            make("pgbench_tellers", &format!("tid {key},bid int,tbalance int,filler char(84)"), full)?;
            make("pgbench_accounts", &format!("aid {key},bid int,abalance int,filler char(84)"), full)?;
            make("pgbench_branches", &format!("bid {key},bbalance int,filler char(88)"), full)
        }
        Workload::Web(_) => Ok(()),
    }
}

/// Fills pgbench's tables.
fn fill(
    console: &mut dyn Console,
    dialect: Dialect,
    setup: &Setup,
    told: &mut dyn FnMut(f64) -> bool,
) -> Result<(), Fault> {
    if dialect != Dialect::Sqlite {
        return fill_branches(console, dialect, setup, told);
    }
    // One transaction: SQLite would wait for the disk after each command.
    console.query("BEGIN IMMEDIATE")?;
    fill_branches(console, dialect, setup, told)?;
    console.query("COMMIT").map(drop)
}

/// Branch by branch.
fn fill_branches(
    console: &mut dyn Console,
    dialect: Dialect,
    setup: &Setup,
    told: &mut dyn FnMut(f64) -> bool,
) -> Result<(), Fault> {
    let Workload::Tpcb(tpcb) = &setup.spec.workload else { return Ok(()) };
    let digits = |name: &str| {
        let rest: Vec<String> = (1..10).map(|d| format!("SELECT {d}")).collect();
        format!("(SELECT 0 AS d UNION ALL {}) {name}", rest.join(" UNION ALL "))
    };
    let sources: Vec<String> = ["a", "b", "c", "e", "f"].into_iter().map(digits).collect();
    let numbers = sources.join(", ");
    for branch in 0..tpcb.scale {
        let bid = branch + 1;
        console.query(&format!("INSERT INTO pgbench_branches (bid, bbalance) VALUES ({bid}, 0)"))?;
        console.query(&format!(
            "INSERT INTO pgbench_tellers (tid, bid, tbalance) SELECT {} + a.d, {bid}, 0 FROM {}",
            branch * 10 + 1,
            sources[0]
        ))?;
        console.query(&format!(
            "INSERT INTO pgbench_accounts (aid, bid, abalance, filler) \
             SELECT {} + a.d + 10*b.d + 100*c.d + 1000*e.d + 10000*f.d, {bid}, 0, '' FROM {numbers}",
            accounts(branch) + 1
        ))?;
        if !told(f64::from(bid) / f64::from(tpcb.scale)) {
            return Ok(());
        }
    }
    if dialect == Dialect::PostgreSql {
        for (table, key) in [("branches", "bid"), ("tellers", "tid"), ("accounts", "aid")] {
            console.query(&format!("alter table pgbench_{table} add primary key ({key})"))?;
        }
        for table in ["branches", "tellers", "accounts", "history"] {
            console.query(&format!("vacuum analyze pgbench_{table}"))?;
        }
    }
    Ok(())
}

/// Before a run: pgbench's own tidying up, and fresh statistics.
fn settle(console: &mut dyn Console, dialect: Dialect, setup: &Setup) -> Result<(), Fault> {
    let commands: Vec<String> = match (&setup.spec.workload, dialect) {
        (Workload::Tpcb(_), Dialect::PostgreSql) => {
            ["vacuum pgbench_branches", "vacuum pgbench_tellers", "truncate pgbench_history"].map(str::to_owned).into()
        }
        (Workload::Tpcb(_), Dialect::MySql) => vec!["TRUNCATE TABLE pgbench_history".to_owned()],
        (Workload::Tpcb(_), Dialect::Sqlite) => vec!["DELETE FROM pgbench_history".to_owned()],
        (Workload::Ycsb(ycsb), Dialect::PostgreSql) => vec![format!("VACUUM ANALYZE {}", ycsb.table)],
        (Workload::Ycsb(ycsb), Dialect::MySql) => vec![format!("ANALYZE TABLE {}", ycsb.table)],
        _ => Vec::new(),
    };
    commands.iter().try_for_each(|sql| console.query(sql).map(drop))
}

/// Removes records by key; how many there were.
fn remove(console: &mut dyn Console, setup: &Setup, keys: &[Vec<u8>]) -> Result<u64, Fault> {
    let Some(ycsb) = setup.ycsb() else { return Ok(0) };
    // Keys are made of letters and digits by our own code.
    let list: Vec<String> = keys.iter().map(|key| format!("'{}'", String::from_utf8_lossy(key))).collect();
    let (table, list) = (&ycsb.table, list.join(","));
    let there = count(console, &format!("SELECT count(*) FROM {table} WHERE YCSB_KEY IN ({list})"))?;
    if there > 0 {
        console.query(&format!("DELETE FROM {table} WHERE YCSB_KEY IN ({list})"))?;
    }
    Ok(there)
}
