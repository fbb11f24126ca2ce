//! Where a database is.

use crate::fault::JobError;

/// The parts of `scheme://user@host:port/path?key=value&…`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Url {
    /// Empty when there is none.
    pub user: String,
    /// Without the brackets of IPv6.
    pub host: String,
    /// The scheme's own when there is none.
    pub port: u16,
    /// Without the first slash and without the query, still encoded.
    pub path: String,
    /// Decoded.
    pub query: Vec<(String, String)>,
    /// From the first slash on, as it was written.
    pub request: String,
}

impl Url {
    /// Reads a URL with one of `schemes`, each with its port.
    pub fn read(text: &str, schemes: &[(&str, u16)]) -> Result<Self, JobError> {
        let names = || schemes.iter().map(|(name, _)| format!("{name}://host")).collect::<Vec<_>>().join(" or ");
        // The text is not repeated in messages before it is known to hold no password.
        let Some((scheme, rest)) = text.split_once("://") else {
            return Err(JobError::spec(format!("the URL has no scheme: write it as {}", names())));
        };
        let Some(&(_, port)) = schemes.iter().find(|(name, _)| *name == scheme) else {
            return Err(JobError::spec(format!(
                "this driver has no URLs of scheme {scheme:?}: write it as {}",
                names()
            )));
        };
        if may_hold_password(scheme, rest) {
            return Err(JobError::spec(
                "the URL holds a password: put it into an environment variable and name that in password_env",
            ));
        }
        let (authority, request) = rest.find(['/', '?']).map_or((rest, ""), |at| rest.split_at(at));
        let (user, address) = authority.rsplit_once('@').unwrap_or(("", authority));
        if user.contains(':') {
            return Err(JobError::spec(
                "the URL holds a password: put it into an environment variable and name that in password_env",
            ));
        }
        let (host, port) = split_port(address, port)?;
        let (path, query) = request.split_once('?').unwrap_or((request, ""));
        let pairs = query.split('&').filter(|pair| !pair.is_empty());
        Ok(Self {
            user: decode(user),
            host: if host.is_empty() { "127.0.0.1".to_owned() } else { host.to_owned() },
            port,
            path: path.trim_start_matches('/').to_owned(),
            query: pairs
                .map(|pair| pair.split_once('=').unwrap_or((pair, "")))
                .map(|(key, value)| (decode(key), decode(value)))
                .collect(),
            request: request.to_owned(),
        })
    }

    /// The value of a query parameter.
    pub fn parameter(&self, name: &str) -> Option<&str> {
        self.query.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// Refuses parameters that nobody reads.
    pub fn only(&self, names: &[&str]) -> Result<(), JobError> {
        match self.query.iter().find(|(key, _)| !names.contains(&key.as_str())) {
            Some((key, _)) => Err(JobError::spec(format!(
                "the URL has the unknown parameter {key:?}: this driver knows {}",
                if names.is_empty() { "none".to_owned() } else { names.join(", ") }
            ))),
            None => Ok(()),
        }
    }
}

/// A password that holds `/`, `?` or `#` unescaped ends the host too early for any reader of URLs; so everything between
/// the first colon and the last `@` may be one. The path of a page may hold an `@`.
fn may_hold_password(scheme: &str, rest: &str) -> bool {
    let Some((before, _)) = rest.rsplit_once('@') else { return false };
    !scheme.starts_with("http") && before.split_once(':').is_some_and(|(user, _)| !user.contains(['/', '?', '#']))
}

/// Host and port of a URL as they were written, for messages; empty where it has none.
pub fn place(text: &str) -> &str {
    let rest = text.split_once("://").map_or("", |(_, rest)| rest);
    let authority = &rest[..rest.find(['/', '?']).unwrap_or(rest.len())];
    authority.rsplit_once('@').map_or(authority, |(_, address)| address)
}

/// The absolute path in the URL of an embedded database with one of `schemes`: `sqlite:/path` or `sqlite:///path`.
pub fn path<'a>(text: &'a str, schemes: &[(&str, u16)]) -> Option<&'a str> {
    let (scheme, rest) = text.split_once(':')?;
    let known = schemes.iter().any(|&(name, _)| name == scheme);
    Some(rest.strip_prefix("//").unwrap_or(rest)).filter(|path| known && path.starts_with('/'))
}

/// Where a database is, without the scheme and without who asks: `host:port/database`, or the path of a file, a folder or
/// a socket.
pub fn bare_place(text: &str, server: bool) -> String {
    let Some((_, rest)) = text.split_once(':') else { return String::new() };
    let Some(rest) = rest.strip_prefix("//").filter(|_| server) else {
        let path = rest.strip_prefix("//").unwrap_or(rest);
        return path.trim_end_matches('/').to_owned();
    };
    let (whole, query) = rest.split_once('?').unwrap_or((rest, ""));
    let (authority, path) = whole.split_once('/').unwrap_or((whole, ""));
    let address = authority.rsplit_once('@').map_or(authority, |(_, address)| address);
    let socket = query.split('&').find_map(|pair| pair.strip_prefix("socket=")).map(decode);
    let place = socket.unwrap_or_else(|| if address.is_empty() { "127.0.0.1".to_owned() } else { address.to_owned() });
    if path.is_empty() { place } else { format!("{place}/{path}") }
}

fn split_port(address: &str, default: u16) -> Result<(&str, u16), JobError> {
    let (host, port) = match address.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((host, rest)) => (host, rest.strip_prefix(':')),
        None => match address.split_once(':') {
            Some((host, port)) => (host, Some(port)),
            None => (address, None),
        },
    };
    match port.map(str::parse) {
        None => Ok((host, default)),
        Some(Ok(port)) => Ok((host, port)),
        Some(Err(_)) => Err(JobError::spec("the port in the URL is not a number from 1 to 65535")),
    }
}

/// Undoes `%20`; what is no such code stays.
pub fn decode(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let code = bytes.get(at + 1..at + 3).and_then(|hex| std::str::from_utf8(hex).ok());
        match code.filter(|_| bytes[at] == b'%').and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(byte) => {
                decoded.push(byte);
                at += 3;
            }
            None => {
                decoded.push(bytes[at]);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&decoded).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCHEMES: &[(&str, u16)] = &[("postgresql", 5432), ("postgres", 5432)];

    #[test]
    fn all_parts_are_read() {
        let url = Url::read("postgres://some%40one@db.example:6000/my%20db?socket=%2Ftmp&x=1", SCHEMES).unwrap();
        assert_eq!((url.user.as_str(), url.host.as_str(), url.port), ("some@one", "db.example", 6000));
        assert_eq!((url.path.as_str(), url.parameter("socket")), ("my%20db", Some("/tmp")));
        assert_eq!(url.only(&["socket"]).unwrap_err().to_string().matches('x').count(), 1);
        let short = Url::read("postgresql://", SCHEMES).unwrap();
        assert_eq!((short.host.as_str(), short.port, short.path.as_str()), ("127.0.0.1", 5432, ""));
        let six = Url::read("postgresql://[::1]:99/", SCHEMES).unwrap();
        assert_eq!((six.host.as_str(), six.port), ("::1", 99));
    }

    #[test]
    fn passwords_are_refused_and_not_repeated() {
        for text in [
            "postgresql://me:hunter2@host/db",
            "postgresql://me:x@hunter2@host/db",
            "postgresql://me:1/hunter2@host/db",
            "postgresql://me:1?hunter2#@host/db",
            "other://me:hunter2@host/db",
            "me:hunter2@host",
        ] {
            let error = Url::read(text, SCHEMES).unwrap_err();
            assert!(!error.to_string().contains("hunter2"), "{error}");
        }
        assert!(Url::read("postgresql://host:port/", SCHEMES).is_err());
    }
}
