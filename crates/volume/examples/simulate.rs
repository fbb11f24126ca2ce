//! `simulate SPEC.json WORKLOAD.json [RESULT.json]`: simulates and prints how fast that was.

use std::io::Write;
use std::time::Instant;

use plimsoll_volume::simulate::{Workload, simulate};
use plimsoll_volume::spec::VolumeSpec;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [spec, workload, result @ ..] = arguments.as_slice() else {
        return Err("usage: simulate SPEC.json WORKLOAD.json [RESULT.json]".into());
    };
    let spec = VolumeSpec::from_json(&std::fs::read_to_string(spec)?)?;
    let workload: Workload = serde_json::from_str(&std::fs::read_to_string(workload)?)?;
    let start = Instant::now();
    let found = simulate(&spec, &workload)?;
    let seconds = start.elapsed().as_secs_f64();
    let ops: u64 = found.series.read_latency.count() + found.series.write_latency.count();
    writeln!(
        std::io::stdout(),
        "{ops} operations, {:.0} virtual seconds in {seconds:.2} s: {:.1} million operations per second",
        found.duration_ns as f64 / 1e9,
        ops as f64 / seconds / 1e6
    )?;
    if let [path] = result {
        std::fs::write(path, serde_json::to_string(&found)?)?;
    }
    Ok(())
}
