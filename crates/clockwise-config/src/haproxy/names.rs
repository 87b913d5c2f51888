//! HAProxy's keywords: those of 2.6 as `haproxy -dKcfg` lists them, and those that came later.

use std::collections::HashSet;
use std::sync::OnceLock;

/// Words of a server that stand alone and place nothing.
const ALONE: &str = "
    agent-check allow-0rtt check check-send-proxy check-ssl check-via-socks4 force-sslv3 force-tlsv10
    force-tlsv11 force-tlsv12 force-tlsv13 no-agent-check no-check no-check-send-proxy no-check-ssl
    no-send-proxy no-send-proxy-v2 no-send-proxy-v2-ssl no-send-proxy-v2-ssl-cn no-ssl no-ssl-reuse no-sslv3
    no-tfo no-tls-tickets no-tlsv10 no-tlsv11 no-tlsv12 no-tlsv13 non-stick send-proxy send-proxy-v2
    send-proxy-v2-ssl send-proxy-v2-ssl-cn ssl ssl-reuse stick tfo tls-tickets
    check-reuse-pool no-check-reuse-pool no-renegotiate renegotiate strict-maxconn";

/// Words of a server that take a word and place nothing.
const WITH_ONE: &str = "
    addr agent-addr agent-inter agent-port agent-send alpn ca-file check-alpn check-proto check-sni ciphers
    ciphersuites cookie crl-file crt downinter error-limit fall fastinter init-addr inter log-proto
    max-reuse maxconn maxqueue minconn namespace npn observe on-error on-marked-down on-marked-up
    pool-low-conn pool-max-conn pool-purge-delay port proto proxy-v2-options redir resolve-net resolve-opts
    resolve-prefer resolvers rise slowstart sni socks4 ssl-max-ver ssl-min-ver tcp-ut track verify
    verifyhost ws
    agent-proto cc check-pool-conn-name client-sigalgs curves idle-ping init-state ktls log-bufsize
    pool-conn-name set-proxy-v2-tlv-fmt sigalgs tcp-md5sig";

/// Words that begin a section in which servers are no fleet.
pub(super) const OTHER_SECTIONS: &[&str] = &[
    "acme",
    "cache",
    "crt-store",
    "fcgi-app",
    "frontend",
    "global",
    "http-errors",
    "log-forward",
    "log-profile",
    "mailers",
    "peers",
    "program",
    "resolvers",
    "ring",
    "traces",
    "userlist",
];

/// Words of proxies that place nothing here.
const OF_PROXIES: &str = "
    acl backlog bind bind-process capture clitcpka-cnt clitcpka-idle clitcpka-intvl compression cookie
    declare default_backend description dispatch email-alert enabled errorfile errorfiles errorloc errorloc302
    errorloc303 external-check filter force-be-switch force-persist fullconn guid hash-preserve-affinity
    http-after-response http-check http-error http-request http-response http-reuse http-send-name-header
    id ignore-persist load-server-state-from-file log log-format log-format-sd log-steps log-tag
    max-keep-alive-queue max-session-srv-conns maxconn monitor monitor-uri option persist
    quic-initial rate-limit redirect retries retry-on server-state-file-name source srvtcpka-cnt
    srvtcpka-idle srvtcpka-intvl stats stick-table tcp-check tcp-request tcp-response timeout
    transparent unique-id-format unique-id-header use_backend use-fcgi-app";

/// Words of proxies that 2.6 has no more, and refuses.
const REMOVED: &str = "
    appsession block clitimeout contimeout grace monitor-net redisp redispatch reqadd reqallow reqdel
    reqdeny reqiallow reqidel reqideny reqipass reqirep reqitarpit reqpass reqrep reqsetbe reqtarpit
    rspadd rspdel rspdeny rspidel rspideny rspirep rsprep srvtimeout";

fn set(list: &'static str, cell: &'static OnceLock<HashSet<&'static str>>) -> &'static HashSet<&'static str> {
    cell.get_or_init(|| list.split_ascii_whitespace().collect())
}

/// How many words follow one of a server that places nothing.
pub(super) fn follow(word: &str) -> Option<usize> {
    static NONE: OnceLock<HashSet<&str>> = OnceLock::new();
    static ONE: OnceLock<HashSet<&str>> = OnceLock::new();
    if set(ALONE, &NONE).contains(word) {
        Some(0)
    } else if set(WITH_ONE, &ONE).contains(word) {
        Some(1)
    } else {
        None
    }
}

/// All words of a server, for whoever misspelt one.
pub(super) fn of_servers() -> impl Iterator<Item = &'static str> {
    let own = ["backup", "disabled", "enabled", "guid", "hash-key", "id", "no-backup", "source", "weight"];
    own.into_iter().chain(ALONE.split_ascii_whitespace()).chain(WITH_ONE.split_ascii_whitespace())
}

pub(super) fn is_of_proxies(word: &str) -> bool {
    static ALL: OnceLock<HashSet<&str>> = OnceLock::new();
    set(OF_PROXIES, &ALL).contains(word)
}

pub(super) fn of_proxies() -> impl Iterator<Item = &'static str> {
    let own = ["balance", "default-server", "disabled", "hash-balance-factor", "hash-type", "mode", "server"];
    let more = ["server-template", "stick", "use-server"];
    own.into_iter().chain(more).chain(OF_PROXIES.split_ascii_whitespace())
}

pub(super) fn is_removed(word: &str) -> bool {
    static ALL: OnceLock<HashSet<&str>> = OnceLock::new();
    set(REMOVED, &ALL).contains(word)
}
