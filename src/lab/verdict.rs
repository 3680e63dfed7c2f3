//! Screen 10: a verdict names effect, uncertainty, subgroup and action.

use std::fmt::Write as _;

use super::answer::ROOM;
use super::chance::ece_by_chance;
use super::diagram::{Scores, diagram};
use super::local_map::{Local, local_error_map};
use super::planted::{is_plain, sentence};
use super::{LabAnswer, LabRequest, World};
use crate::error::Result;
use crate::metric::BinOptions;
use crate::metric::ece::ece;
use crate::metric::reliability::reliability_bins;
use crate::num::proportion::wilson_interval;
use crate::words::number::{count, fixed, fixed_hundredfold, percent, percent_interval, plain};

/// z beyond which a difference is significant by itself, at 5 %.
const SIGNIFICANT: f64 = crate::num::special::NORMAL_975;

/// Predicted and observed of some rows, and z = Σ (y − p)/√Σ p (1 − p).
struct SubgroupSums {
    n: usize,
    predicted: f64,
    observed: f64,
    /// Wilson's 95 % interval of `observed`
    interval: (f64, f64),
    z: f64,
}

fn subgroup(world: &World, holds: impl Fn(usize) -> bool) -> SubgroupSums {
    let (mut n, mut predicted, mut observed, mut variance) = (0, 0.0, 0.0, 0.0);
    for row in (0..world.y.len()).filter(|&row| holds(row)) {
        let p = world.p[row];
        n += 1;
        predicted += p;
        observed += f64::from(world.y[row]);
        variance += p * (1.0 - p);
    }
    let rows = n.max(1) as f64;
    let z = if variance > 0.0 { (observed - predicted) / variance.sqrt() } else { 0.0 };
    let interval = wilson_interval(observed, rows);
    SubgroupSums { n, predicted: predicted / rows, observed: observed / rows, interval, z }
}

/// z of the slope: Σ (y − p)(l − l̄)/√Σ p (1 − p)(l − l̄)² with l = logit p; below 0 predictions are too extreme.
fn slope_z(world: &World) -> f64 {
    let l: Vec<f64> = world.p.iter().map(|p| (p / (1.0 - p)).ln()).collect();
    let weight: Vec<f64> = world.p.iter().map(|p| p * (1.0 - p)).collect();
    let mean = l.iter().zip(&weight).map(|(l, w)| l * w).sum::<f64>() / weight.iter().sum::<f64>();
    let each = || l.iter().zip(&weight).zip(world.y.iter().zip(&world.p));
    let top: f64 = each().map(|((l, _), (&y, p))| (f64::from(y) - p) * (l - mean)).sum();
    let under: f64 = each().map(|((l, w), _)| w * (l - mean) * (l - mean)).sum();
    if under > 0.0 { top / under.sqrt() } else { 0.0 }
}

/// The rows as a file that the page opens like any other.
fn csv(world: &World) -> String {
    let mut text = String::from("x1,x2,group,p,y\n");
    for row in 0..world.y.len() {
        let [x1, x2] = world.place(row);
        let group = if world.in_b[row] { "B" } else { "A" };
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{x1:.4},{x2:.4},{group},{:.6},{}", world.p[row], world.y[row]);
    }
    text
}

/// What is true of the state: one kind of error, none, or, where there are several, which ones were set.
fn truth(request: &LabRequest, world: &World) -> String {
    let [share, base, gap] = request.group;
    let without_gap = LabRequest { group: [share, base, 0.0], ..request.clone() };
    let in_b: Vec<f64> = (0..world.q.len()).filter(|&i| world.in_b[i]).map(|i| world.p[i] - world.q[i]).collect();
    let regions = LabRequest { region: Vec::new(), ..request.clone() };
    let factor = request.factor;
    if is_plain(request) {
        if factor == 1.0 {
            return "Truth: predictions are calibrated. All deviations are due to chance.".to_owned();
        }
        // log-odds that differ between rows are too far apart, or too close together
        if request.b > 0.0 {
            let kind = if factor > 1.0 { "extreme" } else { "moderate" };
            return format!(
                "Truth: predictions are too {kind} everywhere (T = {}), in no subgroup more than in another.",
                plain(factor)
            );
        }
    } else if factor == 1.0 && is_plain(&without_gap) && !in_b.is_empty() {
        // clipped probabilities differ by less than the gap that is set
        let error = in_b.iter().sum::<f64>() / in_b.len() as f64;
        let way = if gap < 0.0 { "underestimated" } else { "overestimated" };
        return format!(
            "Truth: group B is {way} by {} percentage points; group A is calibrated.",
            fixed_hundredfold(error.abs(), 0)
        );
    } else if factor == 1.0 && is_plain(&regions) {
        return "Truth: predictions are miscalibrated in some regions.".to_owned();
    }
    sentence(request)
}

pub(super) fn answer(request: &LabRequest) -> Result<LabAnswer> {
    let world = World::new(request);
    let binning = BinOptions::equal_width(request.bins as usize).binning(&world.p)?;
    let now = ece(&reliability_bins(&world.p, &world.y, &binning)?).unwrap_or(0.0);
    let chance = ece_by_chance(&world.p, &binning)?;
    let mut found = LabAnswer::of(request);
    let band = format!("{} to {} by chance alone (95%)", fixed(chance.low, 3), fixed(chance.high, 3));
    found.decimal("ece", "ECE", now, &band);
    let all = subgroup(&world, |_| true);
    let parts = [
        ("all", "All rows", all),
        ("a", "Group A", subgroup(&world, |row| !world.in_b[row])),
        ("b", "Group B", subgroup(&world, |row| world.in_b[row])),
    ];
    for (id, name, part) in &parts {
        // without a group B all rows are group A
        let is_all = *id == "a" && part.n == parts[0].2.n;
        if part.n > 0 && !is_all {
            let text = format!(
                "predicted {}, observed {} (95% CI {}, n = {})",
                percent(part.predicted),
                percent(part.observed),
                percent_interval(part.interval.0, part.interval.1),
                count(part.n as u64)
            );
            found.number_as(&format!("z_{id}"), name, part.z, text, &format!("z = {}", fixed(part.z, 1)));
        }
    }
    let slope = slope_z(&world);
    found.number_as("z_slope", "Score test of the slope", slope, format!("z = {}", fixed(slope, 1)), "");
    if request.answered {
        found.say(truth(request, &world));
        let [_, _, (_, _, b)] = &parts;
        if b.n > 0 && b.z.abs() > SIGNIFICANT {
            found.say(format!("In group B, z = {} (n = {}).", fixed(b.z, 1), count(b.n as u64)));
        }
        found.say("Does your sentence name effect, interval, n and action?");
    }
    found.draw(
        request,
        "diagram",
        diagram(&[Scores { name: "model", p: &world.p, y: &world.y }], request.bins as usize)?,
        ROOM,
    );
    found.draw(request, "map", local_error_map(request, &world, &Local::new(request, &world)?)?, ROOM);
    found.csv = request.csv.then(|| csv(&world));
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_observed_share_has_an_interval() {
        let hospital = LabRequest { n: 2_500, a: -2.0, b: 0.8, group: [0.25, 0.0, -8.0], ..LabRequest::default() };
        let found = answer(&LabRequest { screen: 10, answered: false, ..hospital }).unwrap();
        for id in ["z_all", "z_a", "z_b"] {
            let number = found.numbers.iter().find(|number| number.id == id).unwrap();
            let (_, observed) = number.text.split_once("observed ").unwrap();
            let percents: Vec<f64> =
                observed.split('%').filter_map(|part| part.split(' ').next_back()?.parse().ok()).collect();
            assert!(observed.contains("% (95% CI ") && percents.len() >= 3, "{observed}");
        }
    }

    #[test]
    fn truth_is_stated_where_it_holds() {
        let said = |request: LabRequest| {
            let found = answer(&LabRequest { screen: 10, answered: true, ..request }).unwrap();
            found.sentences[0].clone()
        };
        let hospital = LabRequest { n: 2_500, a: -2.0, b: 0.8, group: [0.25, 0.0, -8.0], ..LabRequest::default() };
        let pilot = LabRequest { n: 400, ..LabRequest::default() };
        let vendor = LabRequest { n: 1_500, factor: 1.5, ..LabRequest::default() };
        let underestimated = "Truth: group B is underestimated by 8 percentage points; group A is calibrated.";
        assert_eq!(said(hospital.clone()), underestimated);
        assert!(said(pilot.clone()).starts_with("Truth: predictions are calibrated."));
        assert!(said(vendor.clone()).starts_with("Truth: predictions are too extreme everywhere (T = 1.5)"));
        // a second error takes the truth away
        for request in [
            LabRequest { s: 1.0, ..hospital.clone() },
            LabRequest { factor: 2.0, ..hospital.clone() },
            LabRequest { region: vec![[0.0, 1.5, 1.0, 25.0]], ..hospital.clone() },
            LabRequest { s: 1.0, ..pilot.clone() },
            LabRequest { noise: 0.2, ..pilot.clone() },
            LabRequest { noise: 0.2, ..vendor.clone() },
            LabRequest { b: 0.0, a: 1.0, ..vendor },
        ] {
            let said = said(request);
            assert!(said.starts_with("Errors set in this state: "), "{said}");
        }
        // without its gap, case A is calibrated, and regions alone are the truth
        assert!(said(LabRequest { group: [0.25, 0.0, 0.0], ..hospital.clone() }).contains("are calibrated"));
        let region = vec![[0.0, 1.5, 1.0, 25.0]];
        assert!(said(LabRequest { region, ..pilot }).contains("in some regions"));
        // true probabilities end at 0.01: the error is smaller than the gap
        let clipped = said(LabRequest { group: [0.25, 0.0, 20.0], ..hospital });
        assert!(clipped.contains("overestimated by 1") && !clipped.contains("by 20 "), "{clipped}");
    }
}
