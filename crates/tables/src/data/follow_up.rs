//! Follow-up times: what becomes of rows whose follow-up ended early.

use super::names;
use super::predictions::Predictions;
use super::roles::{ColumnRole, Role};
use crate::table::values::{NamedColumn, Table, Values};
use crate::words::text::quoted;

/// Says what becomes of rows whose follow-up ended early, where one of two outcomes is `censored` or a time to the event is
/// beside the outcome.
///
/// * `labels`: the classes; `roles`: of the columns of `table`
pub(super) fn caution(labels: &[String], table: &Table, roles: &[ColumnRole]) -> Option<String> {
    let [none, event] = labels else { return None };
    let outcome = roles.iter().find(|role| role.role == Role::Label)?;
    let censored = [none, event].into_iter().find(|label| label.to_lowercase().starts_with("censored"));
    let all = || table.columns.iter().map(|column| column.name.as_str());
    let time = || {
        let is_time = |column: &NamedColumn| {
            matches!(column.values, Values::Numbers(_)) && names::is_follow_up(&column.name, &outcome.name, all())
        };
        let is_date = |role: Option<&ColumnRole>| role.is_some_and(|role| role.role == Role::Date);
        let columns = table.columns.iter().enumerate().filter(|(j, _)| !is_date(roles.get(*j)));
        columns.map(|(_, column)| column).find(|column| is_time(column))
    };
    let why = match (censored, time()) {
        (Some(label), _) => format!("The outcome of some rows is `{label}`"),
        (None, Some(column)) => format!("{} reads like a follow-up time", quoted(&column.name)),
        (None, None) => return None,
    };
    Some(format!(
        "{why}. Rows whose follow-up ended without the event, before the time that the scores predict, count as rows \
         without it, and later events as events; excluding these rows biases results, too. Supply the outcome at that time, \
         and as sample weights the inverse probabilities of not being censored before it."
    ))
}

impl Predictions {
    /// That censoring is not modeled, in the words of the warning `follow_up`, where the file seems to hold follow-up times.
    pub fn follow_up(&self) -> Option<String> {
        caution(&self.labels, &self.table, &self.roles)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use crate::data::{OpenOptions, assemble};

    #[test]
    fn a_date_is_no_follow_up_time() {
        let warned = |time: &dyn Fn(usize) -> String| {
            let row = |i: usize| format!("{},0.{},{}\n", time(i), 10 + i % 80, i % 3 / 2);
            let text = format!("event_time,p,y\n{}", (0..60).map(row).collect::<String>());
            let file = crate::read::read("rows.csv", text.as_bytes(), &mut |_| ()).unwrap();
            let (data, _) = assemble(&[file], &OpenOptions::default()).unwrap();
            data.follow_up().is_some()
        };
        assert!(warned(&|i| (1 + i * 7 % 50).to_string()));
        assert!(!warned(&|i| (1_672_531_200_000_u64 + 3_600_000 * i as u64).to_string()));
    }
}
