//! The one loop: ask the model, make the calls, append the results, ask again.

mod ask;
mod calls;
mod ids;
mod petition;
mod repeats;
mod request_size;
mod result;
mod tool;

use remit_model::{Content, Message, Reply, StopReason, ToolChoice, Transcript, Usage};
use tokio::time::Instant;

use self::repeats::Repeats;
use self::request_size::RequestSize;
use crate::agent::{Agent, Ending};
use crate::budget::{Exhausted, Room, Spent};
use crate::event::{EventKind, SinkError};
use crate::ledger::Account;
use crate::outcome::Status;
use crate::prices::Cost;
use crate::prompt;

/// What a token is taken to be, in bytes, where a model does not count.
const BYTES_PER_TOKEN: u64 = 4;

/// How long a reply may be unless somebody says otherwise, in tokens: what nearly every model can do.
const LONG_REPLY: u64 = 16_384;

/// Runs an agent until it has nothing more to call, a limit is reached, it is cancelled, or something breaks.
///
/// `transcript` ends with what the agent is to answer and is only ever appended to; every tool call in it has exactly one
/// result when this returns, in the calls' order, however the agent ended.
///
/// What the user says meanwhile ([`Inbox`](crate::Inbox)) is taken in behind the results of a turn. What is left when the
/// agent ends stays where it is.
///
/// An agent that a limit ended is asked once more, without running tools, to say what it found.
pub async fn run_loop(transcript: &mut Transcript, agent: &Agent) -> Ending {
    let mut course = Course::new(transcript, agent);
    let mut stop = course.work().await;
    if let Stop::Exhausted(exhausted) = stop {
        stop = course.wrap_up(exhausted).await;
    }
    course.ending(stop)
}

/// Why a loop goes no further.
#[derive(Clone, Debug)]
enum Stop {
    Completed,
    Exhausted(Exhausted),
    Cancelled,
    Failed(String),
    Refused(String),
}

impl From<SinkError> for Stop {
    fn from(error: SinkError) -> Stop {
        Stop::Failed(error.to_string())
    }
}

/// One agent on its way through its loop.
struct Course<'a> {
    transcript: &'a mut Transcript,
    agent: &'a Agent,
    started: Instant,
    text: String,
    warnings: Vec<String>,
    turns: u64,
    usage: Usage,
    cost: Option<Cost>,
    request_size: RequestSize,
    context_bytes: u64,
    result_bytes: u64,
    repeats: Repeats,
    account: Account,
}

impl<'a> Course<'a> {
    fn new(transcript: &'a mut Transcript, agent: &'a Agent) -> Course<'a> {
        let context_bytes = transcript.messages().iter().map(size_of).sum();
        Course {
            transcript,
            agent,
            started: Instant::now(),
            text: String::new(),
            warnings: Vec::new(),
            turns: 0,
            usage: Usage::default(),
            cost: None,
            request_size: RequestSize::default(),
            context_bytes,
            result_bytes: 0,
            repeats: Repeats::default(),
            account: Account::default(),
        }
    }

    /// Turns until something stops them.
    async fn work(&mut self) -> Stop {
        loop {
            if let Err(stop) = self.turn().await {
                return stop;
            }
            if let Err(error) = self.take_in() {
                return error.into();
            }
        }
    }

    /// Takes in what the user said meanwhile. Only here: every call of the turn has its result.
    fn take_in(&mut self) -> Result<(), SinkError> {
        let Some(text) = self.agent.inbox.as_ref().and_then(|inbox| inbox.take()) else { return Ok(()) };
        self.agent.emit(EventKind::InputTaken { text: text.clone() })?;
        self.push(Message::user(text));
        self.request_size.forget();
        Ok(())
    }

    async fn turn(&mut self) -> Result<(), Stop> {
        let Agent { budget, pricing, prompt, .. } = self.agent;
        let least = self.request_size.at_least(self.context_bytes, size(prompt));
        let least = Spent::at_least(least, pricing);
        budget.begin_turn(least).map_err(Stop::Exhausted)?;
        self.turns += 1;
        let room = budget.reply_room(least, pricing);
        let reply_tokens = self.shortened_to(&room);
        let reply = self.ask(ToolChoice::Auto, budget.work_end(), reply_tokens).await?;
        match reply.stop {
            StopReason::End | StopReason::ToolUse if !reply.calls.is_empty() => {
                self.push(Message::assistant_with(reply.text, reply.calls.clone(), reply.parts));
                self.run_calls(reply.calls).await
            }
            _ => Err(self.last_words(reply, reply_tokens.map(|_| room.limit))),
        }
    }

    /// How long a reply is asked to be at most, if that is shorter than it would be otherwise. A model may refuse a number that
    /// is larger than what it can do, so that none is sent where much is left.
    fn shortened_to(&self, room: &Room) -> Option<u64> {
        let otherwise = self.agent.role.get().settings().max_output_tokens.unwrap_or(LONG_REPLY);
        (room.tokens < otherwise).then_some(room.tokens.max(1))
    }

    /// What a reply without calls to make ends the loop with. Calls of a reply that was cut or declined are not made.
    fn last_words(&mut self, reply: Reply, shortened_by: Option<Exhausted>) -> Stop {
        let Reply { text, stop, parts, .. } = reply;
        let is_empty = text.trim().is_empty();
        if !is_empty {
            // What a reply that was cut or declined is made of may make no sense to its provider.
            let parts = parts.filter(|_| matches!(stop, StopReason::End | StopReason::ToolUse));
            self.push(Message::assistant_with(text.clone(), Vec::new(), parts));
        }
        self.text = text;
        match stop {
            StopReason::Refusal => Stop::Refused("the model declined".to_owned()),
            StopReason::ContentFilter => Stop::Refused("the provider's filter stopped the reply".to_owned()),
            StopReason::Length => match shortened_by {
                Some(exhausted) => Stop::Exhausted(exhausted),
                None => Stop::Failed(self.cut_at()),
            },
            StopReason::End | StopReason::ToolUse if is_empty => {
                Stop::Failed("the model's reply was empty".to_owned())
            }
            StopReason::End | StopReason::ToolUse => Stop::Completed,
        }
    }

    /// Where a reply was cut for which tokens were left.
    fn cut_at(&self) -> String {
        let role = &self.agent.role;
        match role.get().settings().max_output_tokens {
            Some(most) => {
                let place = role.place("max_output_tokens");
                format!("the reply was cut at max_output_tokens = {most} of role `{}` ({place})", role.name())
            }
            None => "the reply reached the model's own length limit before its end".to_owned(),
        }
    }

    /// Counts a reply's tokens. A budget must hold for a server that does not count too, so its tokens are estimated.
    fn count(&mut self, reply: &Reply) {
        let mut usage = reply.usage;
        let is_estimate = usage.total() == 0;
        if is_estimate {
            let said: u64 = reply.calls.iter().map(|call| size(&call.name) + size(&call.arguments)).sum();
            usage.input_tokens = (self.context_bytes + size(&self.agent.prompt)).div_ceil(BYTES_PER_TOKEN);
            usage.output_tokens = (size(&reply.text) + said).div_ceil(BYTES_PER_TOKEN);
        }
        self.usage += usage;
        if !is_estimate {
            self.request_size.count(usage, self.context_bytes);
        }
        let Agent { budget, pricing, .. } = self.agent;
        if let Some(cost) = pricing.cost(usage) {
            self.cost = Some(self.cost.unwrap_or_default() + cost);
        }
        budget.spend(usage, pricing, is_estimate);
    }

    /// The last turn of an agent that is out of budget. Whatever comes of it, the limit stays what ended the agent.
    async fn wrap_up(&mut self, exhausted: Exhausted) -> Stop {
        let agent = self.agent;
        let limit = exhausted.limit();
        let told =
            agent.emit(EventKind::Budget { limit: limit.clone(), text: agent.role.explain(&exhausted) });
        if let Err(error) = told {
            return error.into();
        }
        if self.turns == 0 || !agent.budget.begin_wrap_up() {
            return Stop::Exhausted(exhausted);
        }
        self.turns += 1;
        self.push(Message::user(prompt::wrap_up(&limit, !agent.path.is_root())));
        // Its own limits are for work: where they are used up, its last words are as long as the model has them.
        let room = agent.budget.reply_room(Spent::default(), &agent.pricing);
        let reply_tokens = self.shortened_to(&room).filter(|_| room.tokens > 0);
        let asked = self.ask(ToolChoice::None, agent.budget.wrap_up_end(), reply_tokens).await;
        let problem = match asked {
            Ok(reply) if reply.text.trim().is_empty() => "the reply was empty".to_owned(),
            Ok(reply) => {
                if reply.stop == StopReason::Length {
                    self.warnings.push("the last words were cut at a length limit".to_owned());
                }
                self.push(Message::assistant(reply.text.clone(), Vec::new()));
                self.text = reply.text;
                return Stop::Exhausted(exhausted);
            }
            Err(Stop::Cancelled) => return Stop::Cancelled,
            Err(Stop::Failed(problem) | Stop::Refused(problem)) => problem,
            Err(Stop::Exhausted(_) | Stop::Completed) => "it took too long".to_owned(),
        };
        self.warnings.push(format!("asking for what was found so far came to nothing: {problem}"));
        Stop::Exhausted(exhausted)
    }

    fn push(&mut self, message: Message) {
        self.context_bytes += size_of(&message);
        self.transcript.push(message);
    }

    fn ending(self, stop: Stop) -> Ending {
        let (status, exhausted, reason) = match stop {
            Stop::Completed => (Status::Completed, None, None),
            Stop::Exhausted(exhausted) => {
                let reason = self.agent.role.explain(&exhausted);
                (Status::BudgetExhausted, Some(exhausted), Some(reason))
            }
            Stop::Cancelled => (Status::Cancelled, None, None),
            Stop::Failed(reason) => (Status::Failed, None, Some(reason)),
            Stop::Refused(reason) => (Status::Refused, None, Some(reason)),
        };
        Ending {
            status,
            exhausted,
            reason,
            text: self.text,
            warnings: self.warnings,
            turns: self.turns,
            usage: self.usage,
            cost: self.cost,
            context_bytes: self.context_bytes,
            result_bytes: self.result_bytes,
            duration: self.started.elapsed(),
            account: self.account,
        }
    }
}

/// What a message takes, its calls counted in.
fn size_of(message: &Message) -> u64 {
    let calls = match &message.content {
        Content::Assistant { calls, .. } => calls.as_slice(),
        _ => &[],
    };
    size(message.text()) + calls.iter().map(|call| size(&call.name) + size(&call.arguments)).sum::<u64>()
}

/// A length, to be added up.
fn size(text: &str) -> u64 {
    text.len() as u64
}
