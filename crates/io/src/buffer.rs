//! Page-aligned buffers.

use std::io;
use std::ptr::NonNull;

/// Alignment of every buffer: no device asks for more than a page.
pub const ALIGNMENT: usize = 4096;

/// One buffer of a [`Pool`]; whoever holds it may use the memory.
#[derive(Debug)]
pub struct Buffer {
    address: NonNull<u8>,
    length: usize,
    index: u16,
}

// SAFETY: a buffer is the only handle to its bytes, so it may move to another thread like a `Box<[u8]>`.
unsafe impl Send for Buffer {}

impl Buffer {
    /// Position in the pool, the index it is registered under.
    pub fn index(&self) -> u16 {
        self.index
    }

    /// First byte.
    pub fn as_mut_ptr(&mut self) -> *mut u8 {
        self.address.as_ptr()
    }

    /// All bytes.
    pub fn bytes(&self) -> &[u8] {
        // SAFETY: the pool mapped `length` bytes at `address`, initialised by the kernel to zero, for this handle alone.
        unsafe { std::slice::from_raw_parts(self.address.as_ptr(), self.length) }
    }

    /// All bytes.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: as in `bytes`, and `&mut self` makes the access exclusive.
        unsafe { std::slice::from_raw_parts_mut(self.address.as_ptr(), self.length) }
    }
}

/// The memory behind all buffers of one thread. It outlives them: see [`Pool::new`].
#[derive(Debug)]
pub struct Pool {
    address: NonNull<u8>,
    stride: usize,
    length: usize,
    count: usize,
}

impl Pool {
    /// `count` zeroed buffers of `length` bytes each, and the pool they live in. The caller keeps the pool until the
    /// last buffer is gone; [`Worker`](crate::worker) holds both and leaks them together when the kernel keeps a buffer.
    pub fn new(count: usize, length: usize) -> io::Result<(Self, Vec<Buffer>)> {
        let stride = length.next_multiple_of(ALIGNMENT);
        let too_much = || io::Error::new(io::ErrorKind::OutOfMemory, "depth times block size is too large");
        let count_u16 = u16::try_from(count).map_err(|_| too_much())?;
        let bytes = stride.checked_mul(count).ok_or_else(too_much)?;
        // SAFETY: an anonymous mapping at an address of the kernel's choice touches no memory in use.
        let address = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                bytes.max(ALIGNMENT),
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
                -1,
                0,
            )
        };
        if address == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let Some(address) = NonNull::new(address.cast::<u8>()) else { return Err(too_much()) };
        let buffers = (0..count_u16)
            .map(|index| Buffer {
                // SAFETY: `index * stride` lies inside the mapping of `count * stride` bytes.
                address: unsafe { address.add(usize::from(index) * stride) },
                length,
                index,
            })
            .collect();
        Ok((Self { address, stride, length, count }, buffers))
    }

    /// One `iovec` per buffer, for registration with the kernel.
    pub fn iovecs(&self) -> Vec<libc::iovec> {
        (0..self.count)
            .map(|index| libc::iovec {
                // SAFETY: `index * stride` lies inside the mapping.
                iov_base: unsafe { self.address.add(index * self.stride) }.as_ptr().cast(),
                iov_len: self.length,
            })
            .collect()
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        // SAFETY: the mapping was made with this address and length and its buffers are gone (see `new`).
        unsafe { libc::munmap(self.address.as_ptr().cast(), (self.stride * self.count).max(ALIGNMENT)) };
    }
}
