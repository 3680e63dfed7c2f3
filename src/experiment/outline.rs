//! Cells in their places: columns of a quantity, in them a series a method, in that a value a division.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use super::cell::{Cell, Level};
use super::measure::Measure;
use super::spec::{Compare, ExperimentMethod, Knob, Spec};
use crate::error::{Error, Result};
use crate::evaluation::method::title;
use crate::metric::entry::Better;
use crate::num::order::sort;
use crate::words::number::significant;
use crate::words::text::capitalized;

/// Values of settings by name.
pub type Settings = BTreeMap<String, Level>;

/// All cells, in one order whatever order they came in.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Outline {
    /// cells in order; what is no finite number is none
    pub cells: Vec<Cell>,
    /// one a data set, quantity, space and settings of where the metric looks
    pub columns: Vec<Column>,
    /// every method under its settings, in the order of tables
    pub variants: Vec<Variant>,
    /// names of the data sets; empty where there is one without a name
    pub data: Vec<String>,
    /// whether several of them are of the same rows
    pub same_rows: bool,
}

/// A method under its settings.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Variant {
    /// its name in the cells
    pub method: String,
    /// the varied settings of the method itself
    pub at: Settings,
}

impl Variant {
    /// As people write it: the name that somebody gave it, else its title, one after another with a plus; then its settings.
    pub fn label(&self) -> String {
        let titled = |name: &str| title(name).replace(", then ", " + ");
        let name = match self.method.strip_suffix(')').and_then(|name| name.rsplit_once(" (")) {
            Some((name, space)) => format!("{} ({space})", titled(name)),
            None => titled(&self.method),
        };
        if self.at.is_empty() { name } else { format!("{name}, {}", settings_words(&self.at)) }
    }

    /// The same at the beginning of a sentence.
    pub fn subject(&self) -> String {
        if self.is_none() { "No recalibration".to_owned() } else { capitalized(&self.label()) }
    }

    /// Whether it is the scores as they came.
    pub fn is_none(&self) -> bool {
        self.method == "none"
    }
}

/// What a setting is called where people read it: by the letter that papers write, where it has one.
pub fn symbol(setting: &str) -> &str {
    match setting {
        "gamma" => "γ",
        "trust_gamma" => "γ of the test",
        "lambda" => "λ",
        "kappa" => "κ",
        "alpha" => "α",
        "beta" => "β",
        "epsilon" => "ε",
        "eta" => "η",
        setting => setting,
    }
}

/// `γ = 0.2, bins = 15`: fractions of three digits.
pub fn settings_words(at: &Settings) -> String {
    let words = |level: &Level| match level {
        Level::Number(number) if number.fract() != 0.0 => significant(*number).trim_end_matches('0').to_owned(),
        level => level.to_string(),
    };
    at.iter().map(|(name, level)| format!("{} = {}", symbol(name), words(level))).collect::<Vec<_>>().join(", ")
}

/// `gamma-0.2-bins-15`: part of what a table is referred to by.
pub fn settings_id(at: &Settings) -> String {
    at.iter().map(|(name, level)| format!("{name}-{level}")).collect::<Vec<_>>().join("-")
}

/// One quantity of every method under every division.
#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    /// name of the data set, where there are several
    pub data: Option<String>,
    /// what is measured
    pub measure: Measure,
    /// name of the space in which the metric looks
    pub space: Option<String>,
    /// settings of where the metric looks
    pub at: Settings,
    /// names of the divisions
    pub divisions: Vec<String>,
    /// rows scored / rows fitted, its mean over the divisions; 1 where nobody says
    pub shared: f64,
    /// one a method
    pub series: Vec<Series>,
    /// which of them are compared; none: all pairs
    pub compare: Option<Compare>,
}

/// The values of one method.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// whose
    pub variant: Variant,
    /// whether it is the scores as they came, whatever they are called
    pub none: bool,
    /// settings as they stand in the cells
    pub at: Settings,
    /// one a division
    pub values: Vec<Option<f64>>,
    /// why the first missing one is missing; none where nothing is
    pub reason: Option<String>,
}

impl Series {
    /// Its values.
    pub fn known(&self) -> impl Iterator<Item = f64> + Clone {
        self.values.iter().filter_map(|v| *v)
    }

    /// Their number.
    pub fn count(&self) -> usize {
        self.known().count()
    }

    /// Their mean; none without any.
    pub fn mean(&self) -> Option<f64> {
        let n = self.count();
        (n > 0).then(|| self.known().sum::<f64>() / n as f64).filter(|mean| mean.is_finite())
    }

    /// The mean of how bad they are; none without any.
    pub fn badness(&self, measure: &Measure) -> Option<f64> {
        let n = self.count();
        let sum: f64 = self.known().map(|v| measure.badness(v)).sum();
        (n > 0).then(|| sum / n as f64).filter(|mean| mean.is_finite())
    }
}

impl Column {
    /// The quantity and where it looks, as the head of a table.
    pub fn head(&self) -> String {
        let mut head = self.measure.head();
        for more in [self.space.clone(), (!self.at.is_empty()).then(|| settings_words(&self.at))].into_iter().flatten()
        {
            head = format!("{head}, {more}");
        }
        head
    }

    /// The quantity and where it looks, within a sentence.
    pub fn name(&self) -> String {
        let space = self.space.as_ref().map_or_else(String::new, |space| format!(" in {space}"));
        let at = if self.at.is_empty() { String::new() } else { format!(" at {}", settings_words(&self.at)) };
        format!("{}{space}{at}", self.measure.name)
    }

    /// The place of the scores as they came.
    pub fn none(&self) -> Option<usize> {
        self.series.iter().position(|series| series.none)
    }

    /// Places of the methods that are called so: a method that looks at several spaces is one in each.
    pub fn called<'a>(&'a self, name: &'a str) -> impl Iterator<Item = usize> + 'a {
        let is = move |series: &Series| {
            let rest = series.variant.method.strip_prefix(name);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(" ("))
        };
        self.series.iter().enumerate().filter(move |(_, series)| is(series)).map(|(place, _)| place)
    }

    /// Pairs of places that are compared by plan, the first less the second; none where every pair is.
    ///
    /// A method with the same settings, and else one that has none of them.
    pub fn planned(&self) -> Option<Vec<(usize, usize)>> {
        let names: Vec<(Option<&str>, &str)> = match self.compare.as_ref()? {
            Compare::Every(_) => return None,
            Compare::Control { control } => vec![(None, control)],
            Compare::Pairs { pairs } => pairs.iter().map(|[a, b]| (Some(a.as_str()), b.as_str())).collect(),
        };
        let at = |place: usize| self.series.get(place).map(|series| &series.variant.at);
        let mut found: Vec<(usize, usize)> = Vec::new();
        for (name, other) in names {
            let to: Vec<usize> = self.called(other).collect();
            let from: Vec<usize> = match name {
                Some(name) => self.called(name).collect(),
                None => (0..self.series.len()).filter(|place| !to.contains(place)).collect(),
            };
            for a in from {
                let same = to.iter().find(|b| at(**b) == at(a));
                let bare = || to.iter().find(|b| at(**b).is_some_and(Settings::is_empty));
                if let Some(&b) = same.or_else(bare).filter(|b| **b != a)
                    && !found.contains(&(a, b))
                {
                    found.push((a, b));
                }
            }
        }
        Some(found)
    }

    /// The place of the best mean among the methods with the most values, where there are two methods with values at least; of
    /// p-values and what else has no better value there is none.
    pub fn best(&self) -> Option<usize> {
        if self.measure.better == Better::Neither {
            return None;
        }
        let most = self.series.iter().map(Series::count).max().filter(|n| *n > 0)?;
        if self.series.iter().filter(|series| series.count() > 0).count() < 2 {
            return None;
        }
        let found = self.series.iter().enumerate().filter(|(_, series)| series.count() == most);
        let found = found.filter_map(|(place, series)| Some((place, series.badness(&self.measure)?)));
        found.reduce(|best, one| if one.1 < best.1 { one } else { best }).map(|(place, _)| place)
    }

    /// Whether a series is exactly as good as the best, over as many divisions.
    pub fn is_as_good(&self, place: usize, best: usize) -> bool {
        let of = |place: usize| self.series.get(place).map(|series| (series.count(), series.badness(&self.measure)));
        of(place) == of(best)
    }
}

/// What orders a cell.
struct Key<'a> {
    cell: &'a Cell,
    measure: Measure,
    metric: usize,
    space: usize,
    method: usize,
    none: bool,
    of_method: Settings,
    of_metric: Settings,
}

impl Key<'_> {
    fn column(&self, other: &Self) -> Ordering {
        natural(self.cell.data.as_deref(), other.cell.data.as_deref())
            .then_with(|| self.metric.cmp(&other.metric))
            .then_with(|| self.space.cmp(&other.space))
            .then_with(|| natural(self.cell.space.as_deref(), other.cell.space.as_deref()))
            .then_with(|| by_settings(&self.of_metric, &other.of_metric))
    }

    fn series(&self, other: &Self) -> Ordering {
        (self.method.cmp(&other.method))
            .then_with(|| natural(Some(&self.cell.method), Some(&other.cell.method)))
            .then_with(|| by_settings(&self.of_method, &other.of_method))
    }

    fn order(&self, other: &Self) -> Ordering {
        let value = |cell: &Cell| cell.value.unwrap_or(f64::INFINITY);
        (self.column(other))
            .then_with(|| self.series(other))
            .then_with(|| natural(Some(&self.cell.division), Some(&other.cell.division)))
            .then_with(|| value(self.cell).total_cmp(&value(other.cell)))
            .then_with(|| {
                self.cell.seconds.unwrap_or(f64::INFINITY).total_cmp(&other.cell.seconds.unwrap_or(f64::INFINITY))
            })
            .then_with(|| self.cell.reason.cmp(&other.cell.reason))
    }
}

impl Outline {
    /// Cells in their places.
    ///
    /// # Errors
    /// `invalid_option` for a cell of a metric or a method that is none of the experiment's, and for two cells of one place
    /// with different values.
    ///
    /// # Cost
    /// One sort of the cells.
    pub fn of(spec: &Spec, cells: &[Cell]) -> Result<Self> {
        let cells: Vec<Cell> = cells.iter().map(finite).collect();
        let knobs = Knobs::of(spec, &cells);
        let mut keys = cells.iter().map(|cell| key(spec, cell, &knobs)).collect::<Result<Vec<Key>>>()?;
        sort(&mut keys, &Key::order);
        let mut columns: Vec<Column> = Vec::new();
        let mut rest: &[Key] = &keys;
        let mut kept: Vec<Cell> = Vec::with_capacity(cells.len());
        while let Some(first) = rest.first() {
            let end = rest.iter().position(|key| key.column(first) != Ordering::Equal).unwrap_or(rest.len());
            let (all, after) = rest.split_at(end);
            columns.push(column(spec, all, &mut kept)?);
            rest = after;
        }
        let mut data: Vec<String> = Vec::new();
        for name in columns.iter().filter_map(|column| column.data.as_ref()) {
            if !data.contains(name) {
                data.push(name.clone());
            }
        }
        sort(&mut keys, &Key::series);
        let mut variants: Vec<Variant> = Vec::new();
        let mut before: Option<&Key> = None;
        for key in &keys {
            if before.is_none_or(|before| before.series(key) != Ordering::Equal) {
                variants.push(Variant { method: key.cell.method.clone(), at: key.of_method.clone() });
            }
            before = Some(key);
        }
        Ok(Self { cells: kept, columns, variants, data, same_rows: spec.same_rows })
    }
}

/// A cell whose value is finite, or missing for a reason.
fn finite(cell: &Cell) -> Cell {
    let value = cell.value.filter(|v| v.is_finite());
    let reason = match (&cell.value, value) {
        (_, Some(_)) => None,
        (Some(_), None) => Some(cell.reason.clone().unwrap_or_else(|| "not a finite number".to_owned())),
        (None, None) => cell.reason.clone(),
    };
    let at = cell.at.clone();
    Cell { value, reason, at, seconds: cell.seconds.filter(|v| v.is_finite()), ..cell.clone() }
}

/// Which of the varied settings are turned where metrics look.
struct Knobs {
    of_metrics: Vec<String>,
}

impl Knobs {
    /// As the experiment says; where it does not, a setting is a metric's if the scores as they came depend on it, or, without
    /// these, if those of every method do.
    fn of(spec: &Spec, cells: &[Cell]) -> Self {
        let of_metrics = spec.vary.iter().filter(|vary| match vary.of {
            Some(Knob::Metrics) => true,
            Some(Knob::Methods) => false,
            None => {
                let has = |cell: &Cell| cell.at.contains_key(&vary.setting);
                let mut none = cells.iter().filter(|cell| cell.method == "none").peekable();
                if none.peek().is_some() {
                    return none.any(has);
                }
                let turned: Vec<&str> = cells.iter().filter(|cell| has(cell)).map(|cell| &*cell.method).collect();
                cells.iter().all(|cell| turned.contains(&&*cell.method))
            }
        });
        Self { of_metrics: of_metrics.map(|vary| vary.setting.clone()).collect() }
    }
}

fn key<'a>(spec: &Spec, cell: &'a Cell, knobs: &Knobs) -> Result<Key<'a>> {
    let none_of = |what: &str, name: &str| {
        Error::new(
            "invalid_option",
            format!("The saved experiment contains results for the {what} `{name}`, which it does not request."),
            "Open the saved experiment file unchanged.",
        )
    };
    let measure = Measure::of(&cell.metric).ok_or_else(|| none_of("metric", &cell.metric))?;
    let metric = match spec.metrics.iter().position(|id| *id == cell.metric) {
        Some(place) => place,
        None if spec.metrics.is_empty() => 0,
        None => return Err(none_of("metric", &cell.metric)),
    };
    // `lore (t-SNE)` is `lore`, unless somebody calls a method so
    let is = |method: &ExperimentMethod, whole: bool| {
        let rest = cell.method.strip_prefix(method.name());
        rest.is_some_and(|rest| if whole { rest.is_empty() } else { rest.starts_with(" (") })
    };
    let place = |whole: bool| spec.methods.iter().position(|method| is(method, whole));
    let method = match place(true).or_else(|| place(false)) {
        Some(place) => place,
        None if spec.methods.is_empty() => 0,
        None => return Err(none_of("method", &cell.method)),
    };
    let space = match &cell.space {
        None => 0,
        Some(name) => 1 + spec.spaces.iter().position(|space| space.name == *name).unwrap_or(spec.spaces.len()),
    };
    let parted = |of_metrics: bool| {
        let kept = cell.at.iter().filter(|(name, _)| knobs.of_metrics.contains(name) == of_metrics);
        kept.map(|(name, level)| (name.clone(), level.clone())).collect()
    };
    // whatever it is called: papers have names of their own for it
    let none = spec.methods.get(method).map_or(cell.method == "none", |method| method.id() == "none");
    Ok(Key { cell, measure, metric, space, method, none, of_method: parted(false), of_metric: parted(true) })
}

/// The keys of one column, in order.
fn column(spec: &Spec, keys: &[Key], kept: &mut Vec<Cell>) -> Result<Column> {
    let mut divisions: Vec<String> = Vec::new();
    for key in keys {
        if !divisions.contains(&key.cell.division) {
            divisions.push(key.cell.division.clone());
        }
    }
    sort(&mut divisions, &|a, b| natural(Some(a), Some(b)));
    let ratios = divisions.iter().filter_map(|division| {
        let here = || keys.iter().filter(|key| key.cell.division == *division);
        let scored = here().map(|key| key.cell.rows).max()?;
        let fitted = here().map(|key| key.cell.fitted).max()?;
        (scored > 0 && fitted > 0).then(|| scored as f64 / fitted as f64)
    });
    let ratios: Vec<f64> = ratios.collect();
    let shared = if ratios.is_empty() { 1.0 } else { ratios.iter().sum::<f64>() / ratios.len() as f64 };
    let mut series: Vec<Series> = Vec::new();
    let mut before: Option<&Key> = None;
    for key in keys {
        let same = before.is_some_and(|before| before.series(key) == Ordering::Equal);
        if same && before.is_some_and(|before| before.cell.division == key.cell.division) {
            // the same place again: the same number, or one that the clock gave
            let value = |key: &Key| key.cell.value;
            if key.measure.is_time() || before.map(value) == Some(value(key)) || value(key).is_none() {
                continue;
            }
            return Err(Error::new(
                "invalid_option",
                format!(
                    "There are two values of {} for `{}` under `{}`.",
                    key.measure.name, key.cell.method, key.cell.division
                ),
                "Open the saved experiment file unchanged.",
            ));
        }
        if !same {
            series.push(Series {
                variant: Variant { method: key.cell.method.clone(), at: key.of_method.clone() },
                none: key.none,
                at: key.cell.at.clone(),
                values: vec![None; divisions.len()],
                reason: None,
            });
        }
        let place = divisions.iter().position(|division| *division == key.cell.division);
        if let Some((series, place)) = series.last_mut().zip(place) {
            if let Some(slot) = series.values.get_mut(place) {
                *slot = key.cell.value;
            }
            if series.reason.is_none() && key.cell.value.is_none() {
                series.reason.clone_from(&key.cell.reason);
            }
        }
        kept.push(key.cell.clone());
        before = Some(key);
    }
    for series in &mut series {
        if series.reason.is_none() && series.count() < divisions.len() {
            series.reason = Some("not measured".to_owned());
        }
    }
    let first = keys.first().ok_or_else(|| Error::internal("A column of the experiment has no cells."))?;
    Ok(Column {
        compare: spec.compare.clone(),
        data: first.cell.data.clone(),
        measure: first.measure,
        space: first.cell.space.clone(),
        at: first.of_metric.clone(),
        divisions,
        shared,
        series,
    })
}

/// Settings by name, then by level; numbers before words.
fn by_settings(a: &Settings, b: &Settings) -> Ordering {
    for ((name, level), (other, beside)) in a.iter().zip(b) {
        let order = name.cmp(other).then_with(|| by_level(level, beside));
        if order != Ordering::Equal {
            return order;
        }
    }
    a.len().cmp(&b.len())
}

/// Numbers by size, then words.
fn by_level(a: &Level, b: &Level) -> Ordering {
    match (a, b) {
        (Level::Number(a), Level::Number(b)) => a.total_cmp(b),
        (Level::Number(_), Level::Word(_)) => Ordering::Less,
        (Level::Word(_), Level::Number(_)) => Ordering::Greater,
        (Level::Word(a), Level::Word(b)) => natural(Some(a), Some(b)),
    }
}

/// Words with numbers in them as people order them: `seed 2` before `seed 10`; what has no name first.
fn natural(a: Option<&str>, b: Option<&str>) -> Ordering {
    let (Some(a), Some(b)) = (a, b) else {
        return a.is_some().cmp(&b.is_some());
    };
    let (mut ours, mut theirs) = (a, b);
    loop {
        let (Some(x), Some(y)) = (ours.chars().next(), theirs.chars().next()) else {
            return ours.len().cmp(&theirs.len()).then_with(|| a.cmp(b));
        };
        if x.is_ascii_digit() && y.is_ascii_digit() {
            let (one, after) = digits(ours);
            let (other, beyond) = digits(theirs);
            let order = one.len().cmp(&other.len()).then_with(|| one.cmp(other));
            if order != Ordering::Equal {
                return order;
            }
            (ours, theirs) = (after, beyond);
        } else if x == y {
            (ours, theirs) = (ours.get(x.len_utf8()..).unwrap_or(""), theirs.get(y.len_utf8()..).unwrap_or(""));
        } else {
            return x.cmp(&y);
        }
    }
}

/// The number at the beginning without its leading zeros, and what follows it.
fn digits(text: &str) -> (&str, &str) {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, rest) = text.split_at(end);
    (number.trim_start_matches('0'), rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_count() {
        let mut names = ["seed 10, fold 1 of 5", "seed 2, fold 2 of 5", "seed 2, fold 10 of 5", "a", "seed 02"];
        sort(&mut names, &|a, b| natural(Some(a), Some(b)));
        assert_eq!(names, ["a", "seed 02", "seed 2, fold 2 of 5", "seed 2, fold 10 of 5", "seed 10, fold 1 of 5"]);
        assert_eq!(natural(None, Some("")), Ordering::Less);
        assert_eq!(natural(Some("é1"), Some("é")), Ordering::Greater);
        assert_eq!(natural(Some("x"), Some("x")), Ordering::Equal);
    }

    #[test]
    fn names_of_methods() {
        let variant = |method: &str| Variant { method: method.to_owned(), at: Settings::new() };
        assert_eq!(variant("my own").label(), "my own");
        assert_eq!(variant("none").label(), title("none"));
        let two = variant("temperature+density_ratio (t-SNE)").label();
        assert!(two.starts_with("Temperature scaling + ") && two.ends_with(" (t-SNE)"), "{two}");
        let at = [("gamma".to_owned(), Level::Number(0.2))].into();
        assert_eq!(Variant { method: "mine".to_owned(), at }.label(), "mine, γ = 0.2");
    }
}
