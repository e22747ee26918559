//! Every guest has a test.

use std::fs;
use std::path::Path;

#[test]
fn every_guest_is_used_by_a_test() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let sources: String = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
        .map(|path| fs::read_to_string(path).unwrap())
        .collect();
    let unused: Vec<_> = remit_tests::all_uses().into_iter().filter(|call| !sources.contains(call)).collect();
    assert!(unused.is_empty(), "no test in tests/tests calls {unused:#?}");
}
