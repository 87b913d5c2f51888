//! Which servers nginx tries for a key, and in which order, when none of them answers.

use clockwise::dialect::nginx::{Options, RoundRobin};
use clockwise::{Buckets, Server, ServerIx};

use crate::http::Proxy;
use crate::score::Score;

/// Servers in the order of the file: address, weight, and whether it is `down`. Nothing listens on
/// port 1 of the loopback addresses.
type Fleet = Vec<(String, u32, bool)>;

fn fleets() -> Vec<Fleet> {
    let at = |number: u32, weight: u32, down: bool| (format!("127.0.1.{number}:1"), weight, down);
    vec![
        (1..=5).map(|number| at(number, 1, false)).collect(),
        (1..=4).map(|number| at(number, number, false)).collect(),
        (1..=9).map(|number| at(number, number % 3 + 1, number % 4 == 2)).collect(),
        // Half of the points lead to servers that are down, and the hash is often given up.
        (1..=6).map(|number| at(number, if number % 2 == 0 { 9 } else { 1 }, number % 2 == 0)).collect(),
        vec![
            ("unix:/nonexistent/a.sock".to_owned(), 2, false),
            ("[::1]:1".to_owned(), 1, false),
            ("127.0.1.77:1".to_owned(), 3, false),
        ],
        vec![at(1, 40_000, false), at(2, 1, false), at(3, 1, false)],
    ]
}

/// 200 keys as they stand in a request.
fn keys() -> Vec<String> {
    let mut keys: Vec<String> = (0..100).map(|i| format!("user:{i}")).collect();
    keys.extend((0..60_u32).map(|i| format!("{:08x}", i.wrapping_mul(0x9e37_79b9))));
    keys.extend((0..30).map(|i| format!("gr%C3%B6%C3%9Fe/{i}")));
    keys.extend((0..10).map(|i| format!("{i:0>250}")));
    keys
}

fn settings(options: Options, prefix: &str, fleet: &Fleet) -> String {
    let servers: Vec<String> = fleet
        .iter()
        .map(|(address, weight, down)| {
            format!("server {address} weight={weight} max_fails=0{};", if *down { " down" } else { "" })
        })
        .collect();
    let consistent = if options.consistent { " consistent" } else { "" };
    format!(
        "daemon off; master_process off; pid pid; error_log stderr crit; events {{}}
http {{
    access_log off; keepalive_requests 100000; client_body_temp_path t1; proxy_temp_path t2;
    fastcgi_temp_path t3; uwsgi_temp_path t4; scgi_temp_path t5;
    upstream up {{ hash \"{prefix}$arg_k\"{consistent}; {} }}
    server {{
        listen unix:listen;
        location / {{ proxy_pass http://up; add_header X-Tried $upstream_addr always; }}
    }}
}}",
        servers.join(" ")
    )
}

#[test]
#[ignore = "starts the real nginx: cargo xtask live"]
fn servers_are_tried_in_the_order_we_name() {
    let version = Proxy::version("nginx", "-v").expect("nginx is installed by cargo xtask packages");
    let mut score = Score::new("nginx", version);
    for (number, fleet) in fleets().into_iter().enumerate() {
        // What stands before the variable is a prefix of all keys.
        let prefix = ["", "app:", "{a \"b\\c"][number % 3];
        let quoted = prefix.replace('\\', "\\\\").replace('"', "\\\"");
        let servers = fleet.iter().map(|(address, weight, down)| {
            let server = Server::new(address.as_str()).and_then(|server| server.with_weight(*weight));
            let server = server.expect("a server");
            if *down { server.draining() } else { server }
        });
        let list = Buckets::new(servers).expect("a fleet");
        for options in [Options { consistent: false }, Options { consistent: true }] {
            // Of the fleet that shows where fifteen bits end, a ring would have six million points.
            if options.consistent && list.total_weight() > 1_000 {
                continue;
            }
            let upstream = options.build(&list).expect("an upstream");
            let proxy =
                Proxy::start("nginx", &["-p", ".", "-c", "conf"], &settings(options, &quoted, &fleet));
            let proxy = proxy.expect("nginx");
            let mut client = proxy.connect().expect("a connection");
            let mut turns = RoundRobin::new(&upstream);
            for key in keys() {
                let tried = client.get(&format!("/?k={key}"), "", "x-tried").expect("an answer");
                let whole = format!("{prefix}{key}");
                let mut ours: Vec<ServerIx> = upstream.attempts(&whole).collect();
                while let Some(next) = turns.next(&ours) {
                    ours.push(next);
                }
                let ours: Vec<&str> =
                    ours.into_iter().map(|ix| list.servers()[ix.index()].name().as_str()).collect();
                score.answer(&tried, &ours.join(", "), || format!("{options}, {whole}"));
            }
        }
    }
    score.close(2_200);
}
