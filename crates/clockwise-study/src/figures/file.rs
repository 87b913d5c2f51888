//! From a TOML file to [`Figure`]s.

use std::ops::Range;

use clockwise_config::{Diagnostic, Diagnostics, Source};
use serde::Deserialize;
use toml::Spanned;

use super::{Expected, Figure, Part, Statistic};
use crate::experiment::Theory;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    figure: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    id: Spanned<String>,
    claim: String,
    published: String,
    verdict: Spanned<String>,
    #[serde(default)]
    note: String,
    #[serde(default)]
    part: Vec<EntryPart>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct EntryPart {
    #[serde(default)]
    what: String,
    experiment: String,
    #[serde(default)]
    at: Option<Spanned<String>>,
    metric: String,
    #[serde(default)]
    statistic: Option<Spanned<String>>,
    #[serde(default)]
    theory: Option<Spanned<String>>,
    #[serde(default)]
    errors: Option<f64>,
    #[serde(default)]
    times: Option<f64>,
    #[serde(default)]
    over: Option<Over>,
    published: f64,
    low: f64,
    high: f64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Over {
    at: Spanned<String>,
    metric: String,
}

pub(super) fn parse(path: &str, bytes: &[u8]) -> Result<Vec<Figure>, Diagnostics> {
    let source = Source::new(path, bytes)?;
    let file: File = toml::from_str(source.text())
        .map_err(|error| Diagnostic::about(&source, error.span().unwrap_or(0..0), error.message()))?;
    let mut figures: Vec<Figure> = Vec::new();
    for entry in file.figure {
        let place = entry.id.span();
        let figure = figure(&source, entry)?;
        if figures.iter().any(|other| other.id == figure.id) {
            let message = format!("the figure {:?} is here twice", figure.id);
            return Err(Diagnostic::about(&source, place, message).into());
        }
        figures.push(figure);
    }
    Ok(figures)
}

fn figure(source: &Source, entry: Entry) -> Result<Figure, Diagnostic> {
    let expected = word(source, &entry.verdict, &Expected::WORDS)?;
    let measured = matches!(expected, Expected::Holds | Expected::Narrow | Expected::DoesNotHold);
    if measured == entry.part.is_empty() {
        let message = match measured {
            true => "nothing measures this figure",
            false => "a figure that is not measured has parts",
        };
        return Err(Diagnostic::about(source, entry.id.span(), message));
    }
    Ok(Figure {
        expected,
        id: entry.id.into_inner(),
        claim: entry.claim,
        published: entry.published,
        note: entry.note,
        parts: entry.part.into_iter().map(|part| self::part(source, part)).collect::<Result<_, _>>()?,
    })
}

fn part(source: &Source, part: EntryPart) -> Result<Part, Diagnostic> {
    let statistic = match (&part.statistic, &part.theory, part.errors) {
        (None, ..) => Statistic::Mean,
        (Some(name), Some(theory), Some(errors)) if name.get_ref() == "cells-within" => {
            Statistic::CellsWithin(word(source, theory, &Theory::WORDS)?, errors)
        }
        (Some(name), ..) => word(source, name, &Statistic::WORDS)?,
    };
    let over = match &part.over {
        None => None,
        Some(over) => Some((knobs(source, over.at.get_ref(), over.at.span())?, over.metric.clone())),
    };
    Ok(Part {
        what: part.what,
        experiment: part.experiment,
        at: match &part.at {
            None => Vec::new(),
            Some(at) => knobs(source, at.get_ref(), at.span())?,
        },
        metric: part.metric,
        statistic,
        times: part.times.unwrap_or(1.0),
        over,
        published: part.published,
        low: part.low,
        high: part.high,
    })
}

/// `servers=100 points=160` in pieces.
fn knobs(source: &Source, text: &str, place: Range<usize>) -> Result<Vec<(String, String)>, Diagnostic> {
    let pair = |piece: &str| {
        let (name, value) = piece.split_once('=')?;
        Some((name.to_owned(), value.to_owned()))
    };
    text.split_whitespace().map(pair).collect::<Option<_>>().ok_or_else(|| {
        Diagnostic::about(source, place, format!("{text:?} is not name=value, divided by spaces"))
    })
}

fn word<T: Copy>(source: &Source, name: &Spanned<String>, words: &[(&str, T)]) -> Result<T, Diagnostic> {
    words.iter().find(|(known, _)| *known == name.get_ref()).map(|(_, value)| *value).ok_or_else(|| {
        let known: Vec<&str> = words.iter().map(|(known, _)| *known).collect();
        let message = format!("there is no {:?} here; known: {}", name.get_ref(), known.join(", "));
        Diagnostic::about(source, name.span(), message)
    })
}
