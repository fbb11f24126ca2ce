//! Text that compresses about as well as the source of a kernel, without end and repeatable.
//!
//! Lines are drawn from a stock by rank, so that some come again and again as idioms do, and the rest are put together
//! from a vocabulary. The share of stock lines is set so that bzip2 makes it 5.6 times smaller, as it does with
//! linux-2.6.32 (360 MB to 64 MB).

use plimsoll_core::random::{Purpose, Stream};

const WORDS: usize = 6000;
const STOCK: usize = 9000;
/// Of all lines, so many are from the stock.
const STOCK_SHARE: f64 = 0.62;
/// What stands between words.
const JOINTS: [&str; 12] = [" ", " = ", ", ", "(", "->", ".", " + ", " & ", ") ", " == ", "; ", "_"];

/// An endless text.
pub struct Text {
    words: Vec<String>,
    stock: Vec<String>,
    stream: Stream,
    line: String,
    done: usize,
}

impl Text {
    /// The same for the same seed.
    pub fn new(seed: u64) -> Self {
        let mut stream = Stream::new(seed, 0, Purpose::Content);
        let word = |stream: &mut Stream| {
            let length = 2 + stream.below(8);
            (0..length).map(|_| char::from(b'a' + (stream.below(26).min(stream.below(26))) as u8)).collect()
        };
        let words = (0..WORDS).map(|_| word(&mut stream)).collect();
        let mut text = Self { words, stock: Vec::new(), stream, line: String::new(), done: 0 };
        for _ in 0..STOCK {
            text.fresh();
            text.stock.push(text.line.clone());
        }
        text
    }

    /// Of `0..count`, small numbers far more often than large ones.
    fn rank(&mut self, count: usize) -> usize {
        let share = self.stream.unit();
        ((count as f64 + 1.0).powf(share) - 1.0) as usize
    }

    fn fresh(&mut self) {
        self.line.clear();
        (0..self.stream.below(4)).for_each(|_| self.line.push('\t'));
        for _ in 0..1 + self.stream.below(7) {
            let (word, joint) = (self.rank(WORDS), self.rank(JOINTS.len()));
            self.line.push_str(&self.words[word.min(WORDS - 1)]);
            self.line.push_str(JOINTS[joint.min(JOINTS.len() - 1)]);
        }
        self.line.push_str(";\n");
    }

    /// The next bytes of the text.
    pub fn fill(&mut self, buffer: &mut [u8]) {
        let mut filled = 0;
        while filled < buffer.len() {
            if self.done == self.line.len() {
                self.done = 0;
                if self.stream.chance(STOCK_SHARE) {
                    let rank = self.rank(STOCK).min(STOCK - 1);
                    self.line.clone_from(&self.stock[rank]);
                } else {
                    self.fresh();
                }
            }
            let now = (buffer.len() - filled).min(self.line.len() - self.done);
            buffer[filled..filled + now].copy_from_slice(&self.line.as_bytes()[self.done..self.done + now]);
            (filled, self.done) = (filled + now, self.done + now);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bzip2::Compression;
    use bzip2::write::BzEncoder;
    use std::io::Write;

    #[test]
    fn compresses_like_the_source_of_a_kernel() {
        let mut encoder = BzEncoder::new(Vec::new(), Compression::best());
        let mut buffer = vec![0; 1_800_000];
        Text::new(1).fill(&mut buffer);
        encoder.write_all(&buffer).unwrap();
        let ratio = buffer.len() as f64 / encoder.finish().unwrap().len() as f64;
        assert!((5.0..6.2).contains(&ratio), "{ratio}");
    }

    #[test]
    fn repeats() {
        let (mut one, mut other) = ([0; 5000], [0; 5000]);
        Text::new(7).fill(&mut one);
        let mut text = Text::new(7);
        other.chunks_mut(99).for_each(|piece| text.fill(piece));
        assert!(one == other);
    }
}
