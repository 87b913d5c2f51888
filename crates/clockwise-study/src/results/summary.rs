//! A sample in a few numbers.

/// Values of one metric at one setting, over its seeds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Summary {
    /// How many.
    pub runs: usize,
    /// Their mean.
    pub mean: f64,
    /// The standard deviation of one run, with n − 1 in the divisor; 0 of a single run.
    pub sd: f64,
    /// The standard error of the mean: sd ÷ √runs.
    pub standard_error: f64,
    /// The smallest.
    pub least: f64,
    /// The largest.
    pub most: f64,
}

impl Summary {
    /// Of a sample; nothing of an empty one.
    pub fn of(values: impl IntoIterator<Item = f64>) -> Option<Summary> {
        let values: Vec<f64> = values.into_iter().collect();
        if values.is_empty() {
            return None;
        }
        let count = values.len() as f64;
        let mean = values.iter().sum::<f64>() / count;
        let squares = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>();
        let sd = (squares / (count - 1.0).max(1.0)).sqrt();
        Some(Summary {
            runs: values.len(),
            mean,
            sd,
            standard_error: sd / count.sqrt(),
            least: values.iter().copied().fold(f64::INFINITY, f64::min),
            most: values.iter().copied().fold(f64::NEG_INFINITY, f64::max),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_of_eight() {
        let summary = Summary::of([2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0]).unwrap();
        assert_eq!((summary.runs, summary.mean, summary.least, summary.most), (8, 5.0, 2.0, 9.0));
        assert!((summary.sd - (32.0_f64 / 7.0).sqrt()).abs() < 1e-12);
        assert!((summary.standard_error - (4.0_f64 / 7.0).sqrt()).abs() < 1e-12);
    }

    #[test]
    fn one_value_has_no_deviation_and_none_no_summary() {
        let one = Summary::of([3.0]).unwrap();
        assert_eq!((one.mean, one.sd, one.standard_error), (3.0, 0.0, 0.0));
        assert_eq!(Summary::of([]), None);
    }
}
