//! Streams of the C library, for originals that read and write one character at a time through them.

use std::ffi::CStr;
use std::io;
use std::os::fd::{AsRawFd, IntoRawFd, OwnedFd};

unsafe extern "C" {
    fn putc_unlocked(character: libc::c_int, stream: *mut libc::FILE) -> libc::c_int;
    fn getc_unlocked(stream: *mut libc::FILE) -> libc::c_int;
}

/// An open stream. In a program with one thread `putc` and `getc` do not lock; here the calls that never do stand for
/// them.
pub struct Stream(*mut libc::FILE);

impl Stream {
    /// On an open file; `mode` as for `fopen`.
    pub fn new(file: OwnedFd, mode: &CStr) -> io::Result<Self> {
        // SAFETY: the descriptor is open and the mode is a C string.
        let stream = unsafe { libc::fdopen(file.as_raw_fd(), mode.as_ptr()) };
        if stream.is_null() {
            return Err(io::Error::last_os_error());
        }
        // The stream owns it now.
        let _ = file.into_raw_fd();
        Ok(Self(stream))
    }

    /// `setvbuf`: the size of the buffer.
    pub fn buffer(&mut self, length: usize) -> io::Result<()> {
        // SAFETY: the stream is open and nothing was read or written; it allocates the buffer itself.
        let result = unsafe { libc::setvbuf(self.0, std::ptr::null_mut(), libc::_IOFBF, length) };
        if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
    }

    /// `putc` of each byte.
    pub fn put(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for &byte in bytes {
            // SAFETY: the stream is open and used by this thread alone.
            if unsafe { putc_unlocked(byte.into(), self.0) } < 0 {
                return Err(io::Error::last_os_error());
            }
        }
        Ok(bytes.len())
    }

    /// `getc` as often as the buffer has room, until the end.
    pub fn get(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        for (index, byte) in buffer.iter_mut().enumerate() {
            // SAFETY: as in `put`.
            match u8::try_from(unsafe { getc_unlocked(self.0) }) {
                Ok(found) => *byte = found,
                Err(_) => return self.ended(index),
            }
        }
        Ok(buffer.len())
    }

    /// `fwrite`.
    pub fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // SAFETY: the stream is open, the bytes live through the call.
        let done = unsafe { libc::fwrite(bytes.as_ptr().cast(), 1, bytes.len(), self.0) };
        if done == bytes.len() { Ok(done) } else { Err(io::Error::last_os_error()) }
    }

    /// `fread`.
    pub fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        // SAFETY: the stream is open, the buffer lives through the call and is as long as stated.
        let done = unsafe { libc::fread(buffer.as_mut_ptr().cast(), 1, buffer.len(), self.0) };
        if done == buffer.len() { Ok(done) } else { self.ended(done) }
    }

    fn ended(&self, done: usize) -> io::Result<usize> {
        // SAFETY: the stream is open.
        if unsafe { libc::ferror(self.0) } == 0 { Ok(done) } else { Err(io::Error::last_os_error()) }
    }

    /// `fflush`, and `fsync` of what is below.
    pub fn sync(&mut self) -> io::Result<()> {
        self.flush()?;
        // SAFETY: the stream is open.
        if unsafe { libc::fsync(libc::fileno(self.0)) } == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
    }

    /// `fflush`.
    pub fn flush(&mut self) -> io::Result<()> {
        // SAFETY: the stream is open.
        if unsafe { libc::fflush(self.0) } == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
    }

    /// `fclose`, with its result.
    pub fn close(self) -> io::Result<()> {
        let stream = self.0;
        std::mem::forget(self);
        // SAFETY: the stream is open; `forget` keeps it from being closed again.
        if unsafe { libc::fclose(stream) } == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        // SAFETY: the stream is open and not used again.
        unsafe { libc::fclose(self.0) };
    }
}
