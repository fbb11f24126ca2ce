//! Runs one file-system job: a spec as JSON on standard input, the outcome as JSON on standard output.

use std::io::{self, Read, Write};
use std::process::ExitCode;

use plimsoll_core::outcome::Status;
use plimsoll_files::Job;

fn main() -> ExitCode {
    let mut text = String::new();
    let spec = match io::stdin().read_to_string(&mut text).map(|_| serde_json::from_str(&text)) {
        Ok(Ok(spec)) => spec,
        other => return complain(&format!("not a spec: {other:?}")),
    };
    let outcome = Job::start(spec).map(|job| job.result(None));
    let Ok(Some(outcome)) = outcome else { return complain(&format!("cannot run: {outcome:?}")) };
    match serde_json::to_string(&outcome).map(|json| io::stdout().write_all(json.as_bytes())) {
        Ok(Ok(())) if outcome.common.status == Status::Ok => ExitCode::SUCCESS,
        Ok(Ok(())) => ExitCode::FAILURE,
        other => complain(&format!("cannot print the outcome: {other:?}")),
    }
}

fn complain(message: &str) -> ExitCode {
    // Nobody is left to tell when standard error is closed.
    let _ = writeln!(io::stderr(), "{message}");
    ExitCode::FAILURE
}
