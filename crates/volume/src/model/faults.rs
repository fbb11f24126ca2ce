//! Faults on request, outermost: stall, errors on a range, slowness, and a device that is gone.

use super::fault_state::FaultState;
use super::layer::{Arrival, Completion, Io, Layer, Report, Saved};

/// The outermost layer.
pub struct Faults {
    /// What is going on.
    pub state: FaultState,
    next: Box<dyn Layer>,
}

impl Faults {
    /// No fault around `next`.
    pub fn new(next: Box<dyn Layer>) -> Self {
        Self { state: FaultState::default(), next }
    }
}

impl Layer for Faults {
    #[inline]
    fn submit(&mut self, io: &Io, arrival: Arrival) -> Completion {
        if !self.state.is_any() {
            return self.next.submit(io, arrival);
        }
        let now_ns = arrival.now_ns;
        if let Some(outcome) = self.state.refuses(io, now_ns) {
            return Completion { deadline_ns: now_ns, outcome };
        }
        let completion = self.next.submit(io, arrival);
        let took_ns = completion.deadline_ns - now_ns;
        let factor = self.state.slow_factor(now_ns);
        Completion { deadline_ns: now_ns + (took_ns as f64 * factor) as u64, ..completion }
    }

    fn report(&self, now_ns: u64, report: &mut Report) {
        report.stalled_until_ns = self.state.stalled_until_ns();
        self.next.report(now_ns, report);
    }

    fn save(&mut self, now_ns: u64, saved: &mut Saved) {
        saved.faults = Some(self.state.clone());
        self.next.save(now_ns, saved);
    }

    fn restore(&mut self, now_ns: u64, saved: &mut Saved) {
        if let Some(state) = saved.faults.take() {
            self.state = state;
        }
        self.next.restore(now_ns, saved);
    }
}
