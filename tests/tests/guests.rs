//! Every guest has a test.

use std::fs;
use std::path::Path;

#[test]
fn every_guest_is_used_by_a_test() {
    let mut sources = String::new();
    let mut todo = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("tests")];
    while let Some(folder) = todo.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                todo.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                sources.push_str(&fs::read_to_string(path).unwrap());
            }
        }
    }
    let unused: Vec<_> = remit_tests::all_uses().into_iter().filter(|call| !sources.contains(call)).collect();
    assert!(unused.is_empty(), "no test in tests/tests calls {unused:#?}");
}
