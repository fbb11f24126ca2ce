//! Puts something into the region before it is measured.

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::FileExt;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::spec::{JobSpec, Layout, Mode, SizeWeight};
use plimsoll_core::error::JobError;
use plimsoll_core::random::{Purpose, Stream};

use crate::beneath;
use crate::buffer::Pool;
use crate::content::Filler;
use crate::engines;
use crate::target::{self, Target};

/// Large enough for full throughput, small enough to stop quickly.
const PIECE: u64 = 1 << 20;
/// Dirty pages that may pile up before they are written back: keeps the final sync, and so a stop, short.
const DIRTY: u64 = 16 << 20;
const PAGE: u64 = 4096;
/// A year: the number of operations ends the overwriting.
const NO_LIMIT_NS: u64 = 365 * 86_400 * 1_000_000_000;

/// Bytes that filling will write; 0 when the region is kept as it is.
pub fn planned_bytes(spec: &JobSpec, target: &Target) -> u64 {
    let end = spec.offset + spec.size;
    match spec.layout {
        Layout::Keep => 0,
        Layout::Refill => spec.size,
        Layout::Fill | Layout::Random if target.length.is_some_and(|length| length >= end) => 0,
        Layout::Fill | Layout::Random => spec.size,
    }
}

/// Writes every byte of the region once and syncs. `told` is called with the bytes written so far. A file that this call
/// created or made longer is removed or cut back when it fails or is stopped, so that no half-filled file is left.
pub fn fill(spec: &JobSpec, target: &Target, stop: &AtomicBool, told: impl Fn(u64)) -> Result<u64, JobError> {
    let bytes = planned_bytes(spec, target);
    if bytes == 0 {
        return Ok(0);
    }
    let file = open(spec, target)?;
    match write(spec, target, &file, stop, told) {
        Ok(true) => Ok(bytes),
        Ok(false) => {
            take_back(target, &file);
            Ok(0)
        }
        Err(error) => {
            take_back(target, &file);
            Err(error)
        }
    }
}

fn open(spec: &JobSpec, target: &Target) -> Result<File, JobError> {
    // A region that starts or ends off a page is written through the page cache.
    let aligned = spec.direct && spec.offset.is_multiple_of(4096) && spec.size.is_multiple_of(4096);
    let mut flags = libc::O_RDWR | if aligned { libc::O_DIRECT } else { 0 };
    if target.length.is_none() {
        flags |= libc::O_CREAT | libc::O_EXCL;
    }
    let file = beneath::open(&target.path, flags).map_err(|error| target::open_failed(&target.path, &error))?;
    target::check_same(target.known(spec, 0), &file, &target.path)?;
    Ok(file)
}

/// False when it was stopped.
fn write(
    spec: &JobSpec,
    target: &Target,
    file: &File,
    stop: &AtomicBool,
    told: impl Fn(u64),
) -> Result<bool, JobError> {
    let failed = |offset: u64, error: &io::Error| layout_failed(spec, offset, error);
    reserve(spec, target, file).map_err(|error| failed(spec.offset, &error))?;
    let (_pool, mut buffers) = Pool::new(1, PIECE as usize).map_err(|error| failed(spec.offset, &error))?;
    let mut filler = Filler::new(spec, Stream::new(spec.seed, u32::MAX, Purpose::Content));
    let bytes = buffers[0].bytes_mut();
    filler.fill(bytes);
    let end = spec.offset + spec.size;
    let mut offset = spec.offset;
    while offset < end {
        if stop.load(Ordering::Relaxed) {
            return Ok(false);
        }
        let length = PIECE.min(end - offset);
        let piece = &mut bytes[..length as usize];
        filler.stamp(offset, piece);
        file.write_all_at(piece, offset).map_err(|error| failed(offset, &error))?;
        offset += length;
        let done = offset - spec.offset;
        if done.is_multiple_of(DIRTY) && !spec.direct {
            file.sync_data().map_err(|error| failed(offset, &error))?;
        }
        told(done);
    }
    file.sync_all().map_err(|error| failed(offset, &error))?;
    // A job that comes after this one knows the file by its name.
    let named = beneath::look(&target.path).map_err(|error| target::open_failed(&target.path, &error))?;
    target::check_same(Some(beneath::identity(&named)), file, &target.path)?;
    Ok(true)
}

/// Asks the file system for the space, so that a full one says so before anything is written.
fn reserve(spec: &JobSpec, target: &Target, file: &File) -> io::Result<()> {
    if target.is_device {
        return Ok(());
    }
    let (offset, size) = (spec.offset as i64, spec.size as i64);
    // SAFETY: takes no pointers; the file is open.
    if unsafe { libc::fallocate64(file.as_raw_fd(), libc::FALLOC_FL_KEEP_SIZE, offset, size) } == 0 {
        return Ok(());
    }
    let error = io::Error::last_os_error();
    match error.raw_os_error() {
        // Cannot be asked here: the writes will tell.
        Some(libc::EOPNOTSUPP | libc::ENOSYS | libc::EINTR) => Ok(()),
        _ => Err(error),
    }
}

fn take_back(target: &Target, file: &File) {
    // Nothing more can be done when this fails too; the fault itself is what the user needs to see.
    let _ = match target.length {
        None => beneath::remove(&target.path),
        Some(length) if !target.is_device => file.set_len(length),
        Some(_) => Ok(()),
    };
}

/// The job that overwrites the region of another one once, in random order, as fast as this machine can.
pub fn overwrite_spec(spec: &JobSpec) -> JobSpec {
    let unit = spec.smallest_block().max(PAGE.min(spec.size));
    let uring = engines::find("io_uring").is_some_and(|entry| (entry.available)().is_ok());
    JobSpec {
        path: spec.path.clone(),
        engine: if uring { "io_uring" } else { "psync" }.to_owned(),
        mode: Mode::Randwrite,
        block_sizes: vec![SizeWeight { size: unit, weight: 1.0 }],
        depth: if uring { 32 } else { 1 },
        size: spec.size,
        offset: spec.offset,
        direct: spec.direct,
        sync_at_end: true,
        runtime_ns: NO_LIMIT_NS,
        max_operations: Some((spec.size / unit).max(1)),
        warmup_ns: 0,
        seed: spec.seed,
        content: spec.content,
        compressible: spec.compressible,
        dedupe: spec.dedupe,
        working_set: spec.working_set,
        shared_seed: spec.shared_seed,
        pattern: spec.pattern.clone(),
        layout: Layout::Keep,
        cpus: spec.cpus.clone(),
        interval_ns: Some(1_000_000_000),
        ..JobSpec::default()
    }
}

/// A fault while overwriting is a fault of the layout.
pub fn overwrite_failed(error: JobError) -> JobError {
    match error {
        JobError::Io { message, errno, offset, .. } => {
            JobError::Layout { message: format!("laying out in random order: {message}"), errno, offset }
        }
        other => other,
    }
}

fn layout_failed(spec: &JobSpec, offset: u64, error: &io::Error) -> JobError {
    let hint = match error.raw_os_error() {
        Some(libc::ENOSPC | libc::EDQUOT) => ": free some space or use a smaller size",
        _ => "",
    };
    JobError::Layout {
        message: format!("laying out {} failed ({error}{hint})", spec.path),
        errno: error.raw_os_error(),
        offset: Some(offset),
    }
}
