//! Where the kernel puts what it tells, as `events/block/*/format` says it: that differs between kernels.

use crate::stream::Why;

const NO_FORMAT: Why = "is not the description of a tracepoint that is understood here";

/// What a tracepoint tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Point {
    /// An I/O is asked for.
    Queue,
    /// An I/O is split.
    Split,
    /// A request goes to the device.
    Issue,
    /// A request comes back, undone.
    Requeue,
    /// An I/O is complete, of a device that makes no requests.
    Complete,
    /// A request, or a part of one, is complete.
    Done,
}

/// Name of each tracepoint that is used.
pub const POINTS: [(&str, Point); 6] = [
    ("block_bio_queue", Point::Queue),
    ("block_split", Point::Split),
    ("block_rq_issue", Point::Issue),
    ("block_rq_requeue", Point::Requeue),
    ("block_bio_complete", Point::Complete),
    ("block_rq_complete", Point::Done),
];

/// One field of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Field {
    offset: usize,
    size: usize,
}

impl Field {
    /// Its bytes; `None` where the record is too short.
    #[inline]
    pub fn of<'a>(&self, record: &'a [u8]) -> Option<&'a [u8]> {
        record.get(self.offset..self.offset.checked_add(self.size)?)
    }

    /// It as a number of this machine, of up to 8 bytes.
    #[inline]
    pub fn number(&self, record: &[u8]) -> Option<u64> {
        let bytes = self.of(record)?;
        let mut whole = [0; 8];
        whole.get_mut(..bytes.len())?.copy_from_slice(bytes);
        Some(u64::from_le_bytes(whole))
    }

    /// It as text, up to its zero.
    #[inline]
    pub fn text<'a>(&self, record: &'a [u8]) -> Option<&'a [u8]> {
        let bytes = self.of(record)?;
        Some(&bytes[..memchr::memchr(0, bytes).unwrap_or(bytes.len())])
    }
}

/// The layout of one tracepoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layout {
    /// What it tells.
    pub point: Point,
    /// The number that its records begin with.
    pub id: u16,
    /// Device, as the kernel numbers it inside.
    pub dev: Field,
    /// First sector.
    pub sector: Field,
    /// How many; of a split, where the second part begins.
    pub second: Field,
    /// Kind.
    pub rwbs: Field,
    /// Who asked.
    pub comm: Option<Field>,
    /// 0, or what went wrong.
    pub error: Option<Field>,
}

impl Layout {
    /// From the text of `events/block/NAME/format`.
    pub fn parse(point: Point, text: &str) -> Result<Self, Why> {
        let need = |name: &str| field(text, name).ok_or(NO_FORMAT);
        let id = text.lines().find_map(|line| line.strip_prefix("ID:")).and_then(|id| id.trim().parse().ok());
        let second = if point == Point::Split { "new_sector" } else { "nr_sector" };
        Ok(Self {
            point,
            id: id.ok_or(NO_FORMAT)?,
            dev: need("dev")?,
            sector: need("sector")?,
            second: need(second)?,
            rwbs: need("rwbs")?,
            comm: field(text, "comm"),
            error: field(text, "error"),
        })
    }
}

/// `field:char rwbs[10];  offset:28;  size:10;  signed:0;`
pub fn field(text: &str, name: &str) -> Option<Field> {
    text.lines().find_map(|line| {
        let mut parts = line.trim().split(';').map(str::trim);
        let declared = parts.next()?.strip_prefix("field:")?.split_whitespace().next_back()?;
        if declared.split('[').next() != Some(name) {
            return None;
        }
        let number = |part: &str, word: &str| part.strip_prefix(word)?.parse().ok();
        let offset = number(parts.next()?, "offset:")?;
        Some(Field { offset, size: number(parts.next()?, "size:")? })
    })
}
