//! Agents whose tools are hostile, or who ask for what they may not have: whole runs, with real components.

#![expect(clippy::unwrap_used, reason = "the helpers belong to tests")]

use std::pin::pin;

use futures::future::join;
use remit_agent::Status;
use remit_tests::{Called, Run, Scene, guest};

/// A root that delegates, a worker with these tools, some of them guests, and a role for what a worker must not have.
fn scene(tools: &[&str], call_time: &str) -> Scene {
    let roles = format!(
        r#"
[roles.root]
description = "Delegates."
tools = ["task"]
delegates = ["worker"]
read = ["."]

[roles.worker]
description = "Works."
tools = {tools:?}
disallowed_tools = ["printing.run"]
read = ["."]
max_tool_calls = 9
call_time = "{call_time}"
result_bytes = 4096

[roles.other]
description = "Has a tool of its own."
tools = ["echo.run"]
"#
    );
    Scene::new(
        &roles,
        &[
            ("looping", guest("loop_forever")),
            ("sleeping", guest("sleep")),
            ("recursing", guest("recurse_forever")),
            ("trapping", guest("trap")),
            ("printing", guest("print")),
            ("returning", guest("return_huge")),
            ("probe", guest("fs_probe_std")),
            ("echo", guest("echo")),
            ("wanting", guest("unknown_import")),
        ],
    )
}

/// A script in which a worker makes these calls and then reports, alone or as a child of the root.
fn script(calls: &str, as_child: bool) -> String {
    let worker = format!(
        "[[turn]]\nrole = \"worker\"\ncalls = [{calls}]\n\n[[turn]]\nrole = \"worker\"\ntext = '{{\"summary\": \"done\"}}'\n"
    );
    if !as_child {
        return worker;
    }
    let task = "{ tool = 'task', args = { role = 'worker', task = 'Work.', expected_output = 'Work.' } }";
    format!(
        "[[turn]]\nrole = \"root\"\ncalls = [{task}]\n\n{worker}\n[[turn]]\nrole = \"root\"\ntext = \"all done\"\n"
    )
}

/// Plays the calls by a worker that the user asks, and by one that a root asks: the run, and the calls as recorded.
async fn by_both(scene: &Scene, calls: &str) -> [(Run, Vec<Called>); 2] {
    let alone = scene.play("worker", &script(calls, false)).await.unwrap();
    let child = scene.play("root", &script(calls, true)).await.unwrap();
    let (own, childs) = (alone.calls("root"), child.calls("root/worker#1"));
    [(alone, own), (child, childs)]
}

#[tokio::test]
async fn a_hostile_component_costs_its_call_and_nothing_else() {
    let scene =
        scene(&["looping.run", "sleeping.run", "recursing.run", "trapping.run", "returning.run"], "1s");
    let calls = "
        { id = 'a', tool = 'looping.run', args = { argument = '' } },
        { id = 'b', tool = 'sleeping.run', args = { argument = '3600' } },
        { id = 'c', tool = 'recursing.run', args = { argument = 'fat' } },
        { id = 'd', tool = 'trapping.run', args = { argument = 'trap' } },
        { id = 'e', tool = 'trapping.run', args = { argument = 'count' } },
        { id = 'f', tool = 'returning.run', args = { argument = 'ok 1073741824' } },
        { id = 'g', tool = 'returning.run', args = { argument = 'ok 100000' } },
        { id = 'h', tool = 'sleeping.run', args = { argument = '0' } }";
    for (run, calls) in by_both(&scene, calls).await {
        assert_eq!((run.outcome.status, run.outcome.unfinished.len()), (Status::Completed, 0));
        let ids: Vec<_> = calls.iter().map(|call| call.id.as_str()).collect();
        assert_eq!(ids, ["a", "b", "c", "d", "e", "f", "g", "h"]);
        let stopped = "stopped after 1 s: the call's time limit (`call_time`)";
        for (call, (is_error, words)) in calls.iter().zip([
            (true, stopped),
            (true, stopped),
            (true, "the component "),
            (true, "the component crashed: wasm trap: "),
            (false, "1"),
            (true, "out of memory: "),
            (false, ""),
            (false, "slept 0 s"),
        ]) {
            assert_eq!(call.is_error, is_error, "{call:?}");
            assert!(call.text.starts_with(words), "{call:?}");
        }
        assert!(calls[3].text.contains("the guest gave up in call 1"), "{:?}", calls[3]);
        let long = &calls[6].text;
        assert!(long.len() <= 4096 && long.contains("of 100000 bytes are shown"), "{} bytes", long.len());
    }
    assert_eq!(scene.sandbox.free_slots(), 2, "nothing runs on");
}

#[tokio::test]
async fn a_role_for_reading_changes_nothing_whatever_its_components_try() {
    let scene = scene(&["probe.run"], "1h");
    scene.write("notes.txt", "as it was");
    let before = scene.files();
    let attempts = [
        "write notes.txt gone",
        "append notes.txt more",
        "truncate notes.txt",
        "unlink notes.txt",
        "rename notes.txt other.txt",
        "write new.txt text",
        "mkdir new",
        "link notes.txt second.txt",
    ];
    let call = format!("{{ tool = 'probe.run', args = {{ argument = '''{}''' }} }}", attempts.join("\n"));
    for (run, calls) in by_both(&scene, &call).await {
        assert_eq!(run.outcome.status, Status::Completed);
        let [call] = &calls[..] else { panic!("{calls:?}") };
        let results: Vec<_> = call.text.lines().collect();
        assert_eq!(results.len(), attempts.len());
        assert!(results.iter().all(|result| !result.starts_with("ok")), "{results:?}");
        assert!(
            call.refusals.iter().any(|refusal| refusal.contains("no directory is granted for writing")),
            "{:?}",
            call.refusals
        );
    }
    assert_eq!(scene.files(), before);
}

#[tokio::test]
async fn a_child_passes_the_same_gate_as_an_agent_that_the_user_asks() {
    let scene = scene(&["files.read_file", "trapping.run", "printing.run"], "1h");
    scene.write("notes.txt", "needle");
    scene.write(".env", "KEY=needle");
    let calls = "
        { tool = 'files.read_file', args = { path = 'notes.txt' } },
        { tool = 'files.read_file', args = { path = '.env' } },
        { tool = 'files.read_file', args = { path = '../outside' } },
        { tool = 'files.read_file', args = { path = 'notes.txt', lines = -1 } },
        { tool = 'files.read_file', args = '{\"path\": \"notes' },
        { tool = 'echo.run', args = { argument = 'of another role' } },
        { tool = 'printing.run', args = { argument = 'stdout 1' } },
        { tool = 'task', args = { role = 'worker', task = 'Work.', expected_output = 'Work.' } },
        { tool = 'no.such_tool' },
        { tool = 'trapping.run', args = { argument = 'count' } }";
    let [(_, alone), (_, child)] = by_both(&scene, calls).await;
    let gist = |calls: &[Called]| -> Vec<(String, bool, String)> {
        let gist = calls
            .iter()
            .map(|call| (call.tool.clone(), call.is_error, call.text.replace(" root/worker#1", " root")));
        gist.collect()
    };
    assert_eq!(gist(&alone), gist(&child));
    for (call, words) in child.iter().zip([
        "needle",
        "hidden by the rule `.env*`",
        "`..`",
        "lines: expected",
        "the arguments are not valid JSON: ",
        "`echo__run` is not among this role's tools: ",
        "`printing__run` is not among this role's tools: ",
        "`task` is not among this role's tools: ",
        "`no__such_tool` is not among this role's tools: ",
        "9 calls are run in one turn (max_tool_calls, ",
    ]) {
        assert!(call.text.contains(words), "{call:?}");
        assert_eq!(call.is_error, words != "needle", "{call:?}");
    }
    let leaked = child.iter().skip(1).filter(|call| call.text.contains("needle")).count();
    assert_eq!((child.len(), leaked), (10, 0));
}

/// The call is under way when the user stops the run: its slot is taken. Afterwards it is free.
#[tokio::test]
async fn a_component_that_loops_ends_with_the_run_that_is_stopped() {
    for (tool, argument) in [("looping.run", ""), ("sleeping.run", "3600")] {
        let scene = scene(&[tool], "1h");
        let calls = format!(
            "{{ id = 'a', tool = '{tool}', args = {{ argument = '{argument}' }} }}, {{ id = 'b', tool = '{tool}' }}"
        );
        let script = script(&calls, true);
        let stop = async {
            while scene.sandbox.free_slots() == 2 {
                tokio::task::yield_now().await;
            }
            scene.cancel.cancel();
        };
        let (run, ()) = join(pin!(scene.play("root", &script)), pin!(stop)).await;
        let run = run.unwrap();
        assert_eq!((run.outcome.status, run.outcome.status.exit_code()), (Status::Cancelled, 130), "{tool}");
        let calls = run.calls("root/worker#1");
        let results: Vec<_> = calls.iter().map(|call| (&*call.id, &*call.text, call.is_error)).collect();
        assert_eq!(results, [("a", "cancelled", true), ("b", "cancelled", true)], "{tool}");
        while scene.sandbox.free_slots() != 2 {
            tokio::task::yield_now().await;
        }
    }
}

#[tokio::test]
async fn a_role_whose_component_cannot_run_here_is_refused_before_anybody_is_asked() {
    let scene = scene(&["wanting.run"], "1h");
    let error = scene.play("worker", &script("", false)).await.err().unwrap().to_string();
    let place = "(built-in roles.toml:10)";
    assert!(error.starts_with("role `worker` can't be started: plugin `wanting` ("), "{error}");
    assert!(error.contains("`evil:host/api@1.2.3`") && error.ends_with(place), "{error}");

    let run = scene.play("root", &script("", true)).await.unwrap();
    let [told] = &run.calls("root")[..] else { panic!("{:?}", run.calls("root")) };
    assert!(told.is_error && told.text.contains("`evil:host/api@1.2.3`"), "{told:?}");
    assert_eq!(run.outcome.figures.delegations, 0);
}
