//! The witness in words: who has the largest bias, and how sure that is.

use super::input::{WitnessInput, chance};
use super::request::FORMS;
use crate::analysis::entry::{Described, number_field};
use crate::analysis::region::{UNTOLD, differences, headline};
use crate::analysis::witness::WitnessRequest;
use crate::data::{Predictions, View};
use crate::feature::FeatureChoice;
use crate::hypothesis::witness::{LocalBias, WitnessForm};
use crate::local::{Anywhere, MIN_NEIGHBORS};
use crate::num::order;
use crate::num::order::ascending;
use crate::plot::chart::Chart;
use crate::plot::raster::Support;
use crate::report::disclosure::{Basis, Stated};
use crate::report::mapped_rows::features_field;
use crate::report::sheet::{Block, Cell, Field, FieldKind, Sheet, SheetTable, Tone};
use crate::report::verdict::{Evidence, Finding, Verdict};
use crate::report::view::Fact;
use crate::report::view::map::supported;
use crate::words::number::{count, percent, points, points_size, signed_percentage_points, significant, to_digits};
use crate::words::text::{capitalized, counted};

/// The share of rows that are described as the worst.
const WORST: f64 = 0.1;
/// And how many at least.
const LEAST_WORST: usize = 20;

/// Rows that were looked at, in the order of the file, with their bias.
pub(super) struct WitnessRows {
    pub rows: Vec<u32>,
    pub bias: LocalBias,
    pub support: Vec<u8>,
    /// place of each among the rows of the input
    order: Vec<u32>,
}

/// Rows that are off to one side.
struct Side {
    who: String,
    n: usize,
    lcb: f64,
    score: f64,
    observed: f64,
}

impl Side {
    fn basis(&self) -> Basis {
        Basis::share(self.n, (self.observed * self.n as f64).round() as usize)
    }
}

impl WitnessRows {
    pub(super) fn new(input: &WitnessInput, bias: &LocalBias) -> Self {
        let looked: Vec<f64> = input.rows[..input.queried].iter().map(|&row| f64::from(row)).collect();
        let order = ascending(&looked);
        let along = |values: &[f64]| -> Vec<f64> { order.iter().map(|&i| values[i as usize]).collect() };
        let bias = LocalBias {
            lcb: along(&bias.lcb),
            mass: along(&bias.mass),
            n_eff: along(&bias.n_eff),
            se: along(&bias.se),
        };
        let support =
            (0..bias.lcb.len()).map(|i| supported(bias.n_eff[i], bias.mass[i], bias.lcb[i], bias.se[i])).collect();
        Self { rows: order.iter().map(|&i| input.rows[i as usize]).collect(), bias, support, order }
    }

    /// A column of the input in the order of the file.
    pub(super) fn in_order<T: Copy>(&self, column: &[T]) -> Vec<T> {
        self.order.iter().map(|&i| column[i as usize]).collect()
    }

    pub(super) fn mean_size(&self) -> f64 {
        let known = self.bias.lcb.iter().filter(|v| v.is_finite());
        let (sum, n) = known.fold((0.0, 0.0), |(sum, n), v| (sum + v.abs(), n + 1.0));
        sum / n
    }

    pub(super) fn largest(&self) -> Option<f64> {
        let known = self.bias.lcb.iter().zip(&self.support);
        known.filter(|(_, s)| **s > Support::Few as u8).map(|(v, _)| v.abs()).reduce(f64::max)
    }

    fn count_of(&self, least: fn(u8) -> bool) -> usize {
        self.support.iter().filter(|&&s| least(s)).count()
    }

    /// The tenth of the rows whose bias is furthest to one side, beyond chance.
    fn side(&self, data: &Predictions, input: &WitnessInput, sign: f64) -> Option<Side> {
        let mut far: Vec<usize> = (0..self.rows.len())
            .filter(|&i| self.support[i] == Support::Enough as u8 && sign * self.bias.lcb[i] > 0.0)
            .collect();
        if far.is_empty() {
            return None;
        }
        let most = ((self.rows.len() as f64 * WORST) as usize).max(LEAST_WORST);
        let size = |i: usize| sign * self.bias.lcb[i];
        if far.len() > most {
            order::select(&mut far, most, &|&i, &j| size(j).total_cmp(&size(i)).then(i.cmp(&j)));
            far.truncate(most);
        }
        let mut inside = vec![false; self.rows.len()];
        far.iter().for_each(|&i| inside[i] = true);
        let found = differences(data, &self.rows, &inside);
        let (score, target) = (self.in_order(&input.score), self.in_order(&input.target));
        let n = far.len() as f64;
        let mean = |of: &dyn Fn(usize) -> f64| {
            let each = (0..inside.len()).filter(|&i| inside[i]).map(of);
            each.sum::<f64>() / n
        };
        Some(Side {
            who: headline(data, &self.rows, &inside, &found).what,
            n: far.len(),
            lcb: mean(&|i| self.bias.lcb[i]),
            score: mean(&|i| score[i]),
            observed: mean(&|i| f64::from(target[i])),
        })
    }
}

pub(super) fn sheet(
    data: &Predictions,
    input: &WitnessInput,
    request: &WitnessRequest,
    seen: &WitnessRows,
    chart: Chart,
    (methods, choice, draws): (&[(String, String)], &FeatureChoice, &[Anywhere]),
) -> (Sheet, Verdict) {
    let n = seen.rows.len();
    let mut sides: Vec<Side> = [1.0, -1.0].iter().filter_map(|&sign| seen.side(data, input, sign)).collect();
    // The side of the place that is furthest from chance stands first.
    let high = draws.first().is_some_and(|one| one.largest > 0.0);
    sides.sort_by_key(|side| (side.lcb < 0.0) != high);
    let enough = seen.count_of(|s| s > Support::Few as u8);
    let verdict = verdict(input, sides.first(), high, draws);
    // who they are is told by values of columns, which may be those of few
    let of_reading = match verdict.is_supported() && !sides.is_empty() {
        true => Basis::Unknown,
        false => Basis::all_of([Basis::AllRows, Basis::share(n, enough)]),
    };
    let reading = reading(&verdict, sides.first(), high, (enough, n));
    let mut blocks = vec![Block::Reading(reading).of(of_reading), facts(seen, enough)];
    if !sides.is_empty() {
        blocks.push(largest_errors(data, &verdict, &sides));
    }
    blocks.push(Block::Charts(vec![chart]).of(Basis::Unknown));
    blocks.push(definition(data, input));
    blocks.push(limits(input, &verdict, draws));
    blocks.extend(input.notes.iter().map(|words| Block::Note(words.clone()).of(Basis::Unknown)));
    let sheet = Sheet::new(fields(data, input, request, (methods, choice)), blocks);
    (sheet, verdict)
}

/// The finding; `first`: the rows in the direction of the most extreme location, `enough` of `n` rows were tested.
fn reading(verdict: &Verdict, first: Option<&Side>, high: bool, (enough, n): (usize, usize)) -> String {
    let claim = || match first.filter(|side| (side.lcb < 0.0) == high) {
        Some(worst) => format!(
            "Local error is largest in {}{}: mean local error {}. Calibration is rejected at the most extreme \
             location{}.",
            counted(worst.n, "row"),
            match worst.who.as_str() {
                UNTOLD => String::new(),
                who => format!(", mostly {who}"),
            },
            signed_percentage_points(-worst.lcb),
            verdict.adjusted_p_in_brackets()
        ),
        None => format!(
            "Calibration is rejected at the most extreme location{}, which is {}. For no single row does the pointwise 95% \
             interval exclude 0 in this direction.",
            verdict.adjusted_p_in_brackets(),
            if high { "overestimated" } else { "underestimated" }
        ),
    };
    let quiet = || {
        format!(
            "No location is significantly miscalibrated{}; {} of {} rows have enough neighbors to be tested.",
            verdict.adjusted_p_in_brackets(),
            count(enough as u64),
            count(n as u64)
        )
    };
    verdict.headline(claim, quiet)
}

/// Sizes of the local error, and numbers of rows with enough neighbors.
fn facts(seen: &WitnessRows, enough: usize) -> Stated<Block> {
    let n = seen.rows.len();
    let beyond = seen.count_of(|s| s == Support::Enough as u8);
    let fact = |name: &str, value: String| Fact { name: name.to_owned(), value };
    let share = |k: usize| format!("{} of {} ({})", count(k as u64), count(n as u64), percent(k as f64 / n as f64));
    let of_facts = [Basis::AllRows, Basis::Unknown, Basis::share(n, enough), Basis::share(n, beyond)];
    Block::Facts(vec![
        fact("mean absolute local error (|LCB|)", points_size(seen.mean_size())),
        fact("largest, with enough neighbors", seen.largest().map_or_else(|| "–".to_owned(), points_size)),
        fact(&format!("rows with {MIN_NEIGHBORS:.0} effective neighbors"), share(enough)),
        fact("rows with pointwise 95% interval excluding 0", share(beyond)),
    ])
    .of(Basis::Lines(of_facts.to_vec()))
}

/// The rows with the largest local error in each direction.
fn largest_errors(data: &Predictions, verdict: &Verdict, sides: &[Side]) -> Stated<Block> {
    let (predicted, observes) = match data.view {
        View::TopLabel => ("Confidence", "Accuracy"),
        View::Positive => ("Predicted", "Observed"),
    };
    let error = format!("{} of similar rows", capitalized(data.view.difference()));
    let mut table = SheetTable::new(
        match verdict.finding {
            Finding::Beyond => "Rows whose pointwise 95% interval excludes 0, with the largest local errors",
            Finding::Untested => {
                "Rows whose pointwise 95% interval excludes 0, with the largest local errors; not tested"
            }
            Finding::Chance => {
                "Rows whose pointwise 95% interval excludes 0, with the largest local errors; not significant"
            }
        },
        &["Direction", "Rows", "#n", predicted, observes, &error],
    );
    for column in table.columns.iter_mut().skip(3) {
        column.align = crate::plot::table::Align::End;
    }
    table.rows = sides.iter().map(line).collect();
    let lines = sides.iter().map(Side::basis).collect();
    let columns = [Basis::Unknown].into_iter().chain(std::iter::repeat_n(Basis::Setting, 4)).collect();
    Block::Table(table).of(Basis::Grid { lines, columns })
}

/// What the local error is, with its kernel.
fn definition(data: &Predictions, input: &WitnessInput) -> Stated<Block> {
    let kernel = match input.kernel.form {
        WitnessForm::Product => format!(
            "weights exp(−(Δscore/{})²) · exp(−{}·‖Δcovariates‖²)",
            significant(input.kernel.width_p),
            significant(input.kernel.gamma)
        ),
        WitnessForm::Concatenated => format!(
            "the score as one more covariate, weights exp(−{}·‖Δ‖²), so that rows with very different scores are \
             also compared",
            significant(input.kernel.gamma)
        ),
    };
    let own = if input.leave_one_out { "A row is not its own neighbor." } else { "A row is its own neighbor." };
    Block::Note(format!(
        "Local error: score minus outcome, averaged over similar rows; positive: overestimated. It is the LCB with \
         the opposite sign; {kernel}. {own} {} and {} in the table are those of the listed rows alone, the difference \
         that of all rows similar to them: where few rows are listed, the signs can differ.",
        capitalized(data.view.terms().0),
        data.view.terms().1,
    ))
    .of(Basis::Setting)
}

/// What the rows and their numbers do not show.
fn limits(input: &WitnessInput, verdict: &Verdict, draws: &[Anywhere]) -> Stated<Block> {
    let headline = match verdict.finding {
        Finding::Untested => String::new(),
        _ => format!(
            "The headline is: it compares the most extreme of {} locations with {} simulated outcome sets. ",
            count(chance(input.score.len(), input.d()).0 as u64),
            draws.iter().map(|one| one.draws).sum::<usize>()
        ),
    };
    Block::Note(format!(
            "Row-level results are not adjusted for multiple testing. {headline}The table includes, of the rows whose \
         pointwise interval excludes 0, at most one tenth of all rows ({LEAST_WORST} in small files) in each direction, selected \
         by local error, so their mean local error is overstated; rows with larger errors may have wider intervals."
        ))
        .of(Basis::AllRows)
}

/// About the side that is farthest from chance: whether any place is as far off in outcomes drawn from the scores.
fn verdict(input: &WitnessInput, first: Option<&Side>, high: bool, draws: &[Anywhere]) -> Verdict {
    let first = first.filter(|side| (side.lcb < 0.0) == high);
    let who = first.map_or("", |side| &side.who);
    let size = first.map(|side| -side.lcb);
    if let Some(why) = &input.no_test {
        return Verdict::untested(who, size, why.clone());
    }
    match Anywhere::p(draws) {
        Some(p) => Verdict::new(who, size, Evidence::P(p)),
        None => Verdict::untested(
            who,
            size,
            format!(
                "No row has {MIN_NEIGHBORS:.0} effective neighbors in covariates and score. Choose fewer \
                 covariates, a smaller γ or a larger score bandwidth"
            ),
        ),
    }
}

fn line(side: &Side) -> Vec<Cell> {
    let (word, tone) =
        if side.lcb < 0.0 { ("▲ overestimated", Tone::Over) } else { ("▼ underestimated", Tone::Under) };
    vec![
        Cell::from(word).toned(tone),
        side.who.clone().into(),
        Cell::number(count(side.n as u64), side.n as f64),
        Cell::number(percent(side.score), side.score),
        Cell::number(percent(side.observed), side.observed),
        Cell::number(points(-side.lcb), -side.lcb).toned(tone),
    ]
}

fn fields(
    data: &Predictions,
    input: &WitnessInput,
    request: &WitnessRequest,
    (methods, features): (&[(String, String)], &FeatureChoice),
) -> Vec<Field> {
    let field = WitnessRequest::field;
    let method = request.method.clone().unwrap_or_else(|| "none".to_owned());
    let form = match input.kernel.form {
        WitnessForm::Product => "product",
        WitnessForm::Concatenated => "concatenated",
    };
    let at = |axis: usize| input.names.get(axis).map_or("", String::as_str);
    vec![
        field("method", FieldKind::Choice { value: method, choices: methods.to_vec() }),
        field("features", features_field(data, features)),
        field("x", FieldKind::named(at(input.axes[0]), &input.names)),
        field("y", FieldKind::named(at(input.axes[1]), &input.names)),
        field("form", FieldKind::choice(form, FORMS.iter().copied())),
        number_field::<WitnessRequest>("width_p", input.kernel.width_p),
        number_field::<WitnessRequest>("gamma", to_digits(input.kernel.gamma, 3)),
        number_field::<WitnessRequest>("at", input.at),
        field("leave_one_out", FieldKind::Check { value: input.leave_one_out }),
    ]
}
