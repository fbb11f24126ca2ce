//! Values that can be checked when they are read: YCSB's `dataintegrity`.

use crate::keyspace::java_hash;

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

/// Appends a number in decimal.
#[inline]
pub fn write_decimal(buffer: &mut Vec<u8>, mut number: u64) {
    let mut digits = [0u8; 20];
    let mut at = digits.len();
    while number >= 100 {
        let pair = (number % 100) as usize * 2;
        number /= 100;
        at -= 2;
        digits[at..at + 2].copy_from_slice(&PAIRS[pair..pair + 2]);
    }
    if number >= 10 {
        let pair = number as usize * 2;
        at -= 2;
        digits[at..at + 2].copy_from_slice(&PAIRS[pair..pair + 2]);
    } else {
        at -= 1;
        digits[at] = b'0' + number as u8;
    }
    buffer.extend_from_slice(&digits[at..]);
}

/// "00", "01", … "99".
const PAIRS: [u8; 200] = {
    let mut pairs = [0; 200];
    let mut i = 0;
    while i < 100 {
        pairs[2 * i] = b'0' + (i / 10) as u8;
        pairs[2 * i + 1] = b'0' + (i % 10) as u8;
        i += 1;
    }
    pairs
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals() {
        for number in [0, 7, 10, 99, 100, 101, 1234, 12345, u64::MAX] {
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
