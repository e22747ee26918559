use serde_json::Value;

use crate::ModelError;
use crate::chat::{StopReason, Usage};
use crate::openai::assembly::Assembly;
use crate::openai::chunk::{Choice, Chunk};
use crate::openai::thinking::Thinking;
use crate::stream::{self, Draft};

/// What is known of a reply so far.
#[derive(Debug, Default)]
pub(crate) struct Decoder {
    calls: Assembly,
    thinking: Thinking,
    usage: Option<Usage>,
    refused: bool,
    stop: Option<StopReason>,
}

impl stream::Decoder for Decoder {
    fn read(&mut self, name: Option<&str>, data: &str, draft: &mut Draft<'_>) -> Result<(), ModelError> {
        if data == "[DONE]" {
            let stop = if self.calls.is_empty() { StopReason::End } else { StopReason::ToolUse };
            self.stop.get_or_insert(stop);
            return stream::Decoder::end(self, draft);
        }
        let damaged = |error: serde_json::Error| draft.damaged(data, &error);
        if name == Some("error") {
            return Err(draft.broken_off(&serde_json::from_str(data).map_err(damaged)?));
        }
        let chunk: Chunk = serde_json::from_str(data).map_err(damaged)?;
        if let Some(error) = &chunk.error {
            return Err(draft.broken_off(error));
        }
        if let Some(usage) = &chunk.usage {
            self.usage = Some(usage.usage());
        }
        for choice in chunk.choices.into_iter().flatten() {
            // Only one choice was asked for.
            if choice.index.unwrap_or(0) == 0 {
                self.choose(choice, draft)?;
            }
        }
        Ok(())
    }

    fn is_whole(&self) -> bool {
        self.stop.is_some()
    }

    fn end(&mut self, draft: &mut Draft<'_>) -> Result<(), ModelError> {
        let stop = self.stop.ok_or(ModelError::EndedEarly)?;
        let stop = if self.refused { StopReason::Refusal } else { stop };
        let (calls, extras) = std::mem::take(&mut self.calls).finish(stop);
        let parts = std::mem::take(&mut self.thinking).finish(extras);
        draft.end(calls, Some(parts), self.usage, stop);
        Ok(())
    }
}

impl Decoder {
    fn choose(&mut self, choice: Choice, draft: &mut Draft<'_>) -> Result<(), ModelError> {
        let delta = choice.delta.unwrap_or_default();
        draft.grow(self.thinking.push(delta.reasoning_content, delta.reasoning, delta.reasoning_details))?;
        if let Some(text) = delta.content {
            draft.text(text)?;
        }
        if let Some(text) = delta.refusal.filter(|text| !text.is_empty()) {
            self.refused = true;
            draft.text(text)?;
        }
        for call in delta.tool_calls.into_iter().flatten() {
            self.calls.push(call)?;
        }
        if let Some(reason) = choice.finish_reason.filter(|reason| !reason.is_empty()) {
            self.stop = Some(stop_reason(&reason, draft)?);
        }
        Ok(())
    }
}

/// The reasons that the API documents, and the other words for them that servers like it use. One that nobody knows is
/// not taken for a good end.
fn stop_reason(reason: &str, draft: &Draft<'_>) -> Result<StopReason, ModelError> {
    Ok(match reason {
        "stop" | "eos" | "eos_token" | "end_turn" | "stop_sequence" => StopReason::End,
        "tool_calls" | "function_call" | "tool_use" => StopReason::ToolUse,
        "length" | "max_tokens" | "model_length" => StopReason::Length,
        "content_filter" | "safety" => StopReason::ContentFilter,
        "refusal" => StopReason::Refusal,
        "error" => return Err(draft.broken_off(&Value::from("it gives an error as the reason to stop"))),
        other => return Err(draft.meaningless("finish_reason", other)),
    })
}

#[cfg(test)]
mod tests;
