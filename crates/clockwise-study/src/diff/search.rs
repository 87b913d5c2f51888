//! From knobs to causes: turn back what is not needed, then order what is.

use std::mem::discriminant;

use super::knob::Knob;
use super::variant::Case;

/// A difference between two fleets that keys are placed differently for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cause {
    /// What was set.
    pub knob: Knob,
    /// What it is on the first side, in words.
    pub a: String,
    /// What it is on the second.
    pub b: String,
    /// More about it, where there is more to say.
    pub detail: Option<String>,
    /// Keys that differ if this alone does: with all other causes set to the second side's. None if
    /// there is no such placement.
    pub alone: Option<u64>,
    /// Keys that still differ once this cause and those before it are set.
    pub left: u64,
}

impl Case<'_> {
    /// Why keys differ: see the [module](super).
    pub(super) fn causes(&self) -> Vec<Cause> {
        let mut knobs = self.knobs();
        if !self.is_itself(&self.needed(&knobs)) {
            // Of two kinds of placement: what its own settings could make of it is beside the point.
            knobs.retain(|knob| !self.remakes(knob));
        }
        let needed = self.needed(&knobs);
        let mut set: Vec<&Knob> = Vec::new();
        let mut rest = needed.clone();
        let mut causes = Vec::new();
        while !rest.is_empty() {
            // The particular ones come last in the order of knobs, and first among equals here.
            let tried = rest.iter().enumerate().rev().map(|(at, knob)| {
                let with: Vec<&Knob> = set.iter().copied().chain([*knob]).collect();
                (self.differing(&with, self.keys()).unwrap_or(u64::MAX), at)
            });
            let Some((left, at)) = tried.min_by_key(|(left, _)| *left) else { break };
            let knob = rest.remove(at);
            let description = self.describe(knob, &needed);
            causes.push(Cause {
                knob: knob.clone(),
                a: description.a,
                b: description.b,
                detail: description.detail,
                alone: self.differing(&without(&needed, knob), self.keys()),
                left: left.min(self.keys()),
            });
            set.push(knob);
        }
        causes
    }

    /// The knobs that keys differ for: all of them, turned back one by one as far as no key minds.
    fn needed<'k>(&self, knobs: &'k [Knob]) -> Vec<&'k Knob> {
        let mut needed: Vec<&Knob> = knobs.iter().collect();
        let Some(mut left) = self.differing(&needed, self.keys()) else { return Vec::new() };
        for knob in knobs {
            let fewer = without(&needed, knob);
            if let Some(differing) = self.differing(&fewer, left) {
                (needed, left) = (fewer, differing);
            }
        }
        needed
    }

    /// Whether the first fleet is still what it is where parts of the second are put in their place:
    /// words about its points or its key hash are about a fleet that nobody has if a setting among the
    /// causes first makes a ring of a table, say.
    fn is_itself(&self, needed: &[&Knob]) -> bool {
        !needed.iter().any(|knob| knob.is_lent()) || !needed.iter().any(|knob| self.remakes(knob))
    }

    /// Whether a setting makes another kind of placement of the first fleet.
    fn remakes(&self, knob: &Knob) -> bool {
        let kind = |set: &[&Knob]| self.variant(set).map(|variant| discriminant(&variant.parts()));
        let is_other = || matches!((kind(&[]), kind(&[knob])), (Ok(before), Ok(after)) if before != after);
        matches!(knob, Knob::Setting { .. }) && is_other()
    }
}

fn without<'k>(knobs: &[&'k Knob], one: &Knob) -> Vec<&'k Knob> {
    knobs.iter().copied().filter(|knob| *knob != one).collect()
}

/// These causes, or those found the other way round if they are more particular.
pub(super) fn more_particular(there: Vec<Cause>, back: impl FnOnce() -> Vec<Cause>) -> Vec<Cause> {
    let broadest = |causes: &[Cause]| causes.iter().map(|cause| cause.knob.breadth()).max().unwrap_or(0);
    if broadest(&there) == 0 {
        return there;
    }
    let mut back = back();
    let rank = |causes: &[Cause]| (broadest(causes), causes.len());
    if back.is_empty() || rank(&back) >= rank(&there) {
        return there;
    }
    for cause in &mut back {
        std::mem::swap(&mut cause.a, &mut cause.b);
        cause.knob = std::mem::replace(&mut cause.knob, Knob::Scheme).turned();
    }
    back
}
