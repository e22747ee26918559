//! One run: a prompt in, an outcome out.

use thiserror::Error;
use tokio_util::sync::CancellationToken;

use crate::conversation::{Conversation, Setup};
use crate::crew::StartError;
use crate::outcome::Outcome;
use crate::roles::UnknownRole;

/// What to run, and with what.
pub struct RunRequest {
    /// What the user asks.
    pub prompt: String,
    /// Who works on it.
    pub setup: Setup,
    /// Stops the run.
    pub cancel: CancellationToken,
}

/// Why a run was not started.
#[derive(Debug, Error)]
pub enum RunError {
    /// The roles have no such role.
    #[error(transparent)]
    Role(#[from] UnknownRole),
    /// The role's tools or model can't be had.
    #[error(transparent)]
    Start(#[from] StartError),
}

/// Runs a prompt to its end: a conversation of one.
///
/// # Errors
///
/// Only before anything was started. Whatever happens later is told by the [`Outcome`].
pub async fn run(request: RunRequest) -> Result<Outcome, RunError> {
    let RunRequest { prompt, setup, cancel } = request;
    Conversation::new(setup)?.prompt(&prompt, cancel).await
}
