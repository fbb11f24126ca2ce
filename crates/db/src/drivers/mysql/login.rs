//! Opening a connection to MySQL or MariaDB.

use sha1::{Digest, Sha1};
use sha2::Sha256;

use super::packet::{Packet, Reader, error_of, next_packet, write_length, write_packet};
use super::{MySql, MysqlDriver};
use crate::console::Console;
use crate::fault::{Cause, Fault};
use crate::wire::{Address, Wire};

/// What client and server can do.
const LONG_PASSWORD: u64 = 1;
/// Rows that match are counted, not only those that change.
const FOUND_ROWS: u64 = 1 << 1;
const LONG_FLAG: u64 = 1 << 2;
const CONNECT_WITH_DB: u64 = 1 << 3;
const PROTOCOL_41: u64 = 1 << 9;
const TLS: u64 = 1 << 11;
const TRANSACTIONS: u64 = 1 << 13;
const SECURE_CONNECTION: u64 = 1 << 15;
const PLUGIN_AUTH: u64 = 1 << 19;
const LENGTH_ENCODED_AUTH: u64 = 1 << 21;
const DEPRECATE_EOF: u64 = 1 << 24;
/// MariaDB: definitions of columns that have not changed are not sent again.
const CACHE_METADATA: u64 = 1 << 36;

const LARGEST_PACKET: u32 = 1 << 24;
const UTF8MB4: u8 = 45;

/// What the server says first.
struct Greeting {
    abilities: u64,
    salt: Vec<u8>,
    plugin: String,
}

impl MysqlDriver {
    /// A connection that waits for each answer, logged in.
    pub(super) fn log_in(&self) -> Result<MySql, Fault> {
        let mut wire = Wire::connect(&self.address, self.setup.wait())?;
        let (greeting, _) = packet(&mut wire)?;
        if greeting.first() == Some(&0xFF) {
            return Err(Fault { broken: true, ..error_of(&greeting) });
        }
        let greeting = read_greeting(&greeting)?;
        let abilities = self.abilities(&greeting)?;
        let mut number = 1;
        if abilities & TLS != 0 {
            write_packet(wire.out(), number, |body| write_abilities(body, abilities));
            wire.send()?;
            self.encrypt(&mut wire)?;
            number += 1;
        }
        let user = if self.url.user.is_empty() { "root" } else { &self.url.user };
        let proof = self.proof(&greeting.plugin, &greeting.salt)?;
        write_packet(wire.out(), number, |body| {
            write_abilities(body, abilities);
            body.extend_from_slice(user.as_bytes());
            body.push(0);
            write_length(body, proof.len() as u64);
            body.extend_from_slice(&proof);
            body.extend_from_slice(crate::url::decode(&self.url.path).as_bytes());
            body.push(0);
            body.extend_from_slice(greeting.plugin.as_bytes());
            body.push(0);
        });
        wire.send()?;
        self.authenticate(&mut wire)?;
        let mut session = MySql::over(wire, self.setup.ycsb().is_some());
        for (name, value) in &self.setup.settings {
            let plain = value.bytes().all(|byte| byte.is_ascii_digit());
            let value =
                if plain { value.clone() } else { format!("'{}'", value.replace('\'', "''").replace('\\', "\\\\")) };
            session.query(&format!("SET SESSION {name} = {value}"))?;
        }
        Ok(session)
    }

    fn abilities(&self, greeting: &Greeting) -> Result<u64, Fault> {
        let needed = PROTOCOL_41 | SECURE_CONNECTION | PLUGIN_AUTH | DEPRECATE_EOF;
        if greeting.abilities & needed != needed {
            return Err(Fault::broken(Cause::Connect, "the server is too old: MySQL 5.7 or MariaDB 10.2 is needed"));
        }
        let wanted = needed
            | FOUND_ROWS
            | LONG_FLAG
            | CONNECT_WITH_DB
            | TRANSACTIONS
            | (LENGTH_ENCODED_AUTH & greeting.abilities)
            // The oldest bit tells MySQL from MariaDB, whose own abilities are in the upper half.
            | (LONG_PASSWORD & greeting.abilities)
            | if greeting.abilities & LONG_PASSWORD == 0 { CACHE_METADATA & greeting.abilities } else { 0 };
        if !self.setup.spec.encrypted() {
            return Ok(wanted);
        }
        if greeting.abilities & TLS == 0 {
            return Err(Fault::broken(
                Cause::Connect,
                "the server does not encrypt connections: turn TLS off, or its ssl on",
            ));
        }
        Ok(wanted | TLS)
    }

    #[cfg(feature = "tls")]
    fn encrypt(&self, wire: &mut Wire) -> Result<(), Fault> {
        wire.encrypt(&crate::tls::Trust::new(&self.setup.spec, &self.url.host)?)
    }

    #[cfg(not(feature = "tls"))]
    fn encrypt(&self, _wire: &mut Wire) -> Result<(), Fault> {
        Err(Fault::broken(Cause::Connect, "this build cannot encrypt connections"))
    }

    /// That we know the password, without telling it.
    fn proof(&self, plugin: &str, salt: &[u8]) -> Result<Vec<u8>, Fault> {
        let Some(password) = self.setup.password.as_deref().filter(|password| !password.is_empty()) else {
            return Ok(Vec::new());
        };
        let password = password.as_bytes();
        match plugin {
            "mysql_native_password" => {
                let once = Sha1::digest(password);
                let twice = Sha1::digest(once);
                let mask = Sha1::new().chain_update(salt).chain_update(twice).finalize();
                Ok(once.iter().zip(mask).map(|(a, b)| a ^ b).collect())
            }
            "caching_sha2_password" => {
                let once = Sha256::digest(password);
                let twice = Sha256::digest(once);
                let mask = Sha256::new().chain_update(twice).chain_update(salt).finalize();
                Ok(once.iter().zip(mask).map(|(a, b)| a ^ b).collect())
            }
            "mysql_clear_password" if self.is_private() => Ok([password, b"\0"].concat()),
            "unix_socket" | "auth_socket" => Ok(Vec::new()),
            // The server will ask again in another way, or say no.
            _ => Ok(Vec::new()),
        }
    }

    /// Nobody can listen.
    fn is_private(&self) -> bool {
        self.setup.spec.encrypted() || matches!(self.address, Address::Unix(_))
    }

    fn authenticate(&self, wire: &mut Wire) -> Result<(), Fault> {
        loop {
            let (body, number) = packet(wire)?;
            let answer = match body.first() {
                Some(0) => return Ok(()),
                Some(0xFF) => {
                    let fault = error_of(&body);
                    return Err(Fault { broken: true, ..fault });
                }
                Some(0xFE) => {
                    let mut reader = Reader::new(&body[1..]);
                    let plugin = String::from_utf8_lossy(reader.zero_ended()?).into_owned();
                    let salt = reader.rest();
                    self.known(&plugin)?;
                    self.proof(&plugin, &salt[..salt.len().min(20)])?
                }
                // caching_sha2_password: 3 is "known", 4 "the whole password, please".
                Some(1) if body.get(1) == Some(&3) => continue,
                Some(1) if body.get(1) == Some(&4) => {
                    if !self.is_private() {
                        return Err(Fault::broken(
                            Cause::Login,
                            "the server wants the whole password, which is sent over TLS or a Unix socket only: set the TLS mode to require",
                        ));
                    }
                    [self.setup.password.as_deref().unwrap_or_default().as_bytes(), b"\0"].concat()
                }
                _ => return Err(Fault::protocol("the server's answer to the login makes no sense")),
            };
            write_packet(wire.out(), number.wrapping_add(1), |body| body.extend_from_slice(&answer));
            wire.send()?;
        }
    }

    fn known(&self, plugin: &str) -> Result<(), Fault> {
        match plugin {
            "mysql_native_password" | "caching_sha2_password" | "unix_socket" | "auth_socket" => Ok(()),
            "mysql_clear_password" if self.is_private() => Ok(()),
            other => Err(Fault::broken(
                Cause::Login,
                format!(
                    "the server wants authentication by {other}, which is not supported here: use mysql_native_password or caching_sha2_password"
                ),
            )),
        }
    }
}

/// The next packet and its number.
fn packet(wire: &mut Wire) -> Result<(Vec<u8>, u8), Fault> {
    loop {
        if let Some(Packet { body, length }) = next_packet(wire.data()) {
            let found = (body.to_vec(), wire.data()[3]);
            wire.consume(length);
            return Ok(found);
        }
        wire.await_more()?;
    }
}

fn write_abilities(body: &mut Vec<u8>, abilities: u64) {
    body.extend_from_slice(&(abilities as u32).to_le_bytes());
    body.extend_from_slice(&LARGEST_PACKET.to_le_bytes());
    body.push(UTF8MB4);
    body.extend_from_slice(&[0; 19]);
    body.extend_from_slice(&((abilities >> 32) as u32).to_le_bytes());
}

fn read_greeting(body: &[u8]) -> Result<Greeting, Fault> {
    let strange = || Fault::protocol("the server does not speak the protocol of MySQL");
    let mut reader = Reader::new(body);
    if reader.bytes(1)? != [10] {
        return Err(strange());
    }
    reader.zero_ended()?;
    reader.bytes(4)?;
    let mut salt = reader.bytes(8)?.to_vec();
    reader.bytes(1)?;
    let low = reader.bytes(2)?;
    reader.bytes(3)?;
    let high = reader.bytes(2)?;
    let length = usize::from(reader.bytes(1)?[0]);
    let reserved = reader.bytes(10)?;
    salt.extend_from_slice(reader.bytes(length.saturating_sub(8).max(13))?);
    salt.truncate(20);
    let plugin = reader.zero_ended().unwrap_or(reader.rest());
    let word = |bytes: &[u8]| bytes.iter().rev().fold(0u64, |sum, &byte| sum << 8 | u64::from(byte));
    Ok(Greeting {
        abilities: word(low) | word(high) << 16 | word(&reserved[6..]) << 32,
        salt,
        plugin: String::from_utf8_lossy(plugin).into_owned(),
    })
}
