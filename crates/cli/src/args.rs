//! What can be typed.
//!
//! Flags that are the same for every command stand here with their help; the options of questions and charts are made
//! from the core's types, and what they choose from is listed from its catalogue.

use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, RangedU64ValueParser};
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches, ValueHint};
use clap_complete::Shell;

use crate::catalogue::{self, EXAMPLES, Entry};
use crate::gate::GateArgs;
use crate::shape::{Field, Shape, Variant};

/// Where a question's or a chart's own options are kept among the matches.
pub const OWN: &str = "own:";

const EXIT: &str = "Exit status: 0 success; 1 invalid input (standard error has a message and a hint); 2 invalid \
                    command line; 3 a condition of --fail-if is met; 70 a bug in the program.";

const ABOUT: &str = "Where, and for whom, a classifier's confidence cannot be trusted, and how to recalibrate it";

const LONG_ABOUT: &str = "Where, and for whom, a classifier's confidence cannot be trusted, and how to recalibrate \
                          it.\n\nInput: files of predictions and outcomes (CSV, TSV, JSON, NPY, NPZ, also gzip or \
                          ZIP; `-` is standard input); columns are recognized by name and content. Results are \
                          identical to those of the page, bit for bit. Nothing leaves the machine.";

/// Most threads that can be asked for.
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

/// What the command line requests.
pub enum Invocation {
    /// metrics of the predictions as they are
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
    /// A built-in data set in the place of files
    #[arg(long, value_name = "NAME", conflicts_with = "files",
          value_parser = PossibleValuesParser::new(EXAMPLES.iter().map(|example| example.id)))]
    pub example: Option<String>,
    /// The column that says what happened
    #[arg(long, value_name = "COLUMN")]
    pub label: Option<String>,
    /// Columns with probabilities
    #[arg(long, value_name = "COLUMN,…", value_delimiter = ',')]
    pub probability: Vec<String>,
    /// Columns that say which rows are alike
    #[arg(long, value_name = "COLUMN,…", value_delimiter = ',')]
    pub feature: Vec<String>,
    /// Columns whose values are groups
    #[arg(long, value_name = "COLUMN,…", value_delimiter = ',')]
    pub group: Vec<String>,
    /// The column of sample weights
    #[arg(long, value_name = "COLUMN")]
    pub weights: Option<String>,
    /// The column that names rows
    #[arg(long, value_name = "COLUMN")]
    pub id: Option<String>,
    /// Columns that are not used
    #[arg(long, value_name = "COLUMN,…", value_delimiter = ',')]
    pub ignore: Vec<String>,
    /// The column whose values say which rows belong together, such as the visits of one patient; `none`: rows are
    /// independent. Default: a column that reads like an id and repeats
    #[arg(long, value_name = "COLUMN|none")]
    pub clusters: Option<String>,
    /// Any roles
    #[arg(long, value_name = "COLUMN=ROLE,…", value_delimiter = ',')]
    pub roles: Vec<String>,
    /// Read as in a session that `localcal session save` or the page wrote: roles, the event, conditions on rows; what flags
    /// say outweighs it
    #[arg(long, value_name = "FILE|JSON|-", value_hint = ValueHint::FilePath)]
    pub session: Option<String>,
    /// The label that is counted as 1
    #[arg(long, value_name = "LABEL")]
    pub positive: Option<String>,
    /// Look at P(y = 1), or at the confidence of the predicted class
    #[arg(long, value_name = "VIEW")]
    pub view: Option<String>,
    /// Which of several models of the same rows
    #[arg(long, value_name = "NAME")]
    pub model: Option<String>,
    /// Rows with a missing or unusable value: refuse the file (the default), or leave them out
    #[arg(long, value_name = "WHAT")]
    pub rows: Option<String>,
    /// Attempts of an evaluation log without a confidence or a judgment: excluded (the default), incorrect (at the stated
    /// confidence) or incorrect_at_one (at a confidence of 100%)
    #[arg(long, value_name = "HOW")]
    pub unanswered: Option<String>,
    /// Divide probabilities by their sum, row by row
    #[arg(long)]
    pub renormalise: bool,
    /// Whether the first row of tables holds names; default: as it looks
    #[arg(long, value_name = "true|false")]
    pub header: Option<bool>,
    /// Whether the last row of tables holds totals of the others and is left out; default: as it looks
    #[arg(long, value_name = "true|false")]
    pub totals: Option<bool>,
    /// A value that stands for a missing one; several: --missing a=999 --missing b=-1
    #[arg(long, value_name = "COLUMN=VALUE")]
    pub missing: Vec<String>,
    /// Memory that a file may take, packed, unpacked and as numbers: bytes, or 500M, 8G; default: 2G
    #[arg(long, value_name = "SIZE", value_parser = memory)]
    pub max_memory: Option<u64>,
    /// Fit and score across so many folds
    #[arg(long, value_name = "K", conflicts_with = "split")]
    pub folds: Option<u64>,
    /// How rows are divided: auto, half, files (the first file calibrates), first:N, or COLUMN, or COLUMN=VALUE,… (these
    /// calibrate)
    #[arg(long, value_name = "HOW")]
    pub split: Option<String>,
}

/// What is computed.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Run")]
pub struct RunArgs {
    /// Methods by id (see `localcal list methods`); one after another with a plus sign
    #[arg(long, value_name = "ID,…")]
    pub methods: Option<String>,
    /// Metrics by id (see `localcal list metrics`), or all
    #[arg(long, value_name = "ID,…")]
    pub metrics: Option<String>,
    /// Confidence bins: a number, or JSON { count, scheme, closed, edges }
    #[arg(long, value_name = "N")]
    pub bins: Option<String>,
    /// One column whose values are groups, or two, for the metrics of groups
    #[arg(long, value_name = "COLUMN,…")]
    pub groups: Option<String>,
    /// Draws for intervals and floors; 0: none
    #[arg(long, value_name = "N")]
    pub resamples: Option<String>,
    /// Seed of folds and draws
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Rows on which the predictions are scored as they are
    #[arg(long, value_name = "WHICH")]
    pub evaluate_on: Option<String>,
    /// Which rows are alike: columns, the name of an array, pca:2 for principal components
    #[arg(long, value_name = "COLUMN,…")]
    pub features: Option<String>,
    /// Bandwidth γ
    #[arg(long, value_name = "G")]
    pub gamma: Option<String>,
    /// Kernel of the local metrics: laplacian, gaussian, rbf, group, constant
    #[arg(long, value_name = "NAME")]
    pub kernel: Option<String>,
    /// Local metrics: with the page's own choice of features and bandwidth, or JSON
    #[arg(long, value_name = "JSON", num_args = 0..=1, default_missing_value = "auto")]
    pub local: Option<String>,
    /// Settings of the trust test, as JSON
    #[arg(long, value_name = "JSON")]
    pub klce: Option<String>,
    /// Settings of proximity, as JSON
    #[arg(long, value_name = "JSON")]
    pub proximity: Option<String>,
    /// A feature map to make first, as JSON { name, of, scale, pca, tsne }
    #[arg(long, value_name = "JSON")]
    pub project: Option<String>,
    /// Options as the scripted interface takes them: a JSON file, JSON itself, or `-` for standard input; flags override it
    #[arg(long, value_name = "FILE|JSON|-", value_hint = ValueHint::FilePath)]
    pub options: Option<String>,
}

/// How it is done and told.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Output")]
pub struct OutputArgs {
    /// JSON in the place of text
    #[arg(long)]
    pub json: bool,
    /// No progress, no warnings
    #[arg(long, short)]
    pub quiet: bool,
    /// Threads; default: as many as the machine runs at once. The numbers are the same
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true,
          value_parser = RangedU64ValueParser::<usize>::new().range(0..=MOST_THREADS))]
    pub threads: usize,
    /// Withhold what was computed from fewer rows than this, and what would tell it, from reports, sessions, calibrators,
    /// answers, charts and experiments; default: nothing
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(3..=1000))]
    pub suppress: Option<u64>,
    /// Width of text; default: those of the terminal, 80 in a pipe
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(40..))]
    pub text_width: Option<u16>,
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
    /// Write to a file: JSON where it ends in .json, the report as a document in .html, .tex or .md, else the text
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
    /// Apply what was fitted to new rows, which need no labels
    #[arg(long, value_name = "NEWFILE", value_hint = ValueHint::FilePath)]
    pub apply: Vec<PathBuf>,
    /// Where results go: a folder (predictions.csv, calibrator.json, report.json, applied.csv), a file (.csv: predictions,
    /// with --apply those of the new rows; .json: the calibrator), or `-` for the CSV on standard output
    #[arg(long, short, value_name = "PATH", value_hint = ValueHint::AnyPath, help_heading = "Output")]
    pub out: Option<PathBuf>,
}

/// Arguments of `apply`.
#[derive(Debug, Clone, Args)]
pub struct Apply {
    /// A calibrator that `recalibrate` or the page wrote
    #[arg(value_hint = ValueHint::FilePath)]
    pub calibrator: PathBuf,
    /// data
    #[command(flatten)]
    pub open: OpenArgs,
    /// Only this method of those that are stored
    #[arg(long, value_name = "NAME")]
    pub method: Option<String>,
    /// The probability of every class besides
    #[arg(long)]
    pub classes: bool,
    /// Options of opening as the scripted interface takes them
    #[arg(long, value_name = "FILE|JSON|-")]
    pub options: Option<String>,
    /// output
    #[command(flatten)]
    pub output: OutputArgs,
    /// A file in the place of standard output
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
    /// Another data set that the question is also about, where it takes several
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
    /// Another data set that the question is also about, where it takes several
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Data")]
    pub other: Vec<PathBuf>,
    /// The picture: .svg, .pdf (the drawing alone, for a paper) or .png; further ones of the same question get -2, -3, …
    /// before the ending. Default: SVG of the first on standard output
    #[arg(long, short, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Output")]
    pub out: Option<PathBuf>,
    /// Pixels of a PNG to a CSS pixel
    #[arg(long, value_name = "N", default_value_t = 2.0, help_heading = "Output")]
    pub scale: f32,
    /// Light on dark
    #[arg(long, help_heading = "Output")]
    pub dark: bool,
    /// For print, so many millimetres wide (a column: 85, a page: 180): SVG or PDF, black on white, letters of 7 points or
    /// more
    #[arg(long, value_name = "MM", conflicts_with_all = ["dark", "scale"], help_heading = "Output")]
    pub print: Option<f64>,
}

/// Arguments of `experiment`.
#[derive(Debug, Clone, Args)]
pub struct Experiment {
    /// The experiment: a JSON file as the page or this command wrote it, or JSON itself
    #[arg(value_name = "SPEC", value_hint = ValueHint::FilePath)]
    pub spec: String,
    /// data
    #[command(flatten)]
    pub open: OpenArgs,
    /// output
    #[command(flatten)]
    pub output: OutputArgs,
    /// Another data set that is done like the first
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Data")]
    pub other: Vec<PathBuf>,
    /// What is there of it already: cells in this file are not done again; it may be the one that --out names
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Data")]
    pub resume: Option<PathBuf>,
    /// A file: .json (all of it, saved while it runs, too), .csv (the summary), .tex or .md (tables); default: text on
    /// standard output
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
    /// The method that is written down, where there are several
    #[arg(long, value_name = "NAME")]
    pub method: Option<String>,
    /// The language
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
    /// The session, as JSON; default: standard output
    #[arg(long, short, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Output")]
    pub out: Option<PathBuf>,
}

/// Arguments of `compare`.
#[derive(Debug, Clone, Args)]
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
pub struct Sql {
    /// The dialect: duckdb, postgres, spark, databricks, bigquery, snowflake, clickhouse, sqlserver, datafusion or sqlite
    #[arg(long, value_name = "NAME")]
    pub dialect: String,
    /// The table; dots separate database, schema and table, a part with a dot goes in double quotes
    #[arg(long, value_name = "TABLE")]
    pub table: String,
    /// The column of predicted probabilities
    #[arg(long, value_name = "COLUMN")]
    pub score: String,
    /// The column of outcomes
    #[arg(long, value_name = "COLUMN")]
    pub outcome: String,
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
    /// A column of sample weights, whose sums are counted besides
    #[arg(long, value_name = "COLUMN")]
    pub weights: Option<String>,
    /// Scores are percentages
    #[arg(long)]
    pub percent: bool,
    /// Cells of the score: 960, 480, 240, 120 or 60; default: 960
    #[arg(long, value_name = "N")]
    pub cells: Option<u32>,
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

/// Arguments of `list`.
#[derive(Debug, Clone, Args)]
pub struct List {
    /// What to list; default: all
    #[arg(value_parser = PossibleValuesParser::new(["metrics", "methods", "analyses", "charts", "examples"]))]
    pub what: Option<String>,
    /// With definitions and sources
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
                .about("Save how a file was read, its metrics and recalibrations, for another file")
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
        .subcommand(sub::<Sql>(
            "sql",
            "SQL that counts more rows than fit in memory where they are, by cells of the score",
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
        _ if arg.get_id() == "roles" => arg.help(format!("Any roles: {}", catalogue::roles().join(", "))),
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
            .help_heading("Of this kind");
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
