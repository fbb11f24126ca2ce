//! When operations are meant to start: in one schedule, or reads and writes each in their own.

use crate::spec::{JobSpec, Rate};
use plimsoll_core::pace::{self, Pace};
use plimsoll_core::random::mix64;

use crate::engine::OpKind;

/// The open loop of one thread.
#[derive(Debug, Clone)]
pub struct Schedule {
    /// One for all operations, or one for reads and one for writes.
    pacings: [Pacing; 2],
    apart: bool,
}

#[derive(Debug, Clone)]
enum Pacing {
    Paced(Pace),
    /// The next operation is told, and not computed: the load's begin, and when it is due.
    Told {
        begin_ns: u64,
        due_ns: u64,
    },
    /// May start at any time.
    Free,
    /// Has no operations.
    Never,
}

impl Pacing {
    #[inline]
    fn due_ns(&self) -> u64 {
        match self {
            Self::Paced(pace) => pace.due_ns(),
            Self::Told { due_ns, .. } => *due_ns,
            Self::Free => 0,
            Self::Never => u64::MAX,
        }
    }
}

impl Schedule {
    /// Of thread `thread`, from `begin_ns` on; the first operation has `first_bytes`.
    pub fn new(spec: &JobSpec, rate: Rate, begin_ns: u64, thread: u32, first_bytes: u64) -> Self {
        let pace = |per_second, seed| {
            let rate = pace::Rate { per_second, unit: rate.unit, arrival: spec.arrival };
            Pacing::Paced(Pace::new(rate, begin_ns, thread, spec.threads, first_bytes, seed))
        };
        let Some(apart) = rate.apart else {
            return Self { pacings: [pace(rate.per_second, spec.seed), Pacing::Never], apart: false };
        };
        let pacing = |per_second: Option<f64>, share: f64, seed| match per_second {
            _ if share <= 0.0 => Pacing::Never,
            Some(per_second) => pace(per_second, seed),
            None => Pacing::Free,
        };
        let reads = pacing(apart.read, spec.read_share, spec.seed);
        let writes = pacing(apart.write, 1.0 - spec.read_share, mix64(spec.seed));
        Self { pacings: [reads, writes], apart: true }
    }

    /// From `begin_ns` on, of operations whose times are told one by one.
    pub fn told(begin_ns: u64) -> Self {
        Self { pacings: [Pacing::Told { begin_ns, due_ns: begin_ns }, Pacing::Never], apart: false }
    }

    /// The next operation is due so long after the begin.
    #[inline]
    pub fn tell(&mut self, after_ns: u64) {
        if let Pacing::Told { begin_ns, due_ns } = &mut self.pacings[0] {
            *due_ns = begin_ns.saturating_add(after_ns);
        }
    }

    #[inline]
    fn index(&self, kind: OpKind) -> usize {
        usize::from(self.apart && kind == OpKind::Write)
    }

    /// When the next operation of any kind may start.
    #[inline]
    pub fn due_ns(&self) -> u64 {
        self.pacings[0].due_ns().min(self.pacings[1].due_ns())
    }

    /// When the next operation of a kind is meant to start: at any time, `now`, when its kind has no schedule.
    #[inline]
    pub fn start_ns(&self, kind: OpKind, now: u64) -> u64 {
        match &self.pacings[self.index(kind)] {
            Pacing::Paced(pace) => pace.due_ns(),
            Pacing::Told { due_ns, .. } => *due_ns,
            _ => now,
        }
    }

    /// The kind of the next operation, in place of the one that was drawn: fio's rule. A kind that is ahead of its
    /// schedule gives way to the other one if that is due.
    #[inline]
    pub fn kind_due(&self, drawn: OpKind, now: u64) -> OpKind {
        let index = self.index(drawn);
        if !self.apart || self.pacings[index].due_ns() <= now || self.pacings[1 - index].due_ns() > now {
            return drawn;
        }
        if drawn == OpKind::Write { OpKind::Read } else { OpKind::Write }
    }

    /// Moves on after an operation.
    #[inline]
    pub fn advance(&mut self, kind: OpKind, bytes: u64) {
        let index = self.index(kind);
        if let Pacing::Paced(pace) = &mut self.pacings[index] {
            pace.advance(bytes);
        }
    }

    /// All that is still to come starts so much later.
    pub fn shift(&mut self, ns: u64) {
        for pacing in &mut self.pacings {
            match pacing {
                Pacing::Paced(pace) => pace.shift(ns),
                Pacing::Told { begin_ns, due_ns } => {
                    *begin_ns = begin_ns.saturating_add(ns);
                    *due_ns = due_ns.saturating_add(ns);
                }
                Pacing::Free | Pacing::Never => {}
            }
        }
    }

    /// From now on only kinds that have a schedule are due.
    pub fn without_free(&mut self) {
        for pacing in &mut self.pacings {
            if matches!(pacing, Pacing::Free) {
                *pacing = Pacing::Never;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::{Apart, Mode, RateUnit};
    use plimsoll_core::random::{Purpose, Stream};
    use proptest::prelude::*;

    /// Reads and writes until `end_ns` of a thread that never is late, or always as late as `late_ns`.
    fn counts(rate: Rate, read_share: f64, late_ns: u64, end_ns: u64) -> [u64; 2] {
        let mut spec = crate::pattern::tests::spec(Mode::Randrw, &[4096], 0, 1 << 20, 1);
        spec.read_share = read_share;
        let mut schedule = Schedule::new(&spec, rate, 0, 0, 4096);
        let mut kinds = Stream::new(1, 0, Purpose::Kind);
        let (mut now, mut counts) = (0, [0, 0]);
        while schedule.due_ns() < end_ns {
            now = now.max(schedule.due_ns() + late_ns);
            let drawn = if kinds.chance(read_share) { OpKind::Read } else { OpKind::Write };
            let kind = schedule.kind_due(drawn, now);
            assert!(schedule.start_ns(kind, now) <= now);
            counts[usize::from(kind == OpKind::Write)] += 1;
            schedule.advance(kind, 4096);
        }
        counts
    }

    proptest! {
        #[test]
        fn each_kind_keeps_its_pace_whatever_is_drawn(
            read in 1u32..5000, write in 1u32..5000, read_share in 0.01f64..0.99, late_ns in 0u64..50_000_000,
            bytes: bool,
        ) {
            let (unit, scale) = if bytes { (RateUnit::Bytes, 4096.0) } else { (RateUnit::Operations, 1.0) };
            let [read, write] = [f64::from(read), f64::from(write)];
            let apart = Some(Apart { read: Some(read * scale), write: Some(write * scale) });
            let rate = Rate { per_second: (read + write) * scale, unit, apart };
            let counts = counts(rate, read_share, late_ns, 1_000_000_000);
            // The first is due at once; while a kind is late, the other one may be as many ahead.
            for (count, pace) in counts.into_iter().zip([read, write]) {
                let spare = 2.0 + pace * late_ns as f64 * 1e-9;
                prop_assert!((count as f64 - pace).abs() <= spare, "{counts:?}");
            }
        }
    }

    #[test]
    fn a_kind_without_a_share_is_left_out() {
        let apart = Some(Apart { read: Some(100.0), write: Some(100.0) });
        let rate = Rate { per_second: 200.0, unit: RateUnit::Operations, apart };
        assert_eq!(counts(rate, 1.0, 0, 1_000_000_000), [100, 0]);
        assert_eq!(counts(rate, 0.0, 0, 1_000_000_000), [0, 100]);
    }
}
