//! fio's generator of 32 bits: the combined Tausworthe generator of L'Ecuyer 1996, seeded as in fio 3.33 (`lib/rand.c`).

/// One stream.
#[derive(Debug, Clone)]
pub struct Tausworthe([u32; 3]);

impl Tausworthe {
    /// The stream of a seed.
    pub fn new(seed: u32) -> Self {
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

    /// The next number.
    pub fn next(&mut self) -> u32 {
        let turn = |s: u32, a: u32, b: u32, c: u32, d: u32| ((s & c) << d) ^ (((s << a) ^ s) >> b);
        let [first, second, third] = self.0;
        self.0 = [
            turn(first, 13, 19, 0xffff_fffe, 12),
            turn(second, 2, 25, 0xffff_fff8, 4),
            turn(third, 3, 11, 0xffff_fff0, 17),
        ];
        self.0[0] ^ self.0[1] ^ self.0[2]
    }

    /// The next number as a share of all, 0…1 without 1.
    pub fn share(&mut self) -> f64 {
        f64::from(self.next()) / 4_294_967_296.0
    }
}
