//! Screen 9: with different base rates, calibrated scores generally have different error rates at one threshold.

use super::answer::ROOM;
use super::diagram::{Scores, diagram};
use super::planted::{is_plain, sentence};
use super::world::HALF_WIDTH;
use super::{LabAnswer, LabRequest, Truth, World};
use crate::error::Result;
use crate::plot::curves::{Curve, CurveChart};
use crate::plot::figure::Dash;
use crate::plot::palette::Ink;
use crate::words::number::{fixed, percent, points_size};

/// Cells of the integral over x₁.
const CELLS: usize = 4_000;
const COARSE: usize = 1_000;
/// A light is green up to this difference.
const WITHIN: f64 = 0.02;
/// Steps of the move of group B, of 0.05 from −2 to 2.
const MOVES: i32 = 40;

/// Expected rates of a group at a threshold.
#[derive(Debug, Clone, Copy)]
struct Rates {
    base: f64,
    fpr: f64,
    fnr: f64,
    /// no number where no row is flagged
    ppv: f64,
    /// mean |p − q|
    gap: f64,
    /// false positives, and false negatives times their cost, by row
    cost: f64,
}

/// ∫ over x₁ by the midpoint rule, from the true probabilities.
fn rates(truth: &Truth, in_b: bool, threshold: f64, cost: f64, cells: usize) -> Rates {
    let (mut events, mut caught, mut alarms, mut gap) = (0.0, 0.0, 0.0, 0.0);
    for i in 0..cells {
        let x = [2.0 * HALF_WIDTH * (i as f64 + 0.5) / cells as f64 - HALF_WIDTH, 0.0];
        let (p, q) = (truth.stated(x, in_b), truth.probability(x, in_b));
        events += q;
        gap += (p - q).abs();
        if p >= threshold {
            alarms += 1.0;
            caught += q;
        }
    }
    let n = cells as f64;
    let share = |part: f64, whole: f64| if whole > 0.0 { part / whole } else { 0.0 };
    let (false_positives, missed) = (alarms - caught, events - caught);
    Rates {
        base: events / n,
        fpr: share(false_positives, n - events),
        fnr: share(missed, events),
        ppv: if alarms > 0.0 { caught / alarms } else { f64::NAN },
        gap: gap / n,
        cost: (false_positives + cost * missed) / n,
    }
}

/// Differences that are to be small: calibration error, FPR, FNR.
fn differences(a: &Rates, b: &Rates) -> [f64; 3] {
    [a.gap.max(b.gap), (a.fpr - b.fpr).abs(), (a.fnr - b.fnr).abs()]
}

/// The differences at every move of group B.
fn differences_by_move(handles: &LabRequest, threshold: f64, ratio: f64) -> Vec<(f64, [f64; 3])> {
    let at = |step: i32| {
        let moved = f64::from(step) / 20.0;
        let truth = Truth::new(&LabRequest { moved, ..handles.clone() });
        let [a, b] = [false, true].map(|in_b| rates(&truth, in_b, threshold, ratio, COARSE));
        (moved, differences(&a, &b))
    };
    (-MOVES..=MOVES).map(at).collect()
}

fn chart_of_moves(all: &[(f64, [f64; 3])], moved: f64, threshold: f64) -> CurveChart {
    let curve = |k: usize, name: &str, ink, dash| {
        let points = all.iter().filter_map(|(x, sizes)| Some((*x, 100.0 * sizes.get(k)?)));
        Curve::line(name, points.collect(), ink, dash)
    };
    CurveChart {
        curves: vec![
            curve(0, "calibration error", Ink::Before, Dash::Solid),
            curve(1, "FPR difference", Ink::Category(1), Dash::Dashed),
            curve(2, "FNR difference", Ink::After, Dash::Solid),
        ],
        log_x: false,
        y_range: Some((0.0, 40.0)),
        x_name: "move of group B (log-odds)".to_owned(),
        y_name: "percentage points".to_owned(),
        marked: Some((moved, format!("move {}", fixed(moved, 2)))),
        title: String::new(),
        caption: format!("Expected values from the true probabilities; threshold {}.", fixed(threshold, 2)),
    }
}

pub(super) fn answer(request: &LabRequest) -> Result<LabAnswer> {
    let ratio = f64::from(request.cost);
    let threshold = 1.0 / (1.0 + ratio);
    // regions are none of this screen's: its rates are integrals over x₁
    let handles = LabRequest { region: Vec::new(), ..request.clone() };
    let truth = Truth::new(&handles);
    let [a, b] = [false, true].map(|in_b| rates(&truth, in_b, threshold, ratio, CELLS));
    let mut found = LabAnswer::of(request);
    for (id, name, of) in [
        ("base", "Base rate", (|r| r.base) as fn(&Rates) -> f64),
        ("fpr", "False positive rate", |r| r.fpr),
        ("fnr", "False negative rate", |r| r.fnr),
        ("ppv", "Positive predictive value", |r| r.ppv),
        ("gap", "Mean calibration error |p − q|", |r| r.gap),
    ] {
        for (group, rates) in [("a", &a), ("b", &b)] {
            let value = of(rates);
            let (id, name) = (format!("{id}_{group}"), format!("{name}, group {}", group.to_uppercase()));
            match value.is_nan() {
                true => found.undefined(&id, &name, "not defined: no row is flagged"),
                false => found.number_as(&id, &name, value, percent(value), ""),
            }
        }
    }
    let share = request.group[0];
    let cost = 1_000.0 * ((1.0 - share) * a.cost + share * b.cost);
    found.number("cost", "Cost per 1,000 rows", cost);
    let now = differences(&a, &b);
    let names = ["Calibration error", "Difference of false positive rates", "Difference of false negative rates"];
    for (name, size) in names.into_iter().zip(now) {
        found.light(format!("{name}: {}", points_size(size)), size <= WITHIN);
    }
    let all = differences_by_move(&handles, threshold, ratio);
    let most = |sizes: &[f64; 3]| sizes.iter().copied().fold(0.0, f64::max);
    let best = all.iter().min_by(|x, y| most(&x.1).total_cmp(&most(&y.1)));
    let (best_move, least) = best.map_or((0.0, f64::NAN), |(move_b, sizes)| (*move_b, most(sizes)));
    // the move is the screen's own handle
    let others = LabRequest { moved: 0.0, ..handles.clone() };
    let judged = request.factor == 1.0 && is_plain(&others);
    found.right = judged.then(|| if least <= WITHIN { "yes" } else { "no" }.to_owned());
    found.say(format!("Base rates: A {}, B {}.", percent(a.base), percent(b.base)));
    found.say(format!(
        "At this setting the false positive rate is {} in A and {} in B, the false negative rate {} and {}.",
        percent(a.fpr),
        percent(b.fpr),
        percent(a.fnr),
        percent(b.fnr)
    ));
    for (name, rates) in [("A", &a), ("B", &b)] {
        if rates.ppv.is_nan() {
            found.say(format!("In group {name} no row is flagged: its positive predictive value is not defined."));
        }
    }
    if request.answered && !judged {
        found.say(sentence(&others));
    }
    if request.answered {
        let least_text = points_size(least);
        found.number_as("least", "Smallest possible largest difference", least, least_text.clone(), "");
        found.say(match least <= WITHIN {
            true => format!("All three conditions can be met, at a move of {}.", fixed(best_move, 2)),
            false => format!(
                "No move meets all three conditions: the largest of the three is at least {least_text} (at a move of {}).",
                fixed(best_move, 2)
            ),
        });
        found.draw(request, "moves", chart_of_moves(&all, request.moved, threshold), ROOM);
    }
    let world = World::new(&handles);
    let of = |group: bool| {
        let rows = (0..world.y.len()).filter(|&row| world.in_b[row] == group);
        rows.map(|row| (world.p[row], world.y[row])).unzip::<f64, u8, Vec<f64>, Vec<u8>>()
    };
    let [(p_a, y_a), (p_b, y_b)] = [of(false), of(true)];
    let groups = [Scores { name: "group A", p: &p_a, y: &y_a }, Scores { name: "group B", p: &p_b, y: &y_b }];
    let groups: Vec<Scores> = groups.into_iter().filter(|group| !group.p.is_empty()).collect();
    let mut chart = diagram(&groups, 10)?;
    if groups.len() > 1 {
        "The band and the bars of events are those of group A.".clone_into(&mut chart.caption);
    }
    found.draw(request, "diagram", chart, ROOM);
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_with_other_errors_is_not_judged_and_a_rate_of_no_rows_is_no_number() {
        let found = |request: LabRequest| {
            let of = LabRequest { screen: 9, answered: true, ..request };
            answer(&of).unwrap()
        };
        let plain = LabRequest { group: [0.5, 1.0, 0.0], ..LabRequest::default() };
        assert_eq!(found(LabRequest { moved: -0.3, ..plain.clone() }).right.as_deref(), Some("no"));
        for (other, named) in [
            (LabRequest { factor: 2.0, ..plain.clone() }, "T = 2."),
            (LabRequest { group: [0.5, 1.0, 5.0], ..plain.clone() }, "a gap of 5 pp in group B."),
        ] {
            let found = found(other);
            assert_eq!(found.right, None);
            let all = found.sentences.join(" ");
            assert!(all.contains(&format!("Errors set in this state: {named}")), "{all}");
        }
        // all log-odds are below 0
        let none = found(LabRequest { a: -3.0, b: 0.5, ..plain });
        for id in ["ppv_a", "ppv_b"] {
            let number = none.numbers.iter().find(|number| number.id == id).unwrap();
            assert_eq!((number.value, number.text.as_str()), (None, "–"));
            assert_eq!(number.beside, "not defined: no row is flagged");
        }
        assert!(none.sentences.iter().any(|text| text.starts_with("In group B no row is flagged")));
    }
}
