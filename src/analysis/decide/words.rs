//! What answering and asking cost, in sentences and a table.

use super::act::after_adjustment;
use super::{DecideOutcome, MethodReward};
use crate::decision::unsure::Costs;
use crate::evaluation::method::title;
use crate::report::interval::TOO_FEW;
use crate::report::sheet::{Cell, SheetTable, Tone};
use crate::report::verdict::{Evidence, Verdict};
use crate::words::number::{count, fixed, percent, plain, significant};
use crate::words::text::capitalized;

/// "524" of 1,000 rows.
pub(super) fn per_thousand(value: f64, n: usize) -> String {
    let value = 1000.0 * value / n as f64;
    fixed(value, usize::from(value.abs() < 10.0))
}

/// A value per row and the ends of its interval, per 1,000 rows and with the same decimals.
fn thousandfold(ends: [f64; 3]) -> [String; 3] {
    let ends = ends.map(|end| 1000.0 * end);
    let places = usize::from(ends.iter().all(|end| end.abs() < 10.0));
    ends.map(|end| fixed(end, places))
}

pub(super) fn reading(outcome: &DecideOutcome, base: Option<usize>, costs: Costs) -> String {
    let Some(one) = outcome.methods.get(base.unwrap_or(0)) else {
        return String::new();
    };
    if outcome.threshold <= 0.0 {
        return "Deferral costs no less than an error: never defer.".to_owned();
    }
    format!(
        "Answer at confidence of {} or more; defer below. Per 1,000 rows: {} deferred, {} errors, cost {}; without \
         deferral {}.",
        percent(outcome.threshold),
        per_thousand(one.unsure as f64, one.n),
        per_thousand(one.wrong as f64, one.n),
        per_thousand(-one.total, one.n),
        per_thousand(costs.wrong * always_incorrect(one), one.n),
    )
}

/// Rows that are wrong when every one is answered: the first point of the curve, w = u = 1, asks nobody.
pub(super) fn always_incorrect(one: &MethodReward) -> f64 {
    -one.curve.first().copied().unwrap_or(0.0) * one.n as f64
}

/// About the recalibration that saves most: its p-value times the number of recalibrations (Bonferroni).
pub(super) fn verdict(outcome: &DecideOutcome) -> Verdict {
    if few(outcome) {
        return Verdict::untested("", None, capitalized(TOO_FEW));
    }
    let saving = outcome.methods.iter().filter_map(|method| Some((method, method.gain?, method.gain_p?)));
    let tried = saving.clone().count() as f64;
    let best = saving.reduce(|a, b| if b.1 > a.1 { b } else { a });
    match best {
        Some((method, gain, p)) => {
            let p = if gain > 0.0 { (p * tried).min(1.0) } else { 1.0 };
            Verdict::new(&*method.name, Some(gain), Evidence::P(p))
        }
        None => Verdict::untested("", None, "No recalibration method was run together with the original predictions"),
    }
}

/// Whether savings were computed and are not tested.
fn few(outcome: &DecideOutcome) -> bool {
    outcome.methods.iter().any(|method| method.gain.is_some() && method.gain_interval.is_none())
}

pub(super) fn beside(outcome: &DecideOutcome, base: Option<usize>, costs: Costs) -> String {
    let Some(one) = base.and_then(|base| outcome.methods.get(base)) else {
        return "Include the original predictions to compare the saving of each method.".to_owned();
    };
    let best = (outcome.methods.iter())
        .rfind(|method| method.name == outcome.verdict.subject && outcome.verdict.is_supported());
    match best {
        Some(best) => {
            let [low, high] = best.gain_interval.unwrap_or_default();
            let [gain, low, high] = thousandfold([best.gain.unwrap_or(0.0), low, high]);
            let tried = outcome.methods.len() - 1;
            let equal = outcome.methods.iter().filter(|method| method.gain == best.gain).count() - 1;
            let luck = match (tried > 1, equal) {
                (true, 0) => format!(
                    " It is the best of {tried} methods (significant after adjustment); its saving may be \
                     overstated by the selection."
                ),
                (true, _) => {
                    format!(" {} of the {tried} methods save as much (significant after adjustment).", equal + 1)
                }
                _ => String::new(),
            };
            let how = match best.unsure == best.n {
                true => "every row is deferred, which",
                false => "the same rule",
            };
            format!(
                "With {}, {how} saves {gain} per 1,000 rows (95% CI {low} to {high}), in the units of the two costs.{luck}",
                title(&best.name)
            )
        }
        None if outcome.methods.len() > 1 => {
            if let Evidence::Untested(why) = &outcome.verdict.evidence {
                return format!("{why} (n = {}).", count(one.n as u64));
            }
            format!(
                "No recalibration method reduces the cost significantly{} (n = {}).",
                after_adjustment(outcome.methods.len() - 1),
                count(one.n as u64)
            )
        }
        None => {
            let lost = one.hindsight_total - one.total;
            format!(
                "In hindsight, a threshold of {} would have cost {} less per 1,000 rows. Run recalibration methods \
                 to compare their cost at error cost {} and deferral cost {}.",
                percent(one.hindsight.min(1.0)),
                per_thousand(lost, one.n),
                plain(costs.wrong),
                plain(costs.unsure)
            )
        }
    }
}

pub(super) fn table(outcome: &DecideOutcome, costs: Costs) -> SheetTable {
    let head = if few(outcome) { "#Saving" } else { "#Saving (95% CI)" };
    let mut table = SheetTable::new(
        format!("Per 1,000 rows, error cost {}, deferral cost {}", plain(costs.wrong), plain(costs.unsure)),
        &["Predictions", "#Deferred", "#Errors", "#Cost", head, "#Optimal in hindsight", "#PRR"],
    );
    let definitions = [
        (4, "Cost of the original predictions minus this cost on the same rows."),
        (5, "The threshold with the lowest cost on these rows, and its cost."),
        (
            6,
            "Prediction rejection ratio: 1 if the errors have the lowest confidence, 0 if confidence is unrelated \
             to them.",
        ),
    ];
    for (place, text) in definitions {
        if let Some(column) = table.columns.get_mut(place) {
            text.clone_into(&mut column.definition);
        }
    }
    let best = outcome.verdict.is_supported().then_some(&outcome.verdict.subject);
    for one in &outcome.methods {
        let cell = |value: f64| Cell::number(per_thousand(value, one.n), value);
        let saved = match one.gain {
            Some(gain) => {
                let text = match one.gain_interval {
                    Some([low, high]) => {
                        let [gain, low, high] = thousandfold([gain, low, high]);
                        format!("{gain} ({low} to {high})")
                    }
                    None => per_thousand(gain, 1),
                };
                let cell = Cell::number(text, gain);
                let cell = match one.gain_over_folds {
                    Some([_, sd]) => cell.with_beneath(format!("SD over folds {}", per_thousand(sd, 1))),
                    None => cell,
                };
                if best == Some(&one.name) { cell.toned(Tone::Best) } else { cell }
            }
            None => Cell::from("–"),
        };
        let hindsight = if one.hindsight > 1.0 { "defer all".to_owned() } else { percent(one.hindsight) };
        table.rows.push(vec![
            Cell::from(title(&one.name).as_ref()),
            cell(one.unsure as f64),
            cell(one.wrong as f64),
            cell(-one.total),
            saved,
            Cell::number(hindsight, one.hindsight)
                .with_beneath(format!("cost {}", per_thousand(-one.hindsight_total, one.n))),
            one.prr.map_or_else(|| Cell::from("–"), |value| Cell::number(significant(value), value)),
        ]);
    }
    table
}
