//! Sentences, facts and tables about proximity.

use super::request::{DISTANCES, FORMS};
use super::{MethodProximity, RowsWithProximity};
use crate::analysis::entry::{Described, number_field};
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
use crate::report::mapped_rows::features_field;
use crate::report::sheet::{Block, Cell, Field, FieldKind, SheetTable, Tone};
use crate::report::verdict::{LEVEL, Verdict};
use crate::report::view::Fact;
pub(super) use crate::words::number::p_value;
use crate::words::number::{count, p_digits, percent, percentage_points, points, points_size, significant};

/// Why nothing is compared where proximity is tied.
pub(super) const SAME_PROXIMITY: &str =
    "Too many rows have the same proximity, so isolated and typical rows cannot be distinguished";

/// About the first method: whether far rows fare otherwise than near ones of the same score. Its size is score − outcome
/// of the far rows beyond that of the near ones: positive where scores of far rows are too high.
pub(super) fn verdict(view: View, method: Option<&MethodProximity>, no_test: Option<String>) -> Verdict {
    let far = "isolated rows";
    let index = method.and_then(|method| method.bias_index);
    if let Some(why) = no_test {
        return Verdict::untested(far, index, why);
    }
    let (Some(index), Some(method)) = (index, method) else {
        return Verdict::untested(
            far,
            None,
            format!("No isolated row and typical row have nearly the same {}, so none can be compared", equal(view)),
        );
    };
    Verdict::by_p(
        far,
        index,
        method.p_rows,
        &format!(
            "At equal {}, all {} pairs have the same, certain outcome, so no test is possible",
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
    let (equal, rate) = match view {
        View::TopLabel => ("confidence", "accuracy"),
        View::Positive => ("predicted probability", "the observed rate"),
    };
    let index = verdict.size.unwrap_or(0.0);
    let pairs = method.map_or(0, |method| method.pairs);
    let p = method.and_then(|method| method.p_rows);
    let than = format!("{}, {} matched pairs", p.map_or_else(String::new, p_value), count(pairs as u64));
    let side = if index > 0.0 { "lower" } else { "higher" };
    let size = percentage_points(index);
    verdict.headline(
        || format!("At equal {equal}, {rate} is {size} {side} in isolated than in typical rows ({than})."),
        || {
            if index == 0.0 {
                return format!(
                    "At equal {equal}, {rate} is identical in the isolated and typical rows compared ({than})."
                );
            }
            format!(
                "At equal {equal}, {rate} does not differ significantly between isolated and typical rows: {size} {side} in \
                 isolated rows ({than})."
            )
        },
    )
}

pub(super) fn facts(
    data: &Predictions,
    method: Option<&MethodProximity>,
    rows: &[RowsWithProximity],
    request: &ProximityRequest,
) -> Vec<Fact> {
    let fact = |name: &str, value: String| Fact { name: name.to_owned(), value };
    let Some(method) = method else {
        return Vec::new();
    };
    let share = |v: Option<f64>| v.map_or_else(|| "–".to_owned(), significant);
    let (predicted, observed) = match data.view {
        View::TopLabel => ("mean confidence, typical and isolated", "accuracy, typical and isolated"),
        View::Positive => ("predicted, typical and isolated", "observed, typical and isolated"),
    };
    let which = if request.without_replacement { "pairs, each row once" } else { "matched pairs" };
    let bias = method.bias_index.map_or_else(|| "–".to_owned(), points);
    let n = rows.first().map_or(0, |one| one.rows.rows.len());
    let mut facts = vec![
        fact("method", title(&method.method).into_owned()),
        fact("rows", count(n as u64)),
        fact("proximity bias (bias index)", bias),
        fact("z, corrected for ties", share(method.z)),
        fact("z, uncorrected", share(method.z_plain)),
        fact(which, count(method.pairs as u64)),
    ];
    if method.pairs > 0 {
        let both = |[near, far]: [f64; 2]| format!("{} and {}", percent(near), percent(far));
        facts.push(fact(predicted, both(method.score)));
        facts.push(fact(observed, both(method.observed)));
    }
    facts.push(fact("PIECE", points_size(method.piece)));
    let features = request.features.as_ref();
    let features = features.map(|choice| coordinates(data, choice));
    facts.extend(features.map(|names| fact("similarity", names)));
    facts
}

pub(super) fn table(view: View, found: &[MethodProximity]) -> SheetTable {
    let mut table = SheetTable::new(
        "Proximity bias and PIECE by method",
        &["Method", "#Bias", "#z", "#p", "#p × methods", "#ACE", "#PIECE", "#PIECE (code)", "#Accuracy"],
    );
    let definitions = [
        "",
        "observed rate in typical rows minus that in isolated rows of the same score; positive: isolated rows are \
         overestimated",
        "rank-sum z, corrected for ties",
        "two-sided p-value of the proximity bias; each row counts once, regardless of the number of its pairs",
        "p times the number of methods (Bonferroni)",
        "calibration error over 15 score bins of equal size",
        "the same bins, each divided into 10 by proximity; never below the ACE",
        "15 score bins of equal width × 10 quantile bins of proximity",
        "proportion of correct predictions; unchanged by recalibration",
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
        let significant_bias = method.p_rows_bonferroni.is_some_and(|p| p <= LEVEL);
        let tone = method.bias_index.map_or(Tone::Plain, |index| Tone::of_error(index, significant_bias));
        let beneath = match tone {
            Tone::Over => "isolated rows overestimated",
            Tone::Under => "isolated rows underestimated",
            _ => "",
        };
        let size = |value: f64| Cell::number(points_size(value), value);
        let best = found.len() > 1 && method.piece == least;
        table.rows.push(vec![
            title(&method.method).as_ref().into(),
            bias.toned(tone).with_beneath(beneath),
            number(method.z, &significant),
            number(method.p_rows, &p_digits),
            number(method.p_rows_bonferroni, &p_digits),
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

/// "5 groups", or "5 groups (none) or 3 groups (density_ratio), whose bias indices are not comparable,".
fn groups(found: &[MethodProximity]) -> String {
    let mut numbers: Vec<usize> = found.iter().map(|method| method.groups).collect();
    numbers.sort_unstable_by(|a, b| b.cmp(a));
    numbers.dedup();
    match numbers.as_slice() {
        [] => "5 groups".to_owned(),
        [one] => format!("{one} groups"),
        several => {
            let of = |number: &usize| {
                let names = found.iter().filter(|method| method.groups == *number).map(|method| title(&method.method));
                format!("{number} groups ({})", names.collect::<Vec<_>>().join(", "))
            };
            let all: Vec<String> = several.iter().map(of).collect();
            format!("{}, whose bias indices are not comparable,", all.join(" or "))
        }
    }
}

pub(super) fn notes(found: &[MethodProximity], rows: &[RowsWithProximity], request: &ProximityRequest) -> Vec<Block> {
    let k = request.neighbours.unwrap_or(10);
    let kind = match request.distance.unwrap_or_default() {
        Metric::Euclidean => "distance",
        Metric::Cosine => "cosine distance",
    };
    let unit = if request.row_normalise == Some(true) { ", rows scaled to unit length" } else { "" };
    let form = match request.form.unwrap_or_default() {
        Form::Paper => format!("exp(−mean {kind})"),
        Form::Code if request.distance == Some(Metric::Cosine) => format!("mean of exp(−{kind})"),
        Form::Code => format!("mean of exp(−{kind}²)"),
    };
    let mut notes =
        vec![format!("Proximity: {form} to the {k} nearest calibration rows{unit}; a row is not its own neighbor.")];
    notes.push(format!(
        "Pairs: one typical row (highest proximity) and one isolated row (lowest proximity) of {} of \
         equal size, with scores at most {} apart. {}",
        groups(found),
        points_size(CALIPER),
        if request.without_replacement {
            "Closest pairs first, without replacement."
        } else {
            "A row can be in several pairs: z counts it in each, as published; p counts it once."
        }
    ));
    if found.len() > 1 {
        notes.push(format!("Colors mark significance after Bonferroni correction for {} methods.", found.len()));
    }
    let lost = rows.first().map_or(0.0, |one| underflow_share(&one.ln_d));
    if lost > 0.01 {
        notes.push(format!(
            "{} of the rows are so isolated that their proximity is 0 in floating-point arithmetic; ranks are kept, \
             density ratios are not. Scale the features, or use unit-length rows.",
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
    let mut groups = vec![(String::new(), "no stratification".to_owned())];
    groups.extend(group_columns(data).into_iter().map(|name| (name.clone(), name)));
    let nowhere = FeatureChoice::Many(Vec::new());
    vec![
        field("features", features_field(data, request.features.as_ref().unwrap_or(&nowhere))),
        field(
            "methods",
            FieldKind::Several { value: request.methods.clone().unwrap_or_else(names), choices: run.method_choices() },
        ),
        number_field::<ProximityRequest>("neighbours", request.neighbours.map(|k| k as f64)),
        field("distance", FieldKind::choice(distance, DISTANCES.iter().copied())),
        field("form", FieldKind::choice(form, FORMS.iter().copied())),
        field("row_normalise", FieldKind::Check { value: request.row_normalise == Some(true) }),
        field("without_replacement", FieldKind::Check { value: request.without_replacement }),
        field("group", FieldKind::Choice { value: request.group.clone().unwrap_or_default(), choices: groups }),
    ]
}
