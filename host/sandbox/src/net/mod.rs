//! The network under grant: which hosts a call may send requests to, and the secrets that the host adds to them.

mod header;
mod host;
mod secret;

pub use host::{HostGrant, HostProblem};
pub use secret::{SecretGrant, SecretProblem, SecretValue};
