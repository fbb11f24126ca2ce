//! Whether a job can work, asked before anything is opened.

use std::sync::Arc;

use plimsoll_core::parameters::OutOfBounds;

use crate::driver::Driver;
use crate::drivers;
use crate::fault::JobError;
use crate::open_files;
use crate::setup::{self, Setup};
use crate::spec::{Data, DbSpec, Measure, RateUnit, Request, Spread, Workload, Ycsb};

/// Descriptors of this process that are no connections.
const OTHER_DESCRIPTORS: u64 = 64;

/// Refuses what cannot work, whatever the database.
pub fn validate(spec: &DbSpec) -> Result<(), JobError> {
    let Some(caps) = drivers::find(&spec.driver) else {
        let names: Vec<&str> = drivers::LIST.iter().map(|entry| entry.caps.name).collect();
        return refuse(format!("there is no driver {:?}: use one of {}", spec.driver, names.join(", ")));
    };
    let bounds = |error: OutOfBounds| JobError::spec(error.to_string());
    spec.check_bounds().map_err(bounds)?;
    spec.workload.check_bounds().map_err(bounds)?;
    let kind = spec.workload.kind();
    if !caps.workloads.contains(&kind) {
        return refuse(format!("the driver {} cannot run {kind}: it runs {}", caps.name, caps.workloads.join(", ")));
    }
    setup::validate(spec, caps)?;
    rate(spec)?;
    slices(spec)?;
    if caps.server {
        let needed = u64::from(spec.clients) + OTHER_DESCRIPTORS;
        let allowed = open_files::allow(needed);
        if allowed < needed {
            return refuse(format!(
                "{} clients need {needed} open files, and this process may have {allowed}: raise `ulimit -n`",
                spec.clients
            ));
        }
    }
    match &spec.workload {
        Workload::Ycsb(ycsb) => check_ycsb(spec, ycsb),
        Workload::Tpcb(_) | Workload::Web(_) => Ok(()),
    }
}

/// Refuses an address, a password or settings that the driver cannot use. Nothing is opened and no server is asked: whether
/// there is one, only the job can find out.
pub fn validate_address(spec: &DbSpec) -> Result<(), JobError> {
    drivers::with(&spec.driver, Address(spec)).unwrap_or(Ok(()))
}

struct Address<'a>(&'a DbSpec);

impl drivers::Visitor for Address<'_> {
    type Output = Result<(), JobError>;

    fn visit<D: Driver>(self) -> Self::Output {
        let setup = Setup::new(self.0.clone(), D::CAPS, Arc::default())?;
        match D::new(Arc::new(setup)) {
            Err(error) if error.is_spec() => Err(error),
            _ => Ok(()),
        }
    }
}

fn refuse(message: impl Into<String>) -> Result<(), JobError> {
    Err(JobError::spec(message))
}

fn rate(spec: &DbSpec) -> Result<(), JobError> {
    match spec.asked_rate {
        Some(rate) if rate.unit != RateUnit::Operations => refuse("the rate must be in operations"),
        Some(rate) if !(rate.per_second.is_finite() && rate.per_second > 0.0) => {
            refuse(format!("a rate of {} per second is impossible: it must be above 0", rate.per_second))
        }
        _ => Ok(()),
    }
}

/// Refuses slices that cannot be kept, and jobs with slices that have an end of their own.
fn slices(spec: &DbSpec) -> Result<(), JobError> {
    spec.slices().check().map_err(JobError::spec)?;
    if spec.slices.is_empty() {
        return Ok(());
    }
    if spec.measure() == Measure::Load {
        return refuse("a load (measure=load) inserts each record once and has no steady state: give no slices");
    }
    if spec.max_operations.is_some() {
        return refuse("the slices say how long a job lasts: leave max_operations out");
    }
    Ok(())
}

fn check_ycsb(spec: &DbSpec, ycsb: &Ycsb) -> Result<(), JobError> {
    records(ycsb)?;
    fields(ycsb)?;
    if ycsb.shares().iter().sum::<f64>() <= 0.0 {
        return refuse("one of the shares of the operations must be above 0");
    }
    if ycsb.scan_length_min > ycsb.scan_length_max {
        return refuse(format!(
            "scan_length_min {} is above scan_length_max {}",
            ycsb.scan_length_min, ycsb.scan_length_max
        ));
    }
    if !fits(ycsb.request) {
        return refuse("a parameter of the request distribution is out of range: shares and theta lie between 0 and 1");
    }
    if spec.measure() == Measure::Load { load(spec) } else { Ok(()) }
}

fn records(ycsb: &Ycsb) -> Result<(), JobError> {
    let name = &ycsb.table;
    let plain = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
    if name.is_empty() || name.len() > 60 || !name.bytes().all(plain) {
        return refuse(format!("the table name {name:?} may have letters, digits and underscores only"));
    }
    if ycsb.keys() == 0 {
        return refuse("there are no records: records and insert_count must be at least 1");
    }
    if ycsb.insert_start.checked_add(ycsb.keys()).is_none_or(|end| end > ycsb.records) {
        return refuse(format!(
            "insert_start {} and insert_count {} reach beyond records {}: as in YCSB, that counts all records",
            ycsb.insert_start,
            ycsb.keys(),
            ycsb.records
        ));
    }
    Ok(())
}

fn fields(ycsb: &Ycsb) -> Result<(), JobError> {
    if ycsb.field_length_min > ycsb.field_length {
        return refuse(format!(
            "field_length_min {} is above field_length {}",
            ycsb.field_length_min, ycsb.field_length
        ));
    }
    if ycsb.data_integrity && ycsb.field_length_distribution != Spread::Constant {
        return refuse("data_integrity needs a constant field length");
    }
    Ok(())
}

fn fits(request: Request) -> bool {
    let inside = |value: f64| value > 0.0 && value < 1.0;
    match request {
        Request::Zipfian { theta } | Request::Latest { theta } => inside(theta),
        Request::Hotspot { data, operations } => inside(data) && (0.0..=1.0).contains(&operations),
        Request::Exponential { percentile, share } => inside(percentile / 100.0) && share > 0.0 && share <= 1.0,
        Request::Uniform | Request::Sequential => true,
    }
}

fn load(spec: &DbSpec) -> Result<(), JobError> {
    if spec.data == Data::Reuse {
        return refuse(
            "a load (measure=load) cannot reuse data: say data=keep to add records, data=create or data=recreate",
        );
    }
    if spec.max_operations.is_some() {
        return refuse(
            "a load (measure=load) inserts all its records, so max_operations= does not go with it: say how many with \
             records= or insert_count=",
        );
    }
    Ok(())
}
