//! What the names of columns and arrays say.

mod class;
mod event;
mod known;

pub(super) use class::{
    before_score_words, by_sense, class_of_score, classes, label_tail, leading_label, named_label, number_tail,
    without_repeat,
};
pub(super) use event::{
    Sense, answers, event_beside_its_absence, may_both_be_events, means_event, names_event, sense, without_time,
};
pub(super) use known::*;

/// A name in lower case, words joined by `_`: `trueLabel`, `True.Label` → `true_label`.
pub(super) fn snake(name: &str) -> String {
    let mut out = String::with_capacity(name.len() + 4);
    let mut lower = false;
    for c in name.chars() {
        if c.is_alphanumeric() {
            if c.is_uppercase() && lower {
                out.push('_');
            }
            lower = c.is_lowercase();
            out.extend(c.to_lowercase());
        } else {
            lower = false;
            out.push('_');
        }
    }
    out
}

/// [`snake`] without `_` at its ends or twice.
pub(super) fn plain(name: &str) -> String {
    words(name).join("_")
}

/// Words of a name.
pub(super) fn words(name: &str) -> Vec<String> {
    snake(name).split('_').filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// What rows are for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum DataPart {
    /// a model was fitted to them
    Training,
    /// recalibrations are fitted to them
    Calibration,
    /// they are evaluated
    Scored,
}

impl DataPart {
    /// The part that a value of a column, or a word of a name, means: `val`, `Test set`, `training_sample`, `out-of-time`.
    pub fn named(value: &str) -> Option<DataPart> {
        // SPSS Modeler numbers the parts: 1_Training
        let name = plain(value.trim_start_matches(|c: char| c.is_ascii_digit()));
        let end = PART_ENDS.iter().find_map(|end| name.strip_suffix(end));
        let name = end.map_or(name.as_str(), |start| start.trim_end_matches('_'));
        let parts = [(CALIBRATE, DataPart::Calibration), (SCORED, DataPart::Scored), (TRAINING, DataPart::Training)];
        parts.into_iter().find(|(list, _)| list.contains(&name)).map(|(_, part)| part)
    }
}

/// [`plain`] without the words that only say which part of the data it is: `test_logits` → `logits`.
pub(super) fn bare(name: &str) -> String {
    let all = words(name);
    let mut kept: &[String] = &all;
    let part = |word: &String| PART_WORDS.contains(&word.as_str());
    while let [first, rest @ ..] = kept
        && !rest.is_empty()
        && part(first)
    {
        kept = rest;
    }
    while let [rest @ .., last] = kept
        && !rest.is_empty()
        && part(last)
    {
        kept = rest;
    }
    kept.join("_")
}

/// Place of a name in a list of known names.
pub(super) fn rank(name: &str, known: &[&str]) -> Option<usize> {
    let (whole, bare) = (plain(name), bare(name));
    known.iter().position(|k| *k == whole).or_else(|| known.iter().position(|k| *k == bare))
}

/// What the name says that rows are about, one of [`CLUSTERED`]: its place there.
pub(super) fn clustered(name: &str) -> Option<usize> {
    let (noun, has_end) = noun_and_end(name)?;
    CLUSTERED.iter().position(|clustered| clustered.is_meant_by(&noun, has_end))
}

/// What the name names, without what only says that it is an id: `patient_id`, `patientid` and `patient` → `patient`;
/// `None` where nothing is left.
pub(super) fn id_noun(name: &str) -> Option<String> {
    noun_and_end(name).map(|(noun, _)| noun)
}

/// [`id_noun`], and whether something behind it says that it is an id.
fn noun_and_end(name: &str) -> Option<(String, bool)> {
    let mut words = words(name);
    let all = words.len();
    while words.len() > 1 && words.last().is_some_and(|word| ID_ENDS.contains(&word.as_str())) {
        words.pop();
    }
    let has_end = words.len() < all;
    let last = words.pop()?;
    let known = |noun: &str| CLUSTERED.iter().any(|clustered| clustered.is_meant_by(noun, true));
    let ends = ["id", "nummer", "nr", "no"].into_iter();
    let bare = ends.filter_map(|end| last.strip_suffix(end)).find(|noun| known(noun)).map(str::to_owned);
    let has_end = has_end || bare.is_some();
    Some((bare.unwrap_or(last), has_end))
}

/// Whether a name beside an outcome is that of the time to the event or to the end of follow-up.
///
/// * `others`: names of all columns; a status at the end of follow-up may be beside an outcome that was made of it
pub(super) fn is_follow_up<'a>(name: &str, outcome: &str, others: impl IntoIterator<Item = &'a str>) -> bool {
    let name = plain(name);
    let status = || {
        matches!(plain(outcome).as_str(), "status" | "event" | "vital_status" | "event_status")
            || others.into_iter().any(|other| matches!(plain(other).as_str(), "status" | "vital_status"))
    };
    FOLLOW_UP.contains(&name.as_str()) || name == "time" && status()
}

/// The name says that its values are ids, whatever they are: `subject_id`, `patientid`, `participant no`, `mrn`. A code or a
/// key may be that of a category.
pub(super) fn says_id(name: &str) -> bool {
    let abbreviated = |word: String| matches!(word.as_str(), "mrn" | "pid" | "csn" | "pseudonym" | "cluster");
    ends_as_id(name) || words(name).pop().is_some_and(abbreviated)
}

/// The same without abbreviations that have other meanings: `PID` is also the identification with a party.
pub(super) fn ends_as_id(name: &str) -> bool {
    let code = |word: String| matches!(word.as_str(), "key" | "code");
    noun_and_end(name).is_some_and(|(_, has_end)| has_end) && !words(name).pop().is_some_and(code)
}

/// The name says that values name something, and nothing of [`NOT_CLUSTERED`].
pub(super) fn suggests_id(name: &str) -> bool {
    let ends = words(name).last().is_some_and(|word| matches!(word.as_str(), "id" | "uuid" | "guid"));
    let noun = id_noun(name).unwrap_or_default();
    (ends || rank(name, ID).is_some()) && noun != "id" && noun != "ids" && !NOT_CLUSTERED.contains(&noun.as_str())
}

fn any_word(name: &str, list: &[&str]) -> bool {
    words(name).iter().any(|word| list.contains(&word.trim_end_matches(|c: char| c.is_ascii_digit())))
}

/// The name says that these are probabilities.
pub(super) fn suggests_probability(name: &str) -> bool {
    // German joins it to what it is the probability of: Ausfallwahrscheinlichkeit
    let joined = || words(name).iter().any(|word| word.ends_with("wahrscheinlichkeit"));
    (any_word(name, PROBABILITY_WORDS) || joined()) && !NOT_SCORES.contains(&plain(name).as_str())
}

/// The name says that these are scores.
pub(super) fn suggests_score(name: &str) -> bool {
    suggests_probability(name) || any_word(name, SCORE_WORDS) && !NOT_SCORES.contains(&plain(name).as_str())
}

/// The name says that these are scores or probabilities of an event, perhaps at a time: `risk5y`, `p5`, `surv5`; no rank among them.
pub(super) fn suggests_score_at_a_time(name: &str) -> bool {
    let timeless = words(name).into_iter().map(without_time).collect::<Vec<_>>().join("_");
    (suggests_score(&timeless) || sense(&timeless).is_some()) && !any_word(name, RANK_WORDS)
}

/// What a verdict in words says: that the answer was correct, that it was not, or (`None`) that there was none.
pub(super) fn verdict(text: &str) -> Option<Option<bool>> {
    match text.trim().to_lowercase().replace(['_', '-'], " ").as_str() {
        "correct" | "right" => Some(Some(true)),
        "incorrect" | "wrong" => Some(Some(false)),
        "not attempted" | "abstained" | "abstain" | "no answer" | "unanswered" => Some(None),
        _ => None,
    }
}

/// The name says that these are confidences of the predicted class.
pub(super) fn is_confidence(name: &str) -> bool {
    rank(name, CONFIDENCE).is_some()
}

/// The same, also of an object: `response.confidence`.
pub(super) fn says_confidence(name: &str) -> bool {
    is_confidence(name) || name.rsplit('.').next().is_some_and(is_confidence)
}

/// The name says that these are percents.
pub(super) fn suggests_percent(name: &str) -> bool {
    name.contains('%') || any_word(name, PERCENT_WORDS)
}

/// The name says that these are scores in percent.
pub(super) fn says_percent(name: &str) -> bool {
    suggests_percent(name) && suggests_score(name) && !suggests_label(name)
}

/// What makes probabilities of numbers whose name says that they are in basis points or per mille, in words.
pub(super) fn smaller_than_percent(name: &str) -> Option<&'static str> {
    let plain = plain(name);
    if name.contains('‰') || any_word(name, PER_MILLE_WORDS) || plain.contains("per_mille") {
        return Some("Divide values per mille by 1,000 first");
    }
    (any_word(name, BASIS_POINT_WORDS) || plain.contains("basis_point"))
        .then_some("Divide basis points by 10,000 first")
}

/// A name without the words that say that it is in percent: `risk_percent` → `risk`.
pub(super) fn without_percent(name: &str) -> String {
    words(name).into_iter().filter(|word| !PERCENT_WORDS.contains(&word.as_str())).collect::<Vec<_>>().join("_")
}

/// The name says that a model wrote these.
pub(super) fn suggests_model(name: &str) -> bool {
    any_word(name, &["model", "models"])
}

/// The name that a column had before another of the same name was distinguished from it: `age` of `age (2)` and `age.1`.
pub(super) fn repeated(name: &str) -> Option<&str> {
    let (base, number) = match name.strip_suffix(')') {
        Some(rest) => rest.rsplit_once(" (")?,
        None => name.rsplit_once('.')?,
    };
    (!base.is_empty() && !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())).then_some(base)
}

/// The name says that these are logits.
pub(super) fn suggests_logit(name: &str) -> bool {
    rank(name, LOGIT).is_some() || any_word(name, &["logit", "logits"])
}

/// The name says that these are a linear predictor, which only that of a logistic model makes log-odds.
pub(super) fn is_linear_predictor(name: &str) -> bool {
    rank(name, LINEAR_PREDICTOR).is_some()
}

/// The name says that these are logarithms of probabilities: `log_prob`, `pred_logprob`.
pub(super) fn suggests_log_probability(name: &str) -> bool {
    let words = words(name);
    // logp is the solubility of a substance, too
    let joined = |word: &str| word.len() > 1 && PROBABILITY_WORDS.contains(&word);
    if words.iter().any(|word| word.strip_prefix("log").is_some_and(joined)) {
        return true;
    }
    words.windows(2).any(|two| {
        two.first().is_some_and(|word| word == "log")
            && two.last().is_some_and(|word| PROBABILITY_WORDS.contains(&word.as_str()))
    })
}

/// How much more a name is that of a predicted class with a score than of an observed one: what it shares with the name of the
/// score (`gpt4` and `gpt4_conf`), words for programs, words for people.
pub(super) fn is_predicted_with(name: &str, score: &str) -> i32 {
    let (own, of_score) = (words(name), words(score));
    let shared = own.first().is_some_and(|word| of_score.first() == Some(word));
    let any = |list| i32::from(any_word(name, list));
    2 * i32::from(shared) + any(PREDICTOR_WORDS) - 2 * any(OBSERVER_WORDS)
}

/// The name says that these are standard errors of scores, or another spread: `p_se`.
pub(super) fn suggests_spread(name: &str) -> bool {
    let of_score = suggests_score(name) && words(name).last().is_some_and(|word| SPREAD_ENDS.contains(&word.as_str()));
    of_score || rank(name, STANDARD_ERROR).is_some()
}

/// The name may be that of an end of an interval around a score: `risk_lcl`, `p_upper`, `risk_q975`.
pub(super) fn suggests_bound(name: &str) -> bool {
    words(name).iter().any(|word| [LOWER_BOUND, UPPER_BOUND].iter().any(|list| list.contains(&word.as_str())))
}

/// The name says that these are limits of a confidence interval: `conf.low`, `conf.high`.
pub(super) fn is_confidence_limit(name: &str) -> bool {
    suggests_bound(name) && words(name).first().is_some_and(|word| word == "conf")
}

/// The name says that these are coordinates.
pub(super) fn suggests_feature(name: &str) -> bool {
    words(name).first().is_some_and(|word| FEATURE_WORDS.contains(&word.trim_end_matches(|c: char| c.is_ascii_digit())))
}

/// The name says that these are what happened to someone.
pub(super) fn suggests_event(name: &str) -> bool {
    mentions_event(name) && !suggests_score(name)
}

/// The name has a word for something that happens to someone, be it as what is predicted.
pub(super) fn mentions_event(name: &str) -> bool {
    any_word(name, EVENT_WORDS)
}

/// The name says that these are sample weights: `w`, `survey_weight`, `iptw`.
pub(super) fn is_weight(name: &str) -> bool {
    let words = words(name);
    let of_rows = match words.as_slice() {
        [before @ .., last] if matches!(last.as_str(), "weight" | "weights" | "wt" | "wgt") => {
            before.iter().any(|word| WEIGHT_OF.contains(&word.as_str()))
        }
        _ => false,
    };
    of_rows || rank(name, WEIGHT).is_some() || rank(name, WEIGHT_NAMES).is_some()
}

/// The name says that these are of the time before what is predicted: `prior_relapse`, `family_history_of_death`.
pub(super) fn suggests_history(name: &str) -> bool {
    any_word(name, HISTORY_WORDS)
}

/// The name says that an event happened, and nothing that makes it one of the past or an illness among others.
pub(super) fn tells_outcome(name: &str) -> bool {
    names_event(name) == Some(true) && !suggests_history(name) && !any_word(name, COMORBIDITY_WORDS)
}

/// The name says that these are hardly what is predicted: of the past, or who people are.
pub(super) fn hardly_outcome(name: &str) -> bool {
    suggests_history(name) || any_word(name, DEMOGRAPHIC_WORDS)
}

/// The name says that these are known of rows rather than what happens to them: `sex`, `smoker`.
pub(super) fn suggests_covariate(name: &str) -> bool {
    any_word(name, COVARIATE_WORDS)
}

/// What a column is called after, where its name says that a model predicted it: `pred_income`, `income_predicted_class` →
/// `income`.
pub(super) fn predicted_noun(name: &str) -> Option<String> {
    let all = words(name);
    let predicted = |word: &String| PREDICTED_WORDS.contains(&word.as_str());
    if !all.iter().any(predicted) {
        return None;
    }
    let mut kept: Vec<String> = all.into_iter().filter(|word| !predicted(word)).collect();
    let whole = kept.join("_");
    while kept.len() > 1 && kept.last().is_some_and(|word| CLASS_WORDS.contains(&word.as_str())) {
        kept.pop();
    }
    let noun = if kept.is_empty() { whole } else { kept.join("_") };
    (!noun.is_empty()).then_some(noun)
}

/// What an outcome is named after: `Edema_true`, `y_Edema`, `Edema` → `edema`; `None` where nothing else is said.
pub(super) fn outcome_stem(name: &str) -> Option<String> {
    stem_without(name, |word| OUTCOME_ENDS.contains(&word)).map(|(stem, _)| stem)
}

/// What a score is named after: `Edema_prob`, `pred_Edema` → `edema`; `None` where it is not named like one, or nothing else is said.
pub(super) fn score_stem(name: &str) -> Option<String> {
    let ends = |word: &str| PROBABILITY_WORDS.contains(&word) || SCORE_ENDS.contains(&word);
    stem_without(name, ends).filter(|(_, whole)| !whole).map(|(stem, _)| stem)
}

/// The words of a name without such words at either end, and whether that is the whole name; `None` where none is left.
fn stem_without(name: &str, ends: impl Fn(&str) -> bool) -> Option<(String, bool)> {
    let all = words(name);
    let first = all.iter().position(|word| !ends(word))?;
    let last = all.iter().rposition(|word| !ends(word))?;
    let stem = all.get(first..=last)?.join("_");
    Some((stem, last + 1 - first == all.len()))
}

/// The word is about what is predicted, rather than that it is.
fn tells(word: &str) -> bool {
    let known = [PROBABILITY_WORDS, SCORE_WORDS, LABEL_WORDS, PREDICTED_WORDS, PART_WORDS];
    word.chars().count() > 1 && word != "model" && !known.iter().any(|list| list.contains(&word))
}

/// Whether the name of a score has that of what it predicts among its words: `stroke` in `p_stroke`, `BAD` in `P_BAD1`.
pub(super) fn named_in_score(name: &str, score: &str) -> bool {
    let of_name = words(name);
    let of_score = words(score);
    let same =
        |(one, other): (&String, &String)| one == other || one == other.trim_end_matches(|c: char| c.is_ascii_digit());
    of_name.len() < of_score.len().max(2)
        && of_name.iter().any(|word| tells(word))
        && of_score.windows(of_name.len()).any(|part| part.len() < of_score.len() && of_name.iter().zip(part).all(same))
}

/// Whether two names have a word in common that tells what is predicted: `death_in_hospital` and `risk_death`.
pub(super) fn shares_word(name: &str, score: &str) -> bool {
    let of_score = words(score);
    let long = |word: &String| word.chars().count() > 2 && word.starts_with(char::is_alphabetic);
    words(name).iter().any(|word| long(word) && tells(word) && of_score.contains(word))
}

/// Whether an outcome and a score are named after the same time: `death_30d` and `risk_30d`.
pub(super) fn same_horizon(outcome: &str, score: &str) -> bool {
    let of_score = words(score);
    words(outcome).iter().any(|word| word.starts_with(|c: char| c.is_ascii_digit()) && of_score.contains(word))
}

/// The name says that these are labels.
pub(super) fn suggests_label(name: &str) -> bool {
    any_word(name, LABEL_WORDS) && !suggests_score(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_names() {
        assert_eq!(plain(".pred_yes"), "pred_yes");
        assert_eq!(plain("trueLabel"), "true_label");
        assert_eq!(plain("P(y=1)"), "p_y_1");
        assert_eq!(plain("rowId"), "row_id");
        assert_eq!(bare("test_logits"), "logits");
        assert_eq!(bare("y_val"), "y");
        assert_eq!(bare("test"), "test");
        let parts =
            ["VAL", "Test set", "trainset", "Out-of-time", "oot_sample", "Development", "dataset", "set", "retest"];
        let named: Vec<Option<DataPart>> = parts.into_iter().map(DataPart::named).collect();
        let (test, training) = (Some(DataPart::Scored), Some(DataPart::Training));
        assert_eq!(named[..6], [Some(DataPart::Calibration), test, training, test, test, training]);
        assert_eq!(named[6..], [None; 3]);
        assert_eq!(rank("Y.True", LABEL), Some(0));
        assert_eq!(id_noun("patientID").as_deref(), Some("patient"));
        assert_eq!(id_noun("Subject.No").as_deref(), Some("subject"));
        assert_eq!(id_noun("patientid").as_deref(), Some("patient"));
        assert!(clustered("Patientennummer").is_some() && clustered("KundenNr").is_some());
        assert!(shares_word("death_in_hospital", "risk_death") && !shares_word("readmitted", "risk_death"));
        assert!(!shares_word("risk_group", "risk_death"));
        let of_patients = ["PATNO", "PatNr", "NHS number", "pt_id", "PID"].map(clustered);
        assert_eq!(of_patients, [Some(0); 5]);
        assert!(clustered("Fallnummer").is_some() && clustered("Fall-Nr").is_some() && clustered("fall").is_none());
        assert_eq!(clustered("USUBJID"), clustered("subject"));
        assert!(suggests_id("identifiant") && is_follow_up("followup_days", "died", []));
        assert!(!is_follow_up("time", "died", ["age"]) && is_follow_up("time", "died", ["status"]));
        assert!(clustered("question_id").is_some() && clustered("MRN").is_some() && clustered("age").is_none());
        assert!(
            named_in_score("stroke", "p_stroke")
                && named_in_score("BAD", "P_BAD1")
                && named_in_score("sepsis", "sepsis_score")
        );
        assert!(
            !named_in_score("score", "risk_score")
                && !named_in_score("age", "stage_risk")
                && !named_in_score("risk", "risk")
        );
        assert_eq!(
            ["pred_income", "income_predicted_class", "risk"].map(predicted_noun),
            [Some("income".to_owned()), Some("income".to_owned()), None]
        );
        assert!(!tells_outcome("died_father") && !tells_outcome("mother_deceased"));
        assert!(tells_outcome("hospital_death") && !tells_outcome("prior_relapse") && !tells_outcome("heart_disease"));
        assert!(["w", "survey_weight", "Sampling.Weights", "iptw", "ipw_weight", "samp_wt"].into_iter().all(is_weight));
        assert!(!["body_weight", "birth_weight", "wt", "weighted_score"].into_iter().any(is_weight));
        assert!(suggests_id("encounter_id") && !suggests_id("site_id") && !suggests_id("row_id") && !suggests_id("id"));
    }
}
