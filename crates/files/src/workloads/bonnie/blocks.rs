//! The data file: characters and blocks.

use std::io;
use std::os::fd::OwnedFd;

use super::{Parameters, Version};
use crate::buffer::Buffer;
use crate::context::WorkerContext;
use crate::fault::Result;
use crate::phase::Phase;
use crate::stdio::Stream;
use crate::sys::{self, Name};
use crate::tally::OpKind;

/// Largest file of version 1.x.
pub const FILE_BYTES: u64 = 1 << 30;

/// The data of one job.
pub struct Blocks<'a> {
    parameters: &'a Parameters,
    /// Whole blocks only.
    pub blocks: u64,
    blocks_per_file: u64,
}

/// An open part of the data.
pub struct Part {
    /// Its path below the scratch directory.
    pub name: Name,
    /// Itself.
    pub file: OwnedFd,
}

impl<'a> Blocks<'a> {
    /// Nothing is opened.
    pub fn new(parameters: &'a Parameters) -> Self {
        let blocks = parameters.size / parameters.chunk;
        let blocks_per_file = match parameters.version {
            Version::One => (FILE_BYTES / parameters.chunk).max(1),
            Version::Two => blocks,
        };
        Self { parameters, blocks, blocks_per_file }
    }

    /// Bytes of all blocks.
    pub fn size(&self) -> u64 {
        self.blocks * self.parameters.chunk
    }

    /// Bytes of a block.
    pub fn chunk(&self) -> usize {
        self.parameters.chunk as usize
    }

    /// Version 2.x.
    pub fn two(&self) -> bool {
        self.parameters.version == Version::Two
    }

    fn name(&self, index: u64) -> Name {
        if self.two() { Name::new(format_args!("Bonnie")) } else { Name::new(format_args!("Bonnie.{index:03}")) }
    }

    /// Opens all parts; with more flags to create them, new ones, after removing what was there. Not timed.
    pub fn open(&self, context: &mut WorkerContext<'_>, create: Option<libc::c_int>) -> Result<Vec<Part>> {
        let count = self.blocks.div_ceil(self.blocks_per_file);
        context.quietly(|context| {
            (0..count)
                .map(|index| {
                    let name = self.name(index);
                    if create.is_some() {
                        remove(context, &name)?;
                    }
                    let flags = create.map_or(libc::O_RDWR, |more| libc::O_RDWR | libc::O_CREAT | libc::O_EXCL | more);
                    let kind = if create.is_some() { OpKind::Create } else { OpKind::Open };
                    Ok(Part { file: context.open(kind, &name, flags)?, name })
                })
                .collect()
        })
    }

    /// Closes all parts, within the time; 2.x always syncs first, 1.x when it is told not to buffer.
    pub fn close(&self, context: &mut WorkerContext<'_>, parts: Vec<Part>, wrote: bool) -> Result<()> {
        for Part { name, file } in parts {
            if self.two() || (wrote && self.parameters.unbuffered) {
                context.fsync(&file, &name)?;
            }
            context.close(file, &name)?;
        }
        Ok(())
    }

    /// Times `work` together with closing.
    fn timed(
        &self,
        phase: &Phase<'_>,
        (create, wrote): (Option<libc::c_int>, bool),
        work: impl FnOnce(&mut WorkerContext<'_>, &[Part]) -> Result<()>,
    ) -> Result<u64> {
        phase.solo(|context| {
            let parts = self.open(context, create)?;
            let start_ns = context.now_ns();
            work(context, &parts)?;
            self.close(context, parts, wrote)?;
            context.settle()?;
            Ok(context.now_ns() - start_ns)
        })
    }

    /// The part that a block is in, and its offset there.
    pub fn place<'b>(&self, parts: &'b [Part], block: u64) -> (&'b Part, u64) {
        (&parts[(block / self.blocks_per_file) as usize], (block % self.blocks_per_file) * self.parameters.chunk)
    }

    /// Calls `work` with each block's number, part and offset in it.
    fn each(&self, parts: &[Part], mut work: impl FnMut(u64, &Part, u64) -> Result<()>) -> Result<()> {
        (0..self.blocks).try_for_each(|block| {
            let (part, offset) = self.place(parts, block);
            work(block, part, offset)
        })
    }

    /// Characters from 0 to 127 in turn.
    pub fn write_characters(&self, phase: &Phase<'_>) -> Result<u64> {
        let text: Vec<u8> = (0..self.chunk()).map(|index| (index & 0x7f) as u8).collect();
        if self.two() {
            return self.timed(phase, (Some(0), true), |context, parts| {
                let Part { name, file } = &parts[0];
                (0..self.parameters.characters()).try_for_each(|index| {
                    let at = index as usize % text.len();
                    context.write(file, &text[at..=at], (name, index))
                })
            });
        }
        self.streams(phase, true, |context, name, stream, offset| {
            context.transfer(OpKind::Write, (name, offset), text.len(), |_| stream.put(&text)).map(drop)
        })
    }

    /// Reads them back.
    pub fn read_characters(&self, phase: &Phase<'_>) -> Result<u64> {
        if self.two() {
            let mut byte = [0];
            return self.timed(phase, (None, false), |context, parts| {
                let Part { name, file } = &parts[0];
                (0..self.parameters.characters()).try_for_each(|index| context.read(file, &mut byte, (name, index)))
            });
        }
        let mut buffer = vec![0; self.chunk()];
        self.streams(phase, false, |context, name, stream, offset| {
            let length = buffer.len();
            let done = context.transfer(OpKind::Read, (name, offset), length, |_| stream.get(&mut buffer))?;
            context.whole(OpKind::Read, (name, offset), done, length)
        })
    }

    /// Version 1.x: each part as a stream of characters, one block at a time so that latencies are those of blocks.
    fn streams(
        &self,
        phase: &Phase<'_>,
        write: bool,
        mut work: impl FnMut(&mut WorkerContext<'_>, &Name, &mut Stream, u64) -> Result<()>,
    ) -> Result<u64> {
        phase.solo(|context| {
            let mode = if write { c"w" } else { c"r" };
            let fail = |context: &WorkerContext<'_>, name: &Name, error: &io::Error| {
                context.fault(if write { OpKind::Write } else { OpKind::Read }, name, None, error)
            };
            let parts = self.open(context, write.then_some(0))?;
            let mut streams = Vec::new();
            for Part { name, file } in parts {
                let stream = Stream::new(file, mode).map_err(|error| fail(context, &name, &error))?;
                streams.push((name, stream));
            }
            let start_ns = context.now_ns();
            for block in 0..self.blocks {
                let (name, stream) = &mut streams[(block / self.blocks_per_file) as usize];
                work(context, name, stream, (block % self.blocks_per_file) * self.parameters.chunk)?;
            }
            for (name, mut stream) in streams {
                if write && self.parameters.unbuffered && context.syncs() {
                    context.call(OpKind::Fsync, &name, |_| stream.sync())?;
                }
                stream.close().map_err(|error| fail(context, &name, &error))?;
            }
            context.settle()?;
            Ok(context.now_ns() - start_ns)
        })
    }

    /// Zeros, and one byte that counts the blocks.
    pub fn write(&self, phase: &Phase<'_>) -> Result<u64> {
        let mut buffer = Buffer::new(self.chunk());
        let flags = if self.parameters.direct { libc::O_DIRECT } else { 0 };
        self.timed(phase, (Some(flags), true), |context, parts| {
            self.each(parts, |block, Part { name, file }, offset| {
                let at = (block % self.parameters.chunk) as usize;
                buffer[at] = buffer[at].wrapping_add(1);
                context.write(file, &buffer, (name, offset))
            })
        })
    }

    /// Reads each block, changes a byte, goes back and writes it.
    pub fn rewrite(&self, phase: &Phase<'_>) -> Result<u64> {
        let mut buffer = vec![0_u8; self.chunk()];
        self.timed(phase, (None, true), |context, parts| {
            self.each(parts, |block, Part { name, file }, offset| {
                context.read(file, &mut buffer, (name, offset))?;
                change(&mut buffer, block);
                write_back(context, file, &buffer, (name, offset))
            })
        })
    }

    /// Reads each block.
    pub fn read(&self, phase: &Phase<'_>) -> Result<u64> {
        let mut buffer = vec![0; self.chunk()];
        self.timed(phase, (None, false), |context, parts| {
            self.each(parts, |_, Part { name, file }, offset| context.read(file, &mut buffer, (name, offset)))
        })
    }

    /// Removes the data, before the tests of many files.
    pub fn remove(&self, phase: &Phase<'_>) -> Result<()> {
        let count = self.blocks.div_ceil(self.blocks_per_file);
        phase.solo(|context| {
            context.quietly(|context| (0..count).try_for_each(|index| remove(context, &self.name(index))))
        })
    }
}

fn remove(context: &mut WorkerContext<'_>, name: &Name) -> Result<()> {
    match context.attempt(OpKind::Delete, |folder| folder.unlink(name.as_c()))? {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(context.fault(OpKind::Delete, name, None, &error)),
        _ => Ok(()),
    }
}

/// The byte that a rewrite changes: one after the other.
pub fn change(buffer: &mut [u8], count: u64) {
    let at = (count % buffer.len() as u64) as usize;
    buffer[at] = buffer[at].wrapping_add(1);
}

/// Goes back to `offset` and writes.
pub fn write_back(
    context: &mut WorkerContext<'_>,
    file: &OwnedFd,
    bytes: &[u8],
    (name, offset): (&Name, u64),
) -> Result<()> {
    let done = context.transfer(OpKind::Write, (name, offset), bytes.len(), |done| {
        sys::seek(file, offset + done as u64)?;
        sys::write(file, &bytes[done..])
    })?;
    context.whole(OpKind::Write, (name, offset), done, bytes.len())
}
