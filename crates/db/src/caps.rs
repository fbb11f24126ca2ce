//! What a driver says of itself.

use serde::Serialize;

use crate::spec::Durability;

/// What a driver is and can do: all that the rest of the program knows of it, on the side of Python as well.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Caps {
    /// That of its file; as in [`crate::spec::DbSpec::driver`].
    pub name: &'static str,
    /// One sentence.
    pub description: &'static str,
    /// Schemes of its addresses, the usual one first, each with its port: 0 where there is no server behind it.
    pub schemes: &'static [(&'static str, u16)],
    /// An example of an address; empty where there is nothing to be addressed.
    pub url: &'static str,
    /// Kinds of workload.
    pub workloads: &'static [&'static str],
    /// It has a process of its own; otherwise it is embedded, and works in the threads of the clients.
    pub server: bool,
    /// Its connections can be encrypted.
    pub tls: bool,
    /// It asks for a password, or can.
    pub passwords: bool,
    /// Its connections have settings.
    pub settings: bool,
    /// Embedded: the file or folder that it makes; empty where nothing is kept beyond a job.
    pub data: &'static str,
    /// Embedded: it makes a folder, not a file.
    pub folder: bool,
    /// Embedded: what it is set to, by durability.
    pub durability: &'static [Level],
    /// Those of [`crate::outcome::Counters`] that it tells.
    pub counters: &'static [&'static str],
    /// An insert of a record that is there replaces it; otherwise it is refused.
    pub replaces: bool,
    /// What stands for all records where there are no tables: the key of an index, say.
    pub index: Option<&'static str>,
}

/// How safe a commit is, and the settings that make it so.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Level {
    /// How safe.
    pub durability: Durability,
    /// Names and values.
    pub settings: &'static [(&'static str, &'static str)],
}

impl Caps {
    /// Of a server; what is left to say is its name, its addresses and what it runs.
    pub const SERVER: Self = Self {
        name: "",
        description: "",
        schemes: &[],
        url: "",
        workloads: &[],
        server: true,
        tls: cfg!(feature = "tls"),
        passwords: true,
        settings: false,
        data: "",
        folder: false,
        durability: &[],
        counters: &[],
        replaces: false,
        index: None,
    };

    /// Of what works in the threads of the clients.
    pub const EMBEDDED: Self = Self { server: false, tls: false, passwords: false, ..Self::SERVER };
}
