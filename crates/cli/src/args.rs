//! What can be typed.
//!
//! Flags that are the same for every command stand here with their help; the options of questions and charts are made
//! from the core's types, and what they choose from is listed from its catalogue.

use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, RangedU64ValueParser};
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches, ValueHint};
use clap_complete::Shell;

use crate::catalogue::{self, EXAMPLES, Entry};
use crate::shape::{Field, Shape, Variant};

/// Where a question's or a chart's own options are kept among the matches.
pub const OWN: &str = "own:";

const EXIT: &str = "Exit status: 0 success; 1 invalid input (standard error has a message and a hint); 2 invalid \
                    command line; 3 a condition of --fail-if is met; 70 a bug in the program.";

const ABOUT: &str = "Where, and for whom, a classifier's confidence cannot be trusted, and how to recalibrate it";

const LONG_ABOUT: &str = "Where, and for whom, a classifier's confidence cannot be trusted, and how to recalibrate \
                          it.\n\nInput: files of predictions and outcomes (CSV, JSON, Parquet, Arrow, Excel, NPY, \
                          NPZ, safetensors, logs of language models, counts; also compressed; `-` is standard \
                          input); columns are recognized by name and content. Results are identical to those of \
                          the page, bit for bit. Nothing leaves the machine.";

/// Most threads that can be requested.
const MOST_THREADS: u64 = 1024;

/// Bytes, as a number with or without a unit: 500M, 8G, 8GB, 8GiB; a thousand is 1024.
fn memory(text: &str) -> Result<u64, String> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = text.split_at(digits);
    let unit = unit.trim().to_lowercase();
    let shift = match unit.trim_end_matches("ib").trim_end_matches('b') {
        "" => 0,
        "k" => 10,
        "m" => 20,
        "g" => 30,
        "t" => 40,
        _ => return Err("write bytes, or a number with M or G: 500M, 8G".to_owned()),
    };
    let bytes = number.parse::<u64>().ok().and_then(|number| number.checked_mul(1 << shift));
    bytes.filter(|bytes| *bytes > 0).ok_or_else(|| "write bytes, or a number with M or G: 500M, 8G".to_owned())
}

/// Pixels of a picture to a CSS pixel.
fn scale(text: &str) -> Result<f32, String> {
    let scale = text.parse::<f32>().ok().filter(|scale| (0.1..=20.0).contains(scale));
    scale.ok_or_else(|| "write a number from 0.1 to 20".to_owned())
}

/// What the command line requests.
pub enum Invocation {
    /// metrics of the original predictions
    Score(Score),
    /// everything about a run
    Report(Report),
    /// methods fitted, compared, written
    Recalibrate(Recalibrate),
    /// a stored calibrator on new rows
    Apply(Apply),
    /// a question, with what was said for its own options
    Analyse(String, Analyse, Own),
    /// a chart, of the run or of a question
    Chart(String, Chart, Own),
    /// methods, spaces, divisions and metrics, all of each
    Experiment(Experiment),
    /// code that applies a method
    Snippet(Snippet),
    /// a session as a file
    SaveSession(SaveSession),
    /// a data set against a reference
    Compare(Compare),
    /// a statement that counts rows where they are
    Sql(Sql),
    /// counts of the rows of files
    Count(Count),
    /// what there is to choose from
    List(List),
    /// what a shell needs to complete words
    Completions(Shell),
}

/// Own options of a question or a chart: what is known, and what was given as text.
pub struct Own {
    /// every option with its form
    pub known: Vec<Field>,
    /// those that were given
    pub given: Vec<(String, String)>,
}

/// Which rows, and what their columns mean.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Data")]
pub struct OpenArgs {
    /// Files of one data set: predictions, labels, features, further models; `-` reads standard input
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath, required_unless_present = "example", display_order = 0)]
    pub files: Vec<PathBuf>,
    /// A built-in data set instead of files
    #[arg(long, value_name = "NAME", conflicts_with = "files",
          value_parser = PossibleValuesParser::new(EXAMPLES.iter().map(|example| example.id)))]
    pub example: Option<String>,
    /// The column with the observed outcome
    #[arg(long, value_name = "COLUMN")]
    pub label: Option<String>,
    /// Columns with probabilities
    #[arg(long, value_name = "COLUMN,…", value_delimiter = ',')]
    pub probability: Vec<String>,
    /// Feature columns, which define similarity
    #[arg(long, value_name = "COLUMN,…", value_delimiter = ',')]
    pub feature: Vec<String>,
    /// Columns whose values are groups
    #[arg(long, value_name = "COLUMN,…", value_delimiter = ',')]
    pub group: Vec<String>,
    /// The column with sample weights
    #[arg(long, value_name = "COLUMN")]
    pub weights: Option<String>,
    /// The column that identifies rows
    #[arg(long, value_name = "COLUMN")]
    pub id: Option<String>,
    /// Columns to ignore
    #[arg(long, value_name = "COLUMN,…", value_delimiter = ',')]
    pub ignore: Vec<String>,
    /// The column that identifies clusters of dependent rows, such as the visits of one patient; `none`: rows are
    /// independent. Default: a column recognized as an identifier whose values repeat
    #[arg(long, value_name = "COLUMN|none")]
    pub clusters: Option<String>,
    /// Column roles
    #[arg(long, value_name = "COLUMN=ROLE,…", value_delimiter = ',')]
    pub roles: Vec<String>,
    /// Read the file as in a session written by `localcal session save` or the page: roles, event, conditions on rows; flags
    /// override it
    #[arg(long, value_name = "FILE|JSON|-", value_hint = ValueHint::FilePath)]
    pub session: Option<String>,
    /// The label of the event (coded 1)
    #[arg(long, value_name = "LABEL")]
    pub positive: Option<String>,
    /// Evaluate P(y = 1), or the confidence of the predicted class
    #[arg(long, value_name = "VIEW")]
    pub view: Option<String>,
    /// The model to evaluate, if there are several for the same rows
    #[arg(long, value_name = "NAME")]
    pub model: Option<String>,
    /// Rows with a missing or invalid value: reject the file (the default), or exclude them
    #[arg(long, value_name = "WHAT")]
    pub rows: Option<String>,
    /// Attempts of an evaluation log without a confidence or a judgment: excluded (the default), incorrect (at the stated
    /// confidence) or incorrect_at_one (at a confidence of 100%)
    #[arg(long, value_name = "HOW")]
    pub unanswered: Option<String>,
    /// Divide the probabilities of each row by their sum
    #[arg(long)]
    pub renormalise: bool,
    /// Whether the first row of tables contains column names; default: detected
    #[arg(long, value_name = "true|false")]
    pub header: Option<bool>,
    /// Whether the last row of tables contains totals and is excluded; default: detected
    #[arg(long, value_name = "true|false")]
    pub totals: Option<bool>,
    /// Which sheet of an Excel workbook is read, counted from 1 among those that contain a table; default: the first with data
    #[arg(long, value_name = "PLACE", value_parser = clap::value_parser!(u64).range(1..))]
    pub sheet: Option<u64>,
    /// A value that codes missing data; several: --missing a=999 --missing b=-1
    #[arg(long, value_name = "COLUMN=VALUE")]
    pub missing: Vec<String>,
    /// Memory limit for a file (compressed, decompressed and as numbers): bytes, or 500M, 8G; default: 2G
    #[arg(long, value_name = "SIZE", value_parser = memory)]
    pub max_memory: Option<u64>,
    /// Number of folds for cross-fitting
    #[arg(long, value_name = "K", conflicts_with = "split")]
    pub folds: Option<u64>,
    /// Data split: auto, half, files (the first file calibrates), first:N (the first N rows calibrate), COLUMN, or
    /// COLUMN=VALUE,… (rows with these values calibrate)
    #[arg(long, value_name = "HOW")]
    pub split: Option<String>,
}

/// What is computed.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Run")]
pub struct RunArgs {
    /// Methods by id (see `localcal list methods`); joined by a plus sign, they are applied in sequence
    #[arg(long, value_name = "ID,…")]
    pub methods: Option<String>,
    /// Metrics by id (see `localcal list metrics`), or all
    #[arg(long, value_name = "ID,…")]
    pub metrics: Option<String>,
    /// Confidence bins: a number, or JSON { count, scheme, closed, edges }
    #[arg(long, value_name = "N")]
    pub bins: Option<String>,
    /// One column whose values are groups, or two, for group metrics; a method by group takes its own, as in --methods
    /// '[{"id": "group_intercept", "parameters": {"groups": "site"}}]'
    #[arg(long, value_name = "COLUMN,…")]
    pub groups: Option<String>,
    /// Resamples for intervals and null ranges; 0: none
    #[arg(long, value_name = "N")]
    pub resamples: Option<String>,
    /// Seed of folds and resamples
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Rows on which the original predictions are evaluated
    #[arg(long, value_name = "WHICH")]
    pub evaluate_on: Option<String>,
    /// Features that define similarity: columns, the name of an array, or pca:2 for principal components
    #[arg(long, value_name = "COLUMN,…")]
    pub features: Option<String>,
    /// Bandwidth γ
    #[arg(long, value_name = "G")]
    pub gamma: Option<String>,
    /// Kernel of the local metrics: laplacian, gaussian, rbf, group, constant
    #[arg(long, value_name = "NAME")]
    pub kernel: Option<String>,
    /// Local metrics, with the suggested features and bandwidth, or with settings as JSON
    #[arg(long, value_name = "JSON", num_args = 0..=1, default_missing_value = "auto")]
    pub local: Option<String>,
    /// Settings of the KLCE calibration test, as JSON
    #[arg(long, value_name = "JSON")]
    pub klce: Option<String>,
    /// Settings of proximity, as JSON
    #[arg(long, value_name = "JSON")]
    pub proximity: Option<String>,
    /// A feature map to compute first, as JSON { name, of, scale, pca, tsne }
    #[arg(long, value_name = "JSON")]
    pub project: Option<String>,
    /// Options of the scripted interface: a JSON file, JSON, or `-` for standard input; flags override them
    #[arg(long, value_name = "FILE|JSON|-", value_hint = ValueHint::FilePath)]
    pub options: Option<String>,
}

/// How it is done and told.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Output")]
pub struct OutputArgs {
    /// Write JSON instead of text
    #[arg(long)]
    pub json: bool,
    /// Show no progress and no warnings
    #[arg(long, short)]
    pub quiet: bool,
    /// Number of threads; default: all that the machine has. Results do not depend on it
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true,
          value_parser = RangedU64ValueParser::<usize>::new().range(0..=MOST_THREADS))]
    pub threads: usize,
    /// Suppress counts below this one, and values that would reveal them, in reports, sessions, calibrators, analyses, charts,
    /// experiments and counts; default: none
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(3..=1000))]
    pub suppress: Option<u64>,
    /// Width of text in columns; default: the width of the terminal, 80 in a pipe
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(40..))]
    pub text_width: Option<u16>,
}

/// What ends a command with the status of a gate, and how that is told.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Gate")]
pub struct GateArgs {
    /// Exit with status 3 if this condition holds, such as 'ece.low > 0.05', 'temperature.nll >= 0.4' or 'finding' (any
    /// significant miscalibration, overall or in a subgroup); can be repeated. Values of a metric: value (the default),
    /// corrected, low, high, floor, floor_low, floor_high, floor_mean
    #[arg(long, value_name = "CONDITION")]
    pub fail_if: Vec<String>,
    /// Instead of text, write annotations for GitHub Actions, or a JUnit report in XML
    #[arg(long, value_name = "FORMAT", requires = "fail_if", conflicts_with = "json", value_parser = ["github", "junit"])]
    pub report_format: Option<String>,
}

/// Arguments of `score`.
#[derive(Debug, Clone, Args)]
pub struct Score {
    /// data
    #[command(flatten)]
    pub open: OpenArgs,
    /// run
    #[command(flatten)]
    pub run: RunArgs,
    /// gate
    #[command(flatten)]
    pub gate: GateArgs,
    /// output
    #[command(flatten)]
    pub output: OutputArgs,
}

/// Arguments of `report`.
#[derive(Debug, Clone, Args)]
pub struct Report {
    /// data
    #[command(flatten)]
    pub open: OpenArgs,
    /// run
    #[command(flatten)]
    pub run: RunArgs,
    /// output
    #[command(flatten)]
    pub output: OutputArgs,
    /// Write to a file: .json for JSON; .html, .tex or .md for the report as a document; .txt or no ending for text
    #[arg(long, short, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Output")]
    pub out: Option<PathBuf>,
}

/// Arguments of `recalibrate`.
#[derive(Debug, Clone, Args)]
pub struct Recalibrate {
    /// data
    #[command(flatten)]
    pub open: OpenArgs,
    /// run
    #[command(flatten)]
    pub run: RunArgs,
    /// output
    #[command(flatten)]
    pub output: OutputArgs,
    /// Apply the fitted methods to new rows, which need no outcomes
    #[arg(long, value_name = "NEWFILE", value_hint = ValueHint::FilePath)]
    pub apply: Vec<PathBuf>,
    /// Destination: a folder (predictions.csv, calibrator.json, report.json, applied.csv), a file (.csv: predictions, with
    /// --apply those of the new rows; .json: the calibrator), or `-` for CSV on standard output
    #[arg(long, short, value_name = "PATH", value_hint = ValueHint::AnyPath, help_heading = "Output")]
    pub out: Option<PathBuf>,
}

/// Arguments of `apply`.
#[derive(Debug, Clone, Args)]
// refused with a sentence
#[command(mut_arg("suppress", |arg| arg.hide(true)))]
pub struct Apply {
    /// A calibrator written by `recalibrate` or the page
    #[arg(value_hint = ValueHint::FilePath)]
    pub calibrator: PathBuf,
    /// data
    #[command(flatten)]
    pub open: OpenArgs,
    /// Apply only this method of the calibrator
    #[arg(long, value_name = "NAME")]
    pub method: Option<String>,
    /// Also write the probability of every class
    #[arg(long)]
    pub classes: bool,
    /// Options of the scripted interface for opening files
    #[arg(long, value_name = "FILE|JSON|-")]
    pub options: Option<String>,
    /// output
    #[command(flatten)]
    pub output: OutputArgs,
    /// Write to a file instead of standard output
    #[arg(long, short, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Output")]
    pub out: Option<PathBuf>,
}

/// Arguments of `analyse`.
#[derive(Debug, Clone, Args)]
pub struct Analyse {
    /// data
    #[command(flatten)]
    pub open: OpenArgs,
    /// run
    #[command(flatten)]
    pub run: RunArgs,
    /// output
    #[command(flatten)]
    pub output: OutputArgs,
    /// A further data set, for analyses that take several
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Data")]
    pub other: Vec<PathBuf>,
}

/// Arguments of `chart`.
#[derive(Debug, Clone, Args)]
pub struct Chart {
    /// data
    #[command(flatten)]
    pub open: OpenArgs,
    /// run
    #[command(flatten)]
    pub run: RunArgs,
    /// output
    #[command(flatten)]
    pub output: OutputArgs,
    /// A further data set, for analyses that take several
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Data")]
    pub other: Vec<PathBuf>,
    /// The figure: .svg, .pdf (the drawing alone, for a paper) or .png; further figures of the same analysis get -2, -3, …
    /// before the extension. Default: the first figure as SVG on standard output
    #[arg(long, short, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Output")]
    pub out: Option<PathBuf>,
    /// PNG pixels per CSS pixel, 0.1 to 20
    #[arg(long, value_name = "N", default_value_t = 2.0, value_parser = scale, help_heading = "Output")]
    pub scale: f32,
    /// Use the dark color scheme
    #[arg(long, help_heading = "Output")]
    pub dark: bool,
    /// Width for print in millimeters (one column: 85, full page: 180): SVG or PDF, black on white, text of at least 7
    /// points
    #[arg(long, value_name = "MM", conflicts_with_all = ["dark", "scale"], help_heading = "Output")]
    pub print: Option<f64>,
}

/// Arguments of `experiment`.
#[derive(Debug, Clone, Args)]
pub struct Experiment {
    /// The experiment: a JSON file written by the page or this command, or JSON
    #[arg(value_name = "SPEC", value_hint = ValueHint::FilePath)]
    pub spec: String,
    /// data
    #[command(flatten)]
    pub open: OpenArgs,
    /// output
    #[command(flatten)]
    pub output: OutputArgs,
    /// A further data set, treated like the first
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Data")]
    pub other: Vec<PathBuf>,
    /// A file with existing results, which are not computed again; it can be the file of --out
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Data")]
    pub resume: Option<PathBuf>,
    /// Write to a file: .json (everything, also saved during the run), .csv (the summary), .tex or .md (tables), .svg, .pdf
    /// or .png (charts); default: text on standard output
    #[arg(long, short, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Output")]
    pub out: Option<PathBuf>,
}

/// Arguments of `snippet`.
#[derive(Debug, Clone, Args)]
pub struct Snippet {
    /// data
    #[command(flatten)]
    pub open: OpenArgs,
    /// run
    #[command(flatten)]
    pub run: RunArgs,
    /// output
    #[command(flatten)]
    pub output: OutputArgs,
    /// The method to export, if there are several
    #[arg(long, value_name = "NAME")]
    pub method: Option<String>,
    /// Programming language
    #[arg(long, default_value = "python")]
    pub language: String,
}

/// Arguments of `session save`.
#[derive(Debug, Clone, Args)]
pub struct SaveSession {
    /// data
    #[command(flatten)]
    pub open: OpenArgs,
    /// run
    #[command(flatten)]
    pub run: RunArgs,
    /// output
    #[command(flatten)]
    pub output: OutputArgs,
    /// Write the session, as JSON, to a file; default: standard output
    #[arg(long, short, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Output")]
    pub out: Option<PathBuf>,
}

/// Arguments of `compare`.
#[derive(Debug, Clone, Args)]
// refused with a sentence
#[command(mut_arg("suppress", |arg| arg.hide(true)))]
pub struct Compare {
    /// data: the reference, and what is compared with it
    #[command(flatten)]
    pub open: OpenArgs,
    /// run
    #[command(flatten)]
    pub run: RunArgs,
    /// gate
    #[command(flatten)]
    pub gate: GateArgs,
    /// output
    #[command(flatten)]
    pub output: OutputArgs,
}

/// Arguments of `sql`.
#[derive(Debug, Clone, Args)]
// refused with a sentence
#[command(mut_arg("suppress", |arg| arg.hide(true)))]
pub struct Sql {
    /// The dialect: duckdb, postgres, spark, databricks, bigquery, snowflake, clickhouse, sqlserver, datafusion or sqlite
    #[arg(long, value_name = "NAME")]
    pub dialect: String,
    /// The table; dots separate database, schema and table, a part with a dot goes in double quotes
    #[arg(long, value_name = "TABLE")]
    pub table: String,
    /// what is counted
    #[command(flatten)]
    pub counted: CountedArgs,
    /// A column of sample weights, whose sums are counted besides
    #[arg(long, value_name = "COLUMN")]
    pub weights: Option<String>,
    /// Combinations of groups and months in the table, for the expected size of the result
    #[arg(long, value_name = "N")]
    pub combinations: Option<u64>,
    /// output
    #[command(flatten)]
    pub output: OutputArgs,
    /// A file in the place of standard output
    #[arg(long, short, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Output")]
    pub out: Option<PathBuf>,
}

/// Arguments of `count`.
#[derive(Debug, Clone, Args)]
pub struct Count {
    /// Files with the rows of one table, of any size, or folders of such files: CSV or TSV (also gzip or zstd), or
    /// Parquet; `-` reads text from standard input. Without --score and --outcome, files of counts, whose cells of few rows
    /// --suppress merges
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath, required = true)]
    pub files: Vec<PathBuf>,
    /// what is counted
    #[command(flatten)]
    pub counted: CountedArgs,
    /// output
    #[command(flatten)]
    pub output: OutputArgs,
    /// A file in the place of standard output
    #[arg(long, short, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Output")]
    pub out: Option<PathBuf>,
}

/// What is counted, by whomever.
#[derive(Debug, Clone, Args)]
pub struct CountedArgs {
    /// The column of predicted probabilities
    #[arg(long, value_name = "COLUMN", requires = "outcome")]
    pub score: Option<String>,
    /// The column of outcomes
    #[arg(long, value_name = "COLUMN", requires = "score")]
    pub outcome: Option<String>,
    /// The value of the outcome that counts as the event; default: 1
    #[arg(long, value_name = "VALUE", allow_hyphen_values = true)]
    pub positive: Option<String>,
    /// The value that counts as no event; default: 0, or with --positive every other value
    #[arg(long, value_name = "VALUE", allow_hyphen_values = true)]
    pub negative: Option<String>,
    /// Columns whose values are groups, four at most
    #[arg(long, value_name = "COLUMN,…", value_delimiter = ',')]
    pub by: Vec<String>,
    /// A column of dates, counted by month
    #[arg(long, value_name = "COLUMN")]
    pub month: Option<String>,
    /// A numeric column in cells of equal width, two at most: --feature age=0:100:20 has 20 cells from 0 to 100
    #[arg(long, value_name = "COLUMN=LOW:HIGH:CELLS", allow_hyphen_values = true)]
    pub feature: Vec<String>,
    /// Scores are percentages
    #[arg(long)]
    pub percent: bool,
    /// Cells of the score: 960, 480, 240, 120 or 60; default: 960
    #[arg(long, value_name = "N")]
    pub cells: Option<u32>,
}

/// Arguments of `list`.
#[derive(Debug, Clone, Args)]
pub struct List {
    /// What to list; default: all
    #[arg(value_parser = PossibleValuesParser::new(["metrics", "methods", "analyses", "charts", "examples"]))]
    pub what: Option<String>,
    /// Include definitions and sources
    #[arg(long)]
    pub long: bool,
    /// output
    #[command(flatten)]
    pub output: OutputArgs,
}

/// Everything that can be typed.
pub fn command() -> Command {
    /// A command with the arguments of `A`, whose docstring is not its help.
    fn sub<A: Args>(name: &str, about: &str) -> Command {
        A::augment_args(Command::new(name.to_owned())).about(about.to_owned()).max_term_width(100)
    }
    let mut choices = catalogue::open_options();
    choices.extend(catalogue::run_options());
    let language = Shape::Choice(catalogue::languages());
    choices.push(Field { name: "language".to_owned(), shape: language, words: String::new() });
    let ids = |title: &str, entries: Vec<Entry>| {
        let width = entries.iter().map(|entry| entry.id.len()).max().unwrap_or(0);
        let line = |entry: &Entry| format!("\n  {:width$}  {}", entry.id, entry.plain);
        format!("{title}:{}", entries.iter().map(line).collect::<String>())
    };
    let methods = ids("Methods", catalogue::methods());
    let metrics = ids("Metrics", catalogue::metrics());
    let mut analyse = Command::new("analyse")
        .about("Run an analysis: subgroups, tests, method comparison, decisions")
        .alias("analyze")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand_value_name("KIND")
        .subcommand_help_heading("Kinds")
        .disable_help_subcommand(true);
    let mut chart = Command::new("chart")
        .about("Draw a chart as SVG, PDF or PNG")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand_value_name("KIND")
        .subcommand_help_heading("Kinds")
        .disable_help_subcommand(true);
    for Variant { name, words, fields } in catalogue::charts() {
        chart = chart.subcommand(with_own(sub::<Chart>(&name, &words), &fields));
    }
    for Variant { name, words, fields } in catalogue::analyses() {
        let question = sub::<Analyse>(&name, &words).long_about(catalogue::long_words(&name));
        analyse = analyse.subcommand(with_own(question, &fields));
        chart = chart.subcommand(with_own(sub::<Chart>(&name, &words), &fields));
    }
    let whole = Command::new("localcal")
        .version(env!("CARGO_PKG_VERSION"))
        .about(ABOUT)
        .long_about(LONG_ABOUT)
        .after_help(EXIT)
        .max_term_width(100)
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(
            sub::<Score>("score", "Metrics with 95% CIs and values expected under calibration")
                .after_long_help(format!("{metrics}\n\n{EXIT}")),
        )
        .subcommand(sub::<Report>("report", "Full report of a run: columns, metrics, methods, settings"))
        .subcommand(
            sub::<Recalibrate>("recalibrate", "Fit recalibration methods, evaluate them out of sample, write results")
                .after_long_help(format!("{methods}\n\n{EXIT}")),
        )
        .subcommand(sub::<Apply>("apply", "Apply a stored calibrator to new rows, as CSV"))
        .subcommand(analyse)
        .subcommand(chart)
        .subcommand(sub::<Experiment>(
            "experiment",
            "Methods × feature spaces × splits × metrics from one JSON object: means with spread, paired \
             differences, ranks",
        ))
        .subcommand(sub::<Snippet>("snippet", "Python or JavaScript code that applies a method"))
        .subcommand(
            Command::new("session")
                .about("Save column roles, metrics and recalibrations, for comparison with another file")
                .subcommand_required(true)
                .arg_required_else_help(true)
                .disable_help_subcommand(true)
                .subcommand(sub::<SaveSession>("save", "Write a session, which contains no rows or identifiers")),
        )
        .subcommand(
            sub::<Compare>(
                "compare",
                "Significant changes between a reference and a current file, and whether recalibrations still help",
            )
            .mut_arg("files", |files| {
                files
                    .value_name("REFERENCE CURRENT")
                    .help("The reference (a file of predictions or a session), and the file to compare with it")
            })
            .after_long_help(EXIT),
        )
        .subcommand(
            sub::<Sql>("sql", "SQL that counts more rows than fit in memory where they are, by cells of the score")
                .mut_arg("score", |score| score.required(true))
                .mut_arg("outcome", |outcome| outcome.required(true)),
        )
        .subcommand(sub::<Count>(
            "count",
            "Count the rows of files larger than memory by cells of the score; the result opens in their place",
        ))
        .subcommand(sub::<List>("list", "List metrics, methods, analyses, charts and examples"))
        .subcommand(
            Command::new("completions")
                .about("Shell completions")
                .arg(Arg::new("shell").required(true).value_parser(clap::value_parser!(Shell))),
        );
    with_choices(whole, &choices)
}

/// With what the core knows of some arguments: the words that they choose from, the roles of columns.
fn with_choices(command: Command, choices: &[Field]) -> Command {
    let known = |arg: Arg| match choices.iter().find(|field| arg.get_id() == field.name.as_str()) {
        Some(Field { shape: Shape::Choice(words), .. }) => arg.value_parser(PossibleValuesParser::new(words)),
        _ if arg.get_id() == "roles" => arg.help(format!("Column roles: {}", catalogue::roles().join(", "))),
        _ => arg,
    };
    command.mut_args(known).mut_subcommands(|command| with_choices(command, choices))
}

/// With the options that only this question or chart takes; those that the run takes too go to it by the run's flag.
fn with_own(mut command: Command, known: &[Field]) -> Command {
    let taken: Vec<String> = command.get_arguments().map(|arg| arg.get_id().to_string()).collect();
    for Field { name, shape, words } in known {
        if taken.contains(name) {
            continue;
        }
        let mut arg = Arg::new(format!("{OWN}{name}"))
            .long(name.replace('_', "-"))
            .help(words.clone())
            .value_name(shape.placeholder())
            .action(ArgAction::Set)
            .allow_hyphen_values(true)
            .hide(matches!(name.as_str(), "dpr" | "draft" | "companion_width"))
            .help_heading("Options of this kind");
        if name.contains('_') {
            arg = arg.alias(name.clone());
        }
        if let Shape::Choice(words) = shape {
            arg = arg.value_parser(PossibleValuesParser::new(words));
        }
        if *shape == Shape::Flag {
            arg = arg.num_args(0..=1).default_missing_value("true").require_equals(true);
        }
        command = command.arg(arg);
    }
    command
}

/// What was typed.
///
/// # Errors
/// What was not understood, with clap's words.
pub fn parsed(matches: &ArgMatches) -> Result<Invocation, clap::Error> {
    let (name, found) = subcommand(matches)?;
    Ok(match name {
        "score" => Invocation::Score(Score::from_arg_matches(found)?),
        "report" => Invocation::Report(Report::from_arg_matches(found)?),
        "recalibrate" => Invocation::Recalibrate(Recalibrate::from_arg_matches(found)?),
        "apply" => Invocation::Apply(Apply::from_arg_matches(found)?),
        "experiment" => Invocation::Experiment(Experiment::from_arg_matches(found)?),
        "snippet" => Invocation::Snippet(Snippet::from_arg_matches(found)?),
        "session" => Invocation::SaveSession(SaveSession::from_arg_matches(subcommand(found)?.1)?),
        "compare" => Invocation::Compare(Compare::from_arg_matches(found)?),
        "sql" => Invocation::Sql(Sql::from_arg_matches(found)?),
        "count" => Invocation::Count(Count::from_arg_matches(found)?),
        "list" => Invocation::List(List::from_arg_matches(found)?),
        "analyse" => {
            let (kind, found) = subcommand(found)?;
            let known = options_of(catalogue::analyses(), kind).ok_or_else(unknown)?;
            Invocation::Analyse(kind.to_owned(), Analyse::from_arg_matches(found)?, own_options(known, found))
        }
        "chart" => {
            let (kind, found) = subcommand(found)?;
            let known = options_of(catalogue::charts(), kind).or_else(|| options_of(catalogue::analyses(), kind));
            Invocation::Chart(
                kind.to_owned(),
                Chart::from_arg_matches(found)?,
                own_options(known.ok_or_else(unknown)?, found),
            )
        }
        _ => match found.get_one::<Shell>("shell") {
            Some(shell) => Invocation::Completions(*shell),
            None => return Err(unknown()),
        },
    })
}

fn own_options(known: Vec<Field>, found: &ArgMatches) -> Own {
    let text = |field: &Field| {
        let given = found.try_get_one::<String>(&format!("{OWN}{}", field.name)).ok().flatten();
        given.map(|text| (field.name.clone(), text.clone()))
    };
    Own { given: known.iter().filter_map(text).collect(), known }
}

fn options_of(variants: Vec<Variant>, kind: &str) -> Option<Vec<Field>> {
    variants.into_iter().find(|variant| variant.name == kind).map(|variant| variant.fields)
}

fn subcommand(matches: &ArgMatches) -> Result<(&str, &ArgMatches), clap::Error> {
    matches.subcommand().ok_or_else(unknown)
}

fn unknown() -> clap::Error {
    clap::Error::new(clap::error::ErrorKind::InvalidSubcommand)
}
