//! The workloads: one file or folder each, found by the build script; `NAME.rs` is the test `NAME`.
//!
//! A module has `Parameters` (what can be set; the defaults are the classic values, and where versions of an original
//! differ those of its newer one) and `EXAMPLE` (a small instance as JSON, which the conformance tests of all workloads
//! run). Its text says what the original does, how this was made equal, and what the result cannot say.

use plimsoll_core::parameters::{OutOfBounds, Parameter};
use serde::{Deserialize, Serialize};

use crate::workload::Definition;

/// One entry of the list.
#[derive(Debug, Clone, Copy)]
pub struct Entry {
    /// The `kind` of its parameters.
    pub name: &'static str,
    /// Parameters of a small instance as JSON, without `kind`.
    pub example: &'static str,
    /// Its own parameters.
    pub table: fn() -> Vec<Parameter>,
}

macro_rules! workloads {
    ($($name:ident,)+) => {
        /// The parameters of any workload; `kind` is its name.
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
        #[serde(tag = "kind")]
        #[expect(non_camel_case_types, reason = "a variant is named as the module and as in JSON")]
        pub enum Parameters {
            $(
                #[doc = concat!("See [`", stringify!($name), "`].")]
                $name($name::Parameters),
            )+
        }

        impl Parameters {
            /// What can be done with any of them.
            pub fn kind(&self) -> &dyn Definition {
                match self { $(Self::$name(parameters) => parameters,)+ }
            }

            /// Refuses a value that is not within its bounds.
            pub fn check_bounds(&self) -> Result<(), OutOfBounds> {
                match self { $(Self::$name(parameters) => parameters.check_bounds(),)+ }
            }
        }

        /// Every workload.
        pub const LIST: &[Entry] = &[$(
            Entry { name: stringify!($name), example: $name::EXAMPLE, table: $name::Parameters::table }
        ),+];
    };
}

include!(concat!(env!("OUT_DIR"), "/workloads.rs"));
