//! Which of reads and writes is next in fio, so that a job has as many of each as it has there.
//!
//! Source: fio 3.33, `get_rw_ddir` (`io_u.c`). A kind is drawn anew once as many of the current kind were issued as its
//! share asks for.

use crate::spec::JobSpec;

use super::tausworthe::Tausworthe;

/// The kinds of one job.
#[derive(Debug, Clone)]
pub struct Mix {
    draws: Tausworthe,
    /// Percent of reads.
    reads: u32,
    writes: bool,
    /// Issued so far, reads and writes.
    issued: [u64; 2],
    /// So many of the current kind come before the next draw.
    until: u64,
}

impl Mix {
    /// Nothing where the job's own stream decides.
    pub fn new(spec: &JobSpec) -> Option<Self> {
        let mix = spec.mix?;
        let reads = (spec.read_share * 100.0).round() as u32;
        Some(Self { draws: Tausworthe::new(mix.seed), reads, writes: false, issued: [0; 2], until: 0 })
    }

    /// Whether the next operation writes.
    pub fn draw(&mut self) -> bool {
        if self.issued[usize::from(self.writes)] >= self.until {
            let drawn = 1 + (100.0 * self.draws.share()) as u32;
            let writes = drawn > self.reads;
            if writes != self.writes {
                let share = if self.writes { self.reads } else { 100 - self.reads };
                self.until = self.issued[usize::from(self.writes)] * u64::from(share) / 100;
            }
            self.writes = writes;
        }
        self.writes
    }

    /// Draws anew, in another pass over the files; what was issued counts on, as in fio.
    pub fn begin_pass(&mut self, first: &Self) {
        (self.draws, self.until) = (first.draws.clone(), 0);
    }

    /// Goes on drawing in another pass.
    pub fn go_on(&mut self) {
        self.until = 0;
    }

    /// An operation is issued, of the kind that was drawn or of the other one, because that is due.
    pub fn issued(&mut self, writes: bool) {
        self.writes = writes;
        self.issued[usize::from(writes)] += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pattern::tests::spec;
    use crate::spec::{Mix as Asked, Mode};

    #[test]
    fn shares_are_kept_closely() {
        for (share, seed) in [(0.5, 1), (0.7, 2), (0.1, 3), (0.99, 4)] {
            let mut spec = spec(Mode::Randrw, &[4096], 0, 1 << 20, 1);
            (spec.read_share, spec.mix) = (share, Some(Asked { seed }));
            let mut mix = Mix::new(&spec).unwrap();
            let reads = (0..20_000)
                .filter(|_| {
                    let writes = mix.draw();
                    mix.issued(writes);
                    !writes
                })
                .count();
            assert!((reads as f64 / 20_000.0 - share).abs() < 0.012, "{share}: {reads}");
        }
    }
}
