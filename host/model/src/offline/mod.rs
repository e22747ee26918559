//! `offline`: no language model, but a planner that follows keywords through the tools it is given.

use futures::{StreamExt, stream};

use crate::chat::{EventStream, Model, ModelEvent, Request, StopReason};

/// What a reader of its answers should know.
pub(crate) const NOTE: &str = "a keyword planner, not a language model";

/// The planner.
#[derive(Debug, Default)]
pub struct Offline(());

impl Offline {
    /// A planner. All of them are alike.
    pub fn new() -> Offline {
        Offline(())
    }
}

impl Model for Offline {
    fn id(&self) -> &str {
        "offline"
    }

    fn note(&self) -> Option<&str> {
        Some(NOTE)
    }

    fn ask<'a>(&'a self, _request: Request<'a>) -> EventStream<'a> {
        stream::iter([Ok(ModelEvent::Stop(StopReason::End))]).boxed()
    }
}
