//! How values are spread, within 6 %, in a fixed number of buckets.

const STEPS: u32 = 16;

/// Counts by value: exact below 16, then 16 buckets for each doubling.
#[derive(Debug, Clone)]
pub struct Spread {
    counts: Vec<u64>,
    total: u64,
    sum: u128,
    highest: u64,
}

impl Default for Spread {
    fn default() -> Self {
        Self { counts: vec![0; (STEPS * 61) as usize], total: 0, sum: 0, highest: 0 }
    }
}

impl Spread {
    /// Adds a value.
    #[inline]
    pub fn add(&mut self, value: u64) {
        self.counts[place(value)] += 1;
        self.total += 1;
        self.sum += u128::from(value);
        self.highest = self.highest.max(value);
    }

    /// How many values.
    pub const fn total(&self) -> u64 {
        self.total
    }

    /// The mean, exactly; `None` of nothing.
    pub fn mean(&self) -> Option<f64> {
        (self.total > 0).then(|| self.sum as f64 / self.total as f64)
    }

    /// The highest, exactly.
    pub const fn highest(&self) -> u64 {
        self.highest
    }

    /// The value that this share of all does not exceed; `None` of nothing.
    pub fn quantile(&self, share: f64) -> Option<u64> {
        let wanted = ((self.total as f64 * share).ceil() as u64).max(1);
        let mut seen = 0;
        for (place, count) in self.counts.iter().enumerate() {
            seen += count;
            if seen >= wanted {
                return Some(top(place).min(self.highest));
            }
        }
        None
    }
}

const fn place(value: u64) -> usize {
    if value < STEPS as u64 {
        return value as usize;
    }
    let shift = 63 - value.leading_zeros() - 4;
    ((shift + 1) * STEPS) as usize + ((value >> shift) as usize - STEPS as usize)
}

/// The highest value of a bucket.
const fn top(place: usize) -> u64 {
    let steps = STEPS as usize;
    if place < steps {
        return place as u64;
    }
    let shift = place / steps - 1;
    let low = ((place % steps + steps) as u64) << shift;
    low + ((1 << shift) - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_is_in_a_bucket_at_most_a_sixteenth_wide() {
        for value in (0..5000).chain([1 << 40, (1 << 40) + 12345, u64::MAX - 1, u64::MAX]) {
            let high = top(place(value));
            assert!(high >= value && (high - value) as f64 <= value as f64 / 16.0, "{value} {high}");
        }
    }

    #[test]
    fn quantiles_and_mean() {
        let mut spread = Spread::default();
        assert_eq!((spread.quantile(0.5), spread.mean()), (None, None));
        (1..=10).for_each(|value| spread.add(value));
        assert_eq!((spread.quantile(0.5), spread.quantile(1.0), spread.mean()), (Some(5), Some(10), Some(5.5)));
    }
}
