//! Values that can be checked when they are read: YCSB's `dataintegrity`.

/// Computes what a value must be (YCSB's `CoreWorkload.buildDeterministicValue`): key, colon and field name, then the Java
/// hash of all that again and again, cut off at the length.
#[derive(Debug)]
pub struct Checker {
    key: Vec<u8>,
    length: usize,
    expected: Vec<u8>,
    armed: bool,
}

impl Checker {
    /// For values of `length` bytes.
    pub fn new(length: u32) -> Self {
        Self { key: Vec::with_capacity(64), length: length as usize, expected: Vec::new(), armed: false }
    }

    /// Values that follow belong to this key.
    pub fn expect(&mut self, key: &[u8]) {
        self.key.clear();
        self.key.extend_from_slice(key);
        self.armed = true;
    }

    /// Values that follow are not checked.
    pub fn rest(&mut self) {
        self.armed = false;
    }

    /// A value is what it must be, or is not checked.
    pub fn is_right(&mut self, field: u32, value: &[u8]) -> bool {
        if !self.armed {
            return true;
        }
        self.expected.clear();
        write_value(&mut self.expected, &self.key, field, self.length);
        self.expected == value
    }
}

/// Appends the value of a field.
pub fn write_value(buffer: &mut Vec<u8>, key: &[u8], field: u32, length: usize) {
    let start = buffer.len();
    buffer.extend_from_slice(key);
    buffer.extend_from_slice(b":field");
    write_decimal(buffer, u64::from(field));
    while buffer.len() - start < length {
        buffer.push(b':');
        let hash = java_hash(&buffer[start..]);
        if hash < 0 {
            buffer.push(b'-');
        }
        write_decimal(buffer, u64::from(hash.unsigned_abs()));
    }
    buffer.truncate(start + length);
}

/// Java's `String.hashCode` of ASCII text.
#[inline]
pub fn java_hash(text: &[u8]) -> i32 {
    text.iter().fold(0i32, |hash, &byte| hash.wrapping_mul(31).wrapping_add(i32::from(byte)))
}

/// Appends a number in decimal.
#[inline]
pub fn write_decimal(buffer: &mut Vec<u8>, number: u64) {
    const CHUNK: u64 = 100_000_000;
    let (high, low) = (number / CHUNK, number % CHUNK);
    if high == 0 {
        return push_digits(buffer, low);
    }
    let (highest, middle) = (high / CHUNK, high % CHUNK);
    if highest == 0 {
        push_digits(buffer, middle);
        buffer.extend_from_slice(&(eight_digits(low) | ZEROS).to_le_bytes());
    } else {
        push_digits(buffer, highest);
        let both = u128::from(eight_digits(low) | ZEROS) << 64 | u128::from(eight_digits(middle) | ZEROS);
        buffer.extend_from_slice(&both.to_le_bytes());
    }
}

/// Eight digits "0".
const ZEROS: u64 = 0x3030_3030_3030_3030;

/// Appends a number below 10⁸ without zeros before it.
#[inline]
fn push_digits(buffer: &mut Vec<u8>, number: u64) {
    let digits = eight_digits(number);
    let zeros = (digits.trailing_zeros() / 8).min(7);
    // All eight bytes at once, cut off afterwards.
    buffer.extend_from_slice(&((digits | ZEROS) >> (8 * zeros)).to_le_bytes());
    buffer.truncate(buffer.len() - zeros as usize);
}

/// The digits of a number below 10⁸, one per byte, the first one lowest: all pairs, then all digits at once.
#[inline]
fn eight_digits(number: u64) -> u64 {
    let fours = (number / 10_000) | ((number % 10_000) << 32);
    // 10486 / 2²⁰ is 1/100 and 103 / 2¹⁰ is 1/10, exact for what can be there.
    let hundreds = ((fours * 10_486) >> 20) & 0x7F_0000_007F;
    let pairs = hundreds | ((fours - 100 * hundreds) << 16);
    let tens = ((pairs * 103) >> 10) & 0x000F_000F_000F_000F;
    tens | ((pairs - 10 * tens) << 8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals() {
        let powers =
            (0..20).map(|power| 10u64.pow(power)).flat_map(|power| [power - 1, power, power + 1, power / 7 * 5]);
        for number in powers.chain([0, 7, 101, 1234, 12345, 9_090_909_090, u64::MAX]).chain((0..100_000).step_by(7)) {
            let mut buffer = Vec::new();
            write_decimal(&mut buffer, number);
            assert_eq!(buffer, number.to_string().as_bytes());
        }
    }

    /// Computed apart from the definition h = 31 h + c with 32-bit wrap-around, in Python:
    /// `s = "user1:field0"; while len(s) < 40: s += ":"; s += str(java_hash(s))`.
    #[test]
    fn values_repeat_the_hash_of_what_is_there() {
        let mut value = Vec::new();
        write_value(&mut value, b"user1", 0, 40);
        assert_eq!(value, b"user1:field0:-1268391216:957204686:-1707");
        let mut short = Vec::new();
        write_value(&mut short, b"user1", 0, 5);
        assert_eq!(short, b"user1");
    }

    #[test]
    fn a_changed_value_is_wrong() {
        let mut checker = Checker::new(30);
        assert!(checker.is_right(3, b"anything"), "not armed");
        checker.expect(b"user42");
        let mut value = Vec::new();
        write_value(&mut value, b"user42", 3, 30);
        assert!(checker.is_right(3, &value));
        assert!(!checker.is_right(4, &value));
        value[29] ^= 1;
        assert!(!checker.is_right(3, &value));
    }
}
