//! Level bars in groups: a name, and one bar for each of a few quantities.

use serde::{Deserialize, Serialize};

use super::figure::{Anchor, Axis, Bar, Figure, Mark, Panel, Rect, Text};
use super::key::{self, Entry, Sign};
use super::palette::Ink;
use super::row_labels::distinct;
use super::scale::Scale;
use super::table::TextTable;
use super::text;
use crate::words::number;

/// Thickness of a bar in pixels.
const BAR: f64 = 15.0;
/// Room between groups.
const GAP: f64 = 11.0;
/// Names take at most this part of the width, or what a name of a few words needs if the bars keep some room.
const NAMES: f64 = 0.42;
const WORDS: f64 = 160.0;
const LEAST: f64 = 72.0;
/// Room for a number behind a bar.
const NUMBER: f64 = 52.0;

/// Sizes that start at zero.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct BarChart {
    /// what the bars of a group are, from top to bottom, each with its color
    pub series: Vec<(String, Ink)>,
    /// name of each group and its values in the order of `series`; `None` leaves a bar out
    pub groups: Vec<(String, Vec<Option<f64>>)>,
    /// what is measured, in words with its unit
    pub value_name: String,
    /// the finding, in one line; may be empty
    pub title: String,
    /// the method
    pub caption: String,
}

/// The chart as a figure of `width` CSS pixels, at least 280.
pub fn bars(chart: &BarChart, width: f64) -> Figure {
    let width = width.max(280.0);
    let entries: Vec<Entry> =
        chart.series.iter().map(|(name, ink)| Entry::new(Sign::Patch(*ink), name.clone())).collect();
    let (key, top) = if entries.len() > 1 { key::key(&entries, 8.0, 4.0, width - 16.0) } else { (Vec::new(), 0.0) };
    let names = chart.groups.iter().map(|(name, _)| text::width(name, text::BODY));
    let most = (NAMES * width).max(WORDS.min(width - NUMBER - LEAST));
    let left = (names.fold(0.0, f64::max) + 16.0).min(most).ceil();
    let row = BAR * chart.series.len().max(1) as f64 + GAP;
    let rows = chart.groups.len().max(1) as f64;
    let rect = Rect::new(left, top + 8.0, width - left - NUMBER, row * rows);
    let values = chart.groups.iter().flat_map(|(_, values)| values.iter().flatten());
    let most = values.copied().filter(|v| v.is_finite()).fold(0.0, f64::max);
    let x = Scale::linear(0.0, if most > 0.0 { 1.04 * most } else { 1.0 });
    let y = Scale::linear(row * rows, 0.0);
    let (mut drawn, mut words) = (Vec::new(), Vec::new());
    let mut labels = Vec::new();
    let names: Vec<&str> = chart.groups.iter().map(|(name, _)| name.as_str()).collect();
    let written = distinct(&names, text::BODY, left - 14.0);
    for (g, ((name, values), written)) in chart.groups.iter().zip(written).enumerate() {
        let middle = row * (g as f64 + 0.5);
        let mut label = Text::new(left - 10.0, rect.y + middle, written).ink(Ink::Ink).anchor(Anchor::End);
        label.size = text::BODY;
        labels.push(Mark::Text(label));
        for (k, ((series, ink), value)) in chart.series.iter().zip(values).enumerate() {
            let Some(value) = value.filter(|v| v.is_finite()) else {
                continue;
            };
            let at = row * g as f64 + GAP / 2.0 + BAR * k as f64;
            let said = number::significant(value);
            drawn.push(Bar {
                x0: 0.0,
                x1: value,
                y0: at + 1.0,
                y1: at + BAR - 1.0,
                ink: *ink,
                opacity: 1.0,
                index: (g * chart.series.len() + k) as u32,
                hover: vec![format!("{name}, {series}"), format!("{}: {said}", chart.value_name)],
            });
            words.push(Mark::Text(Text::new(value, at + BAR / 2.0, said).shifted(5.0, 0.0)));
        }
    }
    let mut marks = vec![Mark::Bars { bars: drawn }];
    marks.extend(words);
    let height = rect.bottom() + 44.0;
    let ticks = x.ticks_across(rect.width);
    labels.extend(key);
    Figure {
        width,
        height,
        title: chart.title.clone(),
        caption: chart.caption.clone(),
        alt: alt(chart),
        panels: vec![
            Panel::overlay(width, height, labels),
            Panel { rect, x: Axis::titled(x, chart.value_name.clone(), ticks), y: Axis::bare(y), marks },
        ],
        table: table(chart),
    }
    .with_whole_titles()
}

fn value_text(value: &Option<f64>) -> String {
    value.map_or_else(|| "–".to_owned(), number::significant)
}

fn alt(chart: &BarChart) -> String {
    let group = |(name, values): &(String, Vec<Option<f64>>)| {
        let each = chart.series.iter().zip(values);
        let each: Vec<String> = each.map(|((series, _), v)| format!("{series} {}", value_text(v))).collect();
        format!("{name}: {}", each.join(", "))
    };
    let groups: Vec<String> = chart.groups.iter().take(6).map(group).collect();
    format!("{}. {}.", chart.value_name, groups.join("; "))
}

fn table(chart: &BarChart) -> TextTable {
    let titles: Vec<String> = chart.series.iter().map(|(name, _)| format!("#{name}")).collect();
    let titles: Vec<&str> = std::iter::once("").chain(titles.iter().map(String::as_str)).collect();
    let mut table = TextTable::new(&titles);
    table.rows = chart
        .groups
        .iter()
        .map(|(name, values)| {
            let mut row = vec![name.clone()];
            row.extend((0..chart.series.len()).map(|k| value_text(values.get(k).unwrap_or(&None))));
            row
        })
        .collect();
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_have_their_numbers_beside_them_and_in_a_table() {
        let chart = BarChart {
            series: vec![("alone".into(), Ink::Before), ("repaired".into(), Ink::After)],
            groups: vec![("platt".into(), vec![Some(4.2), Some(1.25)]), ("beta".into(), vec![Some(3.0), None])],
            value_name: "PIECE, pp".into(),
            ..BarChart::default()
        };
        let figure = bars(&chart, 400.0);
        assert_eq!(figure.table.to_text(), "       alone  repaired\nplatt   4.20      1.25\nbeta    3.00         –\n");
        assert_eq!(figure.alt, "PIECE, pp. platt: alone 4.20, repaired 1.25; beta: alone 3.00, repaired –.");
        let count = |figure: &Figure| match &figure.panels[1].marks[0] {
            Mark::Bars { bars } => bars.len(),
            _ => 0,
        };
        assert_eq!(count(&figure), 3);
        assert_eq!(count(&bars(&BarChart::default(), 0.0)), 0);
    }

    #[test]
    fn names_of_two_words_are_whole_on_a_phone() {
        let names = ["Temperature", "Original predictions", "Histogram binning"];
        let chart = BarChart {
            series: vec![("RMSE".into(), Ink::Before)],
            groups: names.map(|name| (name.to_owned(), vec![Some(0.224)])).to_vec(),
            value_name: "RMSE to the true probability".into(),
            ..BarChart::default()
        };
        for width in [280.0, 288.0, 320.0] {
            let figure = bars(&chart, width);
            let words = figure.panels[0].marks.iter().filter_map(|mark| match mark {
                Mark::Text(words) => Some(words.text.as_str()),
                _ => None,
            });
            assert_eq!(words.collect::<Vec<_>>(), names, "at {width}");
            assert!(figure.panels[1].rect.width >= LEAST, "at {width}");
            assert_eq!(crate::collisions::collisions(&figure), Vec::<String>::new(), "at {width}");
        }
    }

    #[test]
    fn names_that_differ_at_their_end_remain_distinct() {
        let group = |k: u32| (format!("Proximity-stratified isotonic regression, {k} bins"), vec![Some(1.0)]);
        let chart = BarChart {
            series: vec![("ECE".into(), Ink::Before)],
            groups: vec![group(10), group(20)],
            ..BarChart::default()
        };
        let figure = bars(&chart, 320.0);
        let label =
            |k: usize| if let Mark::Text(words) = &figure.panels[0].marks[k] { words.text.as_str() } else { "" };
        assert_ne!(label(0), label(1));
    }
}
