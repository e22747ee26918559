//! What was really done, as the host saw it where it happened. No component and no model writes it.
//!
//! Every call has a [`CallLedger`]; what it holds becomes an event before the call's result is acted on, and is added to
//! its agent's [`Account`], of which the report takes `changes`, `verification`, `hosts` and each evidence's `observed`.

mod account;
mod call;
mod net;
mod outward;
mod place;
mod sight;

pub(crate) use account::Account;
pub use call::{CallLedger, EffectSource, Staged};
pub use net::NetChange;
pub use outward::{HostUse, Verification};
pub(crate) use place::{one_spelling, origin};
pub use remit_sandbox::{Change, ChangeKind, Entry, Version};
pub(crate) use sight::Seen;
