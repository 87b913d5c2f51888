//! What can be set on one side to what the other has.

use std::fmt;

use clockwise::{Error, Server, ServerName};

/// One thing in which two fleets may differ.
///
/// Ordered from what is broad to what is particular: a broad one (the whole scheme, all points) sets
/// much at once, and is named as a cause only if the particular ones do not explain all.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Knob {
    /// The scheme or system as a whole.
    Scheme,
    /// All points of the ring.
    Points,
    /// All buckets of the table.
    Buckets,
    /// The zones of the servers.
    Zones,
    /// What the servers are called.
    Names,
    /// Where the servers are.
    Addresses,
    /// Which servers drain.
    States,
    /// The order of the list.
    Order,
    /// The order in which the scheme takes the servers, whatever the list says.
    BucketOrder,
    /// The hash of keys, with what of the key is hashed.
    KeyHash,
    /// Who owns an arc that several points end.
    Ties,
    /// Whether a key whose hash is a point belongs to that point.
    Boundary,
    /// The weights of the servers.
    Weights,
    /// A setting of the scheme or the system.
    Setting {
        /// Its key, as in fleet files.
        key: String,
        /// The value to set, in TOML; none to leave it unsaid.
        value: Option<String>,
    },
    /// The text of a server that its points are made of.
    Label {
        /// What the first system makes points of.
        slot: Slot,
        /// What the second one makes them of.
        text: Text,
    },
    /// Servers that are listed on the first side only.
    OnlyInA,
    /// Servers that are listed on the second side only.
    OnlyInB,
}

impl Knob {
    /// How much it sets at once.
    pub(super) fn breadth(&self) -> u32 {
        match self {
            Knob::Scheme => 3,
            Knob::Points | Knob::Buckets => 2,
            Knob::KeyHash => 1,
            _ => 0,
        }
    }

    /// A part of one placement that another takes over as it is.
    pub(super) fn is_lent(&self) -> bool {
        let lent =
            [Knob::Points, Knob::Buckets, Knob::BucketOrder, Knob::Boundary, Knob::Ties, Knob::KeyHash];
        lent.contains(self)
    }

    /// The same with the sides exchanged.
    pub(super) fn turned(self) -> Knob {
        match self {
            Knob::OnlyInA => Knob::OnlyInB,
            Knob::OnlyInB => Knob::OnlyInA,
            other => other,
        }
    }

    /// Its name in tables and JSON: of a setting the key.
    pub fn name(&self) -> &str {
        match self {
            Knob::Scheme => "scheme",
            Knob::Points => "points",
            Knob::Buckets => "buckets",
            Knob::Zones => "zones",
            Knob::Names => "names",
            Knob::Addresses => "addresses",
            Knob::States => "states",
            Knob::Order => "order of the list",
            Knob::BucketOrder => "order of buckets",
            Knob::KeyHash => "key hash",
            Knob::Ties => "ties",
            Knob::Boundary => "boundary",
            Knob::Weights => "weights",
            Knob::Setting { key, .. } => key,
            Knob::Label { .. } => "label",
            Knob::OnlyInA => "only in A",
            Knob::OnlyInB => "only in B",
        }
    }
}

/// The part of a server that a system makes its points of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Slot {
    /// Its name.
    Name,
    /// Its address.
    Address,
}

impl Slot {
    pub(super) const ALL: [Slot; 2] = [Slot::Name, Slot::Address];

    /// The server with this text there.
    pub(super) fn set(self, server: Server, text: &str) -> Result<Server, Error> {
        match self {
            Slot::Name => Ok(server.with_name(ServerName::new(text)?)),
            Slot::Address => server.with_address(text),
        }
    }

    /// What stands there.
    pub(super) fn of(self, server: &Server) -> &str {
        match self {
            Slot::Name => server.name().as_str(),
            Slot::Address => server.address().as_str(),
        }
    }
}

impl fmt::Display for Slot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Slot::Name => "the name",
            Slot::Address => "the address",
        })
    }
}

/// A text that systems make of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Text {
    /// Its name.
    Name,
    /// Its address as written.
    Address,
    /// Its address without the port.
    Host,
    /// Its address without the port if that is 11211.
    HostUnlessOtherPort,
    /// Its address with the port, 11211 if none is written.
    HostAndPort,
}

impl Text {
    pub(super) const ALL: [Text; 5] =
        [Text::Name, Text::Address, Text::Host, Text::HostUnlessOtherPort, Text::HostAndPort];

    pub(super) fn of(self, server: &Server) -> String {
        /// Memcached's: the only port that clients leave out of labels.
        const USUAL: u16 = 11211;
        let address = server.address();
        let (host, port) = (address.host(), address.port().unwrap_or(USUAL));
        match self {
            Text::Name => server.name().to_string(),
            Text::Address => address.to_string(),
            Text::Host => host.to_owned(),
            Text::HostUnlessOtherPort if port == USUAL => host.to_owned(),
            Text::HostUnlessOtherPort | Text::HostAndPort => format!("{host}:{port}"),
        }
    }
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Text::Name => "the name",
            Text::Address => "the address",
            Text::Host => "the address without its port",
            Text::HostUnlessOtherPort => "the address, without its port if that is 11211",
            Text::HostAndPort => "the address with its port",
        })
    }
}
