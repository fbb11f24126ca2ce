//! Compilebench 0.6 with `--makej`: making, compiling and reading kernel trees.
//!
//! **The original.** From lists of names and sizes it makes `trees` copies of a source tree in the order that the file
//! system itself lists one (found by making, walking and deleting a tree first), then adds to each the files that a
//! compilation makes, in shuffled order, then walks and reads some of the compiled trees. Files are written in pieces of
//! 256 KiB of the letter `a`. Nothing is synced within a timed part; after each phase, outside, there is a `sync`. Score of
//! a phase: mean of MiB/s over its trees.
//!
//! **Made equal.** Same calls, sizes, orders and timed parts on a tree that is made from the published statistics: files,
//! folders, bytes and size classes are exact; names are not the kernel's. `bytes` and `points` have each tree. The
//! original's clock ticks every 10 ms, this one does not. Trees of the patched kernel, which the original makes and
//! deletes before it starts, are left out: nothing of them is measured.
//!
//! **What it cannot say.** Creating and compiling end in memory unless it fills up: use `durable` = `timed`, which flushes
//! each tree within its time. Reading is from memory unless `cold` is set; the original drops caches once before it, but
//! only as root. The Python 2 original was never run here: UNVERIFIED.

use plimsoll_core::parameters::{count, parameters, share_from};
use plimsoll_core::random::{Purpose, Stream};

use crate::common::{Common, one_thread};
use crate::context::WorkerContext;
use crate::fault::Result;
use crate::outcome::{Expected, PhasePlan, Plan, Point};
use crate::phase::Phase;
use crate::sys::{self, Name};
use crate::tally::OpKind;
use crate::tree::{Tree, number_of, shuffle};
use crate::workload::{Definition, Measure, Workload, higher, lower, mib_per_second, seconds};

/// A small instance.
pub const EXAMPLE: &str = r#"{"trees":2,"reads":1,"scale":0.003}"#;

parameters! {
    /// What can be set. The seed of the classic test is 555.
    pub struct Parameters {
        /// Trees that are made and compiled.
        trees: u32 = 10, in count(1..=10_000);
        /// Compiled trees that are read.
        reads: u32 = 3, in count(1..=1000);
        /// Share of the files and bytes of the real tree.
        /// That has 21,280 files and 222 MiB; compiled 24,543 and 903.
        scale: f64 = 1.0, in share_from(0.001);
    }
}

const CHUNK: usize = 256 << 10;

impl Definition for Parameters {
    fn validate(&self, common: &Common) -> Result<()> {
        one_thread(common, "compilebench")
    }

    fn plan(&self, common: &Common) -> Plan {
        let set = Set::new(self, common.seed);
        let (source, compiled) = (set.source_bytes(), set.tree.bytes());
        let trees = u64::from(self.trees);
        let planned =
            |name: &str, writes, reads, expected| PhasePlan { name: name.to_owned(), writes, reads, expected };
        let files = set.tree.files.len() as u64;
        let read_bytes = u64::from(self.reads) * compiled;
        Plan {
            phases: vec![
                planned("initial_create", true, false, Expected::Bytes(source * trees)),
                planned("compile", true, false, Expected::Bytes((compiled - source) * trees)),
                planned("read_compiled_tree", false, true, Expected::Bytes(read_bytes)),
                planned("delete", true, false, Expected::Calls(files * trees)),
            ],
            disk_bytes: compiled * trees,
            written_bytes: source + compiled * trees,
            read_bytes,
            files: (files + set.tree.folders.len() as u64) * trees,
            memory_bytes: files * 40 + (1 << 20),
        }
    }

    fn begin(&self, common: &Common) -> Box<dyn Workload> {
        let stream = Stream::new(common.seed, 0, Purpose::Kind);
        Box::new(CompileBench {
            parameters: self.clone(),
            set: Set::new(self, common.seed),
            native: Vec::new(),
            stream,
        })
    }
}

/// One kernel.
struct Set {
    tree: Tree,
    /// Files before this one are source.
    compiled: usize,
}

impl Set {
    fn new(parameters: &Parameters, seed: u64) -> Self {
        let mut tree = Tree::source(parameters.scale, seed);
        let compiled = tree.compile(parameters.scale, seed);
        Self { tree, compiled }
    }

    fn source_bytes(&self) -> u64 {
        self.tree.files[..self.compiled].iter().map(|file| u64::from(file.size)).sum()
    }
}

struct CompileBench {
    parameters: Parameters,
    set: Set,
    /// Source files in the order of the file system.
    native: Vec<u32>,
    stream: Stream,
}

impl Workload for CompileBench {
    fn prepare(&mut self, phase: &Phase<'_>) -> Result<()> {
        let sorted: Vec<u32> = (0..self.set.compiled as u32).collect();
        self.native = phase.solo(|context| {
            write_files(context, &self.set.tree, "native-0", &sorted)?;
            let mut native = Vec::with_capacity(sorted.len());
            walk(context, &Name::new(format_args!("native-0")), &mut |_, name| {
                native.extend(number_of(name.last()));
                Ok(())
            })?;
            delete(context, &self.set.tree, "native-0", self.set.compiled)?;
            Ok(native)
        })?;
        Ok(())
    }

    fn measure(&mut self, planned: &PhasePlan, phase: &Phase<'_>) -> Result<Measure> {
        let mut order: Vec<u32> = (0..self.parameters.trees).collect();
        let points = phase.solo(|context| match planned.name.as_str() {
            "initial_create" => {
                self.each(context, &order, |context, set, native, root| write_files(context, &set.tree, root, native))
            }
            "compile" => {
                shuffle(&mut order, &mut self.stream);
                let mut added: Vec<u32> = (self.set.compiled as u32..self.set.tree.files.len() as u32).collect();
                shuffle(&mut added, &mut self.stream);
                self.each(context, &order, |context, set, _, root| write_files(context, &set.tree, root, &added))
            }
            "read_compiled_tree" => {
                let drawn = (0..self.parameters.reads).map(|_| self.stream.below(order.len() as u64) as u32);
                let drawn: Vec<u32> = drawn.collect();
                self.each(context, &drawn, |context, _, _, root| read_tree(context, root))
            }
            _ => self.each(context, &order, |context, set, _, root| {
                delete(context, &set.tree, root, set.tree.files.len()).map(|()| 0)
            }),
        })?;
        let elapsed_ns = points.iter().map(|point| point.elapsed_ns).sum();
        let rates: f64 = points.iter().map(|point| mib_per_second(point.bytes, point.elapsed_ns)).sum();
        let score = match planned.name.as_str() {
            "delete" => lower("duration", seconds(elapsed_ns), "s"),
            _ => higher("throughput", rates / points.len().max(1) as f64, "MiB/s"),
        };
        Ok(Measure {
            elapsed_ns,
            operations: points.len() as u64,
            bytes: points.iter().map(|point| point.bytes).sum(),
            scores: vec![score],
            points,
        })
    }
}

impl CompileBench {
    /// Times `work`, which says how many bytes it moved, on each of the given trees; then a `sync` that is not timed.
    fn each(
        &self,
        context: &mut WorkerContext<'_>,
        trees: &[u32],
        work: impl Fn(&mut WorkerContext<'_>, &Set, &[u32], &str) -> Result<u64>,
    ) -> Result<Vec<Point>> {
        let mut points = Vec::with_capacity(trees.len());
        for &number in trees {
            let root = format!("kernel-{number}");
            let start_ns = context.now_ns();
            let bytes = work(context, &self.set, &self.native, &root)?;
            context.settle()?;
            points.push(Point { position: number.into(), bytes, elapsed_ns: context.now_ns() - start_ns });
        }
        context.quietly(WorkerContext::sync)?;
        Ok(points)
    }
}

/// Writes files of a tree in the given order; makes folders as they are needed.
fn write_files(context: &mut WorkerContext<'_>, tree: &Tree, root: &str, order: &[u32]) -> Result<u64> {
    let letters = vec![b'a'; CHUNK];
    let mut made = vec![false; tree.folders.len()];
    let mut bytes = 0;
    context.mkdir(&Name::new(format_args!("{root}")), 0o777)?;
    for &number in order {
        let file = tree.files[number as usize];
        make_folder(context, tree, root, file.folder, &mut made)?;
        let name = tree.path(root, number);
        let open = context.open(OpKind::Create, &name, libc::O_WRONLY | libc::O_CREAT | libc::O_APPEND)?;
        sys::seek(&open, 0).map_err(|error| context.fault(OpKind::Create, &name, None, &error))?;
        let size = u64::from(file.size);
        let mut written = 0;
        while written < size {
            let length = (size - written).min(CHUNK as u64);
            context.write(&open, &letters[..length as usize], (&name, written))?;
            written += length;
        }
        context.close(open, &name)?;
        bytes += size;
    }
    Ok(bytes)
}

/// Makes a folder and those above it, once.
fn make_folder(context: &mut WorkerContext<'_>, tree: &Tree, root: &str, folder: u32, made: &mut [bool]) -> Result<()> {
    if std::mem::replace(&mut made[folder as usize], true) {
        return Ok(());
    }
    let path = &tree.folders[folder as usize];
    for (end, _) in path.match_indices('/') {
        context.mkdir(&Name::new(format_args!("{root}/{}", &path[..end])), 0o777)?;
    }
    context.mkdir(&tree.folder(root, folder), 0o777)
}

/// Calls `found` with every file below a folder: the files of a folder in listed order, then its folders.
fn walk(
    context: &mut WorkerContext<'_>,
    folder: &Name,
    found: &mut impl FnMut(&mut WorkerContext<'_>, &Name) -> Result<()>,
) -> Result<()> {
    let (mut files, mut folders) = (Vec::new(), Vec::new());
    context.call(OpKind::List, folder, |root| {
        root.list(folder.as_c(), |entry| {
            let name = entry.to_string_lossy();
            if number_of(entry.to_bytes()).is_some() { &mut files } else { &mut folders }.push(name.into_owned());
            true
        })
    })?;
    let below = |name: &str| Name::new(format_args!("{}/{name}", folder.as_c().to_string_lossy()));
    files.iter().try_for_each(|name| found(context, &below(name)))?;
    folders.iter().try_for_each(|name| walk(context, &below(name), found))
}

fn read_tree(context: &mut WorkerContext<'_>, root: &str) -> Result<u64> {
    let mut buffer = vec![0; CHUNK];
    let mut bytes = 0;
    walk(context, &Name::new(format_args!("{root}")), &mut |context, name| {
        let file = context.open(OpKind::Open, name, libc::O_RDONLY)?;
        loop {
            let at = (name, bytes);
            // One call each, until the one that finds the end.
            let done = context.transfer(OpKind::Read, at, 1, |_| sys::read(&file, &mut buffer))?;
            if done == 0 {
                break;
            }
            bytes += done as u64;
        }
        context.close(file, name)
    })?;
    Ok(bytes)
}

/// Deletes the first `files` files of a tree and all folders that are there.
fn delete(context: &mut WorkerContext<'_>, tree: &Tree, root: &str, files: usize) -> Result<()> {
    (0..files as u32).try_for_each(|number| context.unlink(&tree.path(root, number)))?;
    for folder in (0..tree.folders.len() as u32).rev() {
        let name = tree.folder(root, folder);
        match context.attempt(OpKind::Rmdir, |root| root.rmdir(name.as_c()))? {
            // Without the compile set, its folders are not there; folders without files were never made.
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(context.fault(OpKind::Rmdir, &name, None, &error));
            }
            _ => {}
        }
    }
    let name = Name::new(format_args!("{root}"));
    context.call(OpKind::Rmdir, &name, |folder| folder.rmdir(name.as_c()))
}
