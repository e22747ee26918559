use std::time::Duration;

/// How long to wait for a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timeouts {
    /// For a connection, TLS included.
    pub connect: Duration,
    /// For the next bytes, the first ones included. Comments that a server sends to keep the line open count.
    pub idle: Duration,
    /// For a reply from its first byte to its last, whatever keeps the line open.
    pub total: Duration,
}

impl Default for Timeouts {
    fn default() -> Timeouts {
        Timeouts {
            connect: Duration::from_secs(15),
            idle: Duration::from_secs(120),
            total: Duration::from_mins(30),
        }
    }
}
