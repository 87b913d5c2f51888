//! How a cluster chooses among its hosts.

use clockwise::dialect::envoy::{HashFunction, MAX_RING_SIZE, MAX_TABLE_SIZE, Options, Policy};

use super::proto::{self, Message, any_type};
use crate::diagnostic::{Diagnostic, ticked};
use crate::fleet::SettingPlace;
use crate::node::Entry;
use crate::report::Report;
use crate::source::Span;

/// What a cluster says of how hosts are chosen. `placed` is a policy that hashes, or why there is none.
pub(super) struct Chosen {
    pub(super) placed: Result<Hashing, Diagnostic>,
    pub(super) settings: Vec<SettingPlace>,
    /// In per cent: with fewer healthy hosts all are taken.
    pub(super) panic_threshold: u64,
}

/// A policy that hashes.
pub(super) struct Hashing {
    /// Without what the hosts say.
    pub(super) options: Options,
    /// Where weights of localities are asked for, if they are.
    pub(super) locality_weighted: Option<Span>,
    /// Where hostnames are asked for, if they are.
    pub(super) by_hostname: Option<Span>,
}

const COMMON: &[&str] = &[
    "healthy_panic_threshold",
    "zone_aware_lb_config",
    "locality_weighted_lb_config",
    "update_merge_window",
    "ignore_new_hosts_until_first_hc",
    "close_connections_on_host_set_change",
    "consistent_hashing_lb_config",
    "override_host_status",
];

const PERCENT: u64 = 50;

/// Reads all of a cluster that decides the policy. Nothing, if it is refused.
pub(super) fn of(report: &mut Report, cluster: &Message<'_>) -> Option<Chosen> {
    let mut reader = Reader {
        settings: Vec::new(),
        options: Options::default(),
        locality_weighted: None,
        by_hostname: None,
    };
    let common = cluster.message(report, "common_lb_config");
    let mut panic_threshold = PERCENT;
    if let Some(common) = &common {
        common.only(report, COMMON);
        if let Some(percent) = common.message(report, "healthy_panic_threshold") {
            panic_threshold = threshold(report, &percent)?;
        }
    }
    let placed = match cluster.get("load_balancing_policy") {
        Some(entry) => reader.typed(report, cluster, entry, common.as_ref())?,
        None => reader.by_name(report, cluster, common.as_ref())?,
    };
    let placed = match subsets(report, cluster)? {
        Some(reason) if placed.is_ok() => Err(reason),
        _ => placed,
    };
    let Reader { settings, options, locality_weighted, by_hostname } = reader;
    let placed = placed.map(|()| Hashing { options, locality_weighted, by_hostname });
    Some(Chosen { placed, settings, panic_threshold })
}

/// A percentage, rounded.
fn threshold(report: &mut Report, percent: &Message<'_>) -> Option<u64> {
    percent.only(report, &["value"]);
    let Some(entry) = percent.get("value") else { return Some(0) };
    let value = entry.value.as_scalar().and_then(|scalar| scalar.text.parse::<f64>().ok());
    match value.filter(|value| (0.0..=100.0).contains(value)) {
        Some(value) => Some(value.round() as u64),
        None => {
            let this = crate::fields::shown(report, &entry.value);
            report.error(
                entry.place(),
                format!("`healthy_panic_threshold` goes from 0 to 100, and not to {this}"),
            );
            None
        }
    }
}

/// Subsets: hosts are chosen by what a request says of them first.
fn subsets(report: &mut Report, cluster: &Message<'_>) -> Option<Option<Diagnostic>> {
    let Some(entry) = cluster.get("lb_subset_config") else { return Some(None) };
    let config = cluster.message(report, "lb_subset_config")?;
    if config.items("subset_selectors").is_empty() {
        return Some(None);
    }
    let message = format!(
        "{} has subsets: {} makes a placement of each, and requests choose",
        cluster.what,
        ticked(&entry.key)
    );
    Some(Some(report.error_at(entry.key_span, message)))
}

struct Reader {
    settings: Vec<SettingPlace>,
    options: Options,
    locality_weighted: Option<Span>,
    by_hostname: Option<Span>,
}

/// Why there is no placement, or nothing if there is one.
type Placed = Result<(), Diagnostic>;

impl Reader {
    fn set(&mut self, key: &str, text: String, entry: &Entry) {
        self.settings.push(SettingPlace { key: key.to_owned(), text, span: entry.place() });
    }

    /// A whole number of the options, if it is set.
    fn number(
        &mut self,
        report: &mut Report,
        config: &Message<'_>,
        key: &str,
        most: u64,
    ) -> Option<Option<u64>> {
        let Some(entry) = config.get(key) else { return Some(None) };
        let number = proto::number(report, entry, 0, most)?;
        self.set(key, number.to_string(), entry);
        Some(Some(number))
    }

    /// `lb_policy` and the `…_lb_config` that goes with it.
    fn by_name(
        &mut self,
        report: &mut Report,
        cluster: &Message<'_>,
        common: Option<&Message<'_>>,
    ) -> Option<Placed> {
        const WORDS: &[(&str, u64, &str)] = &[
            ("ROUND_ROBIN", 0, "ROUND_ROBIN"),
            ("LEAST_REQUEST", 1, "LEAST_REQUEST"),
            ("RING_HASH", 2, "RING_HASH"),
            ("RANDOM", 3, "RANDOM"),
            ("MAGLEV", 5, "MAGLEV"),
            ("CLUSTER_PROVIDED", 6, "CLUSTER_PROVIDED"),
            ("LOAD_BALANCING_POLICY_CONFIG", 7, "LOAD_BALANCING_POLICY_CONFIG"),
        ];
        let Some(entry) = cluster.get("lb_policy") else {
            let message = format!(
                "{} has no `lb_policy` and so ROUND_ROBIN, which places nothing: hosts take turns",
                cluster.what
            );
            return Some(Err(report.error_at(cluster.span, message)));
        };
        let name = proto::word(report, entry, WORDS)?;
        self.set("lb_policy", name.to_owned(), entry);
        match name {
            "CLUSTER_PROVIDED" => {
                let message = format!(
                    "{}: lb_policy CLUSTER_PROVIDED is the own choice of a type of cluster",
                    cluster.what
                );
                return Some(Err(report.error_at(entry.place(), message)));
            }
            "LOAD_BALANCING_POLICY_CONFIG" => {
                let message =
                    format!("{} has the lb_policy {name} and no `load_balancing_policy`", cluster.what);
                report.error(entry.place(), message);
                return None;
            }
            _ => {}
        }
        match name.parse::<Policy>() {
            Ok(policy) => self.options.lb_policy = policy,
            Err(error) => {
                return Some(Err(report.error_at(entry.place(), format!("{}: {error}", cluster.what))));
            }
        }
        if self.options.lb_policy == Policy::Maglev {
            if let Some(config) = cluster.message(report, "maglev_lb_config") {
                config.only(report, &["table_size"]);
                self.table(report, &config)?;
            }
        } else if let Some(config) = cluster.message(report, "ring_hash_lb_config") {
            config.only(report, &["minimum_ring_size", "hash_function", "maximum_ring_size"]);
            const FUNCTIONS: &[(&str, u64, HashFunction)] =
                &[("XX_HASH", 0, HashFunction::XxHash), ("MURMUR_HASH_2", 1, HashFunction::MurmurHash2)];
            self.ring(report, &config, FUNCTIONS)?;
        }
        if let Some(common) = common {
            if let (Some(zones), Some(weights)) =
                (common.get("zone_aware_lb_config"), common.get("locality_weighted_lb_config"))
            {
                let message = format!(
                    "{} and {} are both set, and one can be",
                    ticked(&weights.key),
                    ticked(&zones.key)
                );
                report
                    .push(report.error_at(weights.key_span, message).with_also(zones.key_span, "the other"));
                return None;
            }
            self.locality_weighted(common);
            self.consistent(report, common)?;
        }
        Some(Ok(()))
    }

    fn locality_weighted(&mut self, config: &Message<'_>) {
        self.locality_weighted = config.get("locality_weighted_lb_config").map(|entry| entry.key_span);
    }

    fn ring(
        &mut self,
        report: &mut Report,
        config: &Message<'_>,
        functions: &[(&str, u64, HashFunction)],
    ) -> Option<()> {
        let most = u64::from(MAX_RING_SIZE);
        // All three, so that a file hears of all its errors.
        let minimum = self.number(report, config, "minimum_ring_size", most);
        let maximum = self.number(report, config, "maximum_ring_size", most);
        if let Some(entry) = config.get("hash_function") {
            self.options.hash_function = proto::word(report, entry, functions)?;
            self.set("hash_function", self.options.hash_function.to_string(), entry);
        }
        if let Some(size) = minimum? {
            self.options.minimum_ring_size = size as u32;
        }
        if let Some(size) = maximum? {
            self.options.maximum_ring_size = size as u32;
        }
        Some(())
    }

    fn table(&mut self, report: &mut Report, config: &Message<'_>) -> Option<()> {
        if let Some(size) = self.number(report, config, "table_size", MAX_TABLE_SIZE)? {
            self.options.table_size = size;
        }
        Some(())
    }

    /// `consistent_hashing_lb_config` of a message.
    fn consistent(&mut self, report: &mut Report, config: &Message<'_>) -> Option<()> {
        let Some(config) = config.message(report, "consistent_hashing_lb_config") else { return Some(()) };
        config.only(report, &["use_hostname_for_hashing", "hash_balance_factor", "hash_policy"]);
        self.hosts_and_load(report, &config)
    }

    fn hosts_and_load(&mut self, report: &mut Report, config: &Message<'_>) -> Option<()> {
        if let Some(entry) = config.get("use_hostname_for_hashing")
            && proto::boolean(report, entry)?
        {
            self.by_hostname = Some(entry.key_span);
            self.options.use_hostname_for_hashing = true;
            self.set("use_hostname_for_hashing", "true".to_owned(), entry);
        }
        if let Some(entry) = config.get("hash_balance_factor") {
            self.options.hash_balance_factor = proto::number(report, entry, 100, u32::MAX.into())? as u32;
            self.set("hash_balance_factor", self.options.hash_balance_factor.to_string(), entry);
        }
        Some(())
    }

    /// `load_balancing_policy`: the first of its policies that Envoy knows. It goes before `lb_policy`.
    fn typed(
        &mut self,
        report: &mut Report,
        cluster: &Message<'_>,
        entry: &Entry,
        common: Option<&Message<'_>>,
    ) -> Option<Placed> {
        for field in ["zone_aware_lb_config", "locality_weighted_lb_config", "consistent_hashing_lb_config"] {
            if let Some(set) = common.and_then(|common| common.get(field)) {
                let message = format!(
                    "{} of `common_lb_config` cannot stand beside `load_balancing_policy`",
                    ticked(&set.key)
                );
                let help = "set it in the policy's own configuration";
                report.push(
                    report.error_at(set.key_span, message).with_help(help).with_also(entry.key_span, "here"),
                );
                return None;
            }
        }
        if let Some(old) = cluster.get("lb_policy")
            && old
                .value
                .as_scalar()
                .is_some_and(|s| !s.text.eq_ignore_ascii_case("LOAD_BALANCING_POLICY_CONFIG"))
        {
            let this = crate::fields::shown(report, &old.value);
            let message = format!(
                "{}: lb_policy {this} counts for nothing beside `load_balancing_policy`",
                cluster.what
            );
            report.push(report.warning_at(old.place(), message));
        }
        let policies = cluster.message(report, "load_balancing_policy")?;
        policies.only(report, &["policies"]);
        for node in policies.items("policies") {
            let policy = Message::of(report, node, "a policy".to_owned(), entry.key_span)?;
            policy.only(report, &["typed_extension_config"]);
            let Some(extension) = policy.message(report, "typed_extension_config") else { continue };
            let Some(config) = extension.get("typed_config") else { continue };
            let Some(mut kind) = any_type(&config.value) else {
                let message =
                    format!("{} of a policy of {} has no `@type`", ticked(&config.key), cluster.what);
                report.error(config.key_span, message);
                return None;
            };
            let mut place = super::type_place(super::map(&config.value), config.key_span);
            let mut fields = Message::of(report, &config.value, ticked(kind), config.key_span)?;
            let mut known = vec!["@type"];
            if matches!(kind, "xds.type.v3.TypedStruct" | "udpa.type.v1.TypedStruct") {
                // A message whose type Envoy need not know.
                let Some(url) = fields.get("type_url") else { continue };
                let Some(name) = url.value.as_scalar() else { continue };
                place = url.place();
                kind = name.text.rsplit('/').next().unwrap_or("");
                known.clear();
                match fields.get("value") {
                    Some(value) => fields = Message::of(report, &value.value, ticked(kind), value.key_span)?,
                    None => continue,
                }
                if !kind.starts_with(EXTENSIONS) {
                    continue;
                }
            }
            let fields = fields.called(ticked(kind), place);
            return self.extension(report, cluster, kind, &fields, known);
        }
        let message = format!("{} of {} has no policy that Envoy knows", ticked(&entry.key), cluster.what);
        report.error(entry.key_span, message);
        None
    }

    fn extension(
        &mut self,
        report: &mut Report,
        cluster: &Message<'_>,
        kind: &str,
        config: &Message<'_>,
        mut known: Vec<&str>,
    ) -> Option<Placed> {
        self.settings.push(SettingPlace {
            key: "lb_policy".to_owned(),
            text: kind.to_owned(),
            span: config.span,
        });
        let reason = match kind.strip_prefix(EXTENSIONS) {
            Some("ring_hash.v3.RingHash") => {
                known.extend([
                    "hash_function",
                    "minimum_ring_size",
                    "maximum_ring_size",
                    "use_hostname_for_hashing",
                    "hash_balance_factor",
                    "consistent_hashing_lb_config",
                    "locality_weighted_lb_config",
                ]);
                config.only(report, &known);
                const FUNCTIONS: &[(&str, u64, HashFunction)] = &[
                    ("DEFAULT_HASH", 0, HashFunction::XxHash),
                    ("XX_HASH", 1, HashFunction::XxHash),
                    ("MURMUR_HASH_2", 2, HashFunction::MurmurHash2),
                ];
                self.options.lb_policy = Policy::RingHash;
                self.ring(report, config, FUNCTIONS)?;
                // The message's own two are there still; the newer ones beside them win.
                if config.get("consistent_hashing_lb_config").is_none() {
                    self.hosts_and_load(report, config)?;
                }
                None
            }
            Some("maglev.v3.Maglev") => {
                known.extend(["table_size", "consistent_hashing_lb_config", "locality_weighted_lb_config"]);
                config.only(report, &known);
                self.options.lb_policy = Policy::Maglev;
                self.table(report, config)?;
                None
            }
            Some("round_robin.v3.RoundRobin") => Some("places nothing: hosts take turns"),
            Some("random.v3.Random") => Some("places nothing: every request goes to some host or other"),
            Some("least_request.v3.LeastRequest") => Some("places nothing: the load decides"),
            Some("subset.v3.Subset") => Some("makes a placement of each subset, and requests choose"),
            Some("override_host.v3.OverrideHost") => Some("lets requests name their host"),
            Some(_) => Some("places nothing that the file says"),
            None => {
                let message =
                    format!("{} has a policy that Envoy does not know: {}", cluster.what, ticked(kind));
                report.error(config.span, message);
                return None;
            }
        };
        if let Some(reason) = reason {
            let message = format!("{}: {} {reason}", cluster.what, ticked(kind));
            return Some(Err(report.error_at(config.span, message)));
        }
        self.locality_weighted(config);
        self.consistent(report, config)?;
        Some(Ok(()))
    }
}

const EXTENSIONS: &str = "envoy.extensions.load_balancing_policies.";
