//! Talking to an SQL database outside of a run: one command after the other, each waited for.

use crate::fault::Fault;

/// Where SQL databases differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    PostgreSql,
    MySql,
    Sqlite,
}

/// Runs commands one after the other and waits for each.
pub trait Console {
    /// Rows of text; NULL is absent.
    fn query(&mut self, sql: &str) -> Result<Vec<Vec<Option<String>>>, Fault>;
}

/// What is asked for outside of a run are settings and counts, and a server could go on for ever.
const MOST_ROWS: usize = 100_000;

/// Refuses an answer that does not end.
pub fn check_length<T>(rows: &[T]) -> Result<(), Fault> {
    if rows.len() > MOST_ROWS { Err(Fault::protocol("the server sends more rows than there can be")) } else { Ok(()) }
}

/// What each of some queries brings in its only row, by name; a query that is refused brings nothing.
pub fn numbers(console: &mut dyn Console, queries: &[(&[&'static str], &str)]) -> Vec<(&'static str, u64)> {
    let mut found = Vec::new();
    for (names, sql) in queries {
        let rows = console.query(sql).unwrap_or_default();
        let cells = rows.into_iter().next().unwrap_or_default();
        let numbers = cells.into_iter().map(|cell| cell.and_then(|text| text.parse().ok()));
        found.extend(names.iter().zip(numbers).filter_map(|(&name, number)| number.map(|number| (name, number))));
    }
    found
}

/// One number.
pub fn count(console: &mut dyn Console, sql: &str) -> Result<u64, Fault> {
    let rows = console.query(sql)?;
    let text = rows.first().and_then(|row| row.first()).and_then(Option::as_deref);
    text.and_then(|text| text.parse().ok()).ok_or_else(|| Fault::protocol(format!("no number came back from {sql:?}")))
}

/// Pairs of name and value, each row one.
pub fn pairs(rows: Vec<Vec<Option<String>>>) -> Vec<(String, String)> {
    rows.into_iter()
        .filter_map(|row| {
            let mut cells = row.into_iter().flatten();
            cells.next().zip(cells.next())
        })
        .collect()
}
