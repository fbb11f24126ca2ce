//! Chunks to lines: the one place that puts a line together whose end came in another chunk.

use memchr::{memchr, memchr_iter};

/// A text while it arrives.
#[derive(Default)]
pub struct Lines {
    /// The beginning of a line whose end is not here yet.
    rest: Vec<u8>,
}

impl Lines {
    /// Hands over every line that ended, without its end; stops at the first error.
    pub fn feed<E>(&mut self, chunk: &[u8], mut line: impl FnMut(&[u8]) -> Result<(), E>) -> Result<(), E> {
        let mut begin = 0;
        if !self.rest.is_empty() {
            let end = memchr(b'\n', chunk);
            self.rest.extend_from_slice(&chunk[..end.unwrap_or(chunk.len())]);
            let Some(end) = end else { return Ok(()) };
            line(&self.rest)?;
            self.rest.clear();
            begin = end + 1;
        }
        let from = begin;
        for end in memchr_iter(b'\n', &chunk[from..]).map(|end| from + end) {
            line(&chunk[begin..end])?;
            begin = end + 1;
        }
        self.rest.extend_from_slice(&chunk[begin..]);
        Ok(())
    }

    /// The line that has not ended, so far: whoever feeds on bounds it.
    pub fn rest(&self) -> &[u8] {
        &self.rest
    }

    /// The last line, which has no end.
    pub fn last(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.rest)
    }
}
