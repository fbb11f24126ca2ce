//! State that the volumes of one instance share: a table of bucket states, in memory or in a file that several
//! processes map. Plain atomics, so a process that is killed at any point leaves it usable.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

/// Number of cells: operations, bytes, and the credits of both.
pub const CELLS: usize = 4;

/// A shared table of bucket states; all zero is "every bucket full".
#[derive(Clone)]
pub struct Cells(Arc<dyn Table>);

/// Something that holds the cells for as long as it lives.
pub trait Table: Send + Sync {
    /// The cells.
    fn cells(&self) -> &[AtomicU64; CELLS];
}

impl Table for [AtomicU64; CELLS] {
    fn cells(&self) -> &[AtomicU64; CELLS] {
        self
    }
}

impl Cells {
    /// Shared by the volumes of this process.
    pub fn memory() -> Self {
        Self(Arc::new([const { AtomicU64::new(0) }; CELLS]))
    }

    /// Shared through something else, such as a mapped file.
    pub fn of(table: Arc<dyn Table>) -> Self {
        Self(table)
    }

    /// The cells.
    #[inline]
    pub fn table(&self) -> &[AtomicU64; CELLS] {
        self.0.cells()
    }
}

impl fmt::Debug for Cells {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.table()).finish()
    }
}
