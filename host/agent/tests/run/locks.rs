//! The two locks. Each holds without the other.

use std::sync::Arc;

use remit_agent::roles::{BuiltIn, Role, Roles, RolesSource};
use remit_agent::{
    Agent, AgentPath, Broker, Budget, Events, Patience, Policy, Pricing, RoleRef, ToolboxFactory, Tree,
    run_loop,
};
use remit_model::{Message, ToolSet, ToolSpec, Transcript};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::stage::{Actor, ROLES, Stage, call, calls, says, task};

#[tokio::test]
async fn a_childs_model_is_shown_no_tool_outside_its_role() {
    let stage = Stage::new(vec![
        ("root", calls(vec![task("t1", "explorer")])),
        ("root/explorer#1", says(r#"{"summary":"pytest"}"#)),
        ("root", says("pytest")),
    ]);
    let played = stage.play().await;
    let explorer = played.shown("root/explorer#1", 0);
    assert_eq!(explorer.tools, ["files__read_file", "files__list_files", "files__wait", "search__grep"]);
    assert_eq!(
        played.shown("root", 0).tools,
        ["files__read_file", "files__list_files", "files__wait", "task"]
    );
}

#[tokio::test]
async fn a_tool_of_another_role_called_by_name_reaches_nothing() {
    let stage = Stage::new(vec![
        ("root", calls(vec![task("t1", "explorer")])),
        (
            "root/explorer#1",
            calls(vec![
                call("c1", "edit__write_file", json!({ "path": "a", "content": "b" })),
                call("c2", "edit.write_file", json!({})),
                call("c3", "write_file", json!({})),
                task("c4", "explorer"),
                call("c5", "files__read_file", json!({ "path": "a" })),
            ]),
        ),
        ("root/explorer#1", says(r#"{"summary":"could not"}"#)),
        ("root", says("done")),
    ]);
    let played = stage.play().await;
    let results = played.shown("root/explorer#1", 1).results();
    let ids: Vec<&str> = results.iter().map(|(id, ..)| id.as_str()).collect();
    assert_eq!(ids, ["c1", "c2", "c3", "c4", "c5"]);
    assert_eq!(
        results[0].1,
        "not run: `edit__write_file` is not among this role's tools: files.read_file, files.list_files, files.wait, \
         search.grep. Role `explorer` of root/explorer#1 would have to be given it (built-in roles.toml:16)."
    );
    assert!(results[3].1.starts_with("not run: `task` is not among this role's tools: "), "{}", results[3].1);
    assert_eq!(
        results.iter().map(|(.., is_error)| *is_error).collect::<Vec<_>>(),
        [true, true, true, true, false]
    );
    let reached: Vec<&str> = played.calls.iter().map(|call| call.tool.as_str()).collect();
    assert_eq!(reached, ["files.read_file"]);
    assert_eq!(played.made.len(), 2, "one toolbox for the root, one for the explorer: {:?}", played.made);
    assert_eq!(played.outcome.figures.delegations, 1);
}

#[tokio::test]
async fn a_role_with_an_empty_list_has_no_tool_at_all() {
    let stage = Stage::new(vec![
        ("root", calls(vec![task("t1", "explorer")])),
        ("root/explorer#1", calls(vec![call("c1", "files__read_file", json!({ "path": "a" }))])),
        ("root/explorer#1", says(r#"{"summary":"could not"}"#)),
        ("root", says("done")),
    ])
    .replaced(r#"tools = ["files.*", "search.grep"]"#, "tools = []");
    let played = stage.play().await;
    assert_eq!(played.shown("root/explorer#1", 0).tools, [] as [&str; 0]);
    let (_, text, is_error) = played.shown("root/explorer#1", 1).results().remove(0);
    assert!(is_error && text.contains("is not among this role's tools: it has none."), "{text}");
    assert_eq!(played.calls, []);
}

/// A loop whose model is shown more tools than its toolbox holds, and one whose model is shown fewer.
#[tokio::test]
async fn either_lock_alone_is_enough() {
    let actor = Arc::new(Actor::new(vec![
        ("root", calls(vec![call("c1", "edit__write_file", json!({}))])),
        ("root", says("done")),
    ]));
    let stage = Stage::new(vec![]);
    let built_in = BuiltIn { roles: ROLES, plugins: &["files", "search", "edit"] };
    let roles = Arc::new(Roles::load(RolesSource::BuiltIn, &built_in, stage.workspace.path()).unwrap());
    let explorer: &Role = roles.get("explorer").unwrap();
    let authority = remit_agent::roles::Authority::of(&roles, explorer, &Default::default());
    let role = RoleRef::new(roles.clone(), explorer);
    let toolbox = stage.props.make(&role, &authority).await.unwrap();
    let leaked = ToolSpec {
        name: "edit__write_file".into(),
        description: "Shown by mistake.".into(),
        input_schema: json!({ "type": "object" }),
    };
    let agent = Agent {
        path: AgentPath::root(),
        role,
        prompt: String::new(),
        tools: ToolSet::new(vec![leaked]),
        toolbox,
        budget: Budget::root(&Tree::new(roles.budget().clone()), roles.limits_of(explorer)),
        model: actor.clone(),
        pricing: Pricing::Free,
        patience: Patience::none(),
        delegation: None,
        broker: Broker::new(Policy::Ask, None),
        events: Arc::new(Events::new(vec![])),
        inbox: None,
        cancel: CancellationToken::new(),
    };
    let mut transcript = Transcript::new();
    transcript.push(Message::user("Go."));
    run_loop(&mut transcript, &agent).await;
    let results = actor.seen()[1].results();
    assert!(
        results[0].2 && results[0].1.starts_with("not run: `edit__write_file` is not among"),
        "{results:?}"
    );
    assert_eq!(stage.props.calls(), []);
}

#[tokio::test]
async fn task_is_offered_only_to_roles_with_delegates_and_names_only_those() {
    let stage = Stage::new(vec![("root", says("done"))]);
    let played = stage.play().await;
    let schema = &played.shown("root", 0).schemas["task"];
    assert_eq!(schema["properties"]["role"]["enum"], json!(["explorer", "lead"]));
    assert_eq!(
        schema["properties"]["role"]["description"],
        "Who does it.\n- explorer: Finds things. Tools: files.*, search.grep. Reads `src`, `docs`.\n\
         - lead: Delegates further. Tools: task. Reads `.`."
    );
    let alone = Stage::new(vec![("root", says("done"))]).role("explorer").play().await;
    assert!(!alone.shown("root", 0).tools.contains(&"task".to_owned()));
}
