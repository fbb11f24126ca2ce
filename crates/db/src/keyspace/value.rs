//! Random values.

use plimsoll_core::random::Stream;

/// Each byte is a space plus 5, 6 or other 6 random bits in turn, as in YCSB's `RandomByteIterator`.
const MASKS: [u64; 3] = [mask(0), mask(8), mask(16)];
const SPACES: u64 = 0x2020_2020_2020_2020;

const fn mask(first: usize) -> u64 {
    let pattern = [31u8, 63, 95];
    let mut bytes = [0; 8];
    let mut i = 0;
    while i < 8 {
        bytes[i] = pattern[(first + i) % 3];
        i += 1;
    }
    u64::from_le_bytes(bytes)
}

/// Appends `length` random printable bytes.
#[inline]
pub fn write_random(buffer: &mut Vec<u8>, length: usize, stream: &mut Stream) {
    let start = buffer.len();
    // Whole words, cut off afterwards.
    buffer.resize(start + length.next_multiple_of(8), 0);
    for (place, mask) in buffer[start..].chunks_exact_mut(8).zip(MASKS.iter().cycle()) {
        // No byte overflows: 32 + 95 is 127.
        let word = (stream.bits() & mask) + SPACES;
        place.copy_from_slice(&word.to_le_bytes());
    }
    buffer.truncate(start + length);
}

#[cfg(test)]
mod tests {
    use super::*;
    use plimsoll_core::random::Purpose;

    #[test]
    fn bytes_have_the_ranges_of_ycsb() {
        let mut stream = Stream::new(1, 0, Purpose::Content);
        let mut buffer = b"x".to_vec();
        write_random(&mut buffer, 100_001, &mut stream);
        assert_eq!(buffer.len(), 100_002);
        for (i, pattern) in [31u8, 63, 95].into_iter().enumerate() {
            let seen: std::collections::BTreeSet<u8> = buffer[1 + i..].iter().step_by(3).copied().collect();
            let want: std::collections::BTreeSet<u8> = (0..=127u8).map(|b| (b & pattern) + b' ').collect();
            assert_eq!(seen, want);
        }
    }
}
