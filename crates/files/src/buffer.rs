//! Page-aligned memory, as direct I/O needs it.

use std::alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error};
use std::ops::{Deref, DerefMut};

const ALIGNMENT: usize = 4096;

/// Zeroed bytes that begin at a page.
pub struct Buffer {
    address: *mut u8,
    layout: Layout,
}

// SAFETY: the buffer is the only handle to its bytes, so it may move to and be read from other threads like a `Vec<u8>`.
unsafe impl Send for Buffer {}
// SAFETY: shared access only reads.
unsafe impl Sync for Buffer {}

impl Buffer {
    /// `length` zero bytes; requests are checked before, so lack of memory ends the program as for a `Vec`.
    pub fn new(length: usize) -> Self {
        let Ok(layout) = Layout::from_size_align(length.max(1), ALIGNMENT) else {
            unreachable!("no workload asks for a buffer beyond the address space")
        };
        // SAFETY: the layout is not empty.
        let address = unsafe { alloc_zeroed(layout) };
        if address.is_null() {
            handle_alloc_error(layout);
        }
        Self { address, layout }
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        // SAFETY: allocated in `new` with this layout.
        unsafe { dealloc(self.address, self.layout) };
    }
}

impl Deref for Buffer {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        // SAFETY: `new` allocated and zeroed so many bytes.
        unsafe { std::slice::from_raw_parts(self.address, self.layout.size()) }
    }
}

impl DerefMut for Buffer {
    fn deref_mut(&mut self) -> &mut [u8] {
        // SAFETY: as in `deref`, and `&mut self` makes the access exclusive.
        unsafe { std::slice::from_raw_parts_mut(self.address, self.layout.size()) }
    }
}
