//! What a process gives up before it runs a program.

use rustix::io::Errno;
use rustix::process::{
    DumpableBehavior, Resource, Rlimit, Signal, set_dumpable_behavior, set_parent_process_death_signal,
    setrlimit,
};
use rustix::thread::{
    CapabilitySet, CapabilitySets, clear_ambient_capability_set, remove_capability_from_bounding_set,
    set_capabilities, set_no_new_privs,
};

use crate::command::plan::{Failure, ProcessLimits};

/// The kernel kills this process when the one that started it is gone.
pub(super) fn die_with_parent() -> Result<(), Failure> {
    set_parent_process_death_signal(Some(Signal::KILL))
        .map_err(|error| Failure::at("tying it to its parent", error))
}

/// No capability is left, not even within the namespaces, and none can be had again: no program of another user's, no
/// namespace further down.
pub(super) fn give_up_privileges() -> Result<(), Failure> {
    let failed = |error| Failure::lacking("giving up capabilities", error);
    for bit in 0..u64::BITS {
        match remove_capability_from_bounding_set(CapabilitySet::from_bits_retain(1 << bit)) {
            // The first that the kernel does not know is behind the last.
            Err(Errno::INVAL) if bit > 0 => break,
            done => done.map_err(failed)?,
        }
    }
    clear_ambient_capability_set().map_err(failed)?;
    let none = CapabilitySet::empty();
    set_capabilities(None, CapabilitySets { effective: none, permitted: none, inheritable: none })
        .map_err(failed)?;
    // The command is the same user: without this it could take over the process that watches it.
    set_dumpable_behavior(DumpableBehavior::NotDumpable).map_err(failed)
}

/// Sets what the kernel counts for each process, and that programs gain nothing by being executed.
pub(super) fn limit(limits: &ProcessLimits) -> Result<(), Failure> {
    set_no_new_privs(true).map_err(|error| Failure::lacking("forbidding new privileges", error))?;
    for (resource, most) in [
        (Resource::Core, 0),
        (Resource::Cpu, limits.cpu_seconds),
        // What is merely reserved does not count here: engines of languages reserve far more than there is.
        (Resource::Data, limits.memory_bytes),
        (Resource::Fsize, limits.file_bytes),
        (Resource::Nofile, limits.open_files),
        (Resource::Nproc, limits.tasks),
    ] {
        let now = rustix::process::getrlimit(resource);
        let most = now.maximum.map_or(most, |maximum| maximum.min(most));
        setrlimit(resource, Rlimit { current: Some(most), maximum: Some(most) })
            .map_err(|error| Failure::at("setting limits", error))?;
    }
    Ok(())
}
