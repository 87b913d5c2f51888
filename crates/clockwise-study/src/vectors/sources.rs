//! Where the rule of each scheme and dialect comes from, and how it is known.

use clockwise::catalogue;

/// What people call a system.
pub(super) fn title(name: &str) -> &str {
    let catalogued = catalogue::find(name).map(|scheme| scheme.title);
    entry(name).map(|entry| entry.title).or(catalogued).unwrap_or(name)
}

/// A published rule; the rest is ours.
fn published(title: &str, paper: &str) -> String {
    format!("{paper}; hashes, labels and ties are Clockwise's own {title}, frozen since version 0.1.0")
}

/// Where the rule of a system comes from, and how it is known.
pub(super) fn source(name: &str) -> String {
    if let Some(scheme) = catalogue::find(name) {
        return published(scheme.title, scheme.paper);
    }
    match entry(name) {
        Some(Entry { title, source: Source::Paper(paper), .. }) => published(title, paper),
        Some(Entry { title, source: Source::Recorded(version, folder), .. }) => format!(
            "{title} {version}: computed by Clockwise, which gives every answer that was recorded from that program (vectors/{folder})"
        ),
        Some(Entry { title, source: Source::Partly(version, folder, source), .. }) => format!(
            "{title} {version}: computed by Clockwise, which gives every answer that was recorded from it (vectors/{folder}); {source}"
        ),
        Some(Entry { title, source: Source::Read(what), .. }) => {
            format!(
                "{title}, {what}: computed by Clockwise from its source; nothing was compared with the running program"
            )
        }
        None => format!("Clockwise's recipe of {name}: docs/dialects.md says how it was established"),
    }
}

struct Entry {
    name: &'static str,
    title: &'static str,
    source: Source,
}

/// How a rule is known.
enum Source {
    /// Published; the rest is ours.
    Paper(&'static str),
    /// The program ran: its version, and the folder of its answers.
    Recorded(&'static str, &'static str),
    /// The program did not run: what was read.
    Read(&'static str),
    /// The same as recorded, and what was only read.
    Partly(&'static str, &'static str, &'static str),
}

fn entry(name: &str) -> Option<&'static Entry> {
    ENTRIES.iter().find(|entry| entry.name == name)
}

const KARGER: &str = "Karger and others, Consistent Hashing and Random Trees, STOC 1997, section 4";

const ENTRIES: &[Entry] = &[
    Entry {
        name: "mod-n",
        title: "hash mod N",
        source: Source::Paper("the hash modulo the number of buckets"),
    },
    Entry { name: "ring", title: "ring", source: Source::Paper(KARGER) },
    Entry {
        name: "rendezvous",
        title: "rendezvous",
        source: Source::Paper(
            "Thaler and Ravishankar, Using Name-Based Mappings to Increase Hit Rates, 1998; weights: Schindelhauer and Schomaker, Weighted Distributed Hash Tables, SPAA 2005",
        ),
    },
    Entry {
        name: "jump",
        title: "jump",
        source: Source::Paper(
            "Lamping and Veach, A Fast, Minimal Memory, Consistent Hash Algorithm, 2014, figure 1",
        ),
    },
    Entry {
        name: "maglev",
        title: "Maglev",
        source: Source::Paper(
            "Eisenbud and others, Maglev: A Fast and Reliable Software Network Load Balancer, NSDI 2016, section 3.4; weights by Envoy's turns",
        ),
    },
    Entry {
        name: "slots",
        title: "slots",
        source: Source::Paper("the Redis Cluster specification, for the slot of a key"),
    },
    Entry {
        name: "bounded",
        title: "bounded loads",
        source: Source::Paper(
            "Mirrokni, Thorup and Zadimoghaddam, Consistent Hashing with Bounded Loads, SODA 2018",
        ),
    },
    Entry {
        name: "cassandra",
        title: "Cassandra",
        source: Source::Recorded("4.0-rc1 and the Python driver 3.30.1", "cassandra"),
    },
    Entry {
        name: "couchbase",
        title: "Couchbase",
        source: Source::Read("the rule from key to vBucket of two official clients"),
    },
    Entry {
        name: "dskit",
        title: "dskit",
        source: Source::Partly(
            "commit 06829887f955, its token generator",
            "dskit",
            "the ring and its hashes from their source only",
        ),
    },
    Entry { name: "redis-cluster", title: "Redis Cluster", source: Source::Recorded("7.0.15", "redis") },
    Entry {
        name: "thanos",
        title: "Thanos Receive",
        source: Source::Read("pkg/receive/hashring.go of 2025"),
    },
    Entry {
        name: "elasticsearch",
        title: "Elasticsearch",
        source: Source::Partly(
            "with Lucene 8.7.0",
            "elasticsearch",
            "from hash to shard from its source only",
        ),
    },
    Entry { name: "envoy", title: "Envoy", source: Source::Recorded("1.40.0", "envoy") },
    Entry {
        name: "gomemcache",
        title: "gomemcache",
        source: Source::Recorded("commit 8d39553", "gomemcache"),
    },
    Entry { name: "grpc", title: "gRPC", source: Source::Recorded("C-core 1.85.3", "grpc") },
    Entry { name: "guava", title: "Guava", source: Source::Recorded("31.1", "guava") },
    Entry {
        name: "haproxy",
        title: "HAProxy",
        source: Source::Partly(
            "2.6.12 (3.5-dev5 for hash-key)",
            "haproxy",
            "the function none from its source only",
        ),
    },
    Entry {
        name: "kafka",
        title: "Kafka",
        source: Source::Recorded("producers, librdkafka 2.16.0", "kafka"),
    },
    Entry {
        name: "lab",
        title: "lab",
        source: Source::Paper("ring, bounded loads and rendezvous on readable texts (vectors/lab)"),
    },
    Entry { name: "libketama", title: "libketama", source: Source::Recorded("commit 18cf9a7", "libketama") },
    Entry { name: "libmemcached", title: "libmemcached", source: Source::Recorded("1.1.4", "libmemcached") },
    Entry {
        name: "mcrouter",
        title: "mcrouter",
        source: Source::Partly(
            "commit 9d7f43422b85",
            "mcrouter",
            "WeightedCh3 from the values of its own test, the routing key and the salt from its source only",
        ),
    },
    Entry { name: "memjs", title: "memjs", source: Source::Recorded("1.3.2", "npm") },
    Entry { name: "nginx", title: "nginx", source: Source::Recorded("1.22.1", "nginx") },
    Entry { name: "npm-hashring", title: "hashring of npm", source: Source::Recorded("3.2.0", "npm") },
    Entry { name: "npm-ketama", title: "ketama of npm", source: Source::Recorded("1.0.0", "npm") },
    Entry { name: "npm-memcached", title: "memcached of npm", source: Source::Recorded("2.2.2", "npm") },
    Entry { name: "php-memcache", title: "PHP Memcache", source: Source::Recorded("4.0.5.2", "php") },
    Entry { name: "php-memcached", title: "PHP Memcached", source: Source::Recorded("3.2.0", "php") },
    Entry { name: "pingora", title: "pingora-ketama", source: Source::Recorded("0.9.1", "pingora") },
    Entry { name: "pylibmc", title: "pylibmc", source: Source::Recorded("1.6.3", "python") },
    Entry { name: "pymemcache", title: "pymemcache", source: Source::Recorded("4.0.0", "python") },
    Entry { name: "python-hashring", title: "hashring of PyPI", source: Source::Recorded("1.5.1", "python") },
    Entry { name: "python-memcached", title: "python-memcached", source: Source::Recorded("1.62", "python") },
    Entry { name: "spymemcached", title: "spymemcached", source: Source::Recorded("2.12.3", "spymemcached") },
    Entry {
        name: "trafficserver",
        title: "Apache Traffic Server",
        source: Source::Recorded("9.2.9", "trafficserver"),
    },
    Entry { name: "twemproxy", title: "twemproxy", source: Source::Recorded("0.5.0", "twemproxy") },
    Entry { name: "uhashring", title: "uhashring", source: Source::Recorded("2.5", "python") },
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vectors::names;

    #[test]
    fn every_scheme_and_dialect_says_where_it_comes_from() {
        for name in names().filter(|name| *name != "hash") {
            assert!(
                entry(name).is_some() || catalogue::find(name).is_some(),
                "{name} has no line in this file"
            );
            assert!(source(name).contains(title(name)), "{name}");
        }
    }

    #[test]
    fn folders_of_recorded_answers_are_there() {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors");
        for entry in ENTRIES {
            if let Source::Recorded(_, folder) | Source::Partly(_, folder, _) = entry.source {
                assert!(root.join(folder).join("README.md").is_file(), "{folder}");
            }
        }
    }
}
