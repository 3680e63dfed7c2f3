//! Shares that are written in percent.

use super::names;
use super::profile::Profile;
use super::roles::Reading;
use crate::read::{check_ratings, hundredths};
use crate::table::values::{Dictionary, Matrix, NamedColumn, Reals, Values};

/// The values of a column under a reading: the wished one, or percent where every value carries the sign, or where the name
/// says that it is a score in percent, or a confidence, and the values fit.
pub(super) fn read_as(column: &NamedColumn, wished: Option<Reading>) -> (Values, Option<Reading>) {
    match (&column.values, wished) {
        (Values::Numbers(_), None) if named_percent(column) => (of_percent(&column.values), Some(Reading::Percent)),
        (Values::Text { codes, levels }, None) => match levels.iter().map(hundredths).collect::<Option<Vec<f64>>>() {
            Some(shares) if !shares.is_empty() => (numbers(codes, &shares), Some(Reading::Percent)),
            _ => (column.values.clone(), None),
        },
        (values, None | Some(Reading::Thousands | Reading::Decimal)) => (values.clone(), wished),
        (values, Some(Reading::Percent)) => (of_percent(values), wished),
    }
}

/// The name says that these are scores in percent, and the numbers go from 0 to 100, some of them beyond 1; or it says that they
/// are confidences, also of an object (`response.confidence`), and they look like percent.
fn named_percent(column: &NamedColumn) -> bool {
    let scores_in_percent = names::says_percent(&column.name);
    let confidences = names::says_confidence(&column.name);
    (scores_in_percent || confidences) && {
        let profile = Profile::of(column);
        let fits = profile.min >= 0.0 && profile.max > 1.0 && profile.max <= 100.0;
        fits && (scores_in_percent || profile.percent_like() && !are_ratings(&column.values))
    }
}

/// Confidences on a scale up to 10 are ratings, as in evaluation logs.
fn are_ratings(values: &Values) -> bool {
    let Values::Numbers(values) = values else { return false };
    let known: Vec<f64> = values.iter().copied().filter(|x| x.is_finite()).collect();
    check_ratings(&known, ["", ""]).is_err()
}

/// Some value carries the sign, but not every one.
pub(super) fn some_signs(values: &Values) -> bool {
    match values {
        Values::Text { levels, .. } => levels.iter().any(|text| hundredths(text).is_some()),
        _ => false,
    }
}

fn numbers(codes: &[u32], shares: &[f64]) -> Values {
    let share = |&code: &u32| shares.get(code as usize).copied().unwrap_or(f64::NAN);
    Values::Numbers(codes.iter().map(share).collect())
}

/// Values divided by 100; what is no number stays as it is.
fn of_percent(values: &Values) -> Values {
    match values {
        Values::Numbers(v) => Values::Numbers(v.iter().map(|x| x / 100.0).collect()),
        Values::Matrix(Matrix { width, values }) => Values::Matrix(Matrix {
            width: *width,
            values: match values {
                Reals::F64(v) => Reals::F64(v.iter().map(|x| x / 100.0).collect()),
                Reals::F32(v) => Reals::F32(v.iter().map(|x| x / 100.0).collect()),
            },
        }),
        Values::Text { codes, levels } => {
            let signed = |text: &str| hundredths(text).or_else(|| hundredths(&format!("{text}%")));
            let shares: Vec<Option<f64>> = levels.iter().map(signed).collect();
            if let Some(shares) = shares.iter().copied().collect::<Option<Vec<f64>>>() {
                return numbers(codes, &shares);
            }
            let mut read = Dictionary::default();
            for (text, share) in levels.iter().zip(&shares) {
                read.push(&share.map_or_else(|| text.to_owned(), |share| share.to_string()));
            }
            Values::Text { codes: codes.clone(), levels: read }
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::table::column::Column;
    use crate::table::values::MISSING;

    fn text(cells: &[&str]) -> NamedColumn {
        let mut levels = Dictionary::default();
        let codes: Vec<u32> = cells
            .iter()
            .map(|cell| match *cell {
                "" => MISSING,
                cell => levels.push(cell),
            })
            .collect();
        NamedColumn {
            file: String::new(),
            name: "p".into(),
            values: Values::Text { codes: Column::from(codes), levels },
        }
    }

    #[test]
    fn the_sign_on_every_value_is_enough_and_on_some_is_not() {
        let (values, reading) = read_as(&text(&["12.5%", "85.7 %", "12,5\u{a0}%", ""]), None);
        let Values::Numbers(shares) = values else { panic!("numbers expected") };
        assert_eq!(shares[..3], [0.125, 0.857, 0.125]);
        assert!(shares[3].is_nan());
        assert_eq!(reading, Some(Reading::Percent));
        let mixed = text(&["12.5%", "0.3"]);
        assert_eq!(read_as(&mixed, None), (mixed.values.clone(), None));
        assert!(some_signs(&mixed.values));
        let (values, _) = read_as(&mixed, Some(Reading::Percent));
        assert_eq!(values, Values::Numbers(Column::from(vec![0.125, 0.003])));
    }

    #[test]
    fn a_name_that_says_percent_is_enough_where_the_values_fit() {
        let of = |name: &str, values: Vec<f64>| {
            let values = Values::Numbers(Column::from(values));
            read_as(&NamedColumn { file: String::new(), name: name.into(), values }, None).1
        };
        for name in ["risk_percent", "score_percent", "predictedPct", "Risiko_Score_Prozent", "prob %"] {
            assert_eq!(of(name, vec![0.5, 12.0]), Some(Reading::Percent), "{name}");
        }
        assert_eq!(of("risk_percent", vec![0.5, 0.9]), None);
        assert_eq!(of("risk_percent", vec![0.5, 120.0]), None);
        assert_eq!(of("body_fat_percent", vec![12.0, 30.0]), None);
        assert_eq!(of("risk", vec![12.0, 30.0]), None);
    }

    #[test]
    fn what_is_no_number_stays_to_be_named() {
        let (values, _) = read_as(&text(&["50%", "many"]), Some(Reading::Percent));
        let Values::Text { levels, .. } = values else { panic!("text expected") };
        assert_eq!(levels.iter().collect::<Vec<_>>(), ["0.5", "many"]);
    }
}
