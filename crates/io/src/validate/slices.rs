//! Whether a job can pause and go on.

use plimsoll_core::error::JobError;

use crate::engine::Caps;
use crate::fio;
use crate::spec::JobSpec;

use super::refuse;

/// Refuses slices that cannot be kept, and jobs with slices that have no steady state, or an end of their own.
pub fn validate(spec: &JobSpec, caps: &Caps) -> Result<(), JobError> {
    spec.slices().check().map_err(JobError::spec)?;
    if spec.slices.is_empty() {
        return Ok(());
    }
    let until_full = spec.tolerance.as_ref().is_some_and(|tolerance| tolerance.until_full);
    let reasons = [
        (spec.max_operations.is_some() || spec.max_bytes.is_some(), "the slices say how long: leave its limits out"),
        (spec.verify, "what it has written is not read back: set verify=no"),
        (spec.sync_at_end, "no slice is its end: set sync_at_end=no, or sync after every so many writes"),
        (spec.trace, "it does not tell single operations: leave trace out"),
        (spec.passes.is_some(), "passes have an end of their own: leave them out"),
        (fio::is_asked_for(spec), "it has no rules that only fio's job files have: leave those out"),
        (until_full, "it cannot go on when there is no room left: leave that tolerance out"),
        (caps.names, "this engine does something to each file once: use an engine that reads and writes"),
    ];
    match reasons.into_iter().find(|(given, _)| *given) {
        Some((_, why)) => refuse(format!("a job with slices pauses and goes on, so {why}")),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::validate;
    use super::*;
    use crate::spec::{Mode, SyncKind, Tolerance};

    fn message(change: impl FnOnce(&mut JobSpec)) -> String {
        let mut spec = JobSpec {
            path: "/nowhere/f".to_owned(),
            engine: "psync".to_owned(),
            mode: Mode::Randrw,
            warmup_ns: 0,
            slices: vec![(0, 100), (150, 100), (250, 60)],
            discard_ns: 50,
            ..JobSpec::default()
        };
        change(&mut spec);
        validate(&spec).map(|_| String::new()).unwrap_or_else(|error| error.to_string())
    }

    #[test]
    fn what_cannot_pause_and_go_on_is_refused_with_what_to_change() {
        assert_eq!(message(|_| ()), "");
        assert_eq!(message(|s| (s.slices, s.discard_ns, s.warmup_ns) = (Vec::new(), 0, 5)), "");
        assert_eq!(message(|s| (s.sync, s.sync_every) = (SyncKind::Fsync, 8)), "");
        let until_full = Tolerance { until_full: true, ..Tolerance::default() };
        let cases: [(&str, String); 15] = [
            ("slice 1 lasts 100 ns", message(|s| s.warmup_ns = 50)),
            ("limits", message(|s| s.max_operations = Some(5))),
            ("limits", message(|s| s.max_bytes = Some(5))),
            ("verify=no", message(|s| s.verify = true)),
            ("sync_at_end=no", message(|s| s.sync_at_end = true)),
            ("trace", message(|s| s.trace = true)),
            ("fio", message(|s| s.submission = true)),
            ("no room", message(|s| s.tolerance = Some(until_full))),
            ("each file once", message(|s| (s.engine, s.mode) = ("filecreate".to_owned(), Mode::Write))),
            ("slice 2 starts at 99 ns", message(|s| s.slices[1].0 = 99)),
            ("slice 3 starts at 0 ns", message(|s| s.slices[2].0 = 0)),
            ("slice 2 lasts 50 ns", message(|s| s.slices[1].1 = 50)),
            ("slice 1 lasts 0 ns", message(|s| (s.slices[0].1, s.discard_ns) = (0, 0))),
            ("slice 3 ends more", message(|s| s.slices[2].1 = u64::MAX)),
            ("give slices", message(|s| s.slices.clear())),
        ];
        for (word, message) in cases {
            assert!(message.contains(word), "{word}: {message:?}");
        }
    }
}
