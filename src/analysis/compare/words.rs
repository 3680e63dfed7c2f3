//! A comparison as a sheet.

use std::borrow::Cow;

use super::{ComparedMethod, ComparedValue, PairedDifference, Side, Table};
use crate::analysis::compare::{CompareLayout, CompareRequest};
use crate::evaluation::method::title;
use crate::hypothesis::multiplicity::holm;
use crate::metric::entry::{Interval, Metric, MetricRequirement};
use crate::metric::registry::{self, metric};
use crate::report::RunOutcome;
use crate::report::disclosure::Basis;
use crate::report::interval::{NONE_WITHIN_FOLDS, TOO_FEW, difference_words, of_distances};
use crate::report::reading::often;
use crate::report::sheet::{Block, Cell, Sheet, SheetTable, Tone};
use crate::report::verdict::{Evidence, LEVEL, Verdict};
use crate::report::view::Fact;
use crate::words::number::{count, p_value, significant};
use crate::words::text::{capitalized, enumerated};

/// Reading, facts, tables and notes; and what a person can change.
pub(super) fn sheet(
    run: &RunOutcome,
    request: &CompareRequest,
    table: &Table,
    metrics: &[&Metric],
    (methods, sure): (&[ComparedMethod], &Sure),
    (rows, fitted): (&[usize], &[usize]),
) -> Sheet {
    let n = in_words(rows);
    let fewest = Basis::Statistic(rows.iter().min().copied().unwrap_or(0) as u64);
    let of_metric = |metric: &&Metric| match Basis::of_metric_of(metric.id, run) {
        Basis::AllRows => fewest.clone(),
        other => Basis::all_of([fewest.clone(), other]),
    };
    let columns = Basis::Columns(metrics.iter().map(of_metric).collect());
    let mut blocks = vec![
        Block::Reading(reading(metrics, methods, &n, sure)).of(columns.clone()),
        Block::Facts(facts(run, request, table, &n, fitted)).of(fewest.clone()),
    ];
    match request.layout {
        CompareLayout::Table => {
            blocks.push(Block::Table(values(metrics, methods, &n)).of(columns.clone()));
            blocks.push(Block::Table(behind(metrics, methods)).of(columns));
        }
        CompareLayout::Paper => blocks.push(Block::Table(pairs(table, metrics, methods, &n)).of(columns)),
    }
    blocks.extend(choices(table).map(|words| Block::Text(words).of(fewest.clone())));
    blocks.push(Block::Note(how(request, table)).of(Basis::Setting));
    Sheet::new(super::fields::fields(run, request, methods), blocks)
}

/// 1,250, or 1,200 to 1,250.
fn in_words(sizes: &[usize]) -> String {
    let low = sizes.iter().min().copied().unwrap_or(0);
    let high = sizes.iter().max().copied().unwrap_or(0);
    if low == high { count(low as u64) } else { format!("{} to {}", count(low as u64), count(high as u64)) }
}

/// Which differences to doing nothing are sure, all of them taken together.
pub(super) struct Sure {
    /// method and metric, by place, that differ from doing nothing although so many were tried (Holm), and to which side
    found: Vec<(usize, usize, Side)>,
    /// about the one that helps most surely
    pub(super) verdict: Verdict,
}

impl Sure {
    pub(super) fn of(metrics: &[&Metric], methods: &[ComparedMethod], too_few: bool) -> Self {
        let mut all = Vec::new();
        for (k, method) in methods.iter().enumerate() {
            for (j, metric) in metrics.iter().enumerate() {
                let to_none = method.metrics.get(metric.id).and_then(|v| v.to_none);
                all.extend(to_none.and_then(|d| Some((k, j, d, d.p_rows?))));
            }
        }
        let p = holm(&all.iter().map(|one| one.3).collect::<Vec<f64>>());
        let side = |&(_, j, d, _): &(usize, usize, PairedDifference, f64)| {
            let better = metrics.get(j).map(|metric| metric.better);
            better.map_or(Side::Unclear, |better| d.side(better))
        };
        // Of those whose own interval says that they help; else of all.
        let helps = |(one, _): &(&(usize, usize, PairedDifference, f64), &f64)| side(one) == Side::Better;
        let least = |a, b| if cmp_p(&b) < cmp_p(&a) { b } else { a };
        let pairs = || all.iter().zip(&p);
        let verdict = match pairs().filter(helps).reduce(least) {
            Some(((k, _, d, _), p)) => Verdict::new(&*methods[*k].name, Some(d.value), Evidence::P(*p)),
            None if too_few => Verdict::untested("", None, capitalized(TOO_FEW)),
            None if all.is_empty() => Verdict::untested(
                "",
                None,
                "No intervals were computed, so no difference was \
                tested",
            ),
            None => Verdict::new("", None, Evidence::P(1.0)),
        };
        let found = pairs().filter(|(_, p)| **p <= LEVEL);
        Self { found: found.map(|(one, _)| (one.0, one.1, side(one))).collect(), verdict }
    }

    fn side(&self, method: usize, metric: usize) -> Side {
        let found = self.found.iter().find(|one| (one.0, one.1) == (method, metric));
        found.map_or(Side::Unclear, |one| one.2)
    }
}

fn cmp_p(one: &(&(usize, usize, PairedDifference, f64), &f64)) -> f64 {
    *one.1
}

/// What the first metric says; whether anything helps at all comes first.
fn reading(metrics: &[&Metric], methods: &[ComparedMethod], n: &str, sure: &Sure) -> String {
    let place = |metric: &Metric| metrics.iter().position(|one| one.id == metric.id);
    let side = |method: &ComparedMethod, metric: &Metric| {
        let k = methods.iter().position(|one| one.name == method.name);
        let both = k.zip(place(metric));
        both.map_or(Side::Unclear, |(k, j)| sure.side(k, j))
    };
    let helps = |metric: &Metric| -> Vec<Cow<str>> {
        let helping = methods.iter().filter(|method| side(method, metric) == Side::Better);
        helping.map(|method| title(&method.name)).collect()
    };
    if let Evidence::Untested(why) = &sure.verdict.evidence {
        return format!("{why} (n = {n}).");
    }
    if metrics.iter().all(|metric| helps(metric).is_empty()) {
        let hurt: Vec<Cow<str>> = methods
            .iter()
            .filter(|method| metrics.iter().any(|m| side(method, m) == Side::Worse))
            .map(|method| title(&method.name))
            .collect();
        let (by, any) = match metrics {
            [one] => (format!(" by {}", one.name), ""),
            several => (format!(" in any of {} measures", several.len()), " in at least one measure"),
        };
        let worse = match hurt.is_empty() {
            true => String::new(),
            false => format!(" Significantly worse{any}: {}.", enumerated(&hurt)),
        };
        return format!("No method is significantly better than no recalibration{by} (Holm-adjusted, n = {n}).{worse}");
    }
    let Some(first) = metrics.first() else {
        return String::new();
    };
    let value = |method: &ComparedMethod| {
        let mean = method.metrics.get(first.id).and_then(|v| v.mean);
        mean.map_or_else(|| "–".to_owned(), significant)
    };
    let best = methods.iter().find(|method| method.metrics.get(first.id).is_some_and(|v| v.best));
    if let (Some(best), Some(none)) = (best, methods.first()) {
        if best.name == none.name {
            return format!(
                "The original predictions are best by {}: every method is significantly worse (unadjusted, n = {n}).",
                first.name
            );
        }
        return format!(
            "{} is best by {}: {}, against {} without recalibration, and significantly better than every other \
             method (unadjusted, n = {n}).",
            title(&best.name),
            first.name,
            value(best),
            value(none),
        );
    }
    let helping = metrics.iter().map(|metric| (metric, helps(metric)));
    let Some((metric, helping)) = helping.into_iter().find(|(_, names)| !names.is_empty()) else {
        return String::new();
    };
    let best = methods.iter().any(|method| method.metrics.get(metric.id).is_some_and(|v| v.best));
    let (verb, apart) = match helping.len() {
        1 => ("improves", "it is not significantly better than all others"),
        _ => ("improve", "none is significantly better than all others"),
    };
    let apart = if best { String::new() } else { format!("; {apart}") };
    format!("{} {verb} {} over no recalibration (Holm-adjusted, n = {n}){apart}.", enumerated(&helping), metric.name)
}

fn facts(run: &RunOutcome, request: &CompareRequest, table: &Table, n: &str, fitted: &[usize]) -> Vec<Fact> {
    let fact = |name: &str, value: String| Fact { name: name.to_owned(), value };
    let repeats = table.repeats();
    let seed = request.seed.unwrap_or(0);
    let divided = match (&request.by, repeats) {
        (Some(column), _) => format!("{repeats} times, by column {column}"),
        (None, 1) => format!("once, seed {seed}"),
        (None, _) => format!("{repeats} times, seeds {seed} to {}", seed.wrapping_add(repeats as u64 - 1)),
    };
    let units = run.resampled_units();
    let intervals = match (request.resamples.unwrap_or(0), repeats) {
        (0, _) => "none".to_owned(),
        (draws, 1) => format!("{} paired bootstrap resamples of {units}", count(draws as u64)),
        (draws, _) => format!("{} paired bootstrap resamples of {units} and repeats", count(draws as u64)),
    };
    vec![
        fact("rows evaluated", n.to_owned()),
        fact("rows per fit", in_words(fitted)),
        fact("splits", divided),
        fact("95% CI", intervals),
    ]
}

/// −0.0123 (−0.020 … −0.005), with what the interval belongs to.
fn difference(d: &PairedDifference) -> String {
    let words = difference_words(d.value, d.corrected, d.low.zip(d.high));
    if d.of_pooling { format!("{words}; {NONE_WITHIN_FOLDS}") } else { words }
}

/// p of the t-test over the repeats, where there are several.
fn over_repeats(d: &PairedDifference) -> String {
    match d.p {
        Some(p) => format!(", {}", p_value(p)),
        None => String::new(),
    }
}

fn missing(value: Option<&ComparedValue>) -> Cell {
    let reason = value.and_then(|value| value.reason.clone());
    Cell::from("–").with_beneath(reason.unwrap_or_default()).toned(Tone::Muted)
}

fn empty(caption: String, first: &str, metrics: &[&Metric]) -> SheetTable {
    let heads: Vec<String> = metrics.iter().map(|m| format!("#{}", m.name)).collect();
    let heads: Vec<&str> = std::iter::once(first).chain(heads.iter().map(String::as_str)).collect();
    let mut table = SheetTable::new(caption, &heads);
    for (column, metric) in table.columns.iter_mut().skip(1).zip(metrics) {
        column.definition = metric.words();
    }
    table
}

/// Methods × metrics; beneath each value its difference to doing nothing.
fn values(metrics: &[&Metric], methods: &[ComparedMethod], n: &str) -> SheetTable {
    let caption = format!(
        "All methods on the same {n} rows; below each value, the difference from no recalibration \
                           (95% CI)"
    );
    let mut table = empty(caption, "Method", metrics);
    for method in methods {
        let cells = metrics.iter().map(|metric| {
            let value = method.metrics.get(metric.id);
            let Some((value, mean)) = value.and_then(|v| Some((v, v.mean?))) else {
                return missing(value);
            };
            let text = match value.sd {
                Some(sd) => format!("{} ± {}", significant(mean), significant(sd)),
                None => significant(mean),
            };
            let beneath = |d: &PairedDifference| match d.low {
                Some(_) => difference(d),
                None => format!("{}{}", difference(d), over_repeats(d)),
            };
            let beneath = value.to_none.as_ref().map(beneath).unwrap_or_default();
            Cell::number(text, mean).with_beneath(beneath).toned(if value.best { Tone::Best } else { Tone::Plain })
        });
        let name = Cell::from(title(&method.name).as_ref());
        table.rows.push(std::iter::once(name).chain(cells).collect());
    }
    table
}

/// How far every method is behind the best mean of each metric.
fn behind(metrics: &[&Metric], methods: &[ComparedMethod]) -> SheetTable {
    let caption = "Difference from the best method of each column (95% CI)".to_owned();
    let mut table = empty(caption, "Method", metrics);
    for method in methods {
        let cells = metrics.iter().map(|metric| {
            let value = method.metrics.get(metric.id);
            match (value.and_then(|v| v.to_best), value) {
                (Some(d), _) => {
                    let apart = d.side(metric.better) != Side::Unclear;
                    let tone = if apart { Tone::Plain } else { Tone::Muted };
                    Cell::number(difference(&d), d.value).toned(tone)
                }
                (None, Some(v)) if v.mean.is_some() => {
                    let tone = if v.best { Tone::Best } else { Tone::Plain };
                    Cell::number("reference", 0.0).toned(tone)
                }
                _ => missing(value),
            }
        });
        let name = Cell::from(title(&method.name).as_ref());
        table.rows.push(std::iter::once(name).chain(cells).collect());
    }
    table
}

/// The layout of the papers: what a method builds on, and what it makes of it.
fn pairs(table: &Table, metrics: &[&Metric], methods: &[ComparedMethod], n: &str) -> SheetTable {
    let caption = format!("Each method and its base method, on the same {n} rows");
    let mut out = empty(caption, "Base → + method", metrics);
    for (k, method) in methods.iter().enumerate().skip(1) {
        let place = |name: &str| methods.iter().position(|other| other.name == name);
        let composed = method.name.rsplit_once('+');
        let composed = composed.and_then(|(base, ours)| Some((place(base)?, ours)));
        let (base, ours) = composed.unwrap_or((0, &method.name));
        let cells = metrics.iter().map(|metric| {
            let mean = |k: usize| methods[k].metrics.get(metric.id).and_then(|v| v.mean);
            let (Some(before), Some(after), Some(d)) = (mean(base), mean(k), table.difference(metric, k, base)) else {
                return missing(method.metrics.get(metric.id));
            };
            let (tone, words) = match d.side(metric.better) {
                Side::Better => (Tone::Best, ""),
                Side::Worse => (Tone::Plain, "worse: "),
                Side::Unclear => (Tone::Muted, ""),
            };
            let text = format!("{} → {}", significant(before), significant(after));
            Cell::number(text, d.value)
                .with_beneath(format!("{words}{}{}", difference(&d), over_repeats(&d)))
                .toned(tone)
        });
        let name = Cell::from(format!("{} → + {}", title(&methods[base].name), title(ours)));
        out.rows.push(std::iter::once(name).chain(cells).collect());
    }
    out
}

/// What each method that chooses chose.
fn choices(table: &Table) -> impl Iterator<Item = String> {
    let methods = table.drawn.methods.iter().enumerate();
    methods.filter_map(move |(k, method)| {
        let chosen: Vec<Cow<str>> = (0..table.repeats())
            .filter_map(|r| table.of(r, k).first())
            .flat_map(|part| part.chosen.iter().map(|id| title(id)))
            .collect();
        (!chosen.is_empty()).then(|| {
            format!(
                "{}: {}, selected on inner folds of the calibration rows.",
                title(&method.name),
                often(&chosen, "fits")
            )
        })
    })
}

/// What the second number of a difference is.
const CORRECTED: &str = "Bias-corrected: minus the resampling bias, as these measures are biased upward; the \
                         interval is around it. A method whose error is within the range expected if calibrated may have \
                         none, so that no other is called better. ";

/// How the numbers came about.
fn how(request: &CompareRequest, table: &Table) -> String {
    let near = registry::any_requires(request.metrics.as_deref().unwrap_or_default(), MetricRequirement::Proximity);
    let mut text = String::from(
        "All methods are fitted on the same rows and evaluated on the same other rows. A difference is marked if \
         its 95% CI excludes zero; ",
    );
    text.push_str(match request.layout {
        CompareLayout::Table => {
            "a value is marked as best of its column only if this holds against every other method. "
        }
        CompareLayout::Paper => {
            "a pair is highlighted if the method is better than its base, and muted if there is no significant \
             difference. "
        }
    });
    if table.repeats() > 1 {
        text.push_str(
            "± is the standard deviation over repeats. The intervals resample rows and repeats together, as repeats \
             share rows and their spread alone would be too narrow. ",
        );
        if request.layout == CompareLayout::Paper || near {
            text.push_str(
                "p: paired t-test over the repeats, our choice where the paper names none; it is anticonservative. ",
            );
        }
    }
    let mut ids = request.metrics.iter().flatten().filter_map(|id| metric(id));
    if ids.any(|metric| of_distances(metric).0 == Interval::Basic) {
        text.push_str(CORRECTED);
    }
    text.push_str(
        "Intervals are not adjusted for the number of comparisons. The headline's comparison with the original \
         predictions is adjusted (Holm).",
    );
    text
}
