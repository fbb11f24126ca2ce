//! Making the archive, before anything is timed.

use std::fs::File;
use std::io::{self, BufWriter, Write};

use bzip2::Compression;
use bzip2::write::BzEncoder;

use crate::context::WorkerContext;
use crate::fault::{Fault, Result};
use crate::phase::Phase;
use crate::tar::{BLOCK, Header, RECORD};
use crate::text::Text;
use crate::tree::Tree;

/// Folder in the archive that holds the tree.
const ROOT: &str = "linux";
/// Name of the archive in the job's folder.
pub const ARCHIVE: &str = "source.tar";
const PIECE: usize = 64 << 10;

/// Bytes of the archive before compression.
pub fn length(tree: &Tree) -> u64 {
    let blocks = |size: u32| (size as usize).div_ceil(BLOCK) + 1;
    let files: usize = tree.files.iter().map(|file| blocks(file.size)).sum();
    // Two empty blocks at the end.
    (((files + tree.folders.len() + 1 + 2) * BLOCK).next_multiple_of(RECORD)) as u64
}

/// Writes it.
pub fn make(context: &WorkerContext<'_>, tree: &Tree, phase: &Phase<'_>, compressed: bool) -> Result<()> {
    let path = phase.place().join(ARCHIVE);
    let result = File::create(&path).map(BufWriter::new).and_then(|file| {
        if compressed {
            let mut encoder = BzEncoder::new(file, Compression::best());
            fill(context, tree, phase.common.seed, &mut encoder)?;
            encoder.finish()?.flush()
        } else {
            let mut file = file;
            fill(context, tree, phase.common.seed, &mut file)?;
            file.flush()
        }
    });
    // A stop request comes as an error without a number.
    context.check()?;
    result.map_err(|error| Fault::call("write", &path.display().to_string(), None, &error))
}

fn fill(context: &WorkerContext<'_>, tree: &Tree, seed: u64, out: &mut impl Write) -> io::Result<()> {
    let mut text = Text::new(seed);
    let mut order: Vec<u32> = (0..tree.folders.len() as u32).collect();
    order.sort_unstable_by_key(|&folder| &tree.folders[folder as usize]);
    let mut by_folder: Vec<Vec<u32>> = vec![Vec::new(); tree.folders.len()];
    for (number, file) in tree.files.iter().enumerate() {
        by_folder[file.folder as usize].push(number as u32);
    }
    let folder = |path: String| Header { path, size: 0, is_folder: true }.to_block();
    out.write_all(&folder(ROOT.to_owned()))?;
    let mut buffer = vec![0; PIECE];
    for index in order {
        out.write_all(&folder(format!("{ROOT}/{}", tree.folders[index as usize])))?;
        for &number in &by_folder[index as usize] {
            let size = u64::from(tree.files[number as usize].size);
            let path = tree.path(ROOT, number).as_c().to_string_lossy().into_owned();
            out.write_all(&Header { path, size, is_folder: false }.to_block())?;
            let padded = size.next_multiple_of(BLOCK as u64);
            let mut done = 0;
            while done < padded {
                context.check().map_err(|_| io::Error::other("the job was stopped"))?;
                let piece = &mut buffer[..(padded - done).min(PIECE as u64) as usize];
                let content = (size.saturating_sub(done)).min(piece.len() as u64) as usize;
                text.fill(&mut piece[..content]);
                piece[content..].fill(0);
                out.write_all(piece)?;
                done += piece.len() as u64;
            }
        }
    }
    let end = length(tree) - (length_so_far(tree)) as u64;
    out.write_all(&vec![0; end as usize])
}

fn length_so_far(tree: &Tree) -> usize {
    let files: usize = tree.files.iter().map(|file| (file.size as usize).div_ceil(BLOCK) + 1).sum();
    (files + tree.folders.len() + 1) * BLOCK
}
