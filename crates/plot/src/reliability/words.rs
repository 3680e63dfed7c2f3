//! What the reliability diagram says: reading, caption, hover cards and the table of bins.

use super::{Beyond, BinMark, ReliabilityChart, ReliabilitySeries};
use crate::table::TextTable;
use crate::words::number;
use crate::words::text::counted;

/// Places of a curve in the table.
const LISTED: usize = 20;

/// Rows of a bin whose error is named.
const ENOUGH: u32 = 20;

/// "overestimated by 9.4 pp".
pub(super) fn verdict(gap: f64) -> String {
    let size = number::points_size(gap);
    if gap > 0.0 {
        format!("overestimated by {size}")
    } else if gap < 0.0 {
        format!("underestimated by {size}")
    } else {
        "no error".to_string()
    }
}

/// Lines of the card of one bin; `places`: decimals of its ends.
pub(super) fn hover(chart: &ReliabilityChart, series: &ReliabilitySeries, bin: &BinMark, places: usize) -> Vec<String> {
    let name = if chart.series.len() > 1 { format!("{}, ", series.name) } else { String::new() };
    let band = if chart.consistency.is_empty() {
        ""
    } else if bin.inside_band {
        ", inside the simultaneous band"
    } else {
        ", outside the simultaneous band"
    };
    let weight = match bin.weight {
        Some(weight) => format!(" of weight {}", number::significant(weight)),
        None => String::new(),
    };
    vec![
        format!("{name}bin {}: {}{weight}", number::bin(bin.low, bin.high, places), counted(bin.n as u64, "row")),
        format!("{}: {}", chart.score_name, number::percent(bin.score)),
        format!(
            "{}: {} (95% CI {} to {}%)",
            chart.target_name,
            number::percent(bin.target),
            number::fixed_hundredfold(bin.wilson_low, 1),
            number::fixed_hundredfold(bin.wilson_high, 1),
        ),
        format!("{}{band}", verdict(bin.gap)),
    ]
}

/// One sentence for those who do not see the diagram.
pub(super) fn alt(chart: &ReliabilityChart) -> String {
    let mut parts = Vec::new();
    for series in &chart.series {
        let bins: Vec<&BinMark> = series.bins.iter().filter(|bin| bin.n > 0).collect();
        let outside = bins.iter().filter(|bin| !bin.inside_band).count();
        let furthest = |of: &dyn Fn(&BinMark) -> bool| {
            bins.iter().filter(|bin| of(bin)).max_by(|a, b| a.gap.abs().total_cmp(&b.gap.abs())).copied()
        };
        // an error beyond chance comes before a larger one that may be chance; one of few rows is no calibration error
        let largest = furthest(&|_| true);
        let judged = furthest(&|bin| !bin.inside_band).or_else(|| furthest(&|bin| bin.n >= ENOUGH));
        let name = if chart.series.len() > 1 { format!("{}: ", series.name) } else { String::new() };
        let (the, no) = if name.is_empty() { ("The", "No") } else { ("the", "no") };
        let verb = if outside == 1 || bins.len() == 1 { "is" } else { "are" };
        let band = "the simultaneous 95% null band";
        // of bins that are withheld, the largest error may be one
        let shown = if bins.iter().map(|bin| u64::from(bin.n)).sum::<u64>() < chart.n { " shown" } else { "" };
        let count = format!("{outside} of {}{shown} {verb} outside {band}", counted(bins.len(), "bin"));
        parts.push(match (judged, largest) {
            (None, Some(_)) => {
                format!(
                    "{name}{count}; every bin{shown} has fewer than {ENOUGH} rows, too few to name the largest error"
                )
            }
            (Some(bin), largest) => format!(
                "{name}{count}; the largest error{shown}{} is in bin {} with {}, {}",
                match largest.is_some_and(|largest| largest.gap.abs() > bin.gap.abs()) {
                    false => String::new(),
                    true if bin.inside_band => format!(" of a bin with at least {ENOUGH} rows"),
                    true => " of a bin outside the band".to_owned(),
                },
                number::bin(bin.low, bin.high, series.places()),
                counted(bin.n as u64, "row"),
                verdict(bin.gap)
            ),
            (None, None) => match furthest_of(&series.curve) {
                Some((score, gap)) => {
                    format!(
                        "{name}{the} curve is farthest from the diagonal at {}, {}",
                        number::percent(score),
                        verdict(gap)
                    )
                }
                None => format!("{name}{no} bin contains a row"),
            },
        });
    }
    let said = parts.join(". ");
    format!("Reliability diagram of {}. {said}.{}", counted(chart.n, "row"), chart.outside_axes())
}

/// Where a curve is furthest from the diagonal: score, and score − target there.
fn furthest_of(curve: &[(f64, f64)]) -> Option<(f64, f64)> {
    let gaps = curve.iter().map(|(score, target)| (*score, score - target));
    gaps.reduce(|a, b| if b.1.abs() > a.1.abs() { b } else { a })
}

/// The curves as a table, at some places of each.
fn table_of_curves(chart: &ReliabilityChart) -> TextTable {
    let (score, target) = (format!("#{}", chart.score_name), format!("#{}", chart.target_name));
    let mut table = TextTable::new(&["series", &score, &target]);
    for series in &chart.series {
        let every = series.curve.len().div_ceil(LISTED).max(1);
        for (score, target) in series.curve.iter().step_by(every) {
            table.rows.push(vec![series.name.clone(), number::percent(*score), number::percent(*target)]);
        }
    }
    table
}

impl Beyond {
    /// How many rows are not drawn, and what became of them; nothing where all are.
    ///
    /// * `events`, `others`: names of the outcome and of its absence
    pub fn words(self, events: &str, others: &str) -> Option<String> {
        let Self { rows, events: observed } = self;
        let of = |n: u64, names: &str| counted(n as usize, names.trim_end_matches('s'));
        let became = match (rows, observed) {
            (0, _) => return None,
            (1, 1) => of(1, events),
            (1, _) => of(1, others),
            (_, 0) => format!("all {others}"),
            _ if rows == observed => format!("all {events}"),
            _ => format!("{}, {}", of(observed, events), of(rows - observed, others)),
        };
        Some(match rows {
            1 => format!("1 row with a score outside the axes is not drawn ({became})."),
            _ => format!("{} rows with scores outside the axes are not drawn ({became}).", number::count(rows)),
        })
    }
}

/// What of a bin is not drawn, since it is outside the axes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Undrawn {
    /// its point: its mean score or its proportion
    Point,
    /// an end of its interval
    Interval,
}

impl ReliabilityChart {
    fn is_within_axes(&self, value: f64) -> bool {
        (self.axes.0..=self.axes.1).contains(&value)
    }

    /// Whether a proportion is drawn at an end of logit axes, since it is 0 or 1.
    fn is_at_end(&self, target: f64) -> bool {
        self.logit && (target <= 0.0 || target >= 1.0)
    }

    fn undrawn(&self, bin: &BinMark) -> Option<Undrawn> {
        let outside = |value: f64| !self.is_within_axes(value) && !self.is_at_end(value);
        match bin {
            bin if !self.is_within_axes(bin.score) || outside(bin.target) => Some(Undrawn::Point),
            bin if outside(bin.wilson_low) || outside(bin.wilson_high) => Some(Undrawn::Interval),
            _ => None,
        }
    }

    /// What logit axes are, and which points are at their ends; nothing of other axes.
    fn logit_axes(&self) -> Option<String> {
        let at_end = self.filled_bins().filter(|bin| self.is_within_axes(bin.score) && self.is_at_end(bin.target));
        self.logit.then(|| match at_end.count() {
            0 => "Logit axes.".to_owned(),
            1 => "Logit axes; the point of 1 bin in which all outcomes are the same is at an end.".to_owned(),
            many => format!("Logit axes; the points of {many} bins in which all outcomes are the same are at an end."),
        })
    }

    fn filled_bins(&self) -> impl Iterator<Item = &BinMark> {
        self.series.iter().flat_map(|series| &series.bins).filter(|bin| bin.n > 0)
    }

    /// Sentences about logit axes, and about rows, points and intervals that are outside the axes, each after a space;
    /// nothing where all is drawn.
    fn outside_axes(&self) -> String {
        // a score outside the axes is among the rows
        let of = |what: Undrawn| {
            let bins = self.filled_bins().filter(|bin| self.is_within_axes(bin.score));
            let (mut several, mut rows) = (0, 0);
            for bin in bins.filter(|bin| self.undrawn(bin) == Some(what)) {
                (several, rows) = (several + 1, rows + bin.n as usize);
            }
            // bins of several series share rows
            let rows = if self.series.len() == 1 { format!(" ({})", counted(rows, "row")) } else { String::new() };
            (several, rows)
        };
        let points = match of(Undrawn::Point) {
            (0, _) => None,
            (1, rows) => Some(format!("The point of 1 bin{rows} is above or below the axes.")),
            (many, rows) => Some(format!("The points of {many} bins{rows} are above or below the axes.")),
        };
        let intervals = match of(Undrawn::Interval) {
            (0, _) => None,
            (1, rows) => Some(format!("The interval of 1 bin{rows} extends beyond the axes.")),
            (many, rows) => Some(format!("The intervals of {many} bins{rows} extend beyond the axes.")),
        };
        let rows = self.beyond.words(&self.events_name, &self.others_name);
        [self.logit_axes(), rows, points, intervals].into_iter().flatten().map(|words| format!(" {words}")).collect()
    }
}

/// The caller's caption, or the method in two sentences; then what is outside the axes.
pub(super) fn caption(chart: &ReliabilityChart) -> String {
    match (chart.small, chart.caption.is_empty()) {
        (true, _) => chart.caption.clone(),
        (false, true) => format!("{}{}", method(chart), chart.outside_axes()),
        (false, false) => format!("{}{}", chart.caption, chart.outside_axes()),
    }
}

fn method(chart: &ReliabilityChart) -> String {
    let heights = if chart.square_root_heights { "; square-root scale" } else { "" };
    let weighted = if is_weighted(chart) {
        " Means, proportions and intervals are weighted, with effective sample size (Σ w)² / Σ w²."
    } else {
        ""
    };
    let marked = match chart.filled_bins().any(|bin| !bin.inside_band) {
        true => {
            " \u{25b2} and \u{25bc}: bins outside the simultaneous 95% null band, which contains all bins of a calibrated model \
             in 95% of samples."
        }
        false => "",
    };
    let band = if chart.band_words.is_empty() { String::new() } else { format!(" {}", chart.band_words) };
    format!(
        "{} rows. Points: mean {} and {} of each bin, with pointwise 95% Wilson intervals; area ∝ √n. Below: distribution of \
         the {} ({} up, {} down{heights}).{band}{marked}{weighted}",
        number::count(chart.n),
        chart.score_name,
        chart.target_name,
        chart.score_name,
        chart.events_name,
        chart.others_name,
    )
}

fn is_weighted(chart: &ReliabilityChart) -> bool {
    let mut bins = chart.series.iter().flat_map(|series| &series.bins);
    bins.any(|bin| bin.weight.is_some())
}

/// The bins as a table; without any, the curves.
pub(super) fn table(chart: &ReliabilityChart) -> TextTable {
    if chart.series.iter().all(|series| series.bins.is_empty()) {
        return table_of_curves(chart);
    }
    let two = chart.series.len() > 1;
    let target = format!("#{}", chart.target_name);
    let score = format!("#mean {}", chart.score_name);
    let mut titles = vec!["bin", "#rows", &score, &target, "#error", "#95% CI"];
    let weighted = is_weighted(chart);
    if weighted {
        titles.insert(2, "#Σ w");
    }
    if two {
        titles.insert(0, "series");
    }
    titles.push("simultaneous 95% null band");
    let undrawn = chart.filled_bins().any(|bin| chart.undrawn(bin).is_some());
    titles.extend(undrawn.then_some("outside the axes"));
    let mut table = TextTable::new(&titles);
    for series in &chart.series {
        let places = series.places();
        for bin in series.bins.iter().filter(|bin| bin.n > 0) {
            let mut row = vec![
                number::bin(bin.low, bin.high, places),
                number::count(bin.n.into()),
                number::percent(bin.score),
                number::percent(bin.target),
                number::points(bin.gap),
                number::percent_interval(bin.wilson_low, bin.wilson_high),
            ];
            if weighted {
                row.insert(2, bin.weight.map_or_else(String::new, number::significant));
            }
            if two {
                row.insert(0, series.name.clone());
            }
            let place = match (bin.inside_band, bin.gap > 0.0) {
                (true, _) => "inside",
                (false, true) => "▲ outside",
                (false, false) => "▼ outside",
            };
            row.push(place.to_string());
            row.extend(undrawn.then(|| {
                let what = match chart.undrawn(bin) {
                    Some(Undrawn::Point) => "point",
                    Some(Undrawn::Interval) => "end of interval",
                    None => "",
                };
                what.to_owned()
            }));
            table.rows.push(row);
        }
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bin(n: u32, score: f64, target: f64, inside_band: bool) -> BinMark {
        let (low, high) = (score - 0.03, score + 0.03);
        let (wilson_low, wilson_high) = (target - 0.01, target + 0.01);
        let (events, gap) = ((f64::from(n) * target).round() as u32, score - target);
        BinMark { low, high, n, events, weight: None, score, target, gap, wilson_low, wilson_high, inside_band }
    }

    fn chart(bins: &[BinMark]) -> ReliabilityChart {
        ReliabilityChart {
            series: vec![ReliabilitySeries { name: String::new(), bins: bins.to_vec(), curve: vec![], band: vec![] }],
            consistency: Vec::new(),
            pointwise: Vec::new(),
            histogram: super::super::Histogram { edges: vec![0.0, 0.7], events: vec![471], others: vec![5525] },
            axes: (0.0, 0.7),
            logit: false,
            beyond: Beyond { rows: 4, events: 4 },
            score_name: "predicted probability".into(),
            target_name: "observed proportion".into(),
            events_name: "events".into(),
            others_name: "non-events".into(),
            curve_name: String::new(),
            band_words: String::new(),
            n: 6000,
            square_root_heights: true,
            title: String::new(),
            caption: String::new(),
            small: false,
        }
    }

    #[test]
    fn the_error_of_one_row_is_not_the_largest() {
        let few = bin(1, 0.9, 0.0, true);
        let many = bin(60, 0.3, 0.25, true);
        let said = |bins: &[BinMark]| {
            let n = bins.iter().map(|bin| u64::from(bin.n)).sum();
            alt(&ReliabilityChart { n, ..chart(bins) })
        };
        let of_all = said(&[many, few]);
        assert!(
            of_all.contains("the largest error of a bin with at least 20 rows is in bin 0.27–0.33 with 60"),
            "{of_all}"
        );
        assert!(said(&[many]).contains("the largest error is in bin 0.27–0.33 with 60 rows"));
        assert!(said(&[many]).contains(" 0 of 1 bin is outside "), "{}", said(&[many]));
        // other bins are withheld: the largest error may be one of theirs
        let shown = alt(&chart(&[many]));
        assert!(
            shown.contains(" 0 of 1 bin shown is outside ") && shown.contains("the largest error shown is in"),
            "{shown}"
        );
        // beyond chance, also of few rows
        let beyond = said(&[many, few, bin(8, 0.8, 0.0, false)]);
        assert!(beyond.contains("the largest error of a bin outside the band is in bin 0.77–0.83 with 8"), "{beyond}");
        // an error that is consistent with chance may be larger
        let beyond = said(&[bin(60, 0.3, 0.1, true), bin(4000, 0.05, 0.04, false)]);
        let outside = " 1 of 2 bins is outside the simultaneous 95% null band; the largest error of a bin outside the band is in \
                       bin 0.02–0.08 with 4,000 rows, overestimated by ";
        assert!(beyond.contains(outside), "{beyond}");
        let none = said(&[few]);
        assert!(none.contains("every bin has fewer than 20 rows") && !none.contains("overestimated"), "{none}");
    }

    #[test]
    fn neighboring_bins_are_distinguished() {
        let ends = |low, high| BinMark { low, high, ..bin(60, 0.5 * (low + high), 0.5, true) };
        let table = table(&chart(&[ends(0.5, 0.999), ends(0.999, 0.9998), ends(0.9998, 1.0)]));
        let names: Vec<&str> = table.rows.iter().filter_map(|row| row.first()).map(String::as_str).collect();
        assert_eq!(names, ["0.5000–0.9990", "0.9990–0.9998", "0.9998–1.0000"]);
    }

    #[test]
    fn proportions_of_zero_and_one_are_at_the_ends_of_logit_axes() {
        let none = BinMark { wilson_low: 0.0, ..bin(60, 0.03, 0.0, true) };
        let shown = ReliabilityChart {
            axes: (0.01, 0.5),
            logit: true,
            beyond: Beyond::default(),
            ..chart(&[none, bin(60, 0.3, 0.25, true)])
        };
        let said = " Logit axes; the point of 1 bin in which all outcomes are the same is at an end.";
        assert!(caption(&shown).ends_with(said) && alt(&shown).ends_with(said), "{}", caption(&shown));
        // as no value is left out, the table has no column of those that are
        assert_eq!(
            table(&shown).columns.len(),
            table(&ReliabilityChart { logit: false, axes: (0.0, 0.7), ..shown.clone() }).columns.len()
        );
        let drawn = super::super::reliability(&shown, 400.0);
        let panel = &drawn.panels[1];
        let points = panel.marks.iter().find_map(|mark| match mark {
            crate::figure::Mark::Points { points } => Some(points),
            _ => None,
        });
        let heights: Vec<f64> = points.unwrap().iter().map(|point| panel.place(point.x, point.y).1).collect();
        assert!((heights[0] - panel.rect.bottom()).abs() < 1e-9, "{heights:?}");
        // log-odds of 1/3 between those of 1/99 and 1
        let share = (99.0_f64 / 3.0).ln() / 99.0_f64.ln();
        assert!((panel.rect.bottom() - heights[1] - share * panel.rect.height).abs() < 1e-9, "{heights:?}");
        let labels: Vec<&str> = panel.y.ticks.iter().map(|tick| tick.label.as_str()).collect();
        assert_eq!(labels, ["0.01", "0.02", "0.05", "0.1", "0.2", "0.5"]);
        // longer numbers leave the title its room
        let small = ReliabilityChart { axes: (0.0001, 0.05), ..shown.clone() };
        let panel = &super::super::reliability(&small, 400.0).panels[1];
        assert!(panel.rect.x >= panel.y.numbers() + super::super::strip::BESIDE, "{:?}", panel.rect);
        // the straight line from (0.1, 0.1) to (0.3, 0.2) is one in probabilities
        let line = shown.line([(0.1, 0.1), (0.3, 0.2)].into_iter());
        assert!(line.len() > 10 && line.iter().all(|(x, y)| (y - 0.05 - 0.5 * x).abs() < 1e-12), "{line:?}");
        assert_eq!(chart(&[]).line([(0.1, 0.1), (0.3, 0.2)].into_iter()), [(0.1, 0.1), (0.3, 0.2)]);
    }

    #[test]
    fn what_is_outside_the_axes_is_counted() {
        let wide = BinMark { wilson_high: 0.9, ..bin(9, 0.4, 0.5, true) };
        let shown = chart(&[bin(60, 0.3, 0.25, true), bin(3, 0.68, 1.0, true), wide, bin(4, 0.8, 1.0, true)]);
        let outside = " 4 rows with scores outside the axes are not drawn (all events). The point of 1 bin (3 rows) is above or \
                       below the axes. The interval of 1 bin (9 rows) extends beyond the axes.";
        let named = ReliabilityChart { caption: "6,000 rows.".to_owned(), ..shown.clone() };
        for said in [caption(&shown), alt(&shown), caption(&named)] {
            assert!(said.ends_with(outside), "{said}");
        }
        let one_event = Beyond { rows: 9, events: 1 }.words("events", "non-events").unwrap_or_default();
        assert!(one_event.ends_with("(1 event, 8 non-events)."), "{one_event}");
        let table = table(&shown);
        let last: Vec<&str> = table.rows.iter().filter_map(|row| row.last()).map(String::as_str).collect();
        assert_eq!(last, ["", "point", "end of interval", "point"]);
        let inside = super::table(&chart(&[bin(60, 0.3, 0.25, true)]));
        assert_eq!(inside.columns.len() + 1, table.columns.len());
        let written = format!("{:?}", super::super::reliability(&shown, 400.0).panels);
        assert!(written.contains("events: 475") && written.contains("non-events: 5,525"), "{written}");
    }
}
