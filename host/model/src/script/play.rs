use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use futures::{StreamExt, stream};

use crate::ModelError;
use crate::chat::{EventStream, ModelEvent};
use crate::script::ScriptGates;
use crate::script::file::{End, Turn, Whose};

/// A script while it is played.
#[derive(Debug)]
pub(super) struct Play {
    path: PathBuf,
    turns: Vec<Turn>,
    /// Which turns are an agent's or a role's, in the file's order.
    by_agent: HashMap<String, Vec<usize>>,
    by_role: HashMap<String, Vec<usize>>,
    taken: Mutex<HashMap<String, Taken>>,
}

/// How many of its turns an agent has taken: of those with its path, and of those with its role.
#[derive(Clone, Copy, Debug, Default)]
struct Taken {
    by_agent: usize,
    by_role: usize,
}

impl Play {
    pub(super) fn new(path: &Path, turns: Vec<Turn>) -> Play {
        let mut by_agent: HashMap<String, Vec<usize>> = HashMap::new();
        let mut by_role: HashMap<String, Vec<usize>> = HashMap::new();
        for (index, turn) in turns.iter().enumerate() {
            match &turn.whose {
                Whose::Agent(agent) => by_agent.entry(agent.clone()).or_default().push(index),
                Whose::Role(role) => by_role.entry(role.clone()).or_default().push(index),
            }
        }
        Play { path: path.to_owned(), turns, by_agent, by_role, taken: Mutex::default() }
    }

    pub(super) fn ask<'a>(
        &'a self,
        gates: &'a ScriptGates,
        agent: &'a str,
        role: &'a str,
    ) -> EventStream<'a> {
        stream::once(async move {
            let (turn, number) = match self.take(agent, role) {
                Ok(taken) => taken,
                Err(error) => return stream::once(async { Err(error) }).boxed(),
            };
            if let Some(gate) = &turn.gate {
                gates.pass(gate).await;
            }
            perform(turn, agent, number)
        })
        .flatten()
        .boxed()
    }

    /// The agent's next turn, and its number among the agent's turns, from 1.
    fn take(&self, agent: &str, role: &str) -> Result<(&Turn, usize), ModelError> {
        // Nothing panics while the lock is held, so that the counts are whole in any case.
        let mut all = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        if !all.contains_key(agent) {
            all.insert(agent.to_owned(), Taken::default());
        }
        let mut taken = all.get(agent).copied().unwrap_or_default();
        let own = self.by_agent.get(agent).and_then(|turns| turns.get(taken.by_agent));
        let shared = self.by_role.get(role).and_then(|turns| turns.get(taken.by_role));
        let index = match (own, shared) {
            (Some(own), Some(shared)) if shared < own => {
                taken.by_role += 1;
                *shared
            }
            (Some(own), _) => {
                taken.by_agent += 1;
                *own
            }
            (None, Some(shared)) => {
                taken.by_role += 1;
                *shared
            }
            (None, None) => return Err(self.ran_out(agent, role, taken.by_agent + taken.by_role)),
        };
        if let Some(counts) = all.get_mut(agent) {
            *counts = taken;
        }
        Ok((&self.turns[index], taken.by_agent + taken.by_role))
    }

    fn ran_out(&self, agent: &str, role: &str, taken: usize) -> ModelError {
        let message = match taken {
            0 => format!("no turn for agent `{agent}`, nor for its role `{role}`"),
            1 => format!("no further turn for agent `{agent}` (role `{role}`): it has taken its only one"),
            _ => format!("no further turn for agent `{agent}` (role `{role}`): it has taken all {taken}"),
        };
        ModelError::Script { path: self.path.clone(), line: None, column: None, message }
    }
}

fn perform<'a>(turn: &Turn, agent: &str, number: usize) -> EventStream<'a> {
    if let End::Http(status) = turn.end {
        let message = "as the script says".to_owned();
        let error = ModelError::Http {
            url: format!("script of {agent}"),
            status,
            message,
            passing: ModelError::is_passing_status(status),
            retry_after: None,
        };
        return stream::once(async { Err(error) }).boxed();
    }
    let mut events = Vec::with_capacity(turn.calls.len() + 3);
    if !turn.text.is_empty() {
        events.push(Ok(ModelEvent::Text(turn.text.clone())));
    }
    for (index, call) in turn.calls.iter().enumerate() {
        let mut call = call.clone();
        if call.id.is_empty() {
            call.id = format!("call_{number}_{}", index + 1);
        }
        events.push(Ok(ModelEvent::ToolCall(call)));
    }
    match turn.end {
        End::Stop(stop) => {
            events.push(Ok(ModelEvent::Usage(turn.usage)));
            events.push(Ok(ModelEvent::Stop(stop)));
        }
        End::BadJson => {
            let message = "an event that is no JSON, as the script says".to_owned();
            events.push(Err(ModelError::Damaged { message }));
        }
        End::Hang => return stream::iter(events).chain(stream::pending()).boxed(),
        End::Disconnect | End::Http(_) => {}
    }
    stream::iter(events).boxed()
}
