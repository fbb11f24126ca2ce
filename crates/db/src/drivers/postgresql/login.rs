//! Opening a connection to PostgreSQL.

use postgres_protocol::authentication::md5_hash;
use postgres_protocol::authentication::sasl::{ChannelBinding, SCRAM_SHA_256, ScramSha256};

use super::message::{Message, error_of, next_message, write_counted, write_message};
use super::{Postgres, PostgresqlDriver};
use crate::fault::{Cause, Fault};
use crate::wire::{Address, Wire};

const PROTOCOL: u32 = 3 << 16;
const TLS_REQUEST: u32 = 80_877_103;

impl PostgresqlDriver {
    /// A connection that waits for each answer, logged in.
    pub(super) fn log_in(&self) -> Result<Postgres, Fault> {
        let mut wire = Wire::connect(&self.address, self.setup.wait())?;
        if self.setup.spec.encrypted() {
            self.encrypt(&mut wire)?;
        }
        let user = if self.url.user.is_empty() { "postgres" } else { &self.url.user };
        let database = if self.url.path.is_empty() { user.to_owned() } else { crate::url::decode(&self.url.path) };
        write_counted(wire.out(), |body| {
            body.extend_from_slice(&PROTOCOL.to_be_bytes());
            let own = [("user", user), ("database", &database), ("application_name", "plimsoll")];
            let asked = self.setup.settings.iter().map(|(name, value)| (name.as_str(), value.as_str()));
            for (name, value) in own.into_iter().chain(asked) {
                body.extend_from_slice(name.as_bytes());
                body.push(0);
                body.extend_from_slice(value.as_bytes());
                body.push(0);
            }
            body.push(0);
        });
        wire.send()?;
        self.authenticate(&mut wire, user)?;
        let keyed = self.setup.ycsb().is_some();
        Ok(Postgres { wire, shared: std::sync::Arc::clone(&self.shared), keyed, error: None })
    }

    #[cfg(feature = "tls")]
    fn encrypt(&self, wire: &mut Wire) -> Result<(), Fault> {
        write_counted(wire.out(), |body| body.extend_from_slice(&TLS_REQUEST.to_be_bytes()));
        wire.send()?;
        while wire.data().is_empty() {
            wire.await_more()?;
        }
        let accepted = wire.data() == b"S";
        wire.consume(1);
        if !accepted {
            return Err(Fault::broken(
                Cause::Connect,
                "the server does not encrypt connections: turn TLS off or its ssl on",
            ));
        }
        let trust = crate::tls::Trust::new(&self.setup.spec, &self.url.host)?;
        wire.encrypt(&trust)
    }

    #[cfg(not(feature = "tls"))]
    fn encrypt(&self, _wire: &mut Wire) -> Result<(), Fault> {
        let _ = TLS_REQUEST;
        Err(Fault::broken(Cause::Connect, "this build cannot encrypt connections"))
    }

    /// Nobody on the way can listen.
    fn is_private(&self) -> bool {
        let here = matches!(self.url.host.as_str(), "127.0.0.1" | "::1" | "localhost");
        here || self.setup.spec.encrypted() || matches!(self.address, Address::Unix(_))
    }

    fn authenticate(&self, wire: &mut Wire, user: &str) -> Result<(), Fault> {
        let password = self.setup.password.as_deref();
        let needed = || {
            password.ok_or_else(|| {
                Fault::broken(
                    Cause::Login,
                    format!("the server wants a password for user {user:?}: name its variable in password_env"),
                )
            })
        };
        let mut scram: Option<ScramSha256> = None;
        loop {
            let Some(Message { kind, body, length }) = next_message(wire.data())? else {
                wire.await_more()?;
                continue;
            };
            let (code, rest) = match body.split_first_chunk::<4>() {
                Some((code, rest)) if kind == b'R' => (u32::from_be_bytes(*code), rest.to_vec()),
                _ => (u32::MAX, Vec::new()),
            };
            let error = (kind == b'E').then(|| error_of(body));
            wire.consume(length);
            if let Some(fault) = error {
                return Err(Fault { broken: true, ..fault });
            }
            match (kind, code) {
                (b'Z', _) => return Ok(()),
                (b'R', 0) => {}
                (b'R', 3) if !self.is_private() => return Err(in_clear_text()),
                (b'R', 3) => answer(wire, &[needed()?.as_bytes(), b"\0"].concat())?,
                (b'R', 5) => {
                    let salt = rest.try_into().map_err(|_| Fault::protocol("the server's salt is not four bytes"))?;
                    let hash = md5_hash(user.as_bytes(), needed()?.as_bytes(), salt);
                    answer(wire, &[hash.as_bytes(), b"\0"].concat())?;
                }
                (b'R', 10) => {
                    let new = ScramSha256::new(needed()?.as_bytes(), ChannelBinding::unsupported());
                    let first = new.message().to_vec();
                    scram = Some(new);
                    let mut body = [SCRAM_SHA_256.as_bytes(), b"\0"].concat();
                    body.extend_from_slice(&(first.len() as u32).to_be_bytes());
                    body.extend_from_slice(&first);
                    answer(wire, &body)?;
                }
                (b'R', 11) => {
                    let scram = scram.as_mut().ok_or_else(out_of_turn)?;
                    check_iterations(&rest)?;
                    scram.update(&rest).map_err(|error| refused(&error))?;
                    let second = scram.message().to_vec();
                    answer(wire, &second)?;
                }
                (b'R', 12) => {
                    scram.as_mut().ok_or_else(out_of_turn)?.finish(&rest).map_err(|error| refused(&error))?;
                }
                (b'R', other) => {
                    return Err(Fault::broken(
                        Cause::Login,
                        format!(
                            "the server wants authentication of kind {other}, which is not supported here: use scram-sha-256, md5 or trust"
                        ),
                    ));
                }
                _ => {}
            }
        }
    }
}

/// Rounds of a hash that the server may ask for; PostgreSQL's default is 4,096. A server could keep us busy for hours.
const MOST_ITERATIONS: u64 = 1_000_000;

fn check_iterations(message: &[u8]) -> Result<(), Fault> {
    let text = String::from_utf8_lossy(message);
    let asked: Option<u64> =
        text.split(',').find_map(|field| field.strip_prefix("i=")).and_then(|number| number.parse().ok());
    match asked {
        Some(iterations) if iterations > MOST_ITERATIONS => Err(Fault::broken(
            Cause::Login,
            format!(
                "the server wants {iterations} iterations of a hash for the password, which would take minutes: set scram_iterations to at most {MOST_ITERATIONS}"
            ),
        )),
        _ => Ok(()),
    }
}

fn answer(wire: &mut Wire, body: &[u8]) -> Result<(), Fault> {
    write_message(wire.out(), b'p', |out| out.extend_from_slice(body));
    wire.send()
}

fn in_clear_text() -> Fault {
    Fault::broken(
        Cause::Login,
        "the server wants the password itself, and everybody on the way could read it: set the TLS mode to verify, or let the server ask for scram-sha-256",
    )
}

fn out_of_turn() -> Fault {
    Fault::protocol("the server answers a password exchange that nobody began")
}

fn refused(error: &std::io::Error) -> Fault {
    Fault::broken(Cause::Login, format!("the password exchange failed: {error}"))
}
