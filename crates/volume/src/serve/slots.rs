//! The memory that requests and answers are exchanged in, one slot per request under way.

use std::io;
use std::ptr::NonNull;

use io_uring::squeue;

use super::protocol;

/// What the kernel puts before a payload (`struct fuse_uring_req_header`): `fuse_in_header` or `fuse_out_header`, the
/// operation's own header, and the slot's.
const HEADERS_BYTES: usize = 288;
const OPERATION_AT: usize = 128;
const SLOT_AT: usize = 256;
const COMMIT_ID_AT: usize = SLOT_AT + 8;
const PAYLOAD_BYTES_AT: usize = SLOT_AT + 16;
/// Where in the first page of a slot its two vectors lie, as the kernel wants them when it is registered.
const VECTORS_AT: usize = 1024;
const PAYLOAD_AT: usize = 4096;
/// No power of two, so that the slots do not compete for the same place in the processor's tables.
const STRIDE: usize = PAYLOAD_AT + protocol::PAYLOAD_MAX;

/// Slots at fixed addresses; the system gives a page of them when it is first used.
#[derive(Debug)]
pub struct Slots {
    start: NonNull<u8>,
    count: usize,
}

/// One slot while it is not the kernel's.
pub struct Slot<'a> {
    headers: &'a mut [u8],
    payload: &'a mut [u8],
}

/// A request in a slot.
pub struct Parts<'a> {
    /// `fuse_in_header`.
    pub header: &'a [u8],
    /// The header of the operation.
    pub operation: &'a [u8],
    /// What is written.
    pub data: &'a [u8],
    /// Room for what is read; empty if there is data.
    pub room: &'a mut [u8],
}

// SAFETY: memory with one owner; the kernel writes to a slot only while it is registered or committed.
unsafe impl Send for Slots {}

impl Slots {
    /// So many slots, zeroed.
    pub fn new(count: usize) -> io::Result<Self> {
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        // SAFETY: maps fresh memory at an address of the kernel's choice.
        let address = unsafe { libc::mmap(std::ptr::null_mut(), count * STRIDE, protection, flags, -1, 0) };
        if address == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the range was just mapped. Small requests use a page or two of each slot; a refusal costs memory only.
        unsafe { libc::madvise(address, count * STRIDE, libc::MADV_NOHUGEPAGE) };
        let start = NonNull::new(address.cast()).ok_or_else(|| io::Error::other("mapped at address 0"))?;
        Ok(Self { start, count })
    }

    /// The slot of that number.
    #[inline]
    pub fn slot(&mut self, number: usize) -> Slot<'_> {
        assert!(number < self.count, "no slot {number} of {}", self.count);
        // SAFETY: in bounds and initialised (zeroed); `self` is borrowed, and between completion and commit the kernel leaves
        // the slot alone.
        let slot = unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr().add(number * STRIDE), STRIDE) };
        let (first, payload) = slot.split_at_mut(PAYLOAD_AT);
        Slot { headers: &mut first[..HEADERS_BYTES], payload }
    }

    /// Adds to `entry` where slot `number` is.
    pub fn locate(&self, number: usize, mut entry: squeue::Entry128) -> squeue::Entry128 {
        assert!(number < self.count, "no slot {number} of {}", self.count);
        let bytes = (&raw mut entry).cast::<u8>();
        // SAFETY: the vectors lie within the slot, aligned, and live as long as it. An entry has 128 bytes in the kernel's
        // layout, with the address at 16 and the number of vectors at 24; the crate has no setter for the second.
        unsafe {
            let slot = self.start.as_ptr().add(number * STRIDE);
            let vectors = slot.add(VECTORS_AT).cast::<[libc::iovec; 2]>();
            vectors.write([
                libc::iovec { iov_base: slot.cast(), iov_len: HEADERS_BYTES },
                libc::iovec { iov_base: slot.add(PAYLOAD_AT).cast(), iov_len: protocol::PAYLOAD_MAX },
            ]);
            bytes.add(16).cast::<u64>().write_unaligned(vectors as u64);
            bytes.add(24).cast::<u32>().write_unaligned(2);
        }
        entry
    }
}

impl Drop for Slots {
    fn drop(&mut self) {
        // SAFETY: the mapping was made by `new` with this length and nobody can hold a reference past `self`.
        unsafe { libc::munmap(self.start.as_ptr().cast(), self.count * STRIDE) };
    }
}

impl Slot<'_> {
    /// The request in it; `None` if the kernel says that there is more than fits.
    #[inline]
    pub fn parts(&mut self) -> Option<Parts<'_>> {
        let given = u32::from_ne_bytes(self.headers[PAYLOAD_BYTES_AT..][..4].try_into().ok()?) as usize;
        let (data, room) = self.payload.split_at_mut_checked(given)?;
        Some(Parts {
            header: &self.headers[..protocol::HEADER_BYTES],
            operation: &self.headers[OPERATION_AT..SLOT_AT],
            data,
            room: if given == 0 { room } else { &mut [] },
        })
    }

    /// What names the request when its answer is committed.
    #[inline]
    fn commit_id(&self) -> u64 {
        self.headers[COMMIT_ID_AT..][..8].try_into().map_or(0, u64::from_ne_bytes)
    }

    /// Puts an answer in; returns the request's name.
    #[inline]
    pub fn answer(&mut self, errno: i32, payload: &[u8]) -> u64 {
        match self.payload.get_mut(..payload.len()) {
            Some(room) => {
                room.copy_from_slice(payload);
                self.answer_in_place(errno, payload.len())
            }
            None => self.answer_in_place(libc::EIO, 0),
        }
    }

    /// The same when so many bytes of the answer are in the payload already.
    #[inline]
    pub fn answer_in_place(&mut self, errno: i32, payload_bytes: usize) -> u64 {
        let commit_id = self.commit_id();
        self.headers[..16].copy_from_slice(&protocol::reply_header(commit_id, errno, payload_bytes));
        self.headers[PAYLOAD_BYTES_AT..][..4].copy_from_slice(&(payload_bytes as u32).to_ne_bytes());
        commit_id
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slot_holds_what_is_written_or_has_room_for_what_is_read() {
        let mut slots = Slots::new(3).unwrap();
        let mut slot = slots.slot(2);
        slot.headers[PAYLOAD_BYTES_AT..][..4].copy_from_slice(&3u32.to_ne_bytes());
        slot.payload[..3].copy_from_slice(b"abc");
        let parts = slot.parts().unwrap();
        assert_eq!((parts.data, parts.room.len()), (&b"abc"[..], 0));
        slot.answer_in_place(0, 0);
        assert_eq!(slot.parts().unwrap().room.len(), protocol::PAYLOAD_MAX);
        slot.headers[PAYLOAD_BYTES_AT..][..4].copy_from_slice(&u32::MAX.to_ne_bytes());
        assert!(slot.parts().is_none());
    }

    #[test]
    fn an_answer_names_its_request_and_what_does_not_fit_is_an_error() {
        let mut slots = Slots::new(1).unwrap();
        let mut slot = slots.slot(0);
        slot.headers[COMMIT_ID_AT..][..8].copy_from_slice(&77u64.to_ne_bytes());
        assert_eq!(slot.answer(0, b"abc"), 77);
        assert_eq!(&slot.headers[..16], &protocol::reply_header(77, 0, 3));
        assert_eq!(&slot.payload[..3], b"abc");
        slot.answer(0, &vec![0; protocol::PAYLOAD_MAX + 1]);
        assert_eq!(&slot.headers[..16], &protocol::reply_header(77, libc::EIO, 0));
    }
}
