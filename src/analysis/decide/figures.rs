//! What is saved over the cost ratio, rejection curves and decision curves.

use super::{Answers, DecideOutcome, LARGEST, MethodReward, POINTS};
use crate::decision::rejection::rejection_curve;
use crate::decision::unsure::Costs;
use crate::error::Result;
use crate::evaluation::method::title;
use crate::plot::chart::{Chart, Room};
use crate::plot::curves::{Curve, CurveChart};
use crate::plot::figure::Dash;
use crate::plot::palette::Ink;

/// Of each chart.
const ROOM: Room = Room::Half;

pub(super) fn ink(i: usize) -> Ink {
    Ink::Category(i as u8)
}

/// What is saved against `none`, over the cost ratio; without it, the cost itself.
pub(super) fn gains(outcome: &DecideOutcome, base: Option<usize>, costs: Costs) -> Chart {
    let compared = base.filter(|_| outcome.methods.len() > 1);
    let before = compared.and_then(|base| outcome.methods.get(base));
    let lines = outcome.methods.iter().enumerate();
    let lines = lines.filter(|(i, _)| compared != Some(*i));
    let curve = |(i, one): (usize, &MethodReward)| Curve {
        name: title(&one.name).into_owned(),
        points: outcome
            .ratios
            .iter()
            .enumerate()
            .map(|(k, ratio)| {
                let before = before.map_or(0.0, |before| before.curve[k]);
                let sign = if compared.is_some() { 1.0 } else { -1.0 };
                (*ratio, sign * 1000.0 * (one.curve[k] - before))
            })
            .collect(),
        ink: ink(i),
        dash: Dash::Solid,
        name_at: None,
        band: Vec::new(),
    };
    Chart::new(
        CurveChart {
            curves: lines.map(curve).collect(),
            log_x: true,
            y_range: None,
            x_name: "cost of a wrong answer, in questions (w/u)".to_owned(),
            y_name: if compared.is_some() {
                "saved per 1,000, in questions".to_owned()
            } else {
                "cost per 1,000, in questions".to_owned()
            },
            marked: Some(((costs.wrong / costs.unsure).clamp(1.0, LARGEST), "your costs".to_owned())),
            title: if compared.is_some() {
                "What each repair saves, whatever the costs".to_owned()
            } else {
                "What deciding costs, whatever the costs".to_owned()
            },
            caption:
                "Every method with the threshold 1 − u/w on the same rows and the same predicted classes; 30 ratios."
                    .to_owned(),
        },
        ROOM,
    )
}

/// At most so many points, the last always among them.
pub(super) fn thinned(points: Vec<(f64, f64)>) -> Vec<(f64, f64)> {
    let every = points.len().div_ceil(POINTS).max(1);
    let last = points.len().saturating_sub(1);
    let kept = points.into_iter().enumerate();
    kept.filter(|(i, _)| i % every == 0 || *i == last).map(|(_, point)| point).collect()
}

pub(super) fn rejections(answers: &[Answers]) -> Result<Chart> {
    let mut lines = Vec::new();
    for (i, one) in answers.iter().enumerate() {
        let curve = rejection_curve(&one.c, &one.correct)?;
        lines.push(Curve {
            name: one.rows.title().into_owned(),
            points: thinned(curve).into_iter().map(|(x, y)| (100.0 * x, 100.0 * y)).collect(),
            ink: ink(i),
            dash: Dash::Solid,
            name_at: None,
            band: Vec::new(),
        });
    }
    let error = lines.first().and_then(|line| line.points.first()).map_or(0.0, |first| first.1);
    let reference = |name: &str, points: Vec<(f64, f64)>, at: (f64, f64)| Curve {
        name: name.to_owned(),
        points,
        ink: Ink::Muted,
        dash: Dash::Dashed,
        name_at: Some(at),
        band: Vec::new(),
    };
    lines.push(reference("by lot", vec![(0.0, error), (100.0, 0.0)], (50.0, error / 2.0)));
    lines.push(reference("errors first", vec![(0.0, error), (error, 0.0), (100.0, 0.0)], (error, 0.0)));
    Ok(Chart::new(CurveChart {
        curves: lines,
        log_x: false,
        y_range: None,
        x_name: "handed to a person, least confident first, per cent".to_owned(),
        y_name: "still wrong, per cent of all".to_owned(),
        marked: None,
        title: "Errors that are left when the least confident cases are handed over".to_owned(),
        caption:
            "Rejection curve. The prediction rejection ratio (PRR) says how far a curve lies from chance (0) towards \
                  handing over the errors themselves (1)."
                .to_owned(),
    }, ROOM))
}
