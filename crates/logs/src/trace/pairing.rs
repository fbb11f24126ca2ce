//! From what a kernel tells (asked for, split, issued, completed) to I/Os, each with its times.
//!
//! Merges need no attention: a request that was made of several I/Os covers them, and each is found by its sectors.

use std::collections::{BTreeMap, HashMap, VecDeque};

use crate::trace::event::{Event, OpKind, UNKNOWN};

/// Bytes of a sector, whatever the device's own are.
pub const SECTOR_BYTES: u64 = 512;

/// No more I/Os are followed at once; the oldest is then given up.
const MOST_PENDING: usize = 1 << 20;

/// No more of them that begin at the same sector: each look there is at all of them.
const MOST_AT_ONE: usize = 4096;

/// No more places are looked at for one record, nearest to its end first.
const MOST_PLACES: usize = 4096;

/// No I/O is waited for longer: what completes later counts as never seen.
const LONGEST_NS: u64 = 600 * 1_000_000_000;

/// What a tracepoint is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Range {
    /// Device of the header.
    pub device: u16,
    /// What is asked for.
    pub kind: OpKind,
    /// First sector.
    pub sector: u64,
    /// How many.
    pub sectors: u32,
}

/// One I/O under way.
#[derive(Debug, Clone, Copy)]
struct Pending {
    event: Event,
    /// Where it begins, as it was told.
    sector: u64,
    /// Parts that are not complete.
    parts: u32,
    /// Sectors that are.
    covered: u64,
    /// It is part of a flush sequence, which ends with a completion of no sectors.
    sequence: bool,
    /// Its parts are in `seconds`.
    split: bool,
    done: bool,
}

/// Device, kind, and sector at which a part begins.
type Start = (u16, OpKind, u64);

/// What was not as it should be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counted {
    /// Completions of I/Os that were not seen to arrive: they were under way when the recording began.
    pub strangers: u64,
    /// I/Os that went back into a queue after they were issued.
    pub requeued: u64,
    /// I/Os that were split; each part counts.
    pub split: u64,
    /// I/Os that failed.
    pub failed: u64,
    /// I/Os that were given up after [`LONGEST_NS`], or because there were too many.
    pub given_up: u64,
}

/// I/Os under way, in order of arrival.
#[derive(Debug)]
pub struct Pairing {
    most: usize,
    /// Had to make room before anyone took them; all arrived before `pending`.
    forced: Vec<Event>,
    pending: VecDeque<Pending>,
    /// Number of the first one.
    base: u64,
    /// The first of each is the oldest.
    starts: BTreeMap<Start, VecDeque<u64>>,
    /// Of I/Os that were split, where the other parts begin.
    seconds: HashMap<u64, Vec<u64>>,
    /// The longest I/O of each kind so far, in sectors.
    longest: [u64; 4],
    newest_ns: u64,
    /// What was counted.
    pub counted: Counted,
}

impl Default for Pairing {
    fn default() -> Self {
        Self::new(MOST_PENDING)
    }
}

impl Pairing {
    /// Follows at most so many at once.
    pub fn new(most: usize) -> Self {
        Self {
            most: most.max(1),
            forced: Vec::new(),
            pending: VecDeque::new(),
            base: 0,
            starts: BTreeMap::new(),
            seconds: HashMap::new(),
            longest: [0; 4],
            newest_ns: 0,
            counted: Counted::default(),
        }
    }

    /// An I/O is asked for. `sequence`: the kernel makes it of a flush and a write, or of a write and a flush.
    pub fn arrive(&mut self, at_ns: u64, range: Range, process: u16, sequence: bool) {
        // Tracepoints of several processors can be a little out of order.
        let arrival_ns = at_ns.max(self.newest_ns);
        self.newest_ns = arrival_ns;
        let Range { device, kind, sector, sectors } = range;
        let bytes = (u64::from(sectors) * SECTOR_BYTES).min(u64::from(u32::MAX)) as u32;
        let offset = sector.saturating_mul(SECTOR_BYTES);
        let offset = if kind == OpKind::Flush { 0 } else { offset };
        let event = Event { arrival_ns, issue_ns: UNKNOWN, latency_ns: UNKNOWN, kind, offset, bytes, device, process };
        if self.pending.len() >= self.most {
            self.make_room();
        }
        let number = self.base + self.pending.len() as u64;
        self.pending.push_back(Pending { event, sector, parts: 1, covered: 0, sequence, split: false, done: false });
        self.longest[kind as usize] = self.longest[kind as usize].max(u64::from(sectors));
        let here = self.starts.entry((device, kind, sector)).or_default();
        here.push_back(number);
        if here.len() > MOST_AT_ONE {
            let oldest = here[0];
            self.give_up(oldest);
        }
    }

    /// An I/O, or a part of one, that begins at `range.sector` goes on in two parts, of which the second begins at `second`.
    pub fn split(&mut self, range: Range, second: u64) {
        let key = (range.device, range.kind, range.sector);
        let Some(number) = self.starts.get(&key).and_then(|numbers| numbers.back().copied()) else { return };
        if let Some(pending) = self.at(number) {
            pending.parts += 1;
            pending.split = true;
            self.counted.split += 1;
            self.seconds.entry(number).or_default().push(second);
            self.starts.entry((range.device, range.kind, second)).or_default().push_back(number);
        }
    }

    /// A request goes to the device.
    pub fn issue(&mut self, at_ns: u64, range: Range) {
        self.covered(range, |pending| {
            let event = &mut pending.event;
            event.issue_ns = at_ns.saturating_sub(event.arrival_ns);
        });
    }

    /// A request comes back from the device, undone.
    pub fn requeue(&mut self, range: Range) {
        self.counted.requeued += 1;
        self.covered(range, |pending| pending.event.issue_ns = UNKNOWN);
    }

    /// The I/O, or the part of one, that begins at a sector is complete.
    pub fn complete_part(&mut self, at_ns: u64, range: Range, failed: bool) {
        let key = (range.device, range.kind, range.sector);
        let Some(number) = self.take_start(key) else {
            self.counted.strangers += 1;
            return;
        };
        self.counted.failed += u64::from(failed);
        let Some(pending) = self.at(number) else { return };
        pending.parts = pending.parts.saturating_sub(1);
        if pending.parts == 0 {
            pending.event.latency_ns = at_ns.saturating_sub(pending.event.arrival_ns);
            pending.done = true;
        }
    }

    /// A request is complete: all I/Os that begin in its sectors are, and those whose last sectors are in it.
    pub fn complete_range(&mut self, at_ns: u64, range: Range, failed: bool) {
        let Range { device, kind, sector, sectors } = range;
        if sectors == 0 {
            self.complete_sequence(at_ns, range, failed);
            return;
        }
        let end = sector.saturating_add(u64::from(sectors));
        let lowest = sector.saturating_sub(self.longest[kind as usize]);
        let places = self.starts.range((device, kind, lowest)..(device, kind, end)).rev().take(MOST_PLACES);
        let keys: Vec<_> = places.map(|(key, _)| *key).collect();
        let mut found = false;
        for key in keys {
            found |= self.complete_start(key, at_ns, (sector, end), failed);
        }
        self.counted.strangers += u64::from(!found);
    }

    /// A flush sequence ends: it was that of a write whose sectors are complete, or of a flush alone.
    fn complete_sequence(&mut self, at_ns: u64, range: Range, failed: bool) {
        let write = (range.device, OpKind::Write, range.sector);
        let flush = (range.device, OpKind::Flush, 0);
        let waits = |number: &u64| {
            let index = number.checked_sub(self.base).map(|index| index as usize);
            let found = index.and_then(|index| self.pending.get(index));
            found.is_some_and(|found| found.sequence && found.covered > 0)
        };
        let found = self.starts.get(&write).and_then(|numbers| numbers.iter().copied().find(waits));
        let oldest = || self.starts.get(&flush).and_then(|numbers| numbers.front().copied());
        let Some((key, number)) = found.map(|number| (write, number)).or(oldest().map(|number| (flush, number))) else {
            self.counted.strangers += 1;
            return;
        };
        self.forget(key, number);
        self.counted.failed += u64::from(failed);
        if let Some(pending) = self.at(number) {
            pending.event.latency_ns = at_ns.saturating_sub(pending.event.arrival_ns);
            pending.done = true;
        }
    }

    /// Counts these sectors for an I/O that begins here: one that is just as long, or else the oldest.
    fn complete_start(&mut self, key: Start, at_ns: u64, (from, end): (u64, u64), failed: bool) -> bool {
        let length = |pending: &Pending| (u64::from(pending.event.bytes) / SECTOR_BYTES).max(1);
        let Some(numbers) = self.starts.get(&key) else { return false };
        let just = |number: &u64| {
            let index = number.checked_sub(self.base).map(|index| index as usize);
            let found = index.and_then(|index| self.pending.get(index));
            found.is_some_and(|found| key.2 == from && length(found) == end - from)
        };
        let Some(number) = numbers.iter().copied().find(just).or(numbers.front().copied()) else { return false };
        let Some(pending) = self.at(number) else { return false };
        let last = key.2.saturating_add(length(pending));
        if last <= from {
            return false;
        }
        // Parts of a split I/O complete in any order: the latest of them is its end.
        pending.event.latency_ns = at_ns.saturating_sub(pending.event.arrival_ns);
        pending.covered += last.min(end) - key.2.max(from);
        pending.done = pending.covered >= last - key.2 && !pending.sequence;
        if pending.done {
            self.forget(key, number);
        }
        self.counted.failed += u64::from(failed);
        true
    }

    /// Takes the I/Os whose turn it is: completed, and none that arrived before is still under way.
    pub fn take(&mut self, now_ns: u64, mut sink: impl FnMut(Event)) {
        self.forced.drain(..).for_each(&mut sink);
        while let Some(first) = self.pending.front() {
            if !first.done {
                if now_ns.saturating_sub(first.event.arrival_ns) < LONGEST_NS {
                    return;
                }
                self.give_up(self.base);
            }
            if let Some(event) = self.pop() {
                sink(event);
            }
        }
    }

    /// Takes all that is left: what is not complete never will be.
    pub fn finish(&mut self, mut sink: impl FnMut(Event)) {
        self.forced.drain(..).for_each(&mut sink);
        for pending in std::mem::take(&mut self.pending) {
            let latency_ns = if pending.done { pending.event.latency_ns } else { UNKNOWN };
            sink(Event { latency_ns, ..pending.event });
        }
        self.starts.clear();
        self.seconds.clear();
    }

    /// How many I/Os are followed.
    pub fn in_flight(&self) -> usize {
        self.pending.iter().filter(|pending| !pending.done).count()
    }

    fn at(&mut self, number: u64) -> Option<&mut Pending> {
        self.pending.get_mut(number.checked_sub(self.base)? as usize)
    }

    fn covered(&mut self, range: Range, mut change: impl FnMut(&mut Pending)) {
        let Range { device, kind, sector, sectors } = range;
        let end = sector.saturating_add(u64::from(sectors).max(1));
        let (starts, pending, base) = (&self.starts, &mut self.pending, self.base);
        for (_, numbers) in starts.range((device, kind, sector)..(device, kind, end)).rev().take(MOST_PLACES) {
            if kind == OpKind::Flush {
                // One request of the kernel carries out all flushes that wait.
                for number in numbers {
                    let index = number.checked_sub(base).map(|index| index as usize);
                    let found = index.and_then(|index| pending.get_mut(index));
                    if let Some(found) = found.filter(|found| found.event.issue_ns == UNKNOWN) {
                        change(found);
                    }
                }
                continue;
            }
            // Of several at one sector the oldest that waits; if none waits, the newest.
            let waits = |number: &u64| {
                let index = number.checked_sub(base).map(|index| index as usize);
                index.and_then(|index| pending.get(index)).is_some_and(|found| found.event.issue_ns == UNKNOWN)
            };
            let Some(number) = numbers.iter().copied().find(waits).or(numbers.back().copied()) else { continue };
            let index = number.checked_sub(base).map(|index| index as usize);
            if let Some(found) = index.and_then(|index| pending.get_mut(index)) {
                change(found);
            }
        }
    }

    fn forget(&mut self, key: Start, number: u64) {
        let Some(numbers) = self.starts.get_mut(&key) else { return };
        // It is the oldest, nearly always.
        if numbers.front() == Some(&number) {
            numbers.pop_front();
        } else {
            numbers.retain(|known| *known != number);
        }
        if numbers.is_empty() {
            self.starts.remove(&key);
        }
    }

    fn take_start(&mut self, key: Start) -> Option<u64> {
        let numbers = self.starts.get_mut(&key)?;
        let number = numbers.pop_front();
        if numbers.is_empty() {
            self.starts.remove(&key);
        }
        number
    }

    /// An I/O is not waited for any longer.
    #[cold]
    fn give_up(&mut self, number: u64) {
        let Some(pending) = self.at(number) else { return };
        pending.event.latency_ns = UNKNOWN;
        pending.done = true;
        let found = *pending;
        self.counted.given_up += 1;
        self.forget_parts(&found, number);
    }

    fn forget_parts(&mut self, pending: &Pending, number: u64) {
        let (device, kind) = (pending.event.device, pending.event.kind);
        self.forget((device, kind, pending.sector), number);
        if pending.split {
            for second in self.seconds.remove(&number).unwrap_or_default() {
                self.forget((device, kind, second), number);
            }
        }
    }

    /// The oldest goes out, complete or not.
    #[cold]
    fn make_room(&mut self) {
        if self.pending.front().is_some_and(|first| !first.done) {
            self.give_up(self.base);
        }
        let event = self.pop();
        self.forced.extend(event);
    }

    fn pop(&mut self) -> Option<Event> {
        let first = self.pending.pop_front()?;
        if first.split {
            self.forget_parts(&first, self.base);
        }
        self.base += 1;
        Some(first.event)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn range(kind: OpKind, sector: u64, sectors: u32) -> Range {
        Range { device: 0, kind, sector, sectors }
    }

    /// A record: what happens, where, how long it is, and whether everything that can be is taken afterwards.
    fn record() -> impl Strategy<Value = (u8, u64, u32, bool)> {
        let sector = prop_oneof![0u64..64, Just(u64::MAX - 3), any::<u64>()];
        let sectors = prop_oneof![0u32..16, Just(u32::MAX)];
        (0u8..6, sector, sectors, any::<bool>())
    }

    proptest! {
        #[test]
        fn whatever_is_told_each_io_comes_out_once_and_in_order(
            records in prop::collection::vec(record(), 0..400), most in 1usize..40
        ) {
            let (mut pairing, mut out, mut arrived) = (Pairing::new(most), Vec::new(), Vec::new());
            for (at_ns, (what, sector, sectors, take)) in records.into_iter().enumerate() {
                let (at_ns, place) = (at_ns as u64, range(OpKind::Write, sector, sectors));
                match what {
                    0 | 1 => {
                        arrived.push(at_ns);
                        pairing.arrive(at_ns, place, 0, what == 1);
                    }
                    2 => pairing.split(place, sector.wrapping_add(u64::from(sectors))),
                    3 => pairing.issue(at_ns, place),
                    4 => pairing.complete_part(at_ns, place, false),
                    _ => pairing.complete_range(at_ns, place, false),
                }
                prop_assert!(pairing.pending.len() <= most);
                if take {
                    pairing.take(at_ns, |event| out.push(event.arrival_ns));
                }
            }
            let kept = pairing.pending.len();
            let keys: usize = pairing.starts.values().map(VecDeque::len).sum();
            prop_assert!(keys <= kept + pairing.counted.split as usize);
            pairing.take(u64::MAX, |event| out.push(event.arrival_ns));
            prop_assert!(pairing.starts.is_empty() && pairing.seconds.is_empty());
            pairing.finish(|event| out.push(event.arrival_ns));
            prop_assert_eq!(out, arrived);
        }
    }

    #[test]
    fn more_than_can_be_followed_make_room_one_by_one() {
        let (most, more, mut out) = (1 << 14, 100_000, 0);
        let mut pairing = Pairing::new(most);
        for number in 0..(most + more) as u64 {
            pairing.arrive(number, range(OpKind::Read, number * 8, 8), 0, false);
        }
        assert_eq!(pairing.pending.len(), most);
        pairing.take(0, |_| out += 1);
        assert_eq!((out, pairing.counted.given_up), (more, more as u64));
    }

    #[test]
    fn what_is_complete_is_not_given_up_for_want_of_room() {
        let mut pairing = Pairing::new(4);
        for number in 0..10 {
            pairing.arrive(number, range(OpKind::Read, number * 8, 8), 0, false);
            pairing.complete_range(number + 1, range(OpKind::Read, number * 8, 8), false);
        }
        let mut latencies = Vec::new();
        pairing.finish(|event| latencies.push(event.latency_ns));
        assert_eq!((latencies, pairing.counted.given_up), (vec![1; 10], 0));
    }

    #[test]
    fn one_sector_asked_for_again_and_again_costs_no_more_each_time() {
        let mut pairing = Pairing::default();
        for number in 0..3 * MOST_AT_ONE as u64 {
            pairing.arrive(number, range(OpKind::Write, 8, 8), 0, false);
            pairing.issue(number, range(OpKind::Write, 8, 8));
        }
        assert_eq!(pairing.in_flight(), MOST_AT_ONE);
        assert_eq!(pairing.counted.given_up, 2 * MOST_AT_ONE as u64);
    }
}
