//! What a person is asked before it happens: the effect itself, not what a model says about it.
//!
//! Rules come first, of which a deny beats every allow. Where neither holds and the role asks, the [`Broker`] does: one for
//! all agents of a run, whatever their depth, with one question at a time. No answer is a no.

mod broker;
mod decide;
mod question;

pub use broker::{Broker, Policy};
pub(crate) use decide::{Decision, Effect, decide};
pub use question::{Answer, Approver, Asked, Decider, Question, Scope};
