//! Other systems' recipes in our own files: `dialect = "twemproxy"` and that system's settings.
//!
//! Each dialect stands in the table below once, with its keys; it is read and written from there. A
//! key is called what the field of the library's `Options` is called, and one that the file does
//! not have keeps the default of those.

use std::collections::{BTreeMap, HashSet};
use std::fmt::Display;
use std::mem::take;
use std::str::FromStr;

use clockwise::dialect::{
    Dialect, cassandra, couchbase, dskit, elasticsearch, envoy, gomemcache, grpc, guava, haproxy, kafka, lab,
    libketama, libmemcached, mcrouter, memjs, nginx, npm_hashring, npm_ketama, npm_memcached, php_memcache,
    php_memcached, pingora, pylibmc, pymemcache, python_hashring, python_memcached, redis, spymemcached,
    thanos, trafficserver, twemproxy, uhashring,
};
use clockwise::hash::HashTag;
use clockwise::slots::SlotRanges;
use clockwise::{Cap, Error, KeyPrefix, Zone};

use crate::diagnostic::{quoted, ticked};
use crate::fields::{self, Fields};
use crate::fleet::ServerEntry;
use crate::node::{self, Entry, ScalarKind};
use crate::placement::{Kind, decimal, epsilon_at, refuse_error, word_at};
use crate::report::Report;
use crate::write;

/// A value as it stands in a file.
trait Value: Sized {
    fn read(report: &mut Report, entry: &Entry) -> Option<Self>;

    /// In TOML.
    fn write(&self) -> String;

    /// Whether it says as much as leaving it unsaid.
    fn says_nothing(&self) -> bool {
        false
    }

    /// All of them in TOML, where they are a few words.
    fn words() -> Vec<String> {
        Vec::new()
    }
}

impl Value for bool {
    fn read(report: &mut Report, entry: &Entry) -> Option<bool> {
        fields::boolean(report, entry)
    }
    fn write(&self) -> String {
        self.to_string()
    }
    fn words() -> Vec<String> {
        [false, true].map(|value| value.to_string()).into()
    }
}

impl Value for HashTag {
    fn read(report: &mut Report, entry: &Entry) -> Option<HashTag> {
        let tag = fields::text(report, entry).map(HashTag::from_str)?;
        refuse_error(report, entry, tag)
    }
    fn write(&self) -> String {
        // Two bytes that were read as text are text.
        write::text(&String::from_utf8_lossy(&self.marks()))
    }
}

/// Whole numbers; which of them a system takes, its recipe knows.
macro_rules! whole_numbers {
    ($($number:ty),+) => {
        $(impl Value for $number {
            fn read(report: &mut Report, entry: &Entry) -> Option<$number> {
                let number = fields::integer(report, entry, 0, <$number>::MAX.into())?;
                <$number>::try_from(number).ok()
            }
            fn write(&self) -> String {
                self.to_string()
            }
        })+
    };
}
whole_numbers!(u16, u32, u64);

impl Value for String {
    fn read(report: &mut Report, entry: &Entry) -> Option<String> {
        fields::text(report, entry).map(str::to_owned)
    }
    fn write(&self) -> String {
        write::text(self)
    }
}

/// Texts with a grammar of their own.
macro_rules! texts {
    ($($text:ty),+) => {
        $(impl Value for $text {
            fn read(report: &mut Report, entry: &Entry) -> Option<$text> {
                let value = fields::text(report, entry).map(<$text>::from_str)?;
                refuse_error(report, entry, value)
            }
            fn write(&self) -> String {
                write::text(&self.to_string())
            }
        })+
    };
}
texts!(KeyPrefix, SlotRanges, Zone);

/// ε, exactly as it is written.
impl Value for Cap {
    fn read(report: &mut Report, entry: &Entry) -> Option<Cap> {
        epsilon_at(report, entry)
    }
    fn write(&self) -> String {
        decimal(*self)
    }
}

/// A number, or text where it is one that TOML does not promise to keep.
impl Value for cassandra::Token {
    fn read(report: &mut Report, entry: &Entry) -> Option<Self> {
        match entry.value.as_scalar() {
            Some(scalar) if matches!(scalar.kind, ScalarKind::Integer | ScalarKind::Text) => {
                refuse_error(report, entry, scalar.text.replace('_', "").parse())
            }
            _ => {
                fields::wrong_type(report, entry, "a whole number");
                None
            }
        }
    }
    fn write(&self) -> String {
        if self.murmur3().is_some() { self.to_string() } else { write::text(&self.to_string()) }
    }
}

/// Several values: `[1, 2]`.
impl<T: Value> Value for Vec<T> {
    fn read(report: &mut Report, entry: &Entry) -> Option<Self> {
        let node::Value::List(items) = &entry.value.value else {
            fields::wrong_type(report, entry, "a list");
            return None;
        };
        let mut item = entry.clone();
        let read: Vec<Option<T>> = items
            .iter()
            .map(|value| {
                value.clone_into(&mut item.value);
                T::read(report, &item)
            })
            .collect();
        read.into_iter().collect()
    }
    fn write(&self) -> String {
        format!("[{}]", self.iter().map(T::write).collect::<Vec<_>>().join(", "))
    }
}

impl Value for haproxy::HashType {
    fn read(report: &mut Report, entry: &Entry) -> Option<Self> {
        let hash_type = fields::text(report, entry)?.parse();
        refuse_error(report, entry, hash_type)
    }
    fn write(&self) -> String {
        write::text(&self.to_string())
    }
    fn words() -> Vec<String> {
        let mut all = Vec::new();
        for &method in haproxy::Method::ALL {
            all.push(haproxy::HashType::new(method));
            for &function in haproxy::Function::ALL {
                all.extend(
                    [false, true]
                        .map(|avalanche| haproxy::HashType::with_function(method, function, avalanche)),
                );
            }
        }
        all.iter().map(Value::write).collect()
    }
}

/// Numbers with fractions, taken by the recipe digit by digit.
macro_rules! numbers {
    ($($number:ty),+) => {
        $(impl Value for $number {
            fn read(report: &mut Report, entry: &Entry) -> Option<Self> {
                match entry.value.as_scalar() {
                    Some(scalar) if matches!(scalar.kind, ScalarKind::Integer | ScalarKind::Float) => {
                        let number = scalar.text.replace('_', "").parse();
                        refuse_error(report, entry, number)
                    }
                    _ => {
                        fields::wrong_type(report, entry, "a number");
                        None
                    }
                }
            }
            fn write(&self) -> String {
                self.to_string()
            }
        })+
    };
}
numbers!(mcrouter::Weight, trafficserver::Weight);

/// A value for each of some servers or zones: `ids = { web-1 = 101 }`.
impl<K: FromStr<Err = Error> + Display + Ord, T: Value> Value for BTreeMap<K, T> {
    fn read(report: &mut Report, entry: &Entry) -> Option<Self> {
        let node::Value::Map(items) = &entry.value.value else {
            fields::wrong_type(report, entry, "names with values in { }");
            return None;
        };
        // All of them, so that a file hears of all its errors.
        let read: Vec<Option<(K, T)>> = items
            .iter()
            .map(|item| {
                let name = item.key.parse().map_err(|error: Error| {
                    report.error(item.key_span, error.to_string());
                });
                let value = T::read(report, item);
                Some((name.ok()?, value?))
            })
            .collect();
        read.into_iter().collect()
    }
    fn write(&self) -> String {
        let item = |(name, item): (&K, &T)| format!("{} = {}", write::text(&name.to_string()), item.write());
        let items: Vec<String> = self.iter().map(item).collect();
        if items.is_empty() { "{}".to_owned() } else { format!("{{ {} }}", items.join(", ")) }
    }
    fn says_nothing(&self) -> bool {
        self.is_empty()
    }
}

/// One of a few words.
trait Word: FromStr<Err = Error> + Display + Copy + 'static {
    /// All of them.
    fn all() -> &'static [Self];
}

impl<T: Word> Value for T {
    fn read(report: &mut Report, entry: &Entry) -> Option<T> {
        word_at(report, entry, T::all())
    }
    fn write(&self) -> String {
        write::text(&self.to_string())
    }
    fn words() -> Vec<String> {
        T::all().iter().map(Value::write).collect()
    }
}

/// A field of a dialect's options: a value, or one that may be left unsaid where that is not the
/// same as any value.
pub(crate) trait Setting: Sized {
    /// Reads it, or keeps the default if the file does not say.
    fn read(report: &mut Report, fields: &Fields<'_>, key: &str, default: Self) -> Option<Self>;

    /// Its value in TOML, unless that is to say nothing.
    fn write(&self) -> Option<String>;

    /// All values, where they are a few words.
    fn words() -> Vec<String>;
}

impl<T: Value> Setting for T {
    fn read(report: &mut Report, fields: &Fields<'_>, key: &str, default: T) -> Option<T> {
        fields.get(key).map_or(Some(default), |entry| T::read(report, entry))
    }
    fn write(&self) -> Option<String> {
        (!self.says_nothing()).then(|| Value::write(self))
    }
    fn words() -> Vec<String> {
        <T as Value>::words()
    }
}

impl<T: Value> Setting for Option<T> {
    fn read(report: &mut Report, fields: &Fields<'_>, key: &str, default: Self) -> Option<Self> {
        fields.get(key).map_or(Some(default), |entry| T::read(report, entry).map(Some))
    }
    fn write(&self) -> Option<String> {
        self.as_ref().map(Value::write)
    }
    fn words() -> Vec<String> {
        <T as Value>::words()
    }
}

/// The words of a setting, told by its type.
fn words_of<S: Setting>(_: &S) -> Vec<String> {
    S::words()
}

/// Complains of settings for servers that the fleet does not have.
pub(crate) fn refuse_strangers(report: &mut Report, fields: &Fields<'_>, servers: &[ServerEntry]) {
    for entry in fields.entries() {
        let node::Value::Map(items) = &entry.value.value else { continue };
        let zones = entry.key == "locality_weights";
        let known: HashSet<&str> = match zones {
            true => servers.iter().filter_map(|entry| entry.server().zone().map(Zone::as_str)).collect(),
            false => servers.iter().map(|entry| entry.server().name().as_str()).collect(),
        };
        for item in items {
            if !known.contains(item.key.as_str()) {
                let what = if zones { "in the zone" } else { "called" };
                let message =
                    format!("{} speaks of a server {what} {}", ticked(&entry.key), quoted(&item.key));
                report
                    .push(report.error_at(item.key_span, message).with_help("the fleet has no such server"));
            }
        }
    }
}

macro_rules! words {
    ($($word:ty,)+) => {
        $(impl Word for $word {
            fn all() -> &'static [$word] {
                <$word>::ALL
            }
        })+
    };
}

words! {
    cassandra::Partitioner,
    dskit::Hash,
    envoy::HashFunction,
    envoy::Policy,
    guava::Hash,
    haproxy::HashKey,
    kafka::Partitioner,
    lab::Algorithm,
    clockwise::hash::NamedHash,
    libmemcached::Distribution,
    libmemcached::Hash,
    mcrouter::HashFunc,
    npm_hashring::Algorithm,
    npm_hashring::Compatibility,
    php_memcache::Function,
    php_memcache::Strategy,
    php_memcached::Distribution,
    pylibmc::Distribution,
    pylibmc::Hash,
    pymemcache::KeyType,
    spymemcached::Hash,
    spymemcached::KeyFormat,
    spymemcached::Locator,
    thanos::Algorithm,
    trafficserver::Qstring,
    twemproxy::Distribution,
    twemproxy::Hash,
    uhashring::HashFn,
}

macro_rules! dialects {
    ($($name:literal => $variant:ident, $module:ident { $($key:ident)* })+) => {
        /// Every dialect with its keys.
        pub(crate) const DIALECTS: &[Kind] = &[$(($name, &[$(stringify!($key)),*]),)+];

        /// Reads the settings of the dialect of that name.
        pub(crate) fn read(report: &mut Report, fields: &Fields<'_>, name: &str) -> Option<Dialect> {
            match name {
                $($name => {
                    #[allow(unused_mut, reason = "some have no settings")]
                    let mut options = $module::Options::default();
                    // All are read before any is missed, so that a file hears of all its errors.
                    $(let $key =
                        Setting::read(report, fields, stringify!($key), take(&mut options.$key));)*
                    $(options.$key = $key?;)*
                    Some(Dialect::$variant(options))
                })+
                _ => None,
            }
        }

        /// The settings of a dialect: keys with their values in TOML.
        #[allow(unused_variables, reason = "some have no settings")]
        pub(crate) fn settings(dialect: &Dialect) -> Vec<(&'static str, String)> {
            let mut lines = vec![("dialect", write::text(dialect.name()))];
            match dialect {
                $(Dialect::$variant(options) => {
                    $(lines.extend(Setting::write(&options.$key).map(|value| (stringify!($key), value)));)*
                })+
                // The test below holds this list to the library's.
                _ => {}
            }
            lines
        }

        /// The values of a setting of the dialect of that name, in TOML, where they are a few words.
        pub(crate) fn words(name: &str, key: &str) -> Vec<String> {
            match name {
                $($name => {
                    #[allow(unused_variables, reason = "some have no settings")]
                    let default = $module::Options::default();
                    match key {
                        $(stringify!($key) => words_of(&default.$key),)*
                        _ => Vec::new(),
                    }
                })+
                _ => Vec::new(),
            }
        }
    };
}

dialects! {
    "cassandra" => Cassandra, cassandra { partitioner tokens datacenters }
    "couchbase" => Couchbase, couchbase { num_vbuckets vbucket_map }
    "dskit" => Dskit, dskit { hash tokens }
    "elasticsearch" => Elasticsearch, elasticsearch { number_of_routing_shards }
    "envoy" => Envoy, envoy {
        lb_policy minimum_ring_size maximum_ring_size hash_function table_size use_hostname_for_hashing
        hash_keys locality_weights hash_balance_factor
    }
    "gomemcache" => Gomemcache, gomemcache {}
    "grpc" => Grpc, grpc { min_ring_size max_ring_size ring_size_cap hash_keys }
    "guava" => Guava, guava { hash }
    "haproxy" => Haproxy, haproxy { hash_type hash_key ids guids hash_balance_factor }
    "kafka" => Kafka, kafka { partitioner }
    "lab" => Lab, lab { algorithm hash points_per_weight epsilon }
    "libketama" => Libketama, libketama {}
    "libmemcached" => Libmemcached, libmemcached { distribution hash set_after_servers sort_hosts }
    "mcrouter" => Mcrouter, mcrouter { hash_func salt weights }
    "memjs" => Memjs, memjs {}
    "nginx" => Nginx, nginx { consistent }
    "npm-hashring" => NpmHashring, npm_hashring { algorithm compatibility default_port vnode_count }
    "npm-ketama" => NpmKetama, npm_ketama {}
    "npm-memcached" => NpmMemcached, npm_memcached { algorithm compatibility }
    "php-memcache" => PhpMemcache, php_memcache { hash_strategy hash_function }
    "php-memcached" => PhpMemcached, php_memcached { distribution hash libketama_compatible set_after_servers }
    "pingora" => Pingora, pingora { }
    "pylibmc" => Pylibmc, pylibmc { hash ketama ketama_weighted distribution }
    "pymemcache" => Pymemcache, pymemcache { key_type }
    "python-hashring" => PythonHashring, python_hashring {}
    "python-memcached" => PythonMemcached, python_memcached {}
    "redis-cluster" => RedisCluster, redis { replicas slots }
    "spymemcached" => Spymemcached, spymemcached { locator hash key_format weighted }
    "thanos" => Thanos, thanos { algorithm }
    "trafficserver" => Trafficserver, trafficserver { qstring weights hash_strings }
    "twemproxy" => Twemproxy, twemproxy { distribution hash hash_tag }
    "uhashring" => Uhashring, uhashring { hash_fn vnodes }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_can_name_every_dialect_of_the_library() {
        let names: Vec<&str> = DIALECTS.iter().map(|(name, _)| *name).collect();
        assert_eq!(names, Dialect::NAMES);
    }

    #[test]
    fn the_weights_of_mcrouter_are_numbers_from_0_to_1() {
        let read = |weights: &str| {
            let text = format!(
                "version = 1\n[placement]\ndialect = 'mcrouter'\nhash_func = 'WeightedCh3'\nsalt = 'pepper'\n\
                 weights = {weights}\n[[server]]\nname = 'a'\n[[server]]\nname = 'b'\n"
            );
            crate::parse("fleet.toml", text.as_bytes(), &crate::Options::default())
        };
        let written = read("{ b = 0.25, a = 1 }").unwrap().pick(None).unwrap().to_toml();
        assert!(written.contains("salt = \"pepper\"\nweights = { \"a\" = 1, \"b\" = 0.25 }\n"), "{written}");
        let again = crate::parse("again.toml", written.as_bytes(), &crate::Options::default()).unwrap();
        assert_eq!(again.pick(None).unwrap().to_toml(), written);
        for (weights, said) in [
            ("{ a = 1.5 }", "weight 1.5 is not a number from 0 to 1"),
            ("{ a = nan }", "weight NaN is not a number from 0 to 1"),
            ("{ a = '1' }", "`a` takes a number, and `'1'` is text"),
            ("{ c = 1 }", "`weights` speaks of a server called \"c\""),
        ] {
            let error = read(weights).unwrap_err().to_string();
            assert!(error.contains(said), "{weights}: {error}");
        }
    }

    #[test]
    fn what_a_dialect_writes_are_keys_that_it_reads() {
        let servers: String = (1..=3).map(|i| format!("[[server]]\nname = '10.0.0.{i}:11211'\n")).collect();
        for (name, keys) in DIALECTS {
            // A ring of given tokens is nothing without any.
            let tokens = if keys.contains(&"tokens") { "tokens = { '10.0.0.1:11211' = [7] }\n" } else { "" };
            let text = format!("version = 1\n[placement]\ndialect = '{name}'\n{tokens}{servers}");
            let pool = crate::parse("fleet.toml", text.as_bytes(), &crate::Options::default()).unwrap();
            let pool = pool.pick(None).unwrap();
            let clockwise::Scheme::Dialect(dialect) = pool.scheme() else { panic!("{name} is a dialect") };
            let written = settings(dialect);
            assert_eq!(written[0], ("dialect", format!("\"{name}\"")));
            assert!(written[1..].iter().all(|(key, _)| keys.contains(key)), "{written:?}");
            assert!(dialect.to_string().starts_with(name), "{dialect}");
            assert!(pool.scheme().build(pool.servers()).is_ok(), "{name}");
        }
    }
    fn read(placement: &str) -> Result<String, String> {
        let text = format!(
            "version = 1\n[placement]\n{placement}\n[[server]]\nname = 'a'\nzone = 'r1'\n[[server]]\nname = 'b'\n"
        );
        let file = crate::parse("fleet.toml", text.as_bytes(), &crate::Options::default());
        let pool = file.map_err(|error| error.to_string())?.pick(None).map_err(|error| error.to_string())?;
        let built = pool.scheme().build(pool.servers()).map_err(|error| pool.diagnose(&error).to_string());
        built.map(|_| pool.to_toml())
    }

    #[test]
    fn maps_and_tokens_that_are_given_are_written_as_they_were_read() {
        for placement in [
            "dialect = \"redis-cluster\"\nreplicas = 0\nslots = { \"a\" = \"0-99,101-16383\", \"b\" = \"100\" }\n",
            "dialect = \"cassandra\"\npartitioner = \"Murmur3Partitioner\"\ntokens = { \"a\" = \
             [-9223372036854775808, 5], \"b\" = [] }\ndatacenters = { \"b\" = \"eu\" }\n",
            "dialect = \"cassandra\"\npartitioner = \"RandomPartitioner\"\ntokens = { \"a\" = [0, \
             \"170141183460469231731687303715884105728\"] }\n",
            "dialect = \"dskit\"\nhash = \"New32a\"\ntokens = { \"a\" = [0, 4294967295], \"b\" = [3] }\n",
            "dialect = \"couchbase\"\nnum_vbuckets = 64\nvbucket_map = { \"a\" = \"0-62\", \"b\" = \"63\" }\n",
        ] {
            let written = read(placement).unwrap();
            assert!(written.contains(placement), "{written}");
            let settings: crate::Settings = {
                let file = crate::parse("again.toml", written.as_bytes(), &crate::Options::default());
                crate::Settings::of(file.unwrap().pick(None).unwrap().scheme())
            };
            assert_eq!(settings.to_string().parse(), Ok(settings));
        }
    }

    #[test]
    fn maps_and_tokens_that_cannot_be_are_refused_at_their_place() {
        for (placement, said) in [
            (
                "slots = { a = '0-99' }",
                "fleet.toml:2:2: 16284 of 16384 slots have no owner, the first of them 100-16383",
            ),
            ("slots = { a = '9-5' }", "fleet.toml:4:15: range of slots 9-5 ends before it begins"),
            ("slots = { c = '5' }", "fleet.toml:4:11: `slots` speaks of a server called \"c\""),
            ("slots = {}", "16384 of 16384 slots have no owner"),
            ("slots = 'a'", "`slots` takes names with values in { }, and `'a'` is text"),
        ] {
            let error = read(&format!("dialect = 'redis-cluster'\n{placement}")).unwrap_err();
            assert!(error.contains(said), "{placement}: {error}");
        }
        for (placement, said) in [
            (
                "tokens = { a = [1], b = [1] }",
                "fleet.toml:9:8: server \"b\": token 1 of \"a\" is there already",
            ),
            ("tokens = { a = 5 }", "`a` takes a list, and `5` is a whole number"),
            ("tokens = { a = [1.5] }", "fleet.toml:4:17: `a` takes a whole number, and `1.5` is a number"),
            ("tokens = { a = ['x', 0x10] }", "fleet.toml:4:17: token x is not a whole number"),
            ("tokens = { a = ['x', 0x10] }", "fleet.toml:4:22: token 0x10 is not a whole number"),
            ("", "number of points 0 is too small"),
        ] {
            let error = read(&format!("dialect = 'cassandra'\n{placement}")).unwrap_err();
            assert!(error.contains(said), "{placement}: {error}");
        }
    }
}
