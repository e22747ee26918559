//! Headers that are the host's own.

use http::HeaderName;
use http::header::{CONNECTION, CONTENT_LENGTH, EXPECT, HOST, TE, TRAILER, TRANSFER_ENCODING, UPGRADE};

/// Those that say how a message is framed, where it goes, or what becomes of the connection. Whoever sets them can make
/// two requests of one, or have one answered by another host than the one that was checked.
const RESERVED: [HeaderName; 8] =
    [CONNECTION, CONTENT_LENGTH, EXPECT, HOST, TE, TRAILER, TRANSFER_ENCODING, UPGRADE];

/// Others of that kind, without a name of their own in `http`, and those by which servers take one method for another.
const RESERVED_TOO: [&str; 5] =
    ["keep-alive", "http2-settings", "x-http-method", "x-http-method-override", "x-method-override"];

/// Whether neither a component nor a secret may set it.
pub(crate) fn is_reserved(name: &HeaderName) -> bool {
    RESERVED.contains(name) || RESERVED_TOO.contains(&name.as_str()) || name.as_str().starts_with("proxy-")
}
