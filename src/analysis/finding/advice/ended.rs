//! Listed subgroups of which no row is to come: periods with an end, and values that no longer occur.

use crate::data::dates::{Dates, is_of_birth};
use crate::data::subgroup::{Among, Subgroup};
use crate::data::{Predictions, Role};

/// Chance that none of the later rows is of a subgroup that still occurs as often as before, below which it has ended.
const CHANCE: f64 = 1e-4;

/// Whether a subgroup is of a period with an end, or does not occur in the last rows.
pub(super) fn has_ended(data: &Predictions, subgroup: &Subgroup) -> bool {
    is_ended_period(subgroup) || last_day(data, subgroup).is_some()
}

fn is_ended_period(subgroup: &Subgroup) -> bool {
    subgroup.conditions.iter().any(|condition| matches!(condition.is, Among::Dates { before: Some(_), .. }))
}

/// The last day of a subgroup other than a period that has ended, and the number of later rows: with p its share of the rows until
/// then, none of m later ones would be in it with a chance of (1 − p)ᵐ < 1e-4. O(n).
///
/// None where no column of dates, other than those of births, or several of them are in the file.
pub(super) fn last_day(data: &Predictions, subgroup: &Subgroup) -> Option<(String, usize)> {
    if subgroup.conditions.iter().any(|condition| matches!(condition.is, Among::Dates { .. })) {
        return None;
    }
    let of_rows = data.table.columns.iter().zip(&data.roles);
    let mut dated = of_rows.filter(|(column, role)| role.role == Role::Date && !is_of_birth(&column.name));
    let ((column, _), None) = (dated.next()?, dated.next()) else { return None };
    let dates = Dates::of(column)?;
    let inside = subgroup.rows(data).ok()?;
    let days = || dates.of_rows.iter().zip(&inside).filter(|(day, _)| !day.is_nan());
    let last = days().filter(|(_, inside)| **inside).map(|(day, _)| *day).reduce(f64::max)?;
    let later = days().filter(|(day, _)| **day > last).count();
    let rows = days().filter(|(_, inside)| **inside).count();
    let until = days().count() - later;
    let share = rows as f64 / until.max(1) as f64;
    ((1.0 - share).powf(later as f64) < CHANCE).then(|| (dates.text(last), later))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::data::subgroup::Condition;
    use crate::data::{OpenOptions, assemble};
    use crate::read::read;

    #[test]
    fn a_ward_that_closed_has_ended_and_a_rare_one_has_not() {
        let ward = |i: usize| match i {
            0..300 if i.is_multiple_of(3) => "ICU",
            40 | 900 => "burns",
            _ => "surgery",
        };
        let row = |i: usize| {
            let date = format!("20{:02}-{:02}-{:02}", 20 + i / 336, 1 + i / 28 % 12, 1 + i % 28);
            format!("{date},{},0.{:03},{}\n", ward(i), 100 + i * 37 % 800, i * 11 % 3 / 2)
        };
        let opened = |births: bool| {
            let text = format!(
                "{},ward,p,y\n{}",
                if births { "dob" } else { "date" },
                (0..1_000).map(row).collect::<String>()
            );
            let file = read("rows.csv", text.as_bytes(), &mut |_| ()).unwrap();
            assemble(&[file], &OpenOptions::default()).unwrap().0
        };
        let of = |ward: &str| Subgroup {
            conditions: vec![Condition { column: "ward".to_owned(), is: Among::Values(vec![ward.to_owned()]) }],
        };
        let data = opened(false);
        assert_eq!(last_day(&data, &of("ICU")), Some(("2020-11-18".to_owned(), 702)));
        assert_eq!((last_day(&data, &of("surgery")), last_day(&data, &of("burns"))), (None, None));
        assert_eq!(last_day(&opened(true), &of("ICU")), None);
    }
}
