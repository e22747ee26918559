//! Requests of components: where they go, and what they bring back.
#![expect(clippy::unwrap_used, reason = "a test ends at its first surprise")]

mod fetching;
mod limits;
mod places;
mod secrets;
mod server;
mod tls;
