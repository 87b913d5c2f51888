//! Weights that may be fractions, of the systems that have such: which numbers one takes, the system says.

/// A type `Weight` over a float that is never NaN and never -0, so that equal numbers have equal bits. `$taken`
/// makes of an `f64` the number that the system keeps, or nothing.
macro_rules! fraction_weight {
    ($(#[$meta:meta])* $float:ty, $problem:literal, $taken:expr) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug)]
        pub struct Weight($float);

        impl Weight {
            /// The number.
            pub const fn get(self) -> $float {
                self.0
            }
        }

        impl PartialEq for Weight {
            fn eq(&self, other: &Weight) -> bool {
                self.0.to_bits() == other.0.to_bits()
            }
        }

        impl Eq for Weight {}

        impl core::fmt::Display for Weight {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                core::fmt::Display::fmt(&self.0, f)
            }
        }

        impl TryFrom<f64> for Weight {
            type Error = $crate::error::Error;
            fn try_from(value: f64) -> Result<Weight, $crate::error::Error> {
                let taken: fn(f64) -> Option<$float> = $taken;
                taken(value).map(Weight).ok_or_else(|| {
                    let value = alloc::string::ToString::to_string(&value);
                    $crate::error::Error::new($crate::error::Kind::Weight { value, problem: $problem })
                })
            }
        }

        impl core::str::FromStr for Weight {
            type Err = $crate::error::Error;
            fn from_str(text: &str) -> Result<Weight, $crate::error::Error> {
                match text.parse::<f64>() {
                    Ok(value) => Weight::try_from(value),
                    Err(_) => {
                        let value = alloc::format!("{text:?}");
                        Err($crate::error::Error::new($crate::error::Kind::Weight { value, problem: $problem }))
                    }
                }
            }
        }
    };
}

pub(super) use fraction_weight;
