//! Tries the network: `tcp ADDRESS:PORT`, `listen ADDRESS:PORT`, `udp ADDRESS:PORT`, `lookup NAME`.

use std::net::{TcpListener, TcpStream, ToSocketAddrs, UdpSocket};

#[path = "../src/bindings/single.rs"]
mod bindings;

guests::single!(run);

fn run(argument: &str) -> Result<String, String> {
    let words = guests::words::split(argument);
    let [kind, place] = words.as_slice() else { return Err("give KIND PLACE".into()) };
    let reached = match kind.as_str() {
        "tcp" => TcpStream::connect(place).map(|_| "connected".to_owned()),
        "listen" => TcpListener::bind(place).map(|_| "listening".to_owned()),
        "udp" => UdpSocket::bind("0.0.0.0:0")
            .and_then(|socket| socket.send_to(b"x", place))
            .map(|_| "sent".to_owned()),
        "lookup" => {
            (place.as_str(), 80).to_socket_addrs().map(|found| format!("{:?}", found.collect::<Vec<_>>()))
        }
        other => return Err(format!("`{other}` is not tcp, listen, udp or lookup")),
    };
    reached.map_err(|error| format!("refused: {error}"))
}
