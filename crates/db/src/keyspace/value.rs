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
    // Whole words, cut off afterwards.
    let (end, room) = (buffer.len() + length, length.next_multiple_of(8));
    buffer.reserve(room);
    for (place, mask) in buffer.spare_capacity_mut()[..room].chunks_exact_mut(8).zip(MASKS.iter().cycle()) {
        // No byte overflows: 32 + 95 is 127.
        let word = (stream.bits() & mask) + SPACES;
        // Written one by one, as one word: a `map` over the array costs ten times as much where a crate is compiled in parts.
        for (octet, value) in place.iter_mut().zip(word.to_le_bytes()) {
            octet.write(value);
        }
    }
    // SAFETY: `room` bytes after the old end are reserved and written, and `length` is at most that.
    unsafe { buffer.set_len(end) };
}

#[cfg(test)]
mod tests {
    use super::*;
    use plimsoll_core::random::Purpose;

    #[test]
    fn lengths_are_as_asked_and_short_values_are_the_beginning_of_long_ones() {
        let write = |length: usize| {
            let mut buffer = b"before".to_vec();
            write_random(&mut buffer, length, &mut Stream::new(1, 0, Purpose::Content));
            buffer
        };
        let long = write(200);
        assert!((0..=200).all(|length| write(length) == long[..6 + length]));
    }

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
