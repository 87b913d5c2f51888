//! From a TOML file to an [`Experiment`]. Every complaint names the file, the line and the value.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use clockwise_config::{Diagnostic, Diagnostics, Source, printable};
use serde::Deserialize;
use toml::Spanned;

use super::{Chart, ChartKind, Experiment, Extent, Setting, Theory, Value};
use crate::kernel::{self, Kernel, Knob};

/// More than these are a mistake.
const MOST_RUNS: usize = 1_000_000;
const MOST_SETTINGS: usize = 100_000;
const MOST_VALUES: usize = 1_000;
const MOST_CHARTS: usize = 100;
/// A name is that of files too.
const MOST_LETTERS: usize = 60;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    name: Spanned<String>,
    title: Spanned<String>,
    question: Spanned<String>,
    #[serde(default)]
    method: Option<Spanned<String>>,
    measure: Spanned<String>,
    grid: Spanned<Vec<Spanned<Values>>>,
    quick: Spanned<Scale>,
    published: Spanned<Scale>,
    #[serde(default)]
    chart: Vec<Picture>,
}

/// Knobs, each with a value or a list of them.
type Values = BTreeMap<Spanned<String>, Spanned<toml::Value>>;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Scale {
    #[serde(default)]
    keys: Option<Spanned<u64>>,
    seeds: Spanned<u32>,
    #[serde(default)]
    only: Values,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Picture {
    title: Spanned<String>,
    #[serde(default)]
    note: Option<Spanned<String>>,
    #[serde(default)]
    kind: Option<Spanned<String>>,
    x: Spanned<String>,
    y: Spanned<OneOrMore>,
    #[serde(default)]
    series: Option<Spanned<String>>,
    #[serde(default)]
    log_x: bool,
    #[serde(default)]
    log_y: bool,
    #[serde(default)]
    theory: Option<Spanned<OneOrMore>>,
    #[serde(default)]
    panels: Option<Spanned<String>>,
    #[serde(default)]
    front: bool,
    #[serde(default)]
    limit: Option<Spanned<f64>>,
    #[serde(default)]
    only: Values,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum OneOrMore {
    One(String),
    More(Vec<String>),
}

impl OneOrMore {
    fn into_vec(self) -> Vec<String> {
        match self {
            OneOrMore::One(one) => vec![one],
            OneOrMore::More(more) => more,
        }
    }
}

impl Experiment {
    /// Reads an experiment; `path` is what complaints call it.
    pub fn parse(path: &str, bytes: &[u8]) -> Result<Experiment, Diagnostics> {
        let source = Source::new(path, bytes)?;
        let file: File = toml::from_str(source.text()).map_err(|error| {
            // The first line says it all; the second speaks of what serde was about.
            Diagnostic::about(&source, error.span().unwrap_or(0..0), error.message())
        })?;
        Ok(Reader { source: &source }.experiment(file)?)
    }
}

struct Reader<'s> {
    source: &'s Source,
}

impl Reader<'_> {
    fn error(&self, place: Range<usize>, message: impl Into<String>) -> Diagnostic {
        Diagnostic::about(self.source, place, message)
    }

    fn experiment(&self, file: File) -> Result<Experiment, Diagnostic> {
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        let name = file.name.get_ref();
        if name.is_empty() || !name.chars().all(plain) {
            let message = format!("the name {name:?} is not lower-case letters, digits and hyphens");
            return Err(self.error(file.name.span(), message));
        }
        if name.len() > MOST_LETTERS {
            let message = format!("the name has {} letters, and {MOST_LETTERS} at the most", name.len());
            return Err(self.error(file.name.span(), message));
        }
        let Some(kernel) = kernel::find(file.measure.get_ref()) else {
            let known: Vec<&str> = kernel::KERNELS.iter().map(|kernel| kernel.name).collect();
            let message = format!("nothing measures {:?}", file.measure.get_ref());
            return Err(self
                .error(file.measure.span(), message)
                .with_help(format!("what does is {}", known.join(", "))));
        };
        let place = file.grid.span();
        let mut settings = Vec::new();
        let mut seen = BTreeSet::new();
        for grid in file.grid.into_inner() {
            let place = grid.span();
            let more = self.product(kernel, grid.into_inner(), &place)?;
            if settings.len() + more.len() > MOST_SETTINGS {
                return Err(self.error(place, format!("`grid` has more than {MOST_SETTINGS} settings")));
            }
            for setting in more {
                if let Err(problem) = (kernel.fits)(&setting) {
                    return Err(self.error(place, format!("{setting}: {problem}")));
                }
                if !seen.insert(setting.to_string()) {
                    return Err(self.error(place, format!("`grid` has the setting {setting} twice")));
                }
                settings.push(setting);
            }
        }
        if settings.is_empty() {
            return Err(self.error(place, "there is nothing in `grid` to run"));
        }
        let [quick, published] = [file.quick, file.published].map(|scale| {
            let place = scale.span();
            let extent = self.extent(kernel, scale.into_inner())?;
            let runs = settings.len().saturating_mul(extent.seeds as usize);
            if runs > MOST_RUNS {
                let message = format!("{runs} runs are more than {MOST_RUNS}");
                return Err(self.error(place, message));
            }
            if !settings.iter().any(|setting| setting.is_among(&extent.only)) {
                return Err(self.error(place, "`only` leaves nothing of the grid to run"));
            }
            Ok(extent)
        });
        if let Some(chart) = file.chart.get(MOST_CHARTS) {
            return Err(self.error(chart.x.span(), format!("there are more than {MOST_CHARTS} pictures")));
        }
        let mut charts = Vec::new();
        for chart in file.chart {
            let place = chart.x.span();
            let chart = self.chart(kernel, chart)?;
            if !settings.iter().any(|setting| setting.is_among(&chart.only)) {
                return Err(self.error(place, "`only` leaves nothing for the picture to show"));
            }
            self.told_apart(kernel, &settings, &chart, place)?;
            charts.push(chart);
        }
        Ok(Experiment {
            name: file.name.into_inner(),
            title: self.text(file.title)?,
            question: self.text(file.question)?,
            method: file.method.map_or(Ok(String::new()), |text| self.text(text))?,
            kernel,
            charts,
            shipped: false,
            settings,
            quick: quick?,
            published: published?,
        })
    }

    /// Every combination, the kernel's first knob changing slowest.
    fn product(
        &self,
        kernel: &'static Kernel,
        grid: Values,
        place: &Range<usize>,
    ) -> Result<Vec<Setting>, Diagnostic> {
        let chosen = self.values(kernel, grid)?;
        let mut settings = vec![Vec::new()];
        for knob in kernel.knobs {
            let Some((_, values)) = chosen.iter().find(|(name, _)| *name == knob.name) else {
                let message =
                    format!("`grid` does not say `{}`, which {:?} measures by", knob.name, kernel.name);
                return Err(self.error(place.clone(), message));
            };
            if settings.len().saturating_mul(values.len()) > MOST_SETTINGS {
                return Err(
                    self.error(place.clone(), format!("`grid` has more than {MOST_SETTINGS} settings"))
                );
            }
            settings = settings
                .into_iter()
                .flat_map(|setting: Vec<_>| {
                    values.iter().map(move |value| {
                        let mut longer = setting.clone();
                        longer.push((knob.name, value.clone()));
                        longer
                    })
                })
                .collect();
        }
        Ok(settings.into_iter().map(Setting::new).collect())
    }

    /// The values of each knob that is named, checked against what the kernel takes.
    fn values(&self, kernel: &Kernel, given: Values) -> Result<Vec<(&'static str, Vec<Value>)>, Diagnostic> {
        let mut chosen = Vec::new();
        for (name, values) in given {
            let Some(knob) = kernel.knobs.iter().find(|knob| knob.name == name.get_ref()) else {
                let known: Vec<&str> = kernel.knobs.iter().map(|knob| knob.name).collect();
                let message = format!("{:?} has no setting `{}`", kernel.name, name.get_ref());
                let help = match known.is_empty() {
                    true => "it has none".to_owned(),
                    false => format!("its settings are {}", known.join(", ")),
                };
                return Err(self.error(name.span(), message).with_help(help));
            };
            let place = values.span();
            let values = match values.into_inner() {
                toml::Value::Array(values) => values,
                one => vec![one],
            };
            if !(1..=MOST_VALUES).contains(&values.len()) {
                let message =
                    format!("`{}` lists {} values: 1 to {MOST_VALUES} can be run", knob.name, values.len());
                return Err(self.error(place, message));
            }
            let mut read: Vec<Value> = Vec::new();
            for value in values {
                for value in self.value(knob, value, &place)? {
                    if read.contains(&value) {
                        let message = format!("`{}` lists {value} twice", knob.name);
                        return Err(self.error(place, message));
                    }
                    read.push(value);
                }
            }
            chosen.push((knob.name, read));
        }
        Ok(chosen)
    }

    fn value(&self, knob: &Knob, value: toml::Value, place: &Range<usize>) -> Result<Vec<Value>, Diagnostic> {
        let value = match value {
            toml::Value::Integer(number) if number >= 0 => Value::Whole(number.unsigned_abs()),
            toml::Value::Integer(number) => Value::Number(number as f64),
            toml::Value::Float(number) => Value::Number(number),
            toml::Value::String(text) => Value::Text(text),
            other => {
                let what = other.type_str();
                let message =
                    format!("`{}` is a number or a word, and here is a value of type {what}", knob.name);
                return Err(self.error(place.clone(), message));
            }
        };
        knob.takes(value).map_err(|problem| self.error(place.clone(), problem))
    }

    fn extent(&self, kernel: &'static Kernel, scale: Scale) -> Result<Extent, Diagnostic> {
        const MOST_KEYS: u64 = 100_000_000;
        const MOST_SEEDS: u32 = 100_000;
        if !(1..=MOST_SEEDS).contains(scale.seeds.get_ref()) {
            let message = format!("{} seeds: 1 to {MOST_SEEDS} can be run", scale.seeds.get_ref());
            return Err(self.error(scale.seeds.span(), message));
        }
        if let Some(keys) = scale.keys.as_ref().filter(|keys| !(1..=MOST_KEYS).contains(keys.get_ref())) {
            let message = format!("{} keys: 1 to {MOST_KEYS} can be placed", keys.get_ref());
            return Err(self.error(keys.span(), message));
        }
        Ok(Extent {
            keys: scale.keys.map_or(1, Spanned::into_inner),
            seeds: scale.seeds.into_inner(),
            only: self.only(kernel, scale.only)?,
        })
    }

    fn only(&self, kernel: &'static Kernel, only: Values) -> Result<Vec<(String, Vec<Value>)>, Diagnostic> {
        let values = self.values(kernel, only)?;
        Ok(values.into_iter().map(|(name, values)| (name.to_owned(), values)).collect())
    }

    fn chart(&self, kernel: &'static Kernel, chart: Picture) -> Result<Chart, Diagnostic> {
        let knob = |name: Spanned<String>| {
            if kernel.knobs.iter().any(|knob| knob.name == name.get_ref()) {
                return Ok(name.into_inner());
            }
            let message = format!("{:?} has no setting `{}`", kernel.name, name.get_ref());
            Err(self.error(name.span(), message))
        };
        let kind = chart.kind.map(|kind| self.word(kind.get_ref(), kind.span(), &ChartKind::WORDS));
        let place = chart.y.span();
        let y = chart.y.into_inner().into_vec();
        if y.is_empty() {
            return Err(self.error(place, "`y` names nothing that was measured"));
        }
        if let Some((_, twice)) = y.iter().enumerate().find(|(at, name)| y[..*at].contains(name)) {
            return Err(self.error(place, format!("`y` lists `{twice}` twice")));
        }
        if let Some(unknown) = y.iter().find(|name| kernel.metric(name).is_none()) {
            let known: Vec<&str> = kernel.metrics.iter().map(|metric| metric.name).collect();
            let message = format!("{:?} does not measure `{unknown}`", kernel.name);
            return Err(self.error(place, message).with_help(format!("it measures {}", known.join(", "))));
        }
        let theory = match chart.theory {
            None => Vec::new(),
            Some(names) => {
                let place = names.span();
                let names = names.into_inner().into_vec();
                let read = |name: &String| self.word(name, place.clone(), &Theory::WORDS);
                names.iter().map(read).collect::<Result<_, _>>()?
            }
        };
        let kind = kind.transpose()?.unwrap_or_default();
        // A ring is drawn from what says which ring it is.
        let ring = ["hash", "servers", "points"];
        if let Some(knob) =
            ring.into_iter().find(|name| kind == ChartKind::Points && kernel.knob(name).is_none())
        {
            let message =
                format!("the points of a ring need `{knob}`, and {:?} has no such setting", kernel.name);
            return Err(self.error(chart.x.span(), message));
        }
        if let Some(limit) = chart.limit.as_ref().filter(|limit| !limit.get_ref().is_finite()) {
            return Err(
                self.error(limit.span(), format!("`limit` is {}, and it is a number", limit.get_ref()))
            );
        }
        let told = [Some(&chart.x), chart.series.as_ref(), chart.panels.as_ref()];
        for (at, name) in told.iter().enumerate().filter_map(|(at, name)| Some((at, (*name)?))) {
            if told[..at].iter().flatten().any(|other| other.get_ref() == name.get_ref()) {
                let message = format!("`{}` is of two of `x`, `series` and `panels`", name.get_ref());
                return Err(self.error(name.span(), message));
            }
        }
        Ok(Chart {
            title: self.text(chart.title)?,
            note: chart.note.map_or(Ok(String::new()), |note| self.text(note))?,
            kind,
            x: knob(chart.x)?,
            y,
            series: chart.series.map(knob).transpose()?,
            log_x: chart.log_x,
            log_y: chart.log_y,
            theory,
            panels: chart.panels.map(knob).transpose()?,
            front: chart.front,
            limit: chart.limit.map(Spanned::into_inner),
            only: self.only(kernel, chart.only)?,
        })
    }

    /// A picture whose points are of several settings that it does not tell apart would show whichever came
    /// first.
    fn told_apart(
        &self,
        kernel: &'static Kernel,
        settings: &[Setting],
        chart: &Chart,
        place: Range<usize>,
    ) -> Result<(), Diagnostic> {
        let told = [Some(&chart.x), chart.series.as_ref(), chart.panels.as_ref()];
        for knob in kernel.knobs.iter().filter(|knob| !told.iter().flatten().any(|name| *name == knob.name)) {
            let mut values = settings.iter().filter(|s| s.is_among(&chart.only)).map(|s| s.get(knob.name));
            let first = values.next();
            if values.any(|value| Some(value) != first) {
                let message = format!("the picture mixes values of `{}`", knob.name);
                let help = format!(
                    "name it as `series` or `panels`, or confine it: `only = {{ {} = … }}`",
                    knob.name
                );
                return Err(self.error(place, message).with_help(help));
            }
        }
        Ok(())
    }

    /// What people read. What would steer a terminal, or turn the text around, is no text.
    fn text(&self, text: Spanned<String>) -> Result<String, Diagnostic> {
        if printable(text.get_ref()) != *text.get_ref() {
            let message = format!("{:?} has letters that nobody sees", text.get_ref());
            return Err(self.error(text.span(), message));
        }
        Ok(text.into_inner())
    }

    fn word<T: Copy>(&self, word: &str, place: Range<usize>, words: &[(&str, T)]) -> Result<T, Diagnostic> {
        words.iter().find(|(known, _)| *known == word).map(|(_, value)| *value).ok_or_else(|| {
            let known: Vec<&str> = words.iter().map(|(known, _)| *known).collect();
            self.error(place, format!("there is no {word:?} here"))
                .with_help(format!("known: {}", known.join(", ")))
        })
    }
}
