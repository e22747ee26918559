//! A call ends at its deadline, or when nobody waits for it any more, whatever the guest does.

#![expect(clippy::panic, reason = "the helpers belong to tests")]

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures::future::{Either, join_all, select};
use remit_sandbox::{CallError, Grants, Limits, Plugin, SandboxConfig, Supervision};
use remit_tests::{Stage, guest, text_guest};

/// A deadline that a test waits for.
const SOON: Duration = Duration::from_millis(100);

fn with_deadline(deadline: Duration) -> Stage {
    let mut stage = Stage::default();
    stage.limits.deadline = deadline;
    stage
}

/// Waits until a number of calls could start at once; a test that waits in vain is ended by the test runner.
async fn free_slots(stage: &Stage, slots: usize) {
    while stage.sandbox.free_slots() != slots {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_guest_that_loops_is_stopped_at_its_deadline() {
    let stage = with_deadline(SOON);
    let looping = stage.load(guest("loop_forever"));
    let error = stage.run(&looping, "").await.unwrap_err();
    assert!(matches!(error, CallError::Deadline { limit: SOON }), "{error:?}");
    assert_eq!(error.to_string(), "stopped after 0.1 s: the call's time limit (`call_time`)");
}

#[tokio::test]
async fn a_guest_that_loops_is_stopped_where_it_could_read_files() {
    let stage = with_deadline(SOON);
    let storm = stage.load(guest("hostcall_storm"));
    let error = stage.run_with(&storm, "clock 1000000000000", &stage.grants(&["."])).await.unwrap_err();
    assert!(matches!(error, CallError::Deadline { .. }), "{error:?}");
}

#[tokio::test]
async fn a_guest_that_never_finishes_its_start_is_stopped() {
    let stage = with_deadline(SOON);
    let looping = stage.load_bytes(text_guest("loop_at_start"));
    let error = stage.call(&looping, "run", "{}").await.unwrap_err();
    assert!(matches!(error, CallError::Deadline { .. }), "{error:?}");
}

#[tokio::test]
async fn a_guest_that_sleeps_in_the_host_is_stopped() {
    let stage = with_deadline(SOON);
    let sleeping = stage.load(guest("sleep"));
    for grants in [Grants::none(), stage.grants(&["."])] {
        let error = stage.run_with(&sleeping, "3600", &grants).await.unwrap_err();
        assert!(matches!(error, CallError::Deadline { .. }), "{error:?}");
    }
}

#[tokio::test]
async fn a_guest_that_was_stopped_can_be_called_again() {
    let stage = with_deadline(SOON);
    let sleeping = stage.load(guest("sleep"));
    stage.run(&sleeping, "3600").await.unwrap_err();
    assert_eq!(stage.run(&sleeping, "0").await.unwrap().text, "slept 0 s");
}

/// One worker thread: the loop has to be interrupted for anybody else to get a turn.
#[tokio::test(flavor = "current_thread")]
async fn others_go_on_beside_a_guest_that_loops() {
    let stage = Stage::default();
    let (looping, echo) = (stage.load(guest("loop_forever")), stage.load(guest("echo")));
    let endless = pin!(stage.run(&looping, ""));
    let quick = pin!(async {
        for word in ["one", "two", "three"] {
            assert_eq!(stage.run(&echo, word).await.unwrap().text, word);
        }
    });
    // The loop is asked first, so it has the thread when the others want it.
    match select(endless, quick).await {
        Either::Left((ended, _)) => panic!("the loop ended: {ended:?}"),
        Either::Right(((), _)) => {}
    }
}

/// Starts a call, waits until it has a slot, and drops it.
async fn abandon(stage: &Stage, plugin: &Arc<Plugin>, argument: &str, grants: &Arc<Grants>) {
    let slots = stage.sandbox.free_slots();
    let call = pin!(stage.run_with(plugin, argument, grants));
    match select(call, pin!(free_slots(stage, slots - 1))).await {
        Either::Left((ended, _)) => panic!("it ended: {ended:?}"),
        Either::Right(((), _)) => {}
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_call_that_nobody_waits_for_gives_its_slot_back() {
    let stage = Stage::new(&SandboxConfig { concurrency: 2, ..SandboxConfig::default() });
    let guests = [("loop_forever", ""), ("sleep", "3600"), ("hostcall_storm", "clock 1000000000000")];
    for (name, argument) in guests {
        let path = match name {
            "loop_forever" => guest("loop_forever"),
            "sleep" => guest("sleep"),
            _ => guest("hostcall_storm"),
        };
        let plugin = stage.load(path);
        for grants in [Grants::none(), stage.grants(&["."])] {
            for _ in 0..20 {
                abandon(&stage, &plugin, argument, &grants).await;
                free_slots(&stage, 2).await;
            }
        }
    }
    // Both slots hold whole guests again.
    let echo = stage.load(guest("echo"));
    let calls = join_all((0..20).map(|_| stage.run(&echo, "still here"))).await;
    assert!(calls.into_iter().all(|call| call.unwrap().text == "still here"));
}

#[tokio::test]
async fn a_call_without_a_slot_waits_and_does_not_fail() {
    let stage = Stage::new(&SandboxConfig { concurrency: 1, ..SandboxConfig::default() });
    let echo = stage.load(guest("echo"));
    let calls = join_all((0..50).map(|_| stage.run(&echo, "my turn"))).await;
    assert!(calls.into_iter().all(|call| call.unwrap().text == "my turn"));
}

/// The wait for a slot is not the call's own time.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn waiting_for_a_slot_uses_up_no_deadline() {
    let mut stage = Stage::new(&SandboxConfig { concurrency: 1, ..SandboxConfig::default() });
    let (looping, echo) = (stage.load(guest("loop_forever")), stage.load(guest("echo")));
    stage.limits.deadline = SOON;
    let (first, second) = tokio::join!(stage.run(&looping, ""), async {
        let limits = Limits { deadline: SOON, ..Limits::default() };
        let arguments = r#"{"argument": "after you"}"#;
        stage
            .sandbox
            .call(&echo, "guest.run", arguments, &Grants::none(), &limits, &Supervision::default())
            .await
    });
    assert!(matches!(first.unwrap_err(), CallError::Deadline { .. }));
    assert_eq!(second.unwrap().text, "after you");
}
