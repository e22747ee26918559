//! Which commands run, and who is asked.

use remit_sandbox::{Consent, Entry, Supervision};
use serde_json::json;

use crate::bench::{Bench, said};

#[tokio::test]
async fn a_command_that_is_not_granted_does_not_run_and_is_told_what_would() {
    let Some(bench) = Bench::new().await else { return };
    for argv in [
        vec!["cargo", "build"],
        vec!["true", "x"],
        vec!["/bin/sh", "-c", "true"],
        vec!["sh2"],
        vec!["rm", "-rf", "x y"],
    ] {
        let (output, entries) = bench.run_recorded(&argv).await;
        let error = said(output.unwrap()).unwrap_err();
        assert!(
            error.contains("not among the commands granted") && error.contains("`cargo test **`"),
            "{error}"
        );
        let [Entry::Refused { action, path, .. }] = &entries[..] else { panic!("{entries:?}") };
        assert_eq!(action, "run");
        assert!(path.starts_with(argv[0]), "{path}");
    }
    let Some(mut none) = Bench::new().await else { return };
    none.spec.commands.clear();
    assert!(none.run(&["true"]).await.unwrap_err().contains("no command is granted"));
    assert!(none.run(&[]).await.unwrap_err().contains("a program and its arguments"));
}

#[tokio::test]
async fn nothing_runs_before_somebody_said_yes_and_a_no_is_final() {
    let Some(bench) = Bench::new().await else { return };
    let (consent, mut petitions) = Consent::asked();
    let supervision = Supervision { consent, ..Supervision::default() };
    let argv = ["sh", "-c", "echo ran > out/mark"];
    let asking = bench.call(json!({ "argv": argv }), &supervision);
    let answering = async {
        let petition = petitions.recv().await.unwrap();
        assert_eq!(petition.effect().to_string(), "sh -c echo ran > out/mark");
        assert!(!bench.stage.path("out/mark").exists());
        petition.refuse("not today");
    };
    let (output, ()) = tokio::join!(asking, answering);
    assert!(said(output.unwrap()).unwrap_err().contains("not today"));
    assert!(
        matches!(&supervision.ledger.entries()[..], [Entry::Refused { reason, .. }] if reason == "not today")
    );

    let granting = async { petitions.recv().await.unwrap().grant() };
    let (output, ()) = tokio::join!(bench.call(json!({ "argv": argv }), &supervision), granting);
    assert!(said(output.unwrap()).unwrap().starts_with("exit code 0"));
    assert_eq!(std::fs::read_to_string(bench.stage.path("out/mark")).unwrap(), "ran\n");

    drop(petitions);
    let output = bench.call(json!({ "argv": argv }), &supervision).await;
    assert!(said(output.unwrap()).unwrap_err().contains("nobody answered"));
}
