//! The drivers: one file each, one word in the list below.

use crate::driver::{Caps, Driver};

/// What is done with a driver once its name is known: one dynamic choice per job, none per operation.
pub trait Visitor {
    /// What comes back.
    type Output;
    /// Called with the driver's type.
    fn visit<D: Driver>(self) -> Self::Output;
}

macro_rules! drivers {
    ($($name:ident),+ $(,)?) => {
        $(mod $name;)+

        /// Every driver.
        pub const LIST: &[Caps] = &[$(<$name::Kind as Driver>::CAPS),+];

        /// Hands the driver called `name` to the visitor; nothing when there is none.
        pub fn with<V: Visitor>(name: &str, visitor: V) -> Option<V::Output> {
            $(if name == <$name::Kind as Driver>::CAPS.name {
                return Some(visitor.visit::<$name::Kind>());
            })+
            None
        }
    };
}

drivers!(null, memory, sqlite, rocksdb, postgres, mysql, redis, http);

/// The driver called `name`.
pub fn find(name: &str) -> Option<&'static Caps> {
    LIST.iter().find(|caps| caps.name == name)
}
