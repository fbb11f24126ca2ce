//! The engines: one file each, found by the build script. `NAME.rs` has a type `NameEngine` (`io_uring`: `IoUringEngine`).

use crate::engine::{Caps, Engine};
pub use crate::engine_names::NAMES;

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
    ($($name:ident $engine:ident,)+) => {
        /// Every engine.
        pub const LIST: &[Entry] = &[
            $(Entry { caps: <$name::$engine as Engine>::CAPS, available: <$name::$engine as Engine>::available }),+
        ];

        /// Hands the engine called `name` to the visitor; nothing when there is none.
        pub fn with<V: Visitor>(name: &str, visitor: V) -> Option<V::Output> {
            match name {
                $(stringify!($name) => Some(visitor.visit::<$name::$engine>()),)+
                _ => None,
            }
        }
    };
}

include!(concat!(env!("OUT_DIR"), "/engines.rs"));

/// The entry called `name`.
pub fn find(name: &str) -> Option<&'static Entry> {
    LIST.iter().find(|entry| entry.caps.name == name)
}
