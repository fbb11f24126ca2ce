//! MT19937 as it was first published: the generator of PostMark.
//!
//! Seeded with Knuth's linear congruential generator (multiplier 69069) as in the 1998 version, two steps per word, the
//! upper half of each. Crates have the later seeding, which gives other numbers.

const N: usize = 624;
const M: usize = 397;

/// The generator.
pub struct Mersenne {
    state: Box<[u32; N]>,
    index: usize,
}

impl Mersenne {
    /// From a seed; 4357 was the default of the publication, 42 is PostMark's.
    pub fn new(seed: u32) -> Self {
        let mut next = seed;
        let mut half = || {
            let upper = next & 0xffff_0000;
            next = next.wrapping_mul(69069).wrapping_add(1);
            upper
        };
        let mut state = Box::new([0; N]);
        for word in state.iter_mut() {
            *word = half() | half() >> 16;
        }
        Self { state, index: N }
    }

    /// The next 32 bits.
    pub fn bits(&mut self) -> u32 {
        if self.index == N {
            self.generate();
        }
        let mut y = self.state[self.index];
        self.index += 1;
        y ^= y >> 11;
        y ^= (y << 7) & 0x9d2c_5680;
        y ^= (y << 15) & 0xefc6_0000;
        y ^ (y >> 18)
    }

    fn generate(&mut self) {
        for i in 0..N {
            let y = (self.state[i] & 0x8000_0000) | (self.state[(i + 1) % N] & 0x7fff_ffff);
            let twist = if y & 1 == 1 { 0x9908_b0df } else { 0 };
            self.state[i] = self.state[(i + M) % N] ^ (y >> 1) ^ twist;
        }
        self.index = 0;
    }

    /// In `0..n`, by remainder, as PostMark does.
    pub fn below(&mut self, n: u64) -> u64 {
        u64::from(self.bits()) % n
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the Debian package of PostMark 1.53 writes first, seen with strace: it fills its data with `32 + RND(95)`.
    #[test]
    fn begins_as_the_data_of_the_original() {
        let mut random = Mersenne::new(42);
        let text: String = (0..32).map(|_| char::from(32 + random.below(95) as u8)).collect();
        assert_eq!(text, "LeZebJ6S5~qPv$C$py}hmKd H58nM4~.");
    }
}
