//! The report of a study: a page that stands alone ([`Report::html`]) and a summary in Markdown
//! ([`Report::markdown`]), both of one model.
//!
//! The page needs no script and fetches nothing: pictures are SVG inside it, each in two layouts, one
//! for wide screens and one for phones, and each with a table of its numbers. The same results give the
//! same bytes; what depends on the machine, the CPU seconds, is a section of its own at the end, and is
//! left out if it is not given.

mod charts;
mod figures;
mod front;
mod markdown;
mod of;
mod page;
mod part;
mod picture;
mod points;
#[cfg(test)]
mod tests;

use crate::draw::{Chart, Table};

/// What a report says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// The heading.
    pub title: String,
    /// How much was run, in a sentence or two.
    pub ran: String,
    /// The pictures that matter most.
    pub front: Vec<Chart>,
    /// One an experiment.
    pub parts: Vec<Part>,
    /// Figures that no experiment measures: history, speeds of one machine.
    pub unmeasured: Vec<Figure>,
    /// Whether published figures are judged at all: not at a scale at which they mean nothing.
    pub judged: bool,
}

/// One experiment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Part {
    /// Its name on the command line.
    pub name: String,
    /// A heading.
    pub title: String,
    /// The question it answers.
    pub question: String,
    /// How it was measured.
    pub method: String,
    /// What was run: settings, keys and seeds.
    pub ran: String,
    /// Its pictures.
    pub charts: Vec<Chart>,
    /// All its numbers, a row a setting.
    pub table: Table,
    /// The published figures that it measures.
    pub figures: Vec<Figure>,
}

/// A published figure and what became of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// Its name, for links.
    pub id: String,
    /// What was claimed, in our words.
    pub claim: String,
    /// Which text claims it.
    pub source: String,
    /// The value it gives.
    pub published: String,
    /// Ours with its standard error; empty if it was not measured.
    pub ours: String,
    /// The values that are accepted; empty if the claim is no number.
    pub band: String,
    /// Where ours, its error and the published value lie in the band, from −1 at its low end to 1 at its
    /// high end; none if the claim is no number.
    pub place: Option<Place>,
    /// What became of it.
    pub verdict: Verdict,
    /// Whether it should hold: another verdict is then a finding about us.
    pub expected: bool,
    /// Why, where it does not hold or holds in one reading only.
    pub reason: String,
}

/// A place in a band, from −1 to 1 inside it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Place {
    /// Of our value.
    pub ours: f64,
    /// Of one standard error.
    pub error: f64,
    /// Of the published value, if it is a number.
    pub published: Option<f64>,
}

/// What became of a published figure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// Ours lies in the band.
    Holds,
    /// It does not.
    #[default]
    DoesNotHold,
    /// It holds in one reading of what was claimed.
    Narrow,
    /// A speed: it depends on the machine.
    Cost,
    /// A fact of history, which is not measured.
    Historical,
    /// It needs more keys or seeds than were run.
    NotMeasured,
}

impl Verdict {
    /// All of them, as they are listed.
    pub const ALL: [Verdict; 6] = [
        Verdict::Holds,
        Verdict::DoesNotHold,
        Verdict::Narrow,
        Verdict::Cost,
        Verdict::Historical,
        Verdict::NotMeasured,
    ];

    /// In words.
    pub fn text(self) -> &'static str {
        match self {
            Verdict::Holds => "holds",
            Verdict::DoesNotHold => "does not hold",
            Verdict::Narrow => "in one reading",
            Verdict::Cost => "a speed",
            Verdict::Historical => "history",
            Verdict::NotMeasured => "not at this scale",
        }
    }

    /// A sign beside the words, so that colour is never the only way to tell them.
    fn sign(self) -> &'static str {
        match self {
            Verdict::Holds => "✓",
            Verdict::DoesNotHold => "✗",
            Verdict::Narrow => "◐",
            Verdict::Cost | Verdict::Historical | Verdict::NotMeasured => "–",
        }
    }

    fn class(self) -> &'static str {
        match self {
            Verdict::Holds => "verdict yes",
            Verdict::DoesNotHold => "verdict no",
            Verdict::Narrow => "verdict half",
            Verdict::Cost | Verdict::Historical | Verdict::NotMeasured => "verdict",
        }
    }
}

/// CPU seconds of one experiment on the machine that ran it.
#[derive(Clone, Debug, PartialEq)]
pub struct Cost {
    /// The experiment's name.
    pub part: String,
    /// How many runs.
    pub runs: u64,
    /// What they took together.
    pub cpu_seconds: f64,
}

impl Report {
    /// All published figures.
    pub fn figures(&self) -> impl Iterator<Item = &Figure> {
        self.parts.iter().flat_map(|part| &part.figures).chain(&self.unmeasured)
    }

    /// How many figures have this verdict.
    fn count(&self, verdict: Verdict) -> usize {
        self.figures().filter(|figure| figure.verdict == verdict).count()
    }

    /// Figures that should hold and were measured: how many do, and how many there are.
    fn expected(&self) -> (usize, usize) {
        let all = || self.figures().filter(|f| f.expected && f.verdict != Verdict::NotMeasured);
        (all().filter(|figure| figure.verdict == Verdict::Holds).count(), all().count())
    }
}
