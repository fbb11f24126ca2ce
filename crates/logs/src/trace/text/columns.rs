//! Columns of rows with a character between them.

/// Splits a line into exactly `COUNT` columns, without blanks around them.
#[inline]
pub fn split<const COUNT: usize>(line: &[u8], mark: u8) -> Option<[&[u8]; COUNT]> {
    let mut columns = [&line[..0]; COUNT];
    let mut rest = line;
    for (index, column) in columns.iter_mut().enumerate() {
        let end = memchr::memchr(mark, rest);
        match (end, index + 1 == COUNT) {
            (Some(end), false) => {
                *column = rest[..end].trim_ascii();
                rest = &rest[end + 1..];
            }
            (None, true) => *column = rest.trim_ascii(),
            _ => return None,
        }
    }
    Some(columns)
}

/// A whole number of up to 19 digits.
#[inline]
pub fn number(text: &[u8]) -> Option<u64> {
    if text.is_empty() || text.len() > 19 {
        return None;
    }
    text.iter().try_fold(0u64, |sum, byte| {
        let digit = byte.wrapping_sub(b'0');
        (digit <= 9).then(|| sum.wrapping_mul(10).wrapping_add(u64::from(digit)))
    })
}

/// A length in bytes that an I/O can have.
#[inline]
pub fn length(bytes: u64) -> Option<u32> {
    u32::try_from(bytes).ok().filter(|bytes| *bytes > 0)
}
