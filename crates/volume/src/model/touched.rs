//! Which chunks of a volume were fetched.

/// Which chunks were fetched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Touched {
    /// Length of a chunk.
    pub chunk_bytes: u64,
    words: Vec<u64>,
    /// Chunks that were fetched.
    pub count: u64,
}

impl Touched {
    /// None of the chunks of a volume.
    pub fn new(chunk_bytes: u64, size_bytes: u64) -> Self {
        let chunks = size_bytes.div_ceil(chunk_bytes);
        Self { chunk_bytes, words: vec![0; chunks.div_ceil(64) as usize], count: 0 }
    }

    /// Marks the chunk; true the first time.
    #[inline]
    pub fn touch(&mut self, chunk: u64) -> bool {
        let word = &mut self.words[(chunk / 64) as usize];
        let first = (*word >> (chunk % 64)) & 1 == 0;
        if first {
            *word |= 1 << (chunk % 64);
            self.count += 1;
        }
        first
    }
    /// Adds what was fetched `before`, on a volume with chunks of the same length and maybe fewer of them: this one has
    /// `chunks`.
    pub fn take_over(&mut self, before: &Self, chunks: u64) {
        let known = before.words.len() as u64 * 64;
        // The grown part of a volume is empty and needs no fetching.
        (known..chunks).for_each(|chunk| _ = self.touch(chunk));
        for chunk in 0..chunks.min(known) {
            if before.words[(chunk / 64) as usize] & (1 << (chunk % 64)) != 0 {
                self.touch(chunk);
            }
        }
    }
}
