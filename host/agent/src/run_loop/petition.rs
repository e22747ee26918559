//! A call that waits for a word before it has an effect outside of the workspace.

use remit_sandbox::Petition;

use crate::agent::Agent;
use crate::approval::{Asked, Decision, Effect, decide};
use crate::event::SinkError;
use crate::roles::Target;

/// What a call was answered.
pub(super) enum Answered {
    Yes,
    /// And why, as the call was told.
    No(String),
    /// The question or the answer could not be recorded: it was a no, and the agent must end.
    Unrecorded(SinkError),
}

/// Decides about what a call wants to do, and tells it.
pub(super) async fn answer(agent: &Agent, tool: &str, call_id: &str, mut petition: Petition) -> Answered {
    let outward = petition.effect().clone();
    let (kind, target) = Target::of(&outward);
    let effect = Effect { call_id, tool, targets: vec![target] };
    let asked = || Asked::outward(&outward);
    match decide(agent, kind, effect, asked, petition.given_up()).await {
        Decision::Granted => {
            petition.grant();
            Answered::Yes
        }
        Decision::Denied { why, .. } => {
            petition.refuse(&why);
            Answered::No(why)
        }
        Decision::Unrecorded(error) => {
            petition.refuse(error.to_string());
            Answered::Unrecorded(error)
        }
    }
}
