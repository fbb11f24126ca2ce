//! `filedelete`: an operation on the name of each file.

use crate::names::{Delete, Names};

/// As in fio.
pub type FiledeleteEngine = Names<Delete>;
