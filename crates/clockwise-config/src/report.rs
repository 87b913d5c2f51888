//! Where readers put what they find wrong, so that one pass finds all of it.

use std::path::{Path, PathBuf};

use clockwise::Scheme;

use crate::Options;
use crate::diagnostic::{Diagnostic, Diagnostics, MAX_DIAGNOSTICS, Severity, ticked};
use crate::source::{Source, Span};

/// Complaints about one source while it is read.
pub(crate) struct Report {
    pub(crate) source: Source,
    pub(crate) options: Options,
    /// The folder that the file is in, if it is one and not only bytes: what it includes is there.
    pub(crate) folder: Option<PathBuf>,
    errors: Vec<Diagnostic>,
    /// Errors that were only counted: memory and time stay bounded however broken a file is.
    omitted: usize,
    warnings: Vec<Diagnostic>,
    /// What is right and worth saying of the file.
    pub(crate) notes: Vec<String>,
}

impl Report {
    pub(crate) fn new(source: &Source, options: &Options) -> Report {
        Report {
            source: source.clone(),
            options: options.clone(),
            folder: None,
            errors: Vec::new(),
            omitted: 0,
            warnings: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// The same for a file in a folder.
    pub(crate) fn in_folder(self, folder: Option<&Path>) -> Report {
        Report { folder: folder.map(Path::to_owned), ..self }
    }

    /// An error of this source, to be pushed once it is complete.
    #[must_use]
    pub(crate) fn error_at(&self, span: Span, message: impl Into<String>) -> Diagnostic {
        // What is wrong with a block as a whole is said where it begins.
        let span = if span == Span::new(0, 0) { self.source.begin() } else { span };
        Diagnostic::error(&self.source, span, message.into())
    }

    /// A warning of this source, to be pushed once it is complete.
    #[must_use]
    pub(crate) fn warning_at(&self, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic::warning(&self.source, span, message.into())
    }

    /// Keeps a complaint; a warning becomes an error where the options say so.
    pub(crate) fn push(&mut self, diagnostic: Diagnostic) {
        if diagnostic.severity() == Severity::Warning && !self.options.strict {
            self.warnings.push(diagnostic);
        } else if self.is_full() {
            self.omitted += 1;
        } else {
            self.errors.push(diagnostic.escalated());
        }
    }

    /// Keeps a warning about a pool with the pool, unless warnings are errors.
    pub(crate) fn warn(&mut self, pool: &mut Vec<Diagnostic>, warning: Diagnostic) {
        match self.options.strict {
            true => self.push(warning),
            false => pool.push(warning),
        }
    }

    /// What the product refuses and is clear all the same: an error, unless the options say to be
    /// lenient.
    pub(crate) fn lenient(&mut self, refused: Diagnostic) {
        let diagnostic = match self.options.lenient {
            true => refused.mitigated(),
            false => refused.with_more_help("--lenient reads it all the same"),
        };
        self.push(diagnostic);
    }

    /// How keys are placed on a fleet whose file does not say: as the options do. Otherwise the
    /// error of a pool that is right and places nothing; `why` is a sentence about it.
    pub(crate) fn placement(&self, span: Span, why: impl Into<String>) -> Result<Scheme, Diagnostic> {
        self.placement_as("ring", span, why)
    }

    /// The same with an example that is likely to be meant.
    pub(crate) fn placement_as(
        &self,
        example: &str,
        span: Span,
        why: impl Into<String>,
    ) -> Result<Scheme, Diagnostic> {
        self.options.placement.clone().ok_or_else(|| {
            self.error_at(span, why).with_help(format!(
                "say how keys are placed: --placement NAME[,KEY=VALUE…], as in --placement {example}"
            ))
        })
    }

    /// An error that needs no more than its place and its sentence.
    pub(crate) fn error(&mut self, span: Span, message: impl Into<String>) {
        let diagnostic = self.error_at(span, message);
        self.push(diagnostic);
    }

    /// The complaint of every format about a key that is there twice.
    pub(crate) fn duplicate_key(&mut self, key: &str, first: Span, second: Span) {
        if self.is_full() {
            return self.count_one_more();
        }
        let lines = self.source.both_lines(first.start(), second.start());
        let message = format!("{} is given twice, {lines}", ticked(key));
        let diagnostic = self.error_at(second, message);
        self.push(diagnostic.with_label("again here").with_also(first, "first given here"));
    }

    /// How many warnings there are.
    pub(crate) fn warnings(&self) -> usize {
        self.warnings.len()
    }

    /// Takes out the warnings from one on: those of a pool whose parts stand apart from it.
    pub(crate) fn warnings_from(&mut self, index: usize) -> Vec<Diagnostic> {
        self.warnings.split_off(index.min(self.warnings.len()))
    }

    /// Further errors are only counted: no use to work for them.
    pub(crate) fn is_full(&self) -> bool {
        self.errors.len() >= MAX_DIAGNOSTICS
    }

    /// An error for which nothing was worked out, since the report is full.
    pub(crate) fn count_one_more(&mut self) {
        self.omitted += 1;
    }

    pub(crate) fn has_errors(&self) -> bool {
        self.omitted > 0 || !self.errors.is_empty()
    }

    /// The warnings if there is no error, and otherwise all.
    pub(crate) fn finish(mut self) -> Result<Vec<Diagnostic>, Diagnostics> {
        if !self.has_errors() {
            return Ok(self.warnings);
        }
        self.errors.append(&mut self.warnings);
        Err(Diagnostics::new(self.errors, self.omitted))
    }
}
