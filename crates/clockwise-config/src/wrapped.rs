//! Fleet files inside other files: the fences of Markdown, the block scalars of a ConfigMap or of
//! cloud-config, here-documents, and what was copied from a shell with its prompts.
//!
//! A block is the whole source with all else blanked out, so that every offset in it is one of the
//! file, and complaints show the file's own lines.

use std::collections::HashMap;
use std::ops::Range;

use crate::diagnostic::{Diagnostic, ticked};
use crate::manifest;
use crate::source::{Source, Span};

/// Text inside a file.
pub(crate) struct Block {
    /// The file with all else blanked out; of a value in quotes, what it says.
    pub(crate) source: Source,
    /// What it is called where it stands: the key of a ConfigMap, the file of a here-document, or
    /// the line it begins on.
    pub(crate) label: String,
    /// Whether what it stands in can be nothing but a page around it.
    pub(crate) is_page: bool,
    /// A sentence's name for it: "the fenced block on lines 4 to 20".
    pub(crate) what: String,
}

/// A block by its lines, counted from 1 within the text that was looked into.
struct Found {
    what: &'static str,
    label: Option<String>,
    lines: Range<usize>,
}

const FENCED: &str = "the fenced block";
const MAPPED: &str = "the value in a ConfigMap";

/// A page is smaller, and what is larger is searched for no blocks: each is a copy of the file.
const MAX_BYTES: usize = 1 << 20;

/// More blocks than that are not looked into, for the same reason.
const MAX_BLOCKS: usize = 64;

/// No wrapping is deeper: a here-document in a fence in a ConfigMap.
const MAX_DEPTH: usize = 3;

/// The blocks of a wrapped file, in order; none if the file is wrapped in nothing.
pub(crate) fn blocks(source: &Source) -> Result<Vec<Block>, Diagnostic> {
    let mut blocks = Vec::new();
    if source.text().len() <= MAX_BYTES {
        let lines: Vec<&str> = source.text().lines().collect();
        descend(source, &lines, 1..lines.len() + 1, 0, &mut blocks);
        for (key, value) in manifest::quoted_values(source) {
            // Of one line it is a setting, and says nothing about the page.
            let is_page = value.text().trim().contains('\n');
            let what = format!("the value of {} in a ConfigMap", ticked(&key));
            blocks.push(Block { source: value, label: key, is_page, what });
        }
    }
    if blocks.len() < MAX_BLOCKS {
        return Ok(blocks);
    }
    let message = format!("the file holds {MAX_BLOCKS} blocks of text or more");
    Err(Diagnostic::error(source, Span::new(0, 0), message)
        .with_help("give the one with the fleet as a file of its own"))
}

/// Looks into some of the lines, counted from 1.
fn descend(source: &Source, lines: &[&str], within: Range<usize>, depth: usize, blocks: &mut Vec<Block>) {
    let found = inside(&lines[within.start - 1..within.end - 1]);
    for found in found.into_iter().filter(|found| !found.lines.is_empty()) {
        if blocks.len() >= MAX_BLOCKS {
            return;
        }
        let (start, end) = (found.lines.start + within.start - 1, found.lines.end + within.start - 1);
        let before = blocks.len();
        if depth + 1 < MAX_DEPTH {
            descend(source, lines, start..end, depth + 1, blocks);
        }
        if blocks.len() == before {
            blocks.push(Block {
                source: source.only_lines(start..end),
                label: found.label.unwrap_or_else(|| start.to_string()),
                is_page: found.what == FENCED || found.what == MAPPED,
                what: match end - start {
                    1 => format!("{} on line {start}", found.what),
                    _ => format!("{} on lines {start} to {}", found.what, end - 1),
                },
            });
        }
    }
}

/// What a text is wrapped in, tried from the most certain.
fn inside(lines: &[&str]) -> Vec<Found> {
    for find in [fences, described, scalars, here_documents, transcript] {
        let found = find(lines);
        if !found.is_empty() {
            return found;
        }
    }
    Vec::new()
}

/// Markdown: from a line that begins with three marks to one of as many or more and nothing else.
fn fences(lines: &[&str]) -> Vec<Found> {
    let mut found = Vec::new();
    let mut open: Option<(usize, &str)> = None;
    for (number, line) in (1..).zip(lines) {
        let line = line.trim();
        let mark = fence(line);
        match open {
            None => open = mark.map(|mark| (number, mark)),
            Some((start, first)) if mark.is_some_and(|mark| mark.starts_with(first) && mark == line) => {
                found.push(Found { what: FENCED, label: None, lines: start + 1..number });
                open = None;
            }
            Some(_) => {}
        }
    }
    found
}

/// The marks that a line begins with, if they are a fence.
fn fence(line: &str) -> Option<&str> {
    ['`', '~'].into_iter().find_map(|mark| {
        let rest = line.trim_start_matches(mark);
        let marks = &line[..line.len() - rest.len()];
        (marks.len() >= 3 && !rest.contains('`')).then_some(marks)
    })
}

/// The literal block scalars of a Kubernetes ConfigMap or Secret, or of cloud-config.
fn scalars(lines: &[&str]) -> Vec<Found> {
    let is_map = |line: &&str| {
        let value = line.trim().strip_prefix("kind:").map(|value| value.trim().trim_matches(['"', '\'']));
        matches!(value, Some("ConfigMap" | "Secret"))
    };
    let first = lines.iter().find(|line| !line.trim().is_empty());
    let what = match first.map(|line| line.trim()) {
        Some("#cloud-config") => "the content in cloud-config",
        _ if lines.iter().any(is_map) => MAPPED,
        _ => return Vec::new(),
    };
    let mut found = Vec::new();
    let mut path = None;
    let mut at = 0;
    while at < lines.len() {
        let line = lines[at];
        at += 1;
        let indent = line.len() - line.trim_start_matches([' ', '-']).len();
        let Some((key, value)) = line.trim_start_matches([' ', '-']).split_once(':') else { continue };
        let (key, value) = (key.trim_matches(['"', '\'']), value.trim());
        if key == "path" {
            path = Some(value.trim_matches(['"', '\'']).to_owned());
        }
        let indicator = value.split_whitespace().next().unwrap_or("");
        let is_literal = indicator
            .strip_prefix('|')
            .is_some_and(|rest| rest.bytes().all(|byte| matches!(byte, b'+' | b'-' | b'1'..=b'9')));
        if !is_literal {
            continue;
        }
        let start = at;
        while lines.get(at).is_some_and(|line| {
            let text = line.trim_start_matches(' ');
            text.trim().is_empty() || line.len() - text.len() > indent
        }) {
            at += 1;
        }
        let label = if key == "content" { path.take() } else { Some(key.to_owned()) };
        found.push(Found { what, label, lines: start + 1..at + 1 });
    }
    found
}

/// What `kubectl describe configmap` prints: each key with a colon, a line of dashes, and the value.
fn described(lines: &[&str]) -> Vec<Found> {
    let pair = |first: &str, second: &str| lines.windows(2).any(|two| two[0] == first && two[1] == second);
    if !pair("Data", "====") {
        return Vec::new();
    }
    let is_key = |at: usize| {
        let (line, next) = (lines[at], lines.get(at + 1));
        line.strip_suffix(':').filter(|_| next == Some(&"----") && !line.starts_with(' '))
    };
    let mut found: Vec<Found> = Vec::new();
    let mut open: Option<(&str, usize)> = None;
    for at in 0..=lines.len() {
        let key = if at < lines.len() { is_key(at) } else { None };
        let ends = lines.get(at).is_none_or(|line| *line == "BinaryData" || line.starts_with("Events:"));
        if (key.is_some() || ends)
            && let Some((label, start)) = open.take()
        {
            found.push(Found { what: MAPPED, label: Some(label.to_owned()), lines: start..at + 1 });
        }
        open = key.map(|key| (key, at + 3)).or(open);
    }
    found
}

/// The here-documents of shell commands: `cat > FILE <<'EOF'`.
fn here_documents(lines: &[&str]) -> Vec<Found> {
    if !lines.iter().any(|line| here_mark(line).is_some()) {
        return Vec::new();
    }
    // Where each line stands, in order: looking through the file for each mark takes too long for many.
    let mut places: HashMap<&str, Vec<usize>> = HashMap::new();
    for (at, line) in lines.iter().enumerate() {
        places.entry(line.trim()).or_default().push(at);
    }
    let mut found = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        let line = lines[at];
        at += 1;
        let Some(ends) = here_mark(line).and_then(|mark| places.get(mark)) else { continue };
        let Some(&end) = ends.get(ends.partition_point(|&end| end < at)) else { continue };
        found.push(Found { what: "the here-document", label: here_file(line), lines: at + 1..end + 1 });
        at = end + 1;
    }
    found
}

/// The word that ends the here-document which a line opens.
fn here_mark(line: &str) -> Option<&str> {
    let (_, rest) = line.split_once("<<")?;
    let rest = rest.strip_prefix('-').unwrap_or(rest).trim_start().trim_start_matches(['\'', '"', '\\']);
    let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
    let (word, after) = rest.split_at(end);
    let is_end = after.trim_start_matches(['\'', '"']).is_empty()
        || after.contains(['>', '|'])
        || after.starts_with(['\'', '"']);
    (word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') && is_end).then_some(word)
}

/// The file that a command writes: what stands behind `>`, or behind `tee`.
fn here_file(line: &str) -> Option<String> {
    let words = || line.split_whitespace();
    let after = |mark: &str| {
        words().skip_while(move |word| *word != mark).skip(1).find(|word| !word.starts_with('-'))
    };
    let glued = || words().find_map(|word| word.strip_prefix('>').filter(|rest| rest.len() > 1));
    let file = after(">").or_else(|| after("tee")).or_else(glued)?.trim_matches(['"', '\'', '>']);
    (!file.is_empty() && !file.starts_with("<<")).then(|| file.to_owned())
}

/// The answers between the prompts of a shell or of redis-cli.
fn transcript(lines: &[&str]) -> Vec<Found> {
    let mut found = Vec::new();
    let mut open: Option<(usize, &str)> = None;
    // One prompt more ends the last answer.
    for (number, line) in (1..).zip(lines.iter().copied().chain(["$ "])) {
        let Some(command) = prompted(line) else { continue };
        if let Some((start, asked)) = open {
            let label = (!asked.is_empty()).then(|| asked.to_owned());
            found.push(Found { what: "the answer", label, lines: start + 1..number });
        }
        open = Some((number, command));
    }
    found
}

/// What was typed at a prompt, if the line has one: `$ `, `user@host:~$ `, `127.0.0.1:6379> `.
fn prompted(line: &str) -> Option<&str> {
    let line = line.trim_start();
    if let Some(command) = line.strip_prefix("$ ") {
        return Some(command.trim());
    }
    let (prompt, command) = line.split_once(['$', '#', '>'])?;
    let is_shell = !line[prompt.len()..].starts_with('>') && is_shell_prompt(prompt);
    let is_redis = line[prompt.len()..].starts_with('>')
        && (prompt == "redis"
            || prompt.rsplit_once(':').is_some_and(|(host, port)| {
                let host_byte = |byte: u8| {
                    byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'[' | b']' | b':')
                };
                !host.is_empty() && host.bytes().all(host_byte) && port.parse::<u16>().is_ok()
            }));
    let parts = command.is_empty() || command.starts_with(' ');
    ((is_shell || is_redis) && parts).then(|| command.trim())
}

/// Whether this stands before the `$` or `#` of a prompt: `user@host:~`, `user@host ~`, `[user@host dir]`.
///
/// No more than that: with an `@`, a `$` or a comment somewhere, a line of a proxy's file is no prompt.
fn is_shell_prompt(text: &str) -> bool {
    let bracketed = text.strip_prefix('[').and_then(|text| text.strip_suffix(']'));
    let text = bracketed.unwrap_or(text);
    let (who, folder) = match text.find([':', ' ']) {
        Some(at) => (&text[..at], Some(&text[at + 1..])),
        None => (text, None),
    };
    let is_word = |text: &str| {
        !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_'))
    };
    let is_folder = |text: &str| {
        let text = text.trim_end();
        !text.contains(char::is_whitespace) && (bracketed.is_some() || text.starts_with(['~', '/']))
    };
    who.split_once('@').is_some_and(|(user, host)| is_word(user) && is_word(host))
        && folder.is_none_or(is_folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Label, name, and the text of each block with its blanks taken away.
    fn found(text: &str) -> Vec<(String, String, String)> {
        let source = Source::new("f", text.as_bytes()).unwrap();
        blocks(&source)
            .unwrap()
            .into_iter()
            .map(|block| {
                assert_eq!(block.source.text().len(), text.len());
                let lines = block.source.text().lines().map(str::trim).filter(|line| !line.is_empty());
                (block.label, block.what, lines.collect::<Vec<_>>().join("|"))
            })
            .collect()
    }

    fn one(text: &str) -> (String, String, String) {
        let mut all = found(text);
        assert_eq!(all.len(), 1, "{all:?}");
        all.remove(0)
    }

    #[test]
    fn fences_of_markdown() {
        let text = "# Ours\n\n```yaml\na:\n  listen: x\n```\n\nand\n\n  ~~~~\n  b\n  ~~~\n  ~~~~\n";
        let all = found(text);
        assert_eq!(all[0], ("4".into(), "the fenced block on lines 4 to 5".into(), "a:|listen: x".into()));
        assert_eq!(all[1].2, "b|~~~");
        assert!(found("```\nnever closed\n").is_empty());
        assert!(found("```\n```\n").is_empty(), "nothing inside");
    }

    #[test]
    fn block_scalars_of_a_config_map() {
        let text = "apiVersion: v1\nkind: ConfigMap\ndata:\n  nutcracker.yml: |\n    a:\n\n      listen: é\n  b.conf: |-\n    c\nmetadata:\n  name: x\n";
        let all = found(text);
        assert_eq!(all.len(), 2);
        let what = "the value in a ConfigMap on lines 5 to 7";
        assert_eq!(all[0], ("nutcracker.yml".into(), what.into(), "a:|listen: é".into()));
        assert_eq!((all[1].0.as_str(), all[1].2.as_str()), ("b.conf", "c"));
    }

    #[test]
    fn files_that_cloud_config_writes() {
        let text =
            "#cloud-config\nwrite_files:\n- path: /etc/n.yml\n  content: |\n    a:\n      b: c\n- path: /x\n";
        let (label, _, inside) = one(text);
        assert_eq!((label.as_str(), inside.as_str()), ("/etc/n.yml", "a:|b: c"));
    }

    #[test]
    fn here_documents_with_their_files() {
        for (opening, label) in [
            ("cat > /etc/n.yml <<EOF", "/etc/n.yml"),
            ("cat <<'EOF' > n.yml", "n.yml"),
            ("sudo tee -a /etc/n.yml <<-\"EOF\" >/dev/null", "/etc/n.yml"),
            ("cat >n.yml << EOF", "n.yml"),
            ("clockwise plan /dev/stdin <<EOF", "2"),
        ] {
            let (found, what, inside) = one(&format!("{opening}\na: 1\n\tEOF\necho done\n"));
            assert_eq!((found.as_str(), inside.as_str()), (label, "a: 1"), "{opening}");
            assert_eq!(what, "the here-document on line 2");
        }
        assert!(found("a: &x\n  <<: *x\n").is_empty(), "a merge key of YAML");
        assert!(found("cat <<EOF\nnever ends\n").is_empty());
    }

    #[test]
    fn answers_between_prompts() {
        let text = "$ cat n.yml\na: 1\nb: 2\nuser@host:~/etc$ redis-cli\n10.0.0.1:6379> cluster nodes\nc\n10.0.0.1:6379>\n";
        let all = found(text);
        assert_eq!(all.len(), 2, "{all:?}");
        assert_eq!(all[0], ("cat n.yml".into(), "the answer on lines 2 to 3".into(), "a: 1|b: 2".into()));
        assert_eq!((all[1].0.as_str(), all[1].2.as_str()), ("cluster nodes", "c"));
        for text in ["listen: 10.0.0.1:22121 # > a\n", "name = \"a@b$ c\"\n", "$m->addServer('a', 1);\n"] {
            assert!(found(text).is_empty(), "{text}");
        }
        for prompt in
            ["root@cache-1:/etc# ", "me@host ~ $ ", "[root@host etc]# ", "[me@host ~]$ ", "me@host$ "]
        {
            assert_eq!(one(&format!("{prompt}cat n.yml\na: 1\n")).2, "a: 1", "{prompt}");
        }
    }

    #[test]
    fn lines_of_proxies_with_an_at_sign_are_no_prompts() {
        for line in [
            "location @fallback { # the last resort",
            "error_page 502 @down; # ours",
            "rewrite ^/@x$ /y last;",
            "  http-request deny if { path_reg ^/@foo$ }",
            "  email-alert to ops@example.com # them",
            "alice@example.com: # a pool",
            "owner: alice@example.com # a",
            "ops@example.com # a",
            "a@b:c d$ e",
        ] {
            assert!(found(&format!("{line}\nserver a;\n")).is_empty(), "{line}");
        }
    }

    #[test]
    fn countless_here_documents_that_do_not_end_are_passed_in_a_moment() {
        use std::fmt::Write as _;
        let mut text = String::new();
        for number in 0..50_000 {
            let _ = writeln!(text, "cat <<E{number} > x");
        }
        text.push_str("cat <<EOF\na: 1\nEOF\n");
        assert_eq!(one(&text).2, "a: 1");
    }

    #[test]
    fn a_file_of_countless_blocks_is_refused() {
        let source = Source::new("f", "```\na: 1\n```\n".repeat(64).as_bytes()).unwrap();
        let refused = blocks(&source).err().unwrap();
        assert_eq!(refused.to_string(), "f:1:1: the file holds 64 blocks of text or more");
    }

    #[test]
    fn wrappings_inside_each_other_are_taken_off_all() {
        let text = "How:\n\n```sh\n$ cat > n.yml <<EOF\na: 1\nEOF\n```\n";
        let (label, what, inside) = one(text);
        assert_eq!((label.as_str(), inside.as_str()), ("n.yml", "a: 1"));
        assert_eq!(what, "the here-document on line 5");
    }
}
