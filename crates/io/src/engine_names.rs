//! The names of the engines, known to the parameters, which know nothing of engines.

macro_rules! engine_names {
    ($($name:ident,)+) => {
        /// In the order of the list of engines.
        pub const NAMES: &[&str] = &[$(stringify!($name)),+];
    };
}

include!(concat!(env!("OUT_DIR"), "/engine_names.rs"));
