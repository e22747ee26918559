//! What a command cannot reach.

use std::net::TcpListener;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::net::{SocketAddr, UnixListener};

use crate::bench::{Bench, script};

#[tokio::test]
async fn hidden_files_are_there_and_cannot_be_read() {
    let Some(bench) = Bench::new().await else { return };
    bench.stage.write(".env", "SECRET=1");
    bench.stage.write("sub/.ENV.local", "SECRET=1");
    bench.stage.write(".git/config", "SECRET=1");
    bench.stage.write("out/id_rsa", "SECRET=1");
    bench.stage.write("a b/x.pem", "SECRET=1");
    std::fs::hard_link(bench.stage.path(".env"), bench.stage.path("notes.txt")).unwrap();
    bench.stage.link(".env", "alias");
    let printed = bench
        .shell(
            "for f in .env sub/.ENV.local .git/config out/id_rsa 'a b/x.pem' notes.txt alias; do cat \"$f\" 2>&1; done; \
             grep -r SECRET . /proc/self/environ 2>/dev/null; mv out/id_rsa out/x 2>/dev/null || rm out/id_rsa 2>/dev/null \
             || echo stays",
        )
        .await;
    assert!(!printed.contains("SECRET") && printed.ends_with("stays"), "{printed}");
    assert_eq!(printed.matches("Permission denied").count(), 7, "{printed}");
    assert_eq!(std::fs::read_to_string(bench.stage.path(".env")).unwrap(), "SECRET=1");
}

#[tokio::test]
async fn only_what_is_granted_of_the_workspace_is_there() {
    let Some(mut bench) = Bench::new().await else { return };
    bench.spec.read = vec!["src".to_owned(), "docs/book".to_owned()];
    bench.stage.write("src/a", "");
    bench.stage.write("docs/book/b", "");
    bench.stage.write("docs/draft", "");
    bench.stage.write("secret", "");
    assert_eq!(
        bench.shell("find . -type f | sort; echo x 2>/dev/null > new || echo no").await,
        "./docs/book/b\n./src/a\nno"
    );
}

#[tokio::test]
async fn nothing_of_the_home_folder_or_beside_the_workspace_is_there() {
    let Some(bench) = Bench::new().await else { return };
    bench.stage.write_outside("secret", "SECRET");
    let outside = bench.stage.outside("secret");
    let home = std::env::var("HOME").unwrap();
    let printed = bench
        .shell(&format!(
            "cat {} 2>&1; ls -A {home}/.ssh {home}/.config {home}/.npmrc {home}/.netrc {home}/.cargo/credentials.toml 2>&1; \
             ls -A /root /home /run /sys /var/run /etc/shadow 2>/dev/null; ls -A $HOME /tmp/shm; true",
            outside.display()
        ))
        .await;
    assert!(!printed.contains("SECRET") && !printed.contains("shadow"), "{printed}");
    assert_eq!(printed.matches("No such file").count(), 6, "{printed}");
}

#[tokio::test]
async fn a_command_writes_to_scratch_and_to_its_own_temporary_files_and_nowhere_else() {
    let Some(mut bench) = Bench::new().await else { return };
    bench.spec.scratch.push("build/deep".to_owned());
    bench.spec.write = vec!["src".to_owned()];
    bench.stage.write("src/a", "before");
    bench.stage.write("roles.toml", "before");
    let home = std::env::var("HOME").unwrap();
    let printed = bench
        .shell(&format!(
            "for f in out/a build/deep/b /tmp/c $HOME/d /dev/shm/e /var/tmp/f; do echo x > $f || echo CANNOT $f; done; \
             for f in src/a new roles.toml build/x /etc/passwd /usr/x /x /dev/x /proc/sys/kernel/hostname \
             /proc/sysrq-trigger {home}/x {home}/.cargo/bin/x; do (echo x > $f) 2>/dev/null && echo COULD $f; done; \
             rm -rf src out build roles.toml 2>/dev/null; echo x > /dev/null; cat src/a roles.toml"
        ))
        .await;
    assert_eq!(printed, "beforebefore");
    assert!(bench.stage.path("out").is_dir() && bench.stage.path("build/deep").is_dir());
    assert!(!std::path::Path::new("/tmp/c").exists());
}

#[tokio::test]
async fn links_in_scratch_lead_nowhere() {
    let Some(bench) = Bench::new().await else { return };
    bench.stage.write("out/x", "");
    bench.stage.write_outside("secret", "SECRET");
    symlink(bench.stage.outside(""), bench.stage.path("out/way-out")).unwrap();
    let printed = bench
        .shell("cat out/way-out/secret 2>&1; ln -s / out/root; echo x > out/way-out/new; ln -s ../.. out/up; ls out/root/home; true")
        .await;
    assert!(!printed.contains("SECRET"), "{printed}");
    assert!(!bench.stage.outside("new").exists());
    // What it left there is no way out for the next one either.
    std::fs::remove_dir_all(bench.stage.path("out")).unwrap();
    symlink(bench.stage.outside(""), bench.stage.path("out")).unwrap();
    let workspace = remit_sandbox::Workspace::open(&bench.stage.path("")).unwrap();
    let error = remit_sandbox::Grants::new(&workspace, &bench.spec).unwrap_err().to_string();
    assert!(error.contains("as scratch"), "{error}");
}

#[tokio::test]
async fn a_scratch_directory_that_has_become_a_link_is_refused_when_it_is_used() {
    let Some(bench) = Bench::new().await else { return };
    let grants = bench.stage.grants_of(&bench.spec);
    std::fs::remove_dir(bench.stage.path("out")).unwrap();
    symlink(bench.stage.outside(""), bench.stage.path("out")).unwrap();
    let output = bench.call_granted(&["true"], &grants).await;
    assert!(
        output.is_error && output.text.contains("scratch directory `out` cannot be used"),
        "{}",
        output.text
    );
}

#[tokio::test]
async fn there_is_no_network() {
    let Some(bench) = Bench::new().await else { return };
    let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
    tcp.set_nonblocking(true).unwrap();
    bench.stage.write("out/x", "");
    let unix = UnixListener::bind(bench.stage.path("out/socket")).unwrap();
    unix.set_nonblocking(true).unwrap();
    let port = tcp.local_addr().unwrap().port();
    let script = format!(
        "import socket\n\
         def attempt(family, address):\n    \
             try:\n        socket.socket(family).connect(address); print('CONNECTED', address)\n    \
             except OSError as error:\n        print('refused')\n\
         attempt(socket.AF_INET, ('127.0.0.1', {port}))\n\
         attempt(socket.AF_INET, ('192.0.2.1', 80))\n\
         attempt(socket.AF_UNIX, 'out/socket')\n\
         try:\n    socket.getaddrinfo('example.org', 80); print('RESOLVED')\n\
         except OSError:\n    print('refused')\n"
    );
    let text = bench.run(&["python3", "-c", &script]).await.unwrap();
    assert!(text.contains("--- stdout:\nrefused\nrefused\nrefused\nrefused\n"), "{text}");
    assert!(tcp.accept().is_err() && unix.accept().is_err());
}

/// Prints what becomes of each attempt.
const AROUND: &str = r#"
import ctypes, errno, os, platform, socket
libc = ctypes.CDLL(None, use_errno=True)
def attempt(name, act):
    try:
        act()
        print(name, "DONE")
    except OSError as error:
        print(name, errno.errorcode[error.errno])
def call(number, *arguments):
    if libc.syscall(number, *arguments) < 0:
        raise OSError(ctypes.get_errno(), "refused")
keyctl = {"x86_64": 250, "aarch64": 219}.get(platform.machine(), 219)
attempt("vsock", lambda: socket.socket(40))
attempt("packet", lambda: socket.socket(socket.AF_PACKET, socket.SOCK_RAW))
attempt("io_uring", lambda: call(425, 1, None))
attempt("keyring", lambda: call(keyctl, 0, -3, 1))
attempt("socketpair", lambda: socket.socketpair())
attempt("ptrace", lambda: call({"x86_64": 101}.get(platform.machine(), 117), 16, 1, None, None))
for fd in os.listdir("/proc/self/fd"):
    try: print("fd", fd, os.readlink("/proc/self/fd/" + fd).split(":")[0])
    except OSError: pass
print("terminal", os.isatty(0), os.path.exists("/dev/tty"))
print("dev", *sorted(os.listdir("/dev")))
"#;

#[tokio::test]
async fn no_system_call_and_no_open_file_leads_around() {
    if Bench::new().await.is_none() {
        return;
    }
    // Whoever starts the program has files open, and lets it have them.
    let folder = tempfile::tempdir().unwrap();
    let launcher = folder.path().join("launcher");
    let real = env!("CARGO_BIN_EXE_launcher");
    script(&launcher, &format!("#!/bin/sh\nexec 7</etc/passwd 8>&2\nexec {real} \"$@\"\n"));
    let bench = Bench::with_launcher(launcher);
    let text = bench.run(&["python3", "-c", AROUND]).await.unwrap();
    for line in [
        "vsock EPERM",
        "packet EPERM",
        "io_uring EPERM",
        "keyring EPERM",
        "socketpair DONE",
        "ptrace EPERM",
        "fd 0 /dev/null",
        "fd 1 pipe",
        "fd 2 pipe",
        "terminal False False",
        "dev fd full null random shm stderr stdin stdout urandom zero",
    ] {
        assert!(text.lines().any(|printed| printed == line), "{line}\n{text}");
    }
    assert_eq!(text.matches("\nfd ").count(), 3, "{text}");
}

#[tokio::test]
async fn names_of_sockets_and_queues_of_the_machine_are_not_there() {
    let Some(bench) = Bench::new().await else { return };
    let name = format!("remit-test-{}", std::process::id());
    let address = SocketAddr::from_abstract_name(&name).unwrap();
    let listener = UnixListener::bind_addr(&address).unwrap();
    listener.set_nonblocking(true).unwrap();
    let script = format!(
        "import socket\n\
         try:\n    socket.socket(socket.AF_UNIX).connect('\\0{name}'); print('CONNECTED')\n\
         except OSError: print('refused')\n\
         print(open('/proc/sysvipc/shm').read().count('\\n'), open('/proc/sys/kernel/hostname').read() != '')\n"
    );
    let text = bench.run(&["python3", "-c", &script]).await.unwrap();
    assert!(text.contains("--- stdout:\nrefused\n1 True\n"), "{text}");
    assert!(listener.accept().is_err());
}

#[tokio::test]
async fn a_program_gains_nothing_by_whom_it_belongs_to() {
    let Some(bench) = Bench::new().await else { return };
    bench.stage.write("out/x", "");
    let own = bench.stage.path("out/own");
    std::fs::copy("/bin/sh", &own).unwrap();
    std::fs::set_permissions(&own, std::fs::Permissions::from_mode(0o6755)).unwrap();
    let printed = bench
        .shell(
            "out/own -p -c 'grep -E \"^(CapEff|NoNewPrivs):\" /proc/self/status'; \
             cut -d' ' -f5,6 /proc/self/mountinfo | grep -Ev 'nosuid|^/dev/'; true",
        )
        .await;
    assert_eq!(printed.replace('\t', ""), "CapEff:0000000000000000\nNoNewPrivs:1");
}

#[tokio::test]
async fn other_processes_cannot_be_seen_and_the_watcher_not_touched() {
    let Some(bench) = Bench::new().await else { return };
    let printed = bench
        .shell(
            "ls /proc | grep -c '^[0-9]*$'; kill -9 1; kill -TERM 1; cat /proc/1/environ /proc/1/mem 2>&1 | head -c 100; \
             ls /proc/1/fd /proc/1/root 2>&1 | head -2; unshare -U true 2>/dev/null && echo NAMESPACE; \
             grep -E '^(CapEff|CapBnd|CapPrm|NoNewPrivs):' /proc/self/status | tr -d '\\t'",
        )
        .await;
    let lines: Vec<_> = printed.lines().collect();
    let processes: usize = lines[0].parse().unwrap();
    assert!(processes <= 6, "{printed}");
    assert!(!printed.contains("NAMESPACE") && printed.contains("Permission denied"), "{printed}");
    let none = "0000000000000000";
    assert!(
        printed.ends_with(&format!("CapPrm:{none}\nCapEff:{none}\nCapBnd:{none}\nNoNewPrivs:1")),
        "{printed}"
    );
}
