//! What a hostile server may say: drivers in conversation with bytes that no server of their kind would send.
//!
//! Fuzzing calls [`converse`], and the test below repeats what fuzzing keeps, so both see the same. Not in the product.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io::Write as _;
use std::net::Shutdown;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::caps::Caps;
use crate::driver::{Driver, Numbers, Reply, Request, Session as _, State, Statement, Values};
use crate::drivers::{self, Visitor};
use crate::integrity::Checker;
use crate::setup::Setup;
use crate::spec::{Data, DbSpec, Tpcb, Web, Workload, Ycsb};

/// Drivers that talk to a server.
pub fn drivers() -> impl Iterator<Item = &'static Caps> {
    drivers::LIST.iter().map(|entry| &entry.caps).filter(|caps| caps.server)
}

thread_local! {
    /// What the server of this thread says to whoever connects; nothing: there is none.
    static SCRIPT: RefCell<Option<Vec<u8>>> = const { RefCell::new(None) };
    /// The other ends, kept open: what we send goes nowhere, and does not fail.
    static ENDS: RefCell<Vec<UnixStream>> = const { RefCell::new(Vec::new()) };
}

/// More than a socket holds would block whoever writes it.
const LONGEST: usize = 100_000;

/// A connection to the server of this thread.
pub fn socket() -> Option<OwnedFd> {
    SCRIPT.with_borrow(|script| {
        let script = script.as_ref()?;
        let (ours, mut its) = UnixStream::pair().ok()?;
        its.write_all(script).ok()?;
        its.shutdown(Shutdown::Write).ok()?;
        ENDS.with_borrow_mut(|ends| ends.push(its));
        Some(ours.into())
    })
}

/// Everything that a job asks of a server of this kind, where each connection is answered by `bytes`; the first of them
/// chooses the workload.
pub fn converse(driver: &str, bytes: &[u8]) {
    let Some((&choice, script)) = bytes.split_first() else { return };
    let caps = *drivers().find(|caps| caps.name == driver).expect("a driver of a server");
    let password = (choice & 1 != 0 && caps.passwords).then(|| "secret".to_owned());
    let setup = Setup {
        spec: spec(&caps, choice),
        caps,
        settings: BTreeMap::new(),
        password,
        stopped: Arc::new(AtomicBool::new(false)),
    };
    SCRIPT.set(Some(script[..script.len().min(LONGEST)].to_vec()));
    drivers::with(driver, Conversation(Arc::new(setup)));
    SCRIPT.set(None);
    ENDS.with_borrow_mut(Vec::clear);
}

struct Conversation(Arc<Setup>);

impl Visitor for Conversation {
    type Output = ();

    fn visit<D: Driver>(self) {
        let Ok(driver) = D::new(Arc::clone(&self.0)) else { return };
        let _ = driver.facts();
        let _ = driver.counters();
        let _ = driver.look();
        let _ = driver.rows();
        let _ = driver.made();
        let _ = driver.drop_tables();
        let Ok(mut session) = driver.connect(0) else { return };
        let mut values = Values::default();
        values.begin(0);
        values.push(|buffer| buffer.extend_from_slice(b"value"));
        for request in requests(&self.0.spec.workload, &values) {
            let mut reply = Reply { checker: Some(Box::new(Checker::new(10))), ..Reply::default() };
            let mut state = session.start(&request, &mut reply);
            while matches!(state, Ok(State::Waiting)) {
                // The script is there to its end, so there is something to take, or an end.
                state = session.resume(&mut reply);
            }
            if state.is_err_and(|fault| fault.broken) {
                return;
            }
        }
    }
}

fn requests<'a>(workload: &Workload, values: &'a Values) -> Vec<Request<'a>> {
    let key = b"user1".as_slice();
    match workload {
        Workload::Ycsb(_) => vec![
            Request::Read { key, field: None },
            Request::Scan { key, count: 3, field: None },
            Request::Read { key, field: Some(1) },
            Request::Update { key, values },
            Request::Insert { key, values },
            Request::Scan { key, count: 3, field: Some(1) },
        ],
        Workload::Tpcb(_) => [Statement::Begin, Statement::UpdateAccounts, Statement::SelectAccounts, Statement::End]
            .map(|statement| Request::Statement(statement, Numbers::default()))
            .into(),
        Workload::Web(_) => vec![Request::Get, Request::Get],
    }
}

/// The smallest job of a kind; `choice` is for both workloads of databases.
fn spec(caps: &Caps, choice: u8) -> DbSpec {
    let workload = if caps.workloads.contains(&"web") {
        Workload::Web(Web { keep_alive: true, ..Web::default() })
    } else if caps.workloads.contains(&"tpcb") && choice & 2 != 0 {
        Workload::Tpcb(Tpcb::default())
    } else {
        Workload::Ycsb(Ycsb { records: 10, fields: 3, field_length: 10, scan_length_max: 20, ..Ycsb::default() })
    };
    DbSpec {
        driver: caps.name.to_owned(),
        url: format!("{}://me@127.0.0.1:1/1", caps.schemes[0].0),
        password_env: caps.passwords.then(|| "UNUSED".to_owned()),
        workload,
        clients: 1,
        threads: Some(1),
        data: Data::Keep,
        runtime_ns: 1_000_000,
        max_operations: Some(1),
        warmup_ns: 0,
        timeout_ns: 1_000_000_000,
        give_up_ns: 1_000_000_000,
        ..DbSpec::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Refusal(Setup);

    impl Visitor for Refusal {
        type Output = String;

        fn visit<D: Driver>(self) -> String {
            let driver = D::new(Arc::new(self.0)).expect("the request is right");
            driver.connect(0).err().map(|fault| fault.message).unwrap_or_default()
        }
    }

    /// Why a connection to PostgreSQL on `host` does not come about when the server says this.
    fn refusal(host: &str, script: &[u8]) -> String {
        let caps = *drivers::find("postgresql").expect("the driver is there");
        let mut spec = spec(&caps, 0);
        spec.url = format!("postgresql://me@{host}:1/test");
        let setup = Setup {
            spec,
            caps,
            settings: BTreeMap::new(),
            password: Some("secret".to_owned()),
            stopped: Arc::new(AtomicBool::new(false)),
        };
        SCRIPT.set(Some(script.to_vec()));
        let said = drivers::with("postgresql", Refusal(setup)).expect("the driver is there");
        SCRIPT.set(None);
        ENDS.with_borrow_mut(Vec::clear);
        said
    }

    #[test]
    fn a_password_goes_to_nobody_in_clear_text() {
        let asked = b"R\0\0\0\x08\0\0\0\x03";
        assert!(refusal("192.0.2.1", asked).contains("everybody on the way could read it"));
        // On the machine itself there is no way.
        assert!(refusal("127.0.0.1", asked).contains("closed the connection"));
    }

    #[test]
    fn a_server_cannot_keep_us_busy_with_a_password() {
        let asked = b"R\0\0\0\x17\0\0\0\x0aSCRAM-SHA-256\0\0";
        let hard = b"r=x,s=AAAA,i=2000000000";
        let answer = [&[b'R', 0, 0, 0, 8 + hard.len() as u8, 0, 0, 0, 11], hard.as_slice()].concat();
        assert!(refusal("127.0.0.1", &[asked.as_slice(), &answer].concat()).contains("2000000000 iterations"));
    }

    #[test]
    fn requests_that_fuzzing_kept_are_allowed_or_refused() {
        let paths = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fuzz/corpus/jobs"));
        let paths = paths.expect("the corpus is in the tree").map(|entry| entry.expect("it can be listed").path());
        let texts = paths.map(|path| std::fs::read(path).expect("it can be read"));
        let specs: Vec<DbSpec> = texts.filter_map(|text| serde_json::from_slice(&text).ok()).collect();
        assert!(specs.iter().any(|spec| crate::validate(spec).is_ok()), "none of {} is allowed", specs.len());
    }

    /// What coverage-guided fuzzing found worth keeping (`fuzz/corpus`), with the checks that only tests are built with.
    #[test]
    fn what_fuzzing_kept_harms_nobody() {
        for driver in drivers().map(|caps| caps.name) {
            let folder = format!("{}/../../fuzz/corpus/{driver}", env!("CARGO_MANIFEST_DIR"));
            let mut files = 0;
            for entry in std::fs::read_dir(&folder).expect("the corpus is in the tree") {
                let path = entry.expect("it can be listed").path();
                converse(driver, &std::fs::read(path).expect("it can be read"));
                files += 1;
            }
            assert!(files > 0, "{folder} has {files} files");
        }
    }
}
