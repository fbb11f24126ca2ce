//! The drivers: one file or folder each, found by the build script. `NAME.rs` has a type `NameDriver`, and `NAME` is what the
//! driver is called; the server that its tests need is in `tests/servers/NAME.rs`.

use crate::caps::Caps;
use crate::driver::Driver;

/// What is done with a driver once its name is known: one dynamic choice per job, none per operation.
pub trait Visitor {
    /// What comes back.
    type Output;
    /// Called with the driver's type.
    fn visit<D: Driver>(self) -> Self::Output;
}

/// One entry of the list.
#[derive(Debug, Clone, Copy)]
pub struct Entry {
    /// What the driver is and can do.
    pub caps: Caps,
    /// Why this machine cannot use it, if so.
    pub available: fn() -> Result<(), String>,
}

macro_rules! drivers {
    ($($name:ident $driver:ident,)+) => {
        /// Every driver.
        pub const LIST: &[Entry] = &[
            $(Entry { caps: <$name::$driver as Driver>::CAPS, available: <$name::$driver as Driver>::available }),+
        ];

        /// Hands the driver called `name` to the visitor; nothing when there is none.
        pub fn with<V: Visitor>(name: &str, visitor: V) -> Option<V::Output> {
            match name {
                $(stringify!($name) => Some(visitor.visit::<$name::$driver>()),)+
                _ => None,
            }
        }
    };
}

include!(concat!(env!("OUT_DIR"), "/drivers.rs"));

/// The driver called `name`.
pub fn find(name: &str) -> Option<&'static Caps> {
    LIST.iter().map(|entry| &entry.caps).find(|caps| caps.name == name)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    struct Name;

    impl Visitor for Name {
        type Output = &'static str;

        fn visit<D: Driver>(self) -> Self::Output {
            D::CAPS.name
        }
    }

    #[test]
    fn drivers_are_called_as_their_files_and_share_no_scheme() {
        let mut schemes = HashSet::new();
        for entry in LIST {
            assert_eq!(with(entry.caps.name, Name), Some(entry.caps.name));
            assert!(entry.caps.schemes.iter().all(|&(scheme, _)| schemes.insert(scheme)), "{}", entry.caps.name);
        }
    }
}
