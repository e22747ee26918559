//! Who an agent is: its place in the tree of one run.

use std::fmt;
use std::sync::Arc;

/// The place of an agent in a run, such as `root/explorer#1`: the first explorer that the root delegated to.
///
/// The first agent is `root` whatever its role. A child's number counts the children of the same role and the same
/// parent, from 1, so that a path is used once in a run.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AgentPath(Arc<str>);

impl AgentPath {
    /// The agent that the user speaks to.
    pub fn root() -> AgentPath {
        AgentPath("root".into())
    }

    /// The `number`th child with the role `role`, counted from 1.
    #[must_use]
    pub fn child(&self, role: &str, number: u64) -> AgentPath {
        AgentPath(format!("{}/{role}#{number}", self.0).into())
    }

    /// The path as it is written everywhere.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether this is the agent that the user speaks to.
    pub fn is_root(&self) -> bool {
        !self.0.contains('/')
    }
}

impl fmt::Display for AgentPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_names_every_agent_on_the_way() {
        let root = AgentPath::root();
        let grandchild = root.child("lead", 2).child("explorer", 1);
        assert_eq!(grandchild.as_str(), "root/lead#2/explorer#1");
        assert!(root.is_root() && !grandchild.is_root());
    }
}
