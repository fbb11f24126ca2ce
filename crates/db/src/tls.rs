//! Encryption of a connection.

use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::RawFd;
use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{
    AlertDescription, CertificateError, ClientConfig, ClientConnection, DigitallySignedStruct, RootCertStore,
    SignatureScheme,
};

use crate::fault::{Cause, Fault};
use crate::socket;
use crate::spec::{DbSpec, TlsMode};

/// Whom to believe.
#[derive(Debug)]
pub struct Trust {
    config: Arc<ClientConfig>,
    name: ServerName<'static>,
}

fn unusable(what: impl std::fmt::Display) -> Fault {
    Fault::broken(Cause::Connect, format!("TLS cannot be set up: {what}"))
}

/// Why the handshake failed, and what can be done about it.
fn refused(error: &io::Error) -> Fault {
    let cause = error.get_ref().and_then(|cause| cause.downcast_ref::<rustls::Error>());
    let why = match cause {
        // One with the name of a trusted authority, and another key, is not signed by it either.
        Some(rustls::Error::InvalidCertificate(CertificateError::UnknownIssuer | CertificateError::BadSignature)) => {
            "no authority that is trusted here has signed the server's certificate: name the file of the one that has in \
             ca_file, or let tls=require encrypt without verifying"
                .to_owned()
        }
        Some(rustls::Error::InvalidCertificate(CertificateError::NotValidForNameContext { expected, presented })) => {
            let names: Vec<_> = presented.iter().map(|name| plain(name)).collect();
            format!(
                "the server's certificate is for {}, not for {}: use the name of the server that it is for, or let \
                 tls=require encrypt without verifying",
                names.join(", "),
                expected.to_str()
            )
        }
        Some(rustls::Error::InvalidCertificate(error)) => {
            format!("{}, or let tls=require encrypt without verifying", defect(error))
        }
        Some(rustls::Error::AlertReceived(alert)) => match alert {
            AlertDescription::CertificateRequired | AlertDescription::BadCertificate => {
                "the server wants a client certificate, which is not supported here".to_owned()
            }
            AlertDescription::ProtocolVersion | AlertDescription::HandshakeFailure => {
                "the server supports no TLS version and cipher that is supported here (TLS 1.2 and 1.3)".to_owned()
            }
            other => format!("the server refused it (alert {})", u8::from(*other)),
        },
        Some(rustls::Error::InvalidMessage(_)) => "the server does not speak TLS at this port".to_owned(),
        Some(_) => "the server breaks the rules of TLS".to_owned(),
        None if error.kind() == ErrorKind::UnexpectedEof => "the server closed the connection".to_owned(),
        None => error.to_string(),
    };
    Fault::broken(Cause::Connect, format!("the TLS handshake failed: {why}"))
}

/// A name as it stands in a certificate, of which the library gives kind and quotes as well: `DnsName("localhost")`.
fn plain(name: &str) -> &str {
    let inner = name.split_once('(').map_or(name, |(_, rest)| rest);
    inner.trim_end_matches(')').trim_matches('"')
}

/// What is wrong with a certificate, and whose turn it is.
fn defect(error: &CertificateError) -> &'static str {
    match error {
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
            "the server's certificate has expired: renew it, look at the clock of this host"
        }
        CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
            "the server's certificate is not valid yet: look at the clocks of both hosts"
        }
        CertificateError::Revoked => "the server's certificate was revoked: renew it",
        CertificateError::InvalidPurpose | CertificateError::InvalidPurposeContext { .. } => {
            "the server's certificate is not for servers: make one that is"
        }
        // The verifier knows this error by its name only.
        CertificateError::Other(cause) if cause.to_string().contains("CaUsedAsEndEntity") => {
            "the server's certificate is one of an authority (CA:TRUE), signed by itself: make one for the server"
        }
        CertificateError::NotValidForName => "the server's certificate is for another name: use that",
        _ => "the server's certificate cannot be verified: make a plain one for the server",
    }
}

impl Trust {
    /// As asked for, for the server `host`.
    pub fn new(spec: &DbSpec, host: &str) -> Result<Self, Fault> {
        let provider = Arc::new(ring::default_provider());
        let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
            .with_safe_default_protocol_versions()
            .map_err(unusable)?;
        let config = if spec.tls == TlsMode::Verify {
            builder.with_root_certificates(authorities(spec.ca_file.as_deref())?).with_no_client_auth()
        } else {
            let anyone = Arc::new(Anyone(provider));
            builder.dangerous().with_custom_certificate_verifier(anyone).with_no_client_auth()
        };
        let name = ServerName::try_from(host.to_owned()).map_err(unusable)?;
        Ok(Self { config: Arc::new(config), name })
    }

    /// Shakes hands over a socket that waits; asks `go_on` whenever that took its time.
    pub fn shake_hands(&self, socket: RawFd, go_on: impl Fn() -> Result<(), Fault>) -> Result<Cipher, Fault> {
        let mut connection = ClientConnection::new(Arc::clone(&self.config), self.name.clone()).map_err(unusable)?;
        // The caller's buffer is the limit; what a slow socket does not take must find room here.
        connection.set_buffer_limit(None);
        while connection.is_handshaking() {
            go_on()?;
            match connection.complete_io(&mut Socket(socket)) {
                Err(error) if error.kind() != ErrorKind::WouldBlock => return Err(refused(&error)),
                _ => {}
            }
        }
        Ok(Cipher { connection })
    }
}

fn authorities(file: Option<&str>) -> Result<RootCertStore, Fault> {
    let mut store = RootCertStore::empty();
    match file {
        Some(file) => {
            let certificates =
                CertificateDer::pem_file_iter(file).map_err(|error| unusable(format!("ca_file {file}: {error}")))?;
            for certificate in certificates {
                let certificate = certificate.map_err(|error| unusable(format!("ca_file {file}: {error}")))?;
                store.add(certificate).map_err(|error| unusable(format!("ca_file {file}: {error}")))?;
            }
        }
        None => {
            store.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        }
    }
    if store.is_empty() {
        let none = "this host knows no trusted authority: name a file of certificates in ca_file".to_owned();
        return Err(unusable(file.map_or(none, |file| format!("the ca_file {file} holds no certificate (PEM)"))));
    }
    Ok(store)
}

/// One encrypted connection.
#[derive(Debug)]
pub struct Cipher {
    connection: ClientConnection,
}

impl Cipher {
    /// Encrypts and sends all of `out`, as far as the socket takes it; the rest stays here.
    pub fn send(&mut self, socket: RawFd, out: &mut Vec<u8>) -> Result<(), Fault> {
        self.connection.writer().write_all(out)?;
        out.clear();
        while self.connection.wants_write() {
            match self.connection.write_tls(&mut Socket(socket)) {
                Ok(_) => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    /// Like `recv`.
    pub fn receive(&mut self, socket: RawFd, bytes: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.connection.reader().read(bytes) {
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                other => return other,
            }
            if self.connection.read_tls(&mut Socket(socket))? == 0 {
                return Ok(0);
            }
            let invalid = |error: rustls::Error| io::Error::new(ErrorKind::InvalidData, error);
            self.connection.process_new_packets().map_err(invalid)?;
        }
    }
}

/// A socket as `rustls` wants it.
struct Socket(RawFd);

impl Read for Socket {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        socket::receive(self.0, bytes)
    }
}

impl Write for Socket {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        socket::send(self.0, bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Believes any certificate, but not a forged signature.
#[derive(Debug)]
struct Anyone(Arc<CryptoProvider>);

impl ServerCertVerifier for Anyone {
    fn verify_server_cert(
        &self,
        _end_entity: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _name: &ServerName<'_>,
        _ocsp: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls12_signature(message, certificate, signed, &self.0.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls13_signature(message, certificate, signed, &self.0.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refused_certificate_says_what_to_do() {
        let said = |error: CertificateError| {
            refused(&io::Error::new(ErrorKind::InvalidData, rustls::Error::InvalidCertificate(error))).message
        };
        assert!(said(CertificateError::UnknownIssuer).contains("ca_file"));
        assert_eq!(said(CertificateError::BadSignature), said(CertificateError::UnknownIssuer));
        let expected = ServerName::try_from("db.example.org").expect("a name");
        let presented = vec!["DnsName(\"localhost\")".to_owned(), "IpAddress(127.0.0.1)".to_owned()];
        let other = said(CertificateError::NotValidForNameContext { expected, presented });
        assert!(other.contains("is for localhost, 127.0.0.1, not for db.example.org: use the name"), "{other}");
        assert!(said(CertificateError::Expired).contains("has expired"));
        for error in [
            CertificateError::BadEncoding,
            CertificateError::BadSignature,
            CertificateError::Revoked,
            CertificateError::Other(rustls::OtherError(Arc::new(io::Error::other("CaUsedAsEndEntity")))),
        ] {
            let refusal = said(error);
            assert!(refusal.contains("tls=require"), "{refusal}");
            assert!(!refusal.contains("Other") && !refusal.contains("UsedAs"), "no structure of ours: {refusal}");
        }
        assert!(!said(CertificateError::Expired).contains("CA:TRUE"));
        let refusal = refused(&io::Error::from(ErrorKind::ConnectionReset)).message;
        assert!(refusal.starts_with("the TLS handshake failed: "), "{refusal}");
    }

    #[test]
    fn a_file_without_certificates_is_named() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        let name = file.path().to_str().expect("plain");
        let message = authorities(Some(name)).expect_err("it is empty").message;
        assert!(message.contains(name) && message.contains("no certificate"), "{message}");
        assert!(authorities(Some("/nowhere.pem")).expect_err("it is missing").message.contains("ca_file /nowhere.pem"));
    }
}
