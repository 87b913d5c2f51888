//! What comes back: one document in JSON, and arrays beside it that a browser reads in place.

/// Numbers of one type.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// Bytes.
    U8(Vec<u8>),
    /// Numbers of 16 bits.
    U16(Vec<u16>),
    /// Numbers in binary32.
    F32(Vec<f32>),
}

/// An array with a name.
#[derive(Clone, Debug, PartialEq)]
pub struct Array {
    /// What it is of.
    pub name: &'static str,
    /// What it holds.
    pub values: Values,
}

impl Array {
    pub(crate) fn new(name: &'static str, values: Values) -> Array {
        Array { name, values }
    }

    /// The type, as the document says it: `u8`, `u16`, `f32`.
    pub fn kind(&self) -> &'static str {
        match self.values {
            Values::U8(_) => "u8",
            Values::U16(_) => "u16",
            Values::F32(_) => "f32",
        }
    }

    /// The values in little-endian order, as memory of WebAssembly holds them.
    pub fn to_bytes(&self) -> Vec<u8> {
        match &self.values {
            Values::U8(values) => values.clone(),
            Values::U16(values) => values.iter().flat_map(|value| value.to_le_bytes()).collect(),
            Values::F32(values) => values.iter().flat_map(|value| value.to_le_bytes()).collect(),
        }
    }
}

/// An answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// `{"ok": …, "arrays": [{"name": …, "type": …}, …]}`, or `{"error": "…"}`.
    pub json: String,
    /// The arrays, in the order in which the document names them.
    pub arrays: Vec<Array>,
}
