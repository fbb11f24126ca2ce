//! `filestat`: an operation on the name of each file.

use crate::names::{Names, Stat};

/// As in fio.
pub type FilestatEngine = Names<Stat>;
