//! The same delegation through each protocol.

use remit_agent::Status;
use serde_json::Value;

use crate::delegation::{FILES, PROMPT, fixtures};
use crate::{ask_by, scene_of, serve};

/// The messages of a request, whatever the protocol calls them.
fn messages(request: &Value) -> &[Value] {
    ["messages", "input"].iter().find_map(|key| request[key].as_array()).unwrap()
}

#[tokio::test]
async fn a_delegation_comes_to_the_same_through_every_protocol() {
    for prefix in ["openai", "anthropic", "responses"] {
        let Some(server) = serve(&fixtures()) else { return };
        let scene = scene_of(&FILES);
        let run = ask_by(prefix, &scene, &server, PROMPT).await;
        let outcome = &run.outcome;
        assert_eq!(outcome.status, Status::Completed, "{prefix}: {outcome:?}");
        assert_eq!(outcome.answer, "pytest (pyproject.toml:5)", "{prefix}");
        assert_eq!((outcome.unfinished.len(), outcome.warnings.len()), (0, 0), "{prefix}: {outcome:?}");
        let figures = &outcome.figures;
        assert_eq!((figures.model_calls, figures.tool_calls, figures.delegations), (4, 3, 1), "{prefix}");
        assert_eq!((figures.usage.input_tokens, figures.usage.output_tokens), (400, 40), "{prefix}");
        let calls = run.calls("root/explorer#1");
        let said: Vec<_> =
            calls.iter().map(|call| (call.id.as_str(), call.tool.as_str(), call.is_error)).collect();
        assert_eq!(
            said,
            [("call_search", "search.grep", false), ("call_read", "files.read_file", false)],
            "{prefix}"
        );

        let requests = server.requests();
        let [root, child, child_again, root_again] = &requests[..] else { panic!("{prefix}: {requests:#?}") };
        for (first, again) in [(root, root_again), (child, child_again)] {
            let (first, again) = (messages(first), messages(again));
            assert!(again.len() > first.len(), "{prefix}: {again:?}");
        }
    }
}
