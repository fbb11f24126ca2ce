//! Clients with a connection and nothing to do.

/// A queue with room for all clients. Every operation goes through it, and the functions of `VecDeque` are calls where
/// a crate is compiled in parts.
pub struct Idle {
    ring: Box<[u32]>,
    first: usize,
    length: usize,
}

impl Idle {
    /// All of them, in their order.
    pub fn all(clients: u32) -> Self {
        Self { ring: (0..clients).collect(), first: 0, length: clients as usize }
    }

    #[inline]
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Whoever has waited longest.
    #[inline]
    pub fn pop(&mut self) -> Option<u32> {
        self.length = self.length.checked_sub(1)?;
        let client = self.ring[self.first];
        self.first = self.after(1);
        Some(client)
    }

    /// Behind all others. A client is in it once at most, so that there is room.
    #[inline]
    pub fn push(&mut self, client: u32) {
        debug_assert!(self.length < self.ring.len());
        let end = self.after(self.length);
        self.ring[end] = client;
        self.length += 1;
    }

    /// The place that many after the first.
    #[inline]
    fn after(&self, places: usize) -> usize {
        let at = self.first + places;
        if at < self.ring.len() { at } else { at - self.ring.len() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_to_come_is_the_first_to_go_however_often_the_ring_goes_round() {
        for clients in 1..5 {
            let mut idle = Idle::all(clients);
            for turn in 0..3 * clients {
                let next = idle.pop().unwrap();
                assert_eq!(next, turn % clients);
                idle.push(next);
            }
            (0..clients).for_each(|_| assert!(!idle.is_empty() && idle.pop().is_some()));
            assert!(idle.is_empty() && idle.pop().is_none());
        }
    }
}
