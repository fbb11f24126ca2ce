//! fio's loops: what happens between one pass and the next.

use std::sync::atomic::Ordering;

use crate::spec::{DropEach, JobSpec, Passes};
use plimsoll_core::error::JobError;

use super::Fio;
use super::places::Places;
use crate::engine::Engine;
use crate::pattern::Pattern;
use crate::schedule::Schedule;
use crate::worker::{Gate, Worker};
use crate::{rotation, target};

/// Where a thread is in its passes.
#[derive(Debug)]
pub(super) struct Round {
    passes: Passes,
    /// Passes that have to be, the one that counting began in included.
    least: Option<u64>,
    /// Passes that are over since counting began.
    done: u64,
    /// The pattern as it was before the first, where all have the same places.
    first: Option<Box<(Pattern, Places)>>,
    /// Since then this pass is read back.
    reading_ns: Option<u64>,
}

impl Round {
    /// Nothing where there is one pass without end.
    pub(super) fn new(spec: &JobSpec, pattern: &Pattern, places: &Places) -> Option<Self> {
        let passes = spec.passes?;
        // Zones in order go on from where they are: a pass is only as many bytes as the region has.
        let repeats = passes.again && passes.ends && (spec.strides.is_none() || spec.mode.is_random());
        let first = repeats.then(|| Box::new((pattern.clone(), places.clone())));
        let least = passes.least.map(|least| least + u64::from(spec.warmup_ns > 0));
        Some(Self { passes, least, done: 0, first, reading_ns: None })
    }

    /// Whether another pass follows one that is over; `moved` bytes were.
    fn goes_on(&self, moved: u64, largest: u64) -> bool {
        self.least.is_none_or(|least| self.done < least) || moved + largest <= self.passes.bytes
    }
}

impl<E: Engine> Worker<E, Fio> {
    /// Nothing of the pass is in flight any more: the last sync, then what was written is read back.
    pub(super) fn end_pass(&mut self, now: u64) -> Result<u64, JobError> {
        if self.sync_at_end(now)? {
            return Ok(self.parts.clock.now_ns());
        }
        let reads_back = self.parts.spec.passes.is_some_and(|passes| passes.read_back);
        let Some(checks) = self.semantics.checks.as_mut().filter(|checks| reads_back && checks.any()) else {
            return self.next_pass();
        };
        checks.all_due(true);
        self.gate = Gate::ReadBack;
        let now = self.parts.clock.now_ns();
        if let Some(round) = &mut self.semantics.round {
            round.reading_ns = Some(now);
        }
        self.drop_pass();
        Ok(self.parts.clock.now_ns())
    }

    /// A pass is over, and read back: begins the next one, if there is one.
    pub(super) fn next_pass(&mut self) -> Result<u64, JobError> {
        let now = self.parts.clock.now_ns();
        self.end_reading(now);
        if let Some(checks) = &mut self.semantics.checks {
            checks.all_due(false);
        }
        let largest = self.parts.spec.largest_block();
        let (warming_up, moved) = (self.counting_ns == u64::MAX, self.semantics.moved);
        let goes_on = self.semantics.round.as_mut().is_some_and(|round| {
            round.done += u64::from(!warming_up);
            warming_up || round.goes_on(moved, largest)
        });
        if !goes_on || self.at_limit() {
            self.gate = Gate::Finished;
            return Ok(now);
        }
        let Fio { round, places, submission, .. } = &mut self.semantics;
        if let Some((pattern, first)) = round.as_ref().and_then(|round| round.first.as_deref()) {
            self.parts.pattern.clone_from(pattern);
            places.repeat(first);
        } else {
            self.parts.pattern.begin_pass();
            places.begin_pass();
        }
        submission.begin_pass();
        self.held = None;
        self.left = false;
        self.parts.writing.store(1, Ordering::Release);
        if self.parts.spec.drop_each == DropEach::Files {
            self.renew_all()?;
        }
        self.drop_pass();
        self.gate = Gate::Open;
        let now = self.parts.clock.now_ns();
        if let Some(rate) = self.parts.spec.rate {
            let ahead = self.look_ahead();
            self.schedule = Some(Schedule::new(&self.parts.spec, rate, now, self.parts.thread, ahead));
        }
        Ok(now)
    }

    /// Counts the time of reading back, which may have been cut short.
    pub(super) fn end_reading(&mut self, now: u64) {
        if let Some(began) = self.semantics.round.as_mut().and_then(|round| round.reading_ns.take()) {
            self.report.read_back_ns += now.saturating_sub(began.max(self.counting_ns));
        }
    }

    /// As fio does where it opens its files anew: dirty pages stay in the page cache.
    fn drop_pass(&mut self) {
        let spec = &self.parts.spec;
        if spec.drop_each == DropEach::Pass {
            for (index, file) in self.parts.files.iter() {
                target::forget(file, spec.offset, rotation::part(spec, index));
            }
            self.since_drop = 0;
        }
    }
}
