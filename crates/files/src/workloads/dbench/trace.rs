//! One loop of the load, made from statistics: set-up, 129 similar cycles, removal of everything.

use super::folders::{self, FOLDERS};

/// Operations, bytes read and bytes written of a loop.
pub const PER_LOOP: (u64, u64, u64) = (458_344, 1_472_088_767, 1_015_974_170);
/// Parts of a loop that are alike.
pub const CYCLES: u32 = 129;
/// Files that stay for the whole loop.
pub const DOCUMENTS: u16 = 57;
/// Names of files that come and go; with the documents, 135 names.
pub const TEMPORARIES: u16 = 78;
/// Names are those of folders, documents, temporary files and the pattern, in this order.
pub const FIRST_DOCUMENT: u16 = FOLDERS.len() as u16;
pub const FIRST_TEMPORARY: u16 = FIRST_DOCUMENT + DOCUMENTS;
/// What `FIND_FIRST` looks for: everything in the first folder. Whether it says that there is such a file or not, the
/// calls are the same.
pub const PATTERN: u16 = FIRST_TEMPORARY + TEMPORARIES;
/// Handles that are open at once, the first one for sessions that end before the next begins.
pub const SLOTS: u8 = 23;

/// What an entry does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Code {
    Open,
    OpenMissing,
    OpenFolder,
    Create,
    CreateFolder,
    Overwrite,
    Close,
    Read,
    Write,
    Flush,
    Query,
    QueryMissing,
    QueryFile,
    QuerySpace,
    SetFile,
    List,
    ListMissing,
    Unlink,
    Rename,
    Mkdir,
    DeleteTree,
    Lock,
    Unlock,
}

/// One operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    /// What it does.
    pub code: Code,
    /// On which handle.
    pub slot: u8,
    /// On which name, an index into [`Trace::names`].
    pub name: u16,
    /// Bytes, or the new name of a rename.
    pub size: u32,
    /// In the file.
    pub offset: u32,
}

/// The load that every client replays.
pub struct Trace {
    /// Relative to the client's folder.
    pub names: Vec<String>,
    /// One loop.
    pub entries: Vec<Entry>,
}

/// Looking through a folder for a missing name finds about as many entries as in the recorded load.
pub fn names() -> Vec<String> {
    let file = |(number, folder): (usize, u8)| {
        let (kind, end) = if number < usize::from(DOCUMENTS) { ("DOC", "DAT") } else { ("TMP", "TMP") };
        format!("{}/{kind}{number:03}.{end}", FOLDERS[usize::from(folder)])
    };
    let files = folders::of_documents().into_iter().chain(folders::of_temporaries()).enumerate().map(file);
    let patterns = [format!("{}/*", FOLDERS[0])];
    FOLDERS.iter().map(ToString::to_string).chain(files).chain(patterns).collect()
}

#[cfg(test)]
mod tests;
