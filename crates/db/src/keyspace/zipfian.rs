//! YCSB's `ZipfianGenerator` and `ScrambledZipfianGenerator` (Gray et al., SIGMOD 1994, algorithm with θ < 1).

use super::fnv_hash;

/// Items of the inner generator of a scrambled zipfian, whatever the key space.
const SCRAMBLED_ITEMS: u64 = 10_000_000_000 + 1;
/// ζ(10¹⁰, 0.99), the constant in YCSB's source.
const SCRAMBLED_ZETA: f64 = 26.469_028_201_783_02;
/// The exponent that the constant belongs to.
const SCRAMBLED_THETA: f64 = 0.99;
/// Terms that are added up one by one; the rest of a long sum is an integral (Euler-Maclaurin, error below 10⁻⁹).
const EXACT_TERMS: u64 = 1 << 20;
/// Largest exponent whose power is multiplied together.
const LARGEST_WHOLE: f64 = 1000.0;
/// Relative error of that, with room to spare: 1000 roundings of 2⁻⁵³, and 2·10⁻¹⁵ of an exponent that takes what is at
/// least 1 of 2⁶⁴ items, so is at most 45 times its logarithm.
const ROUNDING: f64 = 1e-12;

/// Numbers in `0..items`, small ones most.
#[derive(Debug, Clone)]
pub struct Zipfian {
    items: u64,
    theta: f64,
    zeta: f64,
    /// Items that are in `zeta`.
    counted: u64,
    zeta_two: f64,
    alpha: f64,
    /// Of which `alpha` differs by rounding only; 0: there is no such number.
    whole_alpha: u32,
    eta: f64,
    second: f64,
}

impl Zipfian {
    /// Over `0..items` with exponent `theta` (0…1).
    pub fn new(items: u64, theta: f64) -> Self {
        Self::with_zeta(items, theta, zeta(0, items, theta, 0.0))
    }

    fn with_zeta(items: u64, theta: f64, zeta_items: f64) -> Self {
        let zeta_two = zeta(0, 2, theta, 0.0);
        let alpha = 1.0 / (1.0 - theta);
        let whole = alpha.round();
        let is_whole = whole <= LARGEST_WHOLE && (alpha / whole - 1.0).abs() < 2e-15;
        let mut zipfian = Self {
            items,
            theta,
            zeta: zeta_items,
            counted: items,
            zeta_two,
            alpha,
            whole_alpha: if is_whole { whole as u32 } else { 0 },
            eta: 0.0,
            second: 1.0 + 0.5f64.powf(theta),
        };
        zipfian.eta = zipfian.eta();
        zipfian
    }

    /// With the number of items at the beginning, even after growth, as YCSB has it.
    fn eta(&self) -> f64 {
        (1.0 - (2.0 / self.items as f64).powf(1.0 - self.theta)) / (1.0 - self.zeta_two / self.zeta)
    }

    /// The number for the uniform random number `u`.
    #[inline]
    pub fn at(&self, u: f64) -> u64 {
        self.at_of(u, self.counted)
    }

    #[inline]
    fn at_of(&self, u: f64, items: u64) -> u64 {
        let weight = u * self.zeta;
        if weight < 1.0 {
            0
        } else if weight < self.second {
            1
        } else {
            self.tail(self.eta * u - self.eta + 1.0, items as f64)
        }
    }

    /// `items` times the power `alpha` of `x`, without its fraction.
    #[inline]
    fn tail(&self, x: f64, items: f64) -> u64 {
        // The exponent 100, which YCSB's constant has, takes eight multiplications; where their rounding could matter the
        // power itself is taken.
        if self.whole_alpha > 0 {
            let power = if self.whole_alpha == 100 { whole_power(x, 100) } else { whole_power(x, self.whole_alpha) };
            let number = (items * power * (1.0 - ROUNDING)) as i64;
            if items * power * (1.0 + ROUNDING) < (number + 1) as f64 {
                return number as u64;
            }
        }
        (items * x.powf(self.alpha)) as u64
    }

    /// The number for `u` among `items`, which may have grown; when they are fewer than before, the sums stay.
    #[inline]
    pub fn at_grown(&mut self, u: f64, items: u64) -> u64 {
        if items > self.counted {
            self.zeta = zeta(self.counted, items, self.theta, self.zeta);
            self.counted = items;
            self.eta = self.eta();
        }
        self.at_of(u, items)
    }
}

/// x to the power of n ≥ 1.
#[inline(always)]
fn whole_power(x: f64, mut n: u32) -> f64 {
    let (mut square, mut power) = (x, 1.0);
    loop {
        if n & 1 == 1 {
            power *= square;
        }
        n >>= 1;
        if n == 0 {
            return power;
        }
        square *= square;
    }
}

/// ζ(to) given `sum` = ζ(from).
fn zeta(from: u64, to: u64, theta: f64, sum: f64) -> f64 {
    let exact = to.min(from.saturating_add(EXACT_TERMS).max(EXACT_TERMS));
    let sum = (from + 1..=exact).fold(sum, |sum, i| sum + (i as f64).powf(-theta));
    if exact == to {
        return sum;
    }
    // Σ f(i) for i in a+1…b is ∫ f + (f(b) − f(a)) / 2 + (f′(b) − f′(a)) / 12, with f = x^−θ.
    let (a, b) = (exact as f64, to as f64);
    let power = |x: f64| x.powf(-theta);
    let slope = |x: f64| -theta * x.powf(-theta - 1.0);
    let integral = (b.powf(1.0 - theta) - a.powf(1.0 - theta)) / (1.0 - theta);
    sum + integral + (power(b) - power(a)) / 2.0 + (slope(b) - slope(a)) / 12.0
}

/// Hot numbers, scattered over a range.
#[derive(Debug, Clone)]
pub struct ScrambledZipfian {
    inner: Zipfian,
    first: u64,
    count: Divisor,
}

/// A number that others are divided by again and again: the remainder by multiplications (Lemire, Kaser and Kurz 2019),
/// exact for all numbers.
#[derive(Debug, Clone, Copy)]
struct Divisor {
    value: u64,
    /// 2¹²⁸ divided by it, rounded up; 0 stands for 2¹²⁸.
    reciprocal: u128,
}

impl Divisor {
    fn new(value: u64) -> Self {
        Self { value, reciprocal: (u128::MAX / u128::from(value)).wrapping_add(1) }
    }

    #[inline]
    fn remainder(self, number: u64) -> u64 {
        // The fraction of number / value, and that many values.
        let fraction = self.reciprocal.wrapping_mul(u128::from(number));
        let (high, low) = ((fraction >> 64) as u64, fraction as u64);
        let value = u128::from(self.value);
        ((u128::from(high) * value + ((u128::from(low) * value) >> 64)) >> 64) as u64
    }
}

impl ScrambledZipfian {
    /// Over `first..=last`.
    pub fn new(first: u64, last: u64, theta: f64) -> Self {
        let inner = if theta == SCRAMBLED_THETA {
            Zipfian::with_zeta(SCRAMBLED_ITEMS, theta, SCRAMBLED_ZETA)
        } else {
            Zipfian::new(SCRAMBLED_ITEMS, theta)
        };
        Self { inner, first, count: Divisor::new(last - first + 1) }
    }

    /// The number for the uniform random number `u`.
    #[inline]
    pub fn at(&self, u: f64) -> u64 {
        let [number] = self.at_each([u]);
        number
    }

    /// The numbers for several: each step for all of them, so that their chains of multiplications go side by side.
    #[inline]
    pub fn at_each<const N: usize>(&self, us: [f64; N]) -> [u64; N] {
        // Not `us.map(…)`: its closures are calls where a crate is compiled in parts.
        let mut numbers = [0; N];
        numbers.iter_mut().zip(us).for_each(|(number, u)| *number = self.inner.at(u));
        numbers.iter_mut().for_each(|number| *number = fnv_hash(*number));
        numbers.iter_mut().for_each(|number| *number = self.first + self.count.remainder(*number));
        numbers
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn remainders_are_exact(number in 0u64.., value in 1u64.., shift in 0u32..64) {
            let value = (value >> shift).max(1);
            for number in [number, number - number % value, (number - number % value).wrapping_sub(1), u64::MAX] {
                prop_assert_eq!(Divisor::new(value).remainder(number), number % value);
            }
        }
    }

    #[test]
    fn zeta_is_the_published_constant() {
        // The published sum was added up in another order; it agrees to nine digits.
        let sum = zeta(0, 10_000_000_000, 0.99, 0.0);
        assert!((sum / SCRAMBLED_ZETA - 1.0).abs() < 1e-9, "{sum}");
        let whole: f64 = (1..=3_000_000u32).map(|i| f64::from(i).powf(-0.99)).sum();
        assert!((zeta(0, 3_000_000, 0.99, 0.0) - whole).abs() < 1e-9);
        let grown = zeta(1_000_000, 3_000_000, 0.99, zeta(0, 1_000_000, 0.99, 0.0));
        assert!((grown - whole).abs() < 1e-9);
    }

    /// Computed apart, in Python with YCSB's formulas and plain sums.
    #[test]
    fn golden_numbers() {
        let zipfian = Zipfian::new(1000, 0.99);
        let at: Vec<u64> = US.into_iter().map(|u| zipfian.at(u)).collect();
        assert_eq!(at, ZIPFIAN_1000);
        let scrambled = ScrambledZipfian::new(0, 1000, 0.99);
        let at: Vec<u64> = US.into_iter().map(|u| scrambled.at(u)).collect();
        assert_eq!(at, SCRAMBLED_1001);
        let mut grown = Zipfian::new(1000, 0.99);
        let at: Vec<u64> = US.into_iter().map(|u| grown.at_grown(u, 1500)).collect();
        assert_eq!(at, GROWN_1500);
        assert_eq!(grown.at_grown(0.5, 1200), GROWN_BACK);
    }

    const US: [f64; 8] = [0.0, 0.05, 0.13, 0.2, 0.37, 0.5, 0.77, 0.999];
    const ZIPFIAN_1000: [u64; 8] = [0, 0, 1, 2, 8, 22, 176, 992];
    const SCRAMBLED_1001: [u64; 8] = [144, 610, 253, 421, 42, 367, 152, 483];
    const GROWN_1500: [u64; 8] = [0, 0, 1, 3, 12, 34, 270, 1488];
    const GROWN_BACK: u64 = 27;

    proptest! {
        #[test]
        fn multiplied_powers_are_powers(u in 0.0f64..1.0, items in 2u64..1 << 40, nines in 1u32..4) {
            let zipfian = Zipfian::with_zeta(items, 1.0 - 0.1f64.powi(nines as i32), 20.0);
            prop_assert!(zipfian.whole_alpha > 0);
            for x in [u, 0.79 + 0.21 * u, u.powf(1.0 / zipfian.alpha)] {
                prop_assert_eq!(zipfian.tail(x, items as f64), (items as f64 * x.powf(zipfian.alpha)) as u64);
            }
        }
    }

    #[test]
    fn the_least_fraction_is_decided_by_the_power_itself() {
        // x is the 100th root of a whole share, so the product is a whole number but for rounding.
        let zipfian = Zipfian::new(1000, 0.99);
        for number in 1..1000u32 {
            let x = (f64::from(number) / 1000.0).powf(0.01);
            for x in [x.next_down(), x, x.next_up()] {
                assert_eq!(zipfian.tail(x, 1000.0), (1000.0 * x.powf(zipfian.alpha)) as u64, "{number}");
            }
        }
    }

    #[test]
    fn first_ranks_have_their_share() {
        let zipfian = Zipfian::new(10_000, 0.99);
        let n = 1_000_000u32;
        let draws = (0..n).map(|i| zipfian.at(f64::from(i) / f64::from(n)));
        let mut counts = [0f64; 2];
        draws.filter(|&draw| draw < 2).for_each(|draw| counts[draw as usize] += 1.0);
        let zeta: f64 = (1..=10_000).map(|i| f64::from(i).powf(-0.99)).sum();
        assert!((counts[0] / f64::from(n) - 1.0 / zeta).abs() < 1e-5);
        assert!((counts[1] / f64::from(n) - 0.5f64.powf(0.99) / zeta).abs() < 1e-5);
    }
}
