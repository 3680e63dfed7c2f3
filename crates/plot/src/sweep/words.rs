//! What the sweep says: the reading and the table of its curves.

use super::{SweepChart, SweepSeries, formatted, value_at};
use crate::table::TextTable;
use crate::words::number;

/// The chart in one sentence, for those who do not see it.
pub(super) fn alt(chart: &SweepChart) -> String {
    let parts: Vec<String> = chart
        .series
        .iter()
        .filter_map(|series| {
            let (first, last) = (series.values.first()?, series.values.last()?);
            let unit = if chart.in_points { 100.0 } else { 1.0 };
            Some(format!(
                "{} from {} at γ = {} to {} at γ = {}",
                series.name,
                formatted(first.1, unit),
                number::significant(first.0),
                formatted(last.1, unit),
                number::significant(last.0)
            ))
        })
        .collect();
    let all = if parts.is_empty() { "no value".to_owned() } else { parts.join("; ") };
    format!("{} by bandwidth: {all}.", chart.value_name)
}

/// The numbers of the chart by bandwidth, between the two limits.
pub(super) fn table(chart: &SweepChart) -> TextTable {
    let mut titles = vec!["#γ".to_string()];
    titles.extend(chart.series.iter().map(|s| format!("#{}", s.name)));
    let mut table = TextTable::new(&titles.iter().map(String::as_str).collect::<Vec<_>>());
    let unit = if chart.in_points { 100.0 } else { 1.0 };
    let cell = |value: Option<f64>| value.map_or("–".into(), |v| number::significant(v * unit));
    let mut row = |head: String, value: &dyn Fn(&SweepSeries) -> Option<f64>| {
        let cells = chart.series.iter().map(|s| cell(value(s)));
        table.rows.push(std::iter::once(head).chain(cells).collect());
    };
    row("0".into(), &|s| s.at_zero);
    let mut gammas: Vec<f64> = (chart.series.iter().flat_map(|s| &s.values)).map(|v| v.0).collect();
    gammas.sort_unstable_by(f64::total_cmp);
    gammas.dedup();
    for gamma in gammas {
        row(number::significant(gamma), &|s| value_at(s, gamma));
    }
    row("∞".into(), &|s| s.at_infinity);
    table
}
