//! What is saved over the cost ratio, rejection curves and decision curves.

use super::{Answers, DecideOutcome, LARGEST, MethodReward, POINTS};
use crate::decision::rejection::rejection_curve;
use crate::decision::unsure::Costs;
use crate::error::Result;
use crate::evaluation::method::title;
use crate::plot::chart::{Chart, ChartWidth};
use crate::plot::curves::{Curve, CurveChart};
use crate::plot::figure::Dash;
use crate::plot::palette::Ink;

/// Of each chart.
const ROOM: ChartWidth = ChartWidth::Half;

pub(super) fn ink(i: usize) -> Ink {
    Ink::Category(i as u8)
}

/// What is saved against `none`, over the cost ratio; without it, the cost itself.
pub(super) fn gains(outcome: &DecideOutcome, base: Option<usize>, costs: Costs) -> Chart {
    let compared = base.filter(|_| outcome.methods.len() > 1);
    let before = compared.and_then(|base| outcome.methods.get(base));
    let lines = outcome.methods.iter().enumerate();
    let lines = lines.filter(|(i, _)| compared != Some(*i));
    let curve = |(i, one): (usize, &MethodReward)| {
        let points = outcome.ratios.iter().enumerate().map(|(k, ratio)| {
            let before = before.map_or(0.0, |before| before.curve[k]);
            let sign = if compared.is_some() { 1.0 } else { -1.0 };
            (*ratio, sign * 1000.0 * (one.curve[k] - before))
        });
        Curve::line(title(&one.name), points.collect(), ink(i), Dash::Solid)
    };
    Chart::new(
        CurveChart {
            curves: lines.map(curve).collect(),
            log_x: true,
            y_range: None,
            x_name: "error cost / deferral cost (w/u)".to_owned(),
            y_name: if compared.is_some() {
                "saving per 1,000 rows, in deferral costs".to_owned()
            } else {
                "cost per 1,000 rows, in deferral costs".to_owned()
            },
            marked: Some(((costs.wrong / costs.unsure).clamp(1.0, LARGEST), "these costs".to_owned())),
            title: if compared.is_some() {
                "Saving by method and cost ratio".to_owned()
            } else {
                "Cost by cost ratio".to_owned()
            },
            caption: "All methods at the threshold 1 − u/w on the same rows and predicted classes; 30 cost ratios."
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
        let points = thinned(curve).into_iter().map(|(x, y)| (100.0 * x, 100.0 * y)).collect();
        lines.push(Curve::line(one.rows.title(), points, ink(i), Dash::Solid));
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
    lines.push(reference("random", vec![(0.0, error), (100.0, 0.0)], (50.0, error / 2.0)));
    lines.push(reference("errors first", vec![(0.0, error), (error, 0.0), (100.0, 0.0)], (error, 0.0)));
    Ok(Chart::new(
        CurveChart {
            curves: lines,
            log_x: false,
            y_range: None,
            x_name: "deferred, least confident first (%)".to_owned(),
            y_name: "remaining errors (% of all rows)".to_owned(),
            marked: None,
            title: "Remaining errors by share deferred".to_owned(),
            caption:
                "Rejection curve. The prediction rejection ratio (PRR) is 0 for random deferral and 1 for deferral of \
             the errors themselves."
                    .to_owned(),
        },
        ROOM,
    ))
}
