//! Settings that are one of a few words: which hash, which distribution.
//!
//! The variants of such an enum, their spellings and what an error lists must never drift apart,
//! so all of it comes from one table.

/// An enum of words with `ALL`, `as_str`, `Display` and `FromStr`.
///
/// Words under `refused` are known too, and answered with their own reason.
macro_rules! choice {
    (
        $(#[$meta:meta])*
        $choice:ident, $what:literal { $($(#[$line:meta])* $variant:ident = $spelling:literal,)+ }
        $(refused { $($wrong:literal = $problem:literal,)+ })?
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum $choice {
            $(#[doc = concat!("`", $spelling, "`")] $(#[$line])* $variant,)+
        }

        impl $choice {
            /// Every one of them.
            pub const ALL: &[$choice] = &[$($choice::$variant),+];

            /// The spelling in files.
            pub const fn as_str(self) -> &'static str {
                match self { $($choice::$variant => $spelling,)+ }
            }
        }

        impl core::fmt::Display for $choice {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.pad(self.as_str())
            }
        }

        impl core::str::FromStr for $choice {
            type Err = $crate::error::Error;
            fn from_str(text: &str) -> Result<$choice, $crate::error::Error> {
                const REFUSED: &[(&str, &str)] = &[$($(($wrong, $problem)),+)?];
                if let Some(&found) = $choice::ALL.iter().find(|choice| choice.as_str() == text) {
                    return Ok(found);
                }
                let kind = match REFUSED.iter().find(|(wrong, _)| *wrong == text) {
                    Some(&(_, problem)) => {
                        $crate::error::Kind::Option { name: $what, value: text.into(), problem }
                    }
                    None => $crate::error::Kind::Choice {
                        what: $what,
                        value: text.into(),
                        known: $crate::choice::listed!($($spelling)+),
                    },
                };
                Err($crate::error::Error::new(kind))
            }
        }
    };
}

/// Literals as one text, with commas between.
macro_rules! listed {
    ($first:literal $($next:literal)*) => { concat!($first, $(", ", $next),*) };
}

pub(crate) use {choice, listed};
