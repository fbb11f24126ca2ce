//! Records by number: a table that finds the number of a key, the keys, the values.
//!
//! A lookup touches the table and the keys only, which are small; where the values lie follows from the number. Values of
//! the first record's lengths, which is what YCSB has by default, lie side by side. A record with other lengths has its
//! values elsewhere.

use std::collections::HashMap;

use foldhash::fast::FixedState;

use super::table::Table;
use crate::driver::{Reply, Values};

/// Keys up to here lie side by side, so that comparing them costs no other memory access.
const SHORT: usize = 30;
/// A line of the cache.
const LINE: usize = 64;
/// A large page.
const PAGE: usize = 1 << 21;

/// A key, short or long.
#[derive(Debug)]
enum Key {
    Short(u8, [u8; SHORT]),
    Long(Box<[u8]>),
}

impl Key {
    fn new(key: &[u8]) -> Self {
        let mut bytes = [0; SHORT];
        match bytes.get_mut(..key.len()) {
            Some(room) => {
                room.copy_from_slice(key);
                Self::Short(key.len() as u8, bytes)
            }
            None => Self::Long(key.into()),
        }
    }

    #[inline]
    fn bytes(&self) -> &[u8] {
        match self {
            Self::Short(length, bytes) => &bytes[..usize::from(*length)],
            Self::Long(bytes) => bytes,
        }
    }
}

/// Some records.
#[derive(Debug, Default)]
pub struct Rows {
    table: Table,
    keys: Vec<Key>,
    /// Fields of a record.
    fields: usize,
    /// Length of each value in `values`; 0 before there is one, and when the first record's values differ in length.
    length: usize,
    values: Vec<u8>,
    /// Values of records with other lengths.
    odd: HashMap<u32, Vec<Box<[u8]>>, FixedState>,
    /// Numbers of removed records.
    free: Vec<u32>,
    /// Records that room is made for when their length is known.
    expected: usize,
}

impl Rows {
    /// For about so many records.
    pub fn with_room(records: usize) -> Self {
        Self { expected: records, ..Self::default() }
    }

    /// The number of a record.
    #[inline]
    pub fn find(&self, hash: u64, key: &[u8]) -> Option<u32> {
        self.table.find(hash, |row| self.is(row, key))
    }

    /// The record has this key.
    #[inline]
    pub fn is(&self, row: u32, key: &[u8]) -> bool {
        same(self.keys[row as usize].bytes(), key)
    }

    /// Has the place in the table brought near where a record's number is looked for.
    #[inline]
    pub fn expect(&self, hash: u64) {
        bring_near(self.table.first(hash));
    }

    /// Finds a record whose hash is alike, and has its key and the field that is written brought near.
    #[inline]
    pub fn expect_row(&self, hash: u64, written: Option<u32>) -> Option<u32> {
        let row = self.table.find(hash, |_| true)?;
        bring_near(self.keys.get(row as usize));
        // Which operations write is chance: a branch would be guessed wrong every other time. Those that do not bring the
        // first value near, which is always there.
        let place = (row as usize * self.fields + written.unwrap_or(0) as usize) * self.length;
        let start = place * usize::from(written.is_some());
        bring_near(self.values.get(start));
        bring_near(self.values.get(start + self.length.min(LINE)));
        Some(row)
    }

    /// Reports all values of a record.
    #[inline]
    pub fn read(&self, row: u32, reply: &mut Reply) {
        match self.apart(row) {
            None => reply.fields(self.fields as u32, self.even(row)),
            Some(values) => (0..).zip(values).for_each(|(field, value)| reply.field(field, value)),
        }
    }

    /// One value of a record; nothing for a field that it does not have.
    #[inline]
    pub fn value(&self, row: u32, field: usize) -> &[u8] {
        match self.apart(row) {
            None if field < self.fields => &self.even(row)[field * self.length..][..self.length],
            Some(values) => values.get(field).map_or(&[], |value| value),
            None => &[],
        }
    }

    /// Replaces one value of a record.
    #[inline]
    pub fn set(&mut self, row: u32, field: usize, value: &[u8]) {
        if field >= self.fields {
            return;
        }
        if value.len() == self.length && self.apart(row).is_none() {
            let start = (row as usize * self.fields + field) * self.length;
            self.values[start..start + self.length].copy_from_slice(value);
        } else {
            self.set_apart(row, field, value);
        }
    }

    #[cold]
    fn set_apart(&mut self, row: u32, field: usize, value: &[u8]) {
        if self.apart(row).is_none() {
            let values = (0..self.fields).map(|field| self.value(row, field).into()).collect();
            self.odd.insert(row, values);
        }
        if let Some(old) = self.odd.get_mut(&row).and_then(|values| values.get_mut(field)) {
            *old = value.into();
        }
    }

    /// Adds a record that is not there yet.
    pub fn insert(&mut self, hash: u64, key: &[u8], values: &Values, rehash: impl Fn(&[u8]) -> u64) {
        let lengths_are = |length| values.iter().all(|(_, value)| value.len() == length);
        if self.keys.is_empty() {
            let length = values.iter().next().map_or(0, |(_, value)| value.len());
            self.fields = values.len();
            self.length = if lengths_are(length) { length } else { 0 };
            make_room(&mut self.keys, self.expected);
            make_room(&mut self.values, self.expected.saturating_mul(self.fields * self.length));
        }
        let row = self.free.pop().unwrap_or(self.keys.len() as u32);
        let size = self.fields * self.length;
        if row as usize == self.keys.len() {
            self.keys.push(Key::new(key));
            self.values.resize(self.keys.len() * size, 0);
        } else {
            self.keys[row as usize] = Key::new(key);
        }
        if self.length > 0 && values.len() == self.fields && lengths_are(self.length) {
            (0..).zip(values.iter()).for_each(|(field, (_, value))| self.set(row, field, value));
        } else {
            self.odd.insert(row, values.iter().map(|(_, value)| value.into()).collect());
        }
        self.table.insert(hash, row, |row| rehash(self.keys[row as usize].bytes()));
    }

    /// Removes a record and says whether it was there.
    pub fn remove(&mut self, hash: u64, key: &[u8], rehash: impl Fn(&[u8]) -> u64) -> bool {
        let key_of = |row: u32| self.keys[row as usize].bytes();
        let Some(row) = self.table.remove(hash, |row| key_of(row) == key, |row| rehash(key_of(row))) else {
            return false;
        };
        self.odd.remove(&row);
        self.free.push(row);
        true
    }

    #[inline]
    fn apart(&self, row: u32) -> Option<&Vec<Box<[u8]>>> {
        if self.odd.is_empty() { None } else { self.odd.get(&row) }
    }

    #[inline]
    fn even(&self, row: u32) -> &[u8] {
        let size = self.fields * self.length;
        &self.values[row as usize * size..][..size]
    }
}

/// The same bytes. Keys as YCSB writes them take two comparisons of 16, which may overlap.
#[inline]
fn same(one: &[u8], other: &[u8]) -> bool {
    if one.len() != other.len() {
        return false;
    }
    match (one.first_chunk::<16>(), one.last_chunk::<16>(), other.first_chunk::<16>(), other.last_chunk::<16>()) {
        (Some(first), Some(last), Some(other_first), Some(other_last)) if one.len() <= 32 => {
            (u128::from_ne_bytes(*first) ^ u128::from_ne_bytes(*other_first))
                | (u128::from_ne_bytes(*last) ^ u128::from_ne_bytes(*other_last))
                == 0
        }
        _ => one == other,
    }
}

/// Room in large pages, as far as the system has them: a page table for small ones would not fit into a cache either.
fn make_room<T>(list: &mut Vec<T>, count: usize) {
    // More than there can be is found out when it is filled.
    if list.try_reserve_exact(count).is_err() {
        return;
    }
    let room: *mut libc::c_void = list.as_mut_ptr().cast();
    let (start, end) = (room.addr(), room.addr() + list.capacity() * size_of::<T>());
    let (first, last) = (start.next_multiple_of(PAGE), end / PAGE * PAGE);
    if first < last {
        // SAFETY: the pages lie inside of the list's own room, and the advice changes no contents.
        unsafe { libc::madvise(room.byte_add(first - start), last - first, libc::MADV_HUGEPAGE) };
    }
}

/// Starts to load a line of the cache that will be needed soon.
#[inline]
fn bring_near<T>(place: Option<&T>) {
    #[cfg(target_arch = "x86_64")]
    if let Some(place) = place {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a prefetch changes nothing, whatever the address.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(place).cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = place;
}

#[cfg(test)]
mod tests {
    use std::hash::BuildHasher;

    use super::*;
    use crate::integrity::Checker;

    fn written(fields: &[&str]) -> Values {
        let mut values = Values::default();
        values.begin(0);
        fields.iter().for_each(|field| values.push(|buffer| buffer.extend_from_slice(field.as_bytes())));
        values
    }

    fn hash(key: &[u8]) -> u64 {
        FixedState::default().hash_one(key)
    }

    fn insert(rows: &mut Rows, key: &str, fields: &[&str]) {
        rows.insert(hash(key.as_bytes()), key.as_bytes(), &written(fields), hash);
    }

    fn read(rows: &Rows, key: &str) -> Option<Vec<String>> {
        let row = rows.find(hash(key.as_bytes()), key.as_bytes())?;
        let mut reply = Reply::default();
        rows.read(row, &mut reply);
        let values: Vec<String> =
            (0..reply.fields as usize).map(|field| String::from_utf8_lossy(rows.value(row, field)).into()).collect();
        assert_eq!(reply.bytes, values.iter().map(|value| value.len() as u64).sum::<u64>());
        Some(values)
    }

    fn set(rows: &mut Rows, key: &str, field: usize, value: &str) {
        let row = rows.find(hash(key.as_bytes()), key.as_bytes()).expect("it is there");
        rows.set(row, field, value.as_bytes());
    }

    #[test]
    fn values_of_one_length_and_of_many_are_the_same_record() {
        let mut rows = Rows::default();
        insert(&mut rows, "a", &["ab", "cd", "ef"]);
        insert(&mut rows, "b", &["gh", "ij", "kl"]);
        set(&mut rows, "a", 1, "XY");
        assert_eq!((read(&rows, "a").unwrap(), rows.odd.len()), (vec!["ab".into(), "XY".into(), "ef".into()], 0));
        set(&mut rows, "a", 0, "longer");
        assert_eq!((read(&rows, "a").unwrap(), rows.odd.len()), (vec!["longer".into(), "XY".into(), "ef".into()], 1));
        set(&mut rows, "a", 2, "");
        set(&mut rows, "a", 7, "none");
        set(&mut rows, "a", 1, "zz");
        assert_eq!(read(&rows, "a").unwrap(), ["longer", "zz", ""]);
        assert_eq!(rows.value(0, 7), b"");
        assert_eq!(read(&rows, "b").unwrap(), ["gh", "ij", "kl"], "the neighbour is as it was");
    }

    #[test]
    fn records_of_any_shape_come_and_go() {
        for first in [["a", "b"], ["longer", "b"], ["", ""]] {
            let mut rows = Rows::default();
            insert(&mut rows, "first", &first);
            let long = "key ".repeat(20);
            insert(&mut rows, &long, &["x", "y"]);
            insert(&mut rows, "more", &["1", "2", "3"]);
            insert(&mut rows, "none", &[]);
            assert!(rows.remove(hash(b"first"), b"first", hash) && !rows.remove(hash(b"first"), b"first", hash));
            assert_eq!(read(&rows, "first"), None);
            insert(&mut rows, "again", &["p", "qq"]);
            insert(&mut rows, "other", &["r", "s"]);
            assert_eq!(rows.keys.len(), 5, "the number of the removed record is used again");
            let all = [read(&rows, &long), read(&rows, "more"), read(&rows, "again"), read(&rows, "other")];
            assert_eq!(all.map(|values| values.unwrap().join(" ")), ["x y", "1 2 3", "p qq", "r s"]);
            assert_eq!(read(&rows, "none").unwrap(), Vec::<String>::new());
        }
    }

    #[test]
    fn values_side_by_side_are_checked_one_by_one() {
        let (mut rows, mut buffer) = (Rows::default(), Values::default());
        buffer.begin(0);
        for field in 0..4 {
            buffer.push(|bytes| crate::integrity::write_value(bytes, b"user7", field, 25));
        }
        rows.insert(hash(b"user7"), b"user7", &buffer, hash);
        let mut checker = Checker::new(25);
        checker.expect(b"user7");
        let mut reply = Reply { checker: Some(Box::new(checker)), ..Reply::default() };
        rows.read(0, &mut reply);
        assert_eq!((reply.fields, reply.bytes, reply.wrong), (4, 100, 0));
        rows.set(0, 2, &[b'?'; 25]);
        reply.begin();
        rows.read(0, &mut reply);
        assert_eq!((reply.fields, reply.wrong), (4, 1));
    }

    #[test]
    fn keys_side_by_side_lie_two_to_a_line() {
        assert_eq!(size_of::<Key>(), 32);
    }
}
