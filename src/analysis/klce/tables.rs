//! Numbers of the trust test: tables, facts and the draws of the null.

use super::words::p_words;
use super::{KlceMethod, KlceQuestion};
use crate::data::Predictions;
use crate::evaluation::method::{title, whose_scores};
use crate::feature::coordinates;
use crate::hypothesis::{Null, TrustFound};
use crate::metric::brier::BRIER;
use crate::metric::ece::{ECE, MCE};
use crate::metric::entry::Metric;
use crate::plot::chart::{Chart, Room};
use crate::plot::null_histogram::NullChart;
use crate::report::RunOutcome;
use crate::report::disclosure::{Basis, Stated};
use crate::report::sheet::{Cell, SheetTable, Tone};
use crate::report::view::Fact;
use crate::words::number::{count, percent, significant};

/// Figure 4 of Vashistha and Farahi as a table.
pub(super) fn side_by_side(run: &RunOutcome, methods: &[KlceMethod], alpha: f64) -> Stated<SheetTable> {
    let titles = ["method", "#Brier", "#ECE", "#MCE", "#KLCE²", "#p"];
    let mut table = SheetTable::new("Usual measures beside the trust test", &titles);
    let definitions = [
        "",
        "squared error of the scores",
        "mean gap of the bins",
        "largest gap of the bins",
        "squared kernel local calibration error, normalised; may be negative",
        "share of right scores that would look as bad",
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
        let p = cell(method.p_bernoulli, p_words);
        table.rows.push(vec![
            title(&method.method).as_ref().into(),
            metric(&BRIER),
            metric(&ECE),
            metric(&MCE),
            cell(method.klce2_normalised, significant),
            match method.p_bernoulli {
                Some(p_value) if p_value <= alpha => p.with_beneath("wrong somewhere"),
                Some(_) => p.with_beneath("nothing found").toned(Tone::Muted),
                None => p,
            },
        ]);
    }
    let tested = Basis::Statistic(methods.iter().map(|method| method.rows as u64).min().unwrap_or(0));
    let of = |metric: &Metric| Basis::of_metric(metric.id, run.report.data.view);
    Stated::new(table, Basis::Columns(vec![of(&BRIER), of(&ECE), of(&MCE), tested.clone(), tested]))
}

pub(super) fn cell(value: Option<f64>, words: impl Fn(f64) -> String) -> Cell {
    value.map_or_else(|| Cell::from("–"), |value| Cell::number(words(value), value))
}

pub(super) fn null_words(null: Null) -> (&'static str, &'static str) {
    match null {
        Null::Bernoulli => (
            "outcomes drawn from the scores",
            "everything: scores that are wrong on average as well as those wrong here and there; the one to go by",
        ),
        Null::PermuteCentred => (
            "residuals shuffled, centred (published p-values)",
            "both kinds, but calls right scores wrong in about one of ten cases instead of one of twenty where rows differ \
             in how noisy they are",
        ),
        Null::Permute => (
            "residuals shuffled",
            "only errors that differ from place to place; blind to scores that are too high everywhere",
        ),
        Null::Bootstrap => (
            "residuals drawn with replacement",
            "only errors that differ from place to place, and those late; blind to scores that are too high everywhere",
        ),
    }
}

pub(super) fn nulls_table(first: &KlceMethod) -> SheetTable {
    let titles = ["null", "what it sees", "#p", "#draws", "#middle 95 % of draws"];
    let caption = format!(
        "KLCE² of {} by chance, {}",
        whose_scores(&first.method),
        match first.nulls.len() {
            1 => "in one way of drawing".to_owned(),
            ways => format!("in {ways} ways of drawing"),
        }
    );
    let mut table = SheetTable::new(caption, &titles);
    for one in &first.nulls {
        let (name, sees) = null_words(one.null);
        let p = match (one.p, one.reason.as_deref()) {
            (None, Some(reason)) => Cell::from("–").with_beneath(reason.replace('_', " ")),
            (p, _) => cell(p, p_words),
        };
        let [low, .., high] = one.quantiles;
        table.rows.push(vec![
            name.into(),
            sees.into(),
            p,
            Cell::number(count(one.draws as u64), one.draws as f64),
            format!("{} … {}", significant(low), significant(high)).into(),
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
        fact("width of the kernel on scores", significant(first.width_p)),
        fact("γ of the kernel on covariates", significant(first.gamma)),
        fact("kernel value of a typical pair", significant(first.median_kernel)),
        fact("KLCE², normalised", or_dash(first.klce2_normalised)),
        fact("KLCE², unbiased", or_dash(first.klce2_unbiased)),
        fact("KLCE², over alike pairs", or_dash(first.debiased_ratio)),
        fact(
            "bound that holds for any data",
            format!("{bound} on the unbiased form (Corollary 3.7): very loose, only to report"),
        ),
    ]
}

pub(super) fn chart(name: &str, found: &TrustFound, question: &KlceQuestion) -> Option<Chart> {
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
        "{} draws, {}; dotted: where the last {} begin.",
        count(draws.len() as u64),
        null_words(null.null).0,
        percent(question.alpha)
    );
    let chart = NullChart {
        draws: draws.into(),
        observed: found.normalised?,
        critical,
        value_name: "KLCE², normalised".to_owned(),
        title: match null.p {
            Some(p) => format!("{}: p\u{a0}=\u{a0}{}", title(name), p_words(p)),
            None => title(name).into_owned(),
        },
        caption,
    };
    Some(Chart::new(chart, Room::all(420.0)))
}
