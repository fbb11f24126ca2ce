//! Giving a range back to the device, synchronously.

use std::os::fd::RawFd;

/// `BLKDISCARD` of `linux/fs.h`.
const BLKDISCARD: libc::Ioctl = 0x1277;

/// Punches a hole into a file or discards a range of a device. Returns `length`, or -1 with `errno` set.
pub fn trim(fd: RawFd, is_device: bool, offset: u64, length: u32) -> i64 {
    let result = if is_device {
        let range = [offset, u64::from(length)];
        // SAFETY: BLKDISCARD reads two u64 from the pointer, which is valid for the call.
        unsafe { libc::ioctl(fd, BLKDISCARD, range.as_ptr()) }
    } else {
        let mode = libc::FALLOC_FL_PUNCH_HOLE | libc::FALLOC_FL_KEEP_SIZE;
        // SAFETY: takes no pointers.
        unsafe { libc::fallocate64(fd, mode, offset as libc::off64_t, i64::from(length)) }
    };
    if result == 0 { i64::from(length) } else { -1 }
}
