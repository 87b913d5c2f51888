//! Where a server is reached, whatever way its address is written.

use std::net::{IpAddr, Ipv6Addr};

use clockwise::Address;

/// An address in one spelling: numbers as the standard writes them, names in lower case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Reached {
    /// The host; of a Unix socket its path.
    pub(crate) host: String,
    /// The port, where one is written.
    pub(crate) port: Option<u16>,
}

impl Reached {
    pub(crate) fn new(address: &Address) -> Reached {
        let host = address.host();
        if let Some(path) = path(host) {
            return Reached { host: path.to_owned(), port: None };
        }
        let host = match host.parse::<IpAddr>() {
            Ok(ip) => ip.to_canonical().to_string(),
            Err(_) => host.trim_end_matches('.').to_ascii_lowercase(),
        };
        Reached { host, port: address.port() }
    }

    /// Whether both are one server: the same host, and no two different ports. A port that is left
    /// out is the usual one of its product, which is what the other writes.
    pub(crate) fn is_same(&self, other: &Reached) -> bool {
        self.host == other.host && (self.port == other.port || self.port.is_none() || other.port.is_none())
    }

    /// Whether it means the machine that says it, and so another one on every machine.
    pub(crate) fn is_local(&self) -> bool {
        match self.host.parse::<IpAddr>() {
            Ok(ip) => ip.is_loopback() || ip.is_unspecified(),
            Err(_) => {
                path(&self.host).is_some() || self.host == "localhost" || self.host.ends_with(".localhost")
            }
        }
    }
}

/// The path of a Unix socket, which nginx and others write behind `unix:`, and some with a port of 0.
fn path(host: &str) -> Option<&str> {
    let is_prefixed = host.get(..5).is_some_and(|start| start.eq_ignore_ascii_case("unix:"));
    let bare = if is_prefixed { &host[5..] } else { host };
    if bare.starts_with('/') {
        Some(bare.strip_suffix(":0").unwrap_or(bare))
    } else {
        is_prefixed.then_some(host)
    }
}

/// What is wrong with an address that has several colons and no brackets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Unbracketed {
    /// It is no IPv6 address, but all before its last colon is: host and port.
    Port {
        /// As it should be written.
        meant: String,
    },
    /// It is an IPv6 address, and so is all before its last colon: the last group may be a port.
    Ambiguous {
        /// With the last group as a port.
        as_port: String,
        /// With the last group as part of the host.
        as_host: String,
    },
}

/// What is wrong with an address, if it is IPv6 that should have brackets.
pub(crate) fn unbracketed(address: &Address) -> Option<Unbracketed> {
    let text = address.as_str();
    let (host, last) = text.rsplit_once(':')?;
    let is_port = !last.is_empty() && last.parse::<u16>().is_ok_and(|port| port > 0);
    if !is_port || !last.bytes().all(|byte| byte.is_ascii_digit()) || host.parse::<Ipv6Addr>().is_err() {
        return None;
    }
    let as_port = format!("[{host}]:{last}");
    match text.parse::<Ipv6Addr>() {
        Err(_) => Some(Unbracketed::Port { meant: as_port }),
        // Groups of one or two digits are more often an address that ends in them than a port.
        Ok(_) if last.len() >= 4 => Some(Unbracketed::Ambiguous { as_port, as_host: format!("[{text}]") }),
        Ok(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(text: &str) -> Address {
        Address::new(text).unwrap()
    }

    #[test]
    fn one_address_in_several_spellings_is_reached_alike() {
        for (a, b) in [
            ("10.0.0.1:11211", "10.0.0.1"),
            ("2001:db8::1", "2001:db8:0:0::1"),
            ("[2001:db8::1]:11211", "2001:DB8:0::1"),
            ("Cache-1.example.com.:11211", "cache-1.example.com"),
            ("[::ffff:10.0.0.1]:7", "10.0.0.1:7"),
            ("unix:/run/a.sock", "/run/a.sock"),
            ("UNIX:/run/a.sock", "unix:/run/a.sock"),
            ("/run/a.sock:0", "/run/a.sock"),
        ] {
            assert!(Reached::new(&address(a)).is_same(&Reached::new(&address(b))), "{a} {b}");
        }
        for (a, b) in [("10.0.0.1:1", "10.0.0.1:2"), ("10.0.0.1", "10.0.0.10"), ("/run/a", "/run/A")] {
            assert!(!Reached::new(&address(a)).is_same(&Reached::new(&address(b))), "{a} {b}");
        }
    }

    #[test]
    fn loopback_names_addresses_and_sockets_are_local() {
        for local in [
            "localhost:1",
            "LOCALHOST",
            "127.0.0.1:1",
            "127.8.0.1",
            "[::1]:7",
            "0.0.0.0",
            "/run/a.sock",
            "unix:/a",
        ] {
            assert!(Reached::new(&address(local)).is_local(), "{local}");
        }
        for shared in ["localhost.example.com", "10.0.0.1", "128.0.0.1", "[2001:db8::1]:7"] {
            assert!(!Reached::new(&address(shared)).is_local(), "{shared}");
        }
    }

    #[test]
    fn ipv6_that_may_hold_a_port_is_told_with_both_readings() {
        let port = |meant: &str| Some(Unbracketed::Port { meant: meant.to_owned() });
        assert_eq!(unbracketed(&address("2001:db8::1:11300")), port("[2001:db8::1]:11300"));
        assert_eq!(
            unbracketed(&address("2001:db8::1:6379")),
            Some(Unbracketed::Ambiguous {
                as_port: "[2001:db8::1]:6379".to_owned(),
                as_host: "[2001:db8::1:6379]".to_owned()
            })
        );
        for clear in ["2001:db8::1", "[2001:db8::1]:11300", "10.0.0.1:11300", "2001:db8::11", "fe80::1:a0b1"]
        {
            assert_eq!(unbracketed(&address(clear)), None, "{clear}");
        }
    }
}
