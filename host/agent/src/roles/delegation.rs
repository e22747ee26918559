//! Who delegates to whom: every name is a role's, nobody reaches himself, and nothing lies deeper than the budget lets.

use std::collections::HashMap;

use super::problem::Problem;
use super::reader::Reader;
use super::role::Role;
use super::section::Position;
use super::shown::shown;
use super::suggest::nearest;

/// A delegation whose target is known: the target's index and the place that names it.
struct Edge {
    to: usize,
    at: Position,
}

/// What is found out about the graph of delegations, all of it by one walk.
#[derive(Default)]
struct Walk {
    /// The edge that closes each circle, and the roles on it.
    circles: Vec<(usize, Position, Vec<usize>)>,
    /// For each role the length of the longest chain below it.
    depth: Vec<u32>,
    /// For each role the number of its edge that the longest chain begins with.
    deepest: Vec<Option<usize>>,
}

/// Reports unknown roles and circles, and gives what deserves a warning: who, where and what.
pub(super) fn check(
    reader: &mut Reader<'_>,
    roles: &[Role],
    max_depth: u32,
) -> Vec<(String, Position, Problem)> {
    let edges = edges(reader, roles);
    let walk = walk(&edges);
    let name = |role: usize| roles.get(role).map_or("", Role::name);
    for (from, at, circle) in &walk.circles {
        let names = circle.iter().chain(circle.first()).map(|role| shown(name(*role))).collect();
        let key = roles.get(*from).map(|role| role.key("delegates")).unwrap_or_default();
        reader.report(*at, key, Problem::Circle(names));
    }
    if walk.circles.is_empty() { too_deep(roles, &edges, &walk, max_depth) } else { Vec::new() }
}

fn edges(reader: &mut Reader<'_>, roles: &[Role]) -> Vec<Vec<Edge>> {
    let index: HashMap<&str, usize> = roles.iter().enumerate().map(|(i, role)| (role.name(), i)).collect();
    let mut edges = Vec::with_capacity(roles.len());
    for role in roles {
        let mut own = Vec::new();
        for delegate in &role.delegates {
            if let Some(to) = index.get(delegate.value.as_str()) {
                own.push(Edge { to: *to, at: delegate.at });
            } else {
                let nearest = nearest(&delegate.value, roles.iter().map(Role::name));
                let nearest = nearest.map(|name| shown(&name));
                let problem = Problem::UnknownRole { name: shown(&delegate.value), nearest };
                reader.report(delegate.at, role.key("delegates"), problem);
            }
        }
        edges.push(own);
    }
    edges
}

/// Depth first, with a stack of its own: a file may chain more roles than the thread's stack has room for.
fn walk(edges: &[Vec<Edge>]) -> Walk {
    #[derive(Clone, Copy, PartialEq)]
    enum Seen {
        Not,
        OnTheWay,
        Done,
    }
    let mut walk =
        Walk { circles: Vec::new(), depth: vec![0; edges.len()], deepest: vec![None; edges.len()] };
    let mut seen = vec![Seen::Not; edges.len()];
    for start in 0..edges.len() {
        if seen[start] != Seen::Not {
            continue;
        }
        seen[start] = Seen::OnTheWay;
        let mut way = vec![(start, 0_usize)];
        while let Some((role, next)) = way.last_mut() {
            let (role, number) = (*role, *next);
            *next += 1;
            let Some(edge) = edges[role].get(number) else {
                seen[role] = Seen::Done;
                let deepest = (0..edges[role].len()).max_by_key(|i| walk.depth[edges[role][*i].to]);
                walk.deepest[role] = deepest;
                walk.depth[role] = deepest.map_or(0, |i| walk.depth[edges[role][i].to] + 1);
                way.pop();
                continue;
            };
            match seen[edge.to] {
                Seen::Not => {
                    seen[edge.to] = Seen::OnTheWay;
                    way.push((edge.to, 0));
                }
                Seen::OnTheWay => {
                    let circle =
                        way.iter().map(|(role, _)| *role).skip_while(|role| *role != edge.to).collect();
                    walk.circles.push((role, edge.at, circle));
                }
                Seen::Done => {}
            }
        }
    }
    walk
}

/// Chains that begin with a role that nobody delegates to, and that go on where the budget ends them.
fn too_deep(
    roles: &[Role],
    edges: &[Vec<Edge>],
    walk: &Walk,
    max_depth: u32,
) -> Vec<(String, Position, Problem)> {
    let mut is_target = vec![false; roles.len()];
    edges.iter().flatten().for_each(|edge| is_target[edge.to] = true);
    let starts = (0..roles.len()).filter(|role| !is_target[*role] && walk.depth[*role] > max_depth);
    let mut warnings = Vec::new();
    for start in starts {
        let mut way = vec![start];
        let mut role = start;
        while let Some(edge) = walk.deepest[role].map(|i| &edges[role][i]) {
            if way.len() > usize::try_from(max_depth).unwrap_or(usize::MAX) {
                let name = |role: usize| shown(roles[role].name());
                let problem = Problem::TooDeep {
                    way: way.iter().map(|role| name(*role)).collect(),
                    last: name(edge.to),
                    max_depth,
                };
                warnings.push((roles[role].key("delegates"), edge.at, problem));
                break;
            }
            role = edge.to;
            way.push(role);
        }
    }
    warnings
}
