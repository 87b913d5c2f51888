//! A change to a fleet as an operator says it: add, remove, reweigh, replace, move to another address.
//!
//! Works on the list as it stands in the file, because some schemes depend on its order: a
//! newcomer is last, a replacement takes the old one's place, and a removed server closes the gap.

use std::fmt;

use clockwise::{Address, Buckets, ChangeLog, Error, Scheme, Server, ServerIx, ServerName, Weight};

/// One step of a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// A new server joins, at the end of the list.
    Add(Server),
    /// A server leaves.
    Remove(ServerName),
    /// A server's weight becomes another; `None` drains it.
    Weight(ServerName, Option<Weight>),
    /// Another server takes a server's place and its weight and zone.
    Replace {
        /// Who goes.
        old: ServerName,
        /// Who comes.
        new: ServerName,
        /// Where the newcomer is reached.
        address: Address,
    },
    /// A server keeps its name and is reached elsewhere.
    Address(ServerName, Address),
}

impl Change {
    /// `NAME[=ADDR][,weight=W][,zone=Z]`; without an address it is reached under its name, as in a file.
    pub fn parse_add(text: &str) -> Result<Change, BadChange> {
        let mut parts = text.split(',');
        let first = parts.next().unwrap_or_default();
        let mut server = match first.split_once('=') {
            Some((name, address)) => Server::new(name)?.with_address(address)?,
            None => Server::new(first)?,
        };
        for part in parts {
            server = match part.split_once('=') {
                Some(("weight", weight)) => server.with_weight(weight)?,
                Some(("zone", zone)) => server.with_zone(zone)?,
                _ => return Err(BadChange::form(text, "NAME[=ADDR][,weight=W][,zone=Z]")),
            };
        }
        Ok(Change::Add(server))
    }

    /// `NAME`.
    pub fn parse_remove(text: &str) -> Result<Change, BadChange> {
        Ok(Change::Remove(ServerName::new(text)?))
    }

    /// `NAME=W`; a weight of 0 drains the server.
    pub fn parse_weight(text: &str) -> Result<Change, BadChange> {
        let (name, weight) = text.rsplit_once('=').ok_or_else(|| BadChange::form(text, "NAME=W"))?;
        let name = ServerName::new(name)?;
        let weight = match weight {
            "0" => None,
            weight => Some(weight.parse::<Weight>().map_err(|e| e.of_server(name.as_str()))?),
        };
        Ok(Change::Weight(name, weight))
    }

    /// `OLD=NEW[=ADDR]`; without an address the newcomer is reached under its name.
    pub fn parse_replace(text: &str) -> Result<Change, BadChange> {
        let (old, new) = text.split_once('=').ok_or_else(|| BadChange::form(text, "OLD=NEW[=ADDR]"))?;
        let new = match new.split_once('=') {
            Some((name, address)) => Server::new(name)?.with_address(address)?,
            None => Server::new(new)?,
        };
        Ok(Change::Replace {
            old: ServerName::new(old)?,
            new: new.name().clone(),
            address: new.address().clone(),
        })
    }

    /// `NAME=ADDR`.
    pub fn parse_address(text: &str) -> Result<Change, BadChange> {
        let (name, address) = text.split_once('=').ok_or_else(|| BadChange::form(text, "NAME=ADDR"))?;
        Ok(Change::Address(ServerName::new(name)?, Address::new(address)?))
    }

    /// The servers after this step, of a fleet under this scheme.
    ///
    /// Where the scheme goes by the history, a server that goes stays listed with the number of its
    /// removal, and one that comes takes the place that was emptied last.
    pub fn apply_under(&self, scheme: &Scheme, list: &Buckets) -> Result<Buckets, Error> {
        let after = self.apply(list)?;
        match scheme.keeps_history() {
            true => Ok(ChangeLog::of(list)?.after(&after)?.buckets().clone()),
            false => Ok(after),
        }
    }

    /// The server that is another afterwards; none of one that leaves.
    pub fn server(&self) -> Option<&ServerName> {
        match self {
            Change::Add(server) => Some(server.name()),
            Change::Remove(_) => None,
            Change::Weight(name, _) | Change::Replace { new: name, .. } | Change::Address(name, _) => {
                Some(name)
            }
        }
    }

    /// The list after this step.
    pub fn apply(&self, list: &Buckets) -> Result<Buckets, Error> {
        let mut servers = list.servers().to_vec();
        let at = |name: &ServerName| {
            list.index_of(name.as_str())
                .map(ServerIx::index)
                .ok_or_else(|| Error::unknown_server(name.as_str()))
        };
        match self {
            Change::Add(server) => servers.push(server.clone()),
            Change::Remove(name) => {
                servers.remove(at(name)?);
            }
            Change::Weight(name, weight) => {
                let at = at(name)?;
                let server = servers[at].clone();
                servers[at] = match weight {
                    Some(weight) => server.active().with_weight(*weight)?,
                    None => server.draining(),
                };
            }
            Change::Replace { old, new, address } => {
                let at = at(old)?;
                servers[at] = servers[at].clone().with_name(new.clone()).with_address(address.clone())?;
            }
            Change::Address(name, address) => {
                let at = at(name)?;
                servers[at] = servers[at].clone().with_address(address.clone())?;
            }
        }
        Buckets::new(servers)
    }
}

impl fmt::Display for Change {
    /// As the subject of a sentence: "adding cache-5", "removing cache-2".
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Change::Add(server) => write!(f, "adding {}", server.name()),
            Change::Remove(name) => write!(f, "removing {name}"),
            Change::Weight(name, Some(weight)) => write!(f, "giving {name} the weight {weight}"),
            Change::Weight(name, None) => write!(f, "draining {name}"),
            Change::Replace { old, new, .. } => write!(f, "replacing {old} by {new}"),
            Change::Address(name, address) => write!(f, "giving {name} the address {address}"),
        }
    }
}

/// Why a change could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BadChange {
    /// Not of the form that the option takes.
    Form {
        /// What was given.
        given: String,
        /// What is taken.
        form: &'static str,
    },
    /// A name, address, weight or zone that cannot be one.
    Value(Error),
}

impl BadChange {
    fn form(given: &str, form: &'static str) -> BadChange {
        BadChange::Form { given: given.to_owned(), form }
    }
}

impl From<Error> for BadChange {
    fn from(error: Error) -> BadChange {
        BadChange::Value(error)
    }
}

impl fmt::Display for BadChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BadChange::Form { given, form } => write!(f, "{given:?} is not of the form {form}"),
            BadChange::Value(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for BadChange {}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(names: &[&str]) -> Buckets {
        Buckets::new(names.iter().map(|name| Server::new(*name).unwrap())).unwrap()
    }

    fn names(list: &Buckets) -> Vec<&str> {
        list.servers().iter().map(|s| s.name().as_str()).collect()
    }

    #[test]
    fn a_newcomer_is_last_and_a_leaver_closes_the_gap() {
        let after = Change::parse_add("d=10.0.0.4:11211,weight=3,zone=b")
            .unwrap()
            .apply(&list(&["a", "c", "b"]))
            .unwrap();
        assert_eq!(names(&after), ["a", "c", "b", "d"]);
        let d = after.get("d").unwrap();
        assert_eq!(
            (d.address().as_str(), d.weight().get(), d.zone().unwrap().as_str()),
            ("10.0.0.4:11211", 3, "b")
        );
        let after = Change::parse_remove("c").unwrap().apply(&after).unwrap();
        assert_eq!(names(&after), ["a", "b", "d"]);
    }

    #[test]
    fn a_replacement_takes_the_place_and_the_weight_of_the_old_server() {
        let before = Change::parse_weight("b=7").unwrap().apply(&list(&["a", "b", "c"])).unwrap();
        let after = Change::parse_replace("b=x=unix:/run/x=1.sock").unwrap().apply(&before).unwrap();
        assert_eq!(names(&after), ["a", "x", "c"]);
        let x = after.get("x").unwrap();
        assert_eq!((x.weight().get(), x.address().as_str()), (7, "unix:/run/x=1.sock"));
    }

    #[test]
    fn a_newcomer_without_an_address_is_reached_under_its_name() {
        let added = Change::parse_add("c:1,weight=2").unwrap().apply(&list(&["a"])).unwrap();
        let c = added.get("c:1").unwrap();
        assert_eq!((c.address().as_str(), c.weight().get()), ("c:1", 2));
        let replaced = Change::parse_replace("a=b").unwrap().apply(&list(&["a"])).unwrap();
        assert_eq!(replaced.get("b").unwrap().address().as_str(), "b");
        for wrong in ["", "a=", "=b", ",weight=2"] {
            assert!(matches!(Change::parse_add(wrong), Err(BadChange::Value(_))), "{wrong}");
        }
    }

    #[test]
    fn a_new_address_leaves_the_name_and_weight_zero_drains() {
        let after = Change::parse_address("a=10.9.9.9:1").unwrap().apply(&list(&["a", "b"])).unwrap();
        assert_eq!(after.get("a").unwrap().address().as_str(), "10.9.9.9:1");
        let after = Change::parse_weight("a=0").unwrap().apply(&after).unwrap();
        assert!(after.get("a").unwrap().is_draining());
        assert!(!Change::parse_weight("a=2").unwrap().apply(&after).unwrap().get("a").unwrap().is_draining());
    }

    #[test]
    fn what_cannot_be_meant_is_refused_with_the_form_or_the_server() {
        for (given, text) in [
            (
                Change::parse_add("c=h:1,wight=2"),
                "\"c=h:1,wight=2\" is not of the form NAME[=ADDR][,weight=W][,zone=Z]",
            ),
            (Change::parse_add("c,2"), "\"c,2\" is not of the form NAME[=ADDR][,weight=W][,zone=Z]"),
            (Change::parse_replace("a"), "\"a\" is not of the form OLD=NEW[=ADDR]"),
            (Change::parse_weight("a"), "\"a\" is not of the form NAME=W"),
        ] {
            assert_eq!(given.unwrap_err().to_string(), text);
        }
        let error = Change::parse_weight("a=-1").unwrap_err().to_string();
        assert!(error.starts_with("server \"a\": weight -1 is not positive"), "{error}");
        let error = Change::parse_remove("z").unwrap().apply(&list(&["a"])).unwrap_err();
        assert!(error.is_unknown_server() && error.server() == Some("z"));
        assert!(Change::parse_add("a=b").unwrap().apply(&list(&["a"])).unwrap_err().is_duplicate());
        assert!(Change::parse_remove("a").unwrap().apply(&list(&["a"])).unwrap_err().is_no_servers());
    }
}
