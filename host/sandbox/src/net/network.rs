//! The network itself: looking names up, and connecting.

use std::fmt;
use std::future::Future;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;

use rustls::pki_types::CertificateDer;
use tokio::net::{TcpStream, lookup_host};

/// What a method of [`Network`] gives later.
pub type Later<T> = Pin<Box<dyn Future<Output = io::Result<T>> + Send>>;

/// What requests go over. The sandbox decides what is looked up and connected to; this does it, and is asked for nothing
/// that was not allowed.
pub trait Network: fmt::Debug + Send + Sync {
    /// Looks a name up.
    fn resolve(&self, name: &str) -> Later<Vec<IpAddr>>;

    /// Connects to an address.
    fn connect(&self, address: SocketAddr) -> Later<TcpStream>;

    /// Certificates that are trusted beside those that the system trusts.
    fn further_roots(&self) -> Vec<CertificateDer<'static>> {
        Vec::new()
    }
}

/// The network that the system has.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemNetwork;

impl Network for SystemNetwork {
    fn resolve(&self, name: &str) -> Later<Vec<IpAddr>> {
        let name = name.to_owned();
        Box::pin(async move { Ok(lookup_host((name, 0)).await?.map(|address| address.ip()).collect()) })
    }

    fn connect(&self, address: SocketAddr) -> Later<TcpStream> {
        Box::pin(async move {
            let stream = TcpStream::connect(address).await?;
            stream.set_nodelay(true)?;
            Ok(stream)
        })
    }
}
