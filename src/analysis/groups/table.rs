//! Groups as tables: on the page, and as CSV in which small groups are left empty.

use std::fmt::Write;

use serde::{Deserialize, Serialize};

use super::{ACROSS, GroupEstimate, GroupLines, GroupsOutcome, LISTED, gap_cell};
use crate::data::View;
use crate::evaluation::method::title;
use crate::hypothesis::clustered_events::is_smallest;
use crate::metric::accuracy::ACCURACY;
use crate::metric::brier::BRIER;
use crate::metric::ece::{ECE, MCE};
use crate::metric::log_loss::NLL;
use crate::report::csv::guarded;
use crate::report::disclosure::{Basis, Stated};
use crate::report::sheet::{Cell, SheetTable, Tone};
use crate::report::verdict::LEVEL;
use crate::words::number::{count, p_digits, percent, points_size, significant};

/// Which number of every method is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum GroupMetric {
    /// expected calibration error
    Ece,
    /// maximum calibration error
    #[default]
    Mce,
    /// Brier score of the pair
    Brier,
    /// log-loss of the pair
    Nll,
    /// right with a cut at one half
    Accuracy,
}

impl GroupMetric {
    /// In the order of [`super::MethodByGroup::values`].
    pub const ALL: [Self; 5] = [Self::Ece, Self::Mce, Self::Brier, Self::Nll, Self::Accuracy];

    /// In requests.
    pub fn id(self) -> &'static str {
        match self {
            Self::Ece => ECE.id,
            Self::Mce => MCE.id,
            Self::Brier => BRIER.id,
            Self::Nll => NLL.id,
            Self::Accuracy => ACCURACY.id,
        }
    }

    /// For people.
    pub fn title(self) -> &'static str {
        ["ECE", "MCE", "Brier score", "log loss", "accuracy"][self as usize]
    }
}

/// Columns with a number of a group.
pub(super) const NUMBERS: u64 = 10;

/// A line a group. `lines`: what they are computed from.
pub(super) fn of_groups(outcome: &GroupsOutcome, view: View, least: usize, lines: Vec<Basis>) -> Stated<SheetTable> {
    let (predicted, observed) = view.columns();
    let excess = format!("#Excess or missing {}", view.events());
    let in_excess = format!("n × |error|: {} in excess of, or missing from, the number expected.", view.events());
    let mut table = SheetTable::new(
        format!("Calibration by {}", outcome.title),
        &[
            "Group",
            "#n",
            predicted,
            observed,
            "#Error (95% CI)",
            &excess,
            "#ECE",
            "#MCE",
            "#Adjusted p",
            "#FDR-adjusted p",
            "#Detectable gap",
        ],
    );
    let definitions = [
        (5, in_excess.as_str()),
        (6, "Expected calibration error within the group."),
        (7, "Largest absolute error of a confidence bin within the group; large in small groups by chance."),
        (8, "Adjusted for all groups (Holm): controls the probability of any false positive."),
        (9, "False discovery rate (Benjamini and Hochberg) among the groups with a value up to this."),
        (
            10,
            "The smallest gap detected with 80% power at this group's number of rows; where an outcome is rare, by the exact test, and \
             in the only direction in which a gap can be detected.",
        ),
    ];
    for (place, text) in definitions {
        if let Some(column) = table.columns.get_mut(place) {
            text.clone_into(&mut column.definition);
        }
    }
    table.rows = outcome.groups.iter().take(LISTED).map(|group| line(group, least)).collect();
    // in a group of enough rows, too, the largest error is that of one bin, which may hold one row
    let column = |place: usize| match place {
        6 => Basis::of_metric(ECE.id, view),
        7 => Basis::of_metric(MCE.id, view),
        _ => Basis::Setting,
    };
    let columns = (1..table.columns.len()).map(column).collect();
    Stated::new(table, Basis::Grid { lines, columns })
}

fn line(group: &GroupEstimate, least: usize) -> Vec<Cell> {
    let small = group.n < least;
    let tone = if small { Tone::Muted } else { Tone::of_error(group.gap, group.p_holm <= LEVEL) };
    let muted = if small { Tone::Muted } else { Tone::Plain };
    let name = Cell::from(group.name.clone()).toned(muted);
    let name = if small { name.with_beneath("few rows") } else { name };
    let p = |p: f64| {
        if p.is_nan() {
            return Cell::from("–");
        }
        let bound = if p >= 0.001 && is_smallest(group.p, group.n) { "≤" } else { "" };
        Cell::number(format!("{bound}{}", p_digits(p)), p)
    };
    vec![
        name,
        Cell::number(count(group.n as u64), group.n as f64),
        Cell::number(percent(group.score), group.score),
        Cell::number(percent(group.observed), group.observed).with_beneath(count(group.events as u64)),
        Cell::number(gap_cell(group), group.gap).toned(tone),
        Cell::number(significant(group.excess_events), group.excess_events),
        Cell::number(significant(group.ece), group.ece),
        Cell::number(significant(group.mce), group.mce),
        p(group.p_holm),
        p(group.p_bh),
        if group.detectable.is_nan() {
            Cell::from("–")
        } else {
            Cell::number(points_size(group.detectable), group.detectable)
        },
    ]
    .into_iter()
    .enumerate()
    .map(|(i, cell)| match (small, i) {
        (true, 1..) => cell.toned(Tone::Muted),
        _ => cell,
    })
    .collect()
}

/// Methods × groups; the largest of each line at its end.
pub(super) fn of_methods(
    outcome: &GroupsOutcome,
    lines: &GroupLines,
    view: View,
    metric: GroupMetric,
    least: usize,
) -> Stated<SheetTable> {
    let place = metric as usize;
    let names: Vec<String> = outcome.groups.iter().take(ACROSS).map(|g| format!("#{}", g.name)).collect();
    let extreme = match metric {
        GroupMetric::Accuracy => "#Smallest",
        _ => "#Largest",
    };
    let titles = std::iter::once("Method").chain(std::iter::once(extreme)).chain(names.iter().map(String::as_str));
    let titles: Vec<&str> = titles.collect();
    let mut table = SheetTable::new(format!("{} by method and {}", metric.title(), outcome.title), &titles);
    let worst = |values: &[Option<[f64; 5]>]| {
        let all = values.iter().flatten().map(|v| v[place]);
        match metric {
            GroupMetric::Accuracy => all.fold(f64::NAN, f64::min),
            _ => all.fold(f64::NAN, f64::max),
        }
    };
    table.rows = outcome
        .methods
        .iter()
        .map(|method| {
            let number = |v: f64| Cell::number(significant(v), v);
            let cells = outcome.groups.iter().take(ACROSS).zip(&method.values).map(|(group, values)| {
                let cell = values.map_or_else(|| Cell::from("–"), |values| number(values[place]));
                if group.n < least { cell.toned(Tone::Muted) } else { cell }
            });
            [Cell::from(title(&method.method).as_ref()), number(worst(&method.values))]
                .into_iter()
                .chain(cells)
                .collect()
        })
        .collect();
    // the value of one bin, or one from which wrong predictions are counted, tells of few rows of a large group, too
    if Basis::of_metric(metric.id(), view) != Basis::AllRows {
        return Stated::new(table, Basis::Unknown);
    }
    // the largest says something about every group, however small
    let smallest = outcome.groups.iter().map(|group| group.n as u64).min().unwrap_or(0);
    let groups = lines.basis(0..outcome.groups.len().min(ACROSS));
    Stated::new(table, Basis::Columns(vec![Basis::Statistic(smallest), groups]))
}

/// Every digit of every number; groups of fewer than `least` rows keep their name only.
pub(super) fn csv(outcome: &GroupsOutcome, least: usize) -> String {
    let mut out =
        "group,rows,events,mean_score,observed,gap,gap_low,gap_high,ece,mce,p,p_holm,p_bh,detectable_gap\n".to_owned();
    for group in &outcome.groups {
        out += &guarded(&group.name);
        if group.n < least {
            let _ = writeln!(out, ",<{least}{}", ",".repeat(12));
            continue;
        }
        let _ = write!(out, ",{},{}", group.n, group.events);
        for value in [
            group.score,
            group.observed,
            group.gap,
            group.interval[0],
            group.interval[1],
            group.ece,
            group.mce,
            group.p,
            group.p_holm,
            group.p_bh,
            group.detectable,
        ] {
            // without a test there is nothing to write
            let text = if value.is_nan() { String::new() } else { value.to_string() };
            let _ = write!(out, ",{text}");
        }
        out.push('\n');
    }
    out
}
