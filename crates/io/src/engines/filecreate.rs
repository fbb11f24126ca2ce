//! `filecreate`: an operation on the name of each file.

use crate::names::{Create, Names};

/// As in fio.
pub type FilecreateEngine = Names<Create>;
