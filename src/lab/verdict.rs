//! Screen 10: a verdict names effect, uncertainty, subgroup and action.

use std::fmt::Write as _;

use super::answer::ROOM;
use super::chance::ece_by_chance;
use super::diagram::{Scores, diagram};
use super::local_map::{Local, local_error_map};
use super::{LabAnswer, LabRequest, World};
use crate::error::Result;
use crate::metric::BinOptions;
use crate::metric::ece::ece;
use crate::metric::reliability::reliability_bins;
use crate::words::number::{count, fixed, percent};

/// z beyond which a difference is significant by itself, at 5 %.
const SIGNIFICANT: f64 = crate::num::proportion::Z_95;

/// Predicted and observed of some rows, and z = Σ (y − p)/√Σ p (1 − p).
struct SubgroupSums {
    n: usize,
    predicted: f64,
    observed: f64,
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
    SubgroupSums { n, predicted: predicted / rows, observed: observed / rows, z }
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
        if part.n > 0 {
            let text = format!(
                "predicted {}, observed {} (n = {})",
                percent(part.predicted),
                percent(part.observed),
                count(part.n as u64)
            );
            found.number_as(&format!("z_{id}"), name, part.z, text, &format!("z = {}", fixed(part.z, 1)));
        }
    }
    let slope = slope_z(&world);
    found.number_as("z_slope", "Score test of the slope", slope, format!("z = {}", fixed(slope, 1)), "");
    if request.answered {
        let truth = match (request.group[2] != 0.0, request.factor, request.region.is_empty()) {
            (true, ..) => {
                let gap = request.group[2];
                let way = if gap < 0.0 { "underestimated" } else { "overestimated" };
                format!("Truth: group B is {way} by {} percentage points; group A is calibrated.", fixed(gap.abs(), 0))
            }
            (false, t, true) if t != 1.0 => {
                let kind = if t > 1.0 { "extreme" } else { "moderate" };
                format!(
                    "Truth: predictions are too {kind} everywhere (T = {}), in no subgroup more than in another.",
                    fixed(t, 1)
                )
            }
            (false, _, false) => "Truth: predictions are miscalibrated in some regions.".to_owned(),
            (false, _, true) => "Truth: predictions are calibrated. All deviations are due to chance.".to_owned(),
        };
        found.say(truth);
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
