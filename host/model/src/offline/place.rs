//! What a path says about a file.

/// What a file is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Kind {
    Manifest,
    Code,
    Config,
    Docs,
    Example,
    Test,
    /// What tests read.
    Fixture,
    /// Written by a program, or somebody else's.
    Generated,
}

/// Whose manifest or source a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Ecosystem {
    Rust,
    Python,
    Node,
    Go,
    Java,
    Ruby,
    Php,
    Native,
}

/// Files that say what a project is made of.
pub(super) const MANIFESTS: &str = "{Cargo.toml,nextest.toml,rust-toolchain.toml,package.json,pyproject.toml,setup.py,\
    setup.cfg,tox.ini,pytest.ini,noxfile.py,Pipfile,requirements*.txt,*requirements.txt,go.mod,pom.xml,build.gradle,\
    build.gradle.kts,Gemfile,composer.json,CMakeLists.txt,Makefile,justfile,deno.json}";

/// Files with program text.
pub(super) const SOURCES: &str = "*.{rs,py,pyi,js,mjs,cjs,jsx,ts,mts,cts,tsx,vue,svelte,go,java,kt,scala,swift,c,h,cc,cpp,\
    hpp,cs,rb,php,ex,exs,hs,ml,lua,sh,zig,dart}";

/// Files with settings or prose.
pub(super) const TEXTS: &str = "*.{md,rst,adoc,txt,toml,yaml,yml,json,ini,cfg,wit,proto,sql,graphql}";

const GENERATED_DIRECTORIES: [&str; 9] = [
    "node_modules",
    "vendor",
    "dist",
    "third_party",
    "__pycache__",
    ".venv",
    "venv",
    "site-packages",
    "snapshots",
];
const FIXTURE_DIRECTORIES: [&str; 5] = ["fixtures", "fixture", "testdata", "test-data", "__fixtures__"];
const TEST_DIRECTORIES: [&str; 7] = ["tests", "test", "__tests__", "spec", "specs", "e2e", "testing"];
const EXAMPLE_DIRECTORIES: [&str; 8] =
    ["examples", "example", "benches", "bench", "benchmarks", "demo", "demos", "samples"];
const LOCKS: [&str; 8] = [
    "Cargo.lock",
    "package-lock.json",
    "yarn.lock",
    "pnpm-lock.yaml",
    "poetry.lock",
    "uv.lock",
    "go.sum",
    "Gemfile.lock",
];

/// A path's last part.
pub(super) fn name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// How many directories a file lies in.
pub(super) fn depth(path: &str) -> usize {
    path.matches('/').count()
}

/// What the file at `path` is for, as far as its name tells.
pub(super) fn kind(path: &str) -> Kind {
    let name = name(path);
    let lower = name.to_lowercase();
    let extension = lower.rsplit_once('.').map_or("", |(_, extension)| extension);
    let within = |directories: &[&str]| {
        path.split('/').rev().skip(1).any(|directory| directories.contains(&directory))
    };
    let generated =
        LOCKS.contains(&name) || lower.contains(".min.") || matches!(extension, "map" | "snap" | "lock");
    if generated || within(&GENERATED_DIRECTORIES) {
        return Kind::Generated;
    }
    let tested = within(&TEST_DIRECTORIES);
    if within(&FIXTURE_DIRECTORIES) {
        return Kind::Fixture;
    }
    if is_test_name(&lower) || (tested && !is_manifest(name)) {
        return Kind::Test;
    }
    if within(&EXAMPLE_DIRECTORIES) {
        return Kind::Example;
    }
    if is_manifest(name) {
        return Kind::Manifest;
    }
    if name == "build.rs" {
        // A part of the build, though it is a program.
        return Kind::Config;
    }
    match extension {
        "md" | "rst" | "adoc" | "txt" | "html" => Kind::Docs,
        "toml" | "yaml" | "yml" | "json" | "ini" | "cfg" | "conf" | "xml" | "" => Kind::Config,
        _ => Kind::Code,
    }
}

fn is_test_name(lower: &str) -> bool {
    let stem = lower.split_once('.').map_or(lower, |(stem, _)| stem);
    lower == "conftest.py"
        || matches!(stem, "test" | "tests")
        || stem.starts_with("test_")
        || stem.ends_with("_test")
        || stem.ends_with("_tests")
        || lower.contains(".test.")
        || lower.contains(".spec.")
}

pub(super) fn is_manifest(name: &str) -> bool {
    const NAMES: [&str; 19] = [
        "Cargo.toml",
        "nextest.toml",
        "rust-toolchain.toml",
        "package.json",
        "deno.json",
        "pyproject.toml",
        "setup.py",
        "setup.cfg",
        "tox.ini",
        "pytest.ini",
        "noxfile.py",
        "Pipfile",
        "go.mod",
        "pom.xml",
        "Gemfile",
        "composer.json",
        "CMakeLists.txt",
        "Makefile",
        "justfile",
    ];
    NAMES.contains(&name)
        || name.starts_with("build.gradle")
        || (name.ends_with(".txt") && name.contains("requirements"))
}

/// Whose the file is, if it is somebody's alone.
pub(super) fn ecosystem(path: &str) -> Option<Ecosystem> {
    let name = name(path);
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    Some(match (name, extension) {
        ("Cargo.toml" | "nextest.toml" | "rust-toolchain.toml", _) | (_, "rs") => Ecosystem::Rust,
        ("package.json" | "deno.json", _)
        | (_, "js" | "mjs" | "cjs" | "jsx" | "ts" | "mts" | "cts" | "tsx") => Ecosystem::Node,
        (_, "vue" | "svelte") => Ecosystem::Node,
        ("pyproject.toml" | "setup.cfg" | "tox.ini" | "pytest.ini" | "Pipfile", _) | (_, "py" | "pyi") => {
            Ecosystem::Python
        }
        (_, "txt") if name.contains("requirements") => Ecosystem::Python,
        ("go.mod", _) | (_, "go") => Ecosystem::Go,
        ("pom.xml", _) | (_, "java" | "kt" | "gradle" | "kts" | "scala") => Ecosystem::Java,
        ("Gemfile", _) | (_, "rb") => Ecosystem::Ruby,
        ("composer.json", _) | (_, "php") => Ecosystem::Php,
        ("CMakeLists.txt", _) | (_, "c" | "h" | "cc" | "cpp" | "hpp") => Ecosystem::Native,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_tells_what_a_file_is_for() {
        for (path, expected) in [
            ("Cargo.toml", Kind::Manifest),
            ("web/package.json", Kind::Manifest),
            ("requirements-dev.txt", Kind::Manifest),
            ("src/budget.rs", Kind::Code),
            ("src/agent/loop.py", Kind::Code),
            ("src/budget/tests.rs", Kind::Test),
            ("src/loop.test.ts", Kind::Test),
            ("tests/test_loop.py", Kind::Test),
            ("tests/Cargo.toml", Kind::Manifest),
            ("tests/fixtures/app/package.json", Kind::Fixture),
            ("examples/one.rs", Kind::Example),
            ("docs/design.md", Kind::Docs),
            ("LICENSE", Kind::Config),
            ("roles.toml", Kind::Config),
            ("Cargo.lock", Kind::Generated),
            ("node_modules/jest/package.json", Kind::Generated),
        ] {
            assert_eq!(kind(path), expected, "{path}");
        }
    }
}
