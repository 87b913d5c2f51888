//! Files of recorded answers, and how many of them we give.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::Path;

use clockwise::dialect::Dialect;
use clockwise::{Buckets, Error, Geometry, Placement, Server, ServerIx};
use serde_json::Value;

pub(crate) fn read(file: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors").join(file);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

pub(crate) fn list<'v>(value: &'v Value, field: &str) -> &'v [Value] {
    value[field].as_array().unwrap_or_else(|| panic!("no list {field:?} in {value}"))
}

pub(crate) fn text<'v>(value: &'v Value, field: &str) -> &'v str {
    value[field].as_str().unwrap_or_else(|| panic!("no text {field:?} in {value}"))
}

pub(crate) fn number(value: &Value, field: &str) -> u64 {
    value[field].as_u64().unwrap_or_else(|| panic!("no number {field:?} in {value}"))
}

/// A file of recorded placements.
pub(crate) struct Recorded {
    pub(crate) file: Value,
    keys: Value,
}

impl Recorded {
    pub(crate) fn open(file: &str) -> Recorded {
        Recorded { file: read(file), keys: read("keys/memcached-family.json") }
    }

    /// The cases, each with its fleet.
    pub(crate) fn cases(&self) -> impl Iterator<Item = (&Value, &[Value])> {
        let fleet = |case| list(&self.file["fleets"], text(case, "fleet"));
        list(&self.file, "cases").iter().map(move |case| (case, fleet(case)))
    }

    /// The keys that were sent, each with its answer: the first ones, where a case says so.
    pub(crate) fn keyed<'k, 'v>(
        &'k self,
        case: &'v Value,
        answers: &str,
    ) -> impl Iterator<Item = (&'k str, &'v Value)> {
        let keys = list(&self.keys, text(case, "keys")).iter().map(|key| key.as_str().expect("a key"));
        let answers = list(case, answers).iter();
        let first = case.get("keys_used").map_or(keys.len(), |used| {
            let used = used.as_str().and_then(|used| used.strip_prefix("the first "));
            used.and_then(|number| number.parse().ok()).expect("how many keys were used")
        });
        assert_eq!(first, answers.len(), "keys and answers in {}", case["fleet"]);
        keys.zip(answers)
    }

    /// The keys of a case and the index of each key's owner; the empty key last, if it was asked for.
    /// A key without an owner was not sent.
    pub(crate) fn answers(&self, case: &Value, owners: &str) -> Vec<(&str, usize)> {
        let empty = case.get("empty_key_owner").map(|owner| ("", owner));
        let index = |owner: &Value| owner.as_u64().expect("an index") as usize;
        let sent = self.keyed(case, owners).filter(|(_, owner)| !owner.is_null());
        sent.chain(empty).map(|(key, owner)| (key, index(owner))).collect()
    }
}

/// The owners of keys, asked one by one and all at once, which say the same.
pub(crate) fn owners<K: AsRef<[u8]>>(
    place: &dyn Placement,
    keys: impl IntoIterator<Item = K>,
) -> Vec<ServerIx> {
    let keys: Vec<K> = keys.into_iter().collect();
    let keys: Vec<&[u8]> = keys.iter().map(AsRef::as_ref).collect();
    let mut owners = vec![ServerIx::new(u32::MAX); keys.len()];
    place.owners_of(&keys, &mut owners);
    for (key, owner) in keys.iter().zip(&owners) {
        assert_eq!(*owner, place.owner_ix(key), "all at once, and then alone: {}", key.escape_ascii());
    }
    owners
}

/// How many answers were compared, and what was wrong with any.
#[derive(Default)]
pub(crate) struct Score {
    answers: usize,
    points: usize,
    wrong: Vec<String>,
}

impl Score {
    /// Compares the owners of a case with a placement. `servers` names the fleet's servers in its
    /// order.
    pub(crate) fn compare(
        &mut self,
        case: &Value,
        answers: &[(&str, usize)],
        servers: &Buckets,
        place: &dyn Placement,
    ) {
        let keys = answers.iter().map(|(key, _)| key.as_bytes());
        for (&(key, owner), ours) in answers.iter().zip(owners(place, keys)) {
            let (recorded, ours) = (servers.servers()[owner].name(), place.servers()[ours.index()].name());
            self.answer(recorded, ours, || format!("{} {}: {key:?}", case["fleet"], case["config"]));
        }
    }

    /// One answer, recorded and ours.
    pub(crate) fn answer<T: PartialEq + Debug + ?Sized>(
        &mut self,
        recorded: &T,
        ours: &T,
        context: impl FnOnce() -> String,
    ) {
        self.answers += 1;
        if recorded != ours {
            self.wrong.push(format!("{} is {recorded:?}, and we say {ours:?}", context()));
        }
    }

    /// Compares the points of a ring, if the case has them: every one, and whose it is.
    pub(crate) fn compare_points(&mut self, case: &Value, ring: &Geometry) {
        let Some(recorded) = case.get("ring_points") else { return };
        let pair = |pair: &Value| {
            let (position, owner) = (pair[0].as_i64().expect("a position"), pair[1].as_u64());
            // Some programs print the 32 bits as a signed number.
            (u64::from(position as u32), owner.expect("an index") as usize)
        };
        let mut recorded: Vec<_> = recorded.as_array().expect("points").iter().map(pair).collect();
        recorded.sort_unstable();
        self.points += recorded.len();
        let ours: Vec<_> = ring.points().map(|(position, owner)| (position, owner.index())).collect();
        if let Some(at) = (0..ours.len().max(recorded.len())).find(|&at| ours.get(at) != recorded.get(at)) {
            let (fleet, config, there, here) =
                (&case["fleet"], &case["config"], recorded.get(at), ours.get(at));
            self.wrong.push(format!("{fleet} {config}: point {at} is {there:?}, and we say {here:?}"));
        }
    }

    /// One line for the system. Fails on a wrong answer, and on fewer answers than there are.
    pub(crate) fn close(self, recorded: &Recorded, at_least: usize) {
        self.close_file(&recorded.file, at_least);
    }

    /// The same for a file that is read otherwise.
    pub(crate) fn close_file(self, file: &Value, at_least: usize) {
        let system = text(file, "system");
        let mut words = file["version"].as_str().unwrap_or_default().split(' ');
        let version = words.find(|word| word.contains(|c: char| c.is_ascii_digit()));
        self.close_as(system, version.unwrap_or("version not recorded"), at_least);
    }

    /// The same where the file does not say system and version in few words.
    pub(crate) fn close_as(self, system: &str, version: &str, at_least: usize) {
        let (answers, right) = (self.answers, self.answers - self.wrong.len());
        let points = match self.points {
            0 => String::new(),
            points => format!(", and {} points compared", grouped(points)),
        };
        println!(
            "{system} {version}: {} of {} recorded answers match{points}",
            grouped(right),
            grouped(answers)
        );
        write_down(&format!("recorded\t{system}\t{version}\t{right}\t{answers}\n"));
        assert!(self.wrong.is_empty(), "{} wrong, the first: {}", self.wrong.len(), self.wrong[0]);
        assert!(answers >= at_least, "{answers} answers, and there were {at_least}");
    }
}

/// Appends a line to the file that `cargo xtask` collects, if it asked for one: in one piece, since
/// tests run at once.
fn write_down(line: &str) {
    let Some(path) = std::env::var_os("CLOCKWISE_ANSWERS") else { return };
    let file = OpenOptions::new().append(true).create(true).open(path);
    file.and_then(|mut file| file.write_all(line.as_bytes())).expect("a file for the counts");
}

/// A number below a million with a comma before its last three digits.
fn grouped(number: usize) -> String {
    if number < 1_000 { number.to_string() } else { format!("{},{:03}", number / 1_000, number % 1_000) }
}

pub(crate) fn fleet(servers: &[Value], server: impl Fn(&Value) -> Result<Server, Error>) -> Buckets {
    let servers: Result<Vec<Server>, Error> = servers.iter().map(server).collect();
    Buckets::new(servers.expect("servers")).expect("a fleet")
}

/// A server by the name and at the host and port of the record.
pub(crate) fn at_host(server: &Value) -> Result<Server, Error> {
    let (host, port) = (text(server, "host"), number(server, "port"));
    let address = if host.contains(':') { format!("[{host}]:{port}") } else { format!("{host}:{port}") };
    Server::new(text(server, "name"))?.with_address(address)?.with_weight(number(server, "weight"))
}

/// A server by the name of the record, which is its address too.
pub(crate) fn by_name(server: &Value) -> Result<Server, Error> {
    Server::new(text(server, "name"))?.with_weight(number(server, "weight"))
}

/// Every case of a file, under the dialect that `dialect` reads from its configuration.
pub(crate) fn check<D: Into<Dialect>>(
    file: &str,
    at_least: usize,
    server: impl Fn(&Value) -> Result<Server, Error>,
    dialect: impl Fn(&Value) -> D,
) {
    let recorded = Recorded::open(file);
    let mut score = Score::default();
    for (case, servers) in recorded.cases() {
        let servers = fleet(servers, &server);
        let place = dialect(&case["config"]).into().build(&servers).expect("a placement");
        score.compare(case, &recorded.answers(case, "owners"), &servers, &place);
        if let Some(ring) = place.ring() {
            score.compare_points(case, &ring);
        }
    }
    score.close(&recorded, at_least);
}

/// The entries of an object.
pub(crate) fn object<'v>(value: &'v Value, field: &str) -> &'v serde_json::Map<String, Value> {
    value[field].as_object().unwrap_or_else(|| panic!("no object {field:?} in {value}"))
}

/// Bytes that a file writes in hexadecimal.
pub(crate) fn bytes(hex: &str) -> Vec<u8> {
    let digits: Vec<u32> =
        hex.chars().map(|digit| digit.to_digit(16).expect("a hexadecimal digit")).collect();
    digits.chunks(2).map(|pair| (pair[0] * 16 + pair[1]) as u8).collect()
}

/// A table of answers: for each key a list of numbers, one for each of the counts `n`.
pub(crate) fn table<'v>(file: &'v Value, field: &str) -> impl Iterator<Item = (&'v str, u64, u64)> {
    let counts = list(file, "n");
    object(file, field).iter().flat_map(move |(key, answers)| {
        let answers = answers.as_array().expect("answers");
        assert_eq!(answers.len(), counts.len(), "{key}");
        let number = |value: &Value| value.as_u64().expect("a number");
        counts.iter().zip(answers).map(move |(n, answer)| (key.as_str(), number(n), number(answer)))
    })
}

/// The same by count: the keys with their answers.
pub(crate) fn by_count<'v>(file: &'v Value, field: &str) -> BTreeMap<u64, Vec<(&'v str, u64)>> {
    let mut answers: BTreeMap<u64, Vec<_>> = BTreeMap::new();
    for (key, count, answer) in table(file, field) {
        answers.entry(count).or_default().push((key, answer));
    }
    answers
}

/// Servers `0`, `1` … of which an answer is the index.
pub(crate) fn numbered(count: u64) -> Buckets {
    let servers: Result<Vec<Server>, Error> = (0..count).map(|i| Server::new(i.to_string())).collect();
    Buckets::new(servers.expect("servers")).expect("a fleet")
}
