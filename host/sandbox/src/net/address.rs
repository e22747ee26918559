//! Which addresses are anybody's to reach, and which are of a network behind a wall.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// What of IPv4 is not a public host's: private, loopback, link-local, shared, reserved, multicast and the like, by IANA's
/// registry of special addresses. Each is the first address and how many bits of it count.
const SPECIAL_V4: [(Ipv4Addr, u32); 15] = [
    (Ipv4Addr::new(0, 0, 0, 0), 8),
    (Ipv4Addr::new(10, 0, 0, 0), 8),
    (Ipv4Addr::new(100, 64, 0, 0), 10),
    (Ipv4Addr::new(127, 0, 0, 0), 8),
    (Ipv4Addr::new(169, 254, 0, 0), 16),
    (Ipv4Addr::new(172, 16, 0, 0), 12),
    (Ipv4Addr::new(192, 0, 0, 0), 24),
    (Ipv4Addr::new(192, 0, 2, 0), 24),
    (Ipv4Addr::new(192, 88, 99, 0), 24),
    (Ipv4Addr::new(192, 168, 0, 0), 16),
    (Ipv4Addr::new(198, 18, 0, 0), 15),
    (Ipv4Addr::new(198, 51, 100, 0), 24),
    (Ipv4Addr::new(203, 0, 113, 0), 24),
    (Ipv4Addr::new(224, 0, 0, 0), 4),
    (Ipv4Addr::new(240, 0, 0, 0), 4),
];

/// The part of IPv6 that is given out to hosts.
const GLOBAL_V6: (Ipv6Addr, u32) = (Ipv6Addr::new(0x2000, 0, 0, 0, 0, 0, 0, 0), 3);

/// What of that is not a public host's: protocols (Teredo among them), documentation, and 6to4, which wraps any address
/// of IPv4.
const SPECIAL_V6: [(Ipv6Addr, u32); 4] = [
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23),
    (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0), 32),
    (Ipv6Addr::new(0x2002, 0, 0, 0, 0, 0, 0, 0), 16),
    (Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20),
];

/// The addresses through which a network without IPv4 reaches it: the last 32 bits are the address meant.
const TRANSLATED: (Ipv6Addr, u32) = (Ipv6Addr::new(0x64, 0xff9b, 0, 0, 0, 0, 0, 0), 96);

/// Whether an address is a public host's. What is in doubt is not.
pub(crate) fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => !SPECIAL_V4
            .iter()
            .any(|(first, bits)| address.to_bits() >> (32 - bits) == first.to_bits() >> (32 - bits)),
        IpAddr::V6(address) => match embedded(address) {
            Some(address) => is_public(address.into()),
            None => {
                is_within(address, GLOBAL_V6) && !SPECIAL_V6.iter().any(|range| is_within(address, *range))
            }
        },
    }
}

/// The address of IPv4 that one of IPv6 stands for.
fn embedded(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let last = || Ipv4Addr::from_bits(address.to_bits() as u32);
    address.to_ipv4_mapped().or_else(|| is_within(address, TRANSLATED).then(last))
}

fn is_within(address: Ipv6Addr, (first, bits): (Ipv6Addr, u32)) -> bool {
    address.to_bits() >> (128 - bits) == first.to_bits() >> (128 - bits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_given_out_to_public_hosts_is_public() {
        for (address, public) in [
            ("1.1.1.1", true),
            ("9.255.255.255", true),
            ("11.0.0.0", true),
            ("100.63.255.255", true),
            ("100.128.0.0", true),
            ("172.15.255.255", true),
            ("172.32.0.0", true),
            ("223.255.255.255", true),
            ("0.0.0.0", false),
            ("10.0.0.1", false),
            ("100.64.0.1", false),
            ("100.127.255.255", false),
            ("127.0.0.1", false),
            ("127.255.255.254", false),
            ("169.254.169.254", false),
            ("172.16.0.1", false),
            ("172.31.255.255", false),
            ("192.0.0.170", false),
            ("192.0.2.1", false),
            ("192.88.99.1", false),
            ("192.168.1.1", false),
            ("198.19.255.255", false),
            ("198.51.100.7", false),
            ("203.0.113.7", false),
            ("224.0.0.1", false),
            ("255.255.255.255", false),
            ("2606:4700::1111", true),
            ("2a00:1450:4001::200e", true),
            ("::", false),
            ("::1", false),
            ("::7f00:1", false),
            ("::ffff:10.0.0.1", false),
            ("::ffff:1.1.1.1", true),
            ("64:ff9b::a00:1", false),
            ("64:ff9b::101:101", true),
            ("64:ff9b:1::101:101", false),
            ("2001::1", false),
            ("2001:db8::1", false),
            ("2002:a00:1::1", false),
            ("3fff::1", false),
            ("fc00::1", false),
            ("fd00:ec2::254", false),
            ("fe80::1", false),
            ("fec0::1", false),
            ("ff02::1", false),
        ] {
            assert_eq!(is_public(address.parse().unwrap()), public, "{address}");
        }
    }
}
