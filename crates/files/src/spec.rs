//! What a file-system job is asked to do: the record that Python sends as JSON, a plan's parameters by name.
//!
//! Base units only (bytes, nanoseconds, operations); nothing is optional that changes what is measured.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::common::Common;
pub use crate::workloads::Parameters;

/// One file-system job.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Request", into = "Request")]
pub struct FilesSpec {
    /// An existing folder. Everything happens in a new folder below it, which is removed at the end.
    pub directory: String,
    /// Which workload, and its own parameters.
    pub workload: Parameters,
    /// Those that every workload has.
    pub common: Common,
    /// The most that may lie on disk at once; a job that needs more is refused.
    pub disk_bytes: Option<u64>,
    /// Length of one interval of the time series.
    pub interval_ns: u64,
}

/// A job as JSON.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Request {
    directory: String,
    workload: String,
    /// Those of the workload and the common ones.
    parameters: Map<String, Value>,
    disk_bytes: Option<u64>,
    interval_ns: u64,
}

impl TryFrom<Request> for FilesSpec {
    type Error = serde_json::Error;

    fn try_from(request: Request) -> Result<Self, Self::Error> {
        let mut own = request.parameters;
        let common = Common::table().iter().filter_map(|each| own.remove_entry(each.name)).collect();
        own.insert("kind".to_owned(), Value::String(request.workload));
        Ok(Self {
            directory: request.directory,
            workload: serde_json::from_value(Value::Object(own))?,
            common: serde_json::from_value(Value::Object(common))?,
            disk_bytes: request.disk_bytes,
            interval_ns: request.interval_ns,
        })
    }
}

impl From<FilesSpec> for Request {
    fn from(spec: FilesSpec) -> Self {
        let mut parameters = fields(&spec.workload);
        let workload = parameters.remove("kind").and_then(|kind| kind.as_str().map(str::to_owned)).unwrap_or_default();
        parameters.append(&mut fields(&spec.common));
        Self {
            directory: spec.directory,
            workload,
            parameters,
            disk_bytes: spec.disk_bytes,
            interval_ns: spec.interval_ns,
        }
    }
}

fn fields(record: &impl Serialize) -> Map<String, Value> {
    match serde_json::to_value(record) {
        Ok(Value::Object(fields)) => fields,
        _ => Map::new(),
    }
}
