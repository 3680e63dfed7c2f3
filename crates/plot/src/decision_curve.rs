//! Decision curves: net benefit against the threshold from which on a probability is acted on, beside that of acting on
//! everybody.
//!
//! Source: Vickers and Elkin (2006), "Decision curve analysis", Medical Decision Making 26:565–574.

use super::curves::{Curve, CurveChart};
use super::figure::Dash;
use super::palette::Ink;

/// How far below 0 the chart goes, as a share of the largest net benefit: acting on everybody falls without end.
const BELOW: f64 = 0.25;
/// A largest net benefit below this does not stretch the chart any more, per 100 rows.
const LEAST: f64 = 0.1;

/// A line of one model.
///
/// * `points`: threshold, net benefit a row, and the ends of its interval where there is one, by rising threshold
/// * `banded`: whether the intervals are drawn
pub fn line(name: &str, points: &[[Option<f64>; 4]], ink: Ink, banded: bool) -> Curve {
    let value = |&[at, value, ..]: &[Option<f64>; 4]| Some((at?, 100.0 * value?));
    let ends = |&[at, _, low, high]: &[Option<f64>; 4]| Some((at?, 100.0 * low?, 100.0 * high?));
    Curve {
        name: name.to_owned(),
        points: points.iter().filter_map(value).collect(),
        band: if banded { points.iter().filter_map(ends).collect() } else { Vec::new() },
        ink,
        dash: Dash::Solid,
        name_at: None,
    }
}

/// The lines of models, and that of acting on everybody: π − (1 − π) t / (1 − t) at threshold t < 1, where a share π has
/// the outcome. Per 100 rows; without title and caption.
pub fn decision_curves(mut models: Vec<Curve>, thresholds: impl IntoIterator<Item = f64>, share: f64) -> CurveChart {
    let top = models.iter().flat_map(|curve| &curve.points).map(|point| point.1).fold(LEAST, f64::max);
    let all = thresholds.into_iter().map(|t| (t, 100.0 * (share - (1.0 - share) * t / (1.0 - t))));
    let all: Vec<(f64, f64)> = all.filter(|(_, value)| *value > -BELOW * top).collect();
    models.push(Curve {
        name: "act on all".to_owned(),
        name_at: all.last().copied(),
        points: all,
        band: Vec::new(),
        ink: Ink::Muted,
        dash: Dash::Dashed,
    });
    CurveChart {
        curves: models,
        log_x: false,
        y_range: Some((-BELOW * top, 1.1 * top)),
        x_name: "threshold probability".to_owned(),
        y_name: "net benefit per 100 rows".to_owned(),
        marked: None,
        title: String::new(),
        caption: String::new(),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn acting_on_everybody_is_worth_the_share_at_0_and_nothing_at_it() {
        let points = [[0.0, 0.2, 0.1, 0.3], [0.2, 0.05, 0.0, 0.1]].map(|point| point.map(Some));
        let model = line("a", &points, Ink::Before, true);
        assert_eq!(model.band[1], (0.2, 0.0, 10.0));
        let without = points.map(|[at, value, ..]| [at, value, None, None]);
        assert!(line("a", &without, Ink::Before, true).band.is_empty());
        let chart = decision_curves(vec![model], [0.0, 0.2, 0.9], 0.2);
        let all = chart.curves.last().unwrap();
        // at a threshold of 0.9 it is worth −700 per 100: not drawn
        assert_eq!(all.points.len(), 2);
        assert!((all.points[0].1 - 20.0).abs() < 1e-12 && all.points[1].1.abs() < 1e-12);
        assert_eq!(chart.y_range, Some((-5.0, 22.0)));
    }
}
