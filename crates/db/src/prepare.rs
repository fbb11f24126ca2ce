//! The workload's data before the measured part: there, fitting, or to be loaded. What is to be done is decided first,
//! from a look that changes nothing.

use crate::driver::{Driver, Found};
use crate::fault::{Fault, JobError};
use crate::keyspace::Keys;
use crate::ownership::{Whose, identity, is_given_up};
use crate::setup::Setup;
use crate::spec::{Data, DbSpec, Measure, Script, Workload, Ycsb};
use crate::workloads::accounts;

/// Keys that are removed with one command.
const REMOVED_AT_ONCE: u64 = 500;
/// As `plimsoll run` and as `plimsoll ycsb` are asked.
const KEEP: &str = "data=keep (--keep)";
const REUSE: &str = "data=reuse (--reuse)";
const RECREATE: &str = "data=recreate (--recreate)";

/// What is to be done about the data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    /// They are used as they are, and nothing about them is changed before the run.
    Use { marked: bool },
    /// They fit once the records of earlier runs are gone.
    Trim(Found),
    /// They are loaded; before that tables are dropped, and made.
    Load { drop: bool, create: bool },
}

/// The data are seen to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Prepared {
    /// Records that are to be loaded; nothing when there are fitting ones.
    pub missing: Option<u64>,
    /// They may be tidied up before a run.
    pub tidy: bool,
    /// They carry our mark.
    pub marked: bool,
}

/// What the workload's tables must be.
#[derive(Debug, Clone, Copy)]
struct Wanted {
    records: u64,
    /// As [`Found::shape`].
    shape: u64,
}

/// Looks at the tables and decides. Nothing is changed.
pub fn decide<D: Driver>(driver: &D, setup: &Setup) -> Result<Decision, JobError> {
    let spec = &setup.spec;
    let Some(wanted) = wanted(spec) else { return Ok(Decision::Use { marked: false }) };
    let Some(found) = driver.look().map_err(|fault| looking(&fault, setup, D::CAPS.server))? else {
        return match (spec.data, spec.measure()) {
            (Data::Keep, Measure::Run) => Err(JobError::schema(
                "there is no data of this workload: load it first, or have it made (data `create`, `reuse` or `recreate`)",
            )),
            _ => Ok(Decision::Load { drop: false, create: true }),
        };
    };
    let given_up = is_given_up(setup);
    match found.whose {
        Whose::Others(what) if !given_up || spec.data != Data::Recreate => {
            Err(JobError::schema(foreign(setup, what, given_up)))
        }
        Whose::Unmarked if !given_up => unmarked(setup, found, wanted),
        _ => ours(spec, found, wanted),
    }
}

/// What is done with tables of our own, or with such as the user has given up.
fn ours(spec: &DbSpec, found: Found, wanted: Wanted) -> Result<Decision, JobError> {
    let occupied = found.records > 0;
    match spec.data {
        Data::Keep => fitting(found, wanted, RECREATE).map(|()| Decision::Use { marked: found.whose == Whose::Ours }),
        Data::Create if occupied => Err(JobError::schema(format!(
            "the tables of this workload are there and hold {} records, which are left as they are: use them with \
             {REUSE}, or, if nobody needs them, have them dropped with {RECREATE}",
            found.records
        ))),
        Data::Reuse if occupied => fitting(found, wanted, RECREATE).map(|()| Decision::Trim(found)),
        _ => Ok(Decision::Load { drop: true, create: true }),
    }
}

/// What is done with tables that look right and carry no mark: they are used where the user says so, and a load fills
/// them while they are empty, as those of YCSB's users are, who make them by hand.
fn unmarked(setup: &Setup, found: Found, wanted: Wanted) -> Result<Decision, JobError> {
    let spec = &setup.spec;
    let away = format!("{RECREATE} and --destroy '{}'", identity(setup));
    let fits = found.shape.is_none_or(|shape| shape == wanted.shape);
    let only_loads = spec.measure() == Measure::Load && spec.data == Data::Create && found.records == 0 && fits;
    match spec.data {
        Data::Keep => fitting(found, wanted, &away).map(|()| Decision::Use { marked: false }),
        Data::Create if only_loads => Ok(Decision::Load { drop: false, create: false }),
        Data::Reuse if fits && found.records == wanted.records && only_reads(spec) => {
            Ok(Decision::Use { marked: false })
        }
        _ => Err(JobError::schema(format!(
            "the table of this workload is there ({} records) and carries no mark of Plimsoll's: it was made by hand, by \
             another program or by Plimsoll 0.1, and is neither emptied, dropped nor loaded. To measure on it as it is, \
             say {KEEP}; to leave it alone, give the test {} of its own; only if nobody needs it, have it dropped with \
             {away}",
            found.records,
            own_place(setup)
        ))),
    }
}

/// The run changes nothing.
fn only_reads(spec: &DbSpec) -> bool {
    spec.measure() == Measure::Run
        && match &spec.workload {
            Workload::Ycsb(ycsb) => ycsb.update + ycsb.insert + ycsb.read_modify_write == 0.0,
            Workload::Tpcb(tpcb) => tpcb.script == Script::SelectOnly,
            Workload::Web(_) => true,
        }
}

/// Does what was decided. Records are loaded by the caller.
pub fn carry_out<D: Driver>(
    driver: &D,
    setup: &Setup,
    decision: Decision,
    keep_going: impl Fn(f64) -> bool,
) -> Result<Prepared, JobError> {
    let failed = |fault: Fault| JobError::preparing(&fault);
    let Some(wanted) = wanted(&setup.spec) else { return Ok(Prepared { missing: None, tidy: true, marked: false }) };
    match decision {
        Decision::Use { marked } => Ok(Prepared { missing: None, tidy: false, marked }),
        Decision::Trim(found) => {
            trim(driver, &setup.spec, found, wanted, keep_going)?;
            Ok(Prepared { missing: None, tidy: true, marked: found.whose == Whose::Ours })
        }
        Decision::Load { drop, create } => {
            if drop {
                driver.drop_tables().map_err(failed)?;
            }
            if create {
                driver.create().map_err(failed)?;
            }
            Ok(Prepared { missing: Some(wanted.records), tidy: create, marked: create })
        }
    }
}

/// What the workload's tables must be; nothing when it has none.
fn wanted(spec: &DbSpec) -> Option<Wanted> {
    match &spec.workload {
        Workload::Ycsb(ycsb) => Some(Wanted { records: ycsb.records, shape: u64::from(ycsb.fields) }),
        Workload::Tpcb(tpcb) => Some(Wanted { records: accounts(tpcb.scale), shape: u64::from(tpcb.scale) }),
        Workload::Web(_) => None,
    }
}

/// What a look has met. Of a server it is known by now that it can be reached.
fn looking(fault: &Fault, setup: &Setup, server: bool) -> JobError {
    if server || setup.stopped.load(std::sync::atomic::Ordering::Relaxed) {
        JobError::preparing(fault)
    } else {
        JobError::connect(fault.message.clone())
    }
}

/// Where a workload would be in nobody's way.
fn own_place(setup: &Setup) -> &'static str {
    match &setup.spec.workload {
        Workload::Ycsb(_) if setup.caps.index.is_none() => "a table (table=) or a database",
        _ => "a database",
    }
}

/// What is there under the name of the workload's tables was made by somebody else.
fn foreign(setup: &Setup, what: &str, given_up: bool) -> String {
    let own = own_place(setup);
    let away = format!("--destroy '{}'", identity(setup));
    let missing = if given_up { format!("{RECREATE} beside {away}") } else { format!("{RECREATE} and {away}") };
    format!(
        "{what}, so it is somebody else's and is left alone: give the test {own} of its own; only if nobody needs what is \
         there, have it dropped with {missing}"
    )
}

fn fitting(found: Found, wanted: Wanted, away: &str) -> Result<(), JobError> {
    match found.shape {
        Some(is) if is != wanted.shape => Err(JobError::schema(format!(
            "the tables of this workload are there in another shape ({is} fields or branches, not {}): ask for that, or, if \
             nobody needs them, have them dropped with {away}",
            wanted.shape
        ))),
        _ => Ok(()),
    }
}

fn trim<D: Driver>(
    driver: &D,
    spec: &DbSpec,
    found: Found,
    wanted: Wanted,
    keep_going: impl Fn(f64) -> bool,
) -> Result<(), JobError> {
    let surplus = found.records.saturating_sub(wanted.records);
    let removed = match &spec.workload {
        Workload::Ycsb(ycsb) if surplus > 0 => remove_added(driver, ycsb, surplus, keep_going)?,
        _ => 0,
    };
    if found.records - removed == wanted.records {
        return Ok(());
    }
    let evicted = driver.counters().unwrap_or_default().into_iter().find(|&(name, _)| name == "evicted_keys");
    let (records, asked) = (found.records, wanted.records);
    Err(JobError::schema(match evicted {
        Some((_, keys @ 1..)) => format!(
            "{records} of {asked} records are there; the server has evicted {keys} keys for want of memory: give it more \
             (maxmemory), or a policy that keeps them (maxmemory-policy noeviction)"
        ),
        _ => format!(
            "the tables of this workload are there with {records} records, not {asked}: ask for that number, or, if nobody \
             needs them, have them dropped with {RECREATE}"
        ),
    }))
}

/// Removes the records that inserts of earlier runs have added: their numbers follow the loaded ones, with gaps where an
/// insert failed.
fn remove_added<D: Driver>(
    driver: &D,
    ycsb: &Ycsb,
    surplus: u64,
    keep_going: impl Fn(f64) -> bool,
) -> Result<u64, JobError> {
    let keys = Keys::new(ycsb);
    let (mut removed, mut number) = (0, ycsb.records);
    let last = ycsb.records + 2 * surplus + 10_000;
    while removed < surplus && number < last && keep_going(removed as f64 / surplus as f64) {
        let batch: Vec<Vec<u8>> = (number..last.min(number + REMOVED_AT_ONCE))
            .map(|number| {
                let mut key = Vec::new();
                keys.write(number, &mut key);
                key
            })
            .collect();
        number += batch.len() as u64;
        removed += driver.remove(&batch).map_err(|fault| JobError::preparing(&fault))?;
    }
    Ok(removed)
}
