//! "Copy as command": lines for a shell that give the figures of the page.

use clockwise::{Built, ChangeLog, Placement as _};
use clockwise_config::to_toml;
use serde::Serialize;

use crate::Refusal;
use crate::layout::remembers;
use crate::state::{Fleet, Keys, State, range};

/// The most keys that are written out one by one.
const WRITTEN: usize = 1_000;

/// Lines for a shell.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Command {
    /// The lines, for any POSIX shell with `clockwise` in its path.
    pub text: String,
}

/// The command that gives the same answer: `clockwise plan` where something changed, or where loads decide
/// and only a plan places all keys; else `clockwise owner`.
pub fn command(state: &State) -> Result<Command, Refusal> {
    let keys = keys(&state.keys)?;
    let (now, fleet) = (file(&state.fleet)?, &state.fleet);
    let read = "--keys - --key-format lines";
    let text = match state.history.split_last() {
        None => {
            let built = fleet.placement()?.build(&fleet.servers()?)?;
            let first = written("lab.toml", &now);
            if built.cap().is_some() {
                format!("{first}{keys} | clockwise plan lab.toml lab.toml {read}\n")
            } else {
                format!("{first}{keys} | clockwise owner lab.toml {read}{}\n", holders(state, &built))
            }
        }
        Some((_, earlier)) if !earlier.is_empty() && remembers(fleet) => {
            return Err(Refusal::new(
                "where keys are depends on every change so far, and a plan knows the last one",
            ));
        }
        Some((before, _)) => {
            let first = written("lab.toml", &file(before)?);
            match changes(before, fleet) {
                Some(changes) => format!("{first}{keys} | clockwise plan lab.toml{changes} {read}\n"),
                None => {
                    let second = written("lab-after.toml", &continued(before, fleet)?);
                    format!("{first}{second}{keys} | clockwise plan lab.toml lab-after.toml {read}\n")
                }
            }
        }
    };
    Ok(Command { text })
}

/// Who holds a key beside its owner and answers for it, as options; none where the scheme has no order of
/// nodes, of which the command tells owners alone.
fn holders(state: &State, built: &Built) -> String {
    let mut options = String::new();
    if built.ranked().is_none() {
        return options;
    }
    if state.replicas > 1 {
        options += &format!(" --replicas {}", state.replicas);
        options += if state.spread { " --zones" } else { "" };
    }
    for name in &state.down {
        // In one word, since a name may begin as an option does.
        options += &format!(" {}", quoted(&format!("--down={name}")));
    }
    options
}

fn file(fleet: &Fleet) -> Result<String, Refusal> {
    Ok(to_toml(&fleet.placement()?, &fleet.servers()?))
}

/// The file of a fleet after a change: with its history, where the scheme goes by that.
fn continued(before: &Fleet, fleet: &Fleet) -> Result<String, Refusal> {
    let scheme = fleet.placement()?;
    if !scheme.keeps_history() {
        return file(fleet);
    }
    let log = ChangeLog::of(&before.servers()?)?.after(&fleet.servers()?)?;
    Ok(to_toml(&scheme, log.buckets()))
}

/// A file as a here-document. No line of TOML is FLEET alone.
fn written(path: &str, text: &str) -> String {
    format!("cat > {path} <<'FLEET'\n{text}FLEET\n")
}

/// A command that prints the keys.
fn keys(keys: &Keys) -> Result<String, Refusal> {
    // What cannot be shown cannot be printed either.
    keys.count()?;
    let mut printed = if keys.pattern.is_empty() {
        if keys.list.len() > WRITTEN {
            return Err(Refusal::new(format!("a command cannot hold more than {WRITTEN} keys one by one")));
        }
        let list: Vec<String> = keys.list.iter().map(|key| line(key)).collect::<Result<_, _>>()?;
        if list.is_empty() { String::new() } else { format!("printf '%s\\n' {}", list.join(" ")) }
    } else {
        let (text, first, last) = range(&keys.pattern)?;
        let format = line(&format!("{}%.0f", text.replace('%', "%%")))?;
        format!("seq -f {format} {first} {last}")
    };
    if let Some(hot) = &keys.hot {
        let hot = format!("yes {} | head -n {}", line(&hot.key)?, hot.times);
        printed = if printed.is_empty() { hot } else { format!("{{ {printed}; {hot}; }}") };
    }
    Ok(printed)
}

/// A key that a line can hold.
fn line(key: &str) -> Result<String, Refusal> {
    if key.is_empty() || key.contains(['\n', '\r', '\0']) {
        return Err(Refusal::new(format!("the key {key:?} cannot stand on a line of its own")));
    }
    Ok(quoted(key))
}

/// A word of a shell.
fn quoted(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_.:/=,@%+".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// The change as options of a plan, where there are options for it.
fn changes(before: &Fleet, now: &Fleet) -> Option<String> {
    if !before.same_settings(now) {
        return None;
    }
    let mut options = String::new();
    let mut nodes = before.nodes.clone();
    // An option is divided at these.
    let splits = |text: &str| text.contains(['=', ',']) || text.starts_with('-');
    // From the last to the first, as a history takes nodes that leave at once.
    for gone in before.nodes.iter().rev().filter(|node| !now.has(&node.name)) {
        nodes.retain(|node| node.name != gone.name);
        options += &format!(" --remove {}", quoted(&gone.name));
    }
    for node in now.nodes.iter().filter(|node| !before.has(&node.name)) {
        let address = if node.address.is_empty() { &node.name } else { &node.address };
        if node.weight == 0 || [&node.name, address, &node.zone].into_iter().any(|text| splits(text)) {
            return None;
        }
        let mut add = format!("{}={address}", node.name);
        if node.weight != 1 {
            add += &format!(",weight={}", node.weight);
        }
        if !node.zone.is_empty() {
            add += &format!(",zone={}", node.zone);
        }
        options += &format!(" --add {}", quoted(&add));
        nodes.push(node.clone());
    }
    for node in &mut nodes {
        let after = now.nodes.iter().find(|after| after.name == node.name)?;
        if after.weight != node.weight {
            if splits(&node.name) {
                return None;
            }
            options += &format!(" --weight {}", quoted(&format!("{}={}", node.name, after.weight)));
            node.weight = after.weight;
        }
    }
    (nodes == now.nodes && !options.is_empty()).then_some(options)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::{Node, SchemeName};

    #[test]
    fn a_shell_reads_back_what_was_quoted() {
        assert_eq!(quoted("user:%.0f"), "user:%.0f");
        assert_eq!(quoted("it's"), r"'it'\''s'");
        assert_eq!(quoted("$(a)"), "'$(a)'");
    }

    #[test]
    fn a_command_asks_only_for_what_the_scheme_can_say() {
        let mut state = State { replicas: 2, down: vec!["-n".to_owned()], ..State::default() };
        state.fleet.nodes.push(Node::named("-n"));
        let last = |state: &State| command(state).unwrap().text.lines().last().unwrap().to_owned();
        assert!(last(&state).ends_with(" --key-format lines --replicas 2 --down=-n"), "{}", last(&state));
        state.fleet.scheme = SchemeName::Jump;
        assert!(last(&state).ends_with("clockwise owner lab.toml --keys - --key-format lines"));
        // An owner is asked for one key, and loads decide over all.
        state.fleet.scheme = SchemeName::Bounded;
        assert!(last(&state).ends_with("clockwise plan lab.toml lab.toml --keys - --key-format lines"));
    }

    #[test]
    fn a_change_is_options_where_there_are_options_for_it() {
        let before = Fleet::default();
        let with = |nodes: Vec<Node>| changes(&before, &Fleet { nodes, ..before.clone() });
        let [a, b, c, d] = ["A", "B", "C", "D"].map(Node::named);
        let heavy = Node { weight: 3, zone: "z".to_owned(), ..Node::named("E") };
        assert_eq!(
            with(vec![a.clone(), b.clone(), Node { weight: 0, ..d.clone() }, heavy]).unwrap(),
            " --remove C --add E=E,weight=3,zone=z --weight D=0"
        );
        assert_eq!(with(vec![b, a, c, d]), None);
        assert_eq!(with(before.nodes.clone()), None);
        assert_eq!(changes(&before, &Fleet { tokens: 2, ..before.clone() }), None);
    }
}
