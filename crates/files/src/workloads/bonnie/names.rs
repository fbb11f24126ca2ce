//! Many files in one folder: creating, looking at and deleting them, in order and in random order.

use plimsoll_core::random::{Purpose, Stream};

use super::{Parameters, Version};
use crate::context::WorkerContext;
use crate::fault::Result;
use crate::phase::Phase;
use crate::sys::{self, Name};
use crate::tally::OpKind;
use crate::tree::shuffle;

const FOLDER: &str = "Bonnie.files";
const LETTERS: &[u8; 62] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
/// A name has up to so many random letters beside its number.
const RANDOM_LETTERS: u64 = 12;
/// Pieces in which files with content are written and read.
const PIECE: usize = 16 << 10;

/// A file name without its folder.
#[derive(Clone, Copy)]
pub struct Short {
    bytes: [u8; 31],
    length: u8,
}

impl Short {
    fn from(bytes: &[u8]) -> Self {
        let mut short = Self { bytes: [0; 31], length: bytes.len().min(31) as u8 };
        short.bytes[..bytes.len().min(31)].copy_from_slice(&bytes[..bytes.len().min(31)]);
        short
    }

    fn text(&self) -> &str {
        std::str::from_utf8(&self.bytes[..usize::from(self.length)]).unwrap_or_default()
    }

    fn path(&self) -> Name {
        Name::new(format_args!("{FOLDER}/{}", self.text()))
    }
}

/// Names and sizes are drawn anew for each order.
pub struct Names {
    stream: Stream,
    /// In the order in which they are created.
    created: Vec<Short>,
}

impl Names {
    /// Nothing is drawn yet.
    pub fn new(parameters: &Parameters, seed: u64) -> Self {
        Self { stream: Stream::new(seed, 0, Purpose::Kind), created: Vec::with_capacity(parameters.files as usize) }
    }

    /// One phase; its time.
    pub fn measure(&mut self, parameters: &Parameters, random: bool, what: &str, phase: &Phase<'_>) -> Result<u64> {
        if what == "create" {
            self.draw(parameters, random);
            let folder = Name::new(format_args!("{FOLDER}"));
            phase.solo(|context| context.quietly(|context| context.mkdir(&folder, 0o700)))?;
        }
        let two = parameters.version == Version::Two;
        let (_, elapsed_ns) = phase.timed(|context| {
            match what {
                "create" => self.create(parameters, context)?,
                "stat" => self.visit(context, random, |context, name| look(parameters, context, name))?,
                _ => {
                    self.visit(context, random, |context, name| {
                        context.unlink(name)?;
                        sync_folder(parameters, context)
                    })?;
                    let folder = Name::new(format_args!("{FOLDER}"));
                    context.call(OpKind::Rmdir, &folder, |root| root.rmdir(folder.as_c()))?;
                }
            }
            if two && what != "stat" { context.sync() } else { Ok(()) }
        })?;
        Ok(elapsed_ns)
    }

    fn draw(&mut self, parameters: &Parameters, random: bool) {
        self.created.clear();
        for number in 0..parameters.files {
            let mut letters = [0; RANDOM_LETTERS as usize];
            let count = self.stream.below(RANDOM_LETTERS + 1) as usize;
            for letter in &mut letters[..count] {
                *letter = LETTERS[self.stream.below(LETTERS.len() as u64) as usize];
            }
            let letters = std::str::from_utf8(&letters[..count]).unwrap_or_default();
            let name = match (parameters.version, random) {
                (Version::One, false) => Name::new(format_args!("{number:07}{letters}")),
                (Version::One, true) => Name::new(format_args!("{letters}{number:07}")),
                (Version::Two, false) => Name::new(format_args!("{number:010x}{letters}")),
                (Version::Two, true) => Name::new(format_args!("{letters}{number:010x}")),
            };
            self.created.push(Short::from(name.last()));
        }
    }

    fn create(&mut self, parameters: &Parameters, context: &mut WorkerContext<'_>) -> Result<()> {
        let zeros = vec![0; if parameters.file_size_max == 0 { 0 } else { PIECE }];
        for index in 0..self.created.len() {
            let name = self.created[index].path();
            let range = parameters.file_size_max - parameters.file_size_min;
            let size = parameters.file_size_min + self.stream.below(range + 1);
            let file = match parameters.version {
                Version::One => context.open(OpKind::Create, &name, libc::O_WRONLY | libc::O_CREAT | libc::O_TRUNC)?,
                Version::Two => context.open(OpKind::Create, &name, libc::O_WRONLY | libc::O_CREAT | libc::O_EXCL)?,
            };
            let mut written = 0;
            while written < size {
                let length = (size - written).min(PIECE as u64);
                context.write(&file, &zeros[..length as usize], (&name, written))?;
                written += length;
            }
            if parameters.unbuffered {
                context.fsync(&file, &name)?;
            }
            context.close(file, &name)?;
            sync_folder(parameters, context)?;
        }
        Ok(())
    }

    /// Every file once: in the order of the folder itself, or shuffled.
    fn visit(
        &mut self,
        context: &mut WorkerContext<'_>,
        random: bool,
        mut work: impl FnMut(&mut WorkerContext<'_>, &Name) -> Result<()>,
    ) -> Result<()> {
        let order = if random {
            let mut order = self.created.clone();
            shuffle(&mut order, &mut self.stream);
            order
        } else {
            let folder = Name::new(format_args!("{FOLDER}"));
            let mut order = Vec::with_capacity(self.created.len());
            context.call(OpKind::List, &folder, |root| {
                root.list(folder.as_c(), |name| {
                    order.push(Short::from(name.to_bytes()));
                    true
                })
            })?;
            order
        };
        order.iter().try_for_each(|name| work(context, &name.path()))
    }
}

/// `stat`; a file with content is opened and read.
fn look(parameters: &Parameters, context: &mut WorkerContext<'_>, name: &Name) -> Result<()> {
    let facts = context.call(OpKind::Stat, name, |root| root.stat(name.as_c()))?;
    if parameters.file_size_max == 0 {
        return Ok(());
    }
    let file = context.open(OpKind::Open, name, libc::O_RDONLY)?;
    let mut buffer = [0; PIECE];
    let mut done = 0;
    while done < facts.size {
        let length = (facts.size - done).min(PIECE as u64) as usize;
        context.read(&file, &mut buffer[..length], (name, done))?;
        done += length as u64;
    }
    context.close(file, name)
}

/// Without buffering, each change of the folder is synced.
fn sync_folder(parameters: &Parameters, context: &mut WorkerContext<'_>) -> Result<()> {
    if !parameters.unbuffered {
        return Ok(());
    }
    let name = Name::new(format_args!("{FOLDER}"));
    let folder = context.open(OpKind::Open, &name, libc::O_RDONLY | libc::O_DIRECTORY)?;
    context.fsync(&folder, &name)?;
    sys::close(folder).map_err(|error| context.fault(OpKind::Close, &name, None, &error))
}
