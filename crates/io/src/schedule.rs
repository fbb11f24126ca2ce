//! When operations are meant to start: in one schedule, or reads and writes each in their own.

use plimsoll_core::pace::Pace;
use plimsoll_core::random::mix64;
use plimsoll_core::spec::{JobSpec, Rate};

use crate::engine::Kind;

/// The open loop of one thread.
#[derive(Debug, Clone)]
pub struct Schedule {
    /// One for all operations, or one for reads and one for writes.
    lanes: [Lane; 2],
    apart: bool,
}

#[derive(Debug, Clone)]
enum Lane {
    Paced(Pace),
    /// May start at any time.
    Free,
    /// Has no operations.
    Never,
}

impl Lane {
    #[inline]
    fn due_ns(&self) -> u64 {
        match self {
            Self::Paced(pace) => pace.due_ns(),
            Self::Free => 0,
            Self::Never => u64::MAX,
        }
    }
}

impl Schedule {
    /// Of thread `thread`, from `begin_ns` on; the first operation has `first_bytes`.
    pub fn new(spec: &JobSpec, rate: Rate, begin_ns: u64, thread: u32, first_bytes: u64) -> Self {
        let pace = |rate, seed| Lane::Paced(Pace::new(rate, begin_ns, thread, spec.threads, first_bytes, seed));
        let Some(apart) = rate.apart else {
            return Self { lanes: [pace(rate, spec.seed), Lane::Never], apart: false };
        };
        let lane = |per_second: Option<f64>, share: f64, seed| match per_second {
            _ if share <= 0.0 => Lane::Never,
            Some(per_second) => pace(Rate { per_second, ..rate }, seed),
            None => Lane::Free,
        };
        let reads = lane(apart.read, spec.read_share, spec.seed);
        let writes = lane(apart.write, 1.0 - spec.read_share, mix64(spec.seed));
        Self { lanes: [reads, writes], apart: true }
    }

    #[inline]
    fn lane(&self, kind: Kind) -> usize {
        usize::from(self.apart && kind == Kind::Write)
    }

    /// When the next operation of any kind may start.
    #[inline]
    pub fn due_ns(&self) -> u64 {
        self.lanes[0].due_ns().min(self.lanes[1].due_ns())
    }

    /// When the next operation of a kind is meant to start: at any time, `now`, when its kind has no schedule.
    #[inline]
    pub fn start_ns(&self, kind: Kind, now: u64) -> u64 {
        match &self.lanes[self.lane(kind)] {
            Lane::Paced(pace) => pace.due_ns(),
            _ => now,
        }
    }

    /// The kind of the next operation, in place of the one that was drawn: fio's rule. A kind that is ahead of its
    /// schedule gives way to the other one if that is due.
    #[inline]
    pub fn kind_due(&self, drawn: Kind, now: u64) -> Kind {
        let lane = self.lane(drawn);
        if !self.apart || self.lanes[lane].due_ns() <= now || self.lanes[1 - lane].due_ns() > now {
            return drawn;
        }
        if drawn == Kind::Write { Kind::Read } else { Kind::Write }
    }

    /// Moves on after an operation.
    #[inline]
    pub fn advance(&mut self, kind: Kind, bytes: u64) {
        let lane = self.lane(kind);
        if let Lane::Paced(pace) = &mut self.lanes[lane] {
            pace.advance(bytes);
        }
    }

    /// From now on only kinds that have a schedule are due.
    pub fn without_free(&mut self) {
        for lane in &mut self.lanes {
            if matches!(lane, Lane::Free) {
                *lane = Lane::Never;
            }
        }
    }
}
