//! Where the bytes of a served volume are, and which of them a power loss takes away.

use std::collections::{HashMap, VecDeque};
use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use super::system;
use crate::error::VolumeError;
use crate::spec::BackingSpec;

/// Granularity in which unflushed writes are remembered.
const BLOCK_BYTES: u64 = 4096;
/// How much is written between two looks at the memory in use.
const CHECK_BYTES: u64 = 1 << 20;

/// A sparse file or memory, with the memory of what is not durable yet.
#[derive(Debug)]
pub struct Backing {
    file: File,
    in_memory: bool,
    host_sync: bool,
    /// Only in memory; a file has its file system's bounds.
    memory_bytes_max: Option<u64>,
    /// Written since the memory in use was last looked at.
    unchecked_bytes: AtomicU64,
    /// Absent when the device has no volatile cache.
    unflushed: Option<Mutex<Unflushed>>,
}

/// What stood where unflushed writes are now, oldest first.
#[derive(Debug)]
struct Unflushed {
    before: HashMap<u64, Box<[u8]>>,
    order: VecDeque<u64>,
    blocks_max: usize,
}

impl Backing {
    /// Opens or creates the backing of a device of `size_bytes`; a file is never made smaller.
    pub fn open(spec: &BackingSpec, size_bytes: u64) -> Result<Self, VolumeError> {
        let (file, name) = match &spec.path {
            None => (system::memory_file(), "memory".to_owned()),
            Some(path) => {
                let mut options = OpenOptions::new();
                options.read(true).write(true).create(true).truncate(false).mode(0o600).custom_flags(libc::O_CLOEXEC);
                (options.open(path), path.display().to_string())
            }
        };
        let file = file.map_err(VolumeError::system(format!("cannot open the backing of the volume, {name}")))?;
        system::lock_file(&file).map_err(VolumeError::system(format!(
            "cannot lock {name}; if another volume uses it, give this one a file of its own"
        )))?;
        let blocks_max = (spec.volatile_cache_bytes / BLOCK_BYTES) as usize;
        let backing = Self {
            file,
            in_memory: spec.path.is_none(),
            host_sync: spec.host_sync,
            memory_bytes_max: spec.memory_bytes_max.filter(|_| spec.path.is_none()),
            unchecked_bytes: AtomicU64::new(CHECK_BYTES),
            unflushed: (blocks_max > 0).then(|| Mutex::new(Unflushed::new(blocks_max))),
        };
        backing.grow(size_bytes).map_err(VolumeError::system(format!(
            "cannot give {name} {size_bytes} bytes; ext4 holds files up to 16 TiB, XFS and memory larger ones"
        )))?;
        Ok(backing)
    }

    /// Makes room for a larger device.
    pub fn grow(&self, size_bytes: u64) -> io::Result<()> {
        if self.file.metadata()?.len() < size_bytes { self.file.set_len(size_bytes) } else { Ok(()) }
    }

    /// Fills `buffer` from `offset`.
    #[inline]
    pub fn read(&self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        self.file.read_exact_at(buffer, offset)
    }

    /// Writes all of `data`.
    #[inline]
    pub fn write(&self, data: &[u8], offset: u64) -> io::Result<()> {
        if let Some(memory_bytes_max) = self.memory_bytes_max {
            self.check_memory(data.len() as u64, memory_bytes_max)?;
        }
        let Some(unflushed) = &self.unflushed else { return self.file.write_all_at(data, offset) };
        let mut unflushed = system::lock(unflushed);
        unflushed.remember(&self.file, offset, data.len() as u64)?;
        self.file.write_all_at(data, offset)
    }

    /// Refuses a write for which there may be no memory; also one over something written before, which this cannot tell.
    fn check_memory(&self, bytes: u64, memory_bytes_max: u64) -> io::Result<()> {
        if self.unchecked_bytes.fetch_add(bytes, Ordering::Relaxed) + bytes < CHECK_BYTES {
            return Ok(());
        }
        // Blocks of 512 bytes, whatever the file system's own.
        if self.file.metadata()?.blocks() * 512 + CHECK_BYTES > memory_bytes_max {
            return Err(io::Error::from_raw_os_error(libc::ENOSPC));
        }
        self.unchecked_bytes.store(0, Ordering::Relaxed);
        Ok(())
    }

    /// Zeroes a range and gives its space back.
    pub fn discard(&self, offset: u64, bytes: u64) -> io::Result<()> {
        let Some(unflushed) = &self.unflushed else { return system::punch_hole(&self.file, offset, bytes) };
        let mut unflushed = system::lock(unflushed);
        if bytes / BLOCK_BYTES <= unflushed.blocks_max as u64 {
            unflushed.remember(&self.file, offset, bytes)?;
        } else {
            unflushed.forget();
        }
        system::punch_hole(&self.file, offset, bytes)
    }

    /// Makes every write durable on the device, and on the host if that was asked for.
    pub fn flush(&self) -> io::Result<()> {
        if let Some(unflushed) = &self.unflushed {
            system::lock(unflushed).forget();
        }
        if self.host_sync && !self.in_memory { self.file.sync_data() } else { Ok(()) }
    }

    /// Puts back what stood where unflushed writes are; returns how many bytes changed.
    pub fn lose_power(&self) -> io::Result<u64> {
        let Some(unflushed) = &self.unflushed else { return Ok(0) };
        let mut unflushed = system::lock(unflushed);
        let lost = unflushed.before.len() as u64 * BLOCK_BYTES;
        for (block, before) in &unflushed.before {
            self.file.write_all_at(before, block * BLOCK_BYTES)?;
        }
        unflushed.forget();
        Ok(lost)
    }
}

impl Unflushed {
    fn new(blocks_max: usize) -> Self {
        Self { before: HashMap::new(), order: VecDeque::new(), blocks_max }
    }

    fn remember(&mut self, file: &File, offset: u64, bytes: u64) -> io::Result<()> {
        for block in offset / BLOCK_BYTES..(offset + bytes).div_ceil(BLOCK_BYTES) {
            if self.before.contains_key(&block) {
                continue;
            }
            // The oldest write went out by itself, as it does from a full cache; its buffer takes the new one.
            let oldest = if self.order.len() == self.blocks_max { self.order.pop_front() } else { None };
            let reused = oldest.and_then(|oldest| self.before.remove(&oldest));
            let mut before = reused.unwrap_or_else(|| vec![0; BLOCK_BYTES as usize].into_boxed_slice());
            read_or_zero(file, &mut before, block * BLOCK_BYTES)?;
            self.before.insert(block, before);
            self.order.push_back(block);
        }
        Ok(())
    }

    fn forget(&mut self) {
        self.before.clear();
        self.order.clear();
    }
}

/// The last block of a device need not be a whole one.
fn read_or_zero(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<()> {
    let mut filled = 0;
    while filled < buffer.len() {
        match file.read_at(&mut buffer[filled..], offset + filled as u64)? {
            0 => break,
            bytes => filled += bytes,
        }
    }
    buffer[filled..].fill(0);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn memory(cache_blocks: u64) -> Backing {
        let spec = BackingSpec { volatile_cache_bytes: cache_blocks * BLOCK_BYTES, ..BackingSpec::default() };
        Backing::open(&spec, 64 * BLOCK_BYTES).unwrap()
    }

    fn byte(backing: &Backing, block: u64) -> u8 {
        let mut buffer = [0];
        backing.read(&mut buffer, block * BLOCK_BYTES + 5).unwrap();
        buffer[0]
    }

    proptest! {
        #[test]
        fn a_power_loss_leaves_the_last_flush(writes in proptest::collection::vec((0u64..64, 1u8..255, 0u8..10), 1..200)) {
            let backing = memory(64);
            let (mut now, mut durable) = ([0u8; 64], [0u8; 64]);
            for (block, value, flush) in writes {
                backing.write(&[value; BLOCK_BYTES as usize], block * BLOCK_BYTES).unwrap();
                now[block as usize] = value;
                if flush == 0 {
                    backing.flush().unwrap();
                    durable = now;
                }
            }
            (0..64).for_each(|b| assert_eq!(byte(&backing, b), now[b as usize]));
            backing.lose_power().unwrap();
            (0..64).for_each(|b| assert_eq!(byte(&backing, b), durable[b as usize]));
            prop_assert_eq!(backing.lose_power().unwrap(), 0);
        }
    }

    #[test]
    fn a_full_cache_writes_out_the_oldest_and_no_cache_loses_nothing() {
        let backing = memory(2);
        (0..4).for_each(|b| backing.write(&[b as u8 + 1; BLOCK_BYTES as usize], b * BLOCK_BYTES).unwrap());
        assert_eq!(backing.lose_power().unwrap(), 2 * BLOCK_BYTES);
        assert_eq!([0, 1, 2, 3].map(|b| byte(&backing, b)), [1, 2, 0, 0]);
        let without = memory(0);
        without.write(&[9; 512], 0).unwrap();
        assert_eq!((without.lose_power().unwrap(), byte(&without, 0)), (0, 9));
    }

    #[test]
    fn discarded_ranges_read_as_zero_and_come_back_after_a_power_loss() {
        let backing = memory(64);
        backing.write(&[7; 8192], 0).unwrap();
        backing.flush().unwrap();
        backing.discard(4096, 4096).unwrap();
        assert_eq!((byte(&backing, 0), byte(&backing, 1)), (7, 0));
        backing.lose_power().unwrap();
        assert_eq!(byte(&backing, 1), 7);
    }

    #[test]
    fn memory_is_bounded() {
        let spec = BackingSpec { memory_bytes_max: Some(4 << 20), ..BackingSpec::default() };
        let backing = Backing::open(&spec, 64 << 20).unwrap();
        let data = vec![1; 1 << 20];
        let refused = (0..8).find_map(|i| backing.write(&data, i << 20).err().map(|error| (i, error))).unwrap();
        assert_eq!((refused.0, refused.1.raw_os_error()), (4, Some(libc::ENOSPC)));
        assert_eq!(byte(&backing, 0), 1);
        backing.discard(0, 2 << 20).unwrap();
        backing.write(&data, 8 << 20).unwrap();
    }

    #[test]
    fn a_file_has_one_user() {
        let folder = tempfile::tempdir().unwrap();
        let spec = BackingSpec { path: Some(folder.path().join("bytes")), ..BackingSpec::default() };
        let first = Backing::open(&spec, 8192).unwrap();
        let message = Backing::open(&spec, 8192).unwrap_err().to_string();
        assert!(message.contains("a file of its own"), "{message}");
        drop(first);
        Backing::open(&spec, 8192).unwrap();
    }
}
