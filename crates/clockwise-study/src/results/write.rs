//! Results as CSV and JSON: every run with its seed. Numbers have as many digits as it takes to read
//! them back unchanged.

use std::io::{self, Write};

use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

use super::{Cell, Outcome, Results};
use crate::experiment::{Setting, Value};
use crate::kernel::Measures;

impl Results {
    /// One line a number: `experiment,setting,seed,metric,value`.
    pub fn write_csv(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "experiment,setting,seed,metric,value")?;
        for row in self.rows() {
            let setting = quoted(&row.setting.to_string());
            writeln!(out, "{},{setting},{},{},{}", row.experiment, row.seed, row.metric, row.value)?;
        }
        Ok(())
    }

    /// One document. Seeds are texts: many readers of JSON have no integers of 64 bits.
    pub fn write_json(&self, out: &mut dyn Write) -> io::Result<()> {
        let parts = self.parts.iter().map(|part| DocumentPart {
            experiment: &part.experiment.name,
            measure: part.experiment.kernel.name,
            keys: part.experiment.extent(self.scale).keys,
            settings: &part.cells,
        });
        let document = Document {
            scale: self.scale.name(),
            root_seed: self.root_seed.to_string(),
            experiments: parts.collect(),
        };
        serde_json::to_writer(&mut *out, &document)?;
        writeln!(out)
    }
}

/// A field of CSV, in quotes where it has to be.
pub(crate) fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

#[derive(Serialize)]
struct Document<'r> {
    scale: &'static str,
    root_seed: String,
    experiments: Vec<DocumentPart<'r>>,
}

#[derive(Serialize)]
struct DocumentPart<'r> {
    experiment: &'r str,
    measure: &'static str,
    keys: u64,
    settings: &'r [Cell],
}

#[derive(Serialize)]
struct DocumentCell<'r> {
    setting: &'r Setting,
    runs: &'r [Outcome],
}

#[derive(Serialize)]
struct DocumentRun<'r> {
    seed: String,
    metrics: &'r Measures,
}

impl Serialize for Cell {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        DocumentCell { setting: &self.setting, runs: &self.runs }.serialize(serializer)
    }
}

impl Serialize for Outcome {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        DocumentRun { seed: self.seed.to_string(), metrics: &self.measures }.serialize(serializer)
    }
}

impl Serialize for Setting {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for (name, value) in self.iter() {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Value::Whole(value) => serializer.serialize_u64(*value),
            Value::Number(value) => serializer.serialize_f64(*value),
            Value::Text(value) => serializer.serialize_str(value),
        }
    }
}

impl Serialize for Measures {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for (name, value) in self.iter() {
            map.serialize_entry(name, &value)?;
        }
        map.end()
    }
}
