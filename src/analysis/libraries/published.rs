//! What published evaluation scripts of language models would print for the same answers, to the last digit, and why it differs.

use std::cell::{self, RefCell};

use super::{LibraryRow, table};
use crate::data::Predictions;
use crate::error::Result;
use crate::metric::binning::{BinOptions, Closed};
use crate::metric::ece::{ECE, ece};
use crate::metric::entry::Metric;
use crate::metric::published::{
    Blocks, Ranked, Tied, accuracy_area, platt_on_same_rows, single_precision_ece, unweighted_gap,
};
use crate::metric::reliability::reliability_table;
use crate::metric::risk_coverage::AURC;
use crate::num::rng::{Lanes, bernoulli_threshold};
use crate::report::sheet::{Cell, SheetTable};
use crate::words::number::{count, interval, significant};

/// Rows of a block of the root mean squares.
const BLOCK: usize = 100;
/// Outcomes drawn for the expected value, at most; fewer where that many rows would take long, none below [`FEWEST`].
const DRAWS: usize = 1000;
/// The smallest number of draws by which an expected value is told.
const FEWEST: usize = 100;
/// Rows drawn in all.
const DRAWN_ROWS: usize = 5_000_000;
/// Seed of the draws.
const SEED: u64 = 1;
/// Numbers whose outcomes are drawn, at most; and after how many draws of one it is told how far they are.
const NUMBERS: usize = 14;
const TOLD: u64 = 50;

/// A number of a script as a function of the outcomes.
type Of<'a> = &'a dyn Fn(&[u8]) -> Option<f64>;

/// Smaller values are rounding errors of a value of 0.
const ROUNDING: f64 = 1e-12;

/// How a script writes a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Written {
    /// every digit that is needed to read it back
    #[default]
    Digits,
    /// `100 * round(x, 2)`
    Hundredth,
    /// two decimals of 100 x
    Percent,
}

/// One row for each number that a published script prints.
///
/// * `c`: confidence of the answers, in the order of the file; `correct`: 1 where it is right
/// * `progress`: receives the share that is done
///
/// # Cost
/// One sort, and each number again for up to a thousand draws of the outcomes.
pub(super) fn published_rows(c: &[f64], correct: &[u8], progress: &mut dyn FnMut(f64)) -> Result<Vec<LibraryRow>> {
    let answers = Answers { c, correct, ranked: Ranked::new(c), draws: Draws::new(c, progress) };
    Ok([answers.blocks_of_a_hundred(), answers.inspect_evals(), answers.helm(), answers.libraries()].concat())
}

/// The answers that every script is given.
struct Answers<'a> {
    c: &'a [f64],
    correct: &'a [u8],
    ranked: Ranked,
    draws: Draws<'a>,
}

impl Answers<'_> {
    /// What a script prints: its number as a function of the outcomes, the ends of it over the orders of equal confidences,
    /// and why it differs.
    fn row(
        &self,
        (library, metric): (&'static str, &'static str),
        ours: &Metric,
        of: Of<'_>,
        range: Option<[f64; 2]>,
        written: Written,
        reason: &'static str,
    ) -> LibraryRow {
        let value = of(self.correct);
        LibraryRow {
            library,
            metric,
            value,
            ours: ours.id,
            reason,
            script: true,
            printed: value.map(|value| written.text(value)),
            written,
            // found by other sums, the ends may be a last digit within the value
            range: value.zip(range).map(|(value, [low, high])| [low.min(value), high.max(value)]),
            floor: value.and_then(|_| self.draws.floor(of)),
        }
    }

    /// 1 − AURC with the wrong, and with the right, of equal confidences first.
    fn areas(&self) -> Option<[f64; 2]> {
        let area = |tied| accuracy_area(&self.ranked.ranked_accuracy(self.correct, tied));
        Some([area(Tied::WrongFirst), area(Tied::RightFirst)])
    }

    /// HLE, the code that it took over, and a script that prints nothing.
    fn blocks_of_a_hundred(&self) -> Vec<LibraryRow> {
        let n = self.c.len();
        let omitted = |y: &[u8]| self.ranked.block_rms(y, BLOCK, Blocks::AllButLast);
        let range = self.ranked.block_rms_range(self.correct, BLOCK, Blocks::AllButLast);
        let reason = match n {
            0..100 => "It ends with an IndexError below 100 answers.",
            100..200 => {
                "Root mean square over blocks of 100 answers without the most confident block: below 200 answers \
                 nothing is left, and it prints 0."
            }
            _ => "Root mean square over blocks of 100 answers; the most confident block is left out.",
        };
        vec![
            self.row(("HLE", "calibration error"), &ECE, &omitted, range, Written::Hundredth, reason),
            self.row(
                ("natural-adv-examples", "RMS calibration error"),
                &ECE,
                &omitted,
                range,
                Written::Percent,
                reason,
            ),
            self.row(
                ("natural-adv-examples", "AURRA"),
                &AURC,
                &|y| Some(accuracy_area(&self.ranked.ranked_accuracy(y, Tied::Reversed))),
                self.areas(),
                Written::Digits,
                "Mean accuracy over ranks: 1 − AURC, except for the order of equal confidences. It measures ranking, \
                 not calibration.",
            ),
            self.row(
                ("simple-evals", "BrowseComp"),
                &ECE,
                &|_| None,
                None,
                Written::Digits,
                "It asks for a confidence and prints no calibration error.",
            ),
        ]
    }

    /// inspect-evals.
    fn inspect_evals(&self) -> Vec<LibraryRow> {
        let n = self.c.len();
        let size = BLOCK.min(n);
        let ten = BinOptions { closed: Closed::Right, ..BinOptions::equal_width(10) };

        vec![
            self.row(
                ("inspect-evals", "hle/cerr"),
                &ECE,
                &|y| self.ranked.block_rms(y, size, Blocks::All),
                self.ranked.block_rms_range(self.correct, size, Blocks::All),
                Written::Digits,
                if n < 200 {
                    "Root mean square over blocks of 100 answers; below 200 answers that is one block, |mean \
                     confidence − accuracy|. An \
                     unstated confidence counts as 100%."
                } else {
                    "Root mean square over blocks of 100 answers, the most confident one included. An unstated \
                     confidence counts as 100%."
                },
            ),
            self.row(
                ("inspect-evals", "browse_comp calibration_error"),
                &ECE,
                &|y| ece(&reliability_table(self.c, y, &ten).ok()?),
                None,
                Written::Digits,
                "10 right-closed bins. An unstated confidence counts as 100%, an unparsed grade as wrong.",
            ),
        ]
    }

    /// HELM.
    fn helm(&self) -> Vec<LibraryRow> {
        let n = self.c.len();
        let edges = self.ranked.equal_mass_edges(10);
        let after_platt = |y: &[u8], bins: usize| {
            // HELM gives 0 where all answers are right or all are wrong
            if y.iter().all(|right| Some(right) == y.first()) {
                return Some(0.0);
            }
            let fitted = Ranked::new(&platt_on_same_rows(self.c, y)?);
            let edges = if bins == 1 { vec![1.0] } else { fitted.equal_mass_edges(bins) };
            Some(fitted.ece(y, &edges))
        };
        let tenth = |y: &[u8], tied| self.ranked.ranked_accuracy(y, tied).get(n / 10).copied();

        vec![
            self.row(
                ("HELM", "ece_10_bin"),
                &ECE,
                &|y| Some(self.ranked.ece(y, &edges)),
                None,
                Written::Digits,
                "10 bins of equal mass; equal confidences stay together.",
            ),
            self.row(
                ("HELM", "ece_1_bin"),
                &ECE,
                &|y| Some(self.ranked.ece(y, &[1.0])),
                None,
                Written::Digits,
                "One bin: only |mean confidence − accuracy|.",
            ),
            self.row(
                ("HELM", "platt_ece_10_bin"),
                &ECE,
                &|y| after_platt(y, 10),
                None,
                Written::Digits,
                "The error that is left after Platt scaling, fitted to the same answers. HELM’s optimizer stops \
                 before the optimum: of four logs, its coefficients differ by 6e-5 to 5e-4, and its value by up to 2e-5.",
            ),
            self.row(
                ("HELM", "platt_ece_1_bin"),
                &ECE,
                &|y| after_platt(y, 1),
                None,
                Written::Digits,
                "0 by construction: Platt scaling matches the mean of the answers to which it is fitted. HELM prints \
                 what its optimizer leaves, 1e-6 to 1e-4.",
            ),
            self.row(
                ("HELM", "selective_cov_acc_area"),
                &AURC,
                &|y| Some(accuracy_area(&self.ranked.ranked_accuracy(y, Tied::AsInFile))),
                self.areas(),
                Written::Digits,
                "Mean accuracy over coverage: 1 − AURC, except for the order of equal confidences. It measures \
                 ranking, not calibration.",
            ),
            self.row(
                ("HELM", "selective_acc@10"),
                &AURC,
                &|y| tenth(y, Tied::AsInFile),
                tenth(self.correct, Tied::WrongFirst)
                    .zip(tenth(self.correct, Tied::RightFirst))
                    .map(|(low, high)| [low, high]),
                Written::Digits,
                "Accuracy of the most confident tenth, and one answer more.",
            ),
        ]
    }

    /// Libraries that take confidences with correctness.
    fn libraries(&self) -> Vec<LibraryRow> {
        vec![
            self.row(
                ("scikit-learn", "calibration_curve, mean gap"),
                &ECE,
                &|y| unweighted_gap(self.c, y, 5),
                None,
                Written::Digits,
                "It has no ECE; the mean over the points of its curve gives each of 5 bins the same weight, whatever \
                 its number of \
                 answers.",
            ),
            self.row(
                ("netcal", "ECE(15)"),
                &ECE,
                &|y| ece(&table(self.c, y, linspace(15), Closed::Left).ok()?),
                None,
                Written::Digits,
                "Left-closed bins whose edges are rounded: 0.6 is below the edge 0.6000000000000001.",
            ),
            self.row(
                ("torchmetrics", "CalibrationError(l1), float32"),
                &ECE,
                &|y| Some(single_precision_ece(self.c, y, 15)),
                None,
                Written::Digits,
                "Left-closed bins in single precision, and a hidden 16th bin for confidences of exactly 1.",
            ),
        ]
    }
}

/// Edges as numpy's linspace rounds them.
fn linspace(bins: usize) -> Vec<f64> {
    let step = 1.0 / bins as f64;
    (0..=bins).map(|i| if i == bins { 1.0 } else { i as f64 * step }).collect()
}

/// Outcomes that are drawn as if the confidences were true.
struct Draws<'a> {
    thresholds: Vec<i32>,
    rows: &'a [f64],
    count: usize,
    /// numbers that were drawn, and who is told of it
    numbers: cell::Cell<usize>,
    progress: RefCell<&'a mut dyn FnMut(f64)>,
}

/// Times that the outcomes of `n` rows are drawn for a number; 0: too rarely for an expected value.
pub(super) fn draws(n: usize) -> usize {
    let count = DRAWS.min(DRAWN_ROWS / n.max(1));
    if count < FEWEST { 0 } else { count }
}

impl<'a> Draws<'a> {
    fn new(c: &'a [f64], progress: &'a mut dyn FnMut(f64)) -> Self {
        let thresholds = c.iter().map(|c| bernoulli_threshold(*c)).collect();
        Self {
            thresholds,
            rows: c,
            count: draws(c.len()),
            numbers: cell::Cell::new(0),
            progress: RefCell::new(progress),
        }
    }

    /// Mean and 95th percentile of a number over the draws.
    fn floor(&self, of: Of<'_>) -> Option<[f64; 2]> {
        if self.count == 0 {
            return None;
        }
        let before = self.numbers.replace(self.numbers.get() + 1) as f64;
        let mut drawn = vec![0_u8; self.rows.len()];
        let mut values: Vec<f64> = (0..self.count as u64)
            .filter_map(|draw| {
                if draw % TOLD == 0 {
                    (self.progress.borrow_mut())((before + draw as f64 / self.count as f64) / NUMBERS as f64);
                }
                Lanes::seeded(SEED, draw).fill_bernoulli(&self.thresholds, &mut drawn);
                of(&drawn)
            })
            .collect();
        values.sort_by(f64::total_cmp);
        let high = crate::num::quantile::quantile_sorted(&values, 0.95)?;
        Some([values.iter().sum::<f64>() / values.len() as f64, high])
    }
}

impl Written {
    /// In the unit of what is printed, as it is to be read: "7.0 to 36.0".
    fn range(self, [low, high]: [f64; 2]) -> String {
        match self {
            Self::Digits => interval(low, high),
            // 100 · 0.07 is 7.000000000000001
            Self::Hundredth => format!("{:.1} to {:.1}", 100.0 * hundredth(low), 100.0 * hundredth(high)),
            Self::Percent => format!("{:.2} to {:.2}", 100.0 * low, 100.0 * high),
        }
    }

    /// In the unit of what is printed.
    fn scaled(self, value: f64) -> f64 {
        let value = if value.abs() < ROUNDING { 0.0 } else { value };
        match self {
            Self::Digits => value,
            Self::Hundredth | Self::Percent => 100.0 * value,
        }
    }

    fn text(self, value: f64) -> String {
        match self {
            Self::Digits => digits(value),
            Self::Hundredth => digits(100.0 * hundredth(value)),
            Self::Percent => format!("{:.2}", 100.0 * value),
        }
    }
}

/// As Python's round: to the nearest of the two decimals of the binary value.
fn hundredth(value: f64) -> f64 {
    format!("{value:.2}").parse::<f64>().unwrap_or(f64::NAN)
}

/// A number as Python writes it.
fn digits(value: f64) -> String {
    if value != 0.0 && value.abs() < 1e-4 {
        let text = format!("{value:e}");
        return match text.split_once("e-") {
            Some((digits, exponent)) => format!("{digits}e-{exponent:0>2}"),
            None => text,
        };
    }
    format!("{value:?}")
}

/// The rows as a table: what is printed, what the order of equal confidences may change, what calibrated answers would give.
pub(super) fn published_table(rows: &[&LibraryRow]) -> SheetTable {
    let mut table = SheetTable::new(
        "Values of published evaluation scripts, same answers",
        &["Script", "Metric", "#Prints", "#Any order of ties", "#Expected if calibrated", "Reason for the difference"],
    );
    let definitions = [
        (
            2,
            "To the last digit, with equal confidences in the order of the file. HLE and the RMS calibration error of \
             natural-adv-examples are printed in percent, and so are the two columns beside them.",
        ),
        (
            3,
            "Smallest and largest value over all orders of equal confidences. The scripts sort by numpy.argsort, \
             whose order of \
             equal values depends on the processor.",
        ),
        (4, "Mean, and beneath it the 95th percentile, over outcomes drawn with the stated confidences."),
    ];
    for (place, text) in definitions {
        if let Some(column) = table.columns.get_mut(place) {
            text.clone_into(&mut column.definition);
        }
    }
    for row in rows {
        let printed = row.printed.as_deref().zip(row.value);
        table.rows.push(vec![
            row.library.into(),
            row.metric.into(),
            printed.map_or_else(|| Cell::from("–"), |(text, value)| Cell::number(text, value)),
            // equal ends, but for rounding: no tie is divided
            row.range.filter(|[low, high]| high - low > ROUNDING).map_or_else(
                || Cell::from("–"),
                |[low, high]| Cell::number(row.written.range([low, high]), row.written.scaled(high - low)),
            ),
            row.floor.map(|ends| ends.map(|end| row.written.scaled(end))).map_or_else(
                || Cell::from("–"),
                |[mean, high]| {
                    Cell::number(significant(mean), mean).with_beneath(format!("≤ {} in 95%", significant(high)))
                },
            ),
            row.reason.into(),
        ]);
    }
    table
}

/// Who is in these numbers, and who in the published ones.
pub(super) fn who_counts(data: &Predictions, n: usize) -> String {
    let excluded = match data.dropped {
        0 => String::new(),
        1 => " 1 row of the file is not among them; how it counts is chosen under Data.".to_owned(),
        dropped => format!(
            " {} rows of the file are not among them; how they count is chosen under Data.",
            count(dropped as u64)
        ),
    };
    format!(
        "All values are of the same {} answers with a confidence and a judgment.{excluded} Published figures differ \
         in this, too: \
         HLE leaves out answers that were not judged here and counts them as wrong in its accuracy; inspect-evals counts an \
         unstated confidence as 100%, and for BrowseComp an unparsed grade as wrong; HELM counts an exact match of less than 1 as \
         wrong. Where equal confidences are divided, a published figure depends on how the sorting routine orders them.",
        count(n as u64)
    )
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn the_share_that_is_done_rises_to_one() {
        let c: Vec<f64> = (0..300).map(|i| 0.5 + f64::from(i % 50) / 100.0).collect();
        let correct: Vec<u8> = (0..300).map(|i| u8::from(i % 3 > 0)).collect();
        let mut told = Vec::new();
        published_rows(&c, &correct, &mut |share| told.push(share)).unwrap();
        assert!(told.is_sorted(), "{told:?}");
        assert!(told.len() > NUMBERS && told.last().is_some_and(|share| (0.9..=1.0).contains(share)), "{told:?}");
    }

    #[test]
    fn a_line_has_one_unit() {
        let row = |written: Written, value: f64, range: [f64; 2], floor: [f64; 2]| LibraryRow {
            library: "HLE",
            metric: "calibration error",
            value: Some(value),
            ours: ECE.id,
            reason: "",
            script: true,
            printed: Some(written.text(value)),
            written,
            range: Some(range),
            floor: Some(floor),
        };
        let rows = [
            row(Written::Hundredth, 0.0891, [0.0663, 0.356], [0.0363, 0.0488]),
            row(Written::Percent, 0.0891, [0.0663, 0.356], [0.0363, 0.0488]),
            row(Written::Digits, 0.5, [0.25, 0.75], [6.67e-17, 3.33e-16]),
        ];
        let table = published_table(&rows.iter().collect::<Vec<_>>());
        let texts: Vec<[&str; 4]> = (table.rows.iter())
            .map(|cells| [&cells[2].text, &cells[3].text, &cells[4].text, &cells[4].beneath].map(String::as_str))
            .collect();
        assert_eq!(texts[0], ["9.0", "7.0 to 36.0", "3.63", "≤ 4.88 in 95%"]);
        assert_eq!(texts[1], ["8.91", "6.63 to 35.60", "3.63", "≤ 4.88 in 95%"]);
        assert_eq!(texts[2], ["0.5", "0.250 to 0.750", "0", "≤ 0 in 95%"]);
    }
}
