//! A file of nginx and those that it includes, walked block by block down to the upstreams.
//!
//! Relative names are looked for from the folder of the file that is read, also those in included
//! files: nginx does so with the file it is started with. Names with `*`, `?` or `[` are patterns and
//! may match nothing; any other file must be there. Only what can hold an `upstream` is followed: blocks
//! of servers, locations, maps and types are passed over with what they include.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use super::lexer::{Complaint, Directive, Item, Lexer, Word};
use super::{glob, names};
use crate::diagnostic::{Diagnostic, MAX_DIAGNOSTICS, quoted};
use crate::report::Report;
use crate::source::{MAX_BYTES, Source, Span};
use crate::suggest::nearest;

/// How deep files may include files.
const MAX_DEPTH: usize = 16;

/// How many files are read for one, and how many are looked for.
const MAX_FILES: usize = 4_096;

/// After so many includes that cannot be followed no more are looked for.
const MAX_MISSED: usize = 64;

/// An `upstream` block as it stands in the file.
#[derive(Debug)]
pub(super) struct Upstream {
    /// `upstream NAME`
    pub(super) opened: Directive,
    pub(super) context: Context,
    pub(super) directives: Vec<Directive>,
}

/// What a directive stands in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Context {
    /// No block at all: nginx's main file, or a part of one.
    Top,
    Http,
    Stream,
    Upstream,
}

struct File {
    path: String,
    text: Rc<str>,
    base: usize,
}

pub(super) struct Files {
    folder: Option<PathBuf>,
    files: Vec<File>,
    /// The files that are being read, each included by the one before.
    open: Vec<PathBuf>,
    /// How many includes were looked for, and how many of them in vain.
    sought: usize,
    missed: usize,
    pub(super) complaints: Vec<Complaint>,
    /// How many complaints were only counted, those of errors and those of warnings.
    pub(super) more: [usize; 2],
    /// Complaints about included files that are no text.
    pub(super) refused: Vec<Diagnostic>,
    pub(super) upstreams: Vec<Upstream>,
    /// The first block at the top that only nginx's main file has.
    pub(super) main_block: Option<Span>,
}

impl Files {
    /// Walks a file.
    pub(super) fn read(report: &Report) -> Files {
        let mut files = Files {
            folder: report.folder.clone(),
            files: Vec::new(),
            open: Vec::new(),
            sought: 0,
            missed: 0,
            complaints: Vec::new(),
            more: [0; 2],
            refused: Vec::new(),
            upstreams: Vec::new(),
            main_block: None,
        };
        files.open.extend(Path::new(report.source.path()).canonicalize());
        files.file(report.source.path(), report.source.text(), Context::Top);
        files
    }

    /// All that was read, if it is more than the file itself.
    pub(super) fn source(&self) -> Option<Source> {
        let all = || self.files.iter().map(|file| (file.path.as_str(), &*file.text));
        (self.files.len() > 1).then(|| Source::joined(all()))
    }

    /// Keeps a complaint. Beyond what is shown of any file they are only counted, however many a file
    /// has.
    fn complain(&mut self, complaint: Complaint) {
        let alike = |kept: &&Complaint| kept.is_warning == complaint.is_warning;
        if self.complaints.iter().filter(alike).count() < MAX_DIAGNOSTICS {
            self.complaints.push(complaint);
        } else {
            self.more[usize::from(complaint.is_warning)] += 1;
        }
    }

    /// Takes a file in and walks it.
    fn file(&mut self, path: &str, text: &str, context: Context) {
        let base = self.files.last().map_or(0, |file| file.base + file.text.len());
        let text: Rc<str> = if text.ends_with('\n') { text.into() } else { format!("{text}\n").into() };
        self.files.push(File { path: path.to_owned(), text: Rc::clone(&text), base });
        if let Err(complaint) = self.block(&mut Lexer::new(&text, base), context, None) {
            self.complain(complaint);
        }
    }

    /// Walks a file, or a block that a directive has opened.
    fn block(
        &mut self,
        lexer: &mut Lexer<'_>,
        context: Context,
        opened: Option<&Directive>,
    ) -> Result<(), Complaint> {
        loop {
            match (lexer.next()?, opened) {
                (Item::Directive(directive), _) => self.directive(lexer, context, directive)?,
                (Item::Close(_), Some(_)) | (Item::End, None) => return Ok(()),
                (Item::Close(span), None) => {
                    return Err(Complaint::new(span, "no block is open that this `}` closes"));
                }
                (Item::End, Some(opened)) => return Err(lexer.unclosed(opened.name_span())),
            }
        }
    }

    fn directive(
        &mut self,
        lexer: &mut Lexer<'_>,
        context: Context,
        directive: Directive,
    ) -> Result<(), Complaint> {
        match (directive.name(), context) {
            ("include", _) => self.include(lexer, &directive, context),
            (_, Context::Upstream) => {
                if directive.opens {
                    lexer.skip(&directive)?;
                }
                if let Some(upstream) = self.upstreams.last_mut() {
                    upstream.directives.push(directive);
                }
                return Ok(());
            }
            ("upstream", _) if directive.opens => {
                let directives = Vec::new();
                self.upstreams.push(Upstream { opened: directive.clone(), context, directives });
                return self.block(lexer, Context::Upstream, Some(&directive));
            }
            ("upstream", _) => {
                let this = lexer.shown(directive.span());
                let message = format!("{this} opens no block: an upstream's servers stand in {{ }}");
                self.complain(Complaint::new(directive.span(), message));
            }
            ("server", Context::Top | Context::Http | Context::Stream) if !directive.opens => {
                let this = lexer.shown(directive.span());
                let message = format!("{this} stands outside of an `upstream`");
                let help = "a list of servers has a name and a method: upstream NAME { hash …; server …; }";
                self.complain(Complaint::new(directive.span(), message).with_help(help));
            }
            (name @ ("http" | "stream" | "events"), Context::Top) if directive.opens => {
                self.main_block.get_or_insert(directive.name_span());
                match name {
                    "http" => return self.block(lexer, Context::Http, Some(&directive)),
                    "stream" => return self.block(lexer, Context::Stream, Some(&directive)),
                    _ => {}
                }
            }
            _ => self.other(lexer, &directive),
        }
        if directive.opens { lexer.skip(&directive) } else { Ok(()) }
    }

    /// A directive that places nothing, if it is one.
    fn other(&mut self, lexer: &Lexer<'_>, directive: &Directive) {
        let name = directive.name();
        if names::is_known(name) {
            return;
        }
        let span = directive.name_span();
        let this = lexer.shown(span);
        let comment = ["//", "/*", "--", "%", "<!--"].iter().any(|start| name.starts_with(start));
        let meant = nearest(name, ["upstream", "include", "http", "stream"]);
        let complaint = match meant {
            _ if comment => Complaint::new(span, format!("{this} begins no comment in nginx's files"))
                .with_help("a comment begins with `#`"),
            Some(meant) => Complaint::new(span, format!("nginx has no directive {this}"))
                .with_help(format!("did you mean `{meant}`?")),
            None => {
                let message = format!("{this} is no directive of nginx's own modules, and is passed over");
                Complaint { is_warning: true, ..Complaint::new(span, message) }
            }
        };
        self.complain(complaint);
    }

    fn include(&mut self, lexer: &Lexer<'_>, directive: &Directive, context: Context) {
        let [word] = directive.arguments() else {
            let this = lexer.shown(directive.span());
            self.complain(Complaint::new(directive.span(), format!("{this} is not an include of one file")));
            return;
        };
        // nginx brings along what holds no upstream; where else it is, a text that comes from no file does
        // not say. Lists inside of an upstream are a part of it.
        if self.folder.is_none() && context != Context::Upstream {
            if !is_own(word) {
                let message =
                    format!("`include` of {} is not followed: only a text is here", quoted(&word.text));
                let help = "upstreams in it are not known; read it from its path if they matter";
                self.complain(
                    Complaint { is_warning: true, ..Complaint::new(word.span, message) }.with_help(help),
                );
            }
            return;
        }
        if let Err(problem) = self.included(word, context) {
            self.missed += 1;
            let message = format!("`include` of {}: {problem}", quoted(&word.text));
            let complaint = Complaint::new(word.span, message);
            self.complain(match self.folder {
                Some(_) => complaint.with_help(
                    "names are looked for from the folder of the file that is read, as nginx does",
                ),
                None => complaint.with_help("read it from its path, or take the line out"),
            });
        }
    }

    /// Reads what a name or pattern stands for. The error is what follows "include of …:".
    fn included(&mut self, word: &Word, context: Context) -> Result<(), String> {
        let name = Path::new(&word.text);
        let own = is_own(word);
        let Some(folder) = &self.folder else {
            return Err("it is in another file, and only a text is here".to_owned());
        };
        self.sought += 1;
        if self.sought > MAX_FILES || self.missed > MAX_MISSED {
            return Err("it is not looked for after so many others".to_owned());
        }
        if self.open.len() > MAX_DEPTH {
            return Err(format!("files include files more than {MAX_DEPTH} deep"));
        }
        let path = folder.join(name);
        let paths = if glob::is_pattern(&word.text) {
            glob::matches(&path, MAX_FILES)
                .ok_or_else(|| format!("it stands for more than {MAX_FILES} files"))?
        } else {
            vec![path]
        };
        for path in paths {
            if own && !path.exists() {
                continue;
            }
            self.load(&path, context)?;
        }
        Ok(())
    }

    fn load(&mut self, path: &Path, context: Context) -> Result<(), String> {
        let shown = path.to_string_lossy().into_owned();
        let unreadable = |error: std::io::Error| format!("{shown} cannot be read: {error}");
        let whole = path.canonicalize().map_err(unreadable)?;
        if self.open.contains(&whole) {
            return Err(format!("{shown} includes itself"));
        }
        if self.files.len() > MAX_FILES {
            return Err(format!("it is more than the {MAX_FILES}th file"));
        }
        if !whole.is_file() {
            return Err(format!("{shown} is no file"));
        }
        let before = self.files.last().map_or(0, |file| file.base + file.text.len());
        let room = MAX_BYTES.saturating_sub(before);
        let mut bytes = Vec::new();
        std::fs::File::open(&whole)
            .and_then(|file| file.take(room as u64 + 1).read_to_end(&mut bytes))
            .map_err(unreadable)?;
        // One byte for the line break that ends it.
        if bytes.len() >= room {
            return Err(format!("with {shown} the files are larger than {} MiB", MAX_BYTES >> 20));
        }
        match Source::new(&shown, &bytes) {
            Ok(source) => {
                self.open.push(whole);
                self.file(&shown, source.text(), context);
                self.open.pop();
            }
            Err(refused) => self.refused.push(refused),
        }
        Ok(())
    }
}

/// Whether nginx brings the file along.
fn is_own(word: &Word) -> bool {
    Path::new(&word.text).file_name().and_then(|name| name.to_str()).is_some_and(names::is_own_file)
}
