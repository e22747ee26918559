//! What `task` calls take from the agents that they start.

use std::path::Path;

use remit_sandbox::HostGrant;
use thiserror::Error;

use super::authority::{Authority, covering, in_words};
use super::beneath::{EntryProblem, open_directory};
use super::load::Roles;
use super::path::{PathProblem, WorkspacePath};
use super::role::Role;
use super::shown::{shown, shown_words};

/// What the `task` calls on the way to an agent left of the workspace and of the network. Each can only take away.
///
/// The default, which the root starts with, takes nothing away.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Narrowing {
    paths: Option<Vec<WorkspacePath>>,
    /// Where; what may be done there is the role's to say.
    hosts: Option<Vec<HostGrant>>,
}

/// Why a `task` call may not narrow a role so. The model that made the call is told this.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("cannot narrow {role} to `{to}`: {problem}{}", problem.help().map(|help| format!("; {help}")).unwrap_or_default())]
pub struct NarrowError {
    /// The role that would have been started.
    pub role: String,
    /// The path or host as the call has it, safe to show.
    pub to: String,
    /// What is wrong.
    pub problem: NarrowProblem,
}

/// What is wrong with a path or host of a `task` call.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum NarrowProblem {
    /// There is none. None at all and every one are too far apart to guess which is meant.
    #[error("`{0}` is empty")]
    None(&'static str),
    /// It is no path of the workspace.
    #[error(transparent)]
    Path(#[from] PathProblem),
    /// It is no host. The words are the sandbox's.
    #[error("{0}")]
    Host(String),
    /// It is not within what the role could touch here without it.
    #[error("it may {does} {allowed} here ({place})")]
    Outside {
        /// What it could do: `read`, `reach`.
        does: &'static str,
        /// What it could touch, in words.
        allowed: String,
        /// The file and line that grant it, `roles.toml:12`.
        place: String,
    },
    /// It is not there, or is no directory: a component is given directories, never single files.
    #[error(transparent)]
    Entry(#[from] EntryProblem),
}

impl NarrowProblem {
    fn help(&self) -> Option<String> {
        match self {
            Self::None("paths") => Some("name directories, or leave it out to narrow nothing".to_owned()),
            Self::None(_) => Some("name hosts, or leave it out to narrow nothing".to_owned()),
            Self::Path(problem) => Some(problem.help().to_owned()),
            Self::Host(_) | Self::Outside { .. } => None,
            Self::Entry(problem) => problem.help(),
        }
    }
}

impl Narrowing {
    /// Narrows further, for a child of `role`, to `paths`: directories, each within what that child could read, or write,
    /// without them. Commands that the child may run see no more than these either.
    ///
    /// # Errors
    ///
    /// When a path is none of the workspace, lies outside of what the child could read, is no directory, or is reached
    /// over a symbolic link, which could lead out of the directory that it seems to lie in.
    pub fn narrow(
        &self,
        roles: &Roles,
        role: &Role,
        paths: &[String],
        workspace: &Path,
    ) -> Result<Self, NarrowError> {
        let error = |path: &str, problem| narrow_error(role, path, problem);
        if paths.is_empty() {
            return Err(error("", NarrowProblem::None("paths")));
        }
        let current = Authority::of(roles, role, self);
        let mut narrowed = Vec::new();
        for text in paths {
            let path = WorkspacePath::parse(text).map_err(|problem| error(text, problem.into()))?;
            // Asked first: whether something exists outside of the grant is nobody's to find out.
            let readable = current.readable();
            if !readable.iter().any(|directory| path.is_within(directory)) {
                let place = roles.place_of(role, "read");
                return Err(error(text, outside("read", in_words(&readable), readable.is_empty(), place)));
            }
            open_directory(workspace, &path).map_err(|problem| error(text, problem.into()))?;
            narrowed.push(path);
        }
        Ok(Self { paths: Some(covering(narrowed)), hosts: self.hosts.clone() })
    }

    /// Narrows further, for a child of `role`, to `hosts`: each within what that child could reach without them. What it may
    /// do there stays as it is.
    ///
    /// # Errors
    ///
    /// When a host is none, or not one that the child could reach.
    pub fn narrow_hosts(&self, roles: &Roles, role: &Role, hosts: &[String]) -> Result<Self, NarrowError> {
        let error = |host: &str, problem| narrow_error(role, host, problem);
        let current = Authority::of(roles, role, self);
        if hosts.is_empty() && !current.hosts().is_empty() {
            return Err(error("", NarrowProblem::None("hosts")));
        }
        let mut narrowed = Vec::new();
        for text in hosts {
            let host = HostGrant::new(text, &[])
                .map_err(|problem| error(text, NarrowProblem::Host(shown_words(&problem.reason))))?;
            if !current.hosts().iter().any(|granted| granted.covers(&host)) {
                let (allowed, place) = (current.hosts_in_words(), roles.place_of(role, "hosts"));
                let is_none = allowed.is_none();
                let allowed = allowed.unwrap_or_else(|| "no host".to_owned());
                return Err(error(text, outside("reach", allowed, is_none, place)));
            }
            narrowed.push(host);
        }
        Ok(Self { paths: self.paths.clone(), hosts: Some(narrowed) })
    }

    /// The directories that are left; nothing where nothing was taken away.
    #[must_use]
    pub fn paths(&self) -> Option<&[WorkspacePath]> {
        self.paths.as_deref()
    }

    /// What is left of hosts that a role was granted.
    pub(super) fn hosts_of(&self, granted: Vec<HostGrant>) -> Vec<HostGrant> {
        let Some(left) = &self.hosts else { return granted };
        let mut hosts = Vec::new();
        for host in granted {
            for part in left.iter().filter_map(|left| host.within(left)) {
                if !hosts.contains(&part) {
                    hosts.push(part);
                }
            }
        }
        hosts
    }
}

fn narrow_error(role: &Role, to: &str, problem: NarrowProblem) -> NarrowError {
    NarrowError { role: role.name().to_owned(), to: shown(to), problem }
}

fn outside(does: &'static str, allowed: String, is_nothing: bool, place: String) -> NarrowProblem {
    let allowed = if is_nothing { allowed } else { format!("{allowed} and nothing else") };
    NarrowProblem::Outside { does, allowed, place }
}
