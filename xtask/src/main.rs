//! `cargo xtask VERB`: each verb is one step of CI, and the command to run by hand.
#![forbid(unsafe_code)]

mod answers;
mod bench;
mod browser;
mod fuzz;
mod instructions;
mod levels;
mod libraries;
mod live;
mod no_std;
mod packages;
mod readme;
mod repo;
mod sanitize;
mod step;
mod study;
mod test;
mod tidy;
mod wasm;

use std::path::Path;
use std::process::{Command, ExitCode};

use step::Outcome;

/// One command: its name and options, what it does, and how.
struct Verb {
    name: &'static str,
    options: &'static str,
    about: &'static str,
    run: fn(&Path, &[String]) -> Result<bool, String>,
}

const VERBS: &[Verb] = &[
    Verb {
        name: "test",
        options: "[--fast]",
        about: "everything CI checks, a line a step, and `N passed, N failed` at the end; --fast for the inner \
                loop: nothing installed, no live programs, no release build",
        run: |root, options| Ok(test::run(root, flag(options, "--fast")?)),
    },
    Verb {
        name: "tidy",
        options: "",
        about: "the house rules: which room imports which, file size, no panics, no paths of one machine",
        run: |root, options| check(options, test::tidy(root)),
    },
    Verb {
        name: "docs",
        options: "",
        about: "the documentation, with every warning an error",
        run: |root, options| program(root, options, test::docs_command()),
    },
    Verb {
        name: "packages",
        options: "",
        about: "installs what the live tests run against, and a browser (apt-get, and pip and npm under target; no \
                service is started)",
        run: |root, options| check(options, packages::install(root)),
    },
    Verb {
        name: "live",
        options: "",
        about: "the tests that start real programs and compare their owners with ours",
        run: |root, options| program(root, options, live::command(root)),
    },
    Verb {
        name: "answers",
        options: "",
        about: "a line a system: how many recorded and live answers match, and of which version; runs both \
                kinds of tests",
        run: |root, options| check(options, answers::run(root)),
    },
    Verb {
        name: "levels",
        options: "",
        about: "recorded answers, test vectors and properties at every instruction level of the machine that is below \
                its best, at which all other tests run",
        run: |root, options| check(options, levels::run(root)),
    },
    Verb {
        name: "browser",
        options: "",
        about: "our pages in Chromium: light, dark and on a phone, nothing cut off or overlapping, no script needed, \
                nothing for axe to find; the last line is `N passed, N failed`",
        run: |root, options| {
            browser::pages(root)?;
            program(root, options, browser::command(root))
        },
    },
    Verb {
        name: "readme",
        options: "",
        about: "runs the README's first command (a release build) and compares its output with the README; draws the \
                study's curve of its page, and compares",
        run: |root, options| check(options, readme::check(root)),
    },
    Verb {
        name: "study",
        options: "[--published]",
        about: "published figures measured again and held against their bands (a release build): those that take \
                a second; --published: all of them, in minutes",
        run: |root, options| {
            let published = flag(options, "--published")?;
            program(root, &[], study::command(published))
        },
    },
    Verb {
        name: "no-std",
        options: "",
        about: "proves that the library links without the standard library",
        run: |root, options| {
            program(root, options, no_std::command(root).map_err(|error| error.to_string())?)
        },
    },
    Verb {
        name: "wasm",
        options: "[--check]",
        about: "builds the lab's core for browsers into the command's assets, and notes what it was built from; \
                --check compares with what is there instead",
        run: |root, options| {
            let only_check = flag(options, "--check")?;
            check(&[], if only_check { wasm::compare(root) } else { wasm::build(root) })
        },
    },
    Verb {
        name: "bench",
        options: "[--command | --ratios | --curves]",
        about: "ours and the other crates on the same keys, and our command on ten million, each goal with its \
                verdict; writes docs/performance.md. --command: the last only; --ratios: each scheme as a ratio to the plainest program of the same \
                answers; --curves: times by criterion, over the size of the fleet",
        run: |root, options| {
            let command = match options.iter().map(String::as_str).collect::<Vec<_>>()[..] {
                [] | ["--command"] if !program(root, &[], bench::program())? => return Ok(false),
                [] => bench::peers(root, false),
                ["--command"] => bench::peers(root, true),
                ["--ratios"] => bench::ratios(),
                ["--curves"] => bench::curves(root),
                _ => return Err("the options are --command, --ratios or --curves".to_owned()),
            };
            program(root, &[], command)
        },
    },
    Verb {
        name: "instructions",
        options: "",
        about: "how many instructions a lookup of each scheme takes (a release build, counted by valgrind); fails \
                above the limits, which the source states",
        run: |root, options| check(options, instructions::check(root)),
    },
    Verb {
        name: "sanitize",
        options: "",
        about: "the tests that run the library's unsafe code, compiled with a check of every access to memory \
                (AddressSanitizer)",
        run: |root, options| check(options, sanitize::run(root)),
    },
    Verb {
        name: "fuzz",
        options: "[--mutations N] [--seed N]",
        about: "the mutation tests with more mutations (1,000,000 each) and, if given, another seed",
        run: |root, options| program(root, &[], fuzz::command(options)?),
    },
];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let Some(text) = help(&arguments) {
        print!("{text}");
        return ExitCode::SUCCESS;
    }
    let Some((name, options)) = arguments.split_first() else {
        print!("{}", all_verbs());
        return ExitCode::FAILURE;
    };
    // `help VERB` of a verb that there is was answered above.
    let name = options.first().filter(|_| name == "help").unwrap_or(name);
    let Some(verb) = VERBS.iter().find(|verb| verb.name == name) else {
        eprintln!("there is no verb `{name}`; `cargo xtask help` lists them");
        return ExitCode::FAILURE;
    };
    match (verb.run)(&repo::root(), options) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(problem) => {
            eprintln!("{problem}");
            ExitCode::FAILURE
        }
    }
}

/// What is asked for with `help`, `help VERB` or, behind a verb or alone, `--help` and `-h`.
fn help(arguments: &[String]) -> Option<String> {
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let is_help = |word: &&str| matches!(*word, "--help" | "-h");
    let of_verb = |name: &str| VERBS.iter().find(|verb| verb.name == name).map(described);
    match words.as_slice() {
        ["help"] | ["--help" | "-h", ..] => Some(all_verbs()),
        ["help", name, ..] => of_verb(name),
        [name, options @ ..] if options.iter().any(is_help) => of_verb(name),
        _ => None,
    }
}

fn all_verbs() -> String {
    let verbs = VERBS.iter().map(|verb| format!("\n{}", described(verb)));
    format!("cargo xtask VERB\n{}", verbs.collect::<String>())
}

/// A verb with its options, and what it does.
fn described(verb: &Verb) -> String {
    let usage = format!("{} {}", verb.name, verb.options);
    format!("{}\n    {}\n", usage.trim_end(), verb.about)
}

/// The one flag that a verb knows.
fn flag(options: &[String], known: &str) -> Result<bool, String> {
    match options {
        [] => Ok(false),
        [option] if option == known => Ok(true),
        _ => Err(format!("the only option is {known}")),
    }
}

fn no_options(options: &[String]) -> Result<(), String> {
    if options.is_empty() { Ok(()) } else { Err(format!("no such option: {}", options.join(" "))) }
}

fn check(options: &[String], outcome: Outcome) -> Result<bool, String> {
    no_options(options)?;
    for note in outcome? {
        println!("{note}");
    }
    Ok(true)
}

fn program(root: &Path, options: &[String], mut command: Command) -> Result<bool, String> {
    no_options(options)?;
    let status = command.current_dir(root).status().map_err(|error| error.to_string())?;
    Ok(status.success())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(arguments: &str) -> Option<String> {
        help(&arguments.split(' ').map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn every_verb_answers_a_question_for_help() {
        for Verb { name, about, .. } in VERBS {
            for question in [format!("{name} --help"), format!("{name} -h"), format!("help {name}")] {
                let text = asked(&question).unwrap_or_default();
                assert!(text.starts_with(name) && text.contains(about), "{question}: {text}");
            }
            assert_eq!(asked(name), None);
            assert!(asked("--help").is_some_and(|all| all.contains(about)), "{name}");
        }
        assert!(asked("fuzz --seed 1 --help").is_some());
        assert_eq!(asked("nothing --help"), None);
        assert_eq!(asked("help nothing"), None);
    }
}
