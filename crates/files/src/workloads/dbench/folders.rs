//! Where in a client's tree its work goes: the recorded load stays in one folder, then goes on to the next.
//!
//! Counted in the load that comes with dbench 4.0: within 50 operations its writes, new files and removals are in 1.08
//! folders and on 2.9 files. It decides how much a journal has to write for each flush: drawn from all folders at once,
//! the same operations have 66 blocks in a transaction of ext4 in place of 33.

/// Folders: the first holds the others.
pub const FOLDERS: [&str; COUNT] = [
    "~dmtmp",
    "~dmtmp/ACCESS",
    "~dmtmp/COREL",
    "~dmtmp/EXCEL",
    "~dmtmp/PARADOX",
    "~dmtmp/PM",
    "~dmtmp/PWRPNT",
    "~dmtmp/SEED",
    "~dmtmp/WORD",
    "~dmtmp/WORDPRO",
];
/// Number of folders.
pub const COUNT: usize = 10;
/// Number of each in [`FOLDERS`].
const TOP: usize = 0;
pub const ACCESS: usize = 1;
pub const COREL: usize = 2;
pub const EXCEL: usize = 3;
pub const PARADOX: usize = 4;
const PM: usize = 5;
pub const POWERPOINT: usize = 6;
pub const WORD: usize = 8;
pub const WORDPRO: usize = 9;
/// In which they are visited, the same in every cycle: what a journal holds of a folder is then written anew before its
/// space is needed.
pub const ORDER: [usize; COUNT - 1] = [WORD, PARADOX, EXCEL, WORDPRO, ACCESS, COREL, PM, TOP, POWERPOINT];
/// The folder of the large files.
pub const SEED: usize = 7;
/// Files of 1 MiB among the documents, which come first.
pub const FILLERS: u16 = 5;
/// The other documents of each folder.
const DOCUMENTS_IN: [usize; COUNT] = [0, 1, 8, 7, 18, 3, 5, 0, 6, 4];
/// Names of temporary files of each folder.
const TEMPORARIES_IN: [usize; COUNT] = [0, 5, 6, 8, 17, 18, 8, 0, 8, 8];

/// What is done in a folder how often, beside the lifecycles of files, as a recorded cycle has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Share {
    /// Sessions with documents.
    Documents,
    /// Those that flush: with one and the same, so that little waits to be written with it.
    Flushed,
    /// Sessions with large files.
    Large,
    /// Opening what is not there.
    Missing,
    /// Asking for what is not there.
    Unknown,
    /// Asking for what is there, and everything that has no folder.
    Known,
}

impl Share {
    /// All of them.
    pub const ALL: [Self; 6] = [Self::Documents, Self::Flushed, Self::Large, Self::Missing, Self::Unknown, Self::Known];

    /// Of each folder.
    pub fn weights(self) -> [u64; COUNT] {
        match self {
            Self::Documents => [0, 0, 23, 4, 96, 14, 14, 0, 4, 8],
            Self::Flushed => only(ACCESS),
            Self::Large => only(SEED),
            Self::Missing => [8, 6, 6, 8, 36, 78, 6, 0, 0, 15],
            Self::Unknown => [3, 4, 21, 28, 58, 23, 6, 0, 24, 21],
            Self::Known => [5, 12, 30, 32, 147, 38, 20, 0, 37, 45],
        }
    }
}

/// Everything in one folder.
pub const fn only(folder: usize) -> [u64; COUNT] {
    let mut weights = [0; COUNT];
    weights[folder] = 1;
    weights
}

/// The folder of each document.
pub fn of_documents() -> Vec<u8> {
    std::iter::repeat_n(SEED as u8, FILLERS.into()).chain(spread(&DOCUMENTS_IN)).collect()
}

/// The folder of each name of a temporary file.
pub fn of_temporaries() -> Vec<u8> {
    spread(&TEMPORARIES_IN).collect()
}

fn spread(counts: &[usize]) -> impl Iterator<Item = u8> {
    counts.iter().zip(0..).flat_map(|(&count, folder)| std::iter::repeat_n(folder, count))
}
