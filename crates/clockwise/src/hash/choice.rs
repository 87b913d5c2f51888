//! How a choice of hashes at run time is written down: one table line a hash.

/// A choice of hashes, which is a `KeyHash` itself.
///
/// The spelling is that of the file; the value's name as a `KeyHash` is that of the hash behind it,
/// so that two systems' spellings of one function compare equal.
macro_rules! hash_choice {
    (
        $(#[$meta:meta])*
        $choice:ident { $($(#[$line:meta])* $variant:ident = $spelling:literal => $hash:expr,)+ }
    ) => {
        $crate::choice::choice! {
            $(#[$meta])*
            $choice, "hash" { $($(#[$line])* $variant = $spelling,)+ }
        }

        impl $crate::hash::KeyHash for $choice {
            fn width(&self) -> $crate::hash::Width {
                match self { $($choice::$variant => $hash.width(),)+ }
            }
            #[inline]
            fn hash(&self, bytes: &[u8]) -> u64 {
                match self { $($choice::$variant => $hash.hash(bytes),)+ }
            }
            fn hash_many(&self, keys: &[&[u8]], hashes: &mut [u64]) {
                match self { $($choice::$variant => $hash.hash_many(keys, hashes),)+ }
            }
            fn bits(&self) -> u32 {
                match self { $($choice::$variant => $hash.bits(),)+ }
            }
            fn name(&self) -> alloc::borrow::Cow<'static, str> {
                match self { $($choice::$variant => $hash.name(),)+ }
            }
        }
    };
}

pub(crate) use hash_choice;
