//! The network under grant: which hosts a call may send requests to, and the secrets that the host adds to them.

mod address;
mod body;
mod check;
mod client;
mod header;
mod host;
mod network;
mod redact;
mod secret;
mod totals;
mod transport;
mod unescape;

pub(crate) use client::Http;
pub use host::{HostGrant, HostProblem};
pub use network::{Later, Network, SystemNetwork};
pub(crate) use redact::Redactor;
pub use secret::{SecretGrant, SecretProblem, SecretValue};
pub(crate) use transport::Transport;
