//! Interval logs against the HdrHistogram library: what it wrote is read as it wrote it, and added as it adds it.

use std::collections::BTreeMap;

use hdrhistogram::Histogram;
use hdrhistogram::serialization::{Serializer, V2DeflateSerializer};
use plimsoll_logs::Reader;
use plimsoll_logs::answer::Answer;
use proptest::prelude::*;

fn encoded(histogram: &Histogram<u64>) -> String {
    use base64::Engine as _;
    let mut bytes = Vec::new();
    V2DeflateSerializer::new().serialize(histogram, &mut bytes).unwrap();
    base64::engine::general_purpose::STANDARD.encode(bytes)
}

proptest! {
    #[test]
    fn sums_are_those_of_the_library(
        lines in prop::collection::vec(prop::collection::vec((1u64..60_000_000, 1u64..50), 0..40), 1..6),
        digits in 1u8..=4,
    ) {
        let mut sum = Histogram::<u64>::new_with_bounds(1, 3_600_000_000, digits).unwrap();
        let mut log = "#[Logging for: READ]\n\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\"\n".to_owned();
        for (second, values) in lines.iter().enumerate() {
            let mut one = Histogram::<u64>::new_with_bounds(1, 3_600_000_000, digits).unwrap();
            for (value, count) in values {
                one.record_n(*value, *count).unwrap();
            }
            sum.add(&one).unwrap();
            log += &format!("{second}.000,1.000,5.0,{}\n", encoded(&one));
        }
        let mut reader = Reader::of("hdr").unwrap();
        reader.feed(log.as_bytes()).unwrap();
        let Answer::Hdr(found) = reader.finish().unwrap() else { panic!("an interval log") };
        let expected: BTreeMap<u64, (u64, u64)> = sum
            .iter_recorded()
            .map(|step| {
                let value = step.value_iterated_to();
                (sum.lowest_equivalent(value), (sum.highest_equivalent(value), step.count_at_value()))
            })
            .collect();
        let tags = found.found.tags;
        let got: BTreeMap<u64, (u64, u64)> =
            tags.iter().flat_map(|tag| &tag.buckets).map(|&(low, high, count)| (low, (high, count))).collect();
        prop_assert_eq!(got, expected);
        prop_assert_eq!(found.found.damaged, 0);
        prop_assert_eq!(found.found.seconds, lines.len() as f64);
    }
}
