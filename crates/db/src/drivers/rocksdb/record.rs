//! A record as YCSB's RocksDB binding writes it: for each field the length of its name, the name, the length of its value,
//! the value; lengths in four bytes, high end first.

use crate::driver::{Reply, Values};
use crate::fault::{Cause, Fault};
use crate::integrity::write_decimal;

const NAME: &[u8] = b"field";

/// Fields of a record: number, and where its value lies.
struct Fields<'a> {
    record: &'a [u8],
    at: usize,
}

/// One of them.
struct Field {
    /// Nothing when its name is not one of ours.
    number: Option<u32>,
    start: usize,
    end: usize,
}

impl Fields<'_> {
    /// The next length and what it is the length of.
    fn part(&mut self) -> Option<(usize, usize)> {
        let length = self.record.get(self.at..self.at + 4)?;
        let start = self.at + 4;
        let end = start + u32::from_be_bytes(length.try_into().ok()?) as usize;
        self.at = end;
        (end <= self.record.len()).then_some((start, end))
    }

    #[inline]
    fn next(&mut self) -> Result<Option<Field>, Fault> {
        if self.at == self.record.len() {
            return Ok(None);
        }
        let field = self.part().and_then(|name| Some((name, self.part()?)));
        let Some((name, (start, end))) = field else {
            return Err(Fault::refused(
                Cause::Protocol,
                "a record of the table is not one of YCSB's: use another table",
            ));
        };
        Ok(Some(Field { number: number_of(&self.record[name.0..name.1]), start, end }))
    }
}

fn number_of(name: &[u8]) -> Option<u32> {
    std::str::from_utf8(name.strip_prefix(NAME)?).ok()?.parse().ok()
}

/// Number of fields.
pub fn count(record: &[u8]) -> Result<u64, Fault> {
    let mut fields = Fields { record, at: 0 };
    let mut count = 0;
    while fields.next()?.is_some() {
        count += 1;
    }
    Ok(count)
}

/// Reports a record, or one field of it.
#[inline]
pub fn take(record: &[u8], wanted: Option<u32>, reply: &mut Reply) -> Result<(), Fault> {
    reply.row();
    let mut fields = Fields { record, at: 0 };
    while let Some(Field { number, start, end }) = fields.next()? {
        if let Some(number) = number.filter(|&number| wanted.is_none_or(|wanted| wanted == number)) {
            reply.field(number, &record[start..end]);
        }
    }
    Ok(())
}

/// Appends all fields of a new record.
pub fn write(values: &Values, out: &mut Vec<u8>) {
    values.iter().for_each(|(field, value)| write_field(field, value, out));
}

/// Appends a record with some of its values replaced.
pub fn write_changed(record: &[u8], values: &Values, out: &mut Vec<u8>) -> Result<(), Fault> {
    let mut fields = Fields { record, at: 0 };
    let mut begin = 0;
    while let Some(Field { number, start, end }) = fields.next()? {
        let new = number.and_then(|number| values.iter().find(|(field, _)| *field == number));
        match new {
            Some((field, value)) => write_field(field, value, out),
            None => out.extend_from_slice(&record[begin..end]),
        }
        debug_assert!(begin < start);
        begin = end;
    }
    Ok(())
}

fn write_field(field: u32, value: &[u8], out: &mut Vec<u8>) {
    let digits = field.checked_ilog10().unwrap_or(0) + 1;
    out.extend_from_slice(&(NAME.len() as u32 + digits).to_be_bytes());
    out.extend_from_slice(NAME);
    write_decimal(out, u64::from(field));
    out.extend_from_slice(&(value.len() as u32).to_be_bytes());
    out.extend_from_slice(value);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(first: u32, texts: &[&str]) -> Values {
        let mut values = Values::default();
        values.begin(first);
        texts.iter().for_each(|text| values.push(|buffer| buffer.extend_from_slice(text.as_bytes())));
        values
    }

    #[test]
    fn the_layout_is_that_of_ycsb() {
        let mut record = Vec::new();
        write(&values(9, &["abc", ""]), &mut record);
        assert_eq!(record, b"\0\0\0\x06field9\0\0\0\x03abc\0\0\0\x07field10\0\0\0\0");
        assert_eq!(count(&record), Ok(2));
    }

    #[test]
    fn changed_fields_stay_in_their_place_and_others_as_they_are() {
        let (mut record, mut changed, mut expected) = (Vec::new(), Vec::new(), Vec::new());
        write(&values(0, &["a", "bb", "ccc"]), &mut record);
        write_changed(&record, &values(1, &["longer"]), &mut changed).unwrap();
        write(&values(0, &["a", "longer", "ccc"]), &mut expected);
        assert_eq!(changed, expected);
        let mut reply = Reply::default();
        take(&changed, Some(1), &mut reply).unwrap();
        assert_eq!((reply.rows, reply.fields, reply.bytes), (1, 1, 6));
        take(&changed, None, &mut reply).unwrap();
        assert_eq!((reply.rows, reply.fields, reply.bytes), (2, 4, 16));
    }

    #[test]
    fn what_is_no_record_is_refused() {
        for text in [b"abc".as_slice(), b"\0\0\0\x09abc", b"\0\0\0\x01a\0\0\0\x09b", b"\xff\xff\xff\xff"] {
            assert!(count(text).is_err(), "{text:?}");
        }
        assert_eq!(count(b""), Ok(0));
    }
}
