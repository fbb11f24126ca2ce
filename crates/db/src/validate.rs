//! Refusing what cannot work, before anything is opened.

use crate::drivers;
use crate::fault::JobError;
use crate::open_files;
use crate::setup;
use crate::spec::{Data, DbSpec, Measure, RateUnit, Request, Spread, Workload, Ycsb};

/// Embedded databases block their thread; more than this many would only fill memory with counters.
const MOST_THREADS: u32 = 64;
/// Descriptors of this process that are no connections.
const OTHER_DESCRIPTORS: u64 = 64;
/// pgbench's account numbers are 32-bit up to here.
const MOST_BRANCHES: u32 = 20_000;

/// How many threads serve the clients. Servers get at most half of the CPUs: one thread serves many connections, and on
/// one machine the server needs the other half.
pub fn threads(spec: &DbSpec, server: bool) -> u32 {
    let cpus = std::thread::available_parallelism().map_or(1, |n| n.get() as u32);
    let most = match (spec.threads, server) {
        (Some(threads), _) => threads,
        (None, true) => cpus.div_ceil(2),
        (None, false) => MOST_THREADS,
    };
    most.clamp(1, spec.clients)
}

/// Why the job is impossible, whatever the database.
pub fn validate(spec: &DbSpec) -> Result<(), JobError> {
    let Some(caps) = drivers::find(&spec.driver) else {
        let names: Vec<&str> = drivers::LIST.iter().map(|entry| entry.caps.name).collect();
        return refuse(format!("there is no driver {:?}: use one of {}", spec.driver, names.join(", ")));
    };
    let kind = match &spec.workload {
        Workload::Ycsb(_) => "ycsb",
        Workload::Tpcb(_) => "tpcb",
        Workload::Web(_) => "web",
    };
    if !caps.workloads.contains(&kind) {
        return refuse(format!("the driver {} cannot run {kind}: it runs {}", caps.name, caps.workloads.join(", ")));
    }
    setup::refuse(spec, caps)?;
    limits(spec)?;
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
        _ if spec.measure == Measure::Load => refuse("only YCSB can measure its load: use measure=run"),
        Workload::Tpcb(tpcb) if tpcb.scale == 0 || tpcb.scale > MOST_BRANCHES => {
            refuse(format!("scale {} is outside of 1 to {MOST_BRANCHES}", tpcb.scale))
        }
        _ => Ok(()),
    }
}

fn refuse(message: impl Into<String>) -> Result<(), JobError> {
    Err(JobError::spec(message))
}

fn limits(spec: &DbSpec) -> Result<(), JobError> {
    for (name, value) in [
        ("clients", u64::from(spec.clients)),
        ("threads", u64::from(spec.threads.unwrap_or(1))),
        ("runtime", spec.limit.runtime_ns),
        ("max_operations", spec.limit.operations.unwrap_or(1)),
        ("interval", spec.interval_ns),
        ("timeout", spec.timeout_ns),
        ("max_tries", u64::from(spec.max_tries)),
    ] {
        if value == 0 {
            return refuse(format!("{name} is 0: it must be at least 1"));
        }
    }
    if spec.limit.runtime_ns > 1 << 58 {
        return refuse("runtime is longer than nine years");
    }
    match spec.rate {
        Some(rate) if rate.unit != RateUnit::Operations => refuse("the rate must be in operations"),
        Some(rate) if !(rate.per_second.is_finite() && rate.per_second > 0.0) => {
            refuse(format!("a rate of {} per second is impossible: it must be above 0", rate.per_second))
        }
        _ => Ok(()),
    }
}

fn check_ycsb(spec: &DbSpec, ycsb: &Ycsb) -> Result<(), JobError> {
    let name_is_plain = |name: &str| {
        !name.is_empty() && name.len() <= 60 && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
    };
    let shares = ycsb.mix.shares();
    if !name_is_plain(&ycsb.table) {
        return refuse(format!("the table name {:?} is not made of letters, digits and underscores", ycsb.table));
    }
    if shares.iter().any(|share| !share.is_finite() || *share < 0.0) || shares.iter().sum::<f64>() <= 0.0 {
        return refuse("the shares of the operations must be 0 or more, and one of them above 0");
    }
    if ycsb.record_count == 0 || ycsb.keys() == 0 {
        return refuse("there are no records: record_count and insert_count must be at least 1");
    }
    if ycsb.insert_start.checked_add(ycsb.keys()).is_none_or(|end| end > ycsb.record_count) {
        return refuse(format!(
            "insert_start {} and insert_count {} reach beyond record_count {}: as in YCSB, record_count counts all records",
            ycsb.insert_start,
            ycsb.keys(),
            ycsb.record_count
        ));
    }
    if ycsb.field_count == 0 || ycsb.field_count > 1000 {
        return refuse(format!("field_count {} is outside of 1 to 1000", ycsb.field_count));
    }
    if ycsb.field_length == 0 || ycsb.field_length > 1 << 20 || ycsb.min_field_length > ycsb.field_length {
        return refuse("field_length must be 1 to 1048576, and min_field_length not above it");
    }
    if ycsb.zero_padding > 100 {
        return refuse(format!("zero_padding {} is above 100", ycsb.zero_padding));
    }
    if ycsb.data_integrity && ycsb.field_length_distribution != Spread::Constant {
        return refuse("data_integrity needs a constant field length");
    }
    let scan = ycsb.scan_length;
    if scan.min == 0 || scan.min > scan.max || scan.max > 1 << 20 {
        return refuse("scan_length must have 1 ≤ min ≤ max ≤ 1048576");
    }
    let inside = |value: f64| value > 0.0 && value < 1.0;
    let fits = match ycsb.request {
        Request::Zipfian { theta } | Request::Latest { theta } => inside(theta),
        Request::Hotspot { data, operations } => inside(data) && (0.0..=1.0).contains(&operations),
        Request::Exponential { percentile, share } => inside(percentile / 100.0) && share > 0.0 && share <= 1.0,
        Request::Uniform | Request::Sequential => true,
    };
    if !fits {
        return refuse("a parameter of the request distribution is out of range: shares and theta lie between 0 and 1");
    }
    if spec.measure == Measure::Load {
        if spec.data == Data::Reuse {
            return refuse(
                "a load (measure=load) cannot reuse data: say data=keep to add records, data=create or data=recreate",
            );
        }
        if spec.limit.operations.is_some() {
            return refuse(
                "a load (measure=load) inserts all its records, so max_operations= does not go with it: say how many with \
                 records= or insert_count=",
            );
        }
    }
    Ok(())
}
