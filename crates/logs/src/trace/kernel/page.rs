//! A page of the kernel's ring buffer, as `trace_pipe_raw` hands it out: a time, a length, and records with differences of
//! time (`Documentation/trace/ring-buffer-design.rst` and `include/linux/ring_buffer.h` of the kernel).

const LENGTH_BITS: u64 = (1 << 27) - 1;
/// Events before this page were lost.
const MISSED: u64 = 1 << 31;
const PADDING: u32 = 29;
const TIME_EXTEND: u32 = 30;
const TIME_STAMP: u32 = 31;
/// An absolute time has no more bits; the others are those of the page.
const STAMP_BITS: u32 = 59;

/// Gives each record with its time to `sink`; says whether records were lost before this page.
pub fn records<'a>(page: &'a [u8], mut sink: impl FnMut(u64, &'a [u8])) -> bool {
    let Some((head, rest)) = page.split_first_chunk::<16>() else { return false };
    let word = |from: usize| head[from..from + 8].iter().rev().fold(0u64, |sum, byte| sum << 8 | u64::from(*byte));
    let (base, commit) = (word(0), word(8));
    let mut at_ns = base;
    let mut data = &rest[..rest.len().min((commit & LENGTH_BITS) as usize)];
    while let Some((head, rest)) = four(data) {
        let (kind, delta) = (head & 31, u64::from(head >> 5));
        let length = match (kind, four(rest)) {
            // Nothing follows on this page.
            (PADDING, _) if delta == 0 => break,
            (PADDING, Some((length, _))) => length as usize,
            (TIME_EXTEND, Some((high, _))) => {
                at_ns = at_ns.wrapping_add(u64::from(high) << 27 | delta);
                4
            }
            (TIME_STAMP, Some((high, _))) => {
                let stamp = u64::from(high) << 27 | delta;
                at_ns = stamp & ((1 << STAMP_BITS) - 1) | base >> STAMP_BITS << STAMP_BITS;
                4
            }
            (0, Some((length, data))) => {
                at_ns = at_ns.wrapping_add(delta);
                let inside = (length as usize).saturating_sub(4);
                if let Some(record) = data.get(..inside) {
                    sink(at_ns, record);
                }
                inside.next_multiple_of(4) + 4
            }
            (words, _) if words < PADDING => {
                at_ns = at_ns.wrapping_add(delta);
                let length = 4 * words as usize;
                if let Some(record) = rest.get(..length) {
                    sink(at_ns, record);
                }
                length
            }
            _ => break,
        };
        let Some(next) = rest.get(length..) else { break };
        data = next;
    }
    commit & MISSED != 0
}

fn four(bytes: &[u8]) -> Option<(u32, &[u8])> {
    bytes.split_first_chunk::<4>().map(|(head, rest)| (u32::from_le_bytes(*head), rest))
}
