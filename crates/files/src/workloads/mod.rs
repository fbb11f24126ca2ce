//! The workloads: one file each, one word in the list below.
//!
//! A module has `Parameters` (what can be set, with the classic values) and `EXAMPLE` (a small instance as JSON, which the
//! conformance tests of all workloads run). Its text says what the original does, how this was made equal, and what the
//! result cannot say.

use serde::{Deserialize, Serialize};

use crate::workload::Kind;

/// One entry of the list.
#[derive(Debug, Clone, Copy)]
pub struct Entry {
    /// The `kind` of its parameters.
    pub name: &'static str,
    /// Parameters of a small instance as JSON, without `kind`.
    pub example: &'static str,
}

macro_rules! workloads {
    ($($name:ident),+ $(,)?) => {
        $(pub mod $name;)+

        /// The parameters of any workload; `kind` is its name.
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
        #[serde(tag = "kind")]
        #[expect(non_camel_case_types, reason = "a variant is named as the module and as in JSON, so that the list needs one word")]
        pub enum Parameters {
            $(
                #[doc = concat!("See [`", stringify!($name), "`].")]
                $name($name::Parameters),
            )+
        }

        impl Parameters {
            /// What can be done with any of them.
            pub fn kind(&self) -> &dyn Kind {
                match self { $(Self::$name(parameters) => parameters,)+ }
            }
        }

        /// Every workload.
        pub const LIST: &[Entry] = &[$(Entry { name: stringify!($name), example: $name::EXAMPLE }),+];
    };
}

workloads!(
    fs_mark,
    postmark,
    sqlite,
    compilebench,
    dbench,
    bonnie,
    iozone,
    tiotest,
    aio_stress,
    unpack,
    gzip,
    zcav,
    sysbench,
);
