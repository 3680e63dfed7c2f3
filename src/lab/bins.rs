//! Screen 4: a perfect model has an ECE above zero, and more with more bins.

use super::answer::ROOM;
use super::chance::{Chance, ece_by_chance};
use super::diagram::{Scores, diagram};
use super::{LabAnswer, LabRequest, World};
use crate::error::Result;
use crate::metric::BinOptions;
use crate::metric::debiased_ece::{DiscreteBins, debiased_ece};
use crate::metric::ece::ece;
use crate::metric::reliability::reliability_bins;
use crate::metric::smooth_ece::smooth_ece;
use crate::plot::curves::{Curve, CurveChart};
use crate::plot::figure::Dash;
use crate::plot::palette::Ink;
use crate::words::number::{about, fixed};

/// Numbers of bins along the axis.
const STEPS: [usize; 8] = [2, 5, 10, 15, 20, 30, 50, 100];

/// ECE of the rows over so many bins, and what chance makes of it.
struct Point {
    bins: usize,
    ece: f64,
    chance: Chance,
}

fn point(world: &World, bins: usize) -> Result<Point> {
    let binning = BinOptions::equal_width(bins).binning(&world.p)?;
    let ece = ece(&reliability_bins(&world.p, &world.y, &binning)?).unwrap_or(0.0);
    Ok(Point { bins, ece, chance: ece_by_chance(&world.p, &binning)? })
}

pub(super) fn answer(request: &LabRequest) -> Result<LabAnswer> {
    let world = World::new(request);
    let chosen = request.bins as usize;
    let now = point(&world, chosen)?;
    let smooth = smooth_ece(&world.p, &world.y)?.value;
    let debiased = debiased_ece(&world.p, &world.y, chosen, DiscreteBins::Never)?.l2;

    let mut found = LabAnswer::of(request);
    let band = format!("{} to {} by chance alone (95%)", fixed(now.chance.low, 3), fixed(now.chance.high, 3));
    found.decimal("ece", &format!("ECE, {chosen} bins"), now.ece, &band);
    found.decimal("null_mean", "Mean ECE of a perfect model", now.chance.mean, "");
    found.decimal("smooth_ece", "Smooth ECE, no bins", smooth, "");
    found.decimal("debiased", "Debiased ECE (root mean square)", debiased, "");
    found.number("null_low", "Lower end of the chance band", now.chance.low);
    found.number("null_high", "Upper end of the chance band", now.chance.high);

    let rows = about((f64::from(request.n) / chosen as f64).round() as u64, false);
    found.say("The model did not change.");
    found.say(format!(
        "With {chosen} bins of about {rows} rows, chance alone gives a perfect model an ECE of {} on average (95% band {} to {}).",
        fixed(now.chance.mean, 3),
        fixed(now.chance.low, 3),
        fixed(now.chance.high, 3),
    ));
    let inside = (now.chance.low..=now.chance.high).contains(&now.ece);
    found.say(format!(
        "The observed ECE, {}, is {} this band.",
        fixed(now.ece, 3),
        if inside {
            "inside"
        } else if now.ece > now.chance.high {
            "above"
        } else {
            "below"
        }
    ));
    found.draw(request, "diagram", diagram(&[Scores { name: "model", p: &world.p, y: &world.y }], chosen)?, ROOM);

    let mut steps = STEPS.to_vec();
    if !steps.contains(&chosen) {
        steps.push(chosen);
        steps.sort_unstable();
    }
    let points: Vec<Point> = steps.into_iter().map(|bins| point(&world, bins)).collect::<Result<_>>()?;
    let at = |value: &dyn Fn(&Point) -> f64| -> Vec<(f64, f64)> {
        points.iter().map(|point| (point.bins as f64, value(point))).collect()
    };
    let curve = |name: &str, points, ink, dash| Curve {
        name: name.to_owned(),
        points,
        band: Vec::new(),
        ink,
        dash,
        name_at: None,
    };
    let by_chance = Curve {
        band: points.iter().map(|point| (point.bins as f64, point.chance.low, point.chance.high)).collect(),
        ..curve("perfect model", at(&|point| point.chance.mean), Ink::Axis, Dash::Dashed)
    };
    let curves = vec![
        by_chance,
        curve("this model", at(&|point| point.ece), Ink::Before, Dash::Solid),
        curve("smooth ECE", at(&|_| smooth), Ink::After, Dash::Dashed),
    ];
    let chart = CurveChart {
        curves,
        log_x: true,
        y_range: None,
        x_name: "bins".to_owned(),
        y_name: "ECE".to_owned(),
        marked: Some((chosen as f64, format!("{chosen} bins"))),
        title: String::new(),
        caption: "The same rows in an increasing number of bins. Band: 95% of the draws of a perfect model.".to_owned(),
    };
    found.draw(request, "bins", chart, ROOM);
    Ok(found)
}
