//! What a person can change, and what else is told differently: a script gives options, a person at the page uses
//! controls, one at a terminal gives flags.
//!
//! A test reads every text in the source and fails on one that names an option and is no phrase: everybody would be told
//! of it in the words of a script.

use super::{Phrase, Text, told};

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
    SPLIT = ("split", "Rows are divided", "--split");
    POSITIVE = ("positive", "Counted as 1", "--positive");
    MODEL = ("model", "model", "--model");
    NO_COLUMN_IN_ROLES = ("roles: no column", "No column", "No column");
    ROLE_LABEL = ("role `label`", "role “label (outcome)”", "role `label`");
    ROLE_IGNORE = ("role `ignore`", "role “not used”", "role `ignore` (--ignore)");
    PLAIN_ROLE_IGNORE = ("role ignore", "role “not used”", "role ignore (--ignore)");
    PLAIN_ROLE_LABEL = ("role label", "role label", "role label (--label)");
    READING_PERCENT = ("reading percent", "reading percent", "role percent (--roles COLUMN=percent)");
    DROP_ROWS = ("(rows: \"drop\")", "(“A row with an unusable value” under Data)", "(--rows drop)");
    RENORMALISE = ("(renormalise: true)", "(the button below)", "(--renormalise)");
    SAY_THE_ROLES = (
        "Say which column is what, for example roles: { died: \"label\", risk: \"probability\" }.",
        "Say which column is what in the lists under their names.",
        "Say which column is what, for example --label died --probability risk.",
    );
    TOP_LABEL_VIEW = (
        "Use view: \"top_label\".",
        "Choose “Confidence of the predicted class” under “Look at” under Data.",
        "Use --view top_label.",
    );
    POSITIVE_VIEW = (
        "Under Data look at the probability of the positive class (scripts: view \"positive\")",
        "Under Data look at the probability of the positive class",
        "Look at the probability of the positive class (--view positive)",
    );
    SAME_VIEW = (
        "Open the file in the view that the calibrator was fitted in.",
        "Open the file in the view that the calibrator was fitted in.",
        "Open the file in the view that the calibrator was fitted in (--view).",
    );
    SAME_POSITIVE = (
        "Open the file with the same positive label.",
        "Open the file with the same positive label.",
        "Open the file with the same positive label (--positive).",
    );
    HALF_OR_NOTHING = (
        "Write { half: true }, or leave it out.",
        "Choose another way under “Rows are divided” (rows, in the line at the top).",
        "Write --split half, or leave it out.",
    );
    DIVIDE_OTHERWISE = (
        "Ask for 1, name a column of repeats in `by`, or open the data with split: { folds: 5 } or { half: true }.",
        "Divide the rows once, or choose 5-fold cross-fitting or a random half under “Rows are divided” (rows, in the \
         line at the top).",
        "Ask for 1, name a column of repeats with --by, or divide the rows with --folds 5 or --split half.",
    );
    FOLDS_OR_SEEDS = (
        "Open the data with split: { folds: 5 }, or ask for seeds.",
        "Choose 5-fold cross-fitting under “Rows are divided” (rows, in the line at the top), or bands over divisions.",
        "Divide the rows with --folds 5, or ask for --seeds.",
    );
    LABEL_NEEDED = (
        "Give a column the role label.",
        "Give a column the role label.",
        "Name it with --label.",
    );
    LABELS_NEEDED = (
        "Give a column the role label, or correct, or add the file that holds the labels.",
        "Give a column the role label, or correct, or add the file that holds the labels.",
        "Name it with --label, give a column the role correct (--roles COLUMN=correct), or add the file that holds the \
         labels.",
    );
    SCORES_NEEDED = (
        "Give a column the role P(y = 1), probabilities, logits or confidence.",
        "Give a column the role P(y = 1), probabilities, logits or confidence.",
        "Name it with --probability, or give a column the role logits or confidence (--roles COLUMN=ROLE).",
    );
    OTHER_CLASSES_NEEDED = (
        "Give the other classes' columns the role `probability`; or give this one the role `confidence` and name the \
         predicted label.",
        "Give the other classes' columns the role “probability”; or give this one the role “confidence of the \
         prediction” and name the predicted label.",
        "Name the columns of all classes with --probability; or give this one the role confidence and the predicted \
         label the role predicted (--roles COLUMN=ROLE).",
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
        "Drop the table itself, as CSV or NPZ.",
        "Drop the table itself, as CSV or NPZ.",
        "Give the table itself, as CSV or NPZ.",
    );
    // sessions and calibrators
    SESSION_NEEDED = (
        "Open the file with a session (open(files, { session })), or hand one over: the JSON of the export `session`.",
        "Drop the session file of last time together with the new file.",
        "Give the one of last time with --session: what `localcal session save` or the page wrote.",
    );
    SESSION_UNCHANGED = (
        "Give the JSON that the export `session` wrote, unchanged.",
        "Give the session file that the page saved, unchanged.",
        "Give the file that `localcal session save` or the page wrote, unchanged.",
    );
    CALIBRATOR_UNCHANGED = (
        "Give the JSON that the export `calibrator` wrote, unchanged.",
        "Choose a calibrator.json that the view Report wrote, unchanged.",
        "Give the calibrator.json that `localcal recalibrate` or the page wrote, unchanged.",
    );
    OTHER_STORED_METHOD = (
        "Name another method of the calibrator in `method`.",
        "Repair with another method, and export that.",
        "Name another method of the calibrator with --method.",
    );
    METHOD_AND_LOOKS = (
        "which `method` it is and what it `looks_at`",
        "which method it is and what it looks at",
        "which method it is and what it looks at",
    );
    // runs and methods
    RUN_SOME_FIRST = (
        "Run some first: methods: [\"none\", \"temperature\", \"platt\"].",
        "Repair the predictions with some first, with the repair in the line at the top.",
        "Name some: --methods temperature,platt.",
    );
    RUN_THEM_FIRST = (
        "Run them first, or leave “methods” out.",
        "Repair the predictions with them first, with the repair in the line at the top.",
        "Name them in --methods.",
    );
    FEATURES_FOR_ALL = (
        "Name them in local.features, or give columns the role feature.",
        "Give columns the role feature under Data.",
        "Name them with --features, or give columns the role feature (--feature).",
    );
    FEATURES_OF_LOCAL = (
        "Name them in local.features.",
        "Give columns the role feature under Data.",
        "Name them with --features.",
    );
    FEATURES_OF_PROXIMITY = (
        "Name them in proximity.features or in local.features.",
        "Give columns the role feature under Data.",
        "Name them with --features.",
    );
    FEATURES_OF_METHOD = (
        "Name them in parameters.features or in local.features.",
        "Give columns the role feature under Data.",
        "Name them with --features.",
    );
    FEATURES_OF_NETWORK = (
        "Name the features in parameters.features or in local.features.",
        "Give columns the role feature under Data.",
        "Name the features with --features.",
    );
    FEATURES_OF_PROXIMITY_METHOD = (
        "Name them in parameters.features, in proximity.features or in local.features.",
        "Give columns the role feature under Data.",
        "Name them with --features.",
    );
    FEATURES_OF_MAP = (
        "Give one or more columns the role feature.",
        "Give one or more columns the role feature.",
        "Name them with --features.",
    );
    NUMERIC_FEATURES = (
        "Choose one or more numeric columns that describe the rows.",
        "Choose one or more numeric columns that describe the rows.",
        "Name one or more numeric columns that describe the rows with --features.",
    );
    OR_GROUP_OF_METHOD = (", or name one in parameters.groups", " under Data", " (--group)");
    GROUP_NEEDED = (
        "Open the file with a column of categories, or give one the role group.",
        "Open the file with a column of categories, or give one the role group.",
        "Open a file with a column of categories, or name one with --group.",
    );
    BINS_LEFT_OUT = (
        "Leave `bins` out for 15 equal-width bins.",
        "Leave the number of bins empty for 15 of equal width.",
        "Leave --bins out for 15 equal-width bins.",
    );
    TYPED_INTERFACE = (
        "Compare with the typed interface.",
        "Compare with the typed interface.",
        "The --help of the command says what each option takes.",
    );
    WHAT_METHODS_TAKE = (
        "See the README for what each method takes.",
        "See the README for what each method takes.",
        "`localcal list methods --long` says what each method takes.",
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
        ("other methods in parameters.of", "other methods to choose from", "other methods to choose from");
    BEST_CHOOSES_BY = ("parameters.by is one of", "It chooses by one of", "It chooses by one of");
    // settings of methods by the names of the page
    WIDTH_P = ("width_p", "width on scores", "width_p");
    PROB_CLIP = ("prob_clip", "clip of scores", "prob_clip");
    CROSS_FIT = ("cross_fit", "cross-fitting", "cross_fit");
    MIN_ROWS = ("min_rows", "least rows", "min_rows");
    MIN_GROUP = ("min_group", "least rows of a group", "min_group");
    MOST_STEPS = ("most_steps", "most steps", "most_steps");
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
        "Give a numeric column the role feature under Data (scripts: name one in `covariate`).",
        "Give a numeric column the role feature under Data.",
        "Give a numeric column the role feature, or name one with --covariate.",
    );
    OF_OR_GROUP = (
        "Name a numeric column in `of`, or a column with groups in `group`.",
        "Under Data give a numeric column the role feature, or another one the role group.",
        "Name a numeric column with --of, or a column with groups with --group.",
    );
    BY_OR_OTHERS = (
        "Leave out `by`, or `others`.",
        "Divide the rows, or add files: not both.",
        "Leave out --by, or --other.",
    );
    REPEATS_OR_BY = (
        "Leave `repeats` out, or `by`.",
        "Leave “divide the rows how often” empty.",
        "Leave --repeats out, or --by.",
    );
    SWAP_GAMMAS = (
        "Swap gammas.low and gammas.high.",
        "Swap gammas.low and gammas.high.",
        "Swap low and high of --gammas.",
    );
    AROUND_POINTS = (
        "Draw it around some points.",
        "Draw it around some points.",
        "Put it around some points.",
    );
    REGION_GIVEN = (
        "Give box: [x0, x1, y0, y1], polygon: [[x, y], …] or rows: [0, 4, …].",
        "Draw round some rows of the map.",
        "Give --box x0,x1,y0,y1, or --polygon with the corners as a list of pairs.",
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
    let phrase = of.iter().find(|phrase| phrase.told(super::Voice::Script) == words);
    phrase.map_or_else(|| words.into(), |phrase| told![*phrase])
}
