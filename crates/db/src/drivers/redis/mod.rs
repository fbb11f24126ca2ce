//! Redis, as YCSB's binding has it: one hash per record, and a sorted set of all keys by their Java hash for scans.

mod reply;

use std::sync::Arc;

use crate::caps::Caps;
use crate::driver::{Driver, Found, Reply, Request, Values};
use crate::fault::{Cause, Fault, JobError};
use crate::integrity::{java_hash, write_decimal};
use crate::outcome::Made;
use crate::ownership::{NOTE, Whose};
use crate::setup::Setup;
use crate::spec::{Data, Measure};
use crate::url::Url;
use crate::wire::{Address, Talk, Wire};

use reply::{Value, error_of, length_of, parts, read_value};

/// The sorted set of all keys.
const INDEX: &[u8] = b"_indices";
/// Beside the index: we have made it, and the records in it.
const MARKER: &[u8] = b"_indices_made_by_plimsoll";
/// Keys that could be records of ours.
const RECORDS: &[u8] = b"user[0-9]*";
/// Keys that the server looks at in one step of a search.
const SEARCHED_AT_ONCE: &[u8] = b"10000";
/// Keys that are dropped with one command.
const DROPPED_AT_ONCE: &[u8] = b"999";
/// Settings that decide what a number means.
const SETTINGS: [&str; 9] = [
    "appendonly",
    "appendfsync",
    "save",
    "maxmemory",
    "maxmemory-policy",
    "io-threads",
    "no-appendfsync-on-rewrite",
    "auto-aof-rewrite-percentage",
    "hash-max-listpack-value",
];

/// The driver.
#[derive(Debug)]
pub struct RedisDriver {
    setup: Arc<Setup>,
    url: Url,
    address: Address,
}

impl Driver for RedisDriver {
    type Session = Redis;
    const CAPS: Caps = Caps {
        name: "redis",
        description: "Redis and what speaks its protocol; one hash per record and an index, as YCSB's binding has it",
        schemes: &[("redis", 6379), ("rediss", 6379)],
        url: "redis://127.0.0.1:6379/0",
        workloads: &["ycsb"],
        counters: &["background_saves", "evicted_keys"],
        replaces: true,
        index: Some("_indices"),
        ..Caps::SERVER
    };

    fn new(setup: Arc<Setup>) -> Result<Self, JobError> {
        let url = Url::read(&setup.spec.url, Self::CAPS.schemes)?;
        url.only(&["socket"])?;
        if setup.spec.url.starts_with("rediss") && !setup.spec.encrypted() {
            return Err(JobError::spec("rediss:// is encrypted: set the TLS mode to require or verify"));
        }
        if !url.path.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(JobError::spec("the path of a Redis URL is the number of a database, such as /0"));
        }
        let address = Address::of(&url);
        Ok(Self { setup, url, address })
    }

    fn connect(&self, _client: u32) -> Result<Redis, Fault> {
        let session = self.log_in()?;
        session.wire.stop_waiting()?;
        Ok(session)
    }

    fn facts(&self) -> Result<Vec<(String, String)>, Fault> {
        let mut session = self.log_in()?;
        let mut facts = vec![("server".to_owned(), "Redis".to_owned())];
        if let Value::Text(info) = session.command(&[b"INFO", b"server"])? {
            let info = String::from_utf8_lossy(&info).into_owned();
            let lines = info.lines().filter_map(|line| line.split_once(':'));
            let wanted = lines.filter(|(name, _)| matches!(*name, "redis_version" | "valkey_version" | "redis_mode"));
            facts.extend(wanted.map(|(name, value)| (name.to_owned(), value.to_owned())));
        }
        for name in SETTINGS {
            // Hosted servers refuse CONFIG; what cannot be known is left out.
            if let Ok(Value::List(pair)) = session.command(&[b"CONFIG", b"GET", name.as_bytes()])
                && let [_, Value::Text(value)] = pair.as_slice()
            {
                facts.push((name.to_owned(), String::from_utf8_lossy(value).into_owned()));
            }
        }
        Ok(facts)
    }

    fn counters(&self) -> Result<Vec<(&'static str, u64)>, Fault> {
        let mut session = self.log_in()?;
        let Value::Text(info) = session.command(&[b"INFO", b"stats"])? else { return Ok(Vec::new()) };
        let info = String::from_utf8_lossy(&info).into_owned();
        let number = |line: &str, name: &str| line.strip_prefix(name)?.strip_prefix(':')?.parse().ok();
        // A save or a rewrite of the log is made by a copy of the process.
        let wanted = [("evicted_keys", "evicted_keys"), ("background_saves", "total_forks")];
        Ok(info
            .lines()
            .flat_map(|line| wanted.iter().filter_map(move |&(own, its)| number(line, its).map(|number| (own, number))))
            .collect())
    }

    fn rows(&self) -> Result<Option<u64>, Fault> {
        self.log_in()?.number(&[b"ZCARD", INDEX]).map(Some)
    }

    fn look(&self) -> Result<Option<Found>, Fault> {
        let mut session = self.log_in()?;
        let others = |what| Ok(Some(Found { records: 0, shape: None, whose: Whose::Others(what) }));
        let marked = match session.number(&[b"EXISTS", MARKER]) {
            Ok(there) => there > 0,
            Err(fault) if fault.broken => return Err(fault),
            // A user who may only work on the records has not made them by us.
            Err(_) => false,
        };
        match session.command(&[b"TYPE", INDEX])? {
            Value::Text(kind) if kind == b"zset" => {}
            Value::Text(kind) if kind == b"none" => {
                let free = marked || self.setup.spec.data == Data::Keep && self.setup.spec.measure() == Measure::Run;
                return if !free && session.has_records()? {
                    others("keys such as user1 are there without the index of the records, _indices")
                } else {
                    Ok(None)
                };
            }
            _ => return others("the key _indices, for the index of the records, holds something else"),
        }
        let records = session.number(&[b"ZCARD", INDEX])?;
        let first = match session.command(&[b"ZRANGE", INDEX, b"0", b"0"])? {
            Value::List(keys) => keys.into_iter().next().and_then(Value::text).unwrap_or_default(),
            _ => Vec::new(),
        };
        let names = match session.command(&[b"HKEYS", &first]) {
            Ok(Value::List(names)) => names.into_iter().filter_map(Value::text).collect(),
            Ok(_) => Vec::new(),
            Err(fault) if fault.broken => return Err(fault),
            // A key of another kind.
            Err(_) => vec![Vec::new()],
        };
        if !(marked || is_record(&first, &names)) {
            return others("the index of the records, _indices, lists keys that this workload does not make");
        }
        // Of a record that was evicted nothing is known.
        let shape = Some(names.len() as u64).filter(|&fields| fields > 0);
        let whose = if marked { Whose::Ours } else { Whose::Unmarked };
        Ok(Some(Found { records, shape, whose }))
    }

    fn create(&self) -> Result<(), Fault> {
        self.mark()
    }

    fn mark(&self) -> Result<(), Fault> {
        self.log_in()?.command(&[b"SET", MARKER, NOTE.as_bytes()]).map(drop)
    }

    fn drop_tables(&self) -> Result<(), Fault> {
        let mut session = self.log_in()?;
        if session.command(&[b"TYPE", INDEX])? != Value::Text(b"zset".to_vec()) {
            session.command(&[b"DEL", INDEX])?;
        }
        loop {
            let Value::List(keys) = session.command(&[b"ZRANGE", INDEX, b"0", DROPPED_AT_ONCE])? else {
                return Err(Fault::protocol("ZRANGE brought no list"));
            };
            if keys.is_empty() {
                return session.command(&[b"DEL", MARKER]).map(drop);
            }
            let keys: Vec<Vec<u8>> = keys.into_iter().filter_map(Value::text).collect();
            session.remove(&keys)?;
        }
    }

    fn made(&self) -> Result<Vec<Made>, Fault> {
        let mut session = self.log_in()?;
        if session.number(&[b"EXISTS", MARKER])? == 0 {
            return Ok(Vec::new());
        }
        let records = session.number(&[b"ZCARD", INDEX])?;
        Ok(vec![Made { name: String::from_utf8_lossy(INDEX).into_owned(), records, bytes: None }])
    }

    fn unmake(&self, _name: &str) -> Result<(), Fault> {
        self.drop_tables()
    }

    fn remove(&self, keys: &[Vec<u8>]) -> Result<u64, Fault> {
        self.log_in()?.remove(keys)
    }
}

impl RedisDriver {
    fn log_in(&self) -> Result<Redis, Fault> {
        #[allow(unused_mut, reason = "without TLS nothing is changed")]
        let mut wire = Wire::connect(&self.address, self.setup.wait())?;
        #[cfg(feature = "tls")]
        if self.setup.spec.encrypted() {
            wire.encrypt(&crate::tls::Trust::new(&self.setup.spec, &self.url.host)?)?;
        }
        let mut session = Redis { wire, awaited: Awaited::Acknowledgements(0), error: None };
        if let Some(password) = &self.setup.password {
            let user = if self.url.user.is_empty() { "default" } else { &self.url.user };
            let refused = |fault: Fault| Fault::broken(Cause::Login, fault.message);
            let with_user = session.command(&[b"AUTH", user.as_bytes(), password.as_bytes()]);
            // Servers before version 6 know no users.
            if let Err(fault) = with_user {
                let old =
                    self.url.user.is_empty() && !fault.broken && fault.message.contains("wrong number of arguments");
                if !old {
                    return Err(refused(fault));
                }
                session.command(&[b"AUTH", password.as_bytes()]).map_err(refused)?;
            }
        }
        if !self.url.path.is_empty() && self.url.path != "0" {
            session.command(&[b"SELECT", self.url.path.as_bytes()])?;
        }
        session.command(&[b"PING"])?;
        Ok(session)
    }
}

/// What the request in progress is waiting for.
#[derive(Debug, Clone, Copy)]
enum Awaited {
    /// So many replies without content.
    Acknowledgements(u32),
    /// Pairs of field name and value, so many times.
    Records(u32),
    /// The value of one field.
    Field(u32),
    /// Keys, whose records come next; one field or all.
    Keys(Option<u32>),
    /// The value of one field, so many times.
    Fields(u32, u32),
}

/// One connection.
#[derive(Debug)]
pub struct Redis {
    wire: Wire,
    awaited: Awaited,
    /// What the server has said against the request in progress.
    error: Option<Fault>,
}

impl Redis {
    /// Sends a command and waits for its reply.
    fn command(&mut self, words: &[&[u8]]) -> Result<Value, Fault> {
        write_words(self.wire.out(), words);
        self.wire.send()?;
        loop {
            if let Some((value, length)) = read_value(self.wire.data())? {
                self.wire.consume(length);
                return match value {
                    Value::Error(fault) => Err(fault),
                    value => Ok(value),
                };
            }
            self.wire.await_more()?;
        }
    }

    fn number(&mut self, words: &[&[u8]]) -> Result<u64, Fault> {
        match self.command(words)? {
            Value::Number(number) => Ok(number.max(0) as u64),
            _ => Err(Fault::protocol("no number came back")),
        }
    }

    fn remove(&mut self, keys: &[Vec<u8>]) -> Result<u64, Fault> {
        let list = |first: &[&'static [u8]]| -> Vec<Vec<u8>> {
            first.iter().map(|word| word.to_vec()).chain(keys.iter().cloned()).collect()
        };
        let mut run = |words: Vec<Vec<u8>>| self.number(&words.iter().map(Vec::as_slice).collect::<Vec<_>>());
        // In this order nothing is left without an entry in the index when it is cut off in between.
        let removed = run(list(&[b"DEL"]))?;
        run(list(&[b"ZREM", INDEX]))?;
        Ok(removed)
    }

    /// A key is there that could be a record of ours.
    fn has_records(&mut self) -> Result<bool, Fault> {
        let mut cursor = b"0".to_vec();
        loop {
            let words: [&[u8]; 6] = [b"SCAN", &cursor, b"MATCH", RECORDS, b"COUNT", SEARCHED_AT_ONCE];
            let Value::List(mut answer) = self.command(&words)? else {
                return Err(Fault::protocol("SCAN brought no list"));
            };
            let (keys, next) = (answer.pop(), answer.pop().and_then(Value::text).unwrap_or_default());
            if matches!(keys, Some(Value::List(keys)) if !keys.is_empty()) {
                return Ok(true);
            }
            if next == b"0" || next.is_empty() {
                return Ok(false);
            }
            cursor = next;
        }
    }

    /// The request is over, well or not.
    #[inline]
    fn over(&mut self) -> Result<bool, Fault> {
        self.error.take().map_or(Ok(true), Err)
    }
}

/// A key and the names of its fields are those of a record.
fn is_record(key: &[u8], names: &[Vec<u8>]) -> bool {
    let numbered = |name: &[u8], word: &[u8]| {
        name.strip_prefix(word).is_some_and(|digits| !digits.is_empty() && digits.iter().all(u8::is_ascii_digit))
    };
    numbered(key, b"user") && names.iter().all(|name| numbered(name, b"field"))
}

impl Talk for Redis {
    fn wire(&mut self) -> &mut Wire {
        &mut self.wire
    }

    #[inline]
    fn write(&mut self, request: &Request<'_>, reply: &mut Reply) -> Result<(), Fault> {
        let out = self.wire.out();
        self.awaited = match *request {
            Request::Read { key, field: None } => {
                ask_for_record(out, key);
                Awaited::Records(1)
            }
            Request::Read { key, field: Some(field) } => {
                ask_for_field(out, key, field);
                Awaited::Field(field)
            }
            Request::Update { key, values } => {
                reply.bytes += values.size();
                // The reply does not tell whether there was such a record.
                reply.row();
                write_record(out, key, values);
                Awaited::Acknowledgements(1)
            }
            Request::Insert { key, values } => {
                reply.bytes += values.size();
                reply.row();
                write_record(out, key, values);
                write_head(out, 4);
                [b"ZADD".as_slice(), INDEX].iter().for_each(|word| write_word(out, word));
                write_score(out, key);
                write_word(out, key);
                Awaited::Acknowledgements(2)
            }
            Request::Scan { key, count, field } => {
                write_head(out, 7);
                [b"ZRANGEBYSCORE".as_slice(), INDEX].iter().for_each(|word| write_word(out, word));
                write_score(out, key);
                [b"+inf".as_slice(), b"LIMIT", b"0"].iter().for_each(|word| write_word(out, word));
                write_number_word(out, u64::from(count), false);
                Awaited::Keys(field)
            }
            Request::Statement(..) | Request::Get => return Err(Fault::protocol("not a request of YCSB")),
        };
        Ok(())
    }

    #[inline]
    fn take(&mut self, reply: &mut Reply) -> Result<bool, Fault> {
        loop {
            let data = self.wire.data();
            let Some(length) = length_of(data)? else { return Ok(false) };
            let whole = &data[..length];
            if whole[0] == b'-' {
                self.error = Some(error_of(whole));
                // Of a scan, nothing else comes.
                if let Awaited::Keys(_) = self.awaited {
                    self.awaited = Awaited::Acknowledgements(1);
                }
            }
            let (left, next) = match self.awaited {
                Awaited::Acknowledgements(left) => (left - 1, Awaited::Acknowledgements(left - 1)),
                Awaited::Records(left) => {
                    take_record(whole, reply);
                    (left - 1, Awaited::Records(left - 1))
                }
                Awaited::Field(field) => {
                    take_field(whole, field, reply);
                    (0, Awaited::Field(field))
                }
                Awaited::Fields(left, field) => {
                    take_field(whole, field, reply);
                    (left - 1, Awaited::Fields(left - 1, field))
                }
                Awaited::Keys(field) => {
                    let mut asked = Vec::new();
                    let count = ask_for_all(&mut asked, whole, field);
                    self.wire.consume(length);
                    self.wire.out().extend_from_slice(&asked);
                    self.wire.send()?;
                    self.awaited = field.map_or(Awaited::Records(count), |field| Awaited::Fields(count, field));
                    if count == 0 {
                        return self.over();
                    }
                    continue;
                }
            };
            self.awaited = next;
            self.wire.consume(length);
            if left == 0 {
                return self.over();
            }
        }
    }
}

fn take_record(whole: &[u8], reply: &mut Reply) {
    let mut cells = parts(whole);
    let mut any = false;
    while let (Some(name), Some(value)) = (cells.next(), cells.next()) {
        any = true;
        // "field7"
        let digits = name.unwrap_or_default().get(5..).unwrap_or_default();
        let field = digits.iter().fold(0u32, |sum, digit| sum.wrapping_mul(10).wrapping_add(u32::from(digit & 15)));
        reply.field(field, value.unwrap_or_default());
    }
    if any {
        reply.row();
    }
}

fn take_field(whole: &[u8], field: u32, reply: &mut Reply) {
    if let Some(Some(value)) = parts(whole).next() {
        reply.row();
        reply.field(field, value);
    }
}

/// Asks for the records of all keys in a list; how many there are.
fn ask_for_all(out: &mut Vec<u8>, list: &[u8], field: Option<u32>) -> u32 {
    let mut count = 0;
    for key in parts(list).flatten() {
        match field {
            Some(field) => ask_for_field(out, key, field),
            None => ask_for_record(out, key),
        }
        count += 1;
    }
    count
}

#[inline]
fn ask_for_record(out: &mut Vec<u8>, key: &[u8]) {
    out.extend_from_slice(b"*2\r\n$7\r\nHGETALL\r\n");
    write_word(out, key);
}

fn ask_for_field(out: &mut Vec<u8>, key: &[u8], field: u32) {
    out.extend_from_slice(b"*3\r\n$5\r\nHMGET\r\n");
    write_word(out, key);
    write_name(out, field);
}

#[inline]
fn write_record(out: &mut Vec<u8>, key: &[u8], values: &Values) {
    write_head(out, 2 + 2 * values.len() as u64);
    out.extend_from_slice(b"$5\r\nHMSET\r\n");
    write_word(out, key);
    for (field, value) in values.iter() {
        write_name(out, field);
        write_word(out, value);
    }
}

/// The score of a key in the index.
fn write_score(out: &mut Vec<u8>, key: &[u8]) {
    let hash = java_hash(key);
    write_number_word(out, u64::from(hash.unsigned_abs()), hash < 0);
}

fn write_number_word(out: &mut Vec<u8>, number: u64, negative: bool) {
    let digits = number.checked_ilog10().unwrap_or(0) + 1 + u32::from(negative);
    out.push(b'$');
    write_decimal(out, u64::from(digits));
    out.extend_from_slice(b"\r\n");
    if negative {
        out.push(b'-');
    }
    write_decimal(out, number);
    out.extend_from_slice(b"\r\n");
}

/// `field7`
#[inline]
fn write_name(out: &mut Vec<u8>, field: u32) {
    if field < 10 {
        out.extend_from_slice(b"$6\r\nfield");
    } else {
        out.push(b'$');
        write_decimal(out, u64::from(6 + field.ilog10()));
        out.extend_from_slice(b"\r\nfield");
    }
    write_decimal(out, u64::from(field));
    out.extend_from_slice(b"\r\n");
}

#[inline]
fn write_head(out: &mut Vec<u8>, words: u64) {
    out.push(b'*');
    write_decimal(out, words);
    out.extend_from_slice(b"\r\n");
}

#[inline]
fn write_word(out: &mut Vec<u8>, word: &[u8]) {
    out.push(b'$');
    write_decimal(out, word.len() as u64);
    out.extend_from_slice(b"\r\n");
    out.extend_from_slice(word);
    out.extend_from_slice(b"\r\n");
}

fn write_words(out: &mut Vec<u8>, words: &[&[u8]]) {
    write_head(out, words.len() as u64);
    words.iter().for_each(|word| write_word(out, word));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_those_of_the_protocol() {
        let mut out = Vec::new();
        ask_for_field(&mut out, b"user1", 12);
        assert_eq!(out, b"*3\r\n$5\r\nHMGET\r\n$5\r\nuser1\r\n$7\r\nfield12\r\n");
        let mut values = Values::default();
        values.begin(3);
        values.push(|buffer| buffer.extend_from_slice(b"abc"));
        out.clear();
        write_record(&mut out, b"user1", &values);
        assert_eq!(out, b"*4\r\n$5\r\nHMSET\r\n$5\r\nuser1\r\n$6\r\nfield3\r\n$3\r\nabc\r\n");
        out.clear();
        // `"user6284781860667377211".hashCode()`, computed apart from Java's definition.
        write_score(&mut out, b"user6284781860667377211");
        assert_eq!(out, b"$10\r\n-594971599\r\n");
    }

    #[test]
    fn records_are_read() {
        let mut reply = Reply::default();
        take_record(b"*4\r\n$6\r\nfield3\r\n$3\r\nabc\r\n$7\r\nfield12\r\n$2\r\nde\r\n", &mut reply);
        assert_eq!((reply.rows, reply.fields, reply.bytes), (1, 2, 5));
        reply.begin();
        take_record(b"*0\r\n", &mut reply);
        assert_eq!(reply.rows, 0);
        take_field(b"*1\r\n$-1\r\n", 3, &mut reply);
        assert_eq!(reply.rows, 0);
    }
}
