//! Reading a `JobSpec` from the text that Python's `json.dumps` makes, which is not always JSON.

use plimsoll_io::spec::JobSpec;

/// Why a text is no request.
pub enum Unreadable {
    /// It would be one, but a number is not finite.
    NotFinite(String),
    /// It is not JSON, or not a `JobSpec`.
    Malformed(String),
}

impl Unreadable {
    /// One sentence.
    pub fn into_message(self) -> String {
        match self {
            Self::NotFinite(message) | Self::Malformed(message) => message,
        }
    }
}

/// The request in `text`. Python writes floats that are not finite as words that are not JSON; they are told apart from
/// malformed text, because the request as such is well formed.
pub fn read(text: &str) -> Result<JobSpec, Unreadable> {
    let error = match serde_json::from_str(text) {
        Ok(spec) => return Ok(spec),
        Err(error) => error,
    };
    let words = not_finite(text);
    let Some(first) = words.first() else { return Err(Unreadable::Malformed(error.to_string())) };
    let mut finite = text.to_owned();
    for word in words.iter().rev() {
        finite.replace_range(word.start..word.start + word.value.len(), "0");
    }
    match serde_json::from_str::<JobSpec>(&finite) {
        Ok(_) => Err(Unreadable::NotFinite(format!("{} is {}: use a finite number", first.field, first.value))),
        Err(_) => Err(Unreadable::Malformed(error.to_string())),
    }
}

/// A number that JSON does not have.
struct Word<'a> {
    /// The last string before it: the name of its field.
    field: &'a str,
    value: &'static str,
    start: usize,
}

fn not_finite(text: &str) -> Vec<Word<'_>> {
    let mut found = Vec::new();
    let mut field = "";
    let mut at = 0;
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        if rest.starts_with('"') {
            let length = string_length(rest);
            field = rest[..length].trim_matches('"');
            at += length;
        } else if let Some(value) = ["NaN", "-Infinity", "Infinity"].into_iter().find(|word| rest.starts_with(word)) {
            found.push(Word { field, value, start: at });
            at += value.len();
        } else {
            at += rest.chars().next().map_or(1, char::len_utf8);
        }
    }
    found
}

/// Bytes of the JSON string that `text` starts with, with its quotes.
fn string_length(text: &str) -> usize {
    let mut escaped = false;
    for (place, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return place + 1,
            _ => {}
        }
    }
    text.len()
}
