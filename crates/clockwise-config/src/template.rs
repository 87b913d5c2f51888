//! Templates: files from which another program makes the fleet file.
//!
//! What stands in a template is not what a proxy runs with, so one is refused at its first
//! placeholder, in one sentence instead of the many that its text would earn as a fleet file.

use std::collections::HashSet;

use crate::diagnostic::{Diagnostic, Diagnostics, ticked};
use crate::kind::{Kind, significant};
use crate::source::{Source, Span};

/// Text that another program replaces.
struct Placeholder {
    span: Span,
    /// The language, as a sentence names it.
    language: &'static str,
}

/// Refuses a text with marks that no fleet file has.
pub(crate) fn refuse(source: &Source) -> Result<(), Diagnostic> {
    match lines(source, marked) {
        Some(found) => Err(complaint(source, &found)),
        None => Ok(()),
    }
}

/// The complaints about a file, or the one about a placeholder if one stands where they are.
pub(crate) fn explained(source: &Source, kind: Kind, complaints: Diagnostics) -> Diagnostics {
    let complained: HashSet<usize> = complaints.iter().filter_map(Diagnostic::line).collect();
    let found =
        lines(source, |number, line| if complained.contains(&number) { likely(kind, line) } else { None });
    found.map_or(complaints, |found| complaint(source, &found).into())
}

/// Refuses a name or an address that still is a placeholder.
pub(crate) fn refuse_name(source: &Source, kind: Kind, name: &str, place: Span) -> Result<(), Diagnostic> {
    let Some((_, _, language)) = likely(kind, name) else { return Ok(()) };
    // The place is the line's or the table's; the placeholder itself stands from there on.
    let line = source.line_of(place.start());
    let found = lines(source, |number, text| if number >= line { likely(kind, text) } else { None });
    Err(complaint(source, &found.unwrap_or(Placeholder { span: place, language })))
}

/// The language that a name would be taken for a placeholder of.
pub(crate) fn language_of(kind: Kind, name: &str) -> Option<&'static str> {
    likely(kind, name).map(|(_, _, language)| language)
}

fn complaint(source: &Source, found: &Placeholder) -> Diagnostic {
    let what = ticked(source.slice(found.span));
    let message =
        format!("{what} is a placeholder of {}, and a fleet file is what comes out of it", found.language);
    Diagnostic::error(source, found.span, message)
        .with_help("fill in the template first, and give the result")
}

/// The first placeholder on a line that is no comment. `find` gets the line's number and text, and
/// returns start, end and language.
fn lines(
    source: &Source,
    find: impl Fn(usize, &str) -> Option<(usize, usize, &'static str)>,
) -> Option<Placeholder> {
    significant(source.text()).find_map(|(number, line)| {
        let (from, to, language) = find(number, line)?;
        let start = source.line_start(number);
        Some(Placeholder { span: Span::new(start + from, start + to), language })
    })
}

/// Marks of template languages that stand in no fleet file.
fn marked(_: usize, line: &str) -> Option<(usize, usize, &'static str)> {
    let between = |open: &str, close: &str| {
        let from = line.find(open)?;
        let inside = from + open.len();
        let to = inside + line[inside..].find(close)? + close.len();
        Some((from, to, &line[inside..to - close.len()]))
    };
    // `<%REQ(A)%>` is a pair of Envoy's own commands in angles, and `{%[src]%}` is HAProxy's.
    let erb = between("<%", "%>")
        .filter(|(.., inside)| inside.starts_with(|c: char| c.is_whitespace() || "=-#%".contains(c)))
        .map(|(from, to, _)| (from, to, "ERB"));
    let statement = between("{%", "%}")
        .filter(|(.., inside)| {
            inside.starts_with(|c: char| c.is_whitespace() || "-+".contains(c) || c.is_lowercase())
        })
        .map(|(from, to, _)| (from, to, "Jinja"));
    let terraform = between("%{ ", "}").map(|(from, to, _)| (from, to, "Terraform"));
    let value = between("{{", "}}").filter(|(.., inside)| {
        // Two braces with a word between them; twice an opening brace is a legal hash tag.
        inside
            .trim_start_matches(['-', ' '])
            .starts_with(|c: char| c.is_alphabetic() || ".$\"/_#".contains(c))
            && !is_table(inside)
    });
    let value = value.map(|(from, to, inside)| {
        let has = |words: &[&str]| words.iter().any(|word| inside.contains(word));
        let language = if has(&[".Values", ".Release", ".Chart", "include \""]) {
            "Helm"
        } else if has(&["getv", "gets ", "getenv", "base .Key"]) {
            "confd"
        } else if has(&["key \"", "service \"", "range service", "with secret"]) {
            "consul-template"
        } else {
            "Jinja or Go"
        };
        (from, to, language)
    });
    [erb, statement, terraform, value].into_iter().flatten().min_by_key(|&(from, ..)| from)
}

/// Whether the inside of two braces is of a table within a table, as in Lua: `{{"a", 1}, {"b", 2}}`,
/// `{{name = "a"}}`. Values of templates have braces, commas and `=` in parentheses only.
fn is_table(inside: &str) -> bool {
    let mut depth = 0_usize;
    let mut before = ' ';
    let mut chars = inside.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.saturating_sub(1),
            '{' | '}' => return true,
            // `$i, $e := range` of Go has one as well.
            ',' if depth == 0 && !inside.contains(":=") => return true,
            '=' if depth == 0 && !":=!<>".contains(before) && chars.peek() != Some(&'=') => return true,
            _ => {}
        }
        before = c;
    }
    false
}

/// What looks like a placeholder where something is wrong anyway, or in the place of a name.
fn likely(kind: Kind, text: &str) -> Option<(usize, usize, &'static str)> {
    // Variables of their own: their readers know what to say of them.
    let has_variables = matches!(kind.name(), "nginx" | "haproxy" | "list");
    // In our own files a name is any text, and braces are no rare one.
    let is_free = kind == Kind::Toml;
    let word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-');
    let enclosed = |open: &str, close: &str, lower: bool| {
        text.match_indices(open).find_map(|(from, _)| {
            let inside = &text[from + open.len()..];
            let name = &inside[..inside.find(|c| !word(c) || close.starts_with(c)).unwrap_or(inside.len())];
            let starts = |c: char| c.is_ascii_uppercase() || lower && c.is_ascii_lowercase();
            let closed = inside[name.len()..].starts_with(close);
            (closed && name.starts_with(starts)).then(|| (from, from + open.len() + name.len() + close.len()))
        })
    };
    let upper = |from: usize| {
        let inside = text.get(from + 2..)?;
        let end = inside.find("__")?;
        let name = &inside[..end];
        let is_upper = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
        (name.starts_with(|c: char| c.is_ascii_uppercase()) && name.chars().all(is_upper))
            .then(|| (from, from + 2 + end + 2))
    };
    // `$NAME`, as envsubst and here-documents have it.
    let bare = text.match_indices('$').find_map(|(from, _)| {
        let name = &text[from + 1..];
        let end = name.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(name.len());
        (end > 0 && name.starts_with(|c: char| c.is_ascii_uppercase())).then_some((from, from + 1 + end))
    });
    let found = [
        enclosed("${", "}", true).filter(|_| !has_variables).map(|at| (at, "a shell or Terraform")),
        bare.filter(|_| !has_variables && !is_free).map(|at| (at, "a shell")),
        text.match_indices("__").find_map(|(from, _)| upper(from)).map(|at| (at, "a template")),
        enclosed("@", "@", false).map(|at| (at, "a template")),
        enclosed("{", "}", true)
            .filter(|&(from, _)| !is_free && !text[..from].ends_with('$'))
            .map(|at| (at, "a template")),
        enclosed("<", ">", true).filter(|_| !is_free).map(|at| (at, "a template")),
        enclosed("%", "%", false).filter(|_| !is_free).map(|at| (at, "a template")),
    ];
    let ((from, to), language) = found.into_iter().flatten().min_by_key(|((from, _), _)| *from)?;
    Some((from, to, language))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(text: &str) -> Option<String> {
        refuse(&Source::new("f", text.as_bytes()).unwrap()).err().map(|error| error.to_string())
    }

    #[test]
    fn template_languages_are_named_at_the_first_placeholder() {
        for (text, place, language) in [
            ("a:\n  listen: <%= @listen %>\n", "2:11: `<%= @listen %>`", "ERB"),
            ("{%- for s in servers %}\n", "1:1: `{%- for s in servers %}`", "Jinja"),
            ("server {{ item.host }}:1;", "1:8: `{{ item.host }}`", "Jinja or Go"),
            ("{{- range .Values.servers }}\n", "1:1: `{{- range .Values.servers }}`", "Helm"),
            ("{{range gets \"/servers/*\"}}", "1:1: `{{range gets \"/servers/*\"}}`", "confd"),
            ("{{ range service \"cache\" }}", "1:1: ", "consul-template"),
            ("{{ range $i, $e := .Items }}", "1:1: ", "Jinja or Go"),
            ("{{ if a == b }}", "1:1: ", "Jinja or Go"),
            ("{{ lookup('a', b=1) | d('c', true) }}", "1:1: ", "Jinja or Go"),
            ("{%if a%}", "1:1: ", "Jinja"),
            ("%{ for s in servers ~}\nserver ${s};\n", "1:1: ", "Terraform"),
        ] {
            let refused = refusal(text).unwrap();
            assert!(refused.starts_with(&format!("f:{place}")), "{refused}");
            assert!(refused.contains(&format!("is a placeholder of {language}, and")), "{refused}");
        }
    }

    #[test]
    fn what_fleet_files_have_is_no_placeholder() {
        for text in [
            "hash_tag: \"{{\"\n",
            "# <%= comment %>\n  # {{ another }}\n",
            "log-format \"%{+Q}o %ci:%cp [%tr]\"\n",
            "hash $scheme${request_uri} consistent;\n",
            "{\"a\":{\"b\":{}}}\n",
            "{{1}: 2}}\n",
            "local servers = {{\"a\", 1}, {\"b\", 2}}\n",
            "local servers = {{host = \"a\"}, {host = \"b\"}}\n",
            "local one = {{name = \"a\"}}\n",
            "local one = {{\"a\", 1}}\n",
            "text_format: \"<%START_TIME%> {%REQ(A)%}\"\n",
            "log-format \"{%[src]%} <%ci> <%T>\"\n",
        ] {
            assert_eq!(refusal(text), None, "{text}");
        }
    }

    #[test]
    fn likely_placeholders_are_found_and_names_that_are_none_are_not() {
        for (text, found) in [
            ("${HOST}", "${HOST}"),
            ("a ${cache_host}:11211:1", "${cache_host}"),
            ("__CACHE_1__:11211", "__CACHE_1__"),
            ("{host}:11211:1", "{host}"),
            ("@HOST@:1", "@HOST@"),
            ("<host>:11211", "<host>"),
            ("%HOST%:11211", "%HOST%"),
            ("$CACHE_1:11211:1", "$CACHE_1"),
        ] {
            let (from, to, _) = likely(Kind::Twemproxy, text).unwrap();
            assert_eq!(&text[from..to], found);
        }
        for text in
            ["{}", "a__b__c", "user@host@x", "50%", "a<b", "$x", "__", "____", "{", "${", "10.0.0.1:1 {}"]
        {
            assert!(likely(Kind::Twemproxy, text).is_none(), "{text}");
        }
        assert!(likely(Kind::Toml, "{a}").is_none());
        assert!(likely(Kind::Toml, "${A}").is_some());
    }
}
