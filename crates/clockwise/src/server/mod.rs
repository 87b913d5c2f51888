//! What a server is: a name (its identity), an address, a weight and a zone.

mod text;
mod weight;

pub use text::{Address, ServerName, Zone};
pub use weight::Weight;

use core::num::NonZeroU32;

use crate::error::Error;

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
    state: State,
}

/// Whether a server owns keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum State {
    Active,
    Draining,
    /// Draining, and the number of its removal.
    Removed(NonZeroU32),
}

impl Server {
    /// A server of weight 1, in no zone, reached under its own name. Refuses a name that is empty or
    /// holds a control character.
    pub fn new<N>(name: N) -> Result<Server, Error>
    where
        N: TryInto<ServerName>,
        Error: From<N::Error>,
    {
        let name = name.try_into()?;
        let address = Address::under(&name);
        Ok(Server { name, address, weight: Weight::ONE, zone: None, state: State::Active })
    }

    /// The same address, weight and zone under another name: another server, as placement sees it.
    #[must_use]
    pub fn with_name(self, name: ServerName) -> Server {
        Server { name, ..self }
    }

    /// The same server at another address: no key moves. Refuses what [`Address::new`] refuses.
    pub fn with_address<A>(self, address: A) -> Result<Server, Error>
    where
        A: TryInto<Address>,
        Error: From<A::Error>,
    {
        let address = self.own(address.try_into())?;
        Ok(Server { address, ..self })
    }

    /// The same server with another weight. Refuses a number that is no [`Weight`].
    pub fn with_weight<W>(self, weight: W) -> Result<Server, Error>
    where
        W: TryInto<Weight>,
        Error: From<W::Error>,
    {
        let weight = self.own(weight.try_into())?;
        Ok(Server { weight, ..self })
    }

    /// The same server in a zone. Refuses what [`Zone::new`] refuses.
    pub fn with_zone<Z>(self, zone: Z) -> Result<Server, Error>
    where
        Z: TryInto<Zone>,
        Error: From<Z::Error>,
    {
        let zone = self.own(zone.try_into())?;
        Ok(Server { zone: Some(zone), ..self })
    }

    /// A value of this server: an error about it says whose it is.
    fn own<T, E>(&self, value: Result<T, E>) -> Result<T, Error>
    where
        Error: From<E>,
    {
        value.map_err(|error| Error::from(error).of_server(self.name.as_str()))
    }

    /// The same server, listed but owning nothing: what a weight of 0 means in other products.
    #[must_use]
    pub fn draining(self) -> Server {
        Server { state: State::Draining, ..self }
    }

    /// The same server, removed as the `turn`-th of its fleet's history: it drains, and schemes that go by
    /// a [`ChangeLog`](crate::ChangeLog) know when it left.
    #[must_use]
    pub fn removed(self, turn: NonZeroU32) -> Server {
        Server { state: State::Removed(turn), ..self }
    }

    /// The same server, owning keys again.
    #[must_use]
    pub fn active(self) -> Server {
        Server { state: State::Active, ..self }
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
        if self.is_draining() { 0 } else { self.weight.get() }
    }

    /// Its zone, if it has one.
    pub fn zone(&self) -> Option<&Zone> {
        self.zone.as_ref()
    }

    /// Listed, owning nothing.
    pub fn is_draining(&self) -> bool {
        self.state != State::Active
    }

    /// The number of its removal in the fleet's history, if it has one.
    pub fn removal(&self) -> Option<NonZeroU32> {
        match self.state {
            State::Removed(turn) => Some(turn),
            State::Active | State::Draining => None,
        }
    }
}
