//! Numbers in a line of bytes.

/// A place in a line.
pub struct Cursor<'a> {
    line: &'a [u8],
    at: usize,
}

impl<'a> Cursor<'a> {
    pub fn new(line: &'a [u8]) -> Self {
        Self { line, at: 0 }
    }

    /// The byte here; 0 at the end.
    #[inline]
    pub fn here(&self) -> u8 {
        self.line.get(self.at).copied().unwrap_or_default()
    }

    /// Goes behind blanks.
    #[inline]
    pub fn blanks(&mut self) {
        while is_blank(self.here()) {
            self.at += 1;
        }
    }

    /// Goes behind `byte` if it is here.
    #[inline]
    pub fn takes(&mut self, byte: u8) -> bool {
        let there = self.here() == byte && self.at < self.line.len();
        self.at += usize::from(there);
        there
    }

    /// A number of 1 to `most` digits, and what follows it is none; at most 19 digits fit.
    #[inline]
    pub fn digits(&mut self, most: usize) -> Option<u64> {
        let begin = self.at;
        let mut value = 0u64;
        loop {
            let digit = self.here().wrapping_sub(b'0');
            if digit > 9 {
                break;
            }
            // More than 19 digits are refused below, whatever they made.
            value = value.wrapping_mul(10).wrapping_add(u64::from(digit));
            self.at += 1;
        }
        (1..=most.min(19)).contains(&(self.at - begin)).then_some(value)
    }

    /// 1 to `most` hexadecimal digits, with or without 0x before them.
    pub fn hexadecimal(&mut self, most: usize) -> bool {
        if self.here() == b'0' && self.line.get(self.at + 1) == Some(&b'x') {
            self.at += 2;
        }
        let begin = self.at;
        while self.here().is_ascii_hexdigit() {
            self.at += 1;
        }
        (1..=most).contains(&(self.at - begin))
    }

    #[inline]
    pub fn ended(&self) -> bool {
        self.at >= self.line.len()
    }
}

#[inline]
fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | 0x0b | 0x0c)
}

/// A plain decimal number that is not below zero: digits, at most one point, and an exponent.
pub fn decimal(text: &[u8]) -> Option<f64> {
    let known = text.iter().all(|byte| matches!(byte, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-'));
    let begins = text.first().is_some_and(|byte| byte.is_ascii_digit() || *byte == b'.');
    if !known || !begins {
        return None;
    }
    let value: f64 = std::str::from_utf8(text).ok()?.parse().ok()?;
    (value.is_finite() && value < 2f64.powi(63)).then_some(value)
}
