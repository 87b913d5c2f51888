//! Fleets inside pages, manifests and transcripts, and templates of fleets.

use std::fs;
use std::path::PathBuf;

use clockwise_config::{FleetFile, Kind, Options, Pool, parse};

use crate::{read, refused};

fn page(file: &str) -> FleetFile {
    let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fuzz/corpus/wrapped"));
    let bytes = fs::read(folder.join(file)).unwrap();
    parse(file, &bytes, &Options::default()).unwrap_or_else(|refused| panic!("{}", refused.render(false)))
}

fn servers(pool: &Pool) -> Vec<&str> {
    pool.entries().iter().map(|entry| entry.server().name().as_str()).collect()
}

#[test]
fn a_page_with_one_fleet_is_that_fleet() {
    for (file, pool, inside, names) in [
        ("runbook.md", "sessions", "the fenced block on lines 12 to 18", &["session-1", "session-2"]),
        (
            "cloud-config.yaml",
            "web",
            "the content in cloud-config on lines 8 to 12",
            &["10.0.0.1", "10.0.0.2"],
        ),
        ("transcript.txt", "logs", "the answer on lines 2 to 6", &["l1", "l2"]),
    ] {
        let read = page(file);
        assert_eq!(read.names().collect::<Vec<_>>(), [pool], "{file}");
        let picked = read.pick(None).unwrap();
        assert_eq!(picked.inside(), Some(inside), "{file}");
        assert_eq!(
            (picked.kind(), servers(&picked).as_slice()),
            (Kind::Twemproxy, names.as_slice()),
            "{file}"
        );
    }
}

#[test]
fn a_manifest_with_fleets_of_two_kinds_names_both() {
    let file = page("configmap.yaml");
    assert_eq!(file.names().collect::<Vec<_>>(), ["carts", "fleet.toml"]);
    let carts = file.pick(Some("carts")).unwrap();
    assert_eq!((carts.kind(), carts.servers().servers().len()), (Kind::Twemproxy, 3));
    let ours = file.pick(Some("fleet.toml")).unwrap();
    assert_eq!((ours.kind(), servers(&ours)), (Kind::Toml, vec!["new-0", "new-1"]));
    assert_eq!(ours.inside(), Some("the value in a ConfigMap on lines 16 to 22"));
    assert_eq!(
        file.pick(None).unwrap_err().to_string(),
        "configmap.yaml:9:5: the file holds 2 pools: carts, fleet.toml"
    );
}

#[test]
fn pools_of_one_name_in_two_blocks_are_told_apart_by_their_lines() {
    let file = page("two-of-one-name.md");
    assert_eq!(file.names().collect::<Vec<_>>(), ["cache", "cache:13"]);
    let count = |name| file.pick(Some(name)).unwrap().servers().servers().len();
    assert_eq!((count("cache"), count("cache:13")), (1, 2));
}

#[test]
fn a_block_that_cannot_be_read_is_passed_over_beside_one_that_can() {
    let file = page("install.sh");
    assert_eq!(file.names().collect::<Vec<_>>(), ["blue"]);
    assert_eq!(file.pick(None).unwrap().servers().servers().len(), 2);
    let green = file.pick(Some("/etc/nutcracker/green.yml")).unwrap_err();
    assert_eq!(green.line(), Some(12));
}

#[test]
fn complaints_about_a_block_show_the_lines_of_the_page() {
    let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fuzz/corpus/wrapped"));
    let bytes = fs::read(folder.join("broken-inside.md")).unwrap();
    let refused = parse("broken-inside.md", &bytes, &Options::default()).unwrap_err();
    assert!(refused.to_string().starts_with("broken-inside.md:9:6: "), "{refused}");
    assert!(refused.render(false).contains("9 |    - 10.0.0.1:11211"), "{}", refused.render(false));
}

#[test]
fn a_template_beside_a_fleet_is_passed_over_and_one_alone_is_refused() {
    let fence = |text: &str| format!("```\n{text}```\n");
    let fleet = "a:\n  listen: 127.0.0.1:1\n  servers:\n   - 10.0.0.1:1:1 a\n";
    let template = "a:\n  listen: {{ .Values.listen }}\n";
    for page in [fence(fleet) + &fence(template), fence(template) + &fence(fleet)] {
        assert_eq!(read(page).unwrap().pick(None).unwrap().name(), Some("a"));
    }
    assert!(refused(fence(template)).contains("3:11: `{{ .Values.listen }}` is a placeholder of Helm"));
}

#[test]
fn a_template_is_refused_in_one_sentence() {
    for (text, says) in [
        (
            "alpha:\n  listen: {{ .Values.listen }}\n  servers:\n{{- range .Values.servers }}\n",
            "fleet:2:11: `{{ .Values.listen }}` is a placeholder of Helm, and a fleet file is what comes out of it",
        ),
        (
            "alpha:\n  listen: 127.0.0.1:1\n  servers:\n   - <%= @a %>:11211:1 a\n   - <%= @b %>:11211:1 b\n",
            "fleet:4:6: `<%= @a %>` is a placeholder of ERB, and a fleet file is what comes out of it",
        ),
        (
            "alpha:\n  listen: 127.0.0.1:1\n  servers:\n   - 10.0.0.1:${PORT}:1 a\n",
            "fleet:4:15: `${PORT}` is a placeholder of a shell or Terraform, and a fleet file is what comes out of it",
        ),
        (
            "alpha:\n  listen: 127.0.0.1:1\n  servers:\n   - __CACHE_HOST__:11211:1\n",
            "fleet:4:6: `__CACHE_HOST__` is a placeholder of a template, and a fleet file is what comes out of it",
        ),
        (
            "version = 1\n[placement]\nscheme = 'ring'\n[[server]]\nname = 'a'\naddress = '${A}:1'\n",
            "fleet:6:12: `${A}` is a placeholder of a shell or Terraform, and a fleet file is what comes out of it",
        ),
    ] {
        assert_eq!(refused(text), says);
    }
    // A name may have braces in our own files, and a hash tag anywhere.
    assert!(read("version = 1\n[placement]\nscheme = 'ring'\n[[server]]\nname = '{a}'\n").is_ok());
    assert!(
        read("a:\n  listen: 127.0.0.1:1\n  hash_tag: \"{{\"\n  servers:\n   - 10.0.0.1:1:1 {}\n").is_ok()
    );
}

/// One line a complaint.
fn complaints(path: &str, text: &str) -> Vec<String> {
    let refused = parse(path, text.as_bytes(), &Options::default()).unwrap_err();
    refused.iter().map(ToString::to_string).collect()
}

/// A ConfigMap in each shape that kubectl prints one in.
fn shapes() -> [(&'static str, String); 5] {
    let json = r#"{"apiVersion": "v1", "kind": "ConfigMap",
 "data": {"edge.conf": "upstream cache {\n\thash $uri consistent;\n\tserver a:80;\n\tserver b:80;\n}\n"}}"#;
    let yaml = "apiVersion: v1\ndata:\n  edge.conf: \"upstream cache {\\n\\thash $uri\n    consistent;\\n\\tserver a:80;\\n\\tserver \\\n    b:80;\\n}\\n\"\nkind: ConfigMap\n";
    let described = "Name:         edge\nLabels:       <none>\n\nData\n====\nedge.conf:\n----\nupstream cache {\n  hash $uri consistent;\n  server a:80;\n  server b:80;\n}\n\nother:\n----\n1\n\nBinaryData\n====\n\nEvents:  <none>\n";
    let list = format!(
        "{{\"apiVersion\": \"v1\", \"kind\": \"List\", \"items\": [{{\"kind\": \"Service\"}}, {json}]}}"
    );
    let stream =
        format!("---\napiVersion: v1\nkind: Service\nspec: {{clusterIP: None}}\n---\n{yaml}---\nkind: X\n");
    [
        ("json", json.to_owned()),
        ("yaml", yaml.to_owned()),
        ("described", described.to_owned()),
        ("list", list),
        ("stream", stream),
    ]
}

#[test]
fn a_config_map_is_read_however_kubectl_prints_it() {
    for (shape, text) in shapes() {
        let file = parse("cm", text.as_bytes(), &Options::default());
        let file = file.unwrap_or_else(|refused| panic!("{shape}: {}", refused.render(false)));
        let pool = file.pick(None).unwrap();
        assert_eq!((pool.kind(), pool.name(), pool.path()), (Kind::Nginx, Some("cache"), "cm"), "{shape}");
        assert_eq!(servers(&pool), ["a:80", "b:80"], "{shape}");
        assert!(pool.inside().unwrap().contains("in a ConfigMap"), "{shape}");
    }
}

#[test]
fn a_value_in_quotes_has_lines_of_its_own() {
    let [(_, json), ..] = shapes();
    let text = json.replace("server b:80", "server b:80 weight=0");
    let all = complaints("cm.json", &text);
    assert_eq!(
        all[0],
        "cm.json:edge.conf:4:14: server \"b:80\": weight 0 is not positive: a weight is a whole number from 1; a server that should own nothing is draining"
    );
}

#[test]
fn a_whole_file_of_nginx_in_a_config_map_is_read_without_what_it_includes() {
    let text = "kind: ConfigMap\napiVersion: v1\ndata:\n  nginx.conf: |\n    events {}\n    http {\n      include mime.types;\n      include conf.d/*.conf;\n      upstream cache { hash $uri; server 10.0.0.1; server 10.0.0.2; }\n    }\n  health.conf: |\n    server { listen 81; }\n";
    let file = parse("cm", text.as_bytes(), &Options::default()).unwrap();
    let pool = file.pick(None).unwrap();
    assert_eq!(servers(&pool), ["10.0.0.1", "10.0.0.2"]);
    let warnings: Vec<String> = pool.warnings().iter().map(ToString::to_string).collect();
    assert_eq!(
        warnings,
        ["cm:8:15: warning: `include` of \"conf.d/*.conf\" is not followed: only a text is here"]
    );
    // Where no upstream is in the text, the one that is asked for may be in there.
    let text = text.replace("upstream cache", "upstream_conf");
    assert_eq!(
        complaints("cm", &text).last().unwrap(),
        "cm:12:5: the file has no `upstream`, and nginx's servers are listed in one"
    );
}

#[test]
fn indentation_of_a_block_is_none_of_the_file() {
    let options = "kind: ConfigMap\ndata:\n  memcached.options: |\n    # ours\n    --HASH=MD5\n    --SERVER=aaa --SERVER=bbb\n";
    let pool = parse("cm", options.as_bytes(), &Options::default()).unwrap().pick(None).unwrap();
    assert_eq!((pool.kind(), servers(&pool)), (Kind::Libmemcached, vec!["aaa", "bbb"]));
    let torn = options.replace(" --SERVER=bbb", "  --SERVER=bbb");
    let blank = &complaints("cm", &torn)[0];
    assert!(blank.starts_with("cm:6:17: ") && blank.contains("a blank too many"), "{blank}");
    let envoy = "kind: ConfigMap\ndata:\n  é.yaml: |\n    ---\n    clusters:\n    - name: é\n      lb_policy: MAGLEV\n      load_assignment: {cluster_name: é}\n      typ: STATIC\n";
    let complaint = &complaints("cm", envoy)[0];
    assert!(complaint.starts_with("cm:9:7: ") && complaint.contains("`typ`"), "{complaint}");
}

#[test]
fn objects_and_pages_without_a_fleet_are_said_to_have_none() {
    for (text, says) in [
        (
            "apiVersion: v1\nkind: Service\nspec: {}\n",
            "f:2:1: this is a Kubernetes object, `Service`, and no file",
        ),
        ("---\nkind: Ingress\napiVersion: x/v1\n", "f:2:1: this is a Kubernetes object, `Ingress`"),
        (
            "apiVersion: v1\nkind: ConfigMap\ndata: {a: b}\n",
            "f:2:1: no value of this Kubernetes `ConfigMap` is",
        ),
        (
            "{\"apiVersion\": \"v1\", \"kind\": \"Pod\"}",
            "f:1:1: no value of these Kubernetes objects is a fleet",
        ),
        ("# A page\n\n```\necho x\n```\n", "f:4:1: no kind of fleet file begins with `echo x`"),
        (
            "framework:\n  cache: 1\nservices:\n  x: 2\n",
            "f:1:1: \"framework\" is no twemproxy pool, and no other",
        ),
        (
            "cluster_name: 'x'\nnum_tokens: 16\n",
            "f:1:1: \"cluster_name\" is no twemproxy pool, and no other key",
        ),
    ] {
        let all = complaints("f", text);
        assert_eq!(all.len(), 1, "{all:?}");
        assert!(all[0].starts_with(says), "{all:?}");
    }
}
