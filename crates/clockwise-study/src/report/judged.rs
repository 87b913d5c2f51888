//! Published figures in a report: each under the experiment that measures it, with what came of it.

use super::{Compared, Figure, Place, Report, Verdict};
use crate::draw::Unit;
use crate::figures::{self, Expected, Finding, Judgement, Ours};

impl Report {
    /// The report with published figures and what came of each. A figure of an experiment that is not in the report is
    /// left out; one that nothing can measure stands at the end.
    #[must_use]
    pub fn with_figures(mut self, findings: &[Finding<'_>]) -> Report {
        for finding in findings {
            match finding.figure.parts.first() {
                Some(part) => {
                    let own = self.parts.iter_mut().find(|own| own.name == part.experiment);
                    if let Some(own) = own {
                        own.figures.push(Figure::of(finding));
                    }
                }
                None => self.unmeasured.push(Figure::of(finding)),
            }
        }
        self
    }
}

impl Figure {
    fn of(finding: &Finding<'_>) -> Figure {
        let Finding { figure, ours, judgement } = finding;
        let measured = figure.parts.iter().zip(ours).filter_map(|(part, ours)| Some((part, (*ours)?)));
        Figure {
            // Of `a-text/a-figure`: a slash has no place in the name of a place on a page.
            id: format!("figure-{}", figure.id.replace('/', "-")),
            claim: figure.claim.clone(),
            source: figure.source().to_owned(),
            published: figure.published.clone(),
            values: measured.map(|(part, ours)| compared(part, ours)).collect(),
            verdict: verdict(figure, *judgement),
            // In its one reading a figure should hold too.
            expected: figure.expected == Expected::Holds || *judgement == Judgement::Fails,
            reason: figure.note.clone(),
        }
    }
}

fn verdict(figure: &figures::Figure, judgement: Judgement) -> Verdict {
    match (figure.expected, judgement) {
        (Expected::Historical, _) => Verdict::Historical,
        (Expected::Cost, _) => Verdict::Cost,
        (_, Judgement::NotMeasured | Judgement::NothingToMeasure) => Verdict::NotMeasured,
        (_, Judgement::Fails | Judgement::DoesNotHold) => Verdict::DoesNotHold,
        (Expected::Narrow, Judgement::Holds) => Verdict::Narrow,
        (Expected::Holds | Expected::DoesNotHold, Judgement::Holds) => Verdict::Holds,
    }
}

fn compared(part: &figures::Part, ours: Ours) -> Compared {
    let unit = Unit::default();
    let error = ours.standard_error.unwrap_or(0.0);
    let (low, high) = (unit.text(part.low), unit.text(part.high));
    let half = (part.high - part.low) / 2.0;
    let middle = f64::midpoint(part.low, part.high);
    let place = (half > 0.0 && half.is_finite()).then(|| Place {
        ours: (ours.value - middle) / half,
        error: error / half,
        published: part.published.is_finite().then_some((part.published - middle) / half),
    });
    Compared {
        what: part.what.clone(),
        ours: unit.with_error(ours.value, error),
        band: if low == high { low } else { format!("{low} to {high}") },
        place,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures::Statistic;

    fn figure(expected: Expected) -> figures::Figure {
        let part = figures::Part {
            what: String::new(),
            experiment: "ring".to_owned(),
            at: Vec::new(),
            metric: "busiest_arcs".to_owned(),
            statistic: Statistic::Mean,
            times: 1.0,
            over: None,
            published: 5.3,
            low: 4.0,
            high: 6.0,
        };
        figures::Figure {
            id: "a-text/busiest".to_owned(),
            claim: "the busiest carries 5.3 times the mean".to_owned(),
            published: "5.3x".to_owned(),
            expected,
            note: "a note".to_owned(),
            parts: vec![part],
        }
    }

    fn found(figure: &figures::Figure, judgement: Judgement) -> Figure {
        let ours = Ours { value: 5.5, standard_error: Some(0.25), inside: true };
        Figure::of(&Finding { figure, ours: vec![Some(ours)], judgement })
    }

    #[test]
    fn a_figure_is_shown_with_its_band_and_ours_in_it() {
        let published = figure(Expected::Holds);
        let shown = found(&published, Judgement::Holds);
        assert_eq!((shown.id.as_str(), shown.source.as_str()), ("figure-a-text-busiest", "a-text"));
        let value = &shown.values[0];
        assert_eq!((value.ours.as_str(), value.band.as_str()), ("5.50 ± 0.25", "4 to 6"));
        let place = value.place.unwrap();
        assert!((place.ours - 0.5).abs() < 1e-12 && (place.error - 0.25).abs() < 1e-12, "{place:?}");
        assert!((place.published.unwrap() - 0.3).abs() < 1e-12, "{place:?}");
        let mut exact = published.clone();
        (exact.parts[0].low, exact.parts[0].high) = (5.5, 5.5);
        let value = &found(&exact, Judgement::Holds).values[0];
        assert_eq!((value.band.as_str(), value.place), ("5.5", None));
    }

    #[test]
    fn what_comes_of_a_figure_depends_on_what_was_expected() {
        for (expected, judgement, verdict) in [
            (Expected::Holds, Judgement::Holds, Verdict::Holds),
            (Expected::Holds, Judgement::Fails, Verdict::DoesNotHold),
            (Expected::Narrow, Judgement::Holds, Verdict::Narrow),
            (Expected::Narrow, Judgement::Fails, Verdict::DoesNotHold),
            (Expected::DoesNotHold, Judgement::DoesNotHold, Verdict::DoesNotHold),
            (Expected::Holds, Judgement::NotMeasured, Verdict::NotMeasured),
            (Expected::Historical, Judgement::NothingToMeasure, Verdict::Historical),
            (Expected::Cost, Judgement::NothingToMeasure, Verdict::Cost),
        ] {
            let shown = found(&figure(expected), judgement);
            assert_eq!(shown.verdict, verdict, "{expected:?}, {judgement:?}");
            assert_eq!(shown.expected, expected == Expected::Holds || judgement == Judgement::Fails);
        }
    }

    #[test]
    fn figures_stand_under_their_experiment() {
        let (measured, mut history) = (figure(Expected::Holds), figure(Expected::Historical));
        history.parts.clear();
        let mut elsewhere = figure(Expected::Holds);
        elsewhere.parts[0].experiment = "not run".to_owned();
        let finding = |figure, judgement| Finding { figure, ours: Vec::new(), judgement };
        let findings = [
            finding(&measured, Judgement::NotMeasured),
            finding(&history, Judgement::NothingToMeasure),
            finding(&elsewhere, Judgement::NotMeasured),
        ];
        let part = super::super::Part { name: "ring".to_owned(), ..Default::default() };
        let report = Report { parts: vec![part], ..Report::default() }.with_figures(&findings);
        assert_eq!(report.parts[0].figures.len(), 1);
        assert_eq!(report.unmeasured.len(), 1);
    }
}
