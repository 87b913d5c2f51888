//! What is text about a server: its name, its address, its zone.

use alloc::string::{String, ToString};
use alloc::sync::Arc;
use core::borrow::Borrow;
use core::fmt;
use core::str::FromStr;

use crate::error::{Error, Kind};

/// Text shared between clones: names, addresses and zones are copied with every fleet.
macro_rules! shared_text {
    ($(#[$doc:meta])* $name:ident, $kind:ident) => {
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(Arc<str>);

        impl $name {
            /// Takes any text that is not empty and holds no control character.
            pub fn new(text: impl Into<Arc<str>>) -> Result<$name, Error> {
                let text = text.into();
                let problem = if text.is_empty() {
                    Some("is empty")
                } else if text.chars().any(char::is_control) {
                    Some("holds a control character")
                } else {
                    None
                };
                match problem {
                    Some(problem) => Err(Error::new(Kind::$kind { value: text.to_string(), problem })),
                    None => Ok($name(text)),
                }
            }

            /// The text as given.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl AsRef<str> for $name {
            fn as_ref(&self) -> &str {
                &self.0
            }
        }

        /// Maps keyed by it can be asked by text.
        impl Borrow<str> for $name {
            fn borrow(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(&self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Debug::fmt(&self.0, f)
            }
        }

        impl TryFrom<&str> for $name {
            type Error = Error;
            fn try_from(text: &str) -> Result<$name, Error> {
                $name::new(text)
            }
        }

        impl TryFrom<String> for $name {
            type Error = Error;
            fn try_from(text: String) -> Result<$name, Error> {
                $name::new(text)
            }
        }

        impl FromStr for $name {
            type Err = Error;
            fn from_str(text: &str) -> Result<$name, Error> {
                $name::new(text)
            }
        }
    };
}

shared_text! {
    /// A server's identity. Placement depends on it and never on the address, so a machine can be
    /// replaced behind a name without moving a key.
    ServerName, Name
}
shared_text! {
    /// Where a server is reached, as its owner writes it: `10.0.0.1:11211`, `[2001:db8::1]:6379`,
    /// `cache.example.com`, `/run/memcached.sock`. Kept as text; nothing is resolved.
    Address, Address
}
shared_text! {
    /// A failure domain: rack, availability zone, data centre.
    Zone, Zone
}

impl Address {
    /// Where a server is that says nothing else: its name.
    pub(super) fn under(name: &ServerName) -> Address {
        Address(name.0.clone())
    }

    /// The host part: brackets of an IPv6 address are taken off, a path is returned whole.
    ///
    /// ```
    /// # use clockwise::Address;
    /// let parts = |text| Address::new(text).map(|a| (a.host().to_owned(), a.port()));
    /// assert_eq!(parts("10.0.0.1:11211")?, ("10.0.0.1".into(), Some(11211)));
    /// assert_eq!(parts("[2001:db8::1]:6379")?, ("2001:db8::1".into(), Some(6379)));
    /// assert_eq!(parts("2001:db8::1")?, ("2001:db8::1".into(), None));
    /// assert_eq!(parts("/run/memcached.sock")?, ("/run/memcached.sock".into(), None));
    /// # Ok::<(), clockwise::Error>(())
    /// ```
    pub fn host(&self) -> &str {
        self.split().0
    }

    /// The port, if one is written.
    pub fn port(&self) -> Option<u16> {
        self.split().1
    }

    fn split(&self) -> (&str, Option<u16>) {
        let text = self.as_str();
        if text.starts_with('/') {
            return (text, None);
        }
        if let Some((host, rest)) = text.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
            return (host, rest.strip_prefix(':').and_then(port));
        }
        match text.rsplit_once(':') {
            // More than one colon and no brackets: a bare IPv6 address.
            Some((host, _)) if host.contains(':') => (text, None),
            Some((host, digits)) => match port(digits) {
                Some(port) => (host, Some(port)),
                None => (text, None),
            },
            None => (text, None),
        }
    }
}

/// A port as decimal digits only: `u16::from_str` alone would take `+80`.
fn port(digits: &str) -> Option<u16> {
    if digits.bytes().all(|b| b.is_ascii_digit()) { digits.parse().ok() } else { None }
}
