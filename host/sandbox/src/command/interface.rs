//! `remit:command`, linked to every component; without a grant every use is denied. The types are those of
//! `wit/command/command.wit`.

use wasmtime::component::{ComponentType, Lift, Linker, Lower};

use super::run::Commanded;

/// The interface, without its version.
pub(crate) const INTERFACE: &str = "remit:command/command";

/// The one version of it that there is.
pub(crate) const VERSION: &str = "0.1.0";

#[derive(ComponentType, Lift)]
#[component(record)]
pub(crate) struct Options {
    pub(super) directory: Option<String>,
    #[component(name = "timeout-ms")]
    pub(super) timeout_ms: Option<u64>,
}

#[derive(ComponentType, Lower)]
#[component(variant)]
pub(crate) enum Ending {
    #[component(name = "exited")]
    Exited(i32),
    #[component(name = "signalled")]
    Signalled(i32),
    #[component(name = "timed-out")]
    TimedOut,
    #[component(name = "too-much-output")]
    TooMuchOutput,
    #[component(name = "too-much-memory")]
    TooMuchMemory,
    #[component(name = "too-many-processes")]
    TooManyProcesses,
}

#[derive(ComponentType, Lower)]
#[component(record)]
pub(crate) struct Output {
    pub(super) text: String,
    pub(super) bytes: u64,
}

#[derive(ComponentType, Lower)]
#[component(record)]
pub(crate) struct Outcome {
    pub(super) ending: Ending,
    pub(super) stdout: Output,
    pub(super) stderr: Output,
    #[component(name = "duration-ms")]
    pub(super) duration_ms: u64,
    pub(super) warnings: Vec<String>,
}

#[derive(ComponentType, Lower)]
#[component(variant)]
pub(crate) enum Error {
    #[component(name = "denied")]
    Denied(String),
    #[component(name = "invalid")]
    Invalid(String),
    #[component(name = "failed")]
    Failed(String),
}

/// Links `remit:command`.
pub(crate) fn add_to_linker<T: Commanded + 'static>(linker: &mut Linker<T>) -> wasmtime::Result<()> {
    let mut interface = linker.instance(&format!("{INTERFACE}@{VERSION}"))?;
    interface.func_wrap_async("run", |store, (argv, options): (Vec<String>, Options)| {
        let commander = store.data().commander().clone();
        Box::new(async move { Ok((commander.run(argv, options).await,)) })
    })
}
