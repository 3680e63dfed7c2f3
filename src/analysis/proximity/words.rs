//! Sentences, facts and tables about proximity.

use super::request::{DISTANCES, FORMS};
use super::{MethodProximity, NearRows};
use crate::analysis::entry::Described;
use crate::analysis::proximity::ProximityRequest;
use crate::data::grouping::group_columns;
use crate::data::{Predictions, View};
use crate::evaluation::method::title;
use crate::feature::{FeatureChoice, coordinates};
use crate::metric::bias_index::CALIPER;
use crate::plot::table::Align;
use crate::proximity::measure::underflow_share;
use crate::proximity::{Form, Metric};
use crate::report::RunOutcome;
use crate::report::ground::features_field;
use crate::report::sheet::{Block, Cell, Field, FieldKind, SheetTable, Tone};
pub(super) use crate::report::verdict::p_words;
use crate::report::verdict::{LEVEL, Verdict};
use crate::report::view::Fact;
use crate::words::number::{count, percent, points, points_size, significant};

/// About the first method: whether far rows fare otherwise than near ones of the same score. Its size is score − outcome
/// of the far rows beyond that of the near ones: positive where scores of far rows are too high.
pub(super) fn verdict(view: View, method: Option<&MethodProximity>, no_test: Option<String>) -> Verdict {
    let far = "rows far from the others";
    let index = method.and_then(|method| method.bias_index);
    if let Some(why) = no_test {
        return Verdict::untested(far, index, why);
    }
    let (Some(index), Some(method)) = (index, method) else {
        return Verdict::untested(
            far,
            None,
            format!(
                "No two rows, one near the others and one far from them, have nearly the same {}: there is nothing to \
                 compare",
                equal(view)
            ),
        );
    };
    Verdict::by_p(
        far,
        index,
        method.p_rows,
        &format!(
            "At equal {}, all {} pairs have the same, certain outcome: there is nothing to compare",
            equal(view),
            count(method.pairs as u64)
        ),
    )
}

fn equal(view: View) -> &'static str {
    match view {
        View::TopLabel => "confidence",
        View::Positive => "probability",
    }
}

pub(super) fn reading(view: View, method: Option<&MethodProximity>, verdict: &Verdict) -> String {
    let are = match view {
        View::TopLabel => "rows far from the others are right",
        View::Positive => "it happens among rows far from the others",
    };
    let equal = equal(view);
    let index = verdict.size.unwrap_or(0.0);
    let pairs = method.map_or(0, |method| method.pairs);
    let p = method.and_then(|method| method.p_rows);
    let than = format!("{}, {} matched pairs", p.map_or_else(String::new, p_words), count(pairs as u64));
    let side = if index > 0.0 { "less" } else { "more" };
    let size = points_size(index);
    verdict.headline(
        || format!("At equal {equal}, {are} {size} {side} often than near them ({than})."),
        || {
            if index == 0.0 {
                return format!("At equal {equal}, {are} as often as near them, no difference beyond chance ({than}).");
            }
            format!(
                "At equal {equal}, {are} about as often as near them: {size} {side} often could be chance ({than})."
            )
        },
    )
}

pub(super) fn facts(
    data: &Predictions,
    method: Option<&MethodProximity>,
    rows: &[NearRows],
    request: &ProximityRequest,
) -> Vec<Fact> {
    let fact = |name: &str, value: String| Fact { name: name.to_owned(), value };
    let Some(method) = method else {
        return Vec::new();
    };
    let share = |v: Option<f64>| v.map_or_else(|| "–".to_owned(), significant);
    let (says, happened) = match data.view {
        View::TopLabel => ("mean confidence, near and far", "right, near and far"),
        View::Positive => ("mean probability, near and far", "happened, near and far"),
    };
    let which = if request.without_replacement { "pairs, each row once" } else { "matched pairs" };
    let bias = method.bias_index.map_or_else(|| "–".to_owned(), points);
    let n = rows.first().map_or(0, |one| one.rows.rows.len());
    let mut facts = vec![
        fact("method", title(&method.method).into_owned()),
        fact("rows", count(n as u64)),
        fact("proximity bias (bias index)", bias),
        fact("z, ties corrected", share(method.z)),
        fact("z, not corrected", share(method.z_plain)),
        fact(which, count(method.pairs as u64)),
    ];
    if method.pairs > 0 {
        let both = |[near, far]: [f64; 2]| format!("{} and {}", percent(near), percent(far));
        facts.push(fact(says, both(method.score)));
        facts.push(fact(happened, both(method.happened)));
    }
    facts.push(fact("PIECE", points_size(method.piece)));
    let features = request.features.as_ref();
    let features = features.map(|choice| coordinates(data, choice));
    facts.extend(features.map(|names| fact("rows are near in", names)));
    facts
}

pub(super) fn table(view: View, found: &[MethodProximity]) -> SheetTable {
    let mut table = SheetTable::new(
        "Proximity bias and PIECE of every method",
        &["method", "#bias", "#z", "#p", "#p × methods", "#ECE", "#PIECE", "#PIECE (code)", "#right"],
    );
    let definitions = [
        "",
        "share that happened among near rows − that among far rows of the same score; positive: scores of far rows are too high",
        "rank-sum z, corrected for ties",
        "chance of a difference as large if nearness did not matter, each row counted once however many pairs it stands in",
        "p times the number of methods (Bonferroni)",
        "expected calibration error over 15 score bins of equal size",
        "the same bins, each cut into 10 by proximity; never below the ECE",
        "15 score bins of equal width × 10 quantile bins of proximity",
        "share of right predictions; recalibration leaves it alone",
    ];
    for (column, definition) in table.columns.iter_mut().zip(definitions) {
        column.definition = definition.to_owned();
    }
    let all = found.iter().map(|method| method.piece);
    let least = all.fold(f64::INFINITY, f64::min);
    for method in found {
        let number = |value: Option<f64>, text: &dyn Fn(f64) -> String| {
            value.map_or_else(|| Cell::from("–"), |value| Cell::number(text(value), value))
        };
        let bias = number(method.bias_index, &points);
        let tone = match (method.p_rows_bonferroni, method.bias_index) {
            (Some(p), Some(index)) if p <= LEVEL && index > 0.0 => Tone::Over,
            (Some(p), Some(_)) if p <= LEVEL => Tone::Under,
            _ => Tone::Plain,
        };
        let beneath = match tone {
            Tone::Over => "far rows too high",
            Tone::Under => "far rows too low",
            _ => "",
        };
        let size = |value: f64| Cell::number(points_size(value), value);
        let best = found.len() > 1 && method.piece == least;
        table.rows.push(vec![
            title(&method.method).as_ref().into(),
            bias.toned(tone).with_beneath(beneath),
            number(method.z, &significant),
            number(method.p_rows, &|p| bare(&p_words(p))),
            number(method.p_rows_bonferroni, &|p| bare(&p_words(p))),
            size(method.ece),
            size(method.piece).toned(if best { Tone::Best } else { Tone::Plain }),
            size(method.piece_code),
            Cell::number(percent(method.accuracy), method.accuracy),
        ]);
    }
    if view == View::Positive {
        table.columns.pop();
        table.rows.iter_mut().for_each(|row| {
            row.pop();
        });
    }
    debug_assert!(table.columns.iter().skip(1).all(|c| c.align == Align::End));
    table
}

fn bare(words: &str) -> String {
    let text = words.trim_start_matches('p').trim_matches('\u{a0}');
    text.trim_start_matches("=\u{a0}").to_owned()
}

pub(super) fn notes(found: &[MethodProximity], rows: &[NearRows], request: &ProximityRequest) -> Vec<Block> {
    let k = request.neighbours.unwrap_or(10);
    let kind = match request.distance.unwrap_or_default() {
        Metric::Euclidean => "distance",
        Metric::Cosine => "cosine distance",
    };
    let unit = if request.row_normalise == Some(true) { ", rows of coordinates brought to length 1" } else { "" };
    let form = match request.form.unwrap_or_default() {
        Form::Paper => format!("exp(−mean {kind})"),
        Form::Code if request.distance == Some(Metric::Cosine) => format!("mean of exp(−{kind})"),
        Form::Code => format!("mean of exp(−{kind}²)"),
    };
    let mut notes =
        vec![format!("Proximity: {form} to the {k} nearest calibration rows{unit}; a row is never its own neighbour.")];
    let groups = found.first().map_or(5, |method| method.groups);
    notes.push(format!(
        "Pairs: one row of the nearest and one of the farthest of {groups} groups of equal size, scores {} apart at \
         most. {}",
        points_size(CALIPER),
        if request.without_replacement {
            "Nearest pairs first, each row once."
        } else {
            "A row may stand in several pairs: z counts it in each, as published, p counts it once."
        }
    ));
    if found.len() > 1 {
        notes.push(format!(
            "Colours in the table count only what is left after multiplying p by the number of methods, {}.",
            found.len()
        ));
    }
    let lost = rows.first().map_or(0.0, |one| underflow_share(&one.ln_d));
    if lost > 0.01 {
        notes.push(format!(
            "{} of the rows are so far from all others that their proximity is 0 to a computer; ranks are kept, density \
             ratios are not. Scale the features, or bring rows to length 1.",
            percent(lost)
        ));
    }
    notes.into_iter().map(Block::Note).collect()
}

pub(super) fn fields(data: &Predictions, run: &RunOutcome, request: &ProximityRequest) -> Vec<Field> {
    let field = ProximityRequest::field;
    let names = || run.rows.iter().map(|rows| rows.method.name.clone()).collect();
    let distance = match request.distance.unwrap_or_default() {
        Metric::Euclidean => "euclidean",
        Metric::Cosine => "cosine",
    };
    let form = match request.form.unwrap_or_default() {
        Form::Paper => "paper",
        Form::Code => "code",
    };
    let mut groups = vec![(String::new(), "nobody apart".to_owned())];
    groups.extend(group_columns(data).into_iter().map(|name| (name.clone(), name)));
    let nowhere = FeatureChoice::Many(Vec::new());
    vec![
        field("features", features_field(data, request.features.as_ref().unwrap_or(&nowhere))),
        field(
            "methods",
            FieldKind::Several { value: request.methods.clone().unwrap_or_else(names), choices: run.method_choices() },
        ),
        field("neighbours", FieldKind::number(request.neighbours.map(|k| k as f64), 1.0)),
        field("distance", FieldKind::choice(distance, DISTANCES.iter().copied())),
        field("form", FieldKind::choice(form, FORMS.iter().copied())),
        field("row_normalise", FieldKind::Check { value: request.row_normalise == Some(true) }),
        field("without_replacement", FieldKind::Check { value: request.without_replacement }),
        field("group", FieldKind::Choice { value: request.group.clone().unwrap_or_default(), choices: groups }),
    ]
}
