//! Whose data a workload finds. What we make carries a mark; what has none is dropped, emptied or loaded anew only where
//! the user has typed its name.

use crate::setup::Setup;
use crate::spec::Workload;
use crate::url::bare_place;

/// How the mark begins, wherever it stands.
pub const MARK: &str = "made by Plimsoll";
/// The mark, for people who find it in a database.
pub const NOTE: &str = "made by Plimsoll for a benchmark: plimsoll data drop removes it";

/// Who made what is there under the names of a workload's tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Whose {
    /// It carries our mark.
    Ours,
    /// It looks like what this workload makes, and carries no mark: it was made by hand, by another program or by a
    /// version that left none.
    Unmarked,
    /// It is something else; the words say what.
    Others(&'static str),
}

/// The name under which the data of a workload are destroyed: where the database is, without who asks, and in it the
/// table. Two databases never have the same.
pub fn identity(setup: &Setup) -> String {
    format!("{}/{}", bare_place(&setup.spec.url, setup.caps.server), short_name(setup))
}

/// The user has allowed it to be destroyed.
pub fn is_given_up(setup: &Setup) -> bool {
    let (whole, short) = (identity(setup), short_name(setup));
    setup.spec.destroy.iter().any(|name| *name == whole || name == short)
}

/// What stands for the workload's data in their database.
fn short_name(setup: &Setup) -> &str {
    match &setup.spec.workload {
        Workload::Ycsb(ycsb) => setup.caps.index.unwrap_or(&ycsb.table),
        Workload::Tpcb(_) => "pgbench",
        Workload::Web(_) => "page",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;
    use std::sync::Arc;

    use crate::drivers;
    use crate::spec::DbSpec;
    use crate::spec::tests::{job, workload_a};

    #[test]
    fn an_identity_tells_databases_apart_and_not_users() {
        for (driver, url, expected) in [
            ("postgresql", "postgresql://me@db:6000/shop", "db:6000/shop/usertable"),
            ("postgresql", "postgresql://you@db:6000/shop?x=1", "db:6000/shop/usertable"),
            ("postgresql", "postgresql://me@h/shop?socket=/run/pg", "/run/pg/shop/usertable"),
            ("redis", "redis://127.0.0.1:6379/3", "127.0.0.1:6379/3/_indices"),
            ("sqlite", "sqlite:/tmp/x.db", "/tmp/x.db/usertable"),
            ("sqlite", "sqlite:///tmp/x.db", "/tmp/x.db/usertable"),
        ] {
            let spec = DbSpec { driver: driver.to_owned(), url: url.to_owned(), ..job(Workload::Ycsb(workload_a())) };
            let caps = *drivers::find(driver).unwrap();
            let setup = Setup { spec, caps, settings: BTreeMap::new(), password: None, stopped: Arc::default() };
            assert_eq!(identity(&setup), expected);
        }
    }
}
