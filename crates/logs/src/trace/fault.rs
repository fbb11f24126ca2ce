//! Why a trace cannot be read.

use serde::Serialize;

use crate::stream::Why;

const SHOWN: usize = 200;

/// Something in a file that is no trace, or none of this kind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Fault {
    /// Its line, counted from 1, where the file has lines.
    pub line: Option<u64>,
    /// The beginning of that line.
    pub text: String,
    /// What is wrong, as the end of a sentence about that line or that file.
    pub why: String,
}

impl Fault {
    /// About the file.
    pub fn of_file(why: impl Into<String>) -> Self {
        Self { line: None, text: String::new(), why: why.into() }
    }

    /// About a line.
    pub fn of_line(line: u64, text: &[u8], why: impl Into<String>) -> Self {
        let shown = text.trim_ascii();
        let text = String::from_utf8_lossy(&shown[..shown.len().min(SHOWN)]).into_owned();
        Self { line: Some(line), text, why: why.into() }
    }
}

impl From<Why> for Fault {
    fn from(why: Why) -> Self {
        Self::of_file(why)
    }
}
