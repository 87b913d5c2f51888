//! Other systems' recipes in our own files: `dialect = "twemproxy"` and that system's settings.
//!
//! Each dialect stands in the table below once, with its keys; it is read and written from there. A
//! key is called what the field of the library's `Options` is called, and one that the file does
//! not have keeps the default of those.

use std::fmt::Display;
use std::str::FromStr;

use clockwise::Error;
use clockwise::dialect::{Dialect, libmemcached, twemproxy};
use clockwise::hash::HashTag;

use crate::fields::{self, Fields};
use crate::placement::{Kind, choice, refuse_error};
use crate::report::Report;
use crate::write;

/// One setting: how it stands in a file.
pub(crate) trait Setting: Sized {
    /// Reads it, or keeps the default if the file does not say.
    fn read(report: &mut Report, fields: &Fields<'_>, key: &str, default: Self) -> Option<Self>;

    /// Its value in TOML, unless that is to say nothing.
    fn write(&self) -> Option<String>;
}

impl Setting for bool {
    fn read(report: &mut Report, fields: &Fields<'_>, key: &str, default: bool) -> Option<bool> {
        fields.get(key).map_or(Some(default), |entry| fields::boolean(report, entry))
    }
    fn write(&self) -> Option<String> {
        Some(self.to_string())
    }
}

impl Setting for Option<HashTag> {
    fn read(report: &mut Report, fields: &Fields<'_>, key: &str, default: Self) -> Option<Self> {
        let Some(entry) = fields.get(key) else { return Some(default) };
        let tag = fields::text(report, entry).map(HashTag::from_str)?;
        refuse_error(report, entry, tag).map(Some)
    }
    fn write(&self) -> Option<String> {
        // Two bytes that were read as text are text.
        self.map(|tag| write::text(&String::from_utf8_lossy(&tag.marks())))
    }
}

/// A setting that is one of a few words.
pub(crate) trait Word: FromStr<Err = Error> + Display + Copy + 'static {
    /// All of them.
    fn all() -> &'static [Self];
}

impl<T: Word> Setting for T {
    fn read(report: &mut Report, fields: &Fields<'_>, key: &str, default: T) -> Option<T> {
        choice(report, fields, key, default, T::all())
    }
    fn write(&self) -> Option<String> {
        Some(write::text(&self.to_string()))
    }
}

macro_rules! words {
    ($($word:ty,)+) => {
        $(impl Word for $word {
            fn all() -> &'static [$word] {
                <$word>::ALL
            }
        })+
    };
}

words! {
    libmemcached::Distribution,
    libmemcached::Hash,
    twemproxy::Distribution,
    twemproxy::Hash,
}

macro_rules! dialects {
    ($($name:literal => $variant:ident, $module:ident { $($key:ident)* })+) => {
        /// Every dialect with its keys.
        pub(crate) const DIALECTS: &[Kind] = &[$(($name, &[$(stringify!($key)),*]),)+];

        /// Reads the settings of the dialect of that name.
        pub(crate) fn read(report: &mut Report, fields: &Fields<'_>, name: &str) -> Option<Dialect> {
            match name {
                $($name => {
                    let default = $module::Options::default();
                    // All are read before any is missed, so that a file hears of all its errors.
                    $(let $key = Setting::read(report, fields, stringify!($key), default.$key);)*
                    let mut options = default;
                    $(options.$key = $key?;)*
                    Some(Dialect::$variant(options))
                })+
                _ => None,
            }
        }

        /// The settings of a dialect: keys with their values in TOML.
        pub(crate) fn settings(dialect: &Dialect) -> Vec<(&'static str, String)> {
            let mut lines = vec![("dialect", write::text(dialect.name()))];
            match dialect {
                $(Dialect::$variant(options) => {
                    $(lines.extend(options.$key.write().map(|value| (stringify!($key), value)));)*
                })+
                // The test below holds this list to the library's.
                _ => {}
            }
            lines
        }
    };
}

dialects! {
    "libmemcached" => Libmemcached, libmemcached { distribution hash set_after_servers sort_hosts }
    "twemproxy" => Twemproxy, twemproxy { distribution hash hash_tag }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_can_name_every_dialect_of_the_library() {
        let names: Vec<&str> = DIALECTS.iter().map(|(name, _)| *name).collect();
        assert_eq!(names, Dialect::NAMES);
    }
}
