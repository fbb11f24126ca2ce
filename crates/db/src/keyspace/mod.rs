//! Keys, and which of them are asked for: YCSB's generators, exact to its Java code (0.18-SNAPSHOT).
//!
//! "Exact" means: the same key for the same key number, and the same function from a uniform random number to a key
//! number. The random numbers themselves are ours; YCSB takes them from a generator that nobody can seed.

mod acknowledged;
mod chooser;
mod length;
mod value;
mod zipfian;

pub use acknowledged::Acknowledged;
pub use chooser::{Chooser, Shared};
pub use length::Length;
pub use value::write_random;
pub use zipfian::{ScrambledZipfian, Zipfian};

use crate::integrity::write_decimal;
use crate::spec::{InsertOrder, Ycsb};

const FNV_OFFSET_BASIS: u64 = 0xCBF2_9CE4_8422_2325;
const FNV_PRIME: u64 = 1_099_511_628_211;
/// FNV-1a over the eight octets of a number, low end first, without its sign (YCSB's `Utils.fnvhash64`). For the one
/// number whose hash is the smallest signed one Java's `abs` leaves it negative; it is 2⁶³ here.
#[inline]
pub fn fnv_hash(number: u64) -> u64 {
    // Octets that are zero only multiply. A bound that is always kept costs less than finding the last octet.
    if number < 1 << 40 { fnv_hash_of::<5>(number) } else { fnv_hash_of::<8>(number) }
}

/// The same for a number with at most so many octets.
#[inline]
fn fnv_hash_of<const OCTETS: u32>(number: u64) -> u64 {
    let mut hash = FNV_OFFSET_BASIS;
    let mut rest = number;
    for _ in 0..OCTETS {
        hash = (hash ^ (rest & 0xFF)).wrapping_mul(FNV_PRIME);
        rest >>= 8;
    }
    (hash.wrapping_mul(const { FNV_PRIME.wrapping_pow(8 - OCTETS) }) as i64).unsigned_abs()
}

/// The same for the number of a record.
#[inline]
fn fnv_hash_of_record(number: u64) -> u64 {
    if number < 1 << 24 { fnv_hash_of::<3>(number) } else { fnv_hash(number) }
}

/// How key numbers become keys.
#[derive(Debug, Clone, Copy)]
pub struct Keys {
    hashed: bool,
    padding: usize,
}

impl Keys {
    /// As the workload says.
    pub fn new(ycsb: &Ycsb) -> Self {
        Self { hashed: ycsb.insert_order == InsertOrder::Hashed, padding: ycsb.zero_padding as usize }
    }

    /// Writes the key of a number: `user`, zeros, and the number or its hash.
    #[inline]
    pub fn write(&self, number: u64, key: &mut Vec<u8>) {
        key.clear();
        key.extend_from_slice(b"user");
        write_decimal(key, if self.hashed { fnv_hash_of_record(number) } else { number });
        let digits = key.len() - 4;
        if digits < self.padding {
            let missing = self.padding - digits;
            key.splice(4..4, std::iter::repeat_n(b'0', missing));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(number: u64, hashed: bool, padding: usize) -> String {
        let mut key = Vec::new();
        Keys { hashed, padding }.write(number, &mut key);
        String::from_utf8(key).unwrap()
    }

    /// `user6284781860667377211` is the first key of every load by YCSB itself. The others were computed apart, in
    /// Python: h = 0xCBF29CE484222325; eight times h = ((h ^ octet) * 1099511628211) mod 2⁶⁴; h ≥ 2⁶³ → 2⁶⁴ − h.
    #[test]
    fn keys_are_those_of_ycsb() {
        assert_eq!(key(0, true, 1), "user6284781860667377211");
        assert_eq!(key(1, true, 1), "user8517097267634966620");
        assert_eq!(key(2, true, 1), "user1820151046732198393");
        assert_eq!(key(1000, true, 1), "user5952875239596136740");
        assert_eq!(key(u64::from(u32::MAX), true, 1), "user5673037472935113441");
    }

    #[test]
    fn leaving_zeros_out_of_the_hash_changes_nothing() {
        let whole = |number: u64| {
            let octets = number.to_le_bytes().into_iter();
            octets.fold(FNV_OFFSET_BASIS, |hash, octet| (hash ^ u64::from(octet)).wrapping_mul(FNV_PRIME)) as i64
        };
        let powers = (0..64).map(|bit| 1u64 << bit);
        for number in powers.flat_map(|power| [power - 1, power, power + 1, power.wrapping_mul(0xA5A5_0001)]) {
            assert_eq!(fnv_hash(number), whole(number).unsigned_abs(), "{number}");
            assert_eq!(fnv_hash_of_record(number), whole(number).unsigned_abs(), "{number}");
        }
    }

    #[test]
    fn ordered_keys_are_padded() {
        assert_eq!(key(42, false, 1), "user42");
        assert_eq!(key(42, false, 8), "user00000042");
        assert_eq!(key(123_456_789, false, 8), "user123456789");
    }
}
