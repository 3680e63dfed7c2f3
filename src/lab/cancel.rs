//! Screen 6: a straight diagram can hide two mistakes.

use super::answer::ROOM;
use super::chance::ece_by_chance;
use super::diagram::{Scores, diagram};
use super::local_map::{Local, local_error_map};
use super::planted::{is_plain, sentence};
use super::world::HALF_WIDTH;
use super::{LabAnswer, LabRequest, Region, World};
use crate::error::Result;
use crate::local::summary;
use crate::metric::BinOptions;
use crate::metric::ece::ece;
use crate::metric::reliability::reliability_bins;
use crate::num::special::sigmoid;
use crate::words::number::{count, fixed, points_size};

/// The second region is as deep as the first, within so much, and as far to the right.
const DEPTH_WITHIN: f64 = 0.05;
const CENTER_WITHIN: f64 = 0.3;
/// Opposite errors cancel as long as true probabilities are clipped by no more.
const CLIPPED_WITHIN: f64 = 0.05;
/// Two places are the same up to the rounding of a decimal.
const ROUNDING: f64 = 1e-9;

/// Mean predicted − observed of the rows of a region, and how many they are.
fn gap(world: &World, region: &Region) -> (f64, usize) {
    let inside = || (0..world.y.len()).filter(|&row| region.holds(world.place(row)));
    let n = inside().count();
    let sum: f64 = inside().map(|row| world.p[row] - f64::from(world.y[row])).sum();
    (if n > 0 { sum / n as f64 } else { 0.0 }, n)
}

/// How far a region extends in a direction within the square in which rows lie.
fn extent(region: &Region, axis: usize) -> f64 {
    let center = region.center[axis];
    let end = |x: f64| x.clamp(-HALF_WIDTH, HALF_WIDTH);
    end(center + region.radius) - end(center - region.radius)
}

/// Whether the errors of two regions cancel in every bin, up to these tolerances: opposite, as large, and over as many rows with
/// the same predictions, which depend on x₁ alone.
fn cancels(a: &Region, b: &Region, depth: f64, center: f64) -> bool {
    (a.error + b.error).abs() <= depth + ROUNDING
        && (a.center[0] - b.center[0]).abs() <= center + ROUNDING
        && a.radius == b.radius
        && (extent(a, 1) - extent(b, 1)).abs() <= center + ROUNDING
}

/// What becomes of the errors of two regions, if the first has one.
fn explained(a: &Region, b: &Region) -> &'static str {
    let whole = |region: &Region| [0, 1].iter().all(|&axis| extent(region, axis) >= 2.0 * region.radius - ROUNDING);
    if cancels(a, b, 0.0, 0.0) {
        "The errors cancel in every bin: both regions hold rows with the same predictions."
    } else if cancels(a, b, DEPTH_WITHIN, CENTER_WITHIN) {
        "The errors nearly cancel in every bin: the regions differ slightly in depth or place."
    } else if (a.error + b.error).abs() <= ROUNDING && a.radius == b.radius && whole(a) && whole(b) {
        "The errors cancel on average, but not bin by bin: the regions hold rows with different predictions."
    } else {
        "The errors do not cancel: the regions differ in depth, in the number of rows, or in the predictions of their rows."
    }
}

/// Whether two regions are all that is wrong, and the error of the first can be canceled where it is: probabilities that differ
/// by as much in either direction are still probabilities.
fn only_regions(request: &LabRequest, regions: &[Region]) -> bool {
    let others = LabRequest { region: Vec::new(), ..request.clone() };
    let [share, base, _] = request.group;
    let [a, _, more @ ..] = regions else { return false };
    let bases = [Some(0.0), (share > 0.0).then_some(base)];
    let ends = [a.center[0] - a.radius, a.center[0] + a.radius].map(|x| x.clamp(-HALF_WIDTH, HALF_WIDTH));
    let reached = bases.into_iter().flatten().flat_map(|base| ends.map(|x| sigmoid(request.a + request.b * x + base)));
    let exact = |q: f64| q - a.error.abs() >= -CLIPPED_WITHIN && q + a.error.abs() <= 1.0 + CLIPPED_WITHIN;
    let calibrated = request.factor == 1.0 && is_plain(&others);
    calibrated && more.iter().all(|region| region.error == 0.0) && reached.into_iter().all(exact)
}

pub(super) fn answer(request: &LabRequest) -> Result<LabAnswer> {
    let world = World::new(request);
    let binning = BinOptions::equal_width(request.bins as usize).binning(&world.p)?;
    let now = ece(&reliability_bins(&world.p, &world.y, &binning)?).unwrap_or(0.0);
    let chance = ece_by_chance(&world.p, &binning)?;
    let mut found = LabAnswer::of(request);
    let (low, high) = (fixed(chance.low, 3), fixed(chance.high, 3));
    found.decimal("ece", "ECE", now, &format!("{low} to {high} by chance alone (95%)"));
    found.decimal("null_high", "Upper end of the null band", chance.high, "");
    let inside = now <= chance.high;
    let place = if inside { "inside" } else { "above" };
    found.light(format!("ECE {} is {place} its null band ({low} to {high})", fixed(now, 3)), inside);

    found.say(format!("The ECE is {}, {place} its null band ({low} to {high}).", fixed(now, 3)));
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
    if let ([a, b, ..], true) = (regions, only_regions(request, regions)) {
        let both = cancels(a, b, DEPTH_WITHIN, CENTER_WITHIN);
        found.right = Some(if both { "cancels" } else { "differs" }.to_owned());
        if request.answered && a.error != 0.0 {
            found.say(explained(a, b));
        }
    } else if request.answered && regions.len() > 1 {
        found.say(sentence(request));
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_cancel_only_where_nothing_else_is_wrong() {
        let of = |region: &[[f64; 4]]| LabRequest { screen: 6, region: region.to_vec(), ..LabRequest::default() };
        let opposite = of(&[[0.0, 1.5, 1.0, 25.0], [0.0, -1.5, 1.0, -25.0]]);
        let found = |request: LabRequest| {
            let found = answer(&request).unwrap();
            (found.right, found.sentences.join(" "))
        };
        let (right, said) = found(opposite.clone());
        assert_eq!(right.as_deref(), Some("cancels"));
        assert!(said.contains("The errors cancel in every bin"));
        // the depth is that of region A
        assert_eq!(found(of(&[[0.0, 1.5, 1.0, 10.0], [0.0, -1.5, 1.0, -10.0]])).0.as_deref(), Some("cancels"));
        assert_eq!(found(of(&[[0.0, 1.5, 1.0, 10.0], [0.0, -1.5, 1.0, -25.0]])).0.as_deref(), Some("differs"));
        // as wrong, but over fewer rows; within the tolerance; other predictions; no error at all
        for (region, right, explained) in [
            ([[0.0, 1.5, 1.0, 25.0], [0.0, -3.0, 1.0, -25.0]], "differs", "The errors do not cancel"),
            ([[0.0, 1.5, 1.0, 25.0], [0.3, -1.5, 1.0, -20.0]], "cancels", "The errors nearly cancel"),
            ([[0.0, 1.5, 1.0, 25.0], [-1.0, -1.5, 1.0, -25.0]], "differs", "cancel on average, but not bin by bin"),
            ([[0.0, 1.5, 1.0, 25.0], [0.0, -1.5, 1.0, 0.0]], "differs", "The errors do not cancel"),
        ] {
            let (judged, said) = found(of(&region));
            assert!(judged.as_deref() == Some(right) && said.contains(explained), "{said}");
            assert!(!said.contains("cancel in every bin: both"), "{said}");
        }
        let (_, said) = found(of(&[[0.0, 1.5, 1.0, 0.0], [0.0, -1.5, 1.0, 0.0]]));
        assert!(!said.contains("cancel"), "{said}");
        let third = [0.0, 0.0, 0.4, 20.0];
        for other in [
            LabRequest { factor: 2.0, ..opposite.clone() },
            LabRequest { s: 0.5, ..opposite.clone() },
            LabRequest { noise: 0.1, ..opposite.clone() },
            LabRequest { group: [0.25, 0.0, 10.0], ..opposite.clone() },
            LabRequest { region: [&opposite.region[..], &[third]].concat(), ..opposite.clone() },
            // true probabilities end at 0.99: the second error is smaller than the first
            of(&[[2.0, 1.5, 1.0, 25.0], [2.0, -1.5, 1.0, -25.0]]),
        ] {
            let (right, said) = found(other);
            assert_eq!(right, None, "{said}");
            assert!(!said.contains("cancel") && said.contains("Errors set in this state: "), "{said}");
        }
    }
}
