//! What a person can change, and what else is told differently: a script gives options, a person at the page uses
//! controls, one at a terminal gives flags.
//!
//! A test reads every text in the source and fails on one that names an option and is no phrase: page and terminal would print
//! it in the words of a script.

use super::{Phrase, Text, message};

/// Phrases by name: what a script, the page and the terminal say.
macro_rules! phrases {
    ($($(#[$of:meta])* $name:ident = ($script:expr, $page:expr, $terminal:expr $(,)?);)*) => {
        $($(#[$of])* #[doc = concat!("`", stringify!($name), "` in the words of each.")]
        pub const $name: Phrase = Phrase::of($script, $page, $terminal);)*

        /// All of them, by name.
        pub const ALL: &[(&str, Phrase)] = &[$((stringify!($name), $name)),*];
    };
}

phrases! {
    // opening: options, roles and readings
    SPLIT = ("split", "Data split", "--split");
    POSITIVE = ("positive", "Event (coded 1)", "--positive");
    MODEL = ("model", "model", "--model");
    ROWS_OF_ONE_VALUE = (
        "Use only: [{ column, values }] to evaluate its rows alone.",
        "Use “Include rows where” (rows, in the line at the top) to evaluate its rows alone.",
        "Use --options '{\"only\": [{\"column\": \"…\", \"values\": [\"…\"]}]}' to evaluate its rows alone.",
    );
    NO_COLUMN_IN_ROLES = ("roles: no column", "No column", "No column");
    ROLE_LABEL = ("role `label`", "role “Outcome”", "role `label`");
    ROLE_IGNORE = ("role `ignore`", "role “Ignored”", "role `ignore` (--ignore)");
    PLAIN_ROLE_IGNORE = ("role ignore", "role “Ignored”", "role ignore (--ignore)");
    PLAIN_ROLE_LABEL = ("role label", "role label", "role label (--label)");
    ASSIGN_PERCENT = (
        "assign the reading percent",
        "choose “Read as percentages” or the role “Probability (%)”",
        "assign the role percent (--roles COLUMN=percent)",
    );
    ASSIGN_LOGIT = ("assign the role logit", "assign the role “Logit”", "assign the role logit (--roles COLUMN=logit)");
    DROP_ROWS = ("(rows: \"drop\")", "(“Rows with invalid values” under Data)", "(--rows drop)");
    MODELS_NOT_CLASSES = (
        "If each column is a model, give them no role; in percent, readings: { column: \"percent\" } for each.",
        "If each column is a model, give them no role; in percent, choose “Read as percentages”.",
        "If each column is a model, give them no role; in percent, --roles COLUMN=percent for each.",
    );
    RENORMALISE = ("(renormalise: true)", "(the button below)", "(--renormalise)");
    SAY_THE_ROLES = (
        "Assign both, for example roles: { died: \"label\", risk: \"probability\" }.",
        "Under Data, assign both in the lists below the column names.",
        "Assign both, for example --label died --probability risk.",
    );
    TOP_LABEL_VIEW = (
        "Use view: \"top_label\".",
        "Choose “Confidence of the predicted class” under “Evaluate” under Data.",
        "Use --view top_label.",
    );
    POSITIVE_VIEW = (
        "Under Data, evaluate the probability of the positive class (scripts: view \"positive\")",
        "Under Data, evaluate the probability of the positive class",
        "Evaluate the probability of the positive class (--view positive)",
    );
    SAME_VIEW = (
        "Open the file in the view of the calibrator.",
        "Open the file in the view of the calibrator.",
        "Open the file in the view of the calibrator (--view).",
    );
    SAME_POSITIVE = (
        "Open the file with the same positive label.",
        "Open the file with the same positive label.",
        "Open the file with the same positive label (--positive).",
    );
    ROLE_OF_SCORE = (
        "in roles: \"percent\" or \"probability\".",
        "under Data: “Probability (%)” or “Probability”.",
        "with --roles COLUMN=percent or --roles COLUMN=probability.",
    );
    SCORES_OF_CALIBRATOR = (
        "Open the file with that model (model), or assign the columns the roles that they are to have (roles).",
        "Choose that model (the line at the top), or assign the columns their roles under Data.",
        "Choose that model (--model), or name the column of scores (--probability) if it is the right one.",
    );
    HALF_OR_NOTHING = (
        "Write { half: true }, or omit it.",
        "Choose another “Data split” (rows, in the line at the top).",
        "Write --split half, or omit it.",
    );
    DIVIDE_OTHERWISE = (
        "Request 1, name a column of repeats in `by`, or open the data with split: { folds: 5 } or { half: true }.",
        "Use one split, or choose 5-fold cross-fitting or a random half under “Data split” (rows, in the line at \
         the top).",
        "Request 1, name a column of repeats with --by, or split the rows with --folds 5 or --split half.",
    );
    FOLDS_OR_SEEDS = (
        "Open the data with split: { folds: 5 }, or request seeds.",
        "Choose 5-fold cross-fitting under “Data split” (rows, in the line at the top), or bands over splits.",
        "Split the rows with --folds 5, or request --seeds.",
    );
    LABEL_NEEDED = (
        "Assign the role label.",
        "Assign “Outcome”.",
        "Name it with --label.",
    );
    LABELS_NEEDED = (
        "Assign the role label or correct, or add the file with outcomes.",
        "Assign “Outcome” or “Correct (0/1)”, or add the file with outcomes.",
        "Name it with --label, assign the role correct (--roles COLUMN=correct), or add the file with outcomes.",
    );
    SCORES_NEEDED = (
        "Assign a probability, logit or confidence column.",
        "Assign a probability, logit or confidence column.",
        "Name it with --probability, or assign the role logits or confidence (--roles COLUMN=ROLE).",
    );
    OTHER_CLASSES_NEEDED = (
        "Assign `probability` to the columns of the other classes, or `confidence` to this one and name the \
         predicted class; or name the event with `positive`, against all other outcomes.",
        "Add the columns of the other classes, or assign “Confidence” and the predicted class.",
        "Name the columns of all classes with --probability, or assign confidence to this one and predicted to the \
         predicted class (--roles COLUMN=ROLE); or name the event with --positive, against all other outcomes.",
    );
    DROP = ("drop", "drop", "give");
    DROP_AT_FIRST = ("Drop", "Drop", "Give");
    DROP_AGAIN = ("drop the file again", "drop the file again", "give it again");
    DROP_AS_CSV = (
        "In the spreadsheet: File, Save as, CSV (UTF-8); then drop the CSV.",
        "In the spreadsheet: File, Save as, CSV (UTF-8); then drop the CSV.",
        "In the spreadsheet: File, Save as, CSV (UTF-8); then give the CSV.",
    );
    DROP_OF_SPSS = (
        "In SPSS: File, Save as, CSV; then drop the CSV.",
        "In SPSS: File, Save as, CSV; then drop the CSV.",
        "In SPSS: File, Save as, CSV; then give the CSV.",
    );
    DROP_THE_TABLE = (
        "Drop the table itself, as CSV, Excel, Parquet or NPZ.",
        "Drop the table itself, as CSV, Excel, Parquet or NPZ.",
        "Give the table itself, as CSV, Excel, Parquet or NPZ.",
    );
    // sessions and calibrators
    SESSION_NEEDED = (
        "Open the file together with a session (open(files, { session })), or pass the JSON of the export `session`.",
        "Open the file together with a session.",
        "Pass a session file written by `localcal session save` or the page with --session.",
    );
    SESSION_UNCHANGED = (
        "Use the exported session JSON unchanged.",
        "Use the session file saved by the page, unchanged.",
        "Use the file written by `localcal session save` or the page, unchanged.",
    );
    CALIBRATOR_UNCHANGED = (
        "Use the exported JSON unchanged.",
        "Use the calibrator.json exported under Report, unchanged.",
        "Use the calibrator.json written by `localcal recalibrate` or the page, unchanged.",
    );
    CALIBRATOR_APPLIED = (
        "Open a file of rows, and apply the calibrator to it: data.export(\"applied\", { calibrator }).",
        "Open the file of new rows alone, and choose the calibrator under Report, “Apply a saved calibrator”.",
        "Apply it to a file of rows: localcal apply CALIBRATOR FILE.",
    );
    OTHER_STORED_METHOD = (
        "Choose another method of the calibrator in `method`.",
        "Recalibrate with another method, and export it.",
        "Choose another method of the calibrator with --method.",
    );
    METHOD_AND_LOOKS = (
        "which `method` it is and what it `looks_at`",
        "which method it is and which inputs it uses",
        "which method it is and which inputs it uses",
    );
    // runs and methods
    RUN_SOME_FIRST = (
        "Run methods first: methods: [\"none\", \"temperature\", \"platt\"].",
        "Run methods first, under “Recalibration” in the line at the top.",
        "Name methods: --methods temperature,platt.",
    );
    RUN_THEM_FIRST = (
        "Run them first, or omit “methods”.",
        "Run them first, under “Recalibration” in the line at the top.",
        "Name them in --methods.",
    );
    FEATURES_FOR_ALL = (
        "Name them in local.features, or assign the role feature.",
        "Assign “Feature” under Data.",
        "Name them with --features, or assign the role feature (--feature).",
    );
    FEATURES_OF_LOCAL = (
        "Name them in local.features.",
        "Assign “Feature” under Data.",
        "Name them with --features.",
    );
    FEATURES_OF_PROXIMITY = (
        "Name them in proximity.features or in local.features.",
        "Assign “Feature” under Data.",
        "Name them with --features.",
    );
    FEATURES_OF_METHOD = (
        "Name them in parameters.features or in local.features.",
        "Assign “Feature” under Data.",
        "Name them with --features.",
    );
    FEATURES_OF_NETWORK = (
        "Name the features in parameters.features or in local.features.",
        "Assign “Feature” under Data.",
        "Name the features with --features.",
    );
    FEATURES_OF_PROXIMITY_METHOD = (
        "Name them in parameters.features, in proximity.features or in local.features.",
        "Assign “Feature” under Data.",
        "Name them with --features.",
    );
    FEATURES_OF_MAP = (
        "Assign “Feature” to one or more columns.",
        "Assign “Feature” to one or more columns.",
        "Name them with --features.",
    );
    NUMERIC_FEATURES = (
        "Choose one or more numeric features.",
        "Choose one or more numeric features.",
        "Name one or more numeric features with --features.",
    );
    OR_GROUP_OF_METHOD = (", or name one in parameters.groups", " under Data", " (--group)");
    GROUP_NEEDED = (
        "Assign “Group” to a categorical column.",
        "Assign “Group” to a categorical column.",
        "Name a categorical column with --group.",
    );
    BINS_LEFT_OUT = (
        "Omit `bins` for 15 equal-width bins.",
        "Leave the number of bins empty for 15 of equal width.",
        "Omit --bins for 15 equal-width bins.",
    );
    TYPED_INTERFACE = (
        "See the typed interface.",
        "See the typed interface.",
        "See --help of the command for what each option takes.",
    );
    WHAT_METHODS_TAKE = (
        "See docs/recalibration.md for the settings of each method.",
        "See docs/recalibration.md for the settings of each method.",
        "See `localcal list methods --long` for the settings of each method.",
    );
    NAMED_METHOD = (
        ": { id, name, parameters }.",
        ": { id, name, parameters }.",
        ": --methods takes a list of objects with id, name and parameters, too.",
    );
    METHOD_BEFORE_BASE = ("Write { id: \"", "Write { id: \"", "Write `");
    BASE_AFTER_METHOD = (
        "\", parameters: { base: { … }, … } }.",
        "\", parameters: { base: { … }, … } }.",
        "` with an object as its parameters; those of the first method stand in its field base.",
    );
    ADD_PMCBOOST = ("Add compat: \"pmcboost\"", "Add compat: \"pmcboost\"", "Set compat to pmcboost");
    OTHER_METHODS_OF_BEST =
        ("other methods in parameters.of", "other candidate methods", "other candidate methods");
    BEST_CHOOSES_BY = ("parameters.by is one of", "Available criteria", "Available criteria");
    // settings of methods by the names of the page
    WIDTH_P = ("width_p", "score bandwidth", "width_p");
    PROB_CLIP = ("prob_clip", "score clipping", "prob_clip");
    CROSS_FIT = ("cross_fit", "cross-fitting", "cross_fit");
    MIN_ROWS = ("min_rows", "minimum rows", "min_rows");
    MIN_GROUP = ("min_group", "minimum group size", "min_group");
    MOST_STEPS = ("most_steps", "maximum steps", "most_steps");
    // how options are written, as the readers of JSON say it
    SPLIT_WRITTEN = (
        "split is \"auto\", { folds: 5 }, { half: true }, { column, calibration, before }, { first: n } or { files: true }",
        "split is \"auto\", { folds: 5 }, { half: true }, { column, calibration, before }, { first: n } or { files: true }",
        "--split is auto, half, files, first:N, COLUMN, or COLUMN=VALUE,… (these calibrate); --folds gives a number of \
         folds",
    );
    FEATURES_WRITTEN = (
        "features are a name, a list of names, or { pca, of } with a whole number and a list of names",
        "features are a name, a list of names, or { pca, of } with a whole number and a list of names",
        "features are names of columns with commas between them, or pca:2 for principal components",
    );
    METHOD_WRITTEN = (
        "a method is an id, or { id, name, parameters } with nothing else in it",
        "a method is an id, or { id, name, parameters } with nothing else in it",
        "a method is an id, or an object of id, name and parameters with nothing else in it",
    );
    BINS_WRITTEN = (
        "bins are a number, or { count, scheme, closed, edges }",
        "bins are a number, or { count, scheme, closed, edges }",
        "bins are a number, or an object of count, scheme, closed and edges",
    );
    // questions
    COVARIATE = (
        "Assign “Feature” to a numeric column under Data (scripts: name one in `covariate`).",
        "Assign “Feature” to a numeric column under Data.",
        "Assign the role feature to a numeric column, or name one with --covariate.",
    );
    OF_OR_GROUP = (
        "Name a numeric column in `of`, or a group column in `group`.",
        "Assign “Feature” to a numeric column or “Group” to another under Data.",
        "Name a numeric column with --of, or a group column with --group.",
    );
    BY_OR_OTHERS = (
        "Omit `by` or `others`.",
        "Use repeated splits or additional files, not both.",
        "Omit --by or --other.",
    );
    REPEATS_OR_BY = (
        "Omit `repeats` or `by`.",
        "Leave “Repeated splits” empty.",
        "Omit --repeats or --by.",
    );
    SWAP_GAMMAS = (
        "Swap gammas.low and gammas.high.",
        "Swap gammas.low and gammas.high.",
        "Swap low and high of --gammas.",
    );
    AROUND_POINTS = (
        "Draw it around points of the map.",
        "Draw it around points of the map.",
        "Place it around points of the map.",
    );
    REGION_GIVEN = (
        "Specify box: [x0, x1, y0, y1], polygon: [[x, y], …] or rows: [0, 4, …].",
        "Draw a region on the map.",
        "Specify --box x0,x1,y0,y1, or --polygon with the corners as a list of pairs.",
    );
}

/// Settings whose names the page does not use.
const SETTINGS: &[Phrase] = &[WIDTH_P, PROB_CLIP, CROSS_FIT, MIN_ROWS, MIN_GROUP, MOST_STEPS];
/// What readers of JSON expect, where the terminal has other words.
pub const WRITTEN: &[Phrase] = &[SPLIT_WRITTEN, FEATURES_WRITTEN, METHOD_WRITTEN, BINS_WRITTEN];

/// A setting by the name that a script gives it, which must be one of the program's own names.
pub fn setting(name: &str) -> Text {
    own(SETTINGS, name)
}

/// What a reader of JSON says of what it cannot read. It says one of its own sentences whole, or one of serde's with
/// what was read in it, which is told as it is.
pub fn unread(error: &dyn std::fmt::Display) -> Text {
    own(WRITTEN, &error.to_string())
}

/// The phrase that a script is told in just these words, else the words.
fn own(of: &[Phrase], words: &str) -> Text {
    let phrase = of.iter().find(|phrase| phrase.worded_for(super::Interface::Script) == words);
    phrase.map_or_else(|| words.into(), |phrase| message![*phrase])
}
