//! A point of a grid: named values, in the order in which the kernel lists its knobs.

use std::fmt;

use crate::kernel::Kernel;

/// What a setting can be.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A count: servers, points, slots.
    Whole(u64),
    /// A number with a fraction: an ε.
    Number(f64),
    /// A word: a hash, a scheme.
    Text(String),
}

impl Value {
    /// As a number, where it is one: where it stands on an axis.
    pub fn as_f64(&self) -> Option<f64> {
        match self {
            Value::Whole(value) => Some(*value as f64),
            Value::Number(value) => Some(*value),
            Value::Text(_) => None,
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Whole(value) => value.fmt(f),
            // Nobody reads three hundred noughts.
            Value::Number(value) if *value != 0.0 && !(1e-9..1e16).contains(&value.abs()) => {
                write!(f, "{value:e}")
            }
            Value::Number(value) => value.fmt(f),
            Value::Text(value) => value.fmt(f),
        }
    }
}

/// Named values: `servers=100 points=160`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Setting(Vec<(&'static str, Value)>);

impl Setting {
    pub(crate) fn new(values: Vec<(&'static str, Value)>) -> Setting {
        Setting(values)
    }

    /// The value of a knob.
    pub fn get(&self, knob: &str) -> Option<&Value> {
        self.0.iter().find(|(name, _)| *name == knob).map(|(_, value)| value)
    }

    /// Names and values, in the kernel's order.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, &Value)> {
        self.0.iter().map(|(name, value)| (*name, value))
    }

    /// A count. Kernels ask for knobs that they declared, and those are there and in their bounds
    /// since the file was read; of any other the answer is 0.
    pub fn whole(&self, knob: &str) -> u64 {
        match self.get(knob) {
            Some(Value::Whole(value)) => *value,
            _ => 0,
        }
    }

    /// A number, whole or not; 0 of a knob that is not declared.
    pub fn number(&self, knob: &str) -> f64 {
        self.get(knob).and_then(Value::as_f64).unwrap_or(0.0)
    }

    /// A word; nothing of a knob that is not declared.
    pub fn text(&self, knob: &str) -> &str {
        match self.get(knob) {
            Some(Value::Text(value)) => value,
            _ => "",
        }
    }

    /// Whether each of these knobs has one of its values here.
    pub fn is_among(&self, only: &[(String, Vec<Value>)]) -> bool {
        only.iter().all(|(knob, values)| self.get(knob).is_some_and(|value| values.contains(value)))
    }

    /// Whether these are its values, of the knobs that are named.
    pub fn has(&self, knobs: &[(&str, &str)]) -> bool {
        knobs.iter().all(|(knob, value)| self.get(knob).is_some_and(|own| own.to_string() == *value))
    }

    /// The same with another value of one knob.
    pub(crate) fn with(&self, knob: &str, value: Value) -> Setting {
        let mut setting = self.clone();
        if let Some(slot) = setting.0.iter_mut().find(|(name, _)| *name == knob) {
            slot.1 = value;
        }
        setting
    }

    /// The part that fleets and keys are drawn for.
    pub(crate) fn drawn(&self, kernel: &Kernel) -> Setting {
        let draws = |name: &str| kernel.knobs.iter().any(|knob| knob.name == name && knob.draws);
        Setting(self.0.iter().filter(|(name, _)| draws(name)).cloned().collect())
    }
}

impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, (name, value)) in self.0.iter().enumerate() {
            let space = if i == 0 { "" } else { " " };
            write!(f, "{space}{name}={value}")?;
        }
        Ok(())
    }
}
