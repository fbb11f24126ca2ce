//! Which of reads and writes is next in fio, so that a job has as many of each as it has there.
//!
//! Source: fio 3.33, `get_rw_ddir` (`io_u.c`) and the combined Tausworthe generator of L'Ecuyer 1996 (`lib/rand.c`). A kind
//! is drawn anew once as many of the current kind were issued as its share asks for.

use plimsoll_core::spec::JobSpec;

/// fio's generator of 32 bits.
#[derive(Debug, Clone)]
struct Tausworthe([u32; 3]);

impl Tausworthe {
    fn new(seed: u32) -> Self {
        let step = |x: u32| x.wrapping_mul(69_069) ^ seed;
        let least = |x: u32, least: u32| if x < least { x + least } else { x };
        // In C, `2^31` is 29: fio's first number is 61, not a power of two.
        let first = least(step((2 ^ 31) + (2 ^ 17) + (2 ^ 7)), 1);
        let second = least(step(first), 7);
        let mut made = Self([first, second, least(step(second), 15)]);
        for _ in 0..6 {
            made.next();
        }
        made
    }

    fn next(&mut self) -> u32 {
        let turn = |s: u32, a: u32, b: u32, c: u32, d: u32| ((s & c) << d) ^ (((s << a) ^ s) >> b);
        let [first, second, third] = self.0;
        self.0 = [
            turn(first, 13, 19, 0xffff_fffe, 12),
            turn(second, 2, 25, 0xffff_fff8, 4),
            turn(third, 3, 11, 0xffff_fff0, 17),
        ];
        self.0[0] ^ self.0[1] ^ self.0[2]
    }
}

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
            let drawn = 1 + (100.0 * (f64::from(self.draws.next()) / 4_294_967_296.0)) as u32;
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
    use plimsoll_core::spec::{Mix as Asked, Mode};

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
