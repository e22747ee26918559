use futures::FutureExt;
use remit_model::{ModelError, Reply, ReplyParts, Request, ToolChoice, collect};
use tokio::time::{Instant, sleep_until};

use super::{Course, Stop, ids};
use crate::agent::millis;
use crate::event::{CallRecord, EventKind};
use crate::report;
use crate::roles::format_duration;

impl Course<'_> {
    /// One reply, recorded. This is the one place where a model is asked again: nothing of the turn has been acted on yet.
    pub(super) async fn ask(
        &mut self,
        tool_choice: ToolChoice,
        until: Instant,
        max_output_tokens: Option<u64>,
    ) -> Result<Reply, Stop> {
        let agent = self.agent;
        if agent.cancel.is_cancelled() {
            return Err(Stop::Cancelled);
        }
        let is_wrap_up = tool_choice == ToolChoice::None;
        let messages = self.transcript.len() as u64;
        agent.emit(EventKind::ModelRequest { messages, bytes: self.context_bytes, wrap_up: is_wrap_up })?;
        let mut attempt = 1;
        let mut reply = loop {
            let request = Request {
                agent: agent.path.as_str(),
                role: agent.role.name(),
                system: &agent.prompt,
                transcript: self.transcript,
                tools: &agent.tools,
                tool_choice,
                max_output_tokens,
                settings: agent.role.get().settings(),
                form: (!agent.path.is_root()).then(report::form),
            };
            // Whoever only watches can't stop an agent.
            let on_text = |text: &str| drop(agent.emit(EventKind::TextDelta { text: text.to_owned() }));
            let asked = tokio::select! {
                biased;
                () = agent.cancel.cancelled() => return Err(Stop::Cancelled),
                () = sleep_until(until) => return Err(Stop::Exhausted(agent.budget.time_limit())),
                reply = collect(agent.model.ask(request), on_text).boxed() => reply,
            };
            match asked {
                Ok(reply) => break reply,
                Err(error) => self.before_asking_again(error, attempt, until).await?,
            }
            attempt += 1;
        };
        for text in std::mem::take(&mut reply.warnings) {
            agent.emit(EventKind::Warning { text })?;
        }
        ids::make_unique(&mut reply.calls, self.transcript, self.turns);
        self.count(&reply);
        agent.emit(EventKind::ModelReply {
            text: reply.text.clone(),
            calls: reply.calls.iter().map(CallRecord::from).collect(),
            usage: reply.usage,
            thinking_bytes: reply.parts.as_ref().map_or(0, ReplyParts::thinking_bytes),
            stop: reply.stop,
        })?;
        Ok(reply)
    }

    /// Waits until the model may be asked again after `attempt` times, if it may at all.
    async fn before_asking_again(&self, error: ModelError, attempt: u32, until: Instant) -> Result<(), Stop> {
        let (agent, patience) = (self.agent, &self.agent.patience);
        let reason = error.to_string();
        let failed = |why: &str| Err(Stop::Failed(format!("{reason}{why}")));
        if !error.is_retryable() {
            return failed("");
        }
        if attempt >= patience.attempts {
            return failed(&if attempt > 1 { format!(" (asked {attempt} times)") } else { String::new() });
        }
        let wait = patience.wait(attempt, error.retry_after());
        let left = until.saturating_duration_since(Instant::now());
        if wait >= left {
            let (wait, left) = (format_duration(whole(wait)), format_duration(whole(left)));
            return failed(&format!(" (not asked again: that had to wait for {wait}, and {left} are left)"));
        }
        if let Err(exhausted) = agent.budget.ask_again() {
            return failed(&format!(" (not asked again: {})", agent.role.explain(&exhausted)));
        }
        agent.emit(EventKind::ModelRetry { attempt, reason, wait_ms: millis(wait) })?;
        tokio::select! {
            biased;
            () = agent.cancel.cancelled() => Err(Stop::Cancelled),
            () = sleep_until(until) => Err(Stop::Exhausted(agent.budget.time_limit())),
            () = patience.pause(wait) => Ok(()),
        }
    }
}

/// A duration in whole seconds, for people.
fn whole(duration: std::time::Duration) -> std::time::Duration {
    std::time::Duration::from_secs(duration.as_secs_f64().ceil() as u64)
}
