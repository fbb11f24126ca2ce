//! The workload's data before the measured part: there, fitting, or to be loaded.

use crate::driver::{Driver, Found};
use crate::fault::{Fault, JobError};
use crate::keyspace::Keys;
use crate::setup::Setup;
use crate::spec::{Data, DbSpec, Measure, Workload, Ycsb};
use crate::workloads::accounts;

/// Keys that are removed with one command.
const REMOVED_AT_ONCE: u64 = 500;
/// As `plimsoll run` and as `plimsoll ycsb` are asked.
const REUSE: &str = "data=reuse (--reuse)";
const RECREATE: &str = "data=recreate (--recreate)";

/// Sees to the tables. Says how many records are to be loaded; nothing when there are fitting ones.
pub fn tables<D: Driver>(driver: &D, setup: &Setup, keep_going: impl Fn(f64) -> bool) -> Result<Option<u64>, JobError> {
    let spec = &setup.spec;
    let Some(wanted) = wanted(spec) else { return Ok(None) };
    let failed = |fault: Fault| JobError::preparing(&fault);
    let found = driver.look().map_err(failed)?;
    if found.is_some_and(|found| !found.own) {
        return Err(JobError::schema(foreign(spec)));
    }
    let occupied = found.is_some_and(|found| found.records > 0);
    match (spec.data, found) {
        (Data::Keep, None) if spec.measure == Measure::Run => Err(JobError::schema(
            "there is no data of this workload: load it first, or have it made (data `create`, `reuse` or `recreate`)",
        )),
        (Data::Keep, Some(found)) => match shape_fault(found, wanted) {
            Some(reason) => Err(JobError::schema(reason)),
            None => Ok(None),
        },
        (Data::Create, Some(found)) if occupied => Err(JobError::schema(format!(
            "the tables of this workload are there and hold {} records, which are left as they are: use them with \
             {REUSE}, or, if nobody needs them, have them dropped with {RECREATE}",
            found.records
        ))),
        (Data::Reuse, Some(found)) if occupied => reuse(driver, spec, found, wanted, keep_going).map(|()| None),
        (_, found) => {
            if found.is_some() {
                driver.drop_tables().map_err(failed)?;
            }
            driver.create().map_err(failed)?;
            Ok(Some(wanted.records))
        }
    }
}

/// What the workload's tables must be; nothing when it has none.
fn wanted(spec: &DbSpec) -> Option<Found> {
    match &spec.workload {
        Workload::Ycsb(ycsb) => {
            Some(Found { records: ycsb.record_count, shape: Some(u64::from(ycsb.field_count)), own: true })
        }
        Workload::Tpcb(tpcb) => {
            Some(Found { records: accounts(tpcb.scale), shape: Some(u64::from(tpcb.scale)), own: true })
        }
        Workload::Web(_) => None,
    }
}

/// What is there under the name of the workload's tables was made by somebody else.
fn foreign(spec: &DbSpec) -> String {
    let (what, own) = match &spec.workload {
        Workload::Ycsb(_) if spec.driver == "redis" => ("the index of the records, _indices, lists keys", "a database"),
        Workload::Ycsb(_) => ("the table has columns", "a table (table=) or a database"),
        Workload::Tpcb(_) | Workload::Web(_) => ("the table pgbench_accounts has columns", "a database"),
    };
    format!(
        "{what} that this workload does not make, so it is somebody else's and is left alone: give the test {own} of its own"
    )
}

fn shape_fault(found: Found, wanted: Found) -> Option<String> {
    match (found.shape, wanted.shape) {
        (Some(is), Some(should)) if is != should => Some(format!(
            "the tables of this workload are there in another shape ({is} fields or branches, not {should}): \
             ask for that, or, if nobody needs them, have them dropped with {RECREATE}"
        )),
        _ => None,
    }
}

fn reuse<D: Driver>(
    driver: &D,
    spec: &DbSpec,
    found: Found,
    wanted: Found,
    keep_going: impl Fn(f64) -> bool,
) -> Result<(), JobError> {
    if let Some(reason) = shape_fault(found, wanted) {
        return Err(JobError::schema(reason));
    }
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
    let (mut removed, mut number) = (0, ycsb.record_count);
    let last = ycsb.record_count + 2 * surplus + 10_000;
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
