//! What a running job tells while it runs.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::clock::monotonic_ns;
use crate::outcome::{Interval, Progress, SoFar, Traced, phase};

/// The part of the progress that changes at most a few times per second.
#[derive(Debug)]
struct State {
    phase: Cow<'static, str>,
    began_ns: u64,
    /// Planned length of the phase, when time decides about its end.
    length_ns: Option<u64>,
    /// Planned length of the measured part that follows a warm-up.
    measure_ns: u64,
    /// Share done by other measures than time.
    share: f64,
    interval: Option<Interval>,
    /// Operations that nobody has asked for yet.
    trace: Vec<Traced>,
    /// Histograms of intervals that nobody has asked for yet.
    histograms: Vec<BTreeMap<String, String>>,
    so_far: Option<SoFar>,
}

/// Written by the job, read by anyone.
#[derive(Debug)]
pub struct Board(Mutex<State>);

impl Board {
    /// Of a job that begins in `phase`.
    pub fn new(phase: &'static str) -> Self {
        Self(Mutex::new(State {
            phase: Cow::Borrowed(phase),
            began_ns: monotonic_ns(),
            length_ns: None,
            measure_ns: 0,
            share: 0.0,
            interval: None,
            trace: Vec::new(),
            histograms: Vec::new(),
            so_far: None,
        }))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // The state is plain data: it is whole even if a writer panicked.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next phase begins at `began_ns`, and lasts `length_ns` where time decides about its end. After the last one
    /// there is none: a thread that was left behind may still believe that it works for somebody.
    pub fn enter(&self, phase: impl Into<Cow<'static, str>>, began_ns: u64, length_ns: Option<u64>) {
        let mut state = self.state();
        if state.phase == phase::FINISHED {
            return;
        }
        (state.phase, state.began_ns, state.length_ns, state.share) = (phase.into(), began_ns, length_ns, 0.0);
    }

    /// Name of the running phase.
    pub fn phase(&self) -> String {
        self.state().phase.clone().into_owned()
    }

    /// Load begins at `began_ns`: a warm-up, if any, and then the measured part.
    pub fn run(&self, began_ns: u64, warmup_ns: u64, measure_ns: u64) {
        self.enter(phase::WARMUP, began_ns, Some(warmup_ns));
        self.state().measure_ns = measure_ns;
    }

    /// Share of the phase that is done, 0…1.
    pub fn share(&self, share: f64) {
        self.state().share = share;
    }

    /// The last complete interval.
    pub fn interval(&self, interval: Interval) {
        self.interval_with(interval, Vec::new());
    }

    /// The last complete interval, and the histograms of all that are complete since the last call.
    pub fn interval_with(&self, interval: Interval, histograms: Vec<BTreeMap<String, String>>) {
        let mut state = self.state();
        state.interval = Some(interval);
        state.histograms.extend(histograms);
    }

    /// Everything measured until the end of an interval.
    pub fn so_far(&self, so_far: SoFar) {
        self.state().so_far = Some(so_far);
    }

    /// More operations of a traced job.
    pub fn traced(&self, operations: impl Iterator<Item = Traced>) {
        self.state().trace.extend(operations);
    }

    /// Histograms of intervals that nobody has asked for yet.
    pub fn untold_histograms(&self) -> Vec<BTreeMap<String, String>> {
        std::mem::take(&mut self.state().histograms)
    }

    /// Operations that nobody has asked for yet.
    pub fn untold(&self) -> Vec<Traced> {
        std::mem::take(&mut self.state().trace)
    }

    /// How far the job is; tells each traced operation and each histogram once.
    pub fn progress(&self) -> Progress {
        let now = monotonic_ns();
        let mut state = self.state();
        // Warm-up ends by the clock; nobody has to announce it.
        if state.phase == phase::WARMUP
            && let Some(length) = state.length_ns
            && now >= state.began_ns + length
        {
            (state.phase, state.began_ns, state.length_ns) =
                (phase::MEASURE.into(), state.began_ns + length, Some(state.measure_ns));
        }
        let elapsed_ns = now.saturating_sub(state.began_ns);
        let by_time = state.length_ns.map_or(0.0, |length| elapsed_ns as f64 / length.max(1) as f64);
        let done = if state.phase == phase::FINISHED { 1.0 } else { by_time.max(state.share).min(1.0) };
        Progress {
            phase: state.phase.clone().into_owned(),
            elapsed_ns,
            done,
            interval: state.interval.clone(),
            trace: std::mem::take(&mut state.trace),
            interval_histograms: std::mem::take(&mut state.histograms),
            so_far: state.so_far.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_begins_after_the_end() {
        let board = Board::new("prepare");
        board.enter(phase::FINISHED, monotonic_ns(), None);
        board.enter("write", monotonic_ns(), Some(1));
        assert_eq!(board.phase(), phase::FINISHED);
        assert_eq!(board.progress().done, 1.0);
    }
}
