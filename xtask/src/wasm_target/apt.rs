//! Debian's packages, fetched without touching how apt is set up on this machine.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::failure::Failure;
use crate::process::{output, run, works};

/// The keys that Debian signs its lists with.
const KEYRING: &str = "/usr/share/keyrings/debian-archive-keyring.gpg";

/// The suites that may hold the wanted package, likeliest first.
const SUITES: [&str; 5] = ["trixie-backports", "trixie", "forky-backports", "forky", "sid"];

/// apt with folders of its own.
pub(super) struct Apt {
    folder: PathBuf,
    mirror: String,
}

impl Apt {
    /// Prepares `folder` for apt; the mirror is the one that this machine already uses.
    pub(super) fn new(folder: &Path) -> Result<Self, Failure> {
        let mirror = mirror(&sources()).ok_or_else(|| {
            Failure::new("apt on this machine knows no Debian mirror")
                .fix("name one in /etc/apt/sources.list.d/debian.sources")
        })?;
        let apt = Self { folder: folder.to_owned(), mirror };
        let create = || -> std::io::Result<()> {
            fs::create_dir_all(folder.join("lists/partial"))?;
            fs::create_dir_all(folder.join("cache/archives/partial"))?;
            fs::write(folder.join("apt.conf"), apt.configuration())
        };
        create().map_err(|error| Failure::new(format!("cannot write in {}: {error}", folder.display())))?;
        Ok(apt)
    }

    /// Finds the suite that has `package` in a version that begins with `prefix`, and gives that version.
    pub(super) fn find(&self, package: &str, prefix: &str) -> Result<String, Failure> {
        for suite in SUITES {
            let line = format!("deb [signed-by={KEYRING}] {} {suite} main\n", self.mirror);
            fs::write(self.folder.join("sources.list"), line)
                .map_err(|error| Failure::new(format!("cannot write apt's sources: {error}")))?;
            // A mirror need not have every suite.
            if !works(self.command("apt-get").args(["--quiet", "--error-on=any", "update"])) {
                continue;
            }
            let versions = output(self.command("apt-cache").args(["madison", package]))?;
            if let Some(version) = matching_version(&versions, prefix) {
                return Ok(version);
            }
        }
        Err(Failure::new(format!("Debian has no {package} {prefix}* in {}", SUITES.join(", "))))
    }

    /// Downloads packages, each a name or `name=version`, from the suite found last.
    pub(super) fn download(&self, packages: &[&str]) -> Result<(), Failure> {
        run(self.command("apt-get").current_dir(&self.folder).args(["--quiet", "download"]).args(packages))
    }

    /// The downloaded file of a package.
    pub(super) fn file(&self, package: &str) -> Result<PathBuf, Failure> {
        fs::read_dir(&self.folder)
            .ok()
            .into_iter()
            .flatten()
            .flatten()
            .find(|entry| entry.file_name().to_string_lossy().starts_with(&format!("{package}_")))
            .map(|entry| entry.path())
            .ok_or_else(|| Failure::new(format!("apt did not bring {package}")))
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.env("APT_CONFIG", self.folder.join("apt.conf"));
        command
    }

    fn configuration(&self) -> String {
        let folder = self.folder.display();
        format!(
            "Dir::Etc::sourcelist \"{folder}/sources.list\";\n\
             Dir::Etc::sourceparts \"-\";\n\
             Dir::State::lists \"{folder}/lists\";\n\
             Dir::Cache \"{folder}/cache\";\n\
             Acquire::Languages \"none\";\n\
             Acquire::Retries \"3\";\n\
             Acquire::http::Timeout \"30\";\n\
             Acquire::https::Timeout \"30\";\n\
             APT::Sandbox::User \"root\";\n"
        )
    }
}

/// All of apt's sources on this machine, in both of the forms that they come in.
fn sources() -> String {
    let mut files = vec![PathBuf::from("/etc/apt/sources.list")];
    let parts = fs::read_dir("/etc/apt/sources.list.d").into_iter().flatten().flatten();
    files.extend(parts.map(|entry| entry.path()));
    files.sort();
    files.iter().filter_map(|file| fs::read_to_string(file).ok()).collect::<Vec<_>>().join("\n")
}

/// The first Debian archive in apt's sources: `URIs: …` in one form, the word after `deb` in the other.
fn mirror(sources: &str) -> Option<String> {
    sources.lines().map(str::trim).filter(|line| !line.starts_with('#')).find_map(|line| {
        let named = line.starts_with("URIs:") || line.starts_with("deb ");
        let mut words = line.split_whitespace().filter(|word| named && word.contains("://"));
        words.find_map(|word| {
            let word = word.trim_end_matches('/');
            // Not debian-security, and not another vendor's archive.
            word.ends_with("/debian").then(|| word.to_owned())
        })
    })
}

/// The first version in `apt-cache madison`'s table that begins with `prefix`.
fn matching_version(madison: &str, prefix: &str) -> Option<String> {
    madison
        .lines()
        .filter_map(|line| line.split('|').nth(1))
        .map(str::trim)
        .find(|version| version.starts_with(prefix))
        .map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::{matching_version, mirror};

    #[test]
    fn the_mirror_is_taken_from_either_form_of_sources() {
        let deb822 = "Types: deb\n# URIs: http://old.example/debian\nURIs: http://mirror.example/debian/\nSuites: bookworm\n";
        assert_eq!(mirror(deb822).as_deref(), Some("http://mirror.example/debian"));
        let list = "deb [arch=amd64 signed-by=/k.gpg] https://mirror.example/debian bookworm main\n";
        assert_eq!(mirror(list).as_deref(), Some("https://mirror.example/debian"));
    }

    #[test]
    fn security_updates_and_other_vendors_are_no_mirror() {
        let sources =
            "URIs: http://mirror.example/debian-security\ndeb https://vendor.example/apt stable main\n";
        assert_eq!(mirror(sources), None);
    }

    #[test]
    fn a_version_must_be_the_whole_release() {
        let table = " rust-src | 1.95.10+dfsg1-1 | http://m trixie/main\n rust-src | 1.95.1+dfsg1-1~bpo13+1 | http://m trixie/main\n";
        assert_eq!(matching_version(table, "1.95.1+").as_deref(), Some("1.95.1+dfsg1-1~bpo13+1"));
        assert_eq!(matching_version(table, "1.95.0+"), None);
    }
}
