//! Source trees made from the statistics of real ones: sizes, folders, depths; no content.
//!
//! The figures are those of the lists that Compilebench 0.6 ships for Linux 2.6.20 before and after compilation. Counts
//! per size class, the number of folders, files per depth and, at full scale, the sum of all sizes are exact; sizes
//! within a class and the folder of a file are drawn.

use plimsoll_core::random::{Purpose, Stream};

use crate::sys::Name;

/// A file of a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct File {
    /// Index into [`Tree::folders`].
    pub folder: u32,
    /// Bytes.
    pub size: u32,
}

/// Folders and files. The number of a file, its index, is in its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tree {
    /// Relative paths; parents come before their children.
    pub folders: Vec<String>,
    /// By number.
    pub files: Vec<File>,
}

/// Sizes up to the first number (above the one before), so many files.
type Class = (u32, u64);

const SOURCE_BYTES: u64 = 233_176_153;
const SOURCE_FOLDERS: u64 = 1_263;
const SOURCE_EMPTY_FOLDERS: u64 = 24;
/// The first class begins at 6 bytes, the last one ends with the largest file.
const SOURCE_SIZES: [Class; 13] = [
    (5, 0),
    (512, 2642),
    (1 << 10, 1835),
    (2 << 10, 2637),
    (4 << 10, 3572),
    (8 << 10, 3728),
    (16 << 10, 3197),
    (32 << 10, 2110),
    (64 << 10, 1051),
    (128 << 10, 405),
    (256 << 10, 74),
    (512 << 10, 21),
    (873_603, 8),
];
/// Files in folders of depth 1, 2, …
const SOURCE_DEPTHS: [u64; 6] = [578, 9006, 9241, 2103, 331, 21];
/// The fullest folders, all at depth 2.
const FULLEST: [u64; 4] = [745, 256, 220, 191];
/// Spread of the number of files per folder around its median: mean 17.2 over median 8 is e^(σ²/2).
const FOLDER_SIGMA: f64 = 1.237;

const COMPILED_BYTES: u64 = 713_696_760;
/// Largest files of the compile set, three kernels and three objects that hold most of the rest.
const COMPILED_LARGEST: [u32; 6] = [63_800_000, 63_800_000, 63_800_000, 47_000_000, 39_000_000, 22_600_000];
const COMPILED_SIZES: [Class; 15] = [
    (0, 410),
    (512, 262),
    (1 << 10, 34),
    (2 << 10, 38),
    (4 << 10, 21),
    (8 << 10, 26),
    (16 << 10, 1041),
    (32 << 10, 204),
    (64 << 10, 151),
    (128 << 10, 429),
    (256 << 10, 439),
    (512 << 10, 91),
    (1 << 20, 44),
    (4 << 20, 54),
    (16 << 20, 13),
];
/// Folders that only a compilation makes, folders of the source tree that it writes to, and those that it only passes.
const COMPILED_NEW_FOLDERS: u64 = 247;
const COMPILED_OLD_FOLDERS: u64 = 151;
const COMPILED_PASSED_FOLDERS: u64 = 49;

impl Tree {
    /// A source tree; `scale` (0…1, or above for a larger one) times the files, folders and bytes.
    pub fn source(scale: f64, seed: u64) -> Self {
        Self::source_with(scale, scaled(SOURCE_BYTES, scale), seed)
    }

    /// The same with another sum of sizes.
    pub fn source_with(scale: f64, bytes: u64, seed: u64) -> Self {
        let mut stream = Stream::new(seed, 0, Purpose::Size);
        let mut sizes = draw_sizes(&SOURCE_SIZES, scale, bytes, &mut stream);
        shuffle(&mut sizes, &mut stream);
        let mut tree = Self { folders: Vec::new(), files: Vec::with_capacity(sizes.len()) };
        let files_at = apportion(&SOURCE_DEPTHS, sizes.len() as u64);
        let folders_at = apportion(&files_at, scaled(SOURCE_FOLDERS - SOURCE_EMPTY_FOLDERS, scale));
        let mut above = 0..0;
        for (depth, (files, folders)) in files_at.into_iter().zip(folders_at).enumerate() {
            let full = folders.max(1).min(files);
            let empty = if depth == 0 { scaled(SOURCE_EMPTY_FOLDERS, scale) } else { 0 };
            let first = tree.folders.len() as u32;
            for _ in 0..full + empty {
                tree.add_folder(&above, &mut stream);
            }
            let fixed = if depth == 1 && scale >= 1.0 { &FULLEST[..] } else { &[] };
            for (folder, count) in (first..).zip(files_per_folder(files, full, fixed, &mut stream)) {
                tree.files.extend((0..count).map(|_| File { folder, size: 0 }));
            }
            above = first..first + (full + empty) as u32;
        }
        for (file, size) in tree.files.iter_mut().zip(sizes) {
            file.size = size;
        }
        tree
    }

    /// What a compilation adds: the number of folders and files that were there, and new ones behind them.
    pub fn compile(&mut self, scale: f64, seed: u64) -> usize {
        let mut stream = Stream::new(seed, 1, Purpose::Size);
        let large = scaled(COMPILED_LARGEST.len() as u64, scale) as usize;
        let large_bytes: u64 = COMPILED_LARGEST[..large].iter().map(|&size| u64::from(size)).sum();
        let rest = scaled(COMPILED_BYTES, scale).saturating_sub(large_bytes);
        let mut sizes = draw_sizes(&COMPILED_SIZES, scale, rest, &mut stream);
        sizes.extend(&COMPILED_LARGEST[..large]);
        shuffle(&mut sizes, &mut stream);
        let old = scaled(COMPILED_OLD_FOLDERS, scale).clamp(1, self.folders.len() as u64) as u32;
        let passed = scaled(COMPILED_PASSED_FOLDERS, scale).min(u64::from(old) - 1) as u32;
        let first = self.folders.len() as u32;
        let new = scaled(COMPILED_NEW_FOLDERS, scale).max(1) as u32;
        for number in 0..new {
            let parent = number % old;
            self.folders.push(format!("{}/o{number:x}", self.folders[parent as usize]));
        }
        let homes: Vec<u32> = (passed..old).chain(first..first + new).collect();
        let before = self.files.len();
        for (number, size) in sizes.into_iter().enumerate() {
            // Every home gets one, then they are drawn.
            let home = if number < homes.len() { number } else { stream.below(homes.len() as u64) as usize };
            self.files.push(File { folder: homes[home], size });
        }
        before
    }

    fn add_folder(&mut self, above: &std::ops::Range<u32>, stream: &mut Stream) {
        let number = self.folders.len();
        let path = match above.len() as u64 {
            0 => format!("d{number:x}"),
            count => format!("{}/d{number:x}", self.folders[above.start as usize + stream.below(count) as usize]),
        };
        self.folders.push(path);
    }

    /// Sum of all sizes.
    pub fn bytes(&self) -> u64 {
        self.files.iter().map(|file| u64::from(file.size)).sum()
    }

    /// Path of a file below `root`.
    pub fn path(&self, root: &str, number: u32) -> Name {
        let folder = &self.folders[self.files[number as usize].folder as usize];
        Name::new(format_args!("{root}/{folder}/source{number:05}.c"))
    }

    /// Path of a folder below `root`.
    pub fn folder(&self, root: &str, folder: u32) -> Name {
        Name::new(format_args!("{root}/{}", self.folders[folder as usize]))
    }
}

/// The number of a file from its name.
pub fn number_of(name: &[u8]) -> Option<u32> {
    std::str::from_utf8(name).ok()?.strip_prefix("source")?.strip_suffix(".c")?.parse().ok()
}

/// Puts a list into random order.
pub fn shuffle<T>(list: &mut [T], stream: &mut Stream) {
    for index in (1..list.len()).rev() {
        list.swap(index, stream.below(index as u64 + 1) as usize);
    }
}

/// `count` times `scale`, rounded.
fn scaled(count: u64, scale: f64) -> u64 {
    (count as f64 * scale).round() as u64
}

/// Shares `total` in proportion to `parts`: exact in sum, largest remainders first.
pub fn apportion(parts: &[u64], total: u64) -> Vec<u64> {
    let sum: u64 = parts.iter().sum::<u64>().max(1);
    let mut shares: Vec<u64> = parts.iter().map(|&part| part * total / sum).collect();
    let mut order: Vec<usize> = (0..parts.len()).collect();
    order.sort_by_key(|&index| std::cmp::Reverse(parts[index] * total % sum));
    let missing = total - shares.iter().sum::<u64>();
    order.into_iter().take(missing as usize).for_each(|index| shares[index] += 1);
    shares
}

/// Sizes by class, log-uniform within each (uniform in the first), then moved within their classes until they sum up to
/// `bytes`, as far as the classes allow.
fn draw_sizes(classes: &[Class], scale: f64, bytes: u64, stream: &mut Stream) -> Vec<u32> {
    let counts: Vec<u64> = classes.iter().map(|class| class.1).collect();
    let counts = apportion(&counts, scaled(counts.iter().sum(), scale));
    let mut drawn: Vec<(u32, u32, u32)> = Vec::new();
    let mut low = 0;
    for (&(high, _), count) in classes.iter().zip(counts) {
        let least = if low == 0 && high > 0 { 1 } else { low };
        for _ in 0..count {
            let share = stream.unit();
            let size = match least {
                0..512 => f64::from(least) + share * f64::from(high - least),
                _ => f64::from(least) * (f64::from(high) / f64::from(least)).powf(share),
            };
            drawn.push(((size as u32).clamp(low + u32::from(high > low), high), (low + 1).min(high), high));
        }
        low = high;
    }
    let sum: u64 = drawn.iter().map(|&(size, ..)| u64::from(size)).sum();
    let grow = bytes >= sum;
    let mut missing = bytes.abs_diff(sum);
    let room = |&(size, low, high): &(u32, u32, u32)| u64::from(if grow { high - size } else { size - low });
    let slack: u64 = drawn.iter().map(room).sum::<u64>().max(1);
    let share = (missing as f64 / slack as f64).min(1.0);
    for pass in 0..2 {
        for entry in &mut drawn {
            let most = room(entry);
            // First in proportion, then whatever rounding left over.
            let step = if pass == 0 { (most as f64 * share) as u64 } else { most }.min(missing);
            entry.0 = if grow { entry.0 + step as u32 } else { entry.0 - step as u32 };
            missing -= step;
        }
    }
    drawn.into_iter().map(|(size, ..)| size).collect()
}

/// Files of each of `folders` folders, `files` in all: a few given ones, the others log-normal, at least one each.
fn files_per_folder(files: u64, folders: u64, fixed: &[u64], stream: &mut Stream) -> Vec<u64> {
    let mut counts: Vec<u64> = fixed.iter().copied().take(folders as usize).collect();
    let drawn = folders as usize - counts.len();
    let left = files - counts.iter().sum::<u64>() - drawn as u64;
    // Twelve uniform numbers add up to a normal one that is good enough for the shape of a folder.
    let mut normal = || (0..12).map(|_| stream.unit()).sum::<f64>() - 6.0;
    let weights: Vec<u64> = (0..drawn).map(|_| (1000.0 * (FOLDER_SIGMA * normal()).exp()) as u64 + 1).collect();
    counts.extend(apportion(&weights, left).into_iter().map(|more| more + 1));
    counts
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn per_folder(files: &[File]) -> BTreeMap<u32, u64> {
        let mut counts = BTreeMap::new();
        files.iter().for_each(|file| *counts.entry(file.folder).or_insert(0) += 1);
        counts
    }

    #[test]
    fn the_source_tree_has_the_published_shape() {
        let tree = Tree::source(1.0, 555);
        assert_eq!((tree.files.len() as u64, tree.bytes()), (21_280, 233_176_153));
        assert_eq!(tree.folders.len(), 1_263);
        let mut low = 0;
        for (high, count) in SOURCE_SIZES {
            let found = tree.files.iter().filter(|file| file.size > low && file.size <= high).count();
            assert_eq!(found as u64, count, "up to {high}");
            low = high;
        }
        let depth = |file: &File| tree.folders[file.folder as usize].matches('/').count();
        for (index, count) in SOURCE_DEPTHS.into_iter().enumerate() {
            assert_eq!(tree.files.iter().filter(|file| depth(file) == index).count() as u64, count);
        }
        let counts = per_folder(&tree.files);
        assert_eq!(counts.len(), 1_239);
        let mut sorted: Vec<u64> = counts.into_values().collect();
        sorted.sort_unstable();
        assert_eq!(sorted.last(), Some(&745));
        assert!((6..=10).contains(&sorted[sorted.len() / 2]), "median {}", sorted[sorted.len() / 2]);
        let mut sizes: Vec<u32> = tree.files.iter().map(|file| file.size).collect();
        sizes.sort_unstable();
        // Published quantiles; within a class the sizes are drawn.
        for (share, published) in [(0.10, 390.0), (0.25, 1303.0), (0.5, 4055.0), (0.75, 11_141.0), (0.95, 43_037.0)] {
            let found = f64::from(sizes[(share * sizes.len() as f64) as usize]);
            assert!((found / published - 1.0).abs() < 0.15, "{share}: {found} {published}");
        }
    }

    #[test]
    fn a_compilation_adds_the_published_set() {
        let mut tree = Tree::source(1.0, 555);
        let before = tree.compile(1.0, 555);
        let added = &tree.files[before..];
        assert_eq!(added.len(), 3_263);
        assert_eq!(tree.bytes() - 233_176_153, 713_696_760);
        assert_eq!(tree.bytes(), 946_872_913);
        assert_eq!(tree.folders.len(), 1_510);
        assert_eq!(per_folder(added).len(), 349);
        assert_eq!(added.iter().filter(|file| file.size == 0).count(), 410);
        let mut parents: Vec<&str> = Vec::new();
        for file in added {
            let mut path = tree.folders[file.folder as usize].as_str();
            parents.push(path);
            while let Some((parent, _)) = path.rsplit_once('/') {
                (path, _) = (parent, parents.push(parent));
            }
        }
        parents.sort_unstable();
        parents.dedup();
        assert_eq!(parents.len(), 398, "folders of the set with their parents");
    }

    #[test]
    fn small_trees_keep_the_proportions_and_repeat() {
        let tree = Tree::source(0.01, 1);
        assert_eq!(tree, Tree::source(0.01, 1));
        assert_ne!(tree, Tree::source(0.01, 2));
        assert_eq!(tree.files.len(), 213);
        assert!((tree.bytes() as f64 / 2_331_761.5 - 1.0).abs() < 0.01, "{}", tree.bytes());
        assert!(tree.folders.len() >= 10);
        assert_eq!(number_of(tree.path("r", 17).last()), Some(17));
    }
}
