//! `offline`: no language model, but a planner that follows keywords through the tools it is given.
//!
//! With `task` in hand it hands the question to a subagent and words the report that comes back. Without, it takes the
//! words that matter from its assignment, English or Chinese, searches for them with the tools whose names end in `grep`,
//! `find_files`, `list_files` and `read_file`, ranks what it finds by the words on the line, by what kind of file it is
//! in and by what kind of line it is, reads the best places, and reports lines as evidence. It understands no sentence,
//! and says so.
//!
//! It keeps nothing between turns: the same transcript always brings the same reply. It counts a token for every four
//! characters.

mod explore;
mod findings;
mod lead;
mod lexicon;
mod place;
mod question;
mod results;
mod shape;
mod tools;
mod topics;
mod weigh;
mod wording;
mod words;
mod work;

use futures::{StreamExt, stream};

use crate::chat::{
    Content, EventStream, Message, Model, ModelEvent, Request, StopReason, ToolCall, ToolChoice, Usage,
};

use explore::Step;
use question::Question;
use tools::{Tools, Wish};
use work::Work;

/// What a reader of its answers should know.
pub(crate) const NOTE: &str = "a keyword planner, not a language model";

/// How many characters are counted as a token.
const CHARACTERS_A_TOKEN: u64 = 4;

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

    fn ask<'a>(&'a self, request: Request<'a>) -> EventStream<'a> {
        stream::once(async move { stream::iter(events(&request)) }).flatten().map(Ok).boxed()
    }
}

enum Move {
    Say(String),
    Call(Vec<Wish>),
}

fn events(request: &Request<'_>) -> Vec<ModelEvent> {
    let (events, stop, characters) = match decide(request) {
        Move::Say(text) => {
            let characters = text.chars().count();
            (vec![ModelEvent::Text(text)], StopReason::End, characters)
        }
        Move::Call(wishes) => {
            let turn = request.transcript.len();
            let calls = wishes.into_iter().enumerate().map(|(index, wish)| ToolCall {
                id: format!("call_{turn}_{}", index + 1),
                name: wish.tool,
                arguments: wish.arguments.to_string(),
            });
            let calls: Vec<ToolCall> = calls.collect();
            let characters = calls.iter().map(|call| call.name.len() + call.arguments.chars().count()).sum();
            (calls.into_iter().map(ModelEvent::ToolCall).collect(), StopReason::ToolUse, characters)
        }
    };
    let usage =
        Usage { input_tokens: tokens(input(request)), cached_tokens: 0, output_tokens: tokens(characters) };
    let end = [ModelEvent::Usage(usage), ModelEvent::Stop(stop)];
    events.into_iter().chain(end).collect()
}

fn decide(request: &Request<'_>) -> Move {
    let messages = request.transcript.messages();
    let tools = Tools::of(request.tools);
    let may_call = request.tool_choice == ToolChoice::Auto;
    let Some(asked) = asked(messages, may_call) else { return Move::Say(String::new()) };
    let (text, is_assignment) = goal(messages[asked].text());
    let question = Question::read(text);
    let since = &messages[asked + 1..];
    if tools.task.is_some() {
        return match (lead::answer(&question, since), lead::delegate(text, &question, &tools)) {
            (None, Some(wish)) if may_call => Move::Call(vec![wish]),
            (Some(answer), _) => Move::Say(answer),
            (None, _) => Move::Say(wording::Wording::of(question.chinese).nothing(&question.shown())),
        };
    }
    let work = Work::read(&question, &tools, since);
    match explore::next(&question, &tools, &work, may_call) {
        Step::Call(wishes) => Move::Call(wishes),
        Step::Report(findings) if is_assignment => Move::Say(findings.report().to_string()),
        Step::Report(findings) => Move::Say(lead::told(&findings, question.chinese)),
    }
}

/// The message that asks: the last one of a user. When no call may be made any more, the last one may be the runtime
/// saying so, and the one before is meant.
fn asked(messages: &[Message], may_call: bool) -> Option<usize> {
    let mut users = messages
        .iter()
        .enumerate()
        .filter(|(_, message)| matches!(message.content, Content::User { .. }))
        .map(|(index, _)| index);
    let last = users.next_back()?;
    let is_notice = !may_call && last + 1 == messages.len();
    Some(if is_notice { users.next_back().unwrap_or(last) } else { last })
}

/// What is to be found out, and whether a parent asks. An assignment has it under its heading `## Task`; a person's
/// question is followed by the pins, if there are any, which are not part of it.
fn goal(message: &str) -> (&str, bool) {
    const PINS: &str = "\n\nThese hold throughout:\n";
    let Some((_, after)) = message.split_once("## Task\n") else {
        return (message.split(PINS).next().unwrap_or(message).trim(), message.starts_with("# Assignment"));
    };
    (after.split("\n## ").next().unwrap_or(after).trim(), true)
}

/// The characters of a request.
fn input(request: &Request<'_>) -> usize {
    let tools = request.tools.specs().iter().map(|tool| tool.name.len() + tool.description.chars().count());
    let messages = request.transcript.messages().iter().map(|message| {
        let calls = match &message.content {
            Content::Assistant { calls, .. } => {
                calls.iter().map(|call| call.name.len() + call.arguments.len()).sum()
            }
            _ => 0,
        };
        message.text().chars().count() + calls
    });
    request.system.chars().count() + tools.chain(messages).sum::<usize>()
}

fn tokens(characters: usize) -> u64 {
    u64::try_from(characters).unwrap_or(u64::MAX).div_ceil(CHARACTERS_A_TOKEN)
}

#[cfg(test)]
mod tests;
