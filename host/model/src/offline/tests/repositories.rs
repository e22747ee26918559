//! Small repositories in three languages, with what misleads: other words for the same, documents, other projects' manifests.

pub(super) const RUST: &[(&str, &str)] = &[
    (
        "Cargo.toml",
        "[package]
name = \"agent\"
version = \"0.3.0\"
edition = \"2024\"
license = \"MIT\"

[dependencies]
serde = \"1\"
[dev-dependencies]
proptest = \"1\"
",
    ),
    (
        "Cargo.lock",
        "[[package]]\nname = \"pytest\"\nversion = \"9.9.9\"\nname = \"serde\"\nturn_limit_max_turns\n",
    ),
    ("LICENSE", "MIT License\n"),
    (
        "README.md",
        "# agent\n\nThe turn limit is enforced for every agent. Turn limits: max_turns.\nTests in other projects use pytest or jest.\n",
    ),
    (
        "src/budget.rs",
        "//! Budgets: the turn limit and others.

pub struct Limits {
    pub max_turns: u64,
}

pub struct Budget {
    limits: Limits,
    turns: u64,
}

impl Budget {
    pub fn begin_turn(&mut self) -> Result<(), Exhausted> {
        if self.turns >= self.limits.max_turns {
            return Err(Exhausted::Turns);
        }
        self.turns += 1;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // The turn limit.
    #[test]
    fn the_turn_limit_is_enforced() {
        let limits = Limits { max_turns: 3 };
        assert!(budget.turns <= limits.max_turns);
    }
}
",
    ),
    (
        "src/main.rs",
        "mod budget;

fn main() {
    let done = run_loop(Limits { max_turns: 10 });
    let pattern = \"#[test] pytest jest\";
}

fn run_loop(limits: Limits) -> u64 {
    return limits.max_turns;
}
",
    ),
    ("web/package.json", "{\n  \"devDependencies\": { \"jest\": \"29\" }\n}\n"),
];

pub(super) const PYTHON: &[(&str, &str)] = &[
    (
        "pyproject.toml",
        "[project]
name = \"agent\"
version = \"1.0\"
requires-python = \">=3.11\"

[dependency-groups]
dev = [\"pytest>=8\", \"ruff\"]
",
    ),
    ("README.md", "# Agent\n\nWhere is the turn limit enforced? See the documentation: max turns.\n"),
    ("agent/__init__.py", "from .loop import run\n"),
    (
        "agent/__main__.py",
        "\"\"\"Command line.\"\"\"\nfrom .loop import run\n\n\nif __name__ == \"__main__\":\n    run()\n",
    ),
    (
        "agent/loop.py",
        "\"\"\"The loop.\"\"\"

MAX_TURNS = 10


class TurnLimitExceeded(Exception):
    pass


def run(model, max_turns=MAX_TURNS):
    turns = 0
    while True:
        # The limit of turns is checked here.
        if turns >= max_turns:
            raise TurnLimitExceeded(f\"more than {max_turns} turns\")
        turns += 1
        reply = model.ask()
        if not reply.calls:
            return reply
",
    ),
    (
        "agent/client.py",
        "import time


def get(url):
    for attempt in range(3):  # retries a request
        time.sleep(attempt)
",
    ),
    (
        "tests/test_loop.py",
        "import pytest

from agent.loop import MAX_TURNS, run


def test_the_turn_limit_is_enforced():
    with pytest.raises(TurnLimitExceeded):
        run(max_turns=1)
",
    ),
];

pub(super) const PYTHON_UNITTEST: &[(&str, &str)] = &[
    ("setup.py", "from setuptools import setup\n\nsetup(name=\"shop\", version=\"0.1\")\n"),
    ("shop/__init__.py", "PRICE = 3\n"),
    ("tests/test_shop.py", "import unittest\n\n\nclass TestShop(unittest.TestCase):\n    pass\n"),
    ("docs/contributing.md", "We do not use pytest, since the test framework unittest suffices.\n"),
];

pub(super) const JAVASCRIPT: &[(&str, &str)] = &[
    (
        "package.json",
        "{
  \"name\": \"agent\",
  \"version\": \"2.1.0\",
  \"description\": \"An agent\",
  \"scripts\": {
    \"build\": \"tsc\"
  },
  \"devDependencies\": {
    \"vitest\": \"^2.0.0\",
    \"typescript\": \"^5.0.0\"
  }
}
",
    ),
    ("package-lock.json", "{ \"jest\": { \"version\": \"29\" }, \"maxTurns\": \"turn limit\" }\n"),
    (
        "node_modules/mocha/package.json",
        "{ \"name\": \"mocha\", \"version\": \"1\", \"description\": \"no\" }\n",
    ),
    (
        "src/loop.ts",
        "import { ask } from './model';

export const DEFAULT_MAX_TURNS = 10;

export async function runLoop(maxTurns = DEFAULT_MAX_TURNS) {
  let turn = 0;
  for (;;) {
    if (turn >= maxTurns) {
      throw new Error('turn limit reached');
    }
    turn += 1;
    await ask();
  }
}
",
    ),
    (
        "src/loop.test.ts",
        "import { expect, test } from 'vitest';\n\ntest('turn limit', () => {\n  expect(turns > maxTurns);\n});\n",
    ),
    ("docs/limits.md", "# Turn limit\n\nThe turn limit is enforced in the loop.\n"),
];
