//! `rand()` of the GNU C library: the additive feedback generator of degree 31, for originals that never seed it.

const DEGREE: usize = 31;
const SEPARATION: usize = 3;
/// Outputs that `srand` throws away.
const DISCARDED: usize = 310;

/// The generator; `srand(1)` is what a program has that never calls it.
pub struct GlibcRandom {
    state: [u32; DEGREE],
    front: usize,
}

impl GlibcRandom {
    /// `srand`.
    pub fn new(seed: u32) -> Self {
        let mut state = [0; DEGREE];
        let mut word = i64::from(seed.max(1) as i32);
        for slot in &mut state {
            *slot = word as u32;
            // Park and Miller's minimal generator, kept positive.
            word = (16_807 * word) % 2_147_483_647;
            if word < 0 {
                word += 2_147_483_647;
            }
        }
        let mut random = Self { state, front: SEPARATION };
        (0..DISCARDED).for_each(|_| {
            random.next();
        });
        random
    }

    /// `rand()`: 31 bits.
    pub fn next(&mut self) -> u32 {
        let rear = (self.front + DEGREE - SEPARATION) % DEGREE;
        let sum = self.state[self.front].wrapping_add(self.state[rear]);
        self.state[self.front] = sum;
        self.front = (self.front + 1) % DEGREE;
        sum >> 1
    }

    /// In `[0, 1]`.
    pub fn unit(&mut self) -> f64 {
        f64::from(self.next()) / f64::from(i32::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gives_the_numbers_of_the_c_library() {
        for seed in [1, 2, 42, 4_000_000_000] {
            let mut random = GlibcRandom::new(seed);
            // SAFETY: the C library's own state; no other test uses it.
            unsafe { libc::srand(seed) };
            for _ in 0..1000 {
                // SAFETY: as above.
                assert_eq!(random.next() as libc::c_int, unsafe { libc::rand() }, "seed {seed}");
            }
        }
        let mut random = GlibcRandom::new(1);
        assert_eq!([random.next(), random.next(), random.next()], [1_804_289_383, 846_930_886, 1_681_692_777]);
    }
}
