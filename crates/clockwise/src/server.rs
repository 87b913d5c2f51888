//! What a server is: a name (its identity), an address, a weight and a zone.

use alloc::string::{String, ToString};
use alloc::sync::Arc;
use core::fmt;
use core::num::NonZeroU32;
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

/// A server's share relative to the others': a positive whole number, the same in every language.
///
/// Zero is not a weight: a server that is listed and owns nothing is
/// [draining](Server::draining). Fractions are refused rather than rounded.
///
/// ```
/// # use clockwise::Weight;
/// assert_eq!("3".parse::<Weight>()?.get(), 3);
/// for wrong in ["0", "-1", "0.5", "NaN", "inf", "1e400", "", "0x10", "4294967296"] {
///     assert!(wrong.parse::<Weight>().unwrap_err().is_weight());
/// }
/// # Ok::<(), clockwise::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Weight(NonZeroU32);

impl Weight {
    /// The weight of a server that was given none.
    pub const ONE: Weight = Weight(NonZeroU32::MIN);

    /// The largest weight, 2³² − 1. Schemes that spend points or slots on weight bound the total
    /// far lower, and say so.
    pub const MAX: Weight = Weight(NonZeroU32::MAX);

    /// The number.
    pub const fn get(self) -> u32 {
        self.0.get()
    }

    fn refuse(value: impl ToString, problem: &'static str) -> Error {
        Error::new(Kind::Weight { value: value.to_string(), problem })
    }
}

const NOT_POSITIVE: &str =
    "is not positive: a weight is a whole number from 1; a server that should own nothing is draining";
const NOT_WHOLE: &str =
    "is not a whole number: weights are integers from 1 to 4294967295, so scale all of them up";
const TOO_LARGE: &str = "is too large: weights end at 4294967295";

impl Default for Weight {
    fn default() -> Weight {
        Weight::ONE
    }
}

impl fmt::Display for Weight {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl From<NonZeroU32> for Weight {
    fn from(value: NonZeroU32) -> Weight {
        Weight(value)
    }
}

macro_rules! weight_from_integer {
    ($($integer:ty),*) => {$(
        impl TryFrom<$integer> for Weight {
            type Error = Error;
            fn try_from(value: $integer) -> Result<Weight, Error> {
                if value <= 0 {
                    return Err(Weight::refuse(value, NOT_POSITIVE));
                }
                let narrow = u32::try_from(value).ok().and_then(NonZeroU32::new);
                narrow.map(Weight).ok_or_else(|| Weight::refuse(value, TOO_LARGE))
            }
        }
    )*};
}
#[allow(clippy::absurd_extreme_comparisons, unused_comparisons)]
mod weight_from_integer {
    use super::*;
    weight_from_integer!(u8, u16, u32, u64, usize, i32, i64, i128);
}

impl TryFrom<f64> for Weight {
    type Error = Error;
    fn try_from(value: f64) -> Result<Weight, Error> {
        if value.is_nan() || value.is_infinite() {
            return Err(Weight::refuse(value, NOT_WHOLE));
        }
        if value <= 0.0 {
            return Err(Weight::refuse(value, NOT_POSITIVE));
        }
        if value > f64::from(u32::MAX) {
            return Err(Weight::refuse(value, TOO_LARGE));
        }
        // In range, so the conversion cuts only the fraction; equality shows there was none.
        let whole = value as u32;
        match NonZeroU32::new(whole) {
            Some(whole) if f64::from(whole.get()).to_bits() == value.to_bits() => Ok(Weight(whole)),
            _ => Err(Weight::refuse(value, NOT_WHOLE)),
        }
    }
}

impl FromStr for Weight {
    type Err = Error;
    fn from_str(text: &str) -> Result<Weight, Error> {
        let digits = text.strip_prefix('-').unwrap_or(text);
        if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
            return Err(Error::new(Kind::Weight { value: alloc::format!("{text:?}"), problem: NOT_WHOLE }));
        }
        if digits.len() < text.len() || digits.bytes().all(|b| b == b'0') {
            return Err(Weight::refuse(text, NOT_POSITIVE));
        }
        let value: Result<NonZeroU32, _> = digits.parse();
        value.map(Weight).map_err(|_| Weight::refuse(text, TOO_LARGE))
    }
}

impl TryFrom<&str> for Weight {
    type Error = Error;
    fn try_from(text: &str) -> Result<Weight, Error> {
        text.parse()
    }
}

/// One server of a fleet.
///
/// ```
/// use clockwise::Server;
///
/// let server = Server::new("cache-1")?
///     .with_address("10.0.0.1:11211")?
///     .with_weight(2)?
///     .with_zone("eu-1a")?;
/// assert_eq!(server.name().as_str(), "cache-1");
/// assert_eq!(server.address().port(), Some(11211));
/// # Ok::<(), clockwise::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Server {
    name: ServerName,
    address: Address,
    weight: Weight,
    zone: Option<Zone>,
    draining: bool,
}

impl Server {
    /// A server of weight 1, in no zone, reached under its own name.
    pub fn new<N>(name: N) -> Result<Server, Error>
    where
        N: TryInto<ServerName>,
        Error: From<N::Error>,
    {
        let name = name.try_into()?;
        let address = Address(name.0.clone());
        Ok(Server { name, address, weight: Weight::ONE, zone: None, draining: false })
    }

    /// The same address, weight and zone under another name: another server, as placement sees it.
    #[must_use]
    pub fn with_name(self, name: ServerName) -> Server {
        Server { name, ..self }
    }

    /// The same server at another address: no key moves.
    pub fn with_address<A>(self, address: A) -> Result<Server, Error>
    where
        A: TryInto<Address>,
        Error: From<A::Error>,
    {
        match address.try_into() {
            Ok(address) => Ok(Server { address, ..self }),
            Err(error) => Err(Error::from(error).of_server(self.name.as_str())),
        }
    }

    /// The same server with another weight.
    pub fn with_weight<W>(self, weight: W) -> Result<Server, Error>
    where
        W: TryInto<Weight>,
        Error: From<W::Error>,
    {
        match weight.try_into() {
            Ok(weight) => Ok(Server { weight, ..self }),
            Err(error) => Err(Error::from(error).of_server(self.name.as_str())),
        }
    }

    /// The same server in a zone.
    pub fn with_zone<Z>(self, zone: Z) -> Result<Server, Error>
    where
        Z: TryInto<Zone>,
        Error: From<Z::Error>,
    {
        match zone.try_into() {
            Ok(zone) => Ok(Server { zone: Some(zone), ..self }),
            Err(error) => Err(Error::from(error).of_server(self.name.as_str())),
        }
    }

    /// The same server, listed but owning nothing: what a weight of 0 means in other products.
    #[must_use]
    pub fn draining(self) -> Server {
        Server { draining: true, ..self }
    }

    /// The same server, owning keys again.
    #[must_use]
    pub fn active(self) -> Server {
        Server { draining: false, ..self }
    }

    /// Its identity.
    pub fn name(&self) -> &ServerName {
        &self.name
    }

    /// Where it is reached.
    pub fn address(&self) -> &Address {
        &self.address
    }

    /// Its weight while it is active. See [`Server::effective_weight`] for what it counts now.
    pub fn weight(&self) -> Weight {
        self.weight
    }

    /// What it weighs in the fleet now: its weight, or 0 while it drains.
    pub fn effective_weight(&self) -> u32 {
        if self.draining { 0 } else { self.weight.get() }
    }

    /// Its zone, if it has one.
    pub fn zone(&self) -> Option<&Zone> {
        self.zone.as_ref()
    }

    /// Listed, owning nothing.
    pub fn is_draining(&self) -> bool {
        self.draining
    }
}
