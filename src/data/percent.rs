//! Shares that are written in percent.

use super::roles::Reading;
use crate::read::hundredths;
use crate::table::values::{Dictionary, Matrix, NamedColumn, Reals, Values};

/// The values of a column under a reading: the wished one, or percent where every value carries the sign.
pub(super) fn read_as(column: &NamedColumn, wished: Option<Reading>) -> (Values, Option<Reading>) {
    match (&column.values, wished) {
        (Values::Text { codes, levels }, None) => match levels.iter().map(hundredths).collect::<Option<Vec<f64>>>() {
            Some(shares) if !shares.is_empty() => (numbers(codes, &shares), Some(Reading::Percent)),
            _ => (column.values.clone(), None),
        },
        (values, None) => (values.clone(), None),
        (values, Some(Reading::Percent)) => (of_percent(values), wished),
    }
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
    fn what_is_no_number_stays_to_be_named() {
        let (values, _) = read_as(&text(&["50%", "many"]), Some(Reading::Percent));
        let Values::Text { levels, .. } = values else { panic!("text expected") };
        assert_eq!(levels.iter().collect::<Vec<_>>(), ["0.5", "many"]);
    }
}
