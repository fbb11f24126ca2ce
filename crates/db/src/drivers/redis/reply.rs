//! Replies of Redis's protocol, RESP2.

use crate::fault::{Cause, Fault};

/// A reply of a command that is waited for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    Nothing,
    Text(Vec<u8>),
    Number(i64),
    List(Vec<Self>),
    Error(Fault),
}

impl Value {
    /// The text, if it is one.
    pub fn text(self) -> Option<Vec<u8>> {
        if let Self::Text(text) = self { Some(text) } else { None }
    }
}

/// A line `:123\r\n` without its first byte, from `at` on: the number and where the next line begins.
#[inline]
fn number_line(data: &[u8], at: usize) -> Result<Option<(i64, usize)>, Fault> {
    let mut sum = 0i64;
    let mut negative = false;
    for (place, &byte) in data.iter().enumerate().skip(at) {
        match byte {
            b'0'..=b'9' => sum = sum.wrapping_mul(10).wrapping_add(i64::from(byte - b'0')),
            b'-' if place == at => negative = true,
            b'\r' => {
                let number = if negative { sum.wrapping_neg() } else { sum };
                return Ok((place + 2 <= data.len()).then_some((number, place + 2)));
            }
            _ => return Err(Fault::protocol("the server does not speak Redis's protocol")),
        }
    }
    Ok(None)
}

/// Lists in lists; what is asked for here has none, and a server could send more than the stack holds.
const DEEPEST: u32 = 8;

/// Bytes of the first reply, when it is there as a whole.
#[inline]
pub fn length_of(data: &[u8]) -> Result<Option<usize>, Fault> {
    let (mut at, mut left) = (0usize, 1i64);
    while left > 0 {
        let Some(&kind) = data.get(at) else { return Ok(None) };
        left -= 1;
        match kind {
            b'$' => {
                let Some((length, next)) = number_line(data, at + 1)? else { return Ok(None) };
                at = if length < 0 { next } else { next + length as usize + 2 };
            }
            b'*' => {
                let Some((count, next)) = number_line(data, at + 1)? else { return Ok(None) };
                left = left.saturating_add(count.max(0));
                at = next;
            }
            b'+' | b'-' | b':' => {
                let Some(end) = data[at..].iter().position(|&byte| byte == b'\n') else { return Ok(None) };
                at += end + 1;
            }
            _ => return Err(Fault::protocol("the server does not speak Redis's protocol")),
        }
    }
    Ok((at <= data.len()).then_some(at))
}

/// Texts of a whole flat list; a single text is a list of one.
#[inline]
pub fn parts(whole: &[u8]) -> Parts<'_> {
    let at = match whole.first() {
        Some(b'*') => number_line(whole, 1).ok().flatten().map_or(whole.len(), |(_, next)| next),
        Some(b'$') => 0,
        _ => whole.len(),
    };
    Parts { whole, at }
}

/// See [`parts`].
pub struct Parts<'a> {
    whole: &'a [u8],
    at: usize,
}

impl<'a> Iterator for Parts<'a> {
    type Item = Option<&'a [u8]>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if self.whole.get(self.at) != Some(&b'$') {
            return None;
        }
        let (length, next) = number_line(self.whole, self.at + 1).ok().flatten()?;
        if length < 0 {
            self.at = next;
            return Some(None);
        }
        let end = next + length as usize;
        self.at = end + 2;
        self.whole.get(next..end).map(Some)
    }
}

/// The first reply as a value, and its length in bytes.
pub fn read_value(data: &[u8]) -> Result<Option<(Value, usize)>, Fault> {
    let Some(length) = length_of(data)? else { return Ok(None) };
    let mut at = 0;
    Ok(Some((value_at(&data[..length], &mut at, DEEPEST)?, length)))
}

fn value_at(data: &[u8], at: &mut usize, depth: u32) -> Result<Value, Fault> {
    let cut_off = || Fault::protocol("a reply of the server is cut off");
    let kind = *data.get(*at).ok_or_else(cut_off)?;
    if matches!(kind, b'+' | b'-') {
        let rest = &data[*at..];
        let end = rest.iter().position(|&byte| byte == b'\r').ok_or_else(cut_off)?;
        *at += end + 2;
        return Ok(if kind == b'-' { Value::Error(error_of(rest)) } else { Value::Text(rest[1..end].to_vec()) });
    }
    let (number, next) = number_line(data, *at + 1)?.ok_or_else(cut_off)?;
    *at = next;
    match kind {
        b'$' if number >= 0 => {
            let text = data.get(next..next + number as usize).ok_or_else(cut_off)?;
            *at = next + number as usize + 2;
            Ok(Value::Text(text.to_vec()))
        }
        b'*' if number >= 0 => {
            let depth =
                depth.checked_sub(1).ok_or_else(|| Fault::protocol("a reply of the server is nested too deep"))?;
            (0..number).map(|_| value_at(data, at, depth)).collect::<Result<_, _>>().map(Value::List)
        }
        b':' => Ok(Value::Number(number)),
        _ => Ok(Value::Nothing),
    }
}

/// What an error line says.
#[cold]
pub fn error_of(line: &[u8]) -> Fault {
    let line = line.split(|&byte| byte == b'\r').next().unwrap_or_default();
    let message = String::from_utf8_lossy(line.get(1..).unwrap_or_default()).into_owned();
    let cause = match message.split(' ').next().unwrap_or_default() {
        "READONLY" => Cause::ReadOnly,
        // Writes are refused since the last snapshot failed, which a full disk does.
        // There is no memory left for one more.
        "MISCONF" | "OOM" => Cause::DiskFull,
        "NOAUTH" | "WRONGPASS" | "NOPERM" => Cause::Login,
        _ => Cause::Server,
    };
    Fault::refused(cause, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIST: &[u8] = b"*3\r\n$2\r\nab\r\n$-1\r\n:7\r\n+more";

    #[test]
    fn a_reply_has_a_length_only_when_whole() {
        let whole = LIST.len() - 5;
        for cut in 0..whole {
            assert_eq!(length_of(&LIST[..cut]).unwrap(), None, "{cut}");
        }
        assert_eq!(length_of(LIST).unwrap(), Some(whole));
        assert_eq!(length_of(b"*0\r\n").unwrap(), Some(4));
        assert_eq!(length_of(b"$0\r\n\r\n").unwrap(), Some(6));
        assert!(length_of(b"HTTP/1.1 400").is_err());
    }

    #[test]
    fn what_no_server_says_is_refused() {
        let nested = [b"*1\r\n".repeat(100_000), b":1\r\n".to_vec()].concat();
        assert!(read_value(&nested).unwrap_err().message.contains("nested too deep"));
        let (value, _) = read_value(&[b"*1\r\n".repeat(8), b":1\r\n".to_vec()].concat()).unwrap().unwrap();
        assert!(matches!(value, Value::List(_)));
        // As many digits as there may be: they wrap, and the reply never ends or is empty.
        assert_eq!(length_of(b"$9223372036854775807\r\nab\r\n").unwrap(), None);
        assert_eq!(length_of(b"*9223372036854775807\r\n*9223372036854775807\r\n").unwrap(), None);
        assert!(read_value(b":-9223372036854775808\r\n").unwrap().is_some());
    }

    #[test]
    fn values_are_read() {
        let (value, length) = read_value(LIST).unwrap().unwrap();
        assert_eq!(length, LIST.len() - 5);
        assert_eq!(value, Value::List(vec![Value::Text(b"ab".to_vec()), Value::Nothing, Value::Number(7)]));
        let (error, _) = read_value(b"-READONLY You can't\r\n").unwrap().unwrap();
        assert_eq!(error, Value::Error(Fault::refused(Cause::ReadOnly, "READONLY You can't")));
        assert_eq!(error_of(b"-OOM command not allowed\r\n").cause, Cause::DiskFull);
    }

    #[test]
    fn parts_of_a_list() {
        let texts: Vec<_> = parts(b"*2\r\n$2\r\nab\r\n$-1\r\n").collect();
        assert_eq!(texts, [Some(b"ab".as_slice()), None]);
        assert_eq!(parts(b"*0\r\n").count(), 0);
        assert_eq!(parts(b"*-1\r\n").count(), 0);
    }
}
