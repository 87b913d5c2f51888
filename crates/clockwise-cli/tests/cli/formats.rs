//! CSV and Markdown of each command: one table a CSV, and tables that a pull request renders.

use super::{FLEET, KEYS, TWEMPROXY, file, fleet, numbered, run};

fn with_format(command: &[&str], format: &str) -> String {
    run(command.iter().chain(&["--format", format])).fine()
}

/// The rows of a CSV, each as long as the header.
fn csv(command: &[&str]) -> Vec<Vec<String>> {
    let text = with_format(command, "csv");
    let mut reader =
        csv::ReaderBuilder::new().has_headers(false).flexible(false).from_reader(text.as_bytes());
    reader.records().map(|row| row.unwrap().iter().map(str::to_owned).collect()).collect()
}

/// The Markdown tables in a text, each as its rows of cells; every one has its rule.
fn markdown(command: &[&str]) -> Vec<Vec<Vec<String>>> {
    let text = with_format(command, "markdown");
    let mut tables: Vec<Vec<Vec<String>>> = Vec::new();
    let mut inside = false;
    for line in text.lines() {
        let cells = line.strip_prefix("| ").and_then(|line| line.strip_suffix(" |"));
        match cells {
            Some(cells) => {
                if !inside {
                    tables.push(Vec::new());
                }
                tables.last_mut().unwrap().push(cells.split(" | ").map(str::to_owned).collect());
            }
            None => assert!(!line.starts_with('|'), "{line}"),
        }
        inside = cells.is_some();
    }
    for table in &tables {
        assert!(table[1].iter().all(|rule| rule == "---" || rule == "---:"), "{table:?}");
        assert!(table.iter().all(|row| row.len() == table[0].len()), "{table:?}");
        assert!(table.len() > 2, "a table has rows: {table:?}");
    }
    tables
}

const JOIN: [&str; 7] = ["plan", TWEMPROXY, "--add", "cache-5=10.0.0.5:11211", "--keys", KEYS, "--compare"];

#[test]
fn a_plan_as_csv_is_the_table_that_is_asked_for_with_exact_numbers() {
    let flows = csv(&JOIN);
    assert_eq!(flows[0], ["from", "to", "keys", "requests", "stray"]);
    assert_eq!(flows[1], ["cache-2", "cache-5", "1146", "33605292968", "false"]);
    assert_eq!(csv(&[&JOIN[..], &["--csv-table", "flows"]].concat()), flows);
    let servers = csv(&[&JOIN[..], &["--csv-table", "servers"]].concat());
    assert_eq!(
        servers[0],
        [
            "server",
            "keys_before",
            "keys_after",
            "share_before",
            "share_after",
            "requests_before",
            "requests_after"
        ]
    );
    assert_eq!(servers[5][..5], ["cache-5", "0", "3703", "0", "0.18515"]);
    let compare = csv(&[&JOIN[..], &["--csv-table", "compare"]].concat());
    assert_eq!(
        compare[0],
        ["scheme", "moved", "stray", "busiest_over_mean_before", "busiest_over_mean_after"]
    );
    assert_eq!((compare.len(), compare[1][1].as_str()), (17, "0.18515"));
}

#[test]
fn a_plan_as_markdown_is_the_sentence_four_tables_and_a_list() {
    let tables = markdown(&JOIN);
    let headings: Vec<&str> = tables.iter().map(|table| table[0][0].as_str()).collect();
    assert_eq!(headings, ["of", "from", "server", "scheme"]);
    assert_eq!(tables[0][2], ["keys", "20,000", "3,703", "18.52%", "20.00%", "0"]);
    let text = with_format(&JOIN, "markdown");
    assert!(text.starts_with("Adding cache-5 moves "), "{text}");
    let titles = text.lines().filter(|line| line.starts_with("**") && line.ends_with("**")).count();
    assert_eq!(titles, 4);
    assert!(text.ends_with("- busiest ÷ mean by requests: 1.189 before, 1.160 after\n"), "{text}");
}

#[test]
fn owners_as_csv_and_markdown_have_a_column_for_each_replica() {
    let command = ["owner", FLEET, "a|b", "c,d", "--replicas", "2", "--down", "cache-4"];
    let rows = csv(&command);
    assert_eq!(rows[0], ["key", "owner", "replica_2", "served_by"]);
    assert_eq!((rows[1][0].as_str(), rows[2][0].as_str()), ("a|b", "c,d"));
    let tables = markdown(&command);
    assert_eq!(tables[0][0], ["key", "owner", "replica 2", "served by"]);
    assert_eq!(tables[0][2][0], "a\\|b", "a bar would end the cell");
    assert_eq!(tables[0][3][1..], rows[2][1..]);
}

#[test]
fn owners_as_a_table_line_up_under_headings_once_there_is_more_than_the_owner() {
    assert_eq!(run(["owner", TWEMPROXY, "user:42", "a"]).fine(), "user:42  cache-2\na        cache-2\n");
    let text = run(["owner", FLEET, "user:42", "a", "--replicas", "2", "--down", "cache-4"]).fine();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "key      owner    replica 2  served by");
    let at = lines[0].find("served by").unwrap();
    assert!(lines[1..].iter().all(|line| line[at..].starts_with("cache-")), "{text}");
    // The widths of the first thousand hold for all that follow.
    let keys = super::file("wide.txt", super::numbered("k", 3_000));
    let text = run(["owner", TWEMPROXY, "--keys", &keys]).fine();
    assert!(text.lines().all(|line| line.find("  cache-").is_some()), "{text}");
    assert_eq!(text.lines().count(), 3_000);
}

#[test]
fn a_ring_as_csv_and_markdown_is_its_servers_or_its_points() {
    let rows = csv(&["ring", FLEET]);
    assert_eq!(rows[0], ["server", "address", "zone", "weight", "points", "share", "share_over_target"]);
    assert_eq!(rows[4][..5], ["cache-4", "10.0.1.2:11211", "a", "2", "320"]);
    assert_eq!(rows[6][3..], ["0", "0", "0", ""], "draining");
    assert_eq!(markdown(&["ring", FLEET])[0].len(), 2 + 6);
    let points = csv(&["ring", FLEET, "--points"]);
    assert_eq!((points[0].join(","), points.len()), ("position,server".to_owned(), 1 + 1_120));
    assert_eq!(markdown(&["ring", FLEET, "--points"])[0].len(), 2 + 1_120);
}

#[test]
fn a_ring_as_a_table_has_the_columns_that_its_fleet_has_use_for() {
    let ring = |fleet: &str| run(["ring", fleet]).fine();
    let heading = |text: &str| text.lines().nth(2).unwrap().split_whitespace().collect::<Vec<_>>().join(" ");
    let text = ring(TWEMPROXY);
    assert!(
        text.starts_with(
            "examples/twemproxy.yml#memcached: twemproxy ketama fnv1a_64, 4 servers, 640 points\n\n"
        ),
        "{text}"
    );
    assert_eq!(heading(&text), "server address weight points share share ÷ target");
    assert!(
        text.contains("\nbusiest ÷ mean 1.112 of the key space; theory expects 1.082 of such a ring\n"),
        "{text}"
    );
    assert!(text.contains("\nfingerprints: probes cw1:"), "{text}");
    assert_eq!(heading(&ring(FLEET)), "server address zone weight points share share ÷ target");
    let jump = super::file("columns.toml", super::fleet("scheme = \"jump\"", &[("a", 1)]));
    let text = ring(&jump);
    assert!(text.starts_with(&format!("{jump}: jump, 1 server\n\n")), "{text}");
    assert_eq!(heading(&text), "server address weight share share ÷ target");
}

#[test]
fn sizes_as_csv_and_markdown_are_figures_with_where_they_come_from() {
    let command = ["size", "--servers", "100", "--within", "10%", "--keys-per-server", "1000"];
    let rows = csv(&command);
    assert_eq!(rows[0], ["figure", "value", "from"]);
    assert_eq!((rows[1][1].as_str(), rows[2][1].as_str()), ("665", "921"));
    assert_eq!(rows.len(), 8);
    assert_eq!(markdown(&command)[0].len(), 9);
}

#[test]
fn sizes_are_said_in_a_sentence() {
    let first = |arguments: &[&str]| {
        run(["size", "--servers"].iter().chain(arguments)).fine().lines().next().unwrap().to_owned()
    };
    for (arguments, said) in [
        (
            &["100", "--within", "10%"][..],
            "100 servers need 665 points each for the busiest to be expected within 10% of the mean.",
        ),
        (
            &["2", "--within", "12.5"],
            "2 servers need 21 points each for the busiest to be expected within 12.5% of the mean.",
        ),
        (
            &["100", "--points", "160"],
            "Of 100 servers with 160 points each, the busiest is expected to have 1.210 times the mean.",
        ),
        (
            &["2", "--points", "1"],
            "Of 2 servers with 1 point each, the busiest is expected to have 1.500 times the mean.",
        ),
        (&["1", "--points", "160"], "1 server has all of it, with 160 points as with any other number."),
        (&["1", "--within", "10%"], "1 server has all of it, whatever its points: 1 will do."),
    ] {
        assert_eq!(first(arguments), said);
    }
}

/// Nouns behind a lone 1 that end as if there were more.
fn plurals_of_one(text: &str) -> Vec<String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let nouns =
        ["keys", "points", "servers", "ones", "warnings", "ways", "steps", "slots", "runs", "buckets"];
    let wrong = |pair: &&[&str]| pair[0] == "1" && nouns.iter().any(|noun| pair[1].starts_with(noun));
    words.windows(2).filter(wrong).map(|pair| pair.join(" ")).collect()
}

#[test]
fn one_of_a_thing_is_said_as_one() {
    let one = file("one.toml", fleet("scheme = \"ring\"\npoints_per_weight = 1", &[("a", 1)]));
    let two = file("two.toml", fleet("scheme = \"ring\"\npoints_per_weight = 1", &[("a", 1), ("b", 1)]));
    let key = file("one-key.txt", numbered("k", 1));
    for command in [
        &["ring", one.as_str()][..],
        &["check", &one],
        &["check", &two],
        &["plan", &one, "--add", "b", "--sample", "1"],
        &["plan", &two, "--remove", "b", "--keys", &key],
        &["diff", &one, &two, "--sample", "1"],
        &["diff", &two, &two, "--sample", "1"],
        &["diff", &two, &two, "--keys", &key],
        &["migrate", &two, "--to", "jump", "--sample", "1", "--steps", "1"],
        &["migrate", &two, "--to", &two, "--keys", &key],
        &["convert", &two, "--to", "toml", "--sample", "1"],
        &["convert", FLEET, "--to", "nginx", "--sample", "1"],
        &["size", "--servers", "2", "--points", "1", "--keys-per-server", "1"],
        &["size", "--servers", "1", "--points", "1"],
        &["owner", &one, "k", "--replicas", "2"],
    ] {
        let ran = run(command.iter().copied());
        let said = format!("{}{}", ran.out, ran.err);
        assert_eq!(plurals_of_one(&said), [""; 0], "{}: {said}", command.join(" "));
    }
}

#[test]
fn a_fingerprint_that_a_scheme_does_not_have_is_an_empty_field() {
    let tables = file("tables.toml", fleet("scheme = \"jump\"", &[("a", 1), ("b", 1)]));
    assert_eq!(csv(&["fingerprint", &tables])[1], ["layout", "every point or slot and its owner", ""]);
    assert!(run(["fingerprint", &tables]).fine().contains("none: this scheme has no points and no slots"));
}
