//! A hash table of record numbers: open addressing with linear probing.
//!
//! A slot has eight bytes, so a lookup costs one line of the cache, and its address follows from the hash alone: it can be
//! brought near before the lookup.

/// Upper half: of the hash. Lower half: number of the record, and 1; all 0 is an empty slot.
type Slot = u64;

/// Numbers by hash.
#[derive(Debug)]
pub struct Table {
    /// A power of two of them, at least half of them empty.
    slots: Vec<Slot>,
    used: usize,
}

impl Default for Table {
    fn default() -> Self {
        Self { slots: vec![0; 16], used: 0 }
    }
}

/// A record's number in its slot.
#[inline]
fn row(slot: Slot) -> u32 {
    (slot as u32).wrapping_sub(1)
}

impl Table {
    #[inline]
    fn home(&self, hash: u64) -> usize {
        hash as usize & (self.slots.len() - 1)
    }

    /// The slot where the search for a hash begins.
    #[inline]
    pub fn first(&self, hash: u64) -> Option<&Slot> {
        self.slots.get(self.home(hash))
    }

    /// The place and the number of the record with this hash that is the right one.
    #[inline]
    fn place(&self, hash: u64, mut is_right: impl FnMut(u32) -> bool) -> Option<(usize, u32)> {
        let mut place = self.home(hash);
        loop {
            let slot = self.slots[place];
            if slot == 0 {
                return None;
            }
            if slot >> 32 == hash >> 32 && is_right(row(slot)) {
                return Some((place, row(slot)));
            }
            place = (place + 1) & (self.slots.len() - 1);
        }
    }

    /// The number of the record with this hash that is the right one.
    #[inline]
    pub fn find(&self, hash: u64, is_right: impl FnMut(u32) -> bool) -> Option<u32> {
        self.place(hash, is_right).map(|(_, row)| row)
    }

    /// Adds a number below 2³² − 1; `rehash` gives the hashes of those that are there.
    pub fn insert(&mut self, hash: u64, row: u32, rehash: impl Fn(u32) -> u64) {
        if 2 * (self.used + 1) > self.slots.len() {
            let slots = vec![0; 2 * self.slots.len()];
            let old = std::mem::replace(&mut self.slots, slots);
            old.into_iter().filter(|&slot| slot != 0).map(self::row).for_each(|row| self.put(rehash(row), row));
        }
        self.put(hash, row);
        self.used += 1;
    }

    fn put(&mut self, hash: u64, row: u32) {
        let mut place = self.home(hash);
        while self.slots[place] != 0 {
            place = (place + 1) & (self.slots.len() - 1);
        }
        self.slots[place] = hash >> 32 << 32 | (u64::from(row) + 1);
    }

    /// Takes the right record out; its number.
    pub fn remove(&mut self, hash: u64, is_right: impl FnMut(u32) -> bool, rehash: impl Fn(u32) -> u64) -> Option<u32> {
        let (mut gap, found) = self.place(hash, is_right)?;
        // What comes after may have been pushed there by it: put again whatever stands up to the next empty slot.
        self.slots[gap] = 0;
        loop {
            gap = (gap + 1) & (self.slots.len() - 1);
            let slot = std::mem::take(&mut self.slots[gap]);
            if slot == 0 {
                break;
            }
            self.put(rehash(row(slot)), row(slot));
        }
        self.used -= 1;
        Some(found)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Hashes from a few homes and with few upper halves, so that all kinds of collisions happen.
        #[test]
        fn it_does_what_a_map_does(steps in proptest::collection::vec((0u32..40, any::<bool>()), 0..300)) {
            let hash = |row: u32| u64::from(row % 7) | u64::from(row % 3) << 32 | 0xFFF0;
            let (mut table, mut map) = (Table::default(), BTreeMap::new());
            for (row, add) in steps {
                let is_right = |other| other == row;
                prop_assert_eq!(table.find(hash(row), is_right), map.get(&row).copied());
                if !add {
                    prop_assert_eq!(table.remove(hash(row), is_right, hash), map.remove(&row));
                } else if map.insert(row, row).is_none() {
                    table.insert(hash(row), row, hash);
                }
                prop_assert_eq!(table.used, map.len());
            }
            for row in 0..40 {
                prop_assert_eq!(table.find(hash(row), |other| other == row), map.get(&row).copied());
            }
        }
    }
}
