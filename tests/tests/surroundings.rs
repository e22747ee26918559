//! A guest learns nothing of the machine that it runs on, and reaches nothing of it.

use std::net::{TcpListener, UdpSocket};

use remit_sandbox::Grants;
use remit_tests::{Stage, guest};

#[tokio::test]
async fn nothing_of_the_hosts_environment_is_visible() {
    // This process has all of these; cargo alone sets a dozen variables.
    assert!(std::env::vars().count() > 0 && std::env::args().count() > 0);
    let stage = Stage::default();
    let probe = stage.load(guest("env_probe"));
    assert_eq!(stage.run(&probe, "").await.unwrap().text, "");
}

#[tokio::test]
async fn granted_directories_are_found_under_their_own_names() {
    let stage = Stage::default();
    stage.write("src/main.rs", "");
    stage.write("docs/guide/index.md", "");
    let probe = stage.load(guest("env_probe"));
    for (read, seen) in [
        (&["."][..], "preopen ."),
        (&["src", "docs/guide"], "preopen src\npreopen docs/guide"),
        (&["./src/", "src"], "preopen src"),
        (&[], ""),
    ] {
        assert_eq!(stage.run_with(&probe, "", &stage.grants(read)).await.unwrap().text, seen);
    }
}

#[tokio::test]
async fn sockets_are_there_and_refuse_everything() {
    let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
    let udp = UdpSocket::bind("127.0.0.1:0").unwrap();
    tcp.set_nonblocking(true).unwrap();
    udp.set_nonblocking(true).unwrap();
    let stage = Stage::default();
    let probe = stage.load(guest("sockets_probe"));
    for grants in [Grants::none(), stage.grants(&["."])] {
        for attempt in [
            format!("tcp {}", tcp.local_addr().unwrap()),
            format!("udp {}", udp.local_addr().unwrap()),
            "listen 127.0.0.1:0".to_owned(),
            "lookup localhost".to_owned(),
        ] {
            let output = stage.run_with(&probe, &attempt, &grants).await.unwrap();
            assert!(output.is_error && output.text.starts_with("refused: "), "{attempt}: {}", output.text);
        }
    }
    let nothing = std::io::ErrorKind::WouldBlock;
    assert_eq!(tcp.accept().unwrap_err().kind(), nothing);
    assert_eq!(udp.recv(&mut [0; 1]).unwrap_err().kind(), nothing);
}
