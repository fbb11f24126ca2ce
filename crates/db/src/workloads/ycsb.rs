//! YCSB's core workload.

use std::sync::Arc;

use plimsoll_core::random::{Purpose, Stream};

use super::Operation;
use crate::driver::{Request, Values};
use crate::integrity::write_value;
use crate::keyspace::{Chooser, Keys, Length, Shared, write_random};
use crate::recorder::OpKinds;
use crate::spec::Ycsb;

const READ: usize = 0;
const UPDATE: usize = 1;
pub const INSERT: usize = 2;
const SCAN: usize = 3;
const READ_MODIFY_WRITE: usize = 4;
const RMW_READ: usize = 5;
const RMW_UPDATE: usize = 6;
const NAMES: &[&str] = &["read", "update", "insert", "scan", "read_modify_write", "rmw_read", "rmw_update"];

/// What the shares of a workload count.
pub fn kinds(ycsb: &Ycsb) -> OpKinds {
    let mut used = 0;
    for (kind, share) in ycsb.shares().into_iter().enumerate() {
        used |= u32::from(share > 0.0) << kind;
    }
    if used >> READ_MODIFY_WRITE & 1 == 1 {
        used |= 1 << RMW_READ | 1 << RMW_UPDATE;
    }
    OpKinds { names: NAMES, whole: RMW_READ, used, open: false }
}

/// The half of a read-modify-write.
#[inline]
pub fn part(operation: &Operation) -> usize {
    if operation.step == 0 { RMW_READ } else { RMW_UPDATE }
}

/// Makes values.
#[derive(Debug)]
pub struct Fields {
    count: u32,
    length: Length,
    integrity: bool,
    lengths: Stream,
    content: Stream,
    pub values: Values,
}

impl Fields {
    /// Lengths follow from `seed`, content from `seed` and `run`.
    pub fn new(ycsb: &Ycsb, seed: u64, run: u64, thread: u32) -> Self {
        let (min, max) = (u64::from(ycsb.field_length_min), u64::from(ycsb.field_length));
        Self {
            count: ycsb.fields,
            length: Length::new(ycsb.field_length_distribution, min, max),
            integrity: ycsb.data_integrity,
            lengths: Stream::new(seed, thread, Purpose::Size),
            content: Stream::new(seed ^ run, thread, Purpose::Content),
            values: Values::default(),
        }
    }

    /// Values of all fields.
    pub fn write_all(&mut self, key: &[u8]) {
        self.values.begin(0);
        (0..self.count).for_each(|field| self.push(key, field));
    }

    /// The value of one field.
    #[inline]
    pub fn write_one(&mut self, key: &[u8], field: u32) {
        self.values.begin(field);
        self.push(key, field);
    }

    #[inline]
    fn push(&mut self, key: &[u8], field: u32) {
        let length = self.length.draw(&mut self.lengths) as usize;
        if self.integrity {
            self.values.push(|buffer| write_value(buffer, key, field, length));
        } else {
            self.values.push(|buffer| write_random(buffer, length, &mut self.content));
        }
    }
}

/// One thread's part.
#[derive(Debug)]
pub struct Core {
    keys: Keys,
    chooser: Chooser,
    shared: Arc<Shared>,
    fields: Fields,
    scan: Length,
    /// Upper ends of the shares of the kinds in the unit interval.
    bounds: [f64; 5],
    read_all: bool,
    write_all: bool,
    operation: Stream,
    choice: Stream,
    other: Stream,
    /// What comes next, where it can be known.
    coming: Option<Box<Coming>>,
    key: Key,
}

/// Operations drawn ahead, several at a time: the processor works on their chains of multiplications side by side.
#[derive(Debug)]
struct Coming {
    /// A ring; between `BATCH` and twice as many of it are still to come.
    operations: [Operation; 2 * BATCH],
    /// The next one.
    at: usize,
    /// Their keys.
    keys: [Key; 2 * BATCH],
}

/// Operations that are drawn at a time.
const BATCH: usize = 8;

/// A record's key, written once.
#[derive(Debug)]
struct Key {
    record: Option<u64>,
    bytes: Vec<u8>,
}

impl Key {
    fn new() -> Self {
        Self { record: None, bytes: Vec::with_capacity(64) }
    }

    #[inline]
    fn write(&mut self, keys: Keys, record: u64) -> &[u8] {
        if self.record != Some(record) {
            keys.write(record, &mut self.bytes);
            self.record = Some(record);
        }
        &self.bytes
    }

    /// As `std::mem::swap`, whose loop over more than two words is a call where a crate is compiled in parts.
    #[inline]
    fn exchange(&mut self, other: &mut Self) {
        (self.record, other.record) = (other.record, self.record);
        let bytes = std::mem::take(&mut self.bytes);
        self.bytes = std::mem::replace(&mut other.bytes, bytes);
    }
}

impl Core {
    pub fn new(ycsb: &Ycsb, operations: u64, seed: u64, thread: u32, shared: Arc<Shared>) -> Self {
        let shares = ycsb.shares();
        let total: f64 = shares.iter().sum();
        let mut sum = 0.0;
        let bounds = shares.map(|share| {
            sum += share / total;
            // Whatever rounding leaves over belongs to the last kind that can happen, not to one that cannot.
            if sum > 1.0 - 1e-9 { 1.0 } else { sum }
        });
        let chooser = Chooser::new(ycsb, operations, Arc::clone(&shared));
        let looks_ahead = ycsb.insert == 0.0 && chooser.is_steady();
        let mut core = Self {
            keys: Keys::new(ycsb),
            chooser,
            fields: Fields::new(ycsb, seed, shared.run, thread),
            shared,
            scan: Length::new(ycsb.scan_length_distribution, ycsb.scan_length_min, ycsb.scan_length_max),
            bounds,
            read_all: ycsb.read_all_fields,
            write_all: ycsb.write_all_fields,
            operation: Stream::new(seed, thread, Purpose::Kind),
            choice: Stream::new(seed, thread, Purpose::Offset),
            other: Stream::new(seed, thread, Purpose::Follow),
            coming: None,
            key: Key::new(),
        };
        if looks_ahead {
            let (operations, keys) = (Default::default(), std::array::from_fn(|_| Key::new()));
            let mut coming = Box::new(Coming { operations, keys, at: 0 });
            [0, BATCH].into_iter().for_each(|from| core.choose_batch(&mut coming, from));
            core.coming = Some(coming);
        }
        core
    }

    #[inline]
    pub fn draw(&mut self, operation: &mut Operation) {
        let Some(coming) = &mut self.coming else {
            *operation = self.choose();
            return;
        };
        *operation = coming.operations[coming.at];
        self.key.exchange(&mut coming.keys[coming.at]);
        coming.at = (coming.at + 1) % coming.operations.len();
        if coming.at % BATCH == 0 {
            self.draw_ahead();
        }
    }

    /// The batch that is furthest ahead.
    fn draw_ahead(&mut self) {
        if let Some(mut coming) = self.coming.take() {
            let from = (coming.at + BATCH) % coming.operations.len();
            self.choose_batch(&mut coming, from);
            self.coming = Some(coming);
        }
    }

    fn choose_batch(&mut self, coming: &mut Coming, from: usize) {
        let records: [u64; BATCH] = self.chooser.draw_each(&mut self.choice);
        let room = coming.operations[from..].iter_mut().zip(&mut coming.keys[from..]);
        for (record, (operation, key)) in records.into_iter().zip(room) {
            let kind = self.kind();
            *operation = self.operation(kind, record);
            key.write(self.keys, record);
        }
    }

    #[inline]
    fn choose(&mut self) -> Operation {
        let kind = self.kind();
        let record = if kind == INSERT { self.shared.records.next() } else { self.chooser.draw(&mut self.choice) };
        self.operation(kind, record)
    }

    #[inline]
    fn kind(&mut self) -> usize {
        let u = self.operation.unit();
        // No branch that depends on chance: `bounds` rises, and its last is 1.
        self.bounds.iter().map(|&bound| usize::from(u >= bound)).sum()
    }

    #[inline]
    fn operation(&mut self, kind: usize, record: u64) -> Operation {
        Operation {
            kind,
            steps: if kind == READ_MODIFY_WRITE { 2 } else { 1 },
            record,
            field: if self.read_all { None } else { Some(self.any_field()) },
            scan: if kind == SCAN { self.scan.draw(&mut self.other) as u32 } else { 0 },
            written: if matches!(kind, UPDATE | READ_MODIFY_WRITE) && !self.write_all { self.any_field() } else { 0 },
            ..Operation::default()
        }
    }

    fn any_field(&mut self) -> u32 {
        self.other.below(u64::from(self.fields.count)) as u32
    }

    #[inline]
    pub fn request(&mut self, operation: &Operation) -> Request<'_> {
        self.key.write(self.keys, operation.record);
        match operation.kind {
            READ_MODIFY_WRITE if operation.step == 0 => Request::Read { key: &self.key.bytes, field: operation.field },
            UPDATE | READ_MODIFY_WRITE => {
                if self.write_all {
                    self.fields.write_all(&self.key.bytes);
                } else {
                    self.fields.write_one(&self.key.bytes, operation.written);
                }
                Request::Update { key: &self.key.bytes, values: &self.fields.values }
            }
            INSERT => {
                self.fields.write_all(&self.key.bytes);
                Request::Insert { key: &self.key.bytes, values: &self.fields.values }
            }
            SCAN => Request::Scan { key: &self.key.bytes, count: operation.scan, field: operation.field },
            _ => Request::Read { key: &self.key.bytes, field: operation.field },
        }
    }

    /// The step reads values that can be checked.
    pub fn is_checked(&self, operation: &Operation) -> bool {
        self.fields.integrity && operation.step == 0 && matches!(operation.kind, READ | READ_MODIFY_WRITE)
    }

    pub fn key(&mut self, record: u64) -> &[u8] {
        self.key.write(self.keys, record)
    }

    pub fn acknowledge(&self, record: u64) {
        self.shared.records.acknowledge(record);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::Request as Distribution;
    use crate::spec::tests::workload_a;

    fn mixed(read: f64, update: f64, insert: f64, scan: f64, read_modify_write: f64) -> Ycsb {
        Ycsb { read, update, insert, scan, read_modify_write, ..workload_a() }
    }

    fn kinds_drawn(ycsb: &Ycsb, draws: u32) -> [u32; 5] {
        let mut core = Core::new(ycsb, 0, 7, 0, Arc::new(Shared::new(1000)));
        let mut counts = [0; 5];
        let mut operation = Operation::default();
        for _ in 0..draws {
            core.draw(&mut operation);
            counts[operation.kind] += 1;
            if operation.kind == INSERT {
                core.acknowledge(operation.record);
            }
        }
        counts
    }

    #[test]
    fn kinds_come_in_their_shares() {
        let counts = kinds_drawn(&mixed(0.5, 0.2, 0.1, 0.1, 0.1), 100_000);
        for (count, share) in counts.into_iter().zip([0.5, 0.2, 0.1, 0.1, 0.1]) {
            let sigma: f64 = (100_000.0f64 * share * (1.0 - share)).sqrt();
            assert!((f64::from(count) - 100_000.0 * share).abs() < 5.0 * sigma, "{counts:?}");
        }
        assert_eq!(kinds_drawn(&mixed(95.0, 5.0, 0.0, 0.0, 0.0), 10_000)[2..], [0, 0, 0], "shares need no sum of 1");
        assert_eq!(kinds_drawn(&mixed(0.0, 0.0, 0.0, 1.0, 0.0), 100), [0, 0, 0, 100, 0]);
    }

    #[test]
    fn a_read_modify_write_updates_what_it_read() {
        let ycsb = mixed(0.0, 0.0, 0.0, 0.0, 1.0);
        let mut core = Core::new(&ycsb, 0, 7, 0, Arc::new(Shared::new(1000)));
        let mut operation = Operation::default();
        core.draw(&mut operation);
        assert_eq!(operation.steps, 2);
        let Request::Read { key, field: None } = core.request(&operation) else { panic!("not a read of all fields") };
        let read = key.to_vec();
        operation.step = 1;
        let Request::Update { key, values } = core.request(&operation) else { panic!("not an update") };
        assert_eq!((key, values.len(), values.size()), (read.as_slice(), 1, 100));
    }

    /// MySQL carries out no update with the value that is there: repeats of a run have the same keys and other values.
    #[test]
    fn repeated_runs_write_other_values_to_the_same_records() {
        let ycsb = mixed(0.0, 1.0, 0.0, 0.0, 0.0);
        let run = |number: u64| {
            let mut shared = Shared::new(1000);
            shared.run = number;
            let mut core = Core::new(&ycsb, 0, 7, 0, Arc::new(shared));
            let mut operation = Operation::default();
            let drawn: Vec<_> = (0..100)
                .map(|_| {
                    core.draw(&mut operation);
                    let Request::Update { key, values } = core.request(&operation) else { panic!("not an update") };
                    (key.to_vec(), values.first(), values.size(), format!("{values:?}"))
                })
                .collect();
            drawn
        };
        let (one, two) = (run(1), run(2));
        assert!(one.iter().zip(&two).all(|(a, b)| (&a.0, a.1, a.2) == (&b.0, b.1, b.2)), "the same load");
        assert!(one.iter().zip(&two).all(|(a, b)| a.3 != b.3), "other values");
        assert_eq!(run(1), one);
        assert_ne!(Shared::new(1).run, Shared::new(1).run, "every run has a number of its own");
    }

    #[test]
    fn looking_ahead_leaves_the_sequence_as_it_is() {
        let ycsb = Ycsb { read_all_fields: false, ..mixed(0.4, 0.4, 0.0, 0.2, 0.0) };
        let shared = || Arc::new(Shared::new(ycsb.records));
        let mut core = Core::new(&ycsb, 0, 7, 0, shared());
        let mut chooser = Chooser::new(&ycsb, 0, shared());
        let [mut mix, mut choice, mut other] =
            [Purpose::Kind, Purpose::Offset, Purpose::Follow].map(|purpose| Stream::new(7, 0, purpose));
        let mut operation = Operation::default();
        for _ in 0..2000 {
            core.draw(&mut operation);
            let u = mix.unit();
            let kind = if u < 0.4 { READ } else { usize::from(u >= 0.8) * (SCAN - UPDATE) + UPDATE };
            assert_eq!((operation.kind, operation.record), (kind, chooser.draw(&mut choice)));
            let fields = u64::from(ycsb.fields);
            assert_eq!(operation.field, Some(other.below(fields) as u32));
            match core.request(&operation) {
                Request::Update { values, .. } => assert_eq!(values.first(), other.below(fields) as u32),
                Request::Read { .. } => {}
                Request::Scan { count, .. } => assert_eq!(u64::from(count), core.scan.draw(&mut other)),
                request => panic!("{request:?} is not in the mix"),
            }
        }
    }

    #[test]
    fn nobody_looks_ahead_where_it_would_change_the_sequence() {
        let inserts = mixed(0.5, 0.0, 0.5, 0.0, 0.0);
        let sequential = Ycsb { request: Distribution::Sequential, ..workload_a() };
        for ycsb in [inserts, sequential] {
            assert!(Core::new(&ycsb, 0, 7, 0, Arc::new(Shared::new(1000))).coming.is_none());
        }
    }

    #[test]
    fn inserts_follow_the_records_that_are_there() {
        let ycsb = Ycsb { request: Distribution::Latest { theta: 0.99 }, ..mixed(0.0, 0.0, 1.0, 0.0, 0.0) };
        let mut core = Core::new(&ycsb, 0, 7, 0, Arc::new(Shared::new(1000)));
        let mut operation = Operation::default();
        for record in 1000..1010 {
            core.draw(&mut operation);
            assert_eq!(operation.record, record);
            let Request::Insert { values, .. } = core.request(&operation) else { panic!("not an insert") };
            assert_eq!((values.len(), values.size()), (10, 1000));
        }
    }
}
