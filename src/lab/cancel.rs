//! Screen 6: a straight diagram can hide two mistakes.

use super::answer::ROOM;
use super::chance::ece_by_chance;
use super::diagram::{Scores, diagram};
use super::local_map::{Local, local_error_map};
use super::{LabAnswer, LabRequest, Region, World};
use crate::error::Result;
use crate::local::summary;
use crate::metric::BinOptions;
use crate::metric::ece::ece;
use crate::metric::reliability::reliability_bins;
use crate::words::number::{count, fixed, points_size};

/// The second region is as deep as the first, within so much, and as far to the right.
const DEPTH_WITHIN: f64 = 0.05;
const CENTER_WITHIN: f64 = 0.3;
/// Two places are the same up to the rounding of a decimal.
const ROUNDING: f64 = 1e-9;

/// Mean predicted − observed of the rows of a region, and how many they are.
fn gap(world: &World, region: &Region) -> (f64, usize) {
    let inside = || (0..world.y.len()).filter(|&row| region.holds(world.place(row)));
    let n = inside().count();
    let sum: f64 = inside().map(|row| world.p[row] - f64::from(world.y[row])).sum();
    (if n > 0 { sum / n as f64 } else { 0.0 }, n)
}

/// Whether the errors of two regions cancel in every bin: opposite, as large, and over the same predictions.
fn cancels(a: &Region, b: &Region) -> bool {
    (a.error + b.error).abs() <= DEPTH_WITHIN + ROUNDING
        && (a.center[0] - b.center[0]).abs() <= CENTER_WITHIN + ROUNDING
        && a.radius == b.radius
}

pub(super) fn answer(request: &LabRequest) -> Result<LabAnswer> {
    let world = World::new(request);
    let binning = BinOptions::equal_width(request.bins as usize).binning(&world.p)?;
    let now = ece(&reliability_bins(&world.p, &world.y, &binning)?).unwrap_or(0.0);
    let chance = ece_by_chance(&world.p, &binning)?;
    let mut found = LabAnswer::of(request);
    let (low, high) = (fixed(chance.low, 3), fixed(chance.high, 3));
    found.decimal("ece", "ECE", now, &format!("{low} to {high} by chance alone (95%)"));
    found.number("null_high", "Upper end of the chance band", chance.high);
    let inside = now <= chance.high;
    let place = if inside { "inside" } else { "above" };
    found.light(format!("ECE {} is {place} its chance band ({low} to {high})", fixed(now, 3)), inside);

    found.say(format!("The ECE is {}, {place} its chance band ({low} to {high}).", fixed(now, 3)));
    let regions = world.truth.regions();
    for (name, region) in ["A", "B", "C", "D"].iter().zip(regions) {
        let (gap, n) = gap(&world, region);
        let way = if gap >= 0.0 { "overestimated" } else { "underestimated" };
        found.number_as(
            &format!("gap_{}", name.to_lowercase()),
            &format!("Calibration error in region {name}"),
            gap,
            format!("{} by {} (n = {})", way, points_size(gap), count(n as u64)),
            "",
        );
        if request.answered {
            found.say(format!("Region {name} is {way} by {} (n = {}).", points_size(gap), count(n as u64)));
        }
    }
    if let [a, b, ..] = regions {
        let both = cancels(a, b);
        found.right = Some(if both { "cancels" } else { "differs" }.to_owned());
        if request.answered && both {
            found.say("The errors cancel in every bin: both regions hold rows with the same predictions.");
        } else if request.answered && (a.error + b.error).abs() <= DEPTH_WITHIN + ROUNDING && a.radius == b.radius {
            found.say(
                "The errors cancel on average, but not bin by bin: the regions hold rows with different predictions.",
            );
        }
    }
    found.draw(
        request,
        "diagram",
        diagram(&[Scores { name: "model", p: &world.p, y: &world.y }], request.bins as usize)?,
        ROOM,
    );
    if request.answered {
        let local = Local::new(request, &world)?;
        let whole = summary(&local.rows.slce, &local.rows.n_eff);
        found.decimal(
            "mlce_supported",
            "Largest local error (20 effective neighbors or more)",
            whole.mlce_supported,
            "",
        );
        for (name, region) in ["a", "b"].iter().zip(regions) {
            let at = local.at(request, &world, &region.center)?;
            if let Some(&error) = at.slce.first() {
                let text = format!("{}{}", if error < 0.0 { "−" } else { "+" }, points_size(error));
                let title = format!("Local error at the center of region {}", name.to_uppercase());
                found.number_as(&format!("center_{name}"), &title, error, text, "");
            }
        }
        found.draw(request, "map", local_error_map(request, &world, &local)?, ROOM);
    }
    Ok(found)
}
