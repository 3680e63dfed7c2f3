//! Numbers of the KLCE test: tables, facts and the draws of the null.

use super::{KlceMethod, KlceQuestion};
use crate::data::Predictions;
use crate::evaluation::method::{title, whose_scores};
use crate::feature::coordinates;
use crate::hypothesis::{KlceTestOutcome, Null};
use crate::metric::brier::BRIER;
use crate::metric::ece::{ECE, MCE};
use crate::metric::entry::Metric;
use crate::plot::chart::{Chart, ChartWidth};
use crate::plot::null_histogram::NullChart;
use crate::report::RunOutcome;
use crate::report::disclosure::{Basis, Stated};
use crate::report::sheet::{Cell, SheetTable, Tone};
use crate::report::view::Fact;
use crate::words::number::{count, p_digits, p_value, percent, significant};

/// Figure 4 of Vashistha and Farahi as a table.
pub(super) fn side_by_side(run: &RunOutcome, methods: &[KlceMethod], alpha: f64) -> Stated<SheetTable> {
    let titles = ["Method", "#Brier", "#ECE", "#MCE", "#KLCE²", "#p"];
    let mut table = SheetTable::new("Calibration measures and the KLCE test", &titles);
    let definitions = [
        "",
        "mean squared error of the scores",
        "mean absolute error across bins",
        "largest absolute error of a bin",
        "squared kernel local calibration error, normalized; can be negative",
        "p-value of the KLCE calibration test",
    ];
    for (column, definition) in table.columns.iter_mut().zip(definitions) {
        column.definition = definition.to_owned();
    }
    for method in methods {
        let report = run.report.methods.iter().find(|report| report.name == method.method);
        let metric = |metric: &Metric| {
            let value = report.and_then(|report| report.metrics.get(metric.id)?.value);
            cell(value, significant)
        };
        let p = cell(method.p_bernoulli, p_digits);
        table.rows.push(vec![
            title(&method.method).as_ref().into(),
            metric(&BRIER),
            metric(&ECE),
            metric(&MCE),
            cell(method.klce2_normalised, significant),
            match method.p_bernoulli {
                Some(value) if value <= alpha => p.with_beneath("rejected"),
                Some(_) => p.with_beneath("not rejected").toned(Tone::Muted),
                None => p,
            },
        ]);
    }
    let tested = Basis::Statistic(methods.iter().map(|method| method.rows as u64).min().unwrap_or(0));
    let of = |metric: &Metric| Basis::of_metric_of(metric.id, run);
    Stated::new(table, Basis::Columns(vec![of(&BRIER), of(&ECE), of(&MCE), tested.clone(), tested]))
}

pub(super) fn cell(value: Option<f64>, words: impl Fn(f64) -> String) -> Cell {
    value.map_or_else(|| Cell::from("–"), |value| Cell::number(words(value), value))
}

fn null_words(null: Null) -> (&'static str, &'static str) {
    match null {
        Null::Bernoulli => {
            ("outcomes drawn from the scores", "global and local error; the reported verdict uses this null")
        }
        Null::PermuteCentred => (
            "residuals permuted, centered (published p-values)",
            "global and local error; type I error is about 10% instead of 5% where residual variance differs \
             between rows",
        ),
        Null::Permute => {
            ("residuals permuted", "local error only; no power against an error that is the same everywhere")
        }
        Null::Bootstrap => (
            "residuals resampled with replacement",
            "local error only, with lower power; no power against an error that is the same everywhere",
        ),
    }
}

pub(super) fn nulls_table(first: &KlceMethod) -> SheetTable {
    let titles = ["Null", "Detects", "#p", "#Draws", "#95% null range"];
    let caption = format!(
        "KLCE² of {} under the null, {}",
        whose_scores(&first.method),
        match first.nulls.len() {
            1 => "one null distribution".to_owned(),
            ways => format!("{ways} null distributions"),
        }
    );
    let mut table = SheetTable::new(caption, &titles);
    for one in &first.nulls {
        let (name, sees) = null_words(one.null);
        let p = match (one.p, one.reason.as_deref()) {
            (None, Some(reason)) => Cell::from("–").with_beneath(reason.replace('_', " ")),
            (p, _) => cell(p, p_digits),
        };
        let [low, .., high] = one.quantiles;
        table.rows.push(vec![
            name.into(),
            sees.into(),
            p,
            Cell::number(count(one.draws as u64), one.draws as f64),
            format!("{} to {}", significant(low), significant(high)).into(),
        ]);
    }
    table
}

pub(super) fn facts(data: &Predictions, first: &KlceMethod, question: &KlceQuestion) -> Vec<Fact> {
    let fact = |name: &str, value: String| Fact { name: name.to_owned(), value };
    let or_dash = |value: Option<f64>| value.map_or("–".to_owned(), significant);
    let bound = significant(first.corollary_bound);
    vec![
        fact("covariates", coordinates(data, &question.settings.features)),
        fact("score bandwidth", significant(first.width_p)),
        fact("covariate bandwidth γ", significant(first.gamma)),
        fact("median kernel value of a pair", significant(first.median_kernel)),
        fact("KLCE², normalized", or_dash(first.klce2_normalised)),
        fact("KLCE², unbiased", or_dash(first.klce2_unbiased)),
        fact("KLCE², kernel-weighted", or_dash(first.debiased_ratio)),
        fact(
            "distribution-free bound",
            format!("{bound} on the unbiased form (Corollary 3.7): very loose, reported only for completeness"),
        ),
    ]
}

pub(super) fn chart(name: &str, found: &KlceTestOutcome, question: &KlceQuestion) -> Option<Chart> {
    let null = found.under(Null::Bernoulli).or_else(|| found.nulls.first())?;
    let n = found.n as f64;
    let unit = (n - 1.0) / n * (found.mass + n);
    let shift = if null.null == Null::PermuteCentred { null.mean } else { 0.0 };
    let draws: Vec<f64> = null.draws.iter().map(|t| (t - shift) / unit).collect();
    if draws.is_empty() {
        return None;
    }
    let mut sorted = draws.clone();
    sorted.sort_unstable_by(f64::total_cmp);
    let critical = crate::num::quantile::quantile_sorted(&sorted, 1.0 - question.alpha)?;
    let caption = format!(
        "{} draws, {}; dotted: critical value at level {}.",
        count(draws.len() as u64),
        null_words(null.null).0,
        percent(question.alpha)
    );
    let chart = NullChart {
        draws: draws.into(),
        observed: found.normalized?,
        critical,
        value_name: "KLCE², normalized".to_owned(),
        title: match null.p {
            Some(p) => format!("{}: {}", title(name), p_value(p)),
            None => title(name).into_owned(),
        },
        caption,
    };
    Some(Chart::new(chart, ChartWidth::all(420.0)))
}
