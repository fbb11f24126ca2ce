//! From chunks to rows: lines across the borders of chunks, the first three before any of them is judged, the last.

use memchr::memchr_iter;
use serde::Serialize;

use crate::lines::Lines;

/// Why a row is none, as the end of a sentence about its text.
pub type Why = &'static str;

/// What makes one kind of log of its lines.
pub trait Rows {
    /// The character between the columns, where a line with another number of them than its neighbours is refused:
    /// a number with that character in it looks like one more column.
    const MARK: Option<u8>;

    /// No line of such a log is longer.
    const LONGEST: usize;

    /// Takes one line, without its end and never blank; `marks` is how many of them most lines have.
    fn row(&mut self, line: &[u8], marks: usize) -> Result<(), Why>;
}

/// A line that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Refusal {
    /// Counted from 1.
    pub line: u64,
    /// Its beginning.
    pub text: String,
    /// What is wrong with it, as the end of a sentence about its text.
    pub why: Why,
}

/// All lines of a log that ended well.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Whole<T> {
    /// What its rows made.
    #[serde(flatten)]
    pub found: T,
    /// Whether the last line is cut short: it has no end and cannot be read. It was left out.
    pub cut: bool,
}

impl<T> Whole<T> {
    /// The same of something else.
    pub fn map<U>(self, make: impl FnOnce(T) -> U) -> Whole<U> {
        Whole { found: make(self.found), cut: self.cut }
    }
}

const LOOKED_AT: usize = 3;
const SHOWN: usize = 200;
const TOO_LONG: Why = "is longer than any line of such a log";

/// A log while it arrives.
pub struct Stream<R> {
    rows: R,
    lines: Lines,
    /// Lines that ended.
    line: u64,
    /// The first lines that are not blank, with their numbers, until their columns are known.
    first: Vec<(u64, Vec<u8>)>,
    marks: Option<usize>,
}

impl<R: Rows> Stream<R> {
    /// Before the first byte.
    pub fn new(rows: R) -> Self {
        Self { rows, lines: Lines::default(), line: 0, first: Vec::new(), marks: None }
    }

    /// Reads on.
    pub fn feed(&mut self, chunk: &[u8]) -> Result<(), Refusal> {
        let mut lines = std::mem::take(&mut self.lines);
        let fed = lines.feed(chunk, |line| self.complete(line));
        self.lines = lines;
        fed?;
        self.bounded()
    }

    /// What all rows made. A mean or a sum without one of its rows is another number, so only a last line that was
    /// cut short is left out.
    pub fn finish(mut self) -> Result<Whole<R>, Refusal> {
        let last = self.lines.last();
        let blank = last.iter().all(u8::is_ascii_whitespace);
        if self.marks.is_none() {
            let known = self.first.iter().map(|(_, line)| line.as_slice());
            let marks = usual::<R>(known.chain((!blank).then_some(last.as_slice())));
            self.settle(marks)?;
        }
        let cut = !blank && self.rows.row(&last, self.marks.unwrap_or_default()).is_err();
        Ok(Whole { found: self.rows, cut })
    }

    fn complete(&mut self, line: &[u8]) -> Result<(), Refusal> {
        self.line += 1;
        if line.len() > R::LONGEST {
            return Err(too_long::<R>(self.line, line));
        }
        if let Some(marks) = self.marks {
            // Most lines are read without a look for blank ones; those are refused by every kind of row.
            return match self.rows.row(line, marks) {
                Err(why) if !blank(line) => Err(refusal(self.line, line, why)),
                _ => Ok(()),
            };
        }
        if !blank(line) {
            self.first.push((self.line, line.to_vec()));
        }
        if self.first.len() == LOOKED_AT {
            let marks = usual::<R>(self.first.iter().map(|(_, line)| line.as_slice()));
            return self.settle(marks);
        }
        Ok(())
    }

    fn settle(&mut self, marks: usize) -> Result<(), Refusal> {
        self.marks = Some(marks);
        for (number, line) in std::mem::take(&mut self.first) {
            self.rows.row(&line, marks).map_err(|why| refusal(number, &line, why))?;
        }
        Ok(())
    }

    fn bounded(&self) -> Result<(), Refusal> {
        let rest = self.lines.rest();
        if rest.len() > R::LONGEST {
            return Err(too_long::<R>(self.line + 1, rest));
        }
        Ok(())
    }
}

fn blank(line: &[u8]) -> bool {
    line.iter().all(u8::is_ascii_whitespace)
}

/// How many marks most of the lines have.
fn usual<'a, R: Rows>(lines: impl Iterator<Item = &'a [u8]>) -> usize {
    let Some(mark) = R::MARK else { return 0 };
    let mut counts: Vec<usize> = lines.map(|line| memchr_iter(mark, line.trim_ascii()).count()).collect();
    counts.sort_unstable();
    counts.get(counts.len() / 2).copied().unwrap_or_default()
}

/// Alike however much of the line has arrived.
fn too_long<R: Rows>(line: u64, text: &[u8]) -> Refusal {
    refusal(line, &text[..R::LONGEST.min(text.len())], TOO_LONG)
}

fn refusal(line: u64, text: &[u8], why: Why) -> Refusal {
    let shown = text.trim_ascii();
    Refusal { line, text: String::from_utf8_lossy(&shown[..shown.len().min(SHOWN)]).into_owned(), why }
}
