//! Messages of PostgreSQL's protocol, version 3.

use crate::fault::{Cause, Fault};

/// One message of the server.
#[derive(Debug, Clone, Copy)]
pub struct Message<'a> {
    pub kind: u8,
    pub body: &'a [u8],
    /// With kind and length.
    pub length: usize,
}

/// Appends a message; `write` appends its body.
#[inline]
pub fn write_message(out: &mut Vec<u8>, kind: u8, write: impl FnOnce(&mut Vec<u8>)) {
    out.push(kind);
    write_counted(out, write);
}

/// Appends a body with its length before it.
#[inline]
pub fn write_counted(out: &mut Vec<u8>, write: impl FnOnce(&mut Vec<u8>)) {
    let start = out.len();
    out.extend_from_slice(&[0; 4]);
    write(out);
    let length = (out.len() - start) as u32;
    out[start..start + 4].copy_from_slice(&length.to_be_bytes());
}

/// The first message, when it is there as a whole.
#[inline]
pub fn next_message(data: &[u8]) -> Result<Option<Message<'_>>, Fault> {
    let [kind, a, b, c, d, rest @ ..] = data else { return Ok(None) };
    let length = u32::from_be_bytes([*a, *b, *c, *d]) as usize;
    if !(4..1 << 30).contains(&length) {
        return Err(Fault::protocol("the server does not speak PostgreSQL's protocol"));
    }
    Ok(rest.get(..length - 4).map(|body| Message { kind: *kind, body, length: length + 1 }))
}

/// Columns of a row.
pub struct Cells<'a> {
    rest: &'a [u8],
}

impl<'a> Cells<'a> {
    pub fn new(body: &'a [u8]) -> Result<Self, Fault> {
        match body {
            [_, _, rest @ ..] => Ok(Self { rest }),
            _ => Err(cut_off()),
        }
    }
}

impl<'a> Iterator for Cells<'a> {
    type Item = Result<Option<&'a [u8]>, Fault>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        let Some((head, rest)) = self.rest.split_first_chunk::<4>() else {
            self.rest = &[];
            return Some(Err(cut_off()));
        };
        let length = i32::from_be_bytes(*head);
        if length < 0 {
            self.rest = rest;
            return Some(Ok(None));
        }
        let Some((cell, rest)) = rest.split_at_checked(length as usize) else {
            self.rest = &[];
            return Some(Err(cut_off()));
        };
        self.rest = rest;
        Some(Ok(Some(cell)))
    }
}

fn cut_off() -> Fault {
    Fault::protocol("a row of the server is cut off")
}

/// Columns of a row as text.
pub fn cells(body: &[u8]) -> Result<Vec<Option<String>>, Fault> {
    let text = |cell: Option<&[u8]>| cell.map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    Cells::new(body)?.map(|cell| cell.map(text)).collect()
}

/// What an ErrorResponse says.
#[cold]
pub fn error_of(body: &[u8]) -> Fault {
    let field = |code: u8| {
        let mut fields = body.split(|&byte| byte == 0).filter(|field| field.first() == Some(&code));
        fields.next().map(|field| String::from_utf8_lossy(&field[1..]).into_owned()).unwrap_or_default()
    };
    // Severity in English whatever the server's language, from PostgreSQL 9.6 on.
    let fatal = matches!(field(b'V').as_str(), "FATAL" | "PANIC");
    let state = field(b'C');
    let cause = match state.as_str() {
        "40P01" => Cause::Deadlock,
        "40001" | "55P03" => Cause::Serialization,
        "53100" => Cause::DiskFull,
        "25006" => Cause::ReadOnly,
        "57P01" | "57P02" | "57P03" | "53300" => Cause::Closed,
        state if state.starts_with("28") => Cause::Login,
        state if state.starts_with("23") => Cause::Constraint,
        _ => Cause::Server,
    };
    let hint = match field(b'H') {
        hint if hint.is_empty() => hint,
        hint => format!(". {hint}"),
    };
    Fault { cause, message: format!("{} ({state}){hint}", field(b'M')), broken: fatal }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_found_when_whole() {
        let mut data = Vec::new();
        write_message(&mut data, b'Z', |body| body.push(b'I'));
        assert_eq!(data, [b'Z', 0, 0, 0, 5, b'I']);
        for cut in 0..data.len() {
            assert!(next_message(&data[..cut]).unwrap().is_none());
        }
        let message = next_message(&data).unwrap().unwrap();
        assert_eq!((message.kind, message.body, message.length), (b'Z', b"I".as_slice(), 6));
        assert!(next_message(b"HTTP/1.1 400").is_err());
    }

    #[test]
    fn rows_are_split() {
        let body = [0, 2, 0, 0, 0, 1, b'x', 0xFF, 0xFF, 0xFF, 0xFF];
        assert_eq!(cells(&body).unwrap(), [Some("x".to_owned()), None]);
        assert!(cells(&body[..6]).is_err());
    }

    #[test]
    fn errors_have_a_cause() {
        let fault = error_of(b"VERROR\0C40P01\0Mdeadlock detected\0\0");
        assert_eq!((fault.cause, fault.broken), (Cause::Deadlock, false));
        assert_eq!(fault.message, "deadlock detected (40P01)");
        assert!(error_of(b"VFATAL\0C57P01\0Mterminating\0\0").broken);
    }
}
