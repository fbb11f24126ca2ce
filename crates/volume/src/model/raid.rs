//! Arrays: where a byte of the device is on the members, and which member operations a request becomes.
//!
//! Layouts are those of Linux md: RAID 5 left-symmetric, RAID 10 near with two copies.

use super::layer::{Arrival, Completion, Io, Layer, OpKind, Report, Saved};
use crate::spec::ArraySpec;

/// A piece of a request on one member.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extent {
    /// Member that holds the data.
    pub member: u32,
    /// First byte on it.
    pub offset: u64,
    /// Length, within one chunk.
    pub bytes: u64,
}

/// The address map of an array.
#[derive(Debug, Clone, Copy)]
pub struct Map {
    level: u8,
    members: u64,
    chunk: u64,
}

impl Map {
    /// The map of a checked specification.
    pub fn new(array: ArraySpec) -> Self {
        Self { level: array.level, members: u64::from(array.members), chunk: array.chunk_bytes }
    }

    /// Chunks of data in one stripe.
    pub fn data_members(&self) -> u64 {
        match self.level {
            0 => self.members,
            1 => 1,
            5 => self.members - 1,
            _ => self.members / 2,
        }
    }

    /// Where the byte at `offset` is: member (of a mirrored pair, the first) and byte on it.
    pub fn locate(&self, offset: u64) -> (u32, u64) {
        if self.level == 1 {
            return (0, offset);
        }
        let (chunk, within) = (offset / self.chunk, offset % self.chunk);
        let (stripe, column) = (chunk / self.data_members(), chunk % self.data_members());
        let member = match self.level {
            0 => column,
            5 => (self.parity(stripe) + 1 + column) % self.members,
            _ => column * 2,
        };
        (member as u32, stripe * self.chunk + within)
    }

    /// The member with the parity of a RAID 5 stripe.
    pub fn parity(&self, stripe: u64) -> u64 {
        self.members - 1 - stripe % self.members
    }

    /// The data of a request, chunk by chunk (RAID 1 has none: one piece).
    pub fn extents(&self, offset: u64, bytes: u64) -> impl Iterator<Item = Extent> + use<> {
        let map = *self;
        let end = offset + bytes;
        let mut at = offset;
        std::iter::from_fn(move || {
            if at >= end {
                return None;
            }
            let chunk_end = if map.level == 1 { end } else { (at / map.chunk + 1) * map.chunk };
            let (member, member_offset) = map.locate(at);
            let extent = Extent { member, offset: member_offset, bytes: chunk_end.min(end) - at };
            at += extent.bytes;
            Some(extent)
        })
    }
}

/// An array of members, each a model of its own.
pub struct Raid {
    map: Map,
    members: Vec<Box<dyn Layer>>,
    /// Reads of mirrors take turns.
    turn: u64,
    /// Pieces of the current request by member, kept to save allocations.
    pieces: Vec<Option<Extent>>,
}

impl Raid {
    /// The array over `members`.
    pub fn new(raid: ArraySpec, members: Vec<Box<dyn Layer>>) -> Self {
        Self { map: Map::new(raid), pieces: vec![None; members.len()], members, turn: 0 }
    }

    fn member(&mut self, kind: OpKind, extent: Extent, arrival: Arrival) -> Completion {
        let io = Io { kind, offset: extent.offset, bytes: extent.bytes };
        self.members[extent.member as usize].submit(&io, arrival)
    }

    /// Chunks of one request that follow each other on a member become one operation there.
    fn gather(&mut self, offset: u64, bytes: u64) {
        self.pieces.fill(None);
        for extent in self.map.extents(offset, bytes) {
            let piece = &mut self.pieces[extent.member as usize];
            match piece {
                Some(whole) => {
                    // RAID 5 leaves a gap where the member holds the parity; md reads across it.
                    whole.bytes = extent.offset + extent.bytes - whole.offset;
                }
                None => *piece = Some(extent),
            }
        }
    }

    fn striped(&mut self, io: &Io, arrival: Arrival) -> Completion {
        self.gather(io.offset, io.bytes);
        let mirrored = self.map.level == 10;
        let mut done = Completion::done(arrival.ready_ns);
        for index in 0..self.pieces.len() {
            let Some(extent) = self.pieces[index] else { continue };
            if mirrored && io.kind == OpKind::Read {
                self.turn += 1;
                let copy = Extent { member: extent.member + (self.turn % 2) as u32, ..extent };
                done = done.and(self.member(io.kind, copy, arrival));
            } else {
                done = done.and(self.member(io.kind, extent, arrival));
                if mirrored {
                    done = done.and(self.member(io.kind, Extent { member: extent.member + 1, ..extent }, arrival));
                }
            }
        }
        done
    }

    fn mirrored(&mut self, io: &Io, arrival: Arrival) -> Completion {
        if io.kind == OpKind::Read {
            self.turn += 1;
            let index = self.turn as usize % self.members.len();
            return self.members[index].submit(io, arrival);
        }
        self.everywhere(io, arrival)
    }

    fn everywhere(&mut self, io: &Io, arrival: Arrival) -> Completion {
        self.members.iter_mut().fold(Completion::done(arrival.ready_ns), |done, m| done.and(m.submit(io, arrival)))
    }

    /// A RAID 5 write, stripe by stripe: a full stripe is written at once; otherwise old data and parity are read first,
    /// or the rest of the stripe where that is fewer operations, and the writes wait for the reads.
    fn with_parity(&mut self, io: &Io, arrival: Arrival) -> Completion {
        let stripe_bytes = self.map.chunk * self.map.data_members();
        let end = io.offset + io.bytes;
        let mut done = Completion::done(arrival.ready_ns);
        let mut at = io.offset;
        while at < end {
            let stripe_end = ((at / stripe_bytes + 1) * stripe_bytes).min(end);
            done = done.and(self.write_stripe(at, stripe_end - at, arrival));
            at = stripe_end;
        }
        done
    }

    fn write_stripe(&mut self, offset: u64, bytes: u64, arrival: Arrival) -> Completion {
        let map = self.map;
        let stripe = offset / (map.chunk * map.data_members());
        let written: Vec<Extent> = map.extents(offset, bytes).collect();
        // The parity covers the same bytes within the chunk as the data that changes.
        let low = written.iter().map(|e| e.offset).min().unwrap_or(0);
        let high = written.iter().map(|e| e.offset + e.bytes).max().unwrap_or(0);
        let parity = Extent { member: map.parity(stripe) as u32, offset: low, bytes: high - low };
        let untouched: Vec<Extent> = (0..map.members as u32)
            .filter(|&m| m != parity.member && written.iter().all(|e| e.member != m))
            .map(|member| Extent { member, ..parity })
            .collect();
        // Chunks that are written in part count as read for the reconstruction as well.
        let partial = written.iter().filter(|e| e.bytes < parity.bytes).count();
        let reconstruct = untouched.len() + partial;
        let mut read = Completion::done(arrival.ready_ns);
        if reconstruct > 0 && reconstruct <= written.len() {
            let rest = untouched.iter().chain(written.iter().filter(|e| e.bytes < parity.bytes));
            read = rest.copied().fold(read, |all, extent| all.and(self.member(OpKind::Read, extent, arrival)));
        } else if reconstruct > 0 {
            let old = written.iter().chain([&parity]);
            read = old.copied().fold(read, |all, extent| all.and(self.member(OpKind::Read, extent, arrival)));
        }
        let ready = Arrival { ready_ns: read.deadline_ns, ..arrival };
        let new = written.iter().chain([&parity]);
        new.copied().fold(read, |all, extent| all.and(self.member(OpKind::Write, extent, ready)))
    }
}

impl Layer for Raid {
    fn submit(&mut self, io: &Io, arrival: Arrival) -> Completion {
        match (io.kind, self.map.level) {
            (OpKind::Flush, _) => self.everywhere(io, arrival),
            (_, 1) => self.mirrored(io, arrival),
            (OpKind::Write, 5) => self.with_parity(io, arrival),
            _ => self.striped(io, arrival),
        }
    }

    fn report(&self, now_ns: u64, report: &mut Report) {
        self.members.iter().for_each(|member| member.report(now_ns, report));
    }

    fn save(&mut self, now_ns: u64, saved: &mut Saved) {
        self.members.iter_mut().for_each(|member| member.save(now_ns, saved));
    }

    fn restore(&mut self, now_ns: u64, saved: &mut Saved) {
        self.members.iter_mut().for_each(|member| member.restore(now_ns, saved));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashSet;
    use std::sync::{Arc, Mutex};

    fn array() -> impl Strategy<Value = ArraySpec> {
        let shape = prop_oneof![
            (Just(0u8), 2u32..8),
            (Just(1u8), 2u32..4),
            (Just(5u8), 3u32..8),
            (Just(10u8), (2u32..5).prop_map(|pairs| pairs * 2)),
        ];
        (shape, 0u32..4).prop_map(|((level, members), chunk)| ArraySpec { level, members, chunk_bytes: 4096 << chunk })
    }

    proptest! {
        #[test]
        fn no_two_blocks_share_a_place_and_parity_is_never_data(raid in array(), stripes in 1u64..40) {
            let map = Map::new(raid);
            let stripe_bytes = raid.chunk_bytes * map.data_members();
            let mut places = HashSet::new();
            for block in 0..stripes * stripe_bytes / 4096 {
                let (member, offset) = map.locate(block * 4096);
                prop_assert!(member < raid.members);
                prop_assert!(offset < stripes * raid.chunk_bytes.max(4096), "dense");
                prop_assert!(places.insert((member, offset)));
                if raid.level == 5 {
                    prop_assert_ne!(u64::from(member), map.parity(offset / raid.chunk_bytes));
                }
            }
        }

        #[test]
        fn extents_cover_a_request_once(raid in array(), offset in 0u64..500, length in 1u64..200) {
            let map = Map::new(raid);
            let (offset, bytes) = (offset * 512, length * 512);
            let mut at = offset;
            for extent in map.extents(offset, bytes) {
                prop_assert_eq!((extent.member, extent.offset), map.locate(at));
                prop_assert_eq!((extent.member, extent.offset + extent.bytes - 1), map.locate(at + extent.bytes - 1));
                at += extent.bytes;
            }
            prop_assert_eq!(at, offset + bytes);
        }
    }

    /// A member that notes what it is asked and takes 100 ns.
    struct Noting(u32, Arc<Mutex<Vec<(u32, OpKind, u64)>>>);

    impl Layer for Noting {
        fn submit(&mut self, io: &Io, arrival: Arrival) -> Completion {
            self.1.lock().unwrap().push((self.0, io.kind, io.bytes));
            Completion::done(arrival.ready_ns + 100)
        }
        fn report(&self, _: u64, _: &mut Report) {}
        fn save(&mut self, _: u64, _: &mut Saved) {}
        fn restore(&mut self, _: u64, _: &mut Saved) {}
    }

    fn operations(level: u8, members: u32, kind: OpKind, offset: u64, bytes: u64) -> (usize, usize, u64) {
        let notes = Arc::new(Mutex::new(Vec::new()));
        let parts = (0..members).map(|m| Box::new(Noting(m, notes.clone())) as Box<dyn Layer>).collect();
        let mut raid = Raid::new(ArraySpec { level, members, chunk_bytes: 65536 }, parts);
        let done = raid.submit(&Io { kind, offset, bytes }, Arrival::at(0));
        let notes = notes.lock().unwrap();
        let count = |kind| notes.iter().filter(|n| n.1 == kind).count();
        (count(OpKind::Read), count(OpKind::Write), done.deadline_ns)
    }

    /// Write penalties 1, N, 2, 4 (`ebs_formulas_ref.py::raid_iops`), and the cases in which RAID 5 does better.
    #[test]
    fn write_penalties() {
        assert_eq!(operations(0, 4, OpKind::Write, 0, 4096), (0, 1, 100));
        assert_eq!(operations(1, 3, OpKind::Write, 0, 4096), (0, 3, 100));
        assert_eq!(operations(10, 4, OpKind::Write, 0, 4096), (0, 2, 100));
        assert_eq!(operations(5, 6, OpKind::Write, 0, 4096), (2, 2, 200), "read-modify-write");
        assert_eq!(operations(5, 3, OpKind::Write, 0, 4096), (1, 2, 200), "reconstruct-write");
        assert_eq!(operations(5, 4, OpKind::Write, 0, 3 * 65536), (0, 4, 100), "full stripe");
        assert_eq!(operations(5, 4, OpKind::Write, 65536, 3 * 65536), (3, 5, 200), "two parts of stripes");
        for level in [0, 1, 5, 10] {
            assert_eq!(operations(level, 4, OpKind::Read, 0, 4096), (1, 0, 100), "RAID {level}");
        }
        assert_eq!(operations(0, 4, OpKind::Read, 32768, 4 * 65536).0, 4, "pieces on one member are one operation");
    }
}
