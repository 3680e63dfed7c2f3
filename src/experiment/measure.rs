//! What an experiment measures: any metric, and the time of a fit.

use super::expand::{APPLY_SECONDS, FIT_SECONDS};
use crate::metric::entry::{Better, Written};
use crate::metric::registry::metric;
use crate::words::number::{column_places, fixed, in_column, significant, spread_in_column};

/// A quantity with a column of its own.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Measure {
    /// metric id, `fit_seconds` or `apply_seconds`
    pub id: &'static str,
    /// in heads of tables
    pub name: &'static str,
    /// which way is better
    pub better: Better,
    /// what a value is multiplied with before it is written
    pub factor: f64,
    /// what it then counts; empty for a bare number
    pub unit: &'static str,
    /// a p-value: three decimals, `<0.001`
    pub is_p_value: bool,
}

impl Measure {
    /// The quantity with this id.
    pub fn of(id: &str) -> Option<Self> {
        let time =
            |id, name, factor, unit| Some(Self { id, name, better: Better::Lower, factor, unit, is_p_value: false });
        match id {
            FIT_SECONDS => time(FIT_SECONDS, "time to fit", 1.0, "s"),
            APPLY_SECONDS => time(APPLY_SECONDS, "time to apply to a row", 1e6, "µs"),
            id => metric(id).map(|metric| {
                let (factor, unit) = match metric.written {
                    Written::Digits | Written::PValue => (1.0, ""),
                    Written::Percent => (100.0, "%"),
                    Written::Points => (100.0, "points"),
                };
                let is_p_value = metric.written == Written::PValue;
                Self { id: metric.id, name: metric.name, better: metric.better, factor, unit, is_p_value }
            }),
        }
    }

    /// Whether the clock of the machine gave it: it is another one each time.
    pub fn is_time(&self) -> bool {
        [FIT_SECONDS, APPLY_SECONDS].contains(&self.id)
    }

    /// Its name with its unit, as the head of a column: the metric's entry says on which scale all values below it are.
    pub fn head(&self) -> String {
        match self.unit {
            "" => self.name.to_owned(),
            "points" => format!("{} (pp)", self.name),
            unit => format!("{} ({unit})", self.name),
        }
    }

    /// Decimals of all values of a column, given as mean and standard deviation: two digits of the median standard deviation,
    /// and where there is none three digits of the median size.
    pub fn places(&self, values: &[(f64, Option<f64>)]) -> usize {
        if self.is_p_value {
            return 3;
        }
        let spreads = || values.iter().filter_map(|(_, sd)| *sd).filter(|sd| *sd > 0.0 && sd.is_finite());
        match spreads().next() {
            Some(_) => column_places(spreads().map(|sd| sd * self.factor), 2),
            None => column_places(values.iter().map(|(mean, _)| mean * self.factor), 3),
        }
    }

    /// Mean ± standard deviation, or the mean where there is none, in its unit with the decimals of the column.
    pub fn written(&self, mean: f64, sd: Option<f64>, places: usize) -> String {
        let mean = mean * self.factor;
        match sd {
            Some(sd) => spread_in_column(mean, sd * self.factor, places),
            None => in_column(mean, places),
        }
    }

    /// How bad a value is: smaller is better, whatever the metric.
    pub fn badness(&self, value: f64) -> f64 {
        self.better.badness(value)
    }

    /// What differences are taken of: the value, or its distance from the ideal where there is one.
    pub fn size(&self, value: f64) -> f64 {
        self.better.distance(value)
    }

    /// What the best has: the lowest, the highest, the value nearest to the ideal.
    pub fn extreme(&self) -> &'static str {
        match self.better {
            Better::Lower | Better::Neither => "lowest",
            Better::Higher => "highest",
            Better::Zero => "least",
            Better::One => "best",
        }
    }

    /// A value in its unit, which is not written.
    pub fn number(&self, value: f64) -> String {
        significant(value * self.factor)
    }

    /// Mean ± standard deviation in its unit, which is not written: as many decimals as show two digits of the standard
    /// deviation; three digits of a mean that has none.
    pub fn spread(&self, mean: f64, sd: Option<f64>) -> String {
        let (mean, sd) = (mean * self.factor, sd.map(|sd| sd * self.factor));
        match sd {
            Some(sd) if sd > 0.0 && sd.is_finite() => {
                let places = decimals(sd);
                format!("{} ± {}", fixed(mean, places), fixed(sd, places))
            }
            Some(_) => format!("{} ± 0", significant(mean)),
            None => significant(mean),
        }
    }

    /// The same with its unit.
    pub fn with_unit(&self, mean: f64, sd: Option<f64>) -> String {
        self.spread(mean, sd) + &self.after_number()
    }

    /// Its unit as it stands behind a number: `%` without a space; empty for a bare number.
    pub fn after_number(&self) -> String {
        match self.unit {
            "" | "%" => self.unit.to_owned(),
            unit => format!("\u{a0}{unit}"),
        }
    }
}

/// Decimals that show two digits of `sd`; at most 12.
fn decimals(sd: f64) -> usize {
    let text = format!("{sd:.1e}");
    let exponent: i32 = text.split_once('e').and_then(|(_, exponent)| exponent.parse().ok()).unwrap_or(0);
    (1 - exponent).clamp(0, 12) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_digits_of_the_standard_deviation() {
        let nll = Measure::of("nll").expect("a metric");
        for (mean, sd, text) in [
            (0.412_34, 0.006_15, "0.4123 ± 0.0062"),
            (0.5, 0.0996, "0.50 ± 0.10"),
            (1234.0, 56.7, "1,234 ± 57"),
            (-0.02, 0.3, "−0.02 ± 0.30"),
        ] {
            assert_eq!(nll.spread(mean, Some(sd)), text);
        }
        assert_eq!(nll.spread(0.25, Some(0.0)), "0.250 ± 0");
        assert_eq!(nll.spread(0.25, None), "0.250");
        let accuracy = Measure::of("accuracy").expect("a metric");
        assert_eq!(accuracy.head(), "Accuracy (%)");
        assert_eq!(Measure::of("mean_gap").expect("a metric").head(), "Mean error (pp)");
        // shares of one kind have one scale
        let factor = |id: &str| Measure::of(id).expect("a metric").factor;
        assert_eq!([factor("ece"), factor("piece"), factor("piece_code"), factor("mlce")], [1.0; 4]);
        let column = [(0.041_23, Some(0.0021)), (0.0038, Some(0.0011)), (0.152, Some(0.02))];
        let places = nll.places(&column);
        assert_eq!(
            column.map(|(mean, sd)| nll.written(mean, sd, places)),
            ["0.0412 ± 0.0021", "0.0038 ± 0.0011", "0.1520 ± 0.0200"]
        );
        assert_eq!(nll.places(&[(0.041_23, None), (0.152, Some(0.0))]), 4);
        assert_eq!(accuracy.with_unit(0.871_23, Some(0.0041)), "87.12 ± 0.41%");
        let p = Measure::of("p_bernoulli").expect("a metric");
        let places = p.places(&[(1e-7, Some(2e-8)), (0.45, Some(0.1))]);
        assert_eq!(
            [(1e-7, None), (1e-7, Some(2e-8)), (0.45, Some(0.1))].map(|(mean, sd)| p.written(mean, sd, places)),
            ["<0.001", "<0.001", "0.450 ± 0.100"]
        );
        assert!(Measure::of("fit_seconds").is_some_and(|time| time.is_time()));
        assert_eq!(Measure::of("no_such_metric"), None);
    }
}
