//! Each kind of change: what it moves, and the sentence that says so.

use std::collections::BTreeMap;
use std::fs;

use serde_json::{Value, json};

use super::{FLEET, KEYS, Run, TWEMPROXY, assert_has, file, fleet, numbered, pool, run};

fn plan(fleet: &str, change: &[&str]) -> Run {
    run(["plan", fleet].iter().chain(change).chain(&["--keys", KEYS]))
}

/// The first paragraph.
fn sentence(fleet: &str, change: &[&str]) -> String {
    plan(fleet, change).fine().lines().next().unwrap().to_owned()
}

/// The paragraphs between the sentence and the first table.
fn hints(fleet: &str, change: &[&str]) -> Vec<String> {
    let text = plan(fleet, change).fine();
    let (head, _) = text.split_once("\nWhat moves\n").unwrap();
    head.lines().skip(1).filter(|line| !line.is_empty()).map(str::to_owned).collect()
}

/// What the keys carry left out, so that a sentence can be read at a glance.
fn without_requests(sentence: &str) -> String {
    let (before, after) = sentence.split_once("; ").map_or((sentence, ""), |(a, _)| (a, "."));
    format!("{before}{after}")
}

#[test]
fn each_change_is_said_in_a_sentence_of_its_own() {
    for (change, said) in [
        (
            &["--remove", "cache-2"][..],
            "Removing cache-2 moves 3,112 of 20,000 keys (15.56%, where the weights call for 14.29%), all of them from cache-2.",
        ),
        (
            &["--weight", "cache-2=3"],
            "Giving cache-2 the weight 3 moves 3,855 of 20,000 keys (19.28%, where the weights call for 19.05%), all of them to cache-2.",
        ),
        (
            &["--weight", "cache-5=0"],
            "Draining cache-5 moves 5,799 of 20,000 keys (28.99%, where the weights call for 28.57%), all of them from cache-5.",
        ),
        (
            &["--address", "cache-1=10.9.9.9:11211"],
            "Giving cache-1 the address 10.9.9.9:11211 moves nothing: of 20,000 keys each stays where it is.",
        ),
        (
            &["--remove", "cache-2", "--remove", "cache-4"],
            "Removing cache-2, then removing cache-4 moves 8,566 of 20,000 keys (42.83%, where the weights call for 42.86%), each off a server whose share falls to one whose share rises.",
        ),
    ] {
        assert_eq!(without_requests(&sentence(FLEET, change)), said);
    }
}

#[test]
fn stray_moves_are_said_apart_and_what_moves_in_all_carries_the_requests() {
    assert_eq!(
        sentence(TWEMPROXY, &["--weight", "cache-3=3"]),
        "Giving cache-3 the weight 3 moves 5,822 of 20,000 keys (29.11%, where the weights call for 25.00%); \
         1,126 of them are stray: off no server whose share falls, or to none whose share rises; \
         all that move carry 29.23% of the requests, and each misses once on its new server."
    );
}

#[test]
fn one_key_is_not_plural() {
    let keys = file("one.txt", "user:42\n");
    let ring = file("one-key.toml", fleet("scheme = \"ring\"", &[("a", 1), ("b", 1)]));
    let owner =
        run(["owner", &ring, "user:42", "--format", "json"]).json()["owner"].as_str().unwrap().to_owned();
    let other = if owner == "a" { "b" } else { "a" };
    let first = |change: [&str; 2]| {
        let text = run(["plan", &ring, change[0], change[1], "--keys", &keys]).fine();
        text.lines().next().unwrap().to_owned()
    };
    assert_eq!(
        first(["--remove", &owner]),
        format!(
            "Removing {owner} moves 1 of 1 key (100.00%, where the weights call for 50.00%), from {owner} to {other}."
        )
    );
    assert_eq!(
        first(["--remove", other]),
        format!("Removing {other} moves nothing: of 1 key each stays where it is.")
    );
}

#[test]
fn a_second_file_is_the_after() {
    let before = file("two-before.toml", fleet("scheme = \"ring\"", &[("a", 1), ("b", 1), ("c", 1)]));
    let after = file("two-after.toml", fleet("scheme = \"ring\"", &[("c", 1), ("a", 1), ("b", 1), ("d", 1)]));
    let by_file = run(["plan", &before, &after, "--keys", KEYS, "--format", "json"]).json();
    let by_change = run(["plan", &before, "--add", "d=d", "--keys", KEYS, "--format", "json"]).json();
    for field in ["moved", "stray", "flows", "servers", "circle_moved_share"] {
        assert_eq!(by_file[field], by_change[field], "{field}");
    }
    let said = sentence(&before, &[&after]);
    assert!(said.starts_with(&format!("Going from {before} to {after} moves ")), "{said}");
    assert_has(&said, &["where the weights call for 25.00%), all of them to d;"]);
    let refused = run(["plan", &before, &after, "--add", "e=e"]).refused(2);
    assert_has(&refused, &["cannot be used with"]);
}

#[test]
fn a_change_of_scheme_is_named_and_moves_keys_though_no_weight_changes() {
    let servers = [("a", 1), ("b", 1), ("c", 1), ("d", 1)];
    let [mod_n, ring] = ["mod-n", "ring"]
        .map(|s| file(&format!("scheme-{s}.toml"), fleet(&format!("scheme = \"{s}\""), &servers)));
    let said = sentence(&mod_n, &[&ring]);
    assert_has(
        &said,
        &[
            "%, where the weights call for none), all of them stray: off no server whose share falls, or to none whose share rises;",
        ],
    );
    assert_eq!(
        hints(&mod_n, &[&ring]),
        [
            "The scheme changes from mod-n to ring-160, and that alone moves keys, whatever becomes of the servers."
        ]
    );
    let plan = run(["plan", &mod_n, &ring, "--keys", KEYS, "--format", "json"]).json();
    assert_eq!(plan["scheme"], json!({"before": "mod-n", "after": "ring-160"}));
    assert_eq!(plan["moved"], plan["stray"]);
    let moved = plan["moved_share"].as_f64().unwrap();
    assert!((moved - 0.75).abs() < 0.03, "two schemes agree on one key in four: {moved}");
    let compared = run(["plan", &mod_n, &ring, "--keys", KEYS, "--compare"]).fine();
    assert_has(&compared, &["\nmod-n, then ring-160  "]);

    let md5 = file("scheme-md5.toml", fleet("scheme = \"ring\"\nhash = \"md5\"", &servers));
    assert_eq!(
        hints(&ring, &[&md5]),
        ["The settings of ring-160 change, and that alone moves keys, whatever becomes of the servers."]
    );
}

#[test]
fn another_order_of_a_list_is_noticed() {
    let placement = "scheme = \"jump\"";
    let before = file("order-before.toml", fleet(placement, &[("a", 1), ("b", 1), ("c", 1)]));
    let after = file("order-after.toml", fleet(placement, &[("b", 1), ("a", 1), ("c", 1)]));
    assert_eq!(
        hints(&before, &[&after]),
        [
            "The servers are the same in another order, and jump places keys by a server's position in the list."
        ]
    );
    let [before, after] = [before, after].map(|path| {
        let set = fs::read_to_string(&path).unwrap().replace("jump", "rendezvous");
        file(&format!("set-{}", path.rsplit('/').next().unwrap()), set)
    });
    assert_has(&sentence(&before, &[&after]), &["moves nothing"]);
}

#[test]
fn changes_apply_in_the_order_in_which_they_were_typed() {
    let said = sentence(FLEET, &["--add", "n=10.1.1.1:1", "--remove", "cache-1", "--weight", "n=5"]);
    assert!(said.starts_with("Adding n, then removing cache-1, then giving n the weight 5 moves "), "{said}");
    let said = sentence(FLEET, &["--remove", "cache-1", "--add", "cache-1=10.1.1.1:1,weight=2,zone=d"]);
    assert!(said.starts_with("Removing cache-1, then adding cache-1 moves "), "{said}");
    let refused = plan(FLEET, &["--add", "cache-1=10.1.1.1:1", "--remove", "cache-1"]).refused(2);
    assert_has(&refused, &["--add cache-1=10.1.1.1:1: server \"cache-1\" is listed twice"]);
    let refused = plan(FLEET, &["--weight", "n=5", "--add", "n=10.1.1.1:1"]).refused(2);
    assert_has(&refused, &["--weight n=5: there is no server \"n\" in this fleet"]);
}

#[test]
fn a_weight_counts_from_the_added_server_on() {
    let plan = |change: &[&str]| plan(FLEET, &[change, &["--format", "json"]].concat()).json();
    let at_once = plan(&["--add", "n=10.1.1.1:1,weight=3"]);
    let in_two = plan(&["--add", "n=10.1.1.1:1", "--weight", "n=3"]);
    assert_eq!(at_once["flows"], in_two["flows"]);
    let minimum = at_once["minimum_share"].as_f64().unwrap();
    assert!((minimum - 0.3).abs() < 1e-12, "3 of 10: {minimum}");
}

#[test]
fn a_new_address_moves_no_key_and_a_new_name_moves_the_old_ones() {
    let address = plan(FLEET, &["--address", "cache-1=10.9.9.9:11211", "--format", "json"]).json();
    assert_eq!((&address["moved"], &address["circle_moved_share"]), (&json!(0), &json!(0.0)));
    assert_eq!(address["flows"], json!([]));
    let replaced = plan(FLEET, &["--replace", "cache-1=cache-9=10.9.9.9:11211", "--format", "json"]).json();
    let owned = |name: &str, when: &str| -> u64 {
        let servers = replaced["servers"].as_array().unwrap();
        servers.iter().find(|server| server["name"] == name).unwrap()[when].as_u64().unwrap()
    };
    assert_eq!((owned("cache-1", "keys_after"), owned("cache-9", "keys_before")), (0, 0));
    assert!(owned("cache-9", "keys_after") > 0);
    assert_eq!(
        hints(FLEET, &["--replace", "cache-1=cache-9=10.9.9.9:11211"]),
        [
            "Keys follow a server's name, not its address. If cache-9 is to take over from cache-1, leave the name and \
          change the address alone (--address cache-1=10.9.9.9:11211): then no key moves for it."
        ]
    );
}

#[test]
fn in_a_list_a_replacement_takes_over_exactly_the_keys_of_the_one_it_replaces() {
    let path = file("replace.toml", fleet("scheme = \"jump\"", &[("a", 1), ("b", 1), ("c", 1)]));
    let said = sentence(&path, &["--replace", "b=spare=10.9.9.9:1"]);
    assert_has(&said, &["Replacing b by spare moves ", ", all of them from b to spare;"]);
    assert_eq!(hints(&path, &["--replace", "b=spare=10.9.9.9:1"]), [""; 0]);
}

#[test]
fn a_change_to_an_address_that_another_server_has_is_told() {
    let said = "cache-2 and cache-9 are one machine after the change, at 10.0.2.1:11211: it owns two shares of the keys, and \
                both are lost when it fails. Was another address meant?";
    assert_eq!(hints(FLEET, &["--add", "cache-9=10.0.2.1:11211"]), [said]);
    assert_eq!(hints(FLEET, &["--add", "cache-9=10.0.2.1:11212"]), [""; 0]);
    assert_eq!(hints(FLEET, &["--address", "cache-3=10.0.2.1:11211"]).len(), 1);
    // What the file has already, `clockwise check` tells.
    let path =
        file("one-machine.yml", pool("hash: md5", &["10.0.0.1:1:1 a", "10.0.0.1:1:1 b", "10.0.0.2:1:1 c"]));
    assert_eq!(hints(&path, &["--remove", "c"]), [""; 0]);
    assert_eq!(hints(&path, &["--add", "d=10.0.0.2:1"]).len(), 1);
}

#[test]
fn where_a_twemproxy_server_has_no_name_a_new_address_needs_the_old_one_as_its_name() {
    let path = file(
        "unnamed.yml",
        pool("hash: md5", &["10.0.0.1:11300:1", "10.0.0.2:11211:1 b", "10.0.0.3:11211:1"]),
    );
    assert_eq!(
        hints(&path, &["--address", "10.0.0.1:11300=10.0.0.9:11300"]),
        ["10.0.0.1:11300 has no name but its address. In the file, name it so behind its new one \
          (- 10.0.0.9:11300:WEIGHT 10.0.0.1:11300), or its keys move."]
    );
    assert_eq!(hints(&path, &["--address", "10.0.0.3=10.0.0.9:11211"]).len(), 1);
    assert_eq!(hints(&path, &["--address", "b=10.0.0.9:11300"]), [""; 0]);
    // And so it is: the line that the hint shows moves nothing, the one without the name does.
    let named =
        pool("hash: md5", &["10.0.0.9:11300:1 10.0.0.1:11300", "10.0.0.2:11211:1 b", "10.0.0.3:11211:1"]);
    let moved = |text: &str| {
        let after = file("unnamed-after.yml", text);
        run(["plan", &path, &after, "--keys", KEYS, "--format", "json"]).json()["moved"].as_u64().unwrap()
    };
    assert_eq!(moved(&named), 0);
    assert!(moved(&named.replace(" 10.0.0.1:11300", "")) > 0);
}

#[test]
fn taking_a_server_out_of_the_middle_of_a_jump_list_is_foreseen_and_a_spare_advised() {
    let names: Vec<String> = (0..12).map(|i| format!("s{i}")).collect();
    let servers: Vec<(&str, u32)> = names.iter().map(|name| (name.as_str(), 1)).collect();
    let path = file("jump-12.toml", fleet("scheme = \"jump\"", &servers));
    let keys = file("jump-12.txt", numbered("key-", 100_000));
    let plan = |change: &[&str]| run(["plan", &path, "--keys", &keys].iter().chain(change));
    let share = |change: &[&str]| {
        let plan = plan(&[change, &["--format", "json"]].concat()).json();
        (plan["moved_share"].as_f64().unwrap(), plan["minimum_share"].as_f64().unwrap())
    };
    let (middle, minimum) = share(&["--remove", "s3"]);
    assert!((middle - 0.742).abs() < 0.005, "{middle}");
    assert!((minimum - 1.0 / 12.0).abs() < 1e-12, "{minimum}");
    let text = plan(&["--remove", "s3"]).fine();
    assert_has(
        &text,
        &[
            "jump places keys by the length of the list and a server's position in it. Put a spare in the place of the \
           one that goes (--replace OLD=NEW[=ADDR]), and only its own keys move; or keep it listed as down until there \
           is one.",
        ],
    );
    let (last, _) = share(&["--remove", "s11"]);
    assert!((last - 0.083).abs() < 0.005, "{last}");
    assert!(!plan(&["--remove", "s11"]).fine().contains("--replace"));
    let (replaced, _) = share(&["--replace", "s3=spare=10.0.0.9:1"]);
    assert!((replaced - 1.0 / 12.0).abs() < 0.005, "{replaced}");
}

#[test]
fn a_raised_weight_in_ketama_moves_690_keys_between_the_unchanged_servers_and_on_a_native_ring_none() {
    let keys = file("k20000.txt", numbered("k", 20_000));
    let addresses = ["10.0.0.1:11300", "10.0.0.2:11300", "10.0.0.3:11300"];
    let native = |placement: &str| fleet(placement, &addresses.map(|address| (address, 1)));
    let ketama = "dialect = \"libmemcached\"\ndistribution = \"CONSISTENT_WEIGHTED\"\nhash = \"MD5\"";
    let plan = |path: &str, format: &str| {
        run(["plan", path, "--weight", "10.0.0.3:11300=3", "--keys", &keys, "--format", format])
    };
    for path in [
        file(
            "raised.yml",
            pool(
                "hash: md5",
                &addresses.map(|address| format!("{address}:1")).each_ref().map(String::as_str),
            ),
        ),
        file("raised-libmemcached.toml", native(ketama)),
    ] {
        let moves = plan(&path, "json").json();
        assert_eq!((&moves["moved"], &moves["stray"]), (&json!(5_972), &json!(690)), "{path}");
        let flows = moves["flows"].as_array().unwrap();
        let sum = |stray: bool| -> u64 {
            flows
                .iter()
                .filter(|flow| flow["stray"] == stray)
                .map(|flow| flow["keys"].as_u64().unwrap())
                .sum()
        };
        assert_eq!((sum(false), sum(true)), (5_282, 690));
        assert!(flows.iter().all(|flow| (flow["to"] != "10.0.0.3:11300") == (flow["stray"] == true)));
        let text = plan(&path, "table").fine();
        assert_has(&text, &["moves 5,972 of 20,000 keys", "; 690 of them are stray: ", "690\n"]);
        assert_eq!(text.lines().filter(|line| line.ends_with("  stray")).count() - 2, 2, "{text}");
    }
    let ring = plan(&file("raised-ring.toml", native("scheme = \"ring\"")), "json").json();
    assert_eq!(ring["stray"], 0);
    assert!(ring["flows"].as_array().unwrap().iter().all(|flow| flow["to"] == "10.0.0.3:11300"));
}

#[test]
fn a_plan_equals_a_direct_lookup_of_every_key_before_and_after() {
    let names = ["10.0.0.1:11300", "10.0.0.2:11300", "10.0.0.3:11300", "10.0.0.4:11300"];
    let lines = names.map(|name| format!("{name}:1"));
    let [before, after] = [3, 4].map(|count| {
        let lines: Vec<&str> = lines[..count].iter().map(String::as_str).collect();
        file(&format!("lookup-{count}.yml"), pool("hash: md5", &lines))
    });
    // Every key with a size of its own.
    let bytes = |i: u64| 40 + i * 7919 % 1000;
    let rows: String = (0..100_000).map(|i| format!("item/{i},{}\n", bytes(i))).collect();
    let keys = file("lookup.csv", format!("key,bytes\n{rows}"));

    let owners = |fleet: &str| -> Vec<String> {
        let text = run(["owner", fleet, "--keys", &keys, "--format", "csv"]).fine();
        text.lines().skip(1).map(|line| line.rsplit_once(',').unwrap().1.to_owned()).collect()
    };
    let (from, to) = (owners(&before), owners(&after));
    assert_eq!((from.len(), to.len()), (100_000, 100_000));
    let mut expected: BTreeMap<(String, String), (u64, u64)> = BTreeMap::new();
    let mut list = String::from("key,from,to,bytes\n");
    for (i, (from, to)) in (0..).zip(from.iter().zip(&to)).filter(|(_, (from, to))| from != to) {
        let flow = expected.entry((from.clone(), to.clone())).or_default();
        *flow = (flow.0 + 1, flow.1 + bytes(i));
        list += &format!("item/{i},{from},{to},{}\n", bytes(i));
    }

    let moved_keys = file("lookup-moved.csv", "");
    let arguments =
        ["plan", &before, &after, "--keys", &keys, "--moved-keys", &moved_keys, "--format", "json"];
    let plan = run(arguments).json();
    let flows: BTreeMap<(String, String), (u64, u64)> = (plan["flows"].as_array().unwrap().iter())
        .map(|flow| {
            let text = |field: &str| flow[field].as_str().unwrap().to_owned();
            let number = |field: &str| flow[field].as_u64().unwrap();
            ((text("from"), text("to")), (number("keys"), number("bytes")))
        })
        .collect();
    assert_eq!(flows, expected);
    let sum = |part: fn(&(u64, u64)) -> u64| flows.values().map(part).sum::<u64>();
    assert_eq!(plan["moved"], sum(|flow| flow.0));
    assert_eq!(plan["bytes_moved"], sum(|flow| flow.1));
    assert_eq!(plan["requests_moved"], Value::Null);
    assert_eq!(fs::read_to_string(&moved_keys).unwrap(), list);
    // The list is itself a file of keys.
    let again = run(["plan", &before, &after, "--keys", &moved_keys, "--format", "json"]).json();
    assert_eq!((&again["keys"], &again["moved"]), (&plan["moved"], &plan["moved"]));
}

#[test]
fn more_than_max_moved_is_a_finding() {
    let join = ["--add", "cache-5=10.0.0.5:11211", "--max-moved"];
    for limit in ["18.52%", "0.1852", "19%", "1"] {
        plan(TWEMPROXY, &[&join[..], &[limit]].concat()).fine();
    }
    for limit in ["18.51%", "0.18", "0"] {
        let run = plan(TWEMPROXY, &[&join[..], &[limit]].concat());
        assert_eq!(run.code, 1, "{limit}");
        assert!(
            run.out.starts_with("Adding cache-5 moves 3,703 of 20,000 keys"),
            "the plan is printed all the same"
        );
        assert!(run.err.starts_with("18.52% of the keys move, more than the "), "{}", run.err);
    }
}

#[test]
fn a_redis_master_of_weight_0_gives_all_its_slots_and_no_others_move() {
    let nodes: String = (1..=4).map(|i| format!("[[server]]\nname = \"10.0.0.{i}:6379\"\n")).collect();
    let path = file("redis.toml", format!("version = 1\n[placement]\ndialect = \"redis-cluster\"\n{nodes}"));
    for change in [["--weight", "10.0.0.1:6379=0"], ["--remove", "10.0.0.1:6379"]] {
        let plan = run(["plan", &path, change[0], change[1], "--format", "json"]).json();
        assert_eq!(plan["circle"]["stray_share"], json!(0.0), "{plan}");
        assert_eq!(plan["circle_moved_share"], json!(0.25), "{plan}");
    }
    let plan = run(["plan", &path, "--add", "n5=10.0.0.5:6379", "--format", "json"]).json();
    assert_eq!(plan["circle"]["stray_share"], json!(0.0), "{plan}");
}

#[test]
fn a_redis_master_that_was_emptied_before_gets_no_slot_again() {
    let nodes = ["a", "b", "c", "d", "e"].map(|name| (name, 1));
    let cluster = fleet("dialect = \"redis-cluster\"", &nodes);
    let drained = cluster.replacen("name = \"c\"", "name = \"c\"\nstate = \"draining\"", 1);
    assert_ne!(drained, cluster);
    let path = file("emptied.toml", drained);
    for change in [&["--add", "f"][..], &["--remove", "c", "--add", "f"]] {
        let ran = run(["plan", path.as_str(), "--sample", "10"].iter().chain(change));
        assert_eq!(ran.code, 0, "{change:?}: {}", ran.err);
    }
}

#[test]
fn what_a_change_makes_impossible_is_said_of_the_option_and_its_server() {
    let schemes = ["mod-n", "ring", "rendezvous", "jump", "maglev", "slots", "bounded", "jump-back", "flip"];
    let newer = ["multi-probe", "anchor", "memento", "dx", "skeleton"];
    let changes: [(&[&str], &str); 8] = [
        (&["--weight", "a=4000000000"], "--weight a=4000000000: server \"a\": "),
        (&["--add", "d=d:1,weight=4000000000"], "--add d=d:1,weight=4000000000: server \"d\": "),
        (&["--add", "a"], "--add a: server \"a\" is listed twice"),
        (&["--replace", "a=b"], "--replace a=b: server \"b\" is listed twice"),
        (&["--remove", "z"], "--remove z: there is no server \"z\""),
        (&["--address", "z=h:1"], "--address z=h:1: there is no server \"z\""),
        (&["--weight", "a=0", "--weight", "b=0", "--weight", "c=0"], "--weight c=0: no active servers"),
        // What came before is not to blame, nor what came after.
        (
            &["--add", "d", "--weight", "a=4000000000", "--remove", "b"],
            "--weight a=4000000000: server \"a\": ",
        ),
    ];
    let mut refused = 0;
    for scheme in schemes.into_iter().chain(newer) {
        let placement = format!("scheme = \"{scheme}\"");
        let path = file(&format!("blamed-{scheme}.toml"), fleet(&placement, &[("a", 1), ("b", 1), ("c", 1)]));
        for (change, said) in changes {
            let ran = run(["plan", path.as_str(), "--sample", "10"].iter().chain(change));
            // Some schemes take any weight.
            if ran.code == 0 && said.contains("4000000000") {
                continue;
            }
            let err = ran.refused(2);
            assert!(err.starts_with(&format!("error: {said}")), "{scheme}: {err}");
            assert!(!err.contains(".toml"), "{scheme}: {err}");
            refused += 1;
        }
    }
    assert!(refused > 14 * 7, "{refused}");
}

#[test]
fn what_an_option_is_blamed_for_is_what_was_wrong_when_it_was_applied() {
    let heavy = file("blamed-heavy.toml", fleet("scheme = \"anchor\"", &[("a", 3), ("b", 3), ("c", 3)]));
    // The second would be the odd one of all in the end.
    let said = run(["plan", &heavy, "--add", "d", "--weight", "b=5", "--sample", "10"]).refused(2);
    assert!(said.starts_with("error: --add d: server \"d\": weight 1 is not that of the others"), "{said}");
}

#[test]
fn a_fleet_that_is_wrong_before_any_change_is_shown_in_its_file() {
    let uneven = fleet("scheme = \"skeleton\"", &[("a", 1), ("b", 2), ("c", 1)]);
    let path = file("uneven.toml", uneven);
    let said = run(["plan", &path, "--weight", "a=2", "--sample", "10"]).refused(3);
    assert_has(&said, &["server \"b\": weight 2 is not that of the others", "uneven.toml:"]);
    let even = file("even.toml", fleet("scheme = \"skeleton\"", &[("a", 1), ("b", 1), ("c", 1)]));
    let said = run(["plan", &even, &path, "--sample", "10"]).refused(3);
    assert_has(&said, &["server \"b\": weight 2 is not that of the others", "uneven.toml:"]);
}

#[test]
fn a_newcomer_needs_no_address() {
    let path = file("nameless.toml", fleet("scheme = \"ring\"", &[("a", 1), ("b", 1)]));
    let plan = |change: [&str; 2]| run(["plan", &path, change[0], change[1], "--keys", KEYS]).fine();
    assert_eq!(plan(["--add", "c"]), plan(["--add", "c=c"]));
    assert_eq!(plan(["--replace", "a=c"]), plan(["--replace", "a=c=c"]));
}
