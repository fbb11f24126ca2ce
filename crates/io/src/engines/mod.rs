//! The engines: one file each, one word in the list below.

use crate::engine::{Caps, Engine};

/// What is done with an engine once its name is known: one dynamic choice per job, none per operation.
pub trait Visitor {
    /// What comes back.
    type Output;
    /// Called with the engine's type.
    fn visit<E: Engine + 'static>(self) -> Self::Output;
}

/// One entry of the list.
#[derive(Debug, Clone, Copy)]
pub struct Entry {
    /// What the engine can do.
    pub caps: Caps,
    /// Why this machine cannot run it, if so.
    pub available: fn() -> Result<(), String>,
}

macro_rules! engines {
    ($($name:ident),+ $(,)?) => {
        $(mod $name;)+

        /// Every engine.
        pub const LIST: &[Entry] = &[
            $(Entry { caps: <$name::Kind as Engine>::CAPS, available: <$name::Kind as Engine>::available }),+
        ];

        /// Hands the engine called `name` to the visitor; nothing when there is none.
        pub fn with<V: Visitor>(name: &str, visitor: V) -> Option<V::Output> {
            match name {
                $(stringify!($name) => Some(visitor.visit::<$name::Kind>()),)+
                _ => None,
            }
        }
    };
}

engines!(null, psync, mmap, libaio, io_uring, falloc, ftruncate, filecreate, filestat, filedelete, cpuio);

/// The entry called `name`.
pub fn find(name: &str) -> Option<&'static Entry> {
    LIST.iter().find(|entry| entry.caps.name == name)
}
