//! What a command sees of the machine: the system's programs, and the toolchains that the host's `PATH` names.

use std::ffi::OsStr;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use super::plan::Mount;

/// The directories of the system. Where one is a link, so it is inside.
const SYSTEM: [&str; 7] = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/nix/store"];

/// What programs look for in `/etc`: nothing there is a secret, and nothing else of it is there.
const ETC: [&str; 21] = [
    "alternatives",
    "ca-certificates.conf",
    "debian_version",
    "fonts",
    "group",
    "hosts",
    "ld.so.cache",
    "ld.so.conf",
    "ld.so.conf.d",
    "localtime",
    "mime.types",
    "nsswitch.conf",
    "os-release",
    "passwd",
    "pki/ca-trust",
    "pki/tls/certs",
    "protocols",
    "services",
    "ssl/certs",
    "ssl/openssl.cnf",
    "timezone",
];

/// What of Cargo's folder is needed to build; the credentials beside it are not.
const CARGO: [&str; 3] = ["bin", "registry", "git"];

/// What of `~/.local` holds programs; the rest of it is anything.
const LOCAL: [&str; 6] = ["bin", "lib", "share/pipx", "share/uv", "share/mise", "share/pnpm"];

/// Folders of the home folder that are toolchains from top to bottom. Of any other only what `PATH` names is there.
const TOOLCHAINS: [&str; 15] = [
    ".asdf", ".bun", ".deno", ".ghcup", ".goenv", ".jenv", ".juliaup", ".nodenv", ".nvm", ".pyenv", ".rbenv",
    ".rustup", ".sdkman", ".volta", "go",
];

/// Files of credentials that package managers keep beside their programs.
const CREDENTIALS: [&str; 9] = [
    ".env",
    ".netrc",
    ".npmrc",
    ".pypirc",
    "credentials",
    "credentials.toml",
    "etc/npmrc",
    "etc/pip.conf",
    "pip.conf",
];

/// Variables that say where toolchains are or how texts are written, and hold no secret.
const VARIABLES: [&str; 15] = [
    "LANG",
    "LC_ALL",
    "LC_CTYPE",
    "TZ",
    "RUSTUP_TOOLCHAIN",
    "PYENV_ROOT",
    "PYENV_VERSION",
    "NVM_DIR",
    "VOLTA_HOME",
    "ASDF_DIR",
    "GOROOT",
    "JAVA_HOME",
    "DENO_DIR",
    "SDKMAN_DIR",
    "JULIAUP_DEPOT_PATH",
];

/// The toolchains of the machine, seen from one workspace.
#[derive(Debug)]
pub(crate) struct Toolchain {
    /// Where they are, to be read; and what lies over their credentials.
    pub(crate) view: Vec<Mount>,
    /// Where programs are looked up.
    pub(crate) path: Vec<PathBuf>,
    /// What programs are told about where things are.
    pub(crate) env: Vec<(String, String)>,
}

impl Toolchain {
    /// What the host's environment names, without what lies in the workspace or in `/tmp`: nothing that a role could have
    /// written is found by its name.
    pub(crate) fn of_host(workspace: &Path) -> Self {
        let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
        let home =
            variable("HOME").map(PathBuf::from).filter(|home| home.is_absolute() && home.parent().is_some());
        let named = |name: &str, folder: &str| {
            variable(name)
                .map(PathBuf::from)
                .or_else(|| Some(home.as_ref()?.join(folder)))
                .filter(|path| path.is_dir())
        };
        let (cargo, rustup) = (named("CARGO_HOME", ".cargo"), named("RUSTUP_HOME", ".rustup"));
        let listed = std::env::var_os("PATH").unwrap_or_default();
        let path: Vec<PathBuf> = std::env::split_paths(&listed)
            .filter(|dir| dir.is_absolute() && dir.to_str().is_some() && dir.is_dir())
            .filter(|dir| {
                !dir.starts_with(workspace) && !dir.starts_with("/tmp") && !dir.starts_with("/var/tmp")
            })
            .collect();

        let mut found = Vec::new();
        for dir in &path {
            match (&cargo, &home) {
                (Some(cargo), _) if dir.starts_with(cargo) => {}
                (_, Some(home)) if dir.starts_with(home.join(".local")) => {
                    found.extend(LOCAL.map(|name| home.join(".local").join(name)));
                }
                _ => found.push(toolchain(dir, home.as_deref(), workspace)),
            }
        }
        if let Some(cargo) = &cargo {
            found.extend(CARGO.map(|name| cargo.join(name)));
            found.extend(
                ["config.toml", "config"]
                    .map(|name| cargo.join(name))
                    .into_iter()
                    .filter(|file| is_public(file)),
            );
        }
        found.extend(rustup.clone());

        let mut view = Vec::new();
        SYSTEM.map(PathBuf::from).into_iter().for_each(|path| read(&mut view, path));
        ETC.map(|name| Path::new("/etc").join(name)).into_iter().for_each(|path| read(&mut view, path));
        found.into_iter().for_each(|path| read(&mut view, path));
        let roots: Vec<_> =
            view.iter().filter(|place| matches!(place, Mount::Read { .. })).map(Mount::path).collect();
        let masks = roots.iter().flat_map(|root| CREDENTIALS.map(|name| root.join(name)));
        let masks = masks.filter(|path| path.is_file()).map(|path| Mount::Mask { path, is_dir: false });
        let masks: Vec<_> = masks.collect();
        view.extend(masks);

        let mut env: Vec<_> =
            VARIABLES.into_iter().filter_map(|name| Some((name.to_owned(), variable(name)?))).collect();
        let homes = [("CARGO_HOME", cargo), ("RUSTUP_HOME", rustup)];
        env.extend(
            homes.into_iter().filter_map(|(name, path)| Some((name.to_owned(), path?.to_str()?.to_owned()))),
        );
        Self { view, path, env }
    }

    /// The file of a program that is named without a path.
    pub(crate) fn find(&self, name: &str) -> Option<PathBuf> {
        let is_program = |file: &PathBuf| {
            std::fs::metadata(file).is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
        };
        self.path.iter().map(|dir| dir.join(name)).find(is_program)
    }
}

/// Adds what is there and not within what is there already. A link on the way is a link inside too, and what it leads to is
/// added instead.
fn read(view: &mut Vec<Mount>, path: PathBuf) {
    let Ok(own) = path.canonicalize() else { return };
    let is_covered = |view: &[Mount], path: &Path| {
        view.iter().any(|place| matches!(place, Mount::Read { path: above, .. } if path.starts_with(above)))
    };
    let mut above: Vec<_> = path.ancestors().collect();
    above.reverse();
    // The first link is the one that counts: what is behind it is elsewhere.
    if let Some(link) = above.into_iter().find(|above| above.is_symlink())
        && !is_covered(view, link)
        && let Ok(target) = link.canonicalize()
        && !view.iter().any(|place| place.path() == link)
    {
        view.push(Mount::Link { path: link.to_owned(), target });
    }
    if own.to_str().is_some() && !is_covered(view, &own) {
        view.push(Mount::Read { path: own, identity: None });
    }
}

/// The directory that a program's own files are in, seen from the one that `PATH` names: `/opt/node` for `/opt/node/bin`.
fn toolchain(dir: &Path, home: Option<&Path>, workspace: &Path) -> PathBuf {
    let found = match home.and_then(|home| Some((home, dir.strip_prefix(home).ok()?))) {
        Some((home, inside)) => {
            let first = inside.components().next().map(|first| home.join(first));
            first.filter(|first| {
                first.file_name().is_some_and(|name| TOOLCHAINS.iter().any(|known| *known == name))
            })
        }
        None => {
            let is_programs =
                matches!(dir.file_name().and_then(OsStr::to_str), Some("bin" | "sbin" | "shims"));
            dir.parent().filter(|_| is_programs).map(Path::to_owned)
        }
    };
    let is_wide = |path: &PathBuf| {
        workspace.starts_with(path)
            || path.parent().is_none()
            || home.is_some_and(|home| home.starts_with(path))
    };
    found.filter(|path| !is_wide(path)).unwrap_or_else(|| dir.to_owned())
}

/// Whether a configuration of Cargo's holds no token.
fn is_public(file: &Path) -> bool {
    std::fs::read_to_string(file).is_ok_and(|text| !text.to_lowercase().contains("token"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_toolchain_is_the_folder_that_its_programs_need_and_never_the_home_folder() {
        let of = |dir: &str| {
            let found = toolchain(dir.as_ref(), Some("/home/ann".as_ref()), "/home/ann/src/project".as_ref());
            found.to_str().unwrap().to_owned()
        };
        for (dir, expected) in [
            ("/opt/node/bin", "/opt/node"),
            ("/opt/tools", "/opt/tools"),
            ("/home/ann/.pyenv/plugins/x/shims", "/home/ann/.pyenv"),
            ("/home/ann/bin", "/home/ann/bin"),
            ("/home/ann/go/bin", "/home/ann/go"),
            ("/home/ann/src/bin", "/home/ann/src/bin"),
            ("/home/ann/.agent/bin", "/home/ann/.agent/bin"),
            ("/bin", "/bin"),
        ] {
            assert_eq!(of(dir), expected, "{dir}");
        }
    }

    #[test]
    fn what_a_role_could_write_to_is_not_where_programs_are_looked_up() {
        let toolchain = Toolchain::of_host("/usr".as_ref());
        assert!(toolchain.path.iter().all(|dir| !dir.starts_with("/usr") && !dir.starts_with("/tmp")));
    }
}
