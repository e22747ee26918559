//! Whole runs over the wire: the roles and plugins that come with remit, and a model behind a real server of the Chat
//! Completions API, which answers from fixtures and keeps a journal of what it was asked.

#![expect(clippy::unwrap_used, clippy::panic, reason = "the helpers belong to tests")]

mod delegation;
mod faults;
mod ids;
mod keys;
mod server;

use remit_tests::{Run, Scene};
use serde_json::Value;
use server::Server;

/// Starts a server that answers from fixtures. None where there is no such server.
fn serve(fixtures: &[Value]) -> Option<Server> {
    remit_tests::peer("aimock", "node_modules/.bin/llmock").map(|program| Server::start(&program, fixtures))
}

/// Runs a prompt with the root of a scene and the model of a server.
async fn ask(scene: &Scene, server: &Server, prompt: &str) -> Run {
    scene.run("root", &format!("openai:mock@{}", server.url()), prompt).await.unwrap()
}
