//! Whose folder it is, told without opening the database: opening writes to it, and a table that its owner does not know
//! keeps him out.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use crate::fault::{Cause, Fault};
use crate::ownership::NOTE;

/// Beside the files of a database that we have made: the mark, and the tables in it that are ours.
const MARKER: &str = "MADE_BY_PLIMSOLL";
/// What RocksDB has in every database.
const CURRENT: &str = "CURRENT";

/// What a folder holds.
#[derive(Debug, PartialEq, Eq)]
pub enum Holds {
    /// Nothing, or there is no folder yet.
    Nothing,
    /// A database of ours, with these tables of ours.
    Ours(BTreeSet<String>),
    /// A database of somebody else.
    Foreign,
    /// Other files.
    Files,
}

/// Looks at the folder.
pub fn look(path: &str) -> Result<Holds, Fault> {
    let folder = Path::new(path);
    if let Some(tables) = tables(folder) {
        return Ok(Holds::Ours(tables));
    }
    if folder.join(CURRENT).exists() {
        return Ok(Holds::Foreign);
    }
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Holds::Nothing),
        Err(error) => return Err(Fault::broken(Cause::Connect, format!("cannot read the folder {path}: {error}"))),
    };
    let any = entries.flatten().any(|entry| entry.file_name() != "lost+found");
    Ok(if any { Holds::Files } else { Holds::Nothing })
}

/// Marks a folder, which is made when there is none, and names the tables in it that are ours.
pub fn mark(path: &str, tables: &BTreeSet<String>) -> Result<(), Fault> {
    let failed = |error: std::io::Error| {
        let cause = if error.kind() == std::io::ErrorKind::StorageFull { Cause::DiskFull } else { Cause::Server };
        Fault::refused(cause, format!("cannot write {}: {error}", marker(Path::new(path)).display()))
    };
    let write = || {
        fs::create_dir_all(path)?;
        let draft = Path::new(path).join(format!("{MARKER}.part"));
        let mut file = File::create(&draft)?;
        let lines: String = tables.iter().map(|table| format!("{table}\n")).collect();
        file.write_all(format!("{NOTE}\n{lines}").as_bytes())?;
        file.sync_all()?;
        fs::rename(&draft, marker(Path::new(path)))
    };
    write().map_err(failed)
}

/// Our tables in a folder with our mark.
fn tables(folder: &Path) -> Option<BTreeSet<String>> {
    let text = fs::read_to_string(marker(folder)).ok()?;
    Some(text.lines().skip(1).map(str::to_owned).collect())
}

fn marker(folder: &Path) -> PathBuf {
    folder.join(MARKER)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_told_apart() {
        let home = tempfile::tempdir().unwrap();
        let path = |name: &str| home.path().join(name).display().to_string();
        assert_eq!(look(&path("none")).unwrap(), Holds::Nothing);
        fs::create_dir_all(home.path().join("empty/lost+found")).unwrap();
        assert_eq!(look(&path("empty")).unwrap(), Holds::Nothing);
        for (name, file, expected) in [("theirs", CURRENT, Holds::Foreign), ("letters", "LOG", Holds::Files)] {
            fs::create_dir(home.path().join(name)).unwrap();
            fs::write(home.path().join(name).join(file), "x").unwrap();
            assert_eq!(look(&path(name)).unwrap(), expected);
        }
        let tables = BTreeSet::from(["usertable".to_owned()]);
        mark(&path("ours"), &tables).unwrap();
        assert_eq!(look(&path("ours")).unwrap(), Holds::Ours(tables));
    }
}
