//! Files that are right, and files that are wrong in each way.

use super::*;

const RIGHT: &str = r#"name = "mine"
title = "A title"
question = "A question?"
measure = "ring"

[[grid]]
servers = [10, 20]
points = [1, 160]

[[grid]]
servers = 30
points = 5

[quick]
keys = 100
seeds = 2
only = { servers = [10, 30] }

[published]
keys = 1_000
seeds = 3

[[chart]]
title = "A chart"
x = "points"
y = ["join", "leave"]
series = "servers"
theory = "one"
"#;

fn parse(text: &str) -> Result<Experiment, String> {
    Experiment::parse("mine.toml", text.as_bytes()).map_err(|error| error.to_string())
}

#[test]
fn the_catalogue_is_read_and_each_file_has_the_name_of_its_experiment() {
    for (experiment, name) in catalogue().unwrap().iter().zip(names()) {
        assert_eq!(experiment.name, name);
        assert!(!experiment.runs(Scale::Quick, 1).is_empty());
        assert!(experiment.runs(Scale::Published, 1).len() >= experiment.runs(Scale::Quick, 1).len());
        assert!(experiment.title.chars().count() < 60 && experiment.question.ends_with('?'), "{name}");
        assert_eq!(find(name).unwrap().unwrap().name, name);
    }
    assert!(find("no-such").unwrap().is_none());
}

#[test]
fn the_published_grid_of_bounded_loads_has_648_runs() {
    let grid = find("load-cap").unwrap().unwrap();
    assert_eq!(grid.runs(Scale::Published, 1).len(), 648);
}

#[test]
fn grids_are_multiplied_and_a_scale_takes_some_of_them() {
    let experiment = parse(RIGHT).unwrap();
    let shown = |scale| experiment.settings(scale).map(ToString::to_string).collect::<Vec<_>>();
    let all = [
        "servers=10 points=1",
        "servers=10 points=160",
        "servers=20 points=1",
        "servers=20 points=160",
        "servers=30 points=5",
    ];
    assert_eq!(shown(Scale::Published), all);
    assert_eq!(shown(Scale::Quick), [all[0], all[1], all[4]]);
    let runs = experiment.runs(Scale::Published, 1);
    assert_eq!(runs.len(), 15);
    assert_eq!((runs[4].setting.to_string().as_str(), runs[4].index, runs[4].keys), (all[1], 1, 1_000));
    assert_eq!(experiment.charts[0].y, ["join", "leave"]);
}

#[test]
fn a_knob_that_draws_nothing_is_not_part_of_the_seed() {
    let grid = find("load-cap").unwrap().unwrap();
    let runs = grid.runs(Scale::Published, 1);
    let seed = |text: &str| runs.iter().find(|run| run.setting.to_string() == text).unwrap().seed;
    let base = "servers=50 keys_per_server=10 points=1 epsilon=0.01 cap=recomputed";
    assert_eq!(seed(base), seed(&base.replace("0.01", "0.05")));
    assert_ne!(seed(base), seed(&base.replace("points=1", "points=16")));
}

#[test]
fn wrong_files_are_refused_with_the_line_and_the_value() {
    let cases = [
        ("measure = \"ring\"", "measure = \"rign\"", "mine.toml:4:11: nothing measures \"rign\""),
        ("name = \"mine\"", "name = \"My own\"", "mine.toml:1:8: the name \"My own\" is not"),
        (
            "servers = [10, 20]",
            "servers = [10, 1]",
            "mine.toml:7:11: `servers` is 1, and it is a whole number",
        ),
        ("servers = [10, 20]", "servers = [10, 2.5]", "mine.toml:7:11: `servers` is 2.5"),
        ("servers = [10, 20]", "servers = [10, 10]", "mine.toml:7:11: `servers` lists 10 twice"),
        ("servers = [10, 20]", "servers = true", "mine.toml:7:11: `servers` is a number or a word"),
        ("points = [1, 160]", "pionts = [1, 160]", "mine.toml:8:1: \"ring\" has no setting `pionts`"),
        ("points = [1, 160]\n", "", "`grid` does not say `points`"),
        ("keys = 100\n", "keys = 0\n", "mine.toml:15:8: 0 keys"),
        ("seeds = 2", "seeds = 0", "mine.toml:16:9: 0 seeds"),
        ("seeds = 2", "seeds = \"two\"", "mine.toml:16:9: "),
        ("[10, 30]", "[11]", "`only` leaves nothing"),
        ("y = [\"join\", \"leave\"]", "y = \"joins\"", "mine.toml:26:5: \"ring\" does not measure `joins`"),
        ("x = \"points\"", "x = \"point\"", "mine.toml:25:5: \"ring\" has no setting `point`"),
        ("theory = \"one\"", "theory = \"two\"", "mine.toml:28:10: there is no \"two\" here"),
        ("title = \"A chart\"", "titel = \"A chart\"", "mine.toml:24:1: "),
        ("[published]", "[publisht]", "mine.toml:"),
        ("question = \"A question?\"\n", "", "missing field `question`"),
        ("[quick]", "[quick", "mine.toml:14:7"),
        ("points = 5", "points = []", "mine.toml:12:10: `points` lists 0 values"),
        (
            "servers = 30\npoints = 5",
            "servers = 20\npoints = 160",
            "`grid` has the setting servers=20 points=160 twice",
        ),
        (
            "servers = 30\npoints = 5",
            "servers = 100_000\npoints = 100_000",
            "servers=100000 points=100000: 10000000000 points",
        ),
        (
            "name = \"mine\"",
            "name = \"mine-0123456789-0123456789-0123456789-0123456789-0123456789-0123\"",
            "and 60 at the most",
        ),
        (
            "\"A title\"",
            "\"A \\u001b[31mtitle\"",
            "mine.toml:2:9: \"A \\u{1b}[31mtitle\" has letters that nobody sees",
        ),
        ("\"A chart\"", "\"\\u202eA chart\"", "mine.toml:24:9: "),
        ("y = [\"join\", \"leave\"]", "y = []", "mine.toml:26:5: `y` names nothing"),
        ("\"leave\"]", "\"join\"]", "mine.toml:26:5: `y` lists `join` twice"),
        ("series = \"servers\"", "series = \"points\"", "`points` is of two of `x`, `series` and `panels`"),
        ("theory = \"one\"", "only = { servers = 11 }", "`only` leaves nothing for the picture"),
        ("theory = \"one\"", "limit = nan", "mine.toml:28:9: `limit` is NaN"),
        ("theory = \"one\"", "kind = \"points\"", "the points of a ring need `hash`"),
    ];
    for (from, to, expected) in cases {
        let text = RIGHT.replacen(from, to, 1);
        assert_ne!(text, RIGHT, "{from}");
        let error = parse(&text).unwrap_err();
        assert!(error.contains(expected), "{to}: {error}");
    }
    assert!(Experiment::parse("mine.toml", b"\xff").is_err());
}

/// Each kernel says before anything is run what it could not measure.
#[test]
fn settings_that_cannot_be_measured_are_refused_when_the_file_is_read() {
    let cases = [
        ("maglev", "servers = 10\ntable = 1_000", "1000 is not a prime"),
        ("maglev", "servers = 1_009\ntable = 1_009", "has none for each of 1009 servers and a newcomer"),
        (
            "library",
            "servers = 64\nscheme = \"anchor,capacity=64\"",
            "65 servers are more than the 64 there is room for",
        ),
        (
            "library",
            "servers = [7, 11]\nscheme = \"maglev,table_size=11\"",
            "servers=11 scheme=maglev,table_size=11: 12 servers are more than the 11 there is room for",
        ),
        (
            "popularity",
            "servers = 12\npopulation = 9\nexponent = 1\nscheme = \"slots,slots=11,hash=xxh3-64\"",
            "12 servers are more than the 11",
        ),
        (
            "weights",
            "servers = 12\nheaviest = 1\nscheme = \"maglev,table_size=12\"",
            "table size 12 is not a prime",
        ),
        ("losses", "servers = 3\npoints = 1\nreplicas = 5", "5 copies of a key have no room on 3 servers"),
        (
            "zones",
            "scheme = \"ring\"\nservers = 2\nzones = 2\nreplicas = 3\nspread = \"zones\"",
            "3 copies of a key have no room on 2 servers",
        ),
        (
            "bounded",
            "servers = 2\npoints = 1\nkeys_per_server = 1\nepsilon = 0\ncap = \"held\"",
            "1 servers of 1 keys have no room for 2",
        ),
        (
            "bounded",
            "servers = 100_000\npoints = 1\nkeys_per_server = 1_000_000\nepsilon = 0.1\ncap = \"held\"",
            "100000000000 keys are more than the 100000000",
        ),
        (
            "kept",
            "servers = 10_000\npoints = 1\nkeys_per_server = 100_000\nepsilon = 0.1",
            "1000000000 keys are more",
        ),
        (
            "drift",
            "servers = 1_000\npoints = 10_000\nkeys_per_server = 10_000\nepsilon = 0.1\nchanges = 1\n[[grid]]\n\
             servers = 1_000\npoints = 10_000\nkeys_per_server = 10_000\nepsilon = 0.1\nchanges = 1",
            " twice",
        ),
        (
            "kept",
            "servers = 2\npoints = 1\nkeys_per_server = 9\nepsilon = 1e300",
            "`epsilon` is 1e300, and it is a number",
        ),
        (
            "kept",
            "servers = 2\npoints = 1\nkeys_per_server = 9\nepsilon = -0.5",
            "`epsilon` is -0.5, and it is a number",
        ),
        (
            "kept",
            "servers = 2\npoints = 1\nkeys_per_server = 9\nepsilon = nan",
            "`epsilon` is NaN, and it is a number",
        ),
        (
            "kept",
            "servers = 2\npoints = 1\nkeys_per_server = 9\nepsilon = 1e-300",
            "`epsilon` is 1e-300, which is too fine",
        ),
    ];
    for (measure, grid, expected) in cases {
        let text = format!(
            "name = \"a\"\ntitle = \"t\"\nquestion = \"q?\"\nmeasure = \"{measure}\"\n[[grid]]\n{grid}\n\
             [quick]\nseeds = 1\n[published]\nseeds = 1\n"
        );
        let error = parse(&text).unwrap_err();
        assert!(error.contains(expected), "{grid}: {error}");
    }
    let many = format!("points = {:?}", (1..=1_001).collect::<Vec<_>>());
    let error = parse(&RIGHT.replacen("points = [1, 160]", &many, 1)).unwrap_err();
    assert!(error.contains("mine.toml:8:10: `points` lists 1001 values"), "{error}");
    let thousand: Vec<u32> = (2..=1_001).collect();
    let square = format!("[[grid]]\nservers = {thousand:?}\npoints = {thousand:?}\n[quick]");
    let error = parse(&RIGHT.replacen("[quick]", &square, 1)).unwrap_err();
    assert!(error.contains("`grid` has more than 100000 settings"), "{error}");
}
