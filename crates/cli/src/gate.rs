//! A gate: what must not hold of a run, for a pipeline that goes on or stops by the exit status.
//!
//! Conditions are read before anything is computed. What they look at is computed with the run, and each is told with the
//! number or the sentence that decided it.

use localcal::error::Error;
use localcal::metric::Reason;
use localcal::report::{MetricValue, Report, RunOutcome};
use localcal::words::number::significant;
use serde_json::{Value, json};

use crate::args::GateArgs;
use crate::catalogue::{self, Entry};
use crate::failure::{Checked, Failure};
use crate::options::StepOptions;
use crate::print::{BEST, Cell, OVER, Page, STRONG, Table, is_obeyed, plain};

/// Which number of a metric.
#[derive(Debug, Clone, Copy)]
struct Which {
    name: &'static str,
    words: &'static str,
    of: fn(&MetricValue) -> Option<f64>,
}

const WHICH: &[Which] = &[
    Which { name: "value", words: "", of: |value| value.value },
    Which { name: "corrected", words: ", bias-corrected", of: |value| value.corrected },
    Which { name: "low", words: ", lower limit of the 95% CI", of: |value| value.low },
    Which { name: "high", words: ", upper limit of the 95% CI", of: |value| value.high },
    Which { name: "floor", words: ", at most if calibrated", of: |value| value.floor_high },
    Which { name: "floor_low", words: ", at least if calibrated", of: |value| value.floor_low },
    Which { name: "floor_high", words: ", at most if calibrated", of: |value| value.floor_high },
    Which { name: "floor_mean", words: ", on average if calibrated", of: |value| value.floor_mean },
];

/// How a number stands to the limit; a longer sign stands before one that begins it.
#[derive(Debug, Clone, Copy)]
struct Than {
    sign: &'static str,
    holds: fn(f64, f64) -> bool,
}

const THAN: &[Than] = &[
    Than { sign: ">=", holds: |x, limit| x >= limit },
    Than { sign: "<=", holds: |x, limit| x <= limit },
    Than { sign: ">", holds: |x, limit| x > limit },
    Than { sign: "<", holds: |x, limit| x < limit },
];

/// A question whose answer says yes or no.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Question {
    /// significant miscalibration, overall or in a subgroup
    Finding,
    /// a number changed significantly since the reference, or a group that it does not have is significantly miscalibrated
    Changed,
}

impl Question {
    /// The analysis that answers it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Finding => "finding",
            Self::Changed => "changed",
        }
    }
}

#[derive(Debug, Clone)]
enum When {
    /// what an analysis found
    Question(Question),
    /// a number against a limit
    Metric { method: Option<String>, metric: String, which: Which, than: Than, limit: f64 },
}

/// What must not hold, as it was written and as it is meant.
#[derive(Debug, Clone)]
struct Condition {
    written: String,
    when: When,
}

/// All of it.
#[derive(Debug, Clone, Default)]
pub struct Gate {
    conditions: Vec<Condition>,
    format: Option<Format>,
}

/// How it is told in the place of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Format {
    Github,
    Junit,
}

impl Gate {
    /// Reads the conditions; the metrics and methods that they name are computed with the run. `questions`: those that the
    /// command can answer.
    ///
    /// # Errors
    /// Usage: a condition that is none, with what can be said.
    pub fn read(args: &GateArgs, questions: &[Question], given: &mut StepOptions) -> Result<Self, Failure> {
        let metrics = catalogue::metrics();
        let read =
            |written: &String| Ok(Condition { when: when(written, questions, &metrics)?, written: written.clone() });
        let gate = Self {
            conditions: args.fail_if.iter().map(read).collect::<Result<_, Failure>>()?,
            format: args
                .report_format
                .as_deref()
                .map(|name| if name == "junit" { Format::Junit } else { Format::Github }),
        };
        for Condition { written, when } in &gate.conditions {
            if let When::Metric { method, metric, .. } = when {
                if let Some(method) = method {
                    with_method(given, method)
                        .map_err(|what| Failure::usage(format!("--fail-if '{written}': {what}")))?;
                }
                with_metric(given, metric);
            }
        }
        Ok(gate)
    }

    /// Every condition against the run. `answer` says whether a question says yes, and its sentence. `leaves`: the report as
    /// it leaves while small counts are withheld; a condition is decided by the run, and its number or sentence is withheld
    /// where the report does not contain it.
    ///
    /// # Errors
    /// `invalid_option` for a number that the run does not have, with why: what cannot be evaluated does not pass. Those of
    /// the questions.
    pub fn check(
        &self,
        run: &RunOutcome,
        leaves: Option<&Report>,
        answer: impl Fn(Question) -> Result<(bool, String), Failure>,
    ) -> Result<Vec<Checked>, Failure> {
        let one = |condition: &Condition| {
            let (failed, found) = match &condition.when {
                When::Question(question) => {
                    let answer = answer(*question);
                    match leaves {
                        None => answer?,
                        // the sentence names subgroups, and no report that withholds contains it; a reason may count rows
                        Some(_) => (answer.map_err(without_reason)?.0, WITHHELD.to_owned()),
                    }
                }
                When::Metric { method, metric, which, than, limit } => {
                    let method = method.as_deref();
                    let shown = leaves.and_then(|report| metric_of(report, method, metric));
                    let (value, told) = number(run, method, metric, *which).map_err(|lacks| {
                        let of = shown.or(lacks);
                        without_value(&condition.written, *which, of, run.report.settings.resamples)
                    })?;
                    let withheld = leaves.is_some() && shown.and_then(which.of).is_none();
                    ((than.holds)(value, *limit), if withheld { WITHHELD.to_owned() } else { told })
                }
            };
            Ok(Checked { condition: condition.written.clone(), failed, found })
        };
        self.conditions.iter().map(one).collect()
    }

    /// What is written to standard output instead of text, if a format was requested. `title`: of the data.
    pub fn text(&self, title: &str, checked: &[Checked]) -> Option<String> {
        Some(match self.format? {
            Format::Github => github(checked),
            Format::Junit => junit(title, checked),
        })
    }

    /// What is written to standard output of conditions that could not be evaluated, if a format was requested.
    pub fn not_evaluated(&self, title: &str, error: &Error) -> Option<String> {
        let conditions: Vec<&str> = self.conditions.iter().map(|one| one.written.as_str()).collect();
        Some(match self.format? {
            Format::Github => github_error(title, error),
            Format::Junit => junit_error(title, &conditions, error),
        })
    }
}

/// What a condition means.
fn when(written: &str, questions: &[Question], metrics: &[Entry]) -> Result<When, Failure> {
    let names = |names: Vec<&str>| names.join(", ");
    let wrong = |why: &str, help: String| Failure::usage(format!("--fail-if '{written}': {why}.\n{help}"));
    let grammar = || {
        let questions = names(questions.iter().map(|question| question.name()).collect());
        format!("A condition is [METHOD.]METRIC[.VALUE], then >, >=, < or <=, then a number; or one of: {questions}.")
    };
    let unknown = |what: &str| {
        let metrics = names(metrics.iter().map(|metric| metric.id.as_str()).collect());
        wrong(&format!("unknown metric `{what}`"), format!("Metrics: {metrics}."))
    };
    let known = |id: &str| metrics.iter().any(|metric| metric.id == id);
    let which = |name: &str| WHICH.iter().find(|which| which.name == name).copied();
    let found = THAN.iter().find_map(|than| Some((*than, written.split_once(than.sign)?)));
    let Some((than, (what, limit))) = found else {
        let question = questions.iter().find(|question| question.name() == written.trim());
        return match question {
            Some(question) => Ok(When::Question(*question)),
            None if written.trim() == Question::Changed.name() => {
                Err(wrong("it needs a reference", "Use `localcal compare REFERENCE FILE`.".to_owned()))
            }
            None => Err(wrong("no comparison", grammar())),
        };
    };
    let limit = limit.trim().parse::<f64>().ok().filter(|limit| limit.is_finite());
    let limit = limit.ok_or_else(|| wrong("a number must follow the sign", grammar()))?;
    let parts: Vec<&str> = what.trim().split('.').map(str::trim).collect();
    let (method, metric, name) = match parts.as_slice() {
        [metric] => (None, *metric, "value"),
        [metric, name] if known(metric) => (None, *metric, *name),
        [method, metric] if known(metric) => (Some(*method), *metric, "value"),
        [method, metric, name] => (Some(*method), *metric, *name),
        _ => return Err(unknown(what.trim())),
    };
    if questions.iter().any(|question| question.name() == metric) {
        return Err(wrong(&format!("`{metric}` is yes or no"), format!("Use --fail-if {metric}.")));
    }
    if !known(metric) {
        return Err(unknown(metric));
    }
    let which = which(name).ok_or_else(|| {
        let values = names(WHICH.iter().map(|which| which.name).collect());
        wrong(&format!("a metric has no value `{name}`"), format!("Values of a metric: {values}."))
    })?;
    Ok(When::Metric { method: method.map(str::to_owned), metric: metric.to_owned(), which, than, limit })
}

/// The methods of the run hold this one; where nothing says which are run, it is run beside `none`.
fn with_method(given: &mut StepOptions, method: &str) -> Result<(), String> {
    let Some(asked) = given.run.get("methods").and_then(Value::as_array) else {
        let known: Vec<String> = catalogue::methods().into_iter().map(|entry| entry.id).collect();
        let after = catalogue::methods_after_another();
        let is = |id: &str| known.iter().any(|known| known == id) || after.iter().any(|entry| entry.id == id);
        if !method.split('+').all(is) {
            return Err(format!("unknown method `{method}`.\nMethods: {}", known.join(", ")));
        }
        let methods: Vec<&str> = if method == "none" { vec!["none"] } else { vec!["none", method] };
        given.run.insert("methods".to_owned(), json!(methods));
        return Ok(());
    };
    let name = |method: &Value| {
        let text = |value: Option<&Value>| value.and_then(Value::as_str).map(str::to_owned);
        text(Some(method)).or_else(|| text(method.get("name"))).or_else(|| text(method.get("id")))
    };
    let names: Vec<String> = asked.iter().filter_map(name).collect();
    match names.iter().any(|name| name == method) {
        true => Ok(()),
        false => Err(format!("the run has no method `{method}`.\nMethods: {}", names.join(", "))),
    }
}

/// The metrics of the run hold this one.
fn with_metric(given: &mut StepOptions, metric: &str) {
    let usual = || catalogue::scorecard().map(Value::from).collect();
    let asked = given.run.entry("metrics").or_insert_with(usual);
    if let Some(asked) = asked.as_array_mut()
        && !asked.iter().any(|one| one == metric || one == "all")
    {
        asked.push(metric.into());
    }
}

/// What stands in the place of a number or a sentence that is withheld.
const WITHHELD: &str = "withheld";

/// A metric of a method; without a name, of the first.
fn metric_of<'a>(report: &'a Report, method: Option<&str>, metric: &str) -> Option<&'a MetricValue> {
    let found = match method {
        Some(name) => report.methods.iter().find(|method| method.name == name),
        None => report.methods.first(),
    };
    found?.metrics.get(metric)
}

/// A number of the run and its words; without it, the metric that lacks it.
fn number<'a>(
    run: &'a RunOutcome,
    method: Option<&str>,
    metric: &str,
    which: Which,
) -> Result<(f64, String), Option<&'a MetricValue>> {
    let value = metric_of(&run.report, method, metric).ok_or(None)?;
    let number = (which.of)(value).filter(|number| !number.is_nan()).ok_or(Some(value))?;
    let row = run.presentation.scorecard.iter().find(|row| row.id == metric);
    let name = row.map_or(metric, |row| row.name.as_str());
    let of = method.map_or_else(String::new, |method| format!(" of {method}"));
    Ok((number, format!("{name}{of}{}: {}", which.words, significant(number))))
}

/// The failure of a question while small counts are withheld.
fn without_reason(failure: Failure) -> Failure {
    match failure {
        Failure::Refused(error) if !matches!(error.code(), "internal" | "panic") => Error::new(
            error.code(),
            "The analysis has no result; the reason is withheld, as it may reveal small counts.",
            "Request it without --suppress.",
        )
        .into(),
        failure => failure,
    }
}

/// A gate that cannot look does not open. `value`: the metric, where it was computed; `resamples`: as the run made them.
fn without_value(written: &str, which: Which, value: Option<&MetricValue>, resamples: Option<usize>) -> Error {
    let has = |which: &&Which| value.and_then(which.of).is_some_and(|number| !number.is_nan());
    let others: Vec<&str> = WHICH.iter().filter(has).map(|which| which.name).collect();
    let others = match others.is_empty() {
        true => "Use a metric that these rows define.".to_owned(),
        false => format!("Values of this metric in this run: {}.", others.join(", ")),
    };
    let of_draws = which.name != "value";
    let of_interval = matches!(which.name, "corrected" | "low" | "high");
    let no_value = |why: &str, hint: String| {
        Error::new("invalid_option", format!("--fail-if '{written}' has no value: {why}."), hint)
    };
    let Some(value) = value else { return no_value("the run did not compute it", others) };
    match &value.reason {
        Some(Reason::Suppressed) => no_value(
            "it may concern few rows and is withheld",
            "Use a metric of all rows, or omit --suppress.".to_owned(),
        ),
        Some(Reason::NoLocalSettings) => no_value(
            "it needs features, which define similarity",
            "Name them with --features, or add --local, which chooses them.".to_owned(),
        ),
        Some(Reason::FeaturesMissing) => {
            no_value("it needs features, which define similarity", "Name them with --features.".to_owned())
        }
        Some(Reason::GroupsMissing) => no_value("it needs a group column", "Name it with --groups.".to_owned()),
        Some(Reason::Maximum) if of_interval => no_value("a maximum has no interval", others),
        Some(_) if value.value.is_some() && of_draws && resamples == Some(0) => {
            no_value("nothing was resampled", "Intervals and null ranges need --resamples above 0.".to_owned())
        }
        None | Some(Reason::NoInterval | Reason::Maximum) => no_value("this metric has none", others),
        Some(Reason::NotResampled) => no_value(
            "it was not resampled",
            "Local metrics have resamples of their own: --local '{\"resamples\": 200}'.".to_owned(),
        ),
        Some(reason) => no_value(reason.text().trim_end_matches('.'), others),
    }
}

/// The conditions at the end of the text.
pub fn conditions(page: &mut Page, checked: &[Checked]) {
    if checked.is_empty() {
        return;
    }
    page.heading("Gate");
    let mut table = Table::new(&["", "fails if", "found"]);
    for one in checked {
        let status = if one.failed { Cell::new("failed", OVER) } else { Cell::new("passed", BEST) };
        table.rows.push(vec![status, Cell::new(&one.condition, STRONG), one.found.clone().into()]);
    }
    page.table(&table);
}

/// A workflow command of GitHub Actions. An annotation is one line without what a terminal obeys; only what separates its parts
/// is left to escape.
fn annotation(kind: &str, title: &str, text: &str) -> String {
    let data = |text: &str| plain(text).replace('%', "%25");
    let title = data(title).replace(':', "%3A").replace(',', "%2C");
    format!("::{kind} title={title}::{}\n", data(text))
}

/// An annotation where no condition could be evaluated.
fn github_error(title: &str, error: &Error) -> String {
    let (message, hint) = error.in_terminal();
    annotation("error", &format!("localcal: {title} could not be evaluated"), &format!("{message} {hint}"))
}

/// Annotations: an error for every condition that holds, a notice for every other.
fn github(checked: &[Checked]) -> String {
    let mut out = String::new();
    for one in checked {
        let kind = if one.failed { "error" } else { "notice" };
        let title = format!("localcal: {} if {}", if one.failed { "failed" } else { "would fail" }, one.condition);
        out += &annotation(kind, &title, &one.found);
    }
    out
}

/// A test suite with a case for every condition.
fn junit(title: &str, checked: &[Checked]) -> String {
    let failures = checked.iter().filter(|one| one.failed).count();
    let counts = format!("tests=\"{}\" failures=\"{failures}\" errors=\"0\"", checked.len());
    let title = xml(title);
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    out += &format!("<testsuites name=\"localcal\" {counts}>\n  <testsuite name=\"{title}\" {counts}>\n");
    for one in checked {
        let (name, found) = (xml(&format!("fails if {}", one.condition)), xml(&one.found));
        out += &format!("    <testcase classname=\"localcal.{title}\" name=\"{name}\"");
        out += &match one.failed {
            true => format!(">\n      <failure message=\"{found}\">{found}</failure>\n    </testcase>\n"),
            false => format!(">\n      <system-out>{found}</system-out>\n    </testcase>\n"),
        };
    }
    out + "  </testsuite>\n</testsuites>\n"
}

/// A test suite in which no condition could be evaluated.
fn junit_error(title: &str, conditions: &[&str], error: &Error) -> String {
    let counts = format!("tests=\"{n}\" failures=\"0\" errors=\"{n}\"", n = conditions.len());
    let (title, (message, hint)) = (xml(title), error.in_terminal());
    let (message, hint) = (xml(&message), xml(&hint));
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    out += &format!("<testsuites name=\"localcal\" {counts}>\n  <testsuite name=\"{title}\" {counts}>\n");
    for condition in conditions {
        let name = xml(&format!("fails if {condition}"));
        out += &format!(
            "    <testcase classname=\"localcal.{title}\" name=\"{name}\">\n      <error message=\"{message}\" \
             type=\"{}\">{hint}</error>\n    </testcase>\n",
            error.code()
        );
    }
    out + "  </testsuite>\n</testsuites>\n"
}

/// Text within an element or an attribute; what XML 1.0 cannot hold, or a terminal obeys, becomes U+FFFD.
fn xml(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '"' => out += "&quot;",
            '\'' => out += "&apos;",
            '\n' => out += "&#10;",
            '\r' => out += "&#13;",
            '\t' => out += "&#9;",
            '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            c if is_obeyed(c) => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn read(written: &str) -> Result<When, Failure> {
        when(written, &[Question::Finding], &catalogue::metrics())
    }

    #[test]
    fn a_condition_names_a_method_a_metric_a_number_and_a_limit() {
        for (written, expected) in [
            ("ece>0.05", (None, "ece", "value", ">", 0.05)),
            ("ece.low >= 5e-2", (None, "ece", "low", ">=", 0.05)),
            ("platt+isotonic.nll < 1", (Some("platt+isotonic"), "nll", "value", "<", 1.0)),
            (" temperature.ece.floor <= -.5 ", (Some("temperature"), "ece", "floor", "<=", -0.5)),
        ] {
            let When::Metric { method, metric, which, than, limit } = read(written).unwrap() else {
                panic!("{written} is a metric");
            };
            assert_eq!((method.as_deref(), metric.as_str(), which.name, than.sign, limit), expected, "{written}");
        }
        assert!(matches!(read(" finding ").unwrap(), When::Question(Question::Finding)));
    }

    #[test]
    fn what_is_no_condition_is_told_with_what_can_be_said() {
        for (written, why, help) in [
            ("", "no comparison", "or one of: finding"),
            ("ece", "no comparison", "or one of: finding"),
            ("changed", "it needs a reference", "localcal compare"),
            ("finding > 0", "`finding` is yes or no", "--fail-if finding"),
            ("ece > much", "a number must follow the sign", "[METHOD.]METRIC[.VALUE]"),
            ("ece > NaN", "a number must follow the sign", "[METHOD.]METRIC[.VALUE]"),
            ("eec > 0.1", "unknown metric `eec`", "brier"),
            ("ece.lowest > 0.1", "a metric has no value `lowest`", "floor_mean"),
            ("a.b.c.d > 0.1", "unknown metric `a.b.c.d`", "brier"),
            ("ece == 0.1", "no comparison", "or one of: finding"),
        ] {
            let Err(Failure::Usage(what)) = read(written) else { panic!("{written} is understood") };
            assert!(what.contains(why) && what.contains(help), "{written}: {what}");
        }
    }

    fn checked() -> Vec<Checked> {
        let one = |condition: &str, failed, found: &str| Checked {
            condition: condition.to_owned(),
            failed,
            found: found.to_owned(),
        };
        vec![
            one("ece.low > 0.05", true, "ECE: 8,3 % & more\n<ward = \"A\u{1}\">"),
            one("finding", false, "No significant miscalibration."),
        ]
    }

    #[test]
    fn annotations_are_escaped_as_workflow_commands_are() {
        assert_eq!(
            github(&checked()),
            "::error title=localcal%3A failed if ece.low > 0.05::ECE: 8,3 %25 & more <ward = \"A\u{fffd}\">\n\
             ::notice title=localcal%3A would fail if finding::No significant miscalibration.\n"
        );
    }

    #[test]
    fn the_report_is_well_formed_whatever_was_found() {
        let told = junit("a & b.csv", &checked());
        assert!(told.contains("tests=\"2\" failures=\"1\""));
        assert!(told.contains("name=\"fails if ece.low &gt; 0.05\""));
        assert!(told.contains("<failure message=\"ECE: 8,3 % &amp; more&#10;&lt;ward = &quot;A\u{fffd}&quot;&gt;\">"));
        let tree = resvg::usvg::roxmltree::Document::parse(&told).unwrap();
        assert_eq!(tree.descendants().filter(|node| node.has_tag_name("testcase")).count(), 2);
    }
}
