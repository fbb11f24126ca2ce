//! pgbench's built-in scripts (PostgreSQL 15), statement by statement.

use plimsoll_core::random::{Purpose, Stream};

use super::Operation;
use crate::driver::{Numbers, Request, Statement};
use crate::recorder::OpKinds;
use crate::spec::{Script, Tpcb};

/// Accounts per branch.
pub const ACCOUNTS: u32 = 100_000;
/// Tellers per branch.
pub const TELLERS: u32 = 10;
/// Largest amount of a transaction, either way.
const DELTA: i32 = 5000;

const NAMES: &[&str] = &[
    "transaction",
    "begin",
    "update_accounts",
    "select_accounts",
    "update_tellers",
    "update_branches",
    "insert_history",
    "end",
];

use Statement::{Begin, End, InsertHistory, SelectAccounts, UpdateAccounts, UpdateBranches, UpdateTellers};

fn statements(script: Script) -> &'static [Statement] {
    match script {
        Script::Tpcb => &[Begin, UpdateAccounts, SelectAccounts, UpdateTellers, UpdateBranches, InsertHistory, End],
        Script::SimpleUpdate => &[Begin, UpdateAccounts, SelectAccounts, InsertHistory, End],
        Script::SelectOnly => &[SelectAccounts],
    }
}

/// What a script counts.
pub fn kinds(script: Script) -> OpKinds {
    let used = statements(script).iter().fold(1, |used, &statement| used | 2 << statement as usize);
    OpKinds { names: NAMES, whole: 1, used, open: false }
}

/// One thread's part.
#[derive(Debug)]
pub struct Scripted {
    statements: &'static [Statement],
    scale: u32,
    stream: Stream,
}

impl Scripted {
    pub fn new(tpcb: Tpcb, seed: u64, thread: u32) -> Self {
        let stream = Stream::new(seed, thread, Purpose::Offset);
        Self { statements: statements(tpcb.script), scale: tpcb.scale, stream }
    }

    fn between(&mut self, low: i32, high: u32) -> i32 {
        let count = i64::from(high) - i64::from(low) + 1;
        low + self.stream.below(count as u64) as i32
    }

    pub fn draw(&mut self, operation: &mut Operation) {
        operation.steps = self.statements.len();
        let scale = self.scale;
        operation.numbers = Numbers {
            aid: self.between(1, ACCOUNTS * scale),
            bid: self.between(1, scale),
            tid: self.between(1, TELLERS * scale),
            delta: self.between(-DELTA, DELTA as u32),
        };
    }

    pub fn request(&self, operation: &Operation) -> Request<'static> {
        Request::Statement(self.statements[operation.step], operation.numbers)
    }

    pub fn part(&self, operation: &Operation) -> usize {
        1 + self.statements[operation.step] as usize
    }

    pub fn expects_rows(&self, operation: &Operation) -> bool {
        !matches!(self.statements[operation.step], Begin | InsertHistory | End)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_in_the_ranges_of_pgbench() {
        let mut scripted = Scripted::new(Tpcb { script: Script::Tpcb, scale: 2 }, 1, 0);
        let mut operation = Operation::default();
        let mut all = Vec::new();
        for _ in 0..200_000 {
            scripted.draw(&mut operation);
            all.push(operation.numbers);
        }
        let range = |pick: fn(&Numbers) -> i32| (all.iter().map(pick).min(), all.iter().map(pick).max());
        assert_eq!(range(|n| n.bid), (Some(1), Some(2)));
        assert_eq!(range(|n| n.tid), (Some(1), Some(20)));
        assert_eq!(range(|n| n.delta), (Some(-5000), Some(5000)));
        let (low, high) = range(|n| n.aid);
        assert!((1..100).contains(&low.unwrap()) && (199_900..=200_000).contains(&high.unwrap()));
    }

    #[test]
    fn only_the_statements_of_the_script_are_counted() {
        let names = |script| {
            let kinds = kinds(script);
            NAMES.iter().enumerate().filter(|(kind, _)| kinds.has(*kind)).map(|(_, name)| *name).collect::<Vec<_>>()
        };
        assert_eq!(names(Script::Tpcb), NAMES);
        assert_eq!(names(Script::SelectOnly), ["transaction", "select_accounts"]);
    }
}
