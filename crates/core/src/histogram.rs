//! Latency histograms: 1 ns to 60 s with 3 significant digits; anything longer counts as 60 s.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hdrhistogram::Histogram;
use hdrhistogram::serialization::{Serializer, V2DeflateSerializer};

/// Largest value that is told apart.
pub const MAX_NS: u64 = 60_000_000_000;
const SIGNIFICANT_DIGITS: u8 = 3;

/// A latency distribution in nanoseconds.
#[derive(Debug, Clone, PartialEq)]
pub struct Latencies(Histogram<u64>);

impl Default for Latencies {
    fn default() -> Self {
        Self::new()
    }
}

impl Latencies {
    /// An empty distribution; about 220 KB, whatever it will hold.
    pub fn new() -> Self {
        match Histogram::new_with_bounds(1, MAX_NS, SIGNIFICANT_DIGITS) {
            Ok(histogram) => Self(histogram),
            Err(error) => unreachable!("the bounds are constants inside the allowed range: {error}"),
        }
    }

    /// Counts one value. Never allocates.
    #[inline]
    pub fn record(&mut self, latency_ns: u64) {
        self.0.saturating_record(latency_ns.min(MAX_NS));
    }

    /// Adds the counts of another distribution.
    pub fn add(&mut self, other: &Self) {
        if let Err(error) = self.0.add(&other.0) {
            unreachable!("both sides have the same bounds: {error}");
        }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.0.reset();
    }

    /// How many values were counted.
    pub fn count(&self) -> u64 {
        self.0.len()
    }

    /// The smallest recorded value that at least a share `q` (0…1) of all values do not exceed; 0 when empty.
    pub fn quantile_ns(&self, q: f64) -> u64 {
        if self.0.is_empty() { 0 } else { self.0.value_at_quantile(q).min(MAX_NS) }
    }

    /// The largest value, to 3 digits; 0 when empty.
    pub fn max_ns(&self) -> u64 {
        self.0.max().min(MAX_NS)
    }

    /// HdrHistogram V2 encoding, deflated, in base64.
    pub fn encode(&self) -> String {
        let mut bytes = Vec::new();
        if let Err(error) = V2DeflateSerializer::new().serialize(&self.0, &mut bytes) {
            unreachable!("writing to memory cannot fail: {error}");
        }
        STANDARD.encode(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hdrhistogram::serialization::Deserializer;
    use proptest::prelude::*;

    fn of(values: &[u64]) -> Latencies {
        let mut latencies = Latencies::new();
        values.iter().for_each(|&v| latencies.record(v));
        latencies
    }

    proptest! {
        #[test]
        fn merging_equals_recording_together(a in proptest::collection::vec(0u64..100_000_000_000, 0..200),
                                             b in proptest::collection::vec(0u64..100_000_000_000, 0..200)) {
            let mut merged = of(&a);
            merged.add(&of(&b));
            let together = of(&[a, b].concat());
            prop_assert_eq!(&merged, &together);
            prop_assert_eq!(merged.encode(), together.encode());
        }

        #[test]
        fn quantiles_are_within_three_digits(mut values in proptest::collection::vec(1u64..MAX_NS, 1..300), q in 0.0f64..1.0) {
            let latencies = of(&values);
            values.sort_unstable();
            let rank = ((q * values.len() as f64).ceil() as usize).clamp(1, values.len());
            let exact = values[rank - 1] as f64;
            let got = latencies.quantile_ns(q) as f64;
            prop_assert!((got - exact).abs() <= exact * 1e-3 + 1.0, "{got} {exact}");
        }

        #[test]
        fn encoding_round_trips(values in proptest::collection::vec(0u64..MAX_NS, 0..200)) {
            let latencies = of(&values);
            let bytes = STANDARD.decode(latencies.encode()).unwrap();
            let back: Histogram<u64> = Deserializer::new().deserialize(&mut bytes.as_slice()).unwrap();
            prop_assert_eq!(back, latencies.0);
        }
    }

    #[test]
    fn long_values_saturate_and_empty_is_zero() {
        assert_eq!(of(&[MAX_NS * 5]).max_ns(), MAX_NS);
        assert_eq!(of(&[]).quantile_ns(0.99), 0);
        assert_eq!(of(&[]).max_ns(), 0);
    }
}
