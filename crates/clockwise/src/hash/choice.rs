//! One table line a hash: how a choice of hashes at run time is written down.
//!
//! General-purpose hashes and those of each foreign system are chosen by name from a file. Each
//! such list is an enum whose variants, spellings and hashes must never drift apart, so all of it
//! comes from one table.

/// An enum of hashes with `ALL`, `as_str`, `Display`, `FromStr` and `KeyHash`.
///
/// The spelling is the system's own; the name of the value as a [`KeyHash`](super::KeyHash) is that
/// of the hash behind it, so that two systems' spellings of one function compare equal.
macro_rules! hash_choice {
    (
        $(#[$meta:meta])*
        $choice:ident { $($(#[$line:meta])* $variant:ident = $spelling:literal => $hash:expr,)+ }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum $choice {
            $(#[doc = concat!("`", $spelling, "`")] $(#[$line])* $variant,)+
        }

        impl $choice {
            /// Every one of them, the default first.
            pub const ALL: &[$choice] = &[$($choice::$variant),+];

            /// The spelling in files.
            pub const fn as_str(self) -> &'static str {
                match self { $($choice::$variant => $spelling,)+ }
            }
        }

        impl $crate::hash::KeyHash for $choice {
            fn width(&self) -> $crate::hash::Width {
                match self { $($choice::$variant => $hash.width(),)+ }
            }
            #[inline]
            fn hash(&self, bytes: &[u8]) -> u64 {
                match self { $($choice::$variant => $hash.hash(bytes),)+ }
            }
            fn name(&self) -> alloc::borrow::Cow<'static, str> {
                match self { $($choice::$variant => $hash.name(),)+ }
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
                let found = $choice::ALL.iter().find(|hash| hash.as_str() == text);
                found.copied().ok_or_else(|| {
                    $crate::error::Error::new($crate::error::Kind::HashName {
                        value: text.into(),
                        known: $crate::hash::choice::listed!($($spelling)+),
                    })
                })
            }
        }
    };
}

/// Literals as one text, with commas between.
macro_rules! listed {
    ($first:literal $($next:literal)*) => { concat!($first, $(", ", $next),*) };
}

pub(crate) use {hash_choice, listed};
