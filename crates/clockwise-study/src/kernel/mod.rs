//! Kernels: what measures one run. A kernel is one function from a setting and a seed to numbers,
//! and says which settings it takes and what the numbers are.
//!
//! They are written for speed, with placements of their own: the library's types stand for real
//! fleets, with names and weights, and a study of a thousand random rings needs neither. That both
//! place keys alike is what the tests of each kernel show.

mod allocation;
mod arcs;
mod bounded;
mod change;
pub mod circle;
mod drift;
mod fleet;
mod formulas;
mod hashes;
mod kept;
mod knobs;
mod lab;
mod labels;
mod library;
mod losses;
mod maglev;
mod popularity;
mod probes;
pub mod random;
mod ring;
mod samples;
mod scheme;
#[cfg(test)]
mod tests;
mod weights;
mod zones;

use std::fmt::Write as _;

use clockwise::{Cap, Scheme};
use clockwise_config::Settings;

use crate::draw::Unit;
use crate::experiment::{Setting, Value};
use crate::number::grouped;

/// All kernels. A new one is a file of this room and a line here.
pub const KERNELS: &[Kernel] = &[
    ring::KERNEL,
    arcs::KERNEL,
    scheme::KERNEL,
    probes::KERNEL,
    maglev::KERNEL,
    bounded::KERNEL,
    labels::KERNEL,
    lab::KERNEL,
    samples::KERNEL,
    formulas::KERNEL,
    library::KERNEL,
    kept::KERNEL,
    drift::KERNEL,
    allocation::KERNEL,
    losses::KERNEL,
    weights::KERNEL,
    zones::KERNEL,
    popularity::ZIPF,
    popularity::REAL,
    hashes::KERNEL,
];

/// The kernel of that name.
pub fn find(name: &str) -> Option<&'static Kernel> {
    KERNELS.iter().find(|kernel| kernel.name == name)
}

/// What measures one run.
#[derive(Debug)]
pub struct Kernel {
    /// What experiments call it: `measure = "ring"`.
    pub name: &'static str,
    /// What it measures, in a sentence.
    pub about: &'static str,
    /// The settings it takes. All have to be given, and settings are kept in this order.
    pub knobs: &'static [Knob],
    /// The numbers it gives; a run may leave some out, where they have no meaning.
    pub metrics: &'static [Metric],
    /// Raised when the same seed gives other numbers than before: kept runs of another revision are
    /// not resumed from.
    pub revision: u32,
    /// About how many nanoseconds a run takes: what the time left is told from, and in which order
    /// runs are begun.
    pub(crate) cost: fn(&Trial<'_>) -> f64,
    /// Whether a setting can be measured, its knobs being in their bounds each for itself; or what is wrong with it.
    pub(crate) fits: fn(&Setting) -> Result<(), String>,
    pub(crate) run: fn(&Trial<'_>, &mut Measures) -> Outcome,
}

/// Whether a run could be measured.
pub(crate) type Outcome = Result<(), Box<dyn std::error::Error>>;

impl Kernel {
    /// The metric of that name.
    pub fn metric(&self, name: &str) -> Option<&'static Metric> {
        self.metrics.iter().find(|metric| metric.name == name)
    }

    /// The knob of that name.
    pub fn knob(&self, name: &str) -> Option<&'static Knob> {
        self.knobs.iter().find(|knob| knob.name == name)
    }
}

/// A setting that a kernel takes.
#[derive(Debug)]
pub struct Knob {
    /// What it is called in files.
    pub name: &'static str,
    /// What it is called on an axis.
    pub label: &'static str,
    /// Its values.
    pub values: Values,
    /// Whether fleets and keys are drawn for it, so that it is part of the seed. A knob that is not
    /// (a cap) says what is done with the same fleet and the same keys.
    pub draws: bool,
}

/// What a knob can be.
#[derive(Debug)]
pub enum Values {
    /// A whole number between these, both included.
    Whole(u64, u64),
    /// A number between these, both included.
    Number(f64, f64),
    /// An ε: a number from 0 to 1,000 that a [`Cap`] holds exactly.
    Cap,
    /// One of these words.
    Words(&'static [&'static str]),
    /// One of the words of a list that grows elsewhere (the hashes), or `all` for each of them.
    Listed(fn() -> Vec<String>),
    /// A scheme or a dialect of the library with its settings; `compared` stands for all of
    /// [`Scheme::compared`].
    Schemes,
}

impl Knob {
    /// The values that one in a file stands for, or what is wrong with it.
    pub(crate) fn takes(&self, value: Value) -> Result<Vec<Value>, String> {
        let name = self.name;
        match (&self.values, value) {
            (Values::Whole(least, most), Value::Whole(value)) if (least..=most).contains(&&value) => {
                Ok(vec![Value::Whole(value)])
            }
            (Values::Whole(least, most), value) => {
                Err(format!("`{name}` is {value}, and it is a whole number from {least} to {most}"))
            }
            (Values::Number(least, most), value) => match value.as_f64() {
                Some(number) if (*least..=*most).contains(&number) => Ok(vec![Value::Number(number)]),
                _ => Err(format!("`{name}` is {value}, and it is a number from {least} to {most}")),
            },
            (Values::Cap, value) => {
                let number = value.as_f64().filter(|number| (0.0..=1_000.0).contains(number));
                let Some(number) = number else {
                    return Err(format!("`{name}` is {value}, and it is a number from 0 to 1000"));
                };
                match number.to_string().parse::<Cap>() {
                    Ok(_) => Ok(vec![Value::Number(number)]),
                    Err(_) => Err(format!(
                        "`{name}` is {value}, which is too fine: few digits behind the point will do"
                    )),
                }
            }
            (Values::Words(words), Value::Text(word)) if words.contains(&word.as_str()) => {
                Ok(vec![Value::Text(word)])
            }
            (Values::Schemes, Value::Text(word)) if word == "compared" => {
                let settings = Scheme::compared().into_iter().map(|scheme| Settings::of(&scheme));
                Ok(settings.map(|settings| Value::Text(settings.to_string())).collect())
            }
            (Values::Schemes, Value::Text(text)) => match text.parse::<Settings>().and_then(|s| s.scheme()) {
                Ok(_) => Ok(vec![Value::Text(text)]),
                Err(error) => Err(format!("`{name}` is {text:?}: {}", error.without_places())),
            },
            (Values::Schemes, value) => Err(format!("`{name}` is {value}, and it is the name of a scheme")),
            (Values::Listed(list), Value::Text(word)) if word == "all" => {
                Ok(list().into_iter().map(Value::Text).collect())
            }
            (Values::Listed(list), Value::Text(word)) if list().contains(&word) => {
                Ok(vec![Value::Text(word)])
            }
            (Values::Listed(list), value) => {
                Err(format!("`{name}` is {value}, and it is all or one of {}", list().join(", ")))
            }
            (Values::Words(words), value) => {
                let mut text = format!("`{name}` is {value}, and it is one of");
                for word in *words {
                    let _ = write!(text, " {word}");
                }
                Err(text)
            }
        }
    }
}

impl Knob {
    /// A value as people read it: of a scheme what sets it apart (`ring, 160 points`).
    pub(crate) fn text(&self, value: &Value) -> String {
        match (&self.values, value) {
            (Values::Schemes, Value::Text(settings)) => plain(settings),
            (_, value) => value.as_f64().map_or_else(|| value.to_string(), |n| Unit::default().text(n)),
        }
    }
}

/// The settings of a scheme in words; the hash that all schemes have unless another is said is left out.
fn plain(settings: &str) -> String {
    let mut words = settings.split(',');
    let mut text = words.next().unwrap_or_default().to_owned();
    for word in words.filter(|word| *word != "hash=xxh3-64") {
        text.push_str(", ");
        match word.split_once('=') {
            Some(("points_per_weight", "1")) => text.push_str("1 point"),
            Some(("points_per_weight", points)) => text += &format!("{points} points"),
            Some(("table_size", slots)) => {
                text += &format!("{} slots", slots.parse::<u64>().map_or(slots.to_owned(), grouped));
            }
            Some(("probes", probes)) => text += &format!("{probes} probes"),
            Some(("capacity", room)) => {
                text += &format!("room for {}", room.parse::<u64>().map_or(room.to_owned(), grouped));
            }
            Some(("epsilon", epsilon)) => text += &format!("ε = {epsilon}"),
            Some((name, value)) => text += &format!("{} {value}", name.replace('_', " ")),
            None => text.push_str(word),
        }
    }
    text
}

/// A number that a kernel gives.
#[derive(Debug)]
pub struct Metric {
    /// Its name in results: lower-case words with underscores.
    pub name: &'static str,
    /// What it is, as an axis or a column says it.
    pub label: &'static str,
    /// What it is counted in; empty for a plain ratio.
    pub unit: &'static str,
}

/// What one run is given.
#[derive(Clone, Copy, Debug)]
pub struct Trial<'s> {
    /// The point of the grid.
    pub setting: &'s Setting,
    /// Where its random numbers come from.
    pub seed: u64,
    /// How many keys its scale gives it.
    pub keys: usize,
}

/// What one run gave: metrics with their values, in the order they were put.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Measures(Vec<(&'static str, f64)>);

impl Measures {
    /// One more. What is not a finite number was not measured, and is left out.
    pub fn put(&mut self, metric: &'static str, value: f64) {
        if value.is_finite() {
            self.0.push((metric, value));
        }
    }

    /// The value of a metric.
    pub fn get(&self, metric: &str) -> Option<f64> {
        self.0.iter().find(|(name, _)| *name == metric).map(|(_, value)| *value)
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, f64)> {
        self.0.iter().copied()
    }
}

/// The largest, as a ratio to the mean.
pub(crate) fn busiest_over_mean(counts: &[u32], total: usize) -> f64 {
    let most = counts.iter().copied().max().unwrap_or(0);
    f64::from(most) / (total as f64 / counts.len() as f64)
}
