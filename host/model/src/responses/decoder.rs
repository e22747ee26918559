use bytes::Bytes;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::chat::{MAX_REPLY_CALLS, Part, ReplyParts, StopReason, Usage};
use crate::responses::event::{Event, Output, Response, UsageCount};
use crate::responses::item::{Item, Kind, Words};
use crate::stream::{self, Draft, is_to_be_made};
use crate::{ModelError, Protocol};

/// The most items that one reply may hold: calls, and as many words and thoughts between them.
const MAX_ITEMS: usize = 4 * MAX_REPLY_CALLS;

/// What is known of a reply so far.
#[derive(Debug, Default)]
pub(crate) struct Decoder {
    items: Vec<Item>,
    usage: Option<Usage>,
    refused: bool,
    stop: Option<StopReason>,
}

impl stream::Decoder for Decoder {
    fn read(&mut self, name: Option<&str>, data: &str, draft: &mut Draft<'_>) -> Result<(), ModelError> {
        if data == "[DONE]" {
            // What a translating server puts behind a stream of another kind.
            return Ok(());
        }
        let damaged = |draft: &Draft<'_>, error: serde_json::Error| draft.damaged(data, &error);
        let event: Event<'_> = serde_json::from_str(data).map_err(|error| damaged(draft, error))?;
        let kind = event.kind.as_deref().or(name).unwrap_or_default();
        match kind {
            "response.output_item.added" | "response.output_item.done" => {
                let Some(raw) = event.item else { return Ok(()) };
                let is_done = kind.ends_with("done");
                self.item(event.output_index, raw, is_done, draft).map_err(|error| match error {
                    Failed::Json(error) => damaged(draft, error),
                    Failed::Model(error) => error,
                })
            }
            "response.output_text.delta" | "response.refusal.delta" => {
                self.refused |= kind == "response.refusal.delta";
                let text = delta(&event).map_err(|error| damaged(draft, error))?;
                self.words(&event, text, draft)
            }
            "response.function_call_arguments.delta" => {
                let more = delta(&event).map_err(|error| damaged(draft, error))?;
                draft.grow(more.len())?;
                match self.find(event.output_index, event.item_id.as_deref(), is_call) {
                    Some(Item { kind: Kind::Call(call), .. }) => call.arguments.push_str(&more),
                    _ => return Err(draft.meaningless("item with a part of a call:", &named(&event))),
                }
                Ok(())
            }
            "response.function_call_arguments.done" => {
                let whole = event.arguments.clone().filter(|whole| !whole.is_empty());
                let item = self.find(event.output_index, event.item_id.as_deref(), is_call);
                if let (Some(whole), Some(Item { kind: Kind::Call(call), .. })) = (whole, item) {
                    draft.grow(whole.len().saturating_sub(call.arguments.len()))?;
                    call.arguments = whole;
                }
                Ok(())
            }
            "response.completed" | "response.incomplete" | "response.done" => {
                self.complete(kind, event.response, draft).map_err(|error| match error {
                    Failed::Json(error) => damaged(draft, error),
                    Failed::Model(error) => error,
                })
            }
            "response.failed" | "response.cancelled" => {
                let error =
                    event.response.and_then(|response| response.error).filter(|error| !error.is_null());
                Err(draft.broken_off(&error.unwrap_or_else(|| Value::from(kind))))
            }
            "error" => {
                let error: Value = serde_json::from_str(data).map_err(|error| damaged(draft, error))?;
                Err(draft.broken_off(&error))
            }
            _ => Ok(()),
        }
    }

    /// The API always says when a reply is complete; a stream that does not say so was cut.
    fn is_whole(&self) -> bool {
        false
    }

    fn end(&mut self, draft: &mut Draft<'_>) -> Result<(), ModelError> {
        let stop = self.stop.ok_or(ModelError::EndedEarly)?;
        let stop = if self.refused { StopReason::Refusal } else { stop };
        let mut items = std::mem::take(&mut self.items);
        if items.iter().all(|item| item.index.is_some()) {
            items.sort_by_key(|item| item.index);
        }
        let (mut calls, mut parts, mut thinking_bytes, mut can_be_told) = (Vec::new(), Vec::new(), 0, true);
        for item in items {
            parts.push(match (item.kind, item.raw) {
                (Kind::Call(call), _) if is_to_be_made(&call, stop) => {
                    calls.push(call);
                    Part::Call(calls.len() - 1)
                }
                (Kind::Reasoning(is_readable), Some(raw)) => {
                    thinking_bytes += raw.len() as u64;
                    match is_readable {
                        true => Part::Opaque(raw),
                        false => continue,
                    }
                }
                (Kind::Message(_) | Kind::Other, Some(raw)) => Part::Opaque(raw),
                (Kind::Message(words), None) => {
                    can_be_told &= words.in_one_piece;
                    Part::Text(words.range)
                }
                (Kind::Call(_) | Kind::Reasoning(_) | Kind::Other, _) => continue,
            });
        }
        if calls.len() > MAX_REPLY_CALLS {
            return Err(ModelError::TooLarge { what: "calls in one reply", limit: MAX_REPLY_CALLS });
        }
        let parts =
            can_be_told.then_some(ReplyParts { protocol: Protocol::Responses, parts, thinking_bytes });
        draft.end(calls, parts, self.usage, stop);
        Ok(())
    }
}

/// Why an item can't be taken in.
enum Failed {
    Json(serde_json::Error),
    Model(ModelError),
}

impl From<serde_json::Error> for Failed {
    fn from(error: serde_json::Error) -> Failed {
        Failed::Json(error)
    }
}

impl From<ModelError> for Failed {
    fn from(error: ModelError) -> Failed {
        Failed::Model(error)
    }
}

impl Decoder {
    /// An item begins, or is complete.
    fn item(
        &mut self,
        index: Option<u64>,
        raw: &RawValue,
        is_done: bool,
        draft: &mut Draft<'_>,
    ) -> Result<(), Failed> {
        let output: Output = serde_json::from_str(raw.get())?;
        draft.grow(raw.get().len())?;
        let known = self.find(index, output.id.as_deref(), |_| false).is_some();
        if !(is_done && known) {
            if self.items.len() == MAX_ITEMS {
                return Err(ModelError::TooLarge { what: "items in one reply", limit: MAX_ITEMS }.into());
            }
            self.items.push(Item::begin(index, &output, draft.text_bytes()));
        }
        let (id, last) = (output.id.as_deref(), self.items.len() - 1);
        let place = if is_done && known { self.place(index, id, |_| false) } else { Some(last) };
        let Some(item) = place.and_then(|place| self.items.get_mut(place)) else { return Ok(()) };
        if !is_done {
            return Ok(());
        }
        item.learn(&output);
        item.raw = Some(Bytes::copy_from_slice(raw.get().as_bytes()));
        if let Kind::Message(words) = &mut item.kind {
            // Words that were not sent in parts.
            let is_silent = words.range.is_empty();
            for content in output.content.into_iter().flatten() {
                let is_refusal = content.kind.as_deref() == Some("refusal");
                self.refused |= is_refusal;
                let text = if is_refusal { content.refusal } else { content.text };
                if let Some(text) = text.filter(|_| is_silent) {
                    let at = draft.text_bytes();
                    words.grow(at, at + text.len());
                    draft.text(text)?;
                }
            }
        }
        Ok(())
    }

    fn words(&mut self, event: &Event<'_>, text: String, draft: &mut Draft<'_>) -> Result<(), ModelError> {
        let at = draft.text_bytes();
        let end = at + text.len();
        draft.text(text)?;
        match self.find(event.output_index, event.item_id.as_deref(), is_message) {
            Some(Item { kind: Kind::Message(words), .. }) => words.grow(at, end),
            // Words need no beginning to be words.
            _ => self.items.push(Item {
                index: event.output_index,
                id: event.item_id.clone(),
                kind: Kind::Message(Words { range: at..end, in_one_piece: true }),
                raw: None,
            }),
        }
        Ok(())
    }

    /// The reply is complete. What it says of itself as a whole fills in what was not sent in parts.
    fn complete(
        &mut self,
        kind: &str,
        response: Option<Response<'_>>,
        draft: &mut Draft<'_>,
    ) -> Result<(), Failed> {
        let Some(response) = response else { return Err(ModelError::EndedEarly.into()) };
        if let Some(error) = response.error.filter(|error| !error.is_null()) {
            return Err(draft.broken_off(&error).into());
        }
        self.usage = response.usage.map(UsageCount::usage);
        let is_silent = self.items.is_empty();
        for (place, raw) in (0..).zip(response.output.into_iter().flatten()) {
            let output: Output = serde_json::from_str(raw.get())?;
            let known = self.place(Some(place), output.id.as_deref(), |_| false);
            let is_open =
                known.and_then(|known| self.items.get(known)).is_some_and(|item| item.raw.is_none());
            if is_silent || is_open {
                self.item(Some(place), raw, true, draft)?;
            }
        }
        let reason = response.incomplete_details.and_then(|details| details.reason);
        let is_incomplete = kind == "response.incomplete" || response.status.as_deref() == Some("incomplete");
        self.stop = Some(match (is_incomplete, reason.as_deref()) {
            (false, _) => StopReason::End,
            (true, Some("content_filter")) => StopReason::ContentFilter,
            (true, None | Some("max_output_tokens" | "max_tokens" | "length")) => StopReason::Length,
            (true, Some(other)) => return Err(draft.meaningless("reason to be incomplete", other).into()),
        });
        Ok(stream::Decoder::end(self, draft)?)
    }

    /// The item that an event is about: by its place, by its id, or else the last one that is `meant`.
    fn find(
        &mut self,
        index: Option<u64>,
        id: Option<&str>,
        meant: impl Fn(&Item) -> bool,
    ) -> Option<&mut Item> {
        let place = self.place(index, id, meant)?;
        self.items.get_mut(place)
    }

    fn place(&self, index: Option<u64>, id: Option<&str>, meant: impl Fn(&Item) -> bool) -> Option<usize> {
        let by_index = index.and_then(|_| self.items.iter().rposition(|item| item.index == index));
        let by_id = || id.and_then(|_| self.items.iter().rposition(|item| item.id.as_deref() == id));
        let last = || if index.is_none() && id.is_none() { self.items.iter().rposition(meant) } else { None };
        by_index.or_else(by_id).or_else(last)
    }
}

fn is_call(item: &Item) -> bool {
    matches!(item.kind, Kind::Call(_))
}

fn is_message(item: &Item) -> bool {
    matches!(item.kind, Kind::Message(_))
}

/// The part that an event brings.
fn delta(event: &Event<'_>) -> Result<String, serde_json::Error> {
    event.delta.map_or_else(|| Ok(String::new()), |delta| serde_json::from_str(delta.get()))
}

fn named(event: &Event<'_>) -> String {
    match (&event.output_index, &event.item_id) {
        (Some(index), _) => index.to_string(),
        (None, Some(id)) => id.clone(),
        (None, None) => "unnamed".to_owned(),
    }
}

#[cfg(test)]
mod tests;
