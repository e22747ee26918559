//! From a host's name to a connection with it: looked up once, checked, and then connected to what was checked.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use rustls::ClientConfig;
use rustls::crypto::ring::default_provider;
use rustls::pki_types::ServerName;
use rustls_platform_verifier::Verifier;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::sync::OnceCell;
use tokio::task::{JoinSet, spawn_blocking};
use tokio::time::sleep;
use tokio_rustls::TlsConnector;
use url::Host;

use super::address::is_public;
use super::host::{Destination, Scheme};
use super::network::Network;

/// How long one address has before the next is tried beside it.
const STAGGER: Duration = Duration::from_millis(250);

/// How many addresses of a name are tried.
const MAX_ADDRESSES: usize = 8;

/// The protocol that is spoken, as TLS names it.
const ALPN: &[u8] = b"http/1.1";

/// A connection, encrypted or not.
pub(crate) trait Connection: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Connection for T {}

/// Makes connections. Certificates are read when the first is needed.
#[derive(Debug)]
pub(crate) struct Transport {
    network: Arc<dyn Network>,
    tls: OnceCell<Arc<ClientConfig>>,
}

impl Transport {
    pub(crate) fn new(network: Arc<dyn Network>) -> Self {
        Self { network, tls: OnceCell::new() }
    }

    /// The addresses of a host that may be connected to: of one that the grant does not name by its address only public
    /// ones.
    ///
    /// # Errors
    ///
    /// Why there is none.
    pub(crate) async fn addresses(
        &self,
        destination: &Destination,
        names_address: bool,
    ) -> Result<Vec<SocketAddr>, String> {
        let found: Vec<IpAddr> = match &destination.host {
            Host::Ipv4(address) => vec![(*address).into()],
            Host::Ipv6(address) => vec![(*address).into()],
            // Whatever a name server says, it is this machine.
            Host::Domain(name) if name == "localhost" => {
                vec![Ipv6Addr::LOCALHOST.into(), Ipv4Addr::LOCALHOST.into()]
            }
            Host::Domain(name) => self
                .network
                .resolve(name)
                .await
                .map_err(|error| format!("its name could not be looked up: {error}"))?,
        };
        if found.is_empty() {
            return Err("its name has no address".to_owned());
        }
        let allowed = found.iter().filter(|address| names_address || is_public(**address));
        let allowed: Vec<_> =
            allowed.take(MAX_ADDRESSES).map(|address| SocketAddr::new(*address, destination.port)).collect();
        if allowed.is_empty() {
            return Err(format!(
                "its name stands for {}, which is no public address; such a host is granted by its address alone",
                found[0]
            ));
        }
        Ok(interleaved(allowed))
    }

    /// Connects to the first of the addresses that answers, with TLS where the scheme asks for it.
    ///
    /// # Errors
    ///
    /// Why none does.
    pub(crate) async fn connect(
        &self,
        destination: &Destination,
        addresses: Vec<SocketAddr>,
    ) -> Result<Box<dyn Connection>, String> {
        let stream = self.first(addresses).await?;
        if destination.scheme == Scheme::Http {
            return Ok(Box::new(stream));
        }
        let name = match &destination.host {
            Host::Domain(name) => ServerName::try_from(name.clone()).map_err(|error| error.to_string())?,
            Host::Ipv4(address) => IpAddr::from(*address).into(),
            Host::Ipv6(address) => IpAddr::from(*address).into(),
        };
        let config = self.tls.get_or_try_init(|| tls(self.network.clone())).await?;
        let stream = TlsConnector::from(config.clone()).connect(name, stream).await;
        Ok(Box::new(stream.map_err(|error| format!("no TLS with it: {error}"))?))
    }

    async fn first(&self, addresses: Vec<SocketAddr>) -> Result<TcpStream, String> {
        let mut waiting = addresses.into_iter();
        let mut attempts = JoinSet::new();
        let mut failure = "there is no address".to_owned();
        loop {
            if let Some(address) = waiting.next() {
                let attempt = self.network.connect(address);
                attempts.spawn(async move { attempt.await.map_err(|error| format!("{address}: {error}")) });
            }
            tokio::select! {
                ended = attempts.join_next() => match ended {
                    Some(Ok(Ok(stream))) => return Ok(stream),
                    Some(Ok(Err(error))) => failure = error,
                    Some(Err(error)) => failure = error.to_string(),
                    None => return Err(format!("no connection with it: {failure}")),
                },
                () = sleep(STAGGER), if waiting.len() > 0 => {}
            }
        }
    }
}

/// One kind of address after the other, so that a network that lacks one kind is found out soon.
fn interleaved(addresses: Vec<SocketAddr>) -> Vec<SocketAddr> {
    let first_is_v6 = addresses.first().is_some_and(SocketAddr::is_ipv6);
    let (first, second): (Vec<_>, Vec<_>) =
        addresses.into_iter().partition(|address| address.is_ipv6() == first_is_v6);
    let (mut first, mut second) = (first.into_iter(), second.into_iter());
    let mut all = Vec::new();
    loop {
        let before = all.len();
        all.extend(first.next());
        all.extend(second.next());
        if all.len() == before {
            return all;
        }
    }
}

/// Whom to trust: whom the system trusts, and further ones of the network's.
async fn tls(network: Arc<dyn Network>) -> Result<Arc<ClientConfig>, String> {
    let made = spawn_blocking(move || {
        let provider = Arc::new(default_provider());
        let verifier = Verifier::new_with_extra_roots(network.further_roots(), provider.clone())?;
        let mut config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()?
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(verifier))
            .with_no_client_auth();
        config.alpn_protocols = vec![ALPN.to_owned()];
        Ok::<_, rustls::Error>(Arc::new(config))
    });
    let made = made.await.map_err(|error| error.to_string())?;
    made.map_err(|error| format!("the certificates that this system trusts cannot be read: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kinds_of_addresses_take_turns() {
        let addresses = |all: &[&str]| all.iter().map(|one| one.parse().unwrap()).collect::<Vec<_>>();
        assert_eq!(
            interleaved(addresses(&["[::1]:1", "[::2]:1", "1.1.1.1:1", "[::3]:1"])),
            addresses(&["[::1]:1", "1.1.1.1:1", "[::2]:1", "[::3]:1"])
        );
    }
}
