//! Runs of agents with scripted models and recorded tools.

#![expect(clippy::unwrap_used, clippy::panic, reason = "what a helper cannot do fails the test")]

mod approval;
mod budget;
mod calls;
mod cancel;
mod conversation;
mod cost;
mod delegation;
mod endings;
mod events;
mod ledger;
mod locks;
mod outward;
mod retries;
mod sandbox;
mod settings;
mod stage;
mod writing;
