//! System calls that a command is refused: those that lead around its namespaces, and large parts of the kernel that no test
//! suite needs.

use std::collections::BTreeMap;

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
    TargetArch, apply_filter,
};

use crate::command::plan::Failure;

/// Refused whatever their arguments are. The kernel reads the list for each command, so that it has no call which takes a
/// capability: no command has one.
const REFUSED: [libc::c_long; 7] = [
    // Does by another way what is refused here.
    libc::SYS_io_uring_setup,
    // Keys are the user's, and not a namespace's.
    libc::SYS_add_key,
    libc::SYS_keyctl,
    libc::SYS_request_key,
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
];

/// The kinds of socket that a namespace of networks holds. Others, such as the machine's own with its host, are everybody's.
const SOCKETS: [libc::c_int; 4] = [libc::AF_UNIX, libc::AF_INET, libc::AF_INET6, libc::AF_NETLINK];

/// On x86-64, what marks the calls of another convention, which are the same calls.
#[cfg(target_arch = "x86_64")]
const CONVENTIONS: [libc::c_long; 2] = [0, 0x4000_0000];
#[cfg(not(target_arch = "x86_64"))]
const CONVENTIONS: [libc::c_long; 1] = [0];

/// Holds this process, and all that it starts, to the calls that are left. Those of another processor's end whoever makes
/// them.
pub(super) fn refuse() -> Result<(), Failure> {
    let filter = filter().map_err(|error| Failure::lacking("choosing system calls", error))?;
    apply_filter(&filter).map_err(|error| Failure::lacking("refusing system calls", error))
}

fn filter() -> Result<BpfProgram, seccompiler::BackendError> {
    let is_other = |kind: &libc::c_int| {
        SeccompCondition::new(0, SeccompCmpArgLen::Dword, SeccompCmpOp::Ne, kind.unsigned_abs().into())
    };
    let is_none_of_them = SOCKETS.iter().map(is_other).collect::<Result<Vec<_>, _>>()?;
    let sockets = vec![SeccompRule::new(is_none_of_them)?];
    let mut rules = BTreeMap::new();
    for mark in CONVENTIONS {
        rules.extend(REFUSED.map(|call| (call | mark, Vec::new())));
        rules.extend([libc::SYS_socket, libc::SYS_socketpair].map(|call| (call | mark, sockets.clone())));
    }
    let refused = SeccompAction::Errno(libc::EPERM.unsigned_abs());
    let processor = TargetArch::try_from(std::env::consts::ARCH)?;
    SeccompFilter::new(rules, SeccompAction::Allow, refused, processor)?.try_into()
}
