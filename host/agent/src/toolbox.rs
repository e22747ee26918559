//! What the loop needs of whatever runs tools.

use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;
use remit_sandbox::Consent;
use serde_json::Value;

use crate::agent::RoleRef;
use crate::ledger::{CallLedger, Staged};
use crate::roles::Authority;

/// The tools that one agent has, and nothing else.
///
/// This is the execution lock: a tool that is not in [`tools`](Toolbox::tools) has no component behind it for this
/// agent. Dropping the future of a call stops the call.
pub trait Toolbox: Send + Sync {
    /// The tools, in the order in which the model is told about them.
    fn tools(&self) -> &[ToolInfo];

    /// What the agent can touch, in words, for its assignment: `reads .`; empty if nothing.
    fn grants(&self) -> String {
        String::new()
    }

    /// Calls `tool`, which is the [`ToolInfo::name`] of one of [`tools`](Toolbox::tools). `arguments` is the text
    /// that the model sent, decoded only here, against the tool's schema. What it would change is only held back in the
    /// outcome.
    fn call<'a>(
        &'a self,
        tool: &'a str,
        arguments: &'a str,
        terms: CallTerms<'a>,
    ) -> BoxFuture<'a, ToolOutcome>;
}

/// A tool as the loop knows it.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolInfo {
    /// The name in files and on screen, such as `files.read_file`.
    pub name: String,
    /// The name that the model knows, such as `files__read_file`.
    pub wire_name: String,
    /// What it does, for the model.
    pub description: String,
    /// The JSON Schema of its arguments.
    pub input_schema: Value,
}

/// Under what a call is made.
#[derive(Clone, Debug)]
pub struct CallTerms<'a> {
    /// How much it may take.
    pub limits: CallLimits,
    /// Where what it does is entered, as it happens.
    pub ledger: &'a CallLedger,
    /// Who is asked before an effect that leaves the workspace. That wait costs the call no time.
    pub consent: Consent,
}

/// How much one call may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallLimits {
    /// How long it may run.
    pub time: Duration,
    /// How many bytes of its result the model will see; more is cut, so more need not be made.
    pub result_bytes: usize,
}

/// What a call came to. A call that was not made, because its arguments do not fit, is an error like any other.
#[derive(Debug, Default)]
pub struct ToolOutcome {
    /// The result, or the error's words.
    pub text: String,
    /// Whether `text` is an error.
    pub is_error: bool,
    /// What the component printed, for the trace; the model never sees it.
    pub printed: String,
    /// What it would change, if anything. Of a call that failed, nothing is changed.
    pub changes: Option<Box<dyn Staged>>,
}

impl ToolOutcome {
    /// An error with these words.
    pub fn error(text: impl Into<String>) -> ToolOutcome {
        ToolOutcome { text: text.into(), is_error: true, ..ToolOutcome::default() }
    }
}

/// Makes the toolbox of an agent when the agent starts.
pub trait ToolboxFactory: Send + Sync {
    /// The tools that `role` has, which can touch what `authority` says and nothing else. It may take seconds, where a
    /// component is new.
    ///
    /// # Errors
    ///
    /// What keeps this role from being started, for the model that asked for it and for the user.
    fn make<'a>(
        &'a self,
        role: &'a RoleRef,
        authority: &'a Authority,
    ) -> BoxFuture<'a, Result<Arc<dyn Toolbox>, ToolboxError>>;
}

/// Why an agent's tools can't be had.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ToolboxError(pub String);
