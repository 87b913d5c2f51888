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
mod judged;
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
    /// The value it gives, as it was published.
    pub published: String,
    /// Each number of it beside ours; empty if it was not measured.
    pub values: Vec<Compared>,
    /// What became of it.
    pub verdict: Verdict,
    /// Whether it should hold: another verdict is then a finding about us.
    pub expected: bool,
    /// Why it does not hold or in which reading it does, or what else the reader should know.
    pub reason: String,
}

/// One number of a published figure beside ours.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Compared {
    /// Which number, where a figure has several.
    pub what: String,
    /// Ours with its standard error.
    pub ours: String,
    /// The values that are accepted.
    pub band: String,
    /// Where they lie in the band; none if the band has no width.
    pub place: Option<Place>,
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

/// What the picture at a place in a part is called.
fn picture_name(part: &str, at: usize) -> String {
    format!("{part}-{}.svg", at + 1)
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

    /// Every picture as a file that stands alone, with its name: `ring-1.svg`. Those of the first screen are
    /// called `summary`.
    pub fn pictures(&self) -> Vec<(String, String)> {
        let parts = self.parts.iter().map(|part| (part.name.as_str(), &part.charts));
        let all = std::iter::once(("summary", &self.front)).chain(parts);
        let files = all.flat_map(|(name, charts)| {
            let drawn = charts.iter().enumerate().filter(|(_, chart)| chart.is_drawn());
            drawn.map(move |(at, chart)| (picture_name(name, at), chart.picture()))
        });
        files.collect()
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
