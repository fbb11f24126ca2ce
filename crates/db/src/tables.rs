//! The tables that are found in an SQL database under the names of a workload's, and whose they are.

use crate::console::{Console, Dialect, count};
use crate::driver::Found;
use crate::fault::Fault;
use crate::outcome::Made;
use crate::ownership::{MARK, NOTE, Whose};
use crate::setup::Setup;
use crate::spec::Workload;

/// Columns of pgbench's tables.
const PGBENCH: [(&str, &[&str]); 4] = [
    ("pgbench_accounts", &["aid", "bid", "abalance", "filler"]),
    ("pgbench_branches", &["bid", "bbalance", "filler"]),
    ("pgbench_history", &["tid", "bid", "aid", "delta", "mtime", "filler"]),
    ("pgbench_tellers", &["tid", "bid", "tbalance", "filler"]),
];

/// Names of the workload's tables.
pub fn names(setup: &Setup) -> Vec<&str> {
    match &setup.spec.workload {
        Workload::Ycsb(ycsb) => vec![ycsb.table.as_str()],
        Workload::Tpcb(_) => PGBENCH.iter().map(|&(name, _)| name).collect(),
        Workload::Web(_) => Vec::new(),
    }
}

/// The same as a list in SQL.
pub fn quoted(setup: &Setup) -> String {
    let names = names(setup);
    names.iter().map(|name| format!("'{}'", name.to_lowercase())).collect::<Vec<_>>().join(", ")
}

/// What makes a table with our mark: `CREATE TABLE name(columns)extra`, in one command, so that no table of ours is ever
/// without.
pub fn create_with_mark(dialect: Dialect, name: &str, columns: &str, extra: &str) -> String {
    match dialect {
        Dialect::PostgreSql => {
            format!("CREATE TABLE {name} ({columns}){extra}; COMMENT ON TABLE {name} IS '{NOTE}'")
        }
        Dialect::MySql => format!("CREATE TABLE {name} ({columns}){extra} COMMENT='{NOTE}'"),
        // SQLite keeps the text of the command with the table.
        Dialect::Sqlite => format!("CREATE TABLE {name} (/* {NOTE} */ {columns}){extra}"),
    }
}

/// A table that is there.
#[derive(Debug)]
struct There {
    /// As the database spells it.
    name: String,
    marked: bool,
}

/// Those of `wanted` that are there, in the schema where ours would be made.
fn present(console: &mut dyn Console, dialect: Dialect, setup: &Setup) -> Result<Vec<There>, Fault> {
    let wanted = names(setup);
    let list = quoted(setup);
    let rows = console.query(&match dialect {
        Dialect::PostgreSql => format!(
            "SELECT c.relname, obj_description(c.oid, 'pg_class') FROM pg_class c JOIN pg_namespace n \
             ON n.oid = c.relnamespace WHERE n.nspname = current_schema() AND c.relkind IN ('r', 'p', 'v', 'm', 'f') \
             AND c.relname IN ({list})"
        ),
        Dialect::MySql => format!(
            "SELECT table_name, table_comment, @@lower_case_table_names FROM information_schema.tables \
             WHERE table_schema = DATABASE() AND lower(table_name) IN ({list})"
        ),
        Dialect::Sqlite => {
            format!("SELECT name, sql FROM sqlite_master WHERE type IN ('table', 'view') AND lower(name) IN ({list})")
        }
    })?;
    let mut found = Vec::new();
    for row in rows {
        let mut cells = row.into_iter();
        let (name, note) = (cells.next().flatten().unwrap_or_default(), cells.next().flatten().unwrap_or_default());
        // Where names of tables are those of files, USERTABLE is another table than usertable.
        let exact = dialect == Dialect::MySql && cells.next().flatten().as_deref() == Some("0");
        if !exact || wanted.contains(&name.as_str()) {
            found.push(There { marked: is_marked(dialect, &note), name });
        }
    }
    Ok(found)
}

fn is_marked(dialect: Dialect, note: &str) -> bool {
    if dialect == Dialect::Sqlite { note.contains(&format!("/* {MARK}")) } else { note.starts_with(MARK) }
}

/// Names of the columns of a table, in small letters.
fn columns(console: &mut dyn Console, dialect: Dialect, table: &str) -> Result<Vec<String>, Fault> {
    let of_schema = |schema: &str| {
        format!(
            "SELECT lower(column_name) FROM information_schema.columns \
             WHERE table_schema = {schema} AND table_name = '{table}'"
        )
    };
    let sql = match dialect {
        Dialect::PostgreSql => of_schema("current_schema()"),
        Dialect::MySql => of_schema("DATABASE()"),
        Dialect::Sqlite => format!("SELECT lower(name) FROM pragma_table_info('{table}')"),
    };
    Ok(console.query(&sql)?.into_iter().filter_map(|row| row.into_iter().next().flatten()).collect())
}

/// It has the columns that the workload's table of this name has; of YCSB's the number of fields may be another.
fn looks_right(workload: &Workload, table: &str, columns: &[String]) -> bool {
    match workload {
        Workload::Ycsb(_) => {
            let has = |name: &str| columns.iter().any(|column| column == name);
            columns.len() > 1 && has("ycsb_key") && (0..columns.len() - 1).all(|field| has(&format!("field{field}")))
        }
        Workload::Tpcb(_) => {
            let known = PGBENCH.iter().find(|(name, _)| name.eq_ignore_ascii_case(table));
            known.is_some_and(|(_, known)| columns.iter().all(|column| known.contains(&column.as_str())))
        }
        Workload::Web(_) => false,
    }
}

/// What is in the workload's tables.
pub fn look(console: &mut dyn Console, dialect: Dialect, setup: &Setup) -> Result<Option<Found>, Fault> {
    let there = present(console, dialect, setup)?;
    if there.is_empty() {
        return Ok(None);
    }
    let workload = &setup.spec.workload;
    let mut whose = Whose::Ours;
    for table in there.iter().filter(|table| !table.marked) {
        if !looks_right(workload, &table.name, &columns(console, dialect, &table.name)?) {
            let what = match workload {
                Workload::Ycsb(_) => "the table has columns that this workload does not make",
                _ => "a table pgbench_… has columns that this workload does not make",
            };
            return Ok(Some(Found { records: 0, shape: None, whose: Whose::Others(what) }));
        }
        whose = Whose::Unmarked;
    }
    let mut rows = |name: &str| match there.iter().find(|table| table.name.eq_ignore_ascii_case(name)) {
        Some(table) => count(console, &format!("SELECT count(*) FROM {}", table.name)),
        // One that was cut off while it was made.
        None => Ok(0),
    };
    let (records, shape) = match workload {
        Workload::Ycsb(ycsb) => {
            (rows(&ycsb.table)?, columns(console, dialect, &there[0].name)?.len().saturating_sub(1) as u64)
        }
        _ => (rows("pgbench_accounts")?, rows("pgbench_branches")?),
    };
    Ok(Some(Found { records, shape: Some(shape), whose }))
}

/// Removes those of the workload's tables that are there: a name that stands for a table of another schema is not touched.
pub fn remove(console: &mut dyn Console, dialect: Dialect, setup: &Setup) -> Result<(), Fault> {
    let there = present(console, dialect, setup)?;
    there.iter().try_for_each(|table| console.query(&format!("DROP TABLE {}", table.name)).map(drop))
}

/// Everything with our mark, whatever it is called.
pub fn made(console: &mut dyn Console, dialect: Dialect) -> Result<Vec<Made>, Fault> {
    let rows = console.query(&match dialect {
        Dialect::PostgreSql => format!(
            "SELECT c.relname, pg_total_relation_size(c.oid) FROM pg_class c JOIN pg_namespace n \
             ON n.oid = c.relnamespace WHERE n.nspname = current_schema() AND c.relkind = 'r' \
             AND obj_description(c.oid, 'pg_class') LIKE '{MARK}%' ORDER BY 1"
        ),
        Dialect::MySql => format!(
            "SELECT table_name, CAST(data_length + index_length AS UNSIGNED) FROM information_schema.tables \
             WHERE table_schema = DATABASE() AND table_type = 'BASE TABLE' AND table_comment LIKE '{MARK}%' ORDER BY 1"
        ),
        Dialect::Sqlite => {
            format!("SELECT name, NULL FROM sqlite_master WHERE type = 'table' AND sql LIKE '%/* {MARK}%' ORDER BY 1")
        }
    })?;
    let mut found = Vec::new();
    for row in rows {
        let mut cells = row.into_iter();
        let name = cells.next().flatten().unwrap_or_default();
        let bytes = cells.next().flatten().and_then(|text| text.parse().ok());
        let records = count(console, &format!("SELECT count(*) FROM {}", identifier(dialect, &name)))?;
        found.push(Made { name, records, bytes });
    }
    Ok(found)
}

/// Removes one of them.
pub fn unmake(console: &mut dyn Console, dialect: Dialect, name: &str) -> Result<(), Fault> {
    console.query(&format!("DROP TABLE {}", identifier(dialect, name))).map(drop)
}

/// A name that somebody may have changed, as an identifier.
fn identifier(dialect: Dialect, name: &str) -> String {
    let quote = if dialect == Dialect::MySql { "`" } else { "\"" };
    format!("{quote}{}{quote}", name.replace(quote, &quote.repeat(2)))
}
