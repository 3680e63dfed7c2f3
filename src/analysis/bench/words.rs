//! The sheet of an open file: how often each test rejects, as sentence, charts and table.

use super::p_values::{CHUNK, DRAWN, MAP_REDRAWS, WITNESS_DRAWS, draws_at};
use super::tests_of::BenchTest;
use super::{BenchOutcome, BenchRate, BenchRequest, BenchSetting, Effect, Level, Study, noticed_from};
use crate::analysis::entry::{Described, fields};
use crate::data::Predictions;
use crate::data::grouping::{QUANTILES, group_columns, grouping};
use crate::evaluation::method::title;
use crate::hypothesis::SHUFFLES;
use crate::plot::chart::{Chart, ChartWidth};
use crate::plot::curves::{Curve, CurveChart};
use crate::plot::figure::Dash;
use crate::plot::intervals::{Counted, IntervalChart, IntervalRow};
use crate::plot::palette::Ink;
use crate::report::RunOutcome;
use crate::report::disclosure::Basis;
use crate::report::sheet::{Block, Cell, Field, FieldKind, Sheet, SheetTable, Tone};
use crate::report::verdict::Verdict;
use crate::words::number::{count, percent, percentage_points, plain, points, points_size};
use crate::words::text::{capitalized, counted, enumerated};

/// Power that is called enough.
const DETECTED: f64 = 0.8;
/// Values of a column that a form offers.
const OFFERED: usize = 100;
/// Of each of two charts side by side.
pub(super) const ROOM: ChartWidth = ChartWidth::Half;

/// Nothing is tested about the file's own outcomes.
pub(super) fn verdict() -> Verdict {
    Verdict::untested("", None, "Outcomes are simulated here; those of the file are not used")
}

pub(super) fn sheet(data: &Predictions, run: &RunOutcome, request: &BenchRequest, outcome: &BenchOutcome) -> Sheet {
    // outcomes are drawn from the scores of all rows; a bias of some, which may be few, shows in every number
    let of = match outcome.effect {
        Effect::Null | Effect::Shift => Basis::AllRows,
        Effect::Group | Effect::Region => Basis::Unknown,
    };
    let mut blocks = vec![Block::Reading(headline(outcome)).of(of.clone())];
    blocks.push(Block::Charts(charts(outcome)).of(of.clone()));
    blocks.push(Block::Table(table(outcome)).of(of.clone()));
    blocks.extend(faults(outcome).map(|words| Block::Note(words).of(of.clone())));
    if !outcome.recalibrations.is_empty() {
        blocks.push(Block::Heading("Bias removed by recalibration".to_owned()).of(Basis::Setting));
        blocks.push(Block::Table(recalibrations(outcome)).of(of.clone()));
        let how = "Each method is fitted on half of the rows of a simulated data set and compared with the known truth on \
             the other half. Means over data sets with 95% CI (t); changes of RMSE are paired by data set.";
        blocks.push(Block::Note(how.to_owned()).of(Basis::Setting));
    }
    blocks.push(Block::Note(how(outcome)).of(of.clone()));
    blocks.push(Block::Note(draws(outcome)).of(Basis::Setting));
    blocks.extend(left_out(outcome).map(|words| Block::Note(words).of(Basis::Unknown)));
    blocks.push(Block::Download { name: "bench.csv".to_owned(), text: csv(outcome) }.of(of));
    Sheet::new(form(data, run, request, outcome), blocks)
}

/// The form, with the choices that depend on others.
pub(super) fn form(data: &Predictions, run: &RunOutcome, request: &BenchRequest, outcome: &BenchOutcome) -> Vec<Field> {
    let mut form = fields(data, run, request);
    let wanted: &[&str] = match (request.study, request.effect) {
        (Study::OpenFile, Effect::Null) => &["size", "column", "feature", "from", "below", "repairs"],
        (Study::OpenFile, Effect::Shift) => &["column", "feature", "from", "below"],
        (Study::OpenFile, Effect::Group) => &["feature", "from", "below"],
        (Study::OpenFile, Effect::Region) => &["column"],
        _ => &["effect", "size", "column", "feature", "from", "below", "rows", "repairs", "features", "method"],
    };
    form.retain(|field| !wanted.contains(&field.option.as_ref()));
    if request.study != Study::OpenFile {
        return form;
    }
    let place =
        |form: &[Field], after: &str| form.iter().position(|field| field.option == after).map_or(0, |at| at + 1);
    if request.effect == Effect::Group {
        let column = request.column.clone().or_else(|| group_columns(data).into_iter().next());
        let names = column.and_then(|column| grouping(data, &[column], QUANTILES).ok()).map(|by| by.names);
        if let Some(names) = names.filter(|names| names.len() <= OFFERED) {
            let now = request.value.clone().unwrap_or_default();
            let mut choices = vec![(String::new(), "about one quarter of the rows".to_owned())];
            choices.extend(names.into_iter().map(|name| (name.clone(), name)));
            let at = place(&form, "column");
            form.insert(at, BenchRequest::field("value", FieldKind::Choice { value: now, choices }));
        }
    }
    let applies = |test: &BenchTest| !outcome.left_out.iter().any(|(left, _)| left == test);
    let choices =
        BenchTest::ALL.into_iter().filter(applies).map(|test| (test.id().to_owned(), test.title().to_owned()));
    let value =
        outcome.settings.first().map(|setting| setting.tests.iter().map(|rate| rate.test.id().to_owned()).collect());
    let tests = FieldKind::Several { value: value.unwrap_or_default(), choices: choices.collect() };
    let at = form.iter().position(|field| field.option == "rows").unwrap_or(form.len());
    form.insert(at, BenchRequest::field("tests", tests));
    form
}

/// " Power was 80% to detect a rejection rate of 7.6%."
fn noticed(rate: &BenchRate, tests: usize, alpha: f64) -> String {
    let share = noticed_from(rate.simulations, tests, alpha);
    share.map_or_else(String::new, |share| format!(" Power was 80% to detect a rejection rate of {}.", percent(share)))
}

/// "5.9% (95% CI 4.6% to 7.5%)".
fn with_interval(rate: &BenchRate) -> String {
    format!("{} (95% CI {} to {})", percent(rate.rate), percent(rate.low), percent(rate.high))
}

/// Files of the test with the fewest.
pub(super) fn fewest(tests: &[BenchRate]) -> usize {
    tests.iter().map(|rate| rate.simulations).min().unwrap_or_default()
}

fn headline(outcome: &BenchOutcome) -> String {
    let with_bias: Vec<&BenchSetting> = outcome.settings.iter().filter(|setting| setting.size != 0.0).collect();
    match with_bias.as_slice() {
        [] => outcome.settings.iter().map(|setting| levels(outcome, setting)).collect::<Vec<_>>().join(" "),
        [one] => detection_summary(outcome, one),
        several => curve_in_words(outcome, several),
    }
}

/// Which tests exceed their level, where every score is calibrated.
fn levels(outcome: &BenchOutcome, setting: &BenchSetting) -> String {
    let known: Vec<&BenchRate> = setting.tests.iter().filter(|rate| rate.level.is_some()).collect();
    let above: Vec<&&BenchRate> = known.iter().filter(|rate| rate.level == Some(Level::Above)).collect();
    let may = percent(outcome.alpha);
    let rows = count(setting.rows as u64);
    let files = count(fewest(&setting.tests) as u64);
    let most = known.iter().copied().reduce(|a, b| if b.rate > a.rate { b } else { a });
    let Some(most) = most else {
        return format!("No test yields a p-value (n = {rows}).");
    };
    if above.is_empty() {
        let all = match known.len() {
            1 => format!("{} does not exceed its level significantly", capitalized(most.test.words())),
            n if n < setting.tests.len() => {
                format!("None of the {n} tests that yield a p-value exceeds its level significantly")
            }
            n => format!("None of the {n} tests exceeds its level significantly"),
        };
        let noticed = noticed(most, known.len(), outcome.alpha);
        let rate = with_interval(most);
        let highest = match known.len() {
            1 => format!("its rejection rate is {rate}"),
            _ => format!("the highest rejection rate is {rate}, for {}", most.test.words()),
        };
        return format!(
            "{all} (n = {rows}, {files} simulations): with calibrated scores, {highest} (nominal {may}).{noticed}"
        );
    }
    let who: Vec<String> =
        above.iter().map(|rate| format!("{} rejects in {}", rate.test.words(), with_interval(rate))).collect();
    let stated = above.iter().filter(|rate| rate.test.stated()).count();
    let others = known.len() - above.len();
    let others = match others {
        0 => String::new(),
        1 => " The other test does not exceed its level significantly.".to_owned(),
        n => format!(" The other {n} tests do not exceed their levels significantly."),
    };
    let beside = match (stated, above.len()) {
        (0, 1) => " No verdict of LoCal rests on it.",
        (0, _) => " No verdict of LoCal rests on them.",
        _ => "",
    };
    format!(
        "Calibrated scores are rejected too often (n = {rows}, {files} simulations): {} (nominal {may}).{others}{beside}",
        enumerated(who)
    )
}

/// "0.5 logits", "1 logit".
fn logits(size: f64) -> String {
    format!("{} logit{}", plain(size), if size.abs() == 1.0 { "" } else { "s" })
}

/// "underestimation by 0.5 logits (10.2 percentage points) for ward = ICU, 412 of 3,000 rows".
fn bias(outcome: &BenchOutcome, setting: &BenchSetting) -> String {
    let size = format!("{} ({})", logits(setting.size.abs()), percentage_points(setting.realised.abs()));
    let side = if setting.size > 0.0 { "underestimation" } else { "overestimation" };
    match outcome.effect {
        Effect::Null | Effect::Shift => {
            format!("{side} by {size} in all {} rows", count(setting.rows as u64))
        }
        Effect::Group | Effect::Region => format!(
            "{side} by {size} for {} ({} of {} rows)",
            setting.who,
            count(setting.planted as u64),
            count(setting.rows as u64)
        ),
    }
}

/// Which test detects a bias how often: those by which the page states something.
fn detection_summary(outcome: &BenchOutcome, setting: &BenchSetting) -> String {
    let known: Vec<&BenchRate> = setting.tests.iter().filter(|rate| rate.without_p < rate.simulations).collect();
    let stated: Vec<&BenchRate> = known.iter().copied().filter(|rate| rate.test.stated()).collect();
    let told = if stated.is_empty() { known } else { stated };
    let best = told.iter().copied().reduce(|a, b| if b.rate > a.rate { b } else { a });
    let Some(best) = best else { return format!("No test yields a p-value (n = {}).", count(setting.rows as u64)) };
    let others: Vec<String> = told
        .iter()
        .filter(|rate| rate.test != best.test)
        .map(|rate| format!("{} in {}", rate.test.words(), percent(rate.rate)))
        .collect();
    let others = match others.is_empty() {
        true => String::new(),
        false => format!("; {}", enumerated(others)),
    };
    format!(
        "Highest estimated power for {}: {}, {} in {} simulations{others}.",
        bias(outcome, setting),
        best.test.words(),
        with_interval(best),
        count(best.simulations as u64)
    )
}

/// From which size on, or how many rows, each test has a power of 80%.
fn curve_in_words(outcome: &BenchOutcome, settings: &[&BenchSetting]) -> String {
    let by_size = settings.iter().any(|setting| setting.size != settings[0].size);
    let most_rows = settings.iter().map(|setting| setting.rows).max().unwrap_or_default();
    let along: Vec<&&BenchSetting> = settings.iter().filter(|setting| !by_size || setting.rows == most_rows).collect();
    let tests: Vec<BenchTest> =
        along.first().map(|one| one.tests.iter().map(|rate| rate.test).collect()).unwrap_or_default();
    let mut told: Vec<BenchTest> = tests.iter().copied().filter(|test| test.stated()).collect();
    if told.is_empty() {
        told = tests;
    }
    let unit = |setting: &BenchSetting| match by_size {
        true => format!("{} ({})", logits(setting.size), percentage_points(setting.realised.abs())),
        false => counted(setting.rows, "row"),
    };
    let first = |test: BenchTest| {
        let rate = |setting: &BenchSetting| setting.tests.iter().find(|rate| rate.test == test).map(|rate| rate.rate);
        let mut smallest: Option<&BenchSetting> = None;
        for setting in &along {
            let nearer = smallest.is_none_or(|known| match by_size {
                true => setting.size.abs() < known.size.abs(),
                false => setting.rows < known.rows,
            });
            if rate(setting).is_some_and(|rate| rate >= DETECTED) && nearer {
                smallest = Some(setting);
            }
        }
        smallest
    };
    let (mut parts, mut never) = (Vec::new(), Vec::new());
    for &test in &told {
        match first(test) {
            Some(setting) => parts.push(format!("{} from {}", test.words(), unit(setting))),
            None => never.push(test.words()),
        }
    }
    let who = match (outcome.effect, settings.first()) {
        (Effect::Group | Effect::Region, Some(setting)) => format!("for {}", setting.who),
        _ => "of all rows".to_owned(),
    };
    let what = match by_size {
        true => format!("a bias {who} ({} rows in all)", count(most_rows as u64)),
        false => format!("a bias of {} {who}", logits(settings[0].size)),
    };
    let never = match never.is_empty() {
        true => String::new(),
        false => format!("; not at any setting: {}", enumerated(never)),
    };
    if parts.is_empty() {
        return format!("No test has an estimated power of 80% for {what} at any setting.");
    }
    format!("Smallest setting with an estimated power of 80% for {what}: {}{never}.", enumerated(parts))
}

fn charts(outcome: &BenchOutcome) -> Vec<Chart> {
    let sizes: Vec<f64> = different(outcome.settings.iter().map(|setting| setting.size));
    let rows: Vec<f64> = different(outcome.settings.iter().map(|setting| setting.rows as f64));
    if outcome.settings.len() == 1 {
        return outcome.settings.iter().map(|setting| at_once(outcome, setting)).collect();
    }
    let mut found = Vec::new();
    let kinds: [(bool, &str); 2] = [(true, "used in statements"), (false, "reported only")];
    for (stated, name) in kinds {
        if sizes.len() > 1 {
            for &n in rows.iter().rev().take(2) {
                let here = outcome.settings.iter().filter(|setting| setting.rows as f64 == n).collect::<Vec<_>>();
                let title = format!("Tests {name}: n = {}", count(n as u64));
                let x_name = "simulated bias, logits";
                found.extend(curves(outcome, &here, stated, &|setting| setting.size, title, x_name, false));
            }
        } else {
            let here: Vec<&BenchSetting> = outcome.settings.iter().collect();
            let title = format!("Tests {name}");
            found.extend(curves(outcome, &here, stated, &|setting| setting.rows as f64, title, "rows", true));
        }
    }
    found
}

pub(super) fn different(values: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut all: Vec<f64> = values.collect();
    all.sort_by(f64::total_cmp);
    all.dedup();
    all
}

/// One rate a test, with its interval, beside the level.
fn at_once(outcome: &BenchOutcome, setting: &BenchSetting) -> Chart {
    let row = |rate: &BenchRate| IntervalRow {
        name: rate.test.title().to_owned(),
        value: rate.rate,
        low: rate.low,
        high: rate.high,
        together: None,
        faint: !rate.test.stated(),
        more: vec![rate.test.fires().to_owned(), format!("{} of {} simulations", rate.fired, rate.simulations)],
    };
    let title = match setting.size == 0.0 {
        true => "Rejection rate with calibrated scores".to_owned(),
        false => "Rejection rate".to_owned(),
    };
    let shown = IntervalChart {
        rows: setting.tests.iter().map(row).collect(),
        value_name: "rejection rate".to_owned(),
        counted: Counted::Percent { at: outcome.alpha, name: format!("level {}", percent(outcome.alpha)) },
        signed: false,
        compares: false,
        title,
        caption: "95% CI; hollow: not used in statements.".to_owned(),
    };
    Chart::new(shown, ChartWidth::UpTo { usual: 560.0, most: 720.0 })
}

/// Rates against a size or a number of rows, with their intervals as bands.
fn curves(
    outcome: &BenchOutcome,
    settings: &[&BenchSetting],
    stated: bool,
    x: &dyn Fn(&BenchSetting) -> f64,
    title: String,
    x_name: &str,
    log_x: bool,
) -> Option<Chart> {
    let mut settings = settings.to_vec();
    settings.sort_by(|a, b| x(a).total_cmp(&x(b)));
    let tests = settings.first()?.tests.iter().map(|rate| rate.test).filter(|test| test.stated() == stated);
    let line = |(k, test): (usize, BenchTest)| {
        let rates = || settings.iter().filter_map(|s| Some((x(s), s.tests.iter().find(|rate| rate.test == test)?)));
        Curve {
            name: test.title().to_owned(),
            points: rates().map(|(x, rate)| (x, rate.rate)).collect(),
            band: rates().map(|(x, rate)| (x, rate.low, rate.high)).collect(),
            ink: Ink::Category(k as u8),
            dash: Dash::Solid,
            name_at: None,
        }
    };
    let mut lines: Vec<Curve> = tests.enumerate().map(line).collect();
    if lines.is_empty() {
        return None;
    }
    lines.push(level_line(outcome.alpha, &settings, x));
    let shown = CurveChart {
        curves: lines,
        log_x,
        y_range: Some((0.0, 1.0)),
        x_name: x_name.to_owned(),
        y_name: "rejection rate".to_owned(),
        marked: None,
        title,
        caption: "Bands: pointwise 95% CI.".to_owned(),
    };
    Some(Chart::new(shown, ROOM))
}

pub(super) fn level_line(alpha: f64, settings: &[&BenchSetting], x: &dyn Fn(&BenchSetting) -> f64) -> Curve {
    let ends = [settings.first(), settings.last()];
    Curve {
        name: format!("level {}", percent(alpha)),
        points: ends.into_iter().flatten().map(|setting| (x(setting), alpha)).collect(),
        band: Vec::new(),
        ink: Ink::Axis,
        dash: Dash::Dashed,
        name_at: None,
    }
}

fn table(outcome: &BenchOutcome) -> SheetTable {
    let several = outcome.settings.len() > 1;
    let mut titles = if several { vec!["#Rows", "#Bias, logits", "#pp"] } else { Vec::new() };
    titles.extend(["Test", "#Simulations", "#Rejected", "#95% CI, from", "#To", "Verdict"]);
    let caption = match outcome.effect {
        Effect::Null => format!("Rejection rate of each test at level {}, calibrated scores", percent(outcome.alpha)),
        _ => format!("Rejection rate of each test at level {}", percent(outcome.alpha)),
    };
    let mut table = SheetTable::new(caption, &titles);
    for setting in &outcome.settings {
        for rate in &setting.tests {
            let mut line = Vec::new();
            if several {
                line.push(Cell::number(count(setting.rows as u64), setting.rows as f64));
                line.push(Cell::number(plain(setting.size), setting.size));
                line.push(Cell::number(points(setting.realised), setting.realised));
            }
            let (verdict, tone) = verdict_of(rate);
            line.push(Cell::from(rate.test.title()).with_beneath(rate.test.fires()));
            line.push(Cell::number(count(rate.simulations as u64), rate.simulations as f64));
            line.push(Cell::number(percent(rate.rate), rate.rate).with_beneath(count(rate.fired as u64)));
            line.push(Cell::number(percent(rate.low), rate.low));
            line.push(Cell::number(percent(rate.high), rate.high));
            line.push(Cell::from(verdict).toned(tone));
            table.rows.push(line);
        }
    }
    table
}

/// Of one rate, in a word.
fn verdict_of(rate: &BenchRate) -> (String, Tone) {
    let without = match rate.without_p {
        0 => String::new(),
        n if n == rate.simulations => return ("no p-value".to_owned(), Tone::Muted),
        n => format!("; {} without a p-value", counted(n, "simulation")),
    };
    let (word, tone) = match rate.level {
        Some(Level::Holds) => ("level not exceeded significantly", Tone::Plain),
        Some(Level::Above) => ("level exceeded", Tone::Over),
        Some(Level::Below) => ("conservative", Tone::Plain),
        None if rate.rate >= DETECTED => ("estimated power of 80% or more", Tone::Plain),
        None if rate.low >= DETECTED / 2.0 => ("estimated power below 80%", Tone::Plain),
        None => ("low power", Tone::Muted),
    };
    (format!("{word}{without}"), tone)
}

/// Why tests exceed their level, where that is known.
fn faults(outcome: &BenchOutcome) -> Option<String> {
    let above = |rate: &&BenchRate| rate.level == Some(Level::Above);
    let mut tests: Vec<&BenchRate> =
        outcome.settings.iter().flat_map(|setting| setting.tests.iter().filter(above)).collect();
    tests.dedup_by_key(|rate| rate.test);
    let known = tests.iter().filter_map(|rate| {
        let fault = rate.test.known_fault()?;
        Some(format!("{}, {}: {fault}.", capitalized(rate.test.words()), with_interval(rate)))
    });
    let known: Vec<String> = known.collect();
    (!known.is_empty()).then(|| format!("Known to exceed the level. {}", known.join(" ")))
}

fn recalibrations(outcome: &BenchOutcome) -> SheetTable {
    let mut table = SheetTable::new(
        "Biased rows and all rows, before and after, on rows not used to fit",
        &[
            "Recalibration",
            "#Rows",
            "#Bias, logits",
            "#Simulations",
            "#Error before",
            "#Error after",
            "#RMSE to truth before",
            "#After",
            "#Change",
        ],
    );
    let definitions = [
        (4, "Mean score − mean true probability of the biased rows."),
        (6, "√ mean (score − true probability)² of all rows."),
        (8, "RMSE after − before, paired by data set; below 0: closer to the truth."),
    ];
    for (place, text) in definitions {
        if let Some(column) = table.columns.get_mut(place) {
            text.clone_into(&mut column.definition);
        }
    }
    for one in &outcome.recalibrations {
        let cell = |mean: Option<super::FileMean>, signed: bool| match mean {
            None => Cell::from("–"),
            Some(mean) => {
                let text = |value: f64| if signed { points(value) } else { points_size(value) };
                Cell::number(text(mean.value), mean.value).with_beneath(format!(
                    "{} to {}",
                    text(mean.low),
                    text(mean.high)
                ))
            }
        };
        let name = Cell::from(title(&one.method).as_ref());
        let name = one.reason.as_ref().map_or(name.clone(), |reason| name.with_beneath(reason.clone()));
        table.rows.push(vec![
            name,
            Cell::number(count(one.rows as u64), one.rows as f64),
            Cell::number(plain(one.size), one.size),
            Cell::number(count(one.simulations as u64), one.simulations as f64),
            cell(one.gap_before, true),
            cell(one.gap_after, true),
            cell(one.rmse_before, false),
            cell(one.rmse_after, false),
            cell(one.rmse_change, true),
        ]);
    }
    table
}

fn how(outcome: &BenchOutcome) -> String {
    let rows = outcome.settings.iter().map(|setting| setting.rows).max().unwrap_or_default();
    let some = if rows < outcome.available {
        format!(
            " Simulated for {} of {} scored rows, sampled at random.",
            count(rows as u64),
            count(outcome.available as u64)
        )
    } else {
        String::new()
    };
    let truth = match outcome.effect {
        Effect::Null => "the event probability of each row is its score",
        _ => "the event probability of a biased row is σ(logit s + bias), of any other row its score",
    };
    format!(
        "Scores, features and groups are those of the file; outcomes are simulated: {truth}. All tests use the same \
         simulations.{some} Wilson intervals; statements about the level are adjusted for the number of tests \
         (family-wise 5%)."
    )
}

fn draws(outcome: &BenchOutcome) -> String {
    let has = |test: BenchTest| {
        outcome.settings.first().is_some_and(|setting| setting.tests.iter().any(|rate| rate.test == test))
    };
    let mut parts = Vec::new();
    let at = |least: usize| count(draws_at(outcome.alpha, least) as u64);
    if has(BenchTest::KlceBernoulli) {
        parts.push(format!("KLCE test: {} draws, shared by {CHUNK} simulations, p = (1 + #)/(B + 1)", at(DRAWN)));
    }
    if [BenchTest::KlcePermute, BenchTest::KlcePermuteCentred, BenchTest::KlceBootstrap].into_iter().any(has) {
        parts.push(format!(
            "its permutations: {} per simulation, p = max(1, #)/B as in the paper's package",
            at(SHUFFLES)
        ));
    }
    if has(BenchTest::Neighbourhoods) {
        parts.push(format!("neighborhoods: {} outcome sets per simulation", at(MAP_REDRAWS)));
    }
    if has(BenchTest::Witness) {
        parts.push(format!("local bias: {} draws, shared by {CHUNK} simulations", at(WITNESS_DRAWS)));
    }
    if has(BenchTest::Finding) {
        parts.push("finding: 319 draws per simulation and 999 of all rows, the latter shared".to_owned());
    }
    if parts.is_empty() {
        return "No test here uses simulation.".to_owned();
    }
    format!("Draws behind each p-value: {}.", parts.join("; "))
}

fn left_out(outcome: &BenchOutcome) -> Option<String> {
    let mut reasons: Vec<(&str, Vec<&str>)> = Vec::new();
    for (test, why) in &outcome.left_out {
        match reasons.iter_mut().find(|(known, _)| known == why) {
            Some((_, tests)) => tests.push(test.title()),
            None => reasons.push((why, vec![test.title()])),
        }
    }
    let each = reasons.into_iter().map(|(why, tests)| format!("{} ({why})", tests.join(", ")));
    let each: Vec<String> = each.collect();
    (!each.is_empty()).then(|| format!("Not included: {}.", each.join("; ")))
}

pub(super) fn csv(outcome: &BenchOutcome) -> String {
    let mut text =
        "rows,covariates,width_p,size,planted,realised,test,simulations,without_p,fired,rate,low,high,level,published\n".to_owned();
    for setting in &outcome.settings {
        for rate in &setting.tests {
            let level = match rate.level {
                Some(Level::Holds) => "holds",
                Some(Level::Above) => "above",
                Some(Level::Below) => "below",
                None => "",
            };
            let number = |value: Option<f64>| value.map_or(String::new(), |value| value.to_string());
            let study = setting.study;
            text += &format!(
                "{},{},{},{},{},{},{},{},{},{},{},{},{},{level},{}\n",
                setting.rows,
                number(study.map(|study| study.d as f64)),
                number(study.map(|study| study.width_p)),
                setting.size,
                setting.planted,
                setting.realised,
                rate.test.id(),
                rate.simulations,
                rate.without_p,
                rate.fired,
                rate.rate,
                rate.low,
                rate.high,
                number(study.and_then(|study| study.published))
            );
        }
    }
    text
}
