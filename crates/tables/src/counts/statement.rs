//! The statement: one GROUP BY over the cells of the score.
//!
//! Every row is counted once: under the status `ok` with its cell, or under the reason why it is not used. The line
//! with settings and totals makes a result that was cut or edited recognizable.

use std::fmt::Write;

use serde::Serialize;

use super::RANGE_TOLERANCE;
use super::dialect::{Dialect, is_number};
use super::grid::{LEVELS, SIZES};
use super::selection::CountRequest;
use super::settings::Settings;
use crate::error::Result;
use crate::words::text::{counted, listed, thousands};

/// What every dialect counts: the columns of the result behind its keys.
pub const SUMS: [&str; 8] = ["n", "sum_y", "sum_p", "sum_pp", "sum_py", "sum_ppy", "sum_loss", "sum_loss_y"];
/// With weights besides.
pub const WEIGHTED_SUMS: [&str; 9] =
    ["sum_w", "sum_ww", "sum_wy", "sum_wp", "sum_wpp", "sum_wpy", "sum_wloss", "sum_wwrr", "sum_wwv"];
/// The columns of settings and totals, filled in the first line.
pub const TOTALS: [&str; 3] = ["settings", "total_rows", "total_cells"];
/// A group without a value.
pub const MISSING: &str = "(missing)";

/// Cells that a result can have before it becomes slow to save and open.
pub const MANY_CELLS: u64 = 50_000;

/// Why a row is not used, in the order in which results list the reasons.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Unused {
    /// without a score
    NoScore,
    /// a score below 0
    Below0,
    /// a score above 1
    Above1,
    /// a score that is not finite
    NotFinite,
    /// without an outcome
    NoOutcome,
    /// an outcome that is neither the event nor its absence
    OtherOutcome,
    /// without a weight above 0
    NoWeight,
}

impl Unused {
    /// All of them, in order.
    pub const ALL: [Self; 7] = [
        Self::NoScore,
        Self::Below0,
        Self::Above1,
        Self::NotFinite,
        Self::NoOutcome,
        Self::OtherOutcome,
        Self::NoWeight,
    ];

    /// Status of its rows in a result.
    pub fn status(self) -> &'static str {
        match self {
            Self::NoScore => "p_missing",
            Self::Below0 => "p_below_0",
            Self::Above1 => "p_above_1",
            Self::NotFinite => "p_not_finite",
            Self::NoOutcome => "y_missing",
            Self::OtherOutcome => "y_other",
            Self::NoWeight => "w_bad",
        }
    }

    /// The reason in words.
    pub fn words(self) -> &'static str {
        match self {
            Self::NoScore => "no score",
            Self::Below0 => "score below 0",
            Self::Above1 => "score above 1",
            Self::NotFinite => "score not finite",
            Self::NoOutcome => "no outcome",
            Self::OtherOutcome => "another outcome",
            Self::NoWeight => "no weight above 0",
        }
    }

    /// The reason of a status, if it is one.
    pub fn of(status: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.status() == status)
    }
}

/// A statement and what to know before it runs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Statement {
    /// SQL
    pub sql: String,
    /// expected number of cells, and what to coarsen where there are many, in sentences
    pub notes: Vec<String>,
}

/// The statement that counts the rows of a table.
///
/// # Errors
/// `invalid_option` for what no statement can be written for.
///
/// ```
/// use localcal_tables::counts::{CountRequest, statement};
///
/// let request = CountRequest {
///     dialect: "spark".into(),
///     table: "visits".into(),
///     score: "risk".into(),
///     outcome: "died".into(),
///     ..CountRequest::default()
/// };
/// let sql = statement(&request)?.sql;
/// assert!(sql.contains("CAST(`risk` AS DOUBLE)") && sql.contains("FROM `visits`"));
/// # Ok::<(), localcal_tables::Error>(())
/// ```
pub fn statement(request: &CountRequest) -> Result<Statement> {
    let dialect = request.check()?;
    let table = dialect.table(&request.table)?;
    let keys = keys(request);
    let (grid, ln) = (request.grid(), dialect.ln);
    let (g, tail) = (grid.cells(), grid.tail());
    let (double, long) = (dialect.double, dialect.long);
    let weighted = request.weight.is_some();
    let w = if weighted { ", w" } else { "" };
    let w0 = if weighted { ", w0" } else { "" };
    let carried: String = keys.before.iter().map(|name| format!(" {name},")).collect();
    let all = listed_names(&keys.names());

    let levels = levels(dialect, tail);
    let bad_weight =
        if weighted { "\n             WHEN w0 IS NULL OR NOT (w0 > 0 AND w0 - w0 = 0) THEN 'w_bad'" } else { "" };
    let weight_used = if weighted { ",\n    CASE WHEN status = 'ok' THEN w0 END AS w" } else { "" };
    let tiny = format!("CAST(1 AS {double}) / 17592186044416");
    let p1 = match weighted {
        true => format!("\n    CASE WHEN p < {tiny} THEN 0 ELSE p END AS p1,"),
        false => String::new(),
    };
    let h = dialect.whole(&format!(
        "CASE WHEN p + {tiny} > r / {g} AND p - {tiny} < r / {g} THEN 2 * r\n              WHEN p < r / {g} THEN 2 * r - 1\n              ELSE 2 * r + 1 END"
    ));
    let names = SUMS.iter().chain(if weighted { &WEIGHTED_SUMS[..] } else { &[] });
    let names = names.copied().collect::<Vec<_>>().join(", ");
    let most = 1.0 + RANGE_TOLERANCE;
    let settings = Settings { request: request.clone(), least: None }.written();
    let notes = notes(request);

    let sql = format!(
        "{comment}WITH source AS (
  SELECT {columns}
  FROM {table}
), checked AS (
  SELECT p0, y0{w0},{carried}
    {quantized}CASE WHEN p0 IS NULL THEN 'p_missing'
         WHEN p0 - p0 = 0 AND p0 >= -{RANGE_TOLERANCE} AND p0 <= {most} THEN
           CASE WHEN y_missing = 1 THEN 'y_missing'
             WHEN y0 IS NULL THEN 'y_other'{bad_weight}
             ELSE 'ok' END
         WHEN p0 - p0 = 0 AND p0 < 0 THEN 'p_below_0'
         WHEN p0 - p0 = 0 THEN 'p_above_1'
         ELSE 'p_not_finite' END AS status
  FROM source
), used AS (
  SELECT {all}status,
    CASE WHEN status <> 'ok' THEN NULL WHEN p0 < 0 THEN 0 WHEN p0 > 1 THEN 1 ELSE p0 END AS p,
    CASE WHEN status = 'ok' THEN y0 END AS y{weight_used},
    CASE WHEN status = 'ok' THEN FLOOR(p0 * {g} + 0.5) END AS r
  FROM checked
), halves AS (
  SELECT {all}status, p, y{w},
    CASE WHEN y = 1 THEN p ELSE 1 - p END AS q,
    {h} AS h
  FROM used
), ends AS (
  SELECT {all}status, p, y{w}, q, h,
    CASE WHEN h < {low} THEN p * {g} WHEN h > {high} THEN (1 - p) * {g} END AS v
  FROM halves
), levels AS (
  SELECT {all}status, p, y{w}, q, h,
    CASE WHEN v IS NULL THEN NULL WHEN v = 0 THEN ({first})
{levels}             ELSE ({near}) END AS t
  FROM ends
), cells AS (
  SELECT {all}status, p, y{w},
    CASE WHEN p < {tiny} THEN 0 ELSE p * p END AS pp,{p1}
    -{ln}(CASE WHEN q < 1e-15 THEN 1e-15 ELSE q END) AS loss,
    CASE WHEN h < {low} THEN t WHEN h > {high} THEN {twice} - t ELSE h END AS cell
  FROM levels
), counts AS (
  SELECT {all}status, cell,
    {sums}
  FROM cells GROUP BY {all}status, cell
), numbered AS (
  SELECT counts.*, ROW_NUMBER() OVER (ORDER BY {all}status, cell) AS line,
    SUM(n) OVER () AS all_rows, COUNT(*) OVER () AS all_cells
  FROM counts
)
SELECT CASE WHEN line = 1 THEN '{settings}' END AS settings,
  CASE WHEN line = 1 THEN CAST(all_rows AS {long}) END AS total_rows,
  CASE WHEN line = 1 THEN CAST(all_cells AS {long}) END AS total_cells,
  {all}status, cell, {names}
FROM numbered ORDER BY line
",
        comment = comment(&notes, weighted),
        columns = source(request, dialect).join(",\n    "),
        quantized = quantized(request, dialect),
        low = 2 * tail,
        high = 2 * g - 2 * tail,
        first = grid.first(),
        near = grid.first() + 1,
        twice = 2 * g,
        sums = sums(dialect, weighted).join(",\n    "),
    );
    Ok(Statement { sql, notes })
}

/// The cells toward the ends, a line for each of the levels that become smaller by factors of 4.
fn levels(dialect: &Dialect, tail: i32) -> String {
    let mut levels = String::new();
    for level in 1..=LEVELS {
        let power = 4_i64.pow(level.unsigned_abs());
        let offset = tail - 3 * tail * level;
        let _ = writeln!(
            levels,
            "             WHEN v * {power} >= {tail} THEN {} + ({offset})",
            dialect.whole(&format!("FLOOR(v * {power})"))
        );
    }
    levels
}

/// The columns of the result behind its keys, [`SUMS`] and, with weights, [`WEIGHTED_SUMS`].
fn sums(dialect: &Dialect, weighted: bool) -> Vec<String> {
    let long = dialect.long;
    // pp: the square of a score near 1e-200 is an error in PostgreSQL, not 0; below 2⁻⁴⁴ it adds nothing
    let mut sums = vec![
        format!("CAST(COUNT(*) AS {long}) AS n"),
        format!("SUM(CAST(y AS {long})) AS sum_y"),
        "SUM(p) AS sum_p".to_owned(),
        "SUM(pp) AS sum_pp".to_owned(),
        "SUM(p * y) AS sum_py".to_owned(),
        "SUM(pp * y) AS sum_ppy".to_owned(),
        "SUM(loss) AS sum_loss".to_owned(),
        "SUM(loss * y) AS sum_loss_y".to_owned(),
    ];
    if dialect.id == "sqlserver" {
        // COUNT has 32 bits there
        sums[0] = "COUNT_BIG(*) AS n".to_owned();
    }
    if weighted {
        sums.extend(
            [
                "SUM(w) AS sum_w",
                "SUM(w * w) AS sum_ww",
                "SUM(w * y) AS sum_wy",
                "SUM(w * p1) AS sum_wp",
                "SUM(w * pp) AS sum_wpp",
                "SUM(w * p1 * y) AS sum_wpy",
                "SUM(w * loss) AS sum_wloss",
                "SUM(w * w * (y - p1) * (y - p1)) AS sum_wwrr",
                "SUM(w * w * p1 * (1 - p1)) AS sum_wwv",
            ]
            .map(str::to_owned),
        );
    }
    sums
}

/// Names of the keys besides status and cell.
struct Keys {
    /// groups and the month, which the first step of the statement makes
    before: Vec<String>,
    /// cells of quantized columns
    cells: Vec<String>,
}

impl Keys {
    fn names(&self) -> Vec<String> {
        self.before.iter().chain(&self.cells).cloned().collect()
    }
}

fn keys(request: &CountRequest) -> Keys {
    let mut before: Vec<String> = (1..=request.by.len()).map(|k| format!("group_{k}")).collect();
    before.extend(request.month.iter().map(|_| "year_month".to_owned()));
    Keys { before, cells: (1..=request.features.len()).map(|k| format!("feature_{k}")).collect() }
}

fn listed_names(names: &[String]) -> String {
    names.iter().map(|name| format!("{name}, ")).collect()
}

/// The columns of the first step: score, outcome, weight, groups, month, quantized columns before they are cut.
fn source(request: &CountRequest, dialect: &Dialect) -> Vec<String> {
    let score = dialect.number(&dialect.column(&request.score));
    let percent = if request.percent { " / 100" } else { "" };
    let outcome = dialect.column(&request.outcome);
    let compared = |value: &str| format!("{outcome} = {}", dialect.value(value));
    // of numbers NaN is a missing one, too
    let missing = match request.positive.as_deref().is_some_and(is_number) {
        true => format!("{outcome} IS NULL OR NOT {outcome} - {outcome} = 0"),
        false => format!("{outcome} IS NULL"),
    };
    let [event, none] = match (&request.positive, &request.negative) {
        (None, _) => [compared("1"), compared("0")],
        (Some(event), Some(none)) => [compared(event), compared(none)],
        (Some(event), None) => [compared(event), format!("NOT ({missing})")],
    };
    let mut columns = vec![
        // + 0 makes a positive zero of a negative one
        format!("{score}{percent} + 0 AS p0"),
        format!("CASE WHEN {event} THEN 1 WHEN {none} THEN 0 END AS y0"),
        format!("CASE WHEN {missing} THEN 1 ELSE 0 END AS y_missing"),
    ];
    if let Some(weight) = &request.weight {
        columns.push(format!("{} AS w0", dialect.number(&dialect.column(weight))));
    }
    for (k, column) in request.by.iter().enumerate() {
        let text = dialect.text(&dialect.column(column));
        columns.push(format!("COALESCE({text}, '{MISSING}') AS group_{}", k + 1));
    }
    if let Some(month) = &request.month {
        columns.push(format!("{} AS year_month", dialect.month(&dialect.column(month))));
    }
    for (k, of) in request.features.iter().enumerate() {
        let double = dialect.double;
        let (x, cells) = (dialect.number(&dialect.column(&of.column)), of.cells);
        let [low, high] = [of.low, of.high].map(|end| format!("CAST({end} AS {double})"));
        columns.push(format!("({x} - {low}) * {cells} / ({high} - {low}) AS f{}", k + 1));
    }
    columns
}

/// Cells of quantized columns: from 0, what lies outside in the first and the last one. What is not a number is looked
/// for before anything is rounded, since in Spark FLOOR(NaN) is 0.
fn quantized(request: &CountRequest, dialect: &Dialect) -> String {
    let cell = |(k, cells): (usize, u32)| {
        let (f, last) = (format!("f{}", k + 1), cells.saturating_sub(1));
        format!(
            "CASE WHEN {f} - {f} = 0 THEN CASE WHEN {f} < 0 THEN 0 WHEN {f} >= {cells} THEN {last} \
             ELSE {} END END AS feature_{},\n    ",
            dialect.whole(&format!("FLOOR({f})")),
            k + 1
        )
    };
    request.features.iter().map(|of| of.cells).enumerate().map(cell).collect()
}

/// Sentences on the expected size of the result.
fn notes(request: &CountRequest) -> Vec<String> {
    let usual = request.grid().usual();
    let features: u64 = request.features.iter().map(|of| u64::from(of.cells)).product();
    let parts: Vec<&str> = request.by.iter().chain(&request.month).map(String::as_str).collect();
    let combined: Vec<&str> =
        parts.iter().copied().chain(request.features.iter().map(|of| of.column.as_str())).collect();
    if combined.is_empty() {
        return vec![format!("Expected result: about {} cells.", thousands(round(usual)))];
    }
    let known = if parts.is_empty() { Some(1) } else { request.combinations };
    let names = listed(&combined);
    let Some(combinations) = known.map(|known| known.saturating_mul(features)) else {
        let each = usual.saturating_mul(features);
        let many = thousands(MANY_CELLS);
        let bound = match MANY_CELLS / each {
            0 => format!("That alone may be more than {many}"),
            most => format!("Above {} it has more than {many} cells", counted(most, "combination")),
        };
        return vec![format!(
            "Expected result: up to {} cells for each combination of {}. {bound}; a coarser grid or fewer columns keep it small.",
            thousands(round(each)),
            listed(&parts),
        )];
    };
    let expected = usual.saturating_mul(combinations);
    let mut notes = vec![format!(
        "Expected result: up to {} cells ({} of {names}).",
        thousands(round(expected)),
        counted(combinations, "combination")
    )];
    if expected > MANY_CELLS {
        let now = request.grid().cells().unsigned_abs();
        let fits = |cells: &&u32| {
            super::Grid::of(**cells).is_some_and(|grid| grid.usual().saturating_mul(combinations) <= MANY_CELLS)
        };
        notes.push(match SIZES.iter().filter(|cells| **cells < now).find(fits) {
            Some(&cells) => format!(
                "That is more than {}. A grid of {cells} cells instead of {now} would keep it below; {}.",
                thousands(MANY_CELLS),
                what_coarsening_costs(cells)
            ),
            None => format!(
                "That is more than {}, with every grid. Group by fewer columns, or by columns with fewer values.",
                thousands(MANY_CELLS)
            ),
        });
    }
    notes
}

/// To two digits.
fn round(cells: u64) -> usize {
    let mut unit = 1;
    while cells / unit >= 100 {
        unit *= 10;
    }
    (cells.div_ceil(unit) * unit) as usize
}

fn what_coarsening_costs(cells: u32) -> &'static str {
    match cells {
        480 | 240 => "10, 12, 15, 16 and 20 bins stay exact",
        _ => "10, 12, 15 and 20 bins stay exact, 16 bins do not",
    }
}

/// A comment above the statement, without a word that a person wrote. Sums of weights are neither opened nor merged here.
fn comment(notes: &[String], weighted: bool) -> String {
    let size = match notes {
        [_, _, ..] => "-- The result may be large: see the notes beside this statement.\n",
        _ => "",
    };
    let [opened, merged] = match weighted {
        true => ["", ""],
        false => [
            ", and open it like any file of predictions",
            "-- To merge these before it leaves a site: localcal count RESULT --suppress 10\n",
        ],
    };
    format!(
        "-- LoCal: counts of rows by cells of the score. It reads the table once and changes nothing.\n\
         -- Save the whole result as CSV or Parquet{opened}.\n\
         -- It contains cells of few rows, even of one.\n{merged}{size}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counts::{DIALECTS, QuantizedColumn};

    fn request(dialect: &str) -> CountRequest {
        CountRequest {
            dialect: dialect.to_owned(),
            table: "visits".into(),
            score: "risk".into(),
            outcome: "died".into(),
            ..CountRequest::default()
        }
    }

    /// By ward and month, on the coarser grid that keeps the usual bins.
    fn groups(dialect: &str) -> CountRequest {
        CountRequest { by: vec!["ward".into()], month: Some("day".into()), cells: Some(240), ..request(dialect) }
    }

    fn full(dialect: &str) -> CountRequest {
        CountRequest {
            score: "percent".into(),
            outcome: "outcome".into(),
            positive: Some("yes".into()),
            weight: Some("w".into()),
            by: vec!["ward".into(), "sex".into()],
            month: Some("day".into()),
            features: vec![QuantizedColumn { column: "age".into(), low: 0.0, high: 100.0, cells: 20 }],
            percent: true,
            cells: Some(240),
            combinations: Some(10),
            ..request(dialect)
        }
    }

    /// The statements as they were read and run; `LOCALCAL_RECORD=1` writes them anew.
    #[test]
    fn golden_statements() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/counts/statements");
        for dialect in DIALECTS {
            let requests = [("plain", request(dialect.id)), ("groups", groups(dialect.id)), ("full", full(dialect.id))];
            for (name, request) in requests {
                let path = folder.join(format!("{}.{name}.sql", dialect.id));
                let written = statement(&request).expect("a statement").sql;
                if std::env::var_os("LOCALCAL_RECORD").is_some() {
                    std::fs::create_dir_all(&folder).expect("a folder");
                    std::fs::write(&path, &written).expect("written");
                }
                let golden = std::fs::read_to_string(&path).unwrap_or_default();
                assert!(golden == written, "{} is not what is written now", path.display());
            }
        }
    }

    #[test]
    fn nothing_that_a_person_writes_leaves_its_quotes() {
        let hostile = "x\"`]'\\; DROP TABLE t; -- \u{1f}";
        let error =
            statement(&CountRequest { score: hostile.into(), ..request("duckdb") }).expect_err("a control character");
        assert!(error.to_string().contains("control character"), "{error}");
        let hostile = |k: usize| format!("x\"`]'\\; DROP TABLE t; /* -- ${{a}} :b ?{k}");
        for dialect in DIALECTS {
            let all = CountRequest {
                score: hostile(0),
                outcome: hostile(1),
                positive: Some(hostile(2)),
                negative: Some(hostile(3)),
                weight: Some(hostile(4)),
                by: vec![hostile(5)],
                month: Some(hostile(6)),
                features: vec![QuantizedColumn { column: hostile(7), low: -1.0, high: 1.0, cells: 2 }],
                ..request(dialect.id)
            };
            let sql = statement(&all).expect("a statement").sql;
            // without the quoted names and texts nothing of it is left
            let quoted = (0..8).flat_map(|k| [dialect.column(&hostile(k)), dialect.literal(&hostile(k))]);
            let left = quoted.fold(sql, |sql, one| sql.replace(&one, ""));
            assert!(!left.contains("DROP TABLE"), "{}: {left}", dialect.id);
        }
    }

    #[test]
    fn what_cannot_be_counted_is_refused() {
        let many = |k: usize| (0..k).map(|i| format!("c{i}")).collect();
        let quantized = |low, high, cells| vec![QuantizedColumn { column: "x".into(), low, high, cells }];
        for (request, words) in [
            (CountRequest { dialect: "oracle".into(), ..request("duckdb") }, "no SQL dialect `oracle`"),
            (CountRequest { table: " ".into(), ..request("duckdb") }, "name of the table is missing"),
            (CountRequest { table: "a..b".into(), ..request("duckdb") }, "empty part"),
            (CountRequest { outcome: String::new(), ..request("duckdb") }, "outcome column is missing"),
            (CountRequest { outcome: "risk".into(), ..request("duckdb") }, "`risk` is named twice"),
            (CountRequest { by: vec!["died".into()], ..request("duckdb") }, "`died` is named twice"),
            (CountRequest { by: many(5), ..request("duckdb") }, "5 grouping columns"),
            (CountRequest { by: vec!["a".repeat(501)], ..request("duckdb") }, "501 bytes"),
            (CountRequest { by: vec![String::new()], ..request("duckdb") }, "is empty"),
            (CountRequest { negative: Some("0".into()), ..request("duckdb") }, "none for the event"),
            (CountRequest { cells: Some(100), ..request("duckdb") }, "100 cells"),
            (CountRequest { features: quantized(1.0, 1.0, 5), ..request("duckdb") }, "between 1 and 1"),
            (CountRequest { features: quantized(0.0, f64::NAN, 5), ..request("duckdb") }, "cannot be divided"),
            (CountRequest { features: quantized(0.0, 1.0, 1), ..request("duckdb") }, "into 1 cells"),
        ] {
            let error = statement(&request).expect_err(words);
            assert_eq!(error.code(), "invalid_option");
            assert!(error.to_string().contains(words), "{error}");
        }
        let unknown = statement(&CountRequest { dialect: "oracle".into(), ..request("duckdb") }).expect_err("unknown");
        assert!(DIALECTS.iter().all(|dialect| unknown.hint().contains(dialect.id)), "{}", unknown.hint());
    }

    #[test]
    fn expected_sizes_are_stated() {
        let notes = |request: CountRequest| statement(&request).expect("a statement").notes.join(" ");
        assert_eq!(notes(request("duckdb")), "Expected result: about 1,400 cells.");
        let by = CountRequest { by: vec!["ward".into()], month: Some("day".into()), ..request("duckdb") };
        let open = notes(by.clone());
        assert!(open.contains("1,400 cells for each combination of `ward`, `day`. Above 38 combinations"), "{open}");
        let age = |cells| vec![QuantizedColumn { column: "age".into(), low: 0.0, high: 100.0, cells }];
        let with_age = notes(CountRequest { features: age(20), ..by.clone() });
        assert!(
            with_age.contains("27,000 cells for each combination of `ward`, `day`. Above 1 combination"),
            "{with_age}"
        );
        let alone = notes(CountRequest { features: age(50), ..by.clone() });
        assert!(alone.contains("That alone may be more than 50,000"), "{alone}");
        let many = notes(CountRequest { combinations: Some(100), ..by.clone() });
        assert!(many.contains("240 cells instead of 960"), "{many}");
        let few = notes(CountRequest { combinations: Some(10), ..by.clone() });
        assert!(!few.contains("instead"), "{few}");
        let none = notes(CountRequest { combinations: Some(1_000_000), ..by });
        assert!(none.contains("fewer columns"), "{none}");
    }
}
