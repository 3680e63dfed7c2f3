//! One score column, and scores that only their values give away.

use super::super::names;
use super::super::profile::{Profile, SUM_TOLERANCE};
use super::super::roles::Role;
use super::super::sentinels::beside_shares;
use super::{FEW_ROWS, Guesses, Values};
use crate::num::order;
use crate::words::text::{plain, quoted};

/// Share of values outside [0, 1] up to which the others say that they are probabilities.
const FEW_OUTSIDE: f64 = 0.01;

impl Guesses<'_> {
    /// One column for the positive class.
    pub(super) fn single(&mut self, labels: &[String]) {
        // Scores of other outcomes last, before them ends of an interval and scores on another scale beside a probability; then by
        // rank; of equal ones those that name the outcome first.
        let mut found: Vec<([bool; 3], usize, bool, usize)> = Vec::new();
        for j in self.open() {
            let (name, Some(p)) = (self.name(j), self.profile(j)) else {
                continue;
            };
            if !p.almost_number() {
                continue;
            }
            let beside = |other: &str| self.columns.iter().any(|c| names::plain(&c.name) == other);
            let ohdsi = names::plain(name) == "value" && beside("outcome_count");
            let statsmodels = names::plain(name) == "mean" && beside("mean_se");
            let rank = names::rank(&names::without_percent(name), names::SCORE)
                .or_else(|| (ohdsi || statsmodels).then_some(0))
                .or_else(|| names::rank(name, names::LOGIT).map(|r| 100 + r))
                .or_else(|| (names::suggests_score(name) && !names::suggests_feature(name)).then_some(200));
            if let Some(rank) = rank {
                let other = self.other_outcome(j).is_some();
                let last = [other, names::suggests_bound(name), self.is_raw_beside_probability(j)];
                found.push((last, rank, rank >= 200 && !self.names_outcome(name), j));
            }
        }
        order::sort(&mut found, &Ord::cmp);
        let mut chosen = self.scored();
        for ([.., raw], rank, _, j) in found {
            let Some(p) = self.profile(j).cloned() else {
                continue;
            };
            let name = self.name(j);
            if chosen {
                if raw {
                    self.set(j, Role::Ignore, "a score that is no probability, beside one that is", false);
                } else if rank < 200 || p.fractional_share() {
                    if let Some(used) = self.complement_of(j) {
                        // The names do not say which of the two is of the event.
                        let reason = format!("1 − `{}`, which is used", self.name(used));
                        self.set(j, Role::Ignore, reason, false);
                        self.unsure(used);
                        continue;
                    }
                    self.set(j, Role::Ignore, "another score is used", false);
                    if names::suggests_logit(name) {
                        self.rival(name, &[j], Role::Logit);
                    } else if p.fractional_share() {
                        self.rival(name, &[j], Role::Probability);
                    }
                }
                continue;
            }
            let logit = names::suggests_logit(name);
            let probability = names::suggests_probability(name);
            // A little outside [0, 1] under a name that says probability is a fault to name, not percent or log-odds, and so are
            // one number that exports write where there is none, and a few values among many: log-odds are seldom between 0 and 1.
            let coded =
                p.outside > 0.0 && self.columns.get(j).is_some_and(|column| beside_shares(&column.values).is_some());
            let nearly = coded || p.outside <= 0.05 || (probability && p.nearly_share());
            let said = coded || p.outside <= FEW_OUTSIDE || probability;
            if p.is_text() || (!logit && nearly && (!p.whole || probability) && said) {
                let known =
                    rank < 100 || names::suggests_percent(name) || self.names_outcome(name) || self.is_only_share(j);
                let sure = known && !p.is_text() && p.outside == 0.0;
                let reason = match p.outside == 0.0 {
                    true => format!("name, {}", self.range_words(j)),
                    false => "name; values outside [0, 1]".to_owned(),
                };
                self.set(j, Role::Probability, reason, sure);
                chosen = true;
            } else if logit && self.is_of_follow_up(j) {
                continue;
            } else if logit {
                self.set(j, Role::Logit, "name", true);
                chosen = true;
            } else if p.percent_like() && (!p.whole || (p.max > 10.0 && (rank < 200 || probability))) {
                // Whole numbers up to 10 are tenths rather than percent.
                self.percents.push((vec![j], Role::Probability));
            } else if p.like_log_odds() && !(p.max <= 0.0 && names::suggests_log_probability(name)) {
                self.set(j, Role::Logit, "name, values outside [0, 1]: log-odds", false);
                chosen = true;
            } else if p.outside > 0.0 {
                let unit = names::smaller_than_percent(name);
                if rank == 200 && p.max > 1_000.0 && unit.is_none() {
                    continue;
                }
                let numbers = if p.whole { "whole numbers" } else { "numbers" };
                let reason = format!("{numbers} {} to {}, not probabilities", plain(p.min), plain(p.max));
                self.set(j, Role::Ignore, reason, false);
                self.warn(
                    "score_not_probability",
                    format!(
                        "A column named like a score contains {numbers} {} to {}, not probabilities, and is not \
                         used. {}: {}.",
                        plain(p.min),
                        plain(p.max),
                        match unit {
                            Some(unit) => unit,
                            None if p.like_tenths() => {
                                "If assigned as a probability, it is read as (score − 0.5) / 10"
                            }
                            None => "Map it to [0, 1] first, or assign a role",
                        },
                        quoted(name)
                    ),
                    Some(j),
                );
            }
        }
        if labels.len() > 2 {
            self.one_score_of_many(labels.len());
        }
    }

    /// Whether values lie outside [0, 1] under a name that says neither log-odds nor probability (`raw_score`, `svm_score`), and
    /// another column has values within and a name that says probability (`calibrated_prob`).
    fn is_raw_beside_probability(&self, j: usize) -> bool {
        let name = self.name(j);
        let raw = self.profile(j).is_some_and(|p| p.outside > FEW_OUTSIDE && p.like_log_odds());
        let says = |name: &str| {
            let calibrated = names::words(name).iter().any(|word| word == "calibrated");
            names::suggests_probability(name) || calibrated && names::suggests_score(name)
        };
        let is_probability = |k: usize| says(self.name(k)) && self.profile(k).is_some_and(Profile::fractional_share);
        raw && !names::suggests_logit(name)
            && !says(name)
            && self.open().into_iter().any(|k| k != j && is_probability(k))
    }

    /// Whether the name says that values are predicted, and no other column holds numbers between 0 and 1 that are not all
    /// whole. Any other score, such as one of frailty, may be a feature.
    fn is_only_share(&self, j: usize) -> bool {
        let predicted = ["pd", "prob", "probs", "proba", "pred", "preds"];
        names::words(self.name(j)).iter().any(|word| predicted.contains(&word.as_str()))
            && (0..self.columns.len()).all(|k| k == j || !self.profile(k).is_some_and(Profile::fractional_share))
            && self.profile(j).is_some_and(Profile::fractional_share)
    }

    /// The only probability that is used, where it and column `j` sum to 1 in every row: not a rival, but the other class.
    fn complement_of(&self, j: usize) -> Option<usize> {
        match self.with_role(Role::Probability).as_slice() {
            [used] if self.sum_to_one(&[*used, j]) => Some(*used),
            _ => None,
        }
    }

    /// The name says of what it is a score: an event such as death, or what the outcome is called (`default_risk` beside
    /// `defaulted`). A word that a third column has, too (`visit_score`, `visit_outcome`, `visit_date`), is about the file;
    /// the score of another model is no third column.
    fn names_outcome(&self, name: &str) -> bool {
        let related = |one: &str, other: &str| {
            one.len() > 3 && other.starts_with(one) || other.len() > 3 && one.starts_with(other)
        };
        let labels = self.with_role(Role::Label);
        let outcomes: Vec<String> = labels.iter().flat_map(|&j| names::words(self.name(j))).collect();
        let third = |j: &usize| {
            let score = self.profile(*j).is_some_and(Profile::fractional_share);
            !score && !labels.contains(j) && self.name(*j) != name
        };
        let of_file: Vec<String> =
            (0..self.columns.len()).filter(third).flat_map(|j| names::words(self.name(j))).collect();
        let mut words = names::words(name);
        words.retain(|word| !of_file.iter().any(|other| related(word, other)));
        names::mentions_event(name) || words.iter().any(|word| outcomes.iter().any(|outcome| related(word, outcome)))
    }

    /// With more than two labels one score can only be the confidence of the predicted class.
    pub(super) fn one_score_of_many(&mut self, classes: usize) {
        if let [only] = self.with_role(Role::Probability).as_slice()
            && self.has(Role::Predicted)
        {
            let reason = format!("one score for {classes} classes: probability of the predicted one");
            self.set(*only, Role::Confidence, reason, false);
        }
    }

    /// Scores that only their values give away.
    pub(super) fn scores_from_values(&mut self, labels: &[String]) {
        let shares: Vec<usize> = self
            .open()
            .into_iter()
            .filter(|&j| self.profile(j).is_some_and(|p| p.fractional_share() || self.made_up_share(j, p)))
            .filter(|&j| !names::suggests_feature(self.name(j)) || self.columns.len() == 1 || self.is_vector_of_r(j))
            .collect();
        let fractional: Vec<usize> =
            shares.iter().copied().filter(|&j| self.profile(j).is_some_and(Profile::fractional_share)).collect();
        if let Some((score, [lower, upper])) = self.within_limits(&fractional) {
            let [lower, upper] = [lower, upper].map(|j| self.name(j));
            self.set(score, Role::Probability, format!("between `{lower}` and `{upper}` in every row"), false);
            return;
        }
        for set in [&fractional, &shares] {
            if set.len() > 1 && self.sum_to_one(set) {
                for &j in set.iter() {
                    self.set(j, Role::Probability, "these columns sum to 1 in every row", false);
                }
                return;
            }
        }
        if let Some(members) = self.columns_of_classes(labels) {
            for j in members {
                self.set(j, Role::Probability, "a numbered column for each class, which sum to 1 in every row", false);
            }
            return;
        }
        // Several columns that are called models: the first is used, the others are its rivals.
        let models: Vec<usize> =
            (fractional.iter().copied()).filter(|&j| names::suggests_model(self.name(j))).collect();
        if let ([first, others @ ..], false) = (models.as_slice(), labels.is_empty())
            && !others.is_empty()
        {
            let reason = format!("named as a model, {}", self.range_words(*first));
            self.set(*first, Role::Probability, reason, false);
            for &j in others {
                self.set(j, Role::Ignore, "another score is used", false);
                self.rival(self.name(j), &[j], Role::Probability);
            }
            return;
        }
        if let [only] = fractional.as_slice()
            && (!labels.is_empty() || self.two_valued_elsewhere(*only) || self.columns.len() == 1)
        {
            let reason = format!("the only column with {}", self.range_words(*only));
            self.set(*only, Role::Probability, reason, false);
        }
    }

    /// The only one of some columns that is between the limits of a confidence interval in every row, and these: `estimate`
    /// beside `conf.low` and `conf.high`.
    fn within_limits(&self, candidates: &[usize]) -> Option<(usize, [usize; 2])> {
        let limit = |ends: &[&str]| {
            let is_limit = |&j: &usize| {
                let words = names::words(self.name(j));
                self.role(j) == Some(Role::Ignore)
                    && names::is_confidence_limit(self.name(j))
                    && words.last().is_some_and(|word| ends.contains(&word.as_str()))
            };
            (0..self.columns.len()).find(is_limit)
        };
        let limits = [limit(names::LOWER_BOUND)?, limit(names::UPPER_BOUND)?];
        let [lower, upper] = limits.map(|j| self.numbers(j).unwrap_or_default());
        let between = |&j: &usize| {
            let values = self.numbers(j).unwrap_or_default();
            values.len() >= FEW_ROWS
                && values.iter().zip(lower).zip(upper).all(|((x, low), high)| low <= x && x <= high)
        };
        match candidates.iter().copied().filter(between).collect::<Vec<_>>().as_slice() {
            [only] => Some((*only, limits)),
            _ => None,
        }
    }

    /// Whether a column is what R writes of a vector: `x` in a file that has nothing else but row names.
    fn is_vector_of_r(&self, j: usize) -> bool {
        let file = self.columns.get(j).map(|column| &column.file);
        let beside =
            (0..self.columns.len()).filter(|&k| k != j && self.columns.get(k).map(|column| &column.file) == file);
        let mut names = beside.map(|k| self.name(k));
        self.name(j) == "x" && names.all(|name| name == "column 1")
    }

    /// Numbered columns (`V1`, `V2` of a matrix in R, `X0`, `X1`) of which there is one for each label and which share out each row.
    fn columns_of_classes(&self, labels: &[String]) -> Option<Vec<usize>> {
        let mut numbered: Vec<(&str, i64, usize)> = (self.open().into_iter())
            .filter(|&j| self.profile(j).is_some_and(Profile::fractional_share))
            .filter_map(|j| names::number_tail(self.name(j)).map(|(prefix, number)| (prefix, number, j)))
            .collect();
        numbered.sort_unstable();
        let consecutive = |part: &[(&str, i64, usize)]| {
            let (prefix, from) = part.first().map_or(("", 2), |(prefix, number, _)| (*prefix, *number));
            (0..2).contains(&from)
                && (from..).zip(part).all(|(wanted, (own, number, _))| *own == prefix && *number == wanted)
        };
        let members = |part: &[(&str, i64, usize)]| part.iter().map(|(.., j)| *j).collect::<Vec<_>>();
        let of_prefix = numbered.chunk_by(|one, other| one.0 == other.0).filter(|part| part.len() == labels.len());
        of_prefix.filter(|part| part.len() > 1 && consecutive(part)).map(members).find(|all| self.sum_to_one(all))
    }

    /// A column without a header that holds only 0 and 1 can be a column of probabilities among others.
    pub(super) fn made_up_share(&self, j: usize, p: &Profile) -> bool {
        self.name(j).starts_with("column ") && p.is_number() && p.outside == 0.0
    }

    pub(super) fn two_valued_elsewhere(&self, j: usize) -> bool {
        self.open().into_iter().any(|k| k != j && self.profile(k).is_some_and(|p| p.few(2) && p.distinct == Some(2)))
    }

    pub(super) fn sum_to_one(&self, members: &[usize]) -> bool {
        self.share_summing(members) == 1.0
    }

    /// Share of the rows in which these columns sum to 1; 0 where one of them holds no numbers.
    pub(super) fn share_summing(&self, members: &[usize]) -> f64 {
        let mut sums: Vec<f64> = Vec::new();
        for &j in members {
            let Some(Values::Numbers(values)) = self.columns.get(j).map(|c| &c.values) else {
                return 0.0;
            };
            sums.resize(values.len(), 0.0);
            sums.iter_mut().zip(values.iter()).for_each(|(sum, x)| *sum += x);
        }
        let one = |sum: &&f64| (**sum - 1.0).abs() <= SUM_TOLERANCE;
        sums.iter().filter(one).count() as f64 / sums.len().max(1) as f64
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use crate::data::roles::Role;
    use crate::data::{OpenOptions, assemble};
    use crate::read::read;

    fn opened(text: &str) -> Result<(), String> {
        let file = read("rows.csv", text.as_bytes(), &mut |_| ()).unwrap();
        assemble(&[file], &OpenOptions::default()).map(|_| ()).map_err(|error| error.to_string())
    }

    #[test]
    fn a_few_values_outside_make_no_log_odds() {
        let rows = |value: &str| {
            let row = |i: usize| {
                format!("{},{}\n", if i == 7 { value.to_owned() } else { format!("0.{:03}", 1 + i) }, i % 3 / 2)
            };
            format!("risk,died\n{}", (0..300).map(row).collect::<String>())
        };
        for value in ["-0.0001", "-9", "1.2"] {
            let error = opened(&rows(value)).unwrap_err();
            assert!(error.contains("Data row 8, column `risk`") && error.contains("not between 0 and 1"), "{error}");
        }
        assert_eq!(opened(&rows("0.5")), Ok(()));
    }

    #[test]
    fn percentages_of_both_classes_are_asked_about() {
        let rows = [(36.3, "yes"), (30.1, "no"), (90.5, "no"), (50.0, "yes"), (20.5, "yes"), (22.0, "yes")];
        let row = |(no, y): (f64, &str)| format!("{no},{:.1},{y}\n", 100.0 - no);
        let error = opened(&format!("p_no,p_yes,y\n{}", rows.map(row).concat())).unwrap_err();
        assert!(error.contains("column `p_no`: 36.3 is not between 0 and 1"), "{error}");
    }

    #[test]
    fn a_confidence_beside_a_judgment_is_one_of_the_answer() {
        let rows = [(0.1, 1), (0.9, 0), (0.3, 0), (0.2, 1), (0.7, 1), (0.6, 0)];
        let row = |(p, y): (f64, u8)| format!("{p},{y}\n");
        let found = roles(&format!("model_confidence,judge_correct\n{}", rows.map(row).concat()));
        assert_eq!(found.into_iter().map(|(_, role)| role).collect::<Vec<_>>(), [Role::Confidence, Role::Correct]);
        // two confidences: which of them is judged is unknown
        let both = |(p, y): (f64, u8)| format!("{p},{p},{y}\n");
        let found = roles(&format!("a_confidence,b_confidence,judge_correct\n{}", rows.map(both).concat()));
        assert!(found.iter().all(|(_, role)| *role != Role::Confidence), "{found:?}");
    }

    #[test]
    fn correctness_under_common_names_beside_a_confidence() {
        let row = |k: usize| format!("{},{},a{k}\n", 10 * (1 + k % 9), u8::from(k.is_multiple_of(4)));
        let table = |names: &str| format!("{names},response\n{}", (0..60).map(row).collect::<String>());
        for name in ["exact_match", "em", "quasi_exact_match", "verdict", "judge", "judgement", "passed", "success"] {
            let text = table(&format!("certainty,{name}"));
            assert_eq!(columns_of(&text, Role::Correct), [name]);
            assert_eq!(columns_of(&text, Role::Confidence), ["certainty"], "{name}");
        }
        assert_eq!(columns_of(&table("confidences,accuracies"), Role::Correct), ["accuracies"]);
        // beside a score that is no confidence
        assert_eq!(columns_of(&table("risk_percent,exact_match"), Role::Correct).len(), 0);
        assert_eq!(columns_of(&table("risk_percent,success"), Role::Label), ["success"]);
        let classes = |k: usize| format!("{},{},{}\n", 10 * (1 + k % 9), k % 2, k % 3 / 2);
        let text = format!("confidence,success,label\n{}", (0..60).map(classes).collect::<String>());
        assert_eq!(columns_of(&text, Role::Label), ["label"]);
        // any other outcome stays one, and its reading is stated
        let file = read("rows.csv", table("confidence,relapse").as_bytes(), &mut |_| ()).unwrap();
        let (_, summary) = assemble(&[file], &OpenOptions::default()).unwrap();
        let stated: Vec<&str> = (summary.warnings.iter())
            .filter(|warning| warning.code == "confidence_of_event")
            .map(|warning| warning.message.as_str())
            .collect();
        assert_eq!(
            stated,
            [
                "`confidence` is read as the probability of the event in `relapse`. If `relapse` states whether the answer was \
                 correct, assign the role correct to it."
            ]
        );
    }

    #[test]
    fn percentages_in_an_object_are_those_of_the_name_within_it() {
        let row = |k: usize| {
            format!(
                "{{\"response\": {{\"confidence\": {}}}, \"judgement\": {{\"correct\": {}}}}}\n",
                50 + 5 * (k % 10),
                !k.is_multiple_of(4)
            )
        };
        let file = read("rows.jsonl", (0..60).map(row).collect::<String>().as_bytes(), &mut |_| ()).unwrap();
        let (data, summary) = assemble(&[file], &OpenOptions::default()).unwrap();
        assert_eq!(summary.columns[0].role, Role::Confidence);
        assert_eq!(summary.columns[0].reading, Some(crate::data::Reading::Percent));
        assert_eq!(data.correct.unwrap().iter().filter(|one| **one == 1).count(), 45);
    }

    #[test]
    fn outcomes_and_scores_in_columns_that_are_numbered() {
        let rows = [(1, 0.81), (0, 0.22), (1, 0.67), (0, 0.45), (0, 0.14), (1, 0.93)];
        let row = |(y, p): (u8, f64)| format!("{y},{p}\n");
        let found = roles(&format!("0,1\n{}", rows.map(row).concat()));
        assert_eq!(found, [("0".to_owned(), Role::Label), ("1".to_owned(), Role::Probability)]);
    }

    /// Role and column of each role that the text's columns get.
    fn roles(text: &str) -> Vec<(String, Role)> {
        let file = read("rows.csv", text.as_bytes(), &mut |_| ()).unwrap();
        let (_, summary) = assemble(&[file], &OpenOptions::default()).unwrap();
        summary.columns.into_iter().map(|column| (column.name, column.role)).collect()
    }

    fn columns_of(text: &str, role: Role) -> Vec<String> {
        roles(text).into_iter().filter(|(_, own)| *own == role).map(|(name, _)| name).collect()
    }

    /// Uniform numbers in [0, 1).
    fn uniform(i: usize, k: usize) -> f64 {
        ((i * 7_919 + k * 104_729 + 13) as f64 * 0.618_033_988_749_895).fract()
    }

    /// Rows of probabilities of three classes, as a name of a column makes them of a class, and the class that was observed.
    fn of_three_classes(name: impl Fn(&str) -> String, outcome: &str, decimals: usize) -> String {
        let classes = ["cat", "100% owl", "dog"];
        let row = |i: usize| {
            let [a, b] = [0.7 * uniform(i, 1), 0.3 * uniform(i, 2)];
            let class = classes[i * 7 % 3];
            format!("{a:.decimals$},{b:.decimals$},{:.decimals$},{class}\n", 1.0 - a - b)
        };
        format!("{},{outcome}\n{}", classes.map(name).join(","), (0..300).map(row).collect::<String>())
    }

    #[test]
    fn classes_in_brackets_tell_the_outcome() {
        for decimals in [4, 9] {
            let text = of_three_classes(|class| format!("P({class})"), "histology", decimals);
            assert_eq!(columns_of(&text, Role::Label), ["histology"]);
            let named = of_three_classes(str::to_owned, "histology", decimals);
            assert_eq!((columns_of(&named, Role::Label).len(), columns_of(&named, Role::Probability).len()), (1, 3));
        }
    }

    #[test]
    fn a_probability_comes_before_a_raw_score_and_the_ends_of_its_interval() {
        let z = |i: usize| 3.0 * uniform(i, 1) - 1.8;
        let p = |z: f64| 1.0 / (1.0 + (-z).exp());
        let rows =
            |of: &dyn Fn(usize) -> String| (0..80).map(|i| format!("{},{}\n", of(i), i % 3 / 2)).collect::<String>();
        let raw = |i: usize| format!("{:.4},{:.4}", z(i), p(z(i) - 0.2));
        for (score, probability) in
            [("raw_score", "calibrated_prob"), ("score", "p_calibrated"), ("svm_score", "platt_prob")]
        {
            let text = format!("{score},{probability},y\n{}", rows(&raw));
            assert_eq!(columns_of(&text, Role::Probability), [probability]);
            assert_eq!(columns_of(&text, Role::Ignore), [score]);
        }
        let interval = |i: usize| format!("{:.4},{:.4},{:.4}", p(z(i) - 0.3), p(z(i) + 0.3), p(z(i)));
        for [low, high] in [["risk_lci", "risk_uci"], ["risk_q025", "risk_q975"], ["risk_min", "risk_max"]] {
            let text = format!("{low},{high},risk_est,event\n{}", rows(&interval));
            assert_eq!(columns_of(&text, Role::Probability), ["risk_est"], "{low}");
        }
    }

    #[test]
    fn spss_modeler_writes_a_class_and_its_probability() {
        let row = |i: usize| {
            let (died, right) = (i % 5 < 2, i % 4 != 3);
            let word = |yes: bool| if yes { "yes" } else { "no" };
            format!("{},{},{:.4}\n", word(died), word(died == right), 0.5 + 0.5 * uniform(i, 1))
        };
        for [class, confidence] in [["$C-died", "$CC-died"], ["$L-died", "$LP-died"], ["$N-died", "$NC-died"]] {
            let found = roles(&format!("died,{class},{confidence}\n{}", (0..60).map(row).collect::<String>()));
            let found: Vec<Role> = found.into_iter().map(|(_, role)| role).collect();
            assert_eq!(found, [Role::Label, Role::Predicted, Role::Confidence], "{class}");
        }
    }

    #[test]
    fn a_class_named_in_percent_is_not_asked_about() {
        let text = of_three_classes(|class| format!("p_{class}"), "label", 9);
        let file = read("rows.csv", text.as_bytes(), &mut |_| ()).unwrap();
        let (_, summary) = assemble(&[file], &OpenOptions::default()).unwrap();
        assert!(summary.warnings.iter().all(|warning| warning.code != "fractions_named_percent"));
    }

    #[test]
    fn of_several_columns_of_two_values_the_one_that_the_scores_agree_with_is_the_outcome() {
        let row = |i: usize| {
            let p = 0.05 + 0.6 * uniform(i, 1);
            let of = |share: f64, k: usize| u8::from(uniform(i * i + 1, k) < share);
            format!("{},{i},{},{},{p:.4}\n", of(p, 2), of(0.4, 3), of(0.15, 4))
        };
        let body: String = (0..400).map(row).collect();
        let text = format!("low,lwt,ht,ui,phat\n{body}");
        assert_eq!(columns_of(&text, Role::Label), ["low"]);
        let file = read("rows.csv", text.as_bytes(), &mut |_| ()).unwrap();
        let (_, summary) = assemble(&[file], &OpenOptions::default()).unwrap();
        assert!(summary.unsure);
        // scores that agree with none: the last, as before
        let far = text.replace(",0.", ",0.9");
        assert_eq!(columns_of(&far, Role::Label), ["ui"]);
    }

    #[test]
    fn the_only_column_of_shares_is_not_asked_about_if_it_is_named_like_a_score() {
        let unsure = |score: &str, other: &str| {
            let row = |i: usize| {
                format!("{},{:.3},{}\n", i % 3 % 2, uniform(i, 1), if other.is_empty() { 300.0 } else { uniform(i, 2) })
            };
            let name = if other.is_empty() { "fico" } else { other };
            let text = format!("default_12m,{score},{name}\n{}", (0..60).map(row).collect::<String>());
            let file = read("rows.csv", text.as_bytes(), &mut |_| ()).unwrap();
            assemble(&[file], &OpenOptions::default()).unwrap().1.unsure
        };
        for score in ["pd_champion", "glm.probs", "pred_gbm", ".fitted", "fitted.values", "yhat", "fit"] {
            assert!(!unsure(score, ""), "{score}");
        }
        assert!(unsure("pd_champion", "utilization"));
        assert!(unsure("champion", "") && unsure("frailty_score", ""));
    }

    #[test]
    fn columns_named_after_classes_that_share_out_rows_come_before_others_named_after_classes() {
        let row = |i: usize| {
            let p = 0.05 + 0.9 * uniform(i, 1);
            let class = if uniform(i * i + 1, 2) < p { "CH" } else { "MM" };
            format!("{class},{},{},{p:.3},{:.3}\n", i % 2, i % 3 % 2, 1.0 - p)
        };
        let text = format!("Purchase,SpecialCH,SpecialMM,CH,MM\n{}", (0..100).map(row).collect::<String>());
        assert_eq!(columns_of(&text, Role::Probability), ["CH", "MM"]);
    }

    #[test]
    fn a_class_that_the_scores_make_is_not_the_outcome_beside_one_of_the_same_values() {
        let row = |i: usize| {
            let p = 0.05 + 0.9 * uniform(i, 1);
            let word = |yes: bool| if yes { "Yes" } else { "No" };
            let observed = uniform(i * i + 1, 2) < p;
            format!("{},{},{:.4},{p:.4}\n", word(observed), word(p > 0.5), 1.0 - p)
        };
        let text = format!("type,class,posterior.No,posterior.Yes\n{}", (0..200).map(row).collect::<String>());
        assert_eq!(columns_of(&text, Role::Label), ["type"]);
        assert_eq!(columns_of(&text, Role::Predicted), ["class"]);
    }

    #[test]
    fn a_column_that_a_join_repeated_is_used_once() {
        let row = |i: usize| {
            let [age, ward] = [30 + i * 7 % 50, i % 3];
            format!("{age},{ward},{:.3},{},{age},{},{ward}\n", uniform(i, 1), i % 3 % 2, age + i % 2)
        };
        let text = format!("age,ward,p,y,age,lab.1,ward.1\n{}", (0..60).map(row).collect::<String>());
        assert_eq!(columns_of(&text, Role::Ignore), ["age (2)", "ward.1"]);
        // other values under the same name are another column
        let other = text.replace("p,y,age,lab.1", "p,y,lab.1,age");
        assert_eq!(columns_of(&other, Role::Ignore), ["ward.1"]);
    }

    #[test]
    fn a_weight_beside_a_height_is_no_sample_weight() {
        let row = |i: usize| {
            format!("{},{:.2},{},{:.3}\n", 150 + i % 40, 50.0 + 40.0 * uniform(i, 2), i % 3 % 2, uniform(i, 1))
        };
        let body: String = (0..60).map(row).collect();
        assert_eq!(columns_of(&format!("height,weight,died,risk\n{body}"), Role::Weight), [""; 0]);
        assert_eq!(columns_of(&format!("height,survey_weight,died,risk\n{body}"), Role::Weight), ["survey_weight"]);
        assert_eq!(columns_of(&format!("speed,weight,died,risk\n{body}"), Role::Weight), ["weight"]);
    }

    #[test]
    fn ratings_are_no_percentages() {
        let table = |header: &str, of: &dyn Fn(usize) -> String| {
            let row = |i: usize| format!("{},{}\n", of(i), u8::from(!i.is_multiple_of(3)));
            format!("{header}\n{}", (0..60).map(row).collect::<String>())
        };
        for most in [3, 5, 7, 10] {
            for name in ["confidence", "certainty", "response.confidence"] {
                let text = table(&format!("{name},correct"), &|i| (1 + i % most).to_string());
                let error = opened(&text).unwrap_err();
                let said = format!("Every value of `{name}` is a whole number from 1 to {most}: a rating");
                assert!(error.starts_with(&said), "{error}");
            }
        }
        let halves = table("confidence,is_correct", &|i| format!("{:.1}", 0.5 + (i % 10) as f64 / 2.0));
        assert!(opened(&halves).unwrap_err().contains("a number from 0.5 to 5: a rating"));
        // beside a predicted class
        let classes = |i: usize| format!("{},A,{}\n", 1 + i % 5, ["A", "B"][i % 3 / 2]);
        let text = format!("confidence,predicted,label\n{}", (0..60).map(classes).collect::<String>());
        assert!(opened(&text).unwrap_err().contains("a rating rather than a percentage"));
        // percentages, with some that are small, and with their sign
        assert_eq!(opened(&table("confidence,correct", &|i| (1 + 7 * (i % 14)).to_string())), Ok(()));
        assert_eq!(opened(&table("confidence,correct", &|i| format!("{}%", 1 + i % 9))), Ok(()));
    }

    #[test]
    fn only_scores_up_to_10_are_tenths() {
        let read_as_probability = |most: usize| {
            let rows: String = (0..60).map(|i| format!("{},{}\n", 1 + i % most, i % 3 / 2)).collect();
            let file = read("rows.csv", format!("score,died\n{rows}").as_bytes(), &mut |_| ()).unwrap();
            let roles = [("score".to_owned(), Role::Probability)].into();
            assemble(&[file], &OpenOptions { roles, ..OpenOptions::default() })
                .map(|_| ())
                .map_err(|error| error.to_string())
        };
        assert_eq!(read_as_probability(10), Ok(()));
        assert!(read_as_probability(5).unwrap_err().contains("`score` is a whole number from 1 to 5: a rating"));
        let said = |most: usize| {
            let rows: String = (0..60).map(|i| format!("{},{}\n", 1 + i % most, i % 3 / 2)).collect();
            let file = read("rows.csv", format!("score,died\n{rows}").as_bytes(), &mut |_| ()).unwrap();
            let (_, summary) = assemble(&[file], &OpenOptions::default()).unwrap();
            summary.warnings.iter().map(|warning| warning.message.clone()).collect::<String>()
        };
        assert!(said(10).contains("(score − 0.5) / 10") && !said(5).contains("(score − 0.5) / 10"));
    }

    #[test]
    fn the_probability_beside_a_linear_predictor_of_a_cox_model_is_the_score() {
        let z = |i: usize| 4.0 * uniform(i, 1) - 2.0;
        let cox = |z: f64| 1.0 - 0.8_f64.powf(z.exp());
        let row = |i: usize| format!("{},{:.4},{:.4}\n", i % 3 / 2, z(i), cox(z(i)));
        let body: String = (0..80).map(row).collect();
        for name in ["pred_5y", "risk5y", "risk_5y", "p5", "pred5", "prob_5y", "p_event"] {
            for predictor in ["lp", "linear.predictor"] {
                let text = format!("status,{predictor},{name}\n{body}");
                assert_eq!(columns_of(&text, Role::Probability), [name]);
                assert_eq!(columns_of(&text, Role::Logit).len(), 0, "{name}");
            }
        }
        let survival: String = (0..80).map(|i| format!("{},{:.4},{:.4}\n", i % 3 / 2, z(i), 1.0 - cox(z(i)))).collect();
        assert_eq!(columns_of(&format!("status,lp,surv5\n{survival}"), Role::Probability), ["surv5"]);
        // ranks rise with it, too
        assert_eq!(columns_of(&format!("status,lp,risk_percentile\n{body}"), Role::Logit), ["lp"]);
        // that of a logistic model is one of log-odds, alone and beside its probability or a feature
        let logistic = |i: usize| format!("{},{:.4},{:.4}\n", i % 3 / 2, z(i), 1.0 / (1.0 + (-z(i)).exp()));
        let text = format!("died,lp,pred_death\n{}", (0..80).map(logistic).collect::<String>());
        assert_eq!(columns_of(&text, Role::Logit), ["lp"]);
        let feature = |i: usize| format!("{},{:.4},{:.4}\n", i % 3 / 2, z(i), uniform(i, 2));
        let text = format!("died,lp,fio2\n{}", (0..80).map(feature).collect::<String>());
        assert_eq!(columns_of(&text, Role::Logit), ["lp"]);
    }

    #[test]
    fn a_linear_predictor_beside_a_follow_up_time_is_not_used() {
        let row = |i: usize| format!("{:.2},{},{:.4}\n", 10.0 * uniform(i, 2), i % 3 / 2, 4.0 * uniform(i, 1) - 2.0);
        let body: String = (0..80).map(row).collect();
        let error = opened(&format!("time,status,lp\n{body}")).unwrap_err();
        assert!(error.contains("`lp` is named like a linear predictor") && error.contains("(`time`)"), "{error}");
        assert_eq!(columns_of(&format!("time,status,logit\n{body}"), Role::Logit), ["logit"]);
        // another score is used without a word
        let row = |i: usize| format!("{i}.5,{},{:.4},{:.4}\n", i % 3 / 2, 4.0 * uniform(i, 1) - 2.0, uniform(i, 3));
        let text = format!("time,status,lp,pred_5y\n{}", (0..80).map(row).collect::<String>());
        let file = read("rows.csv", text.as_bytes(), &mut |_| ()).unwrap();
        let (_, summary) = assemble(&[file], &OpenOptions::default()).unwrap();
        assert_eq!(columns_of(&text, Role::Probability), ["pred_5y"]);
        assert!(summary.warnings.iter().all(|warning| warning.code != "score_not_probability"));
    }

    #[test]
    fn an_estimate_between_its_limits_is_the_score() {
        let row = |i: usize| {
            let p = 0.1 + 0.8 * uniform(i, 1);
            format!("{p:.4},{:.4},{:.4},{:.4},{}\n", uniform(i, 2), p - 0.1, p + 0.1, i % 3 / 2)
        };
        let text = format!("estimate,p.value,conf.low,conf.high,am\n{}", (0..80).map(row).collect::<String>());
        assert_eq!(columns_of(&text, Role::Probability), ["estimate"]);
        assert_eq!(columns_of(&text, Role::Label), ["am"]);
    }

    #[test]
    fn of_a_probability_and_a_confidence_of_the_predicted_class_the_probability_is_used() {
        let row = |i: usize| {
            let p = 0.5 + 0.5 * uniform(i, 1);
            format!("{},{},{:.4},{p:.4}\n", ["No", "Yes"][i % 3 / 2], ["No", "Yes"][i % 2], 0.9 * p)
        };
        let text = format!("churn,churn prediction,confidence,probability\n{}", (0..80).map(row).collect::<String>());
        assert_eq!(columns_of(&text, Role::Confidence), ["probability"]);
        let file = read("rows.csv", text.as_bytes(), &mut |_| ()).unwrap();
        let (_, summary) = assemble(&[file], &OpenOptions::default()).unwrap();
        assert!(summary.warnings.iter().any(|warning| warning.code == "confidence_beside_probability"));
    }

    #[test]
    fn a_column_that_is_named_as_predicted_is_no_outcome_beside_the_original_one() {
        let row = |i: usize| {
            let p = 0.05 + 0.9 * uniform(i, 1);
            let word = |yes: bool| if yes { "Yes" } else { "No" };
            format!("{},{},{:.4},{p:.4}\n", word(uniform(i * i + 1, 2) < p), word(p > 0.5), 1.0 - p)
        };
        let header = "churn_orig,churn_predicted,churn_predict_proba_No,churn_predict_proba_Yes";
        let text = format!("{header}\n{}", (0..80).map(row).collect::<String>());
        assert_eq!(columns_of(&text, Role::Label), ["churn_orig"]);
        assert_eq!(columns_of(&text, Role::Predicted), ["churn_predicted"]);
    }

    #[test]
    fn a_weight_beside_an_age_may_be_that_of_a_body() {
        let warned = |header: &str, weight: &dyn Fn(usize) -> f64| {
            let row = |i: usize| format!("{},{:.1},{},{:.3}\n", 20 + i % 60, weight(i), i % 3 / 2, uniform(i, 1));
            let text = format!("{header}\n{}", (0..60).map(row).collect::<String>());
            let file = read("rows.csv", text.as_bytes(), &mut |_| ()).unwrap();
            let (_, summary) = assemble(&[file], &OpenOptions::default()).unwrap();
            (columns_of(&text, Role::Weight), summary.warnings.iter().any(|one| one.code == "weight_of_bodies"))
        };
        let body = |i: usize| 45.0 + 60.0 * uniform(i, 2);
        assert_eq!(warned("Age,weight,died,risk", &body), (Vec::new(), true));
        assert_eq!(warned("age,sample_weight,died,risk", &body), (vec!["sample_weight".to_owned()], false));
        assert_eq!(warned("dose,weight,died,risk", &body), (vec!["weight".to_owned()], false));
        assert_eq!(warned("age,weight,died,risk", &|i| 0.3 + 2.0 * uniform(i, 2)), (vec!["weight".to_owned()], false));
    }

    #[test]
    fn true_positives_of_detections_are_correct_predictions() {
        let row =
            |i: usize| format!("{},{:.3},{:.3},{}\n", ["car", "bike"][i % 2], uniform(i, 1), uniform(i, 2), i % 3 / 2);
        for name in ["tp", "is_tp"] {
            let text = format!("class,conf,iou,{name}\n{}", (0..60).map(row).collect::<String>());
            assert_eq!(columns_of(&text, Role::Correct), [name]);
            assert_eq!(columns_of(&text, Role::Confidence), ["conf"]);
            assert_eq!(columns_of(&text, Role::Group), ["class"]);
        }
        let text = format!("class,risk,iou,tp\n{}", (0..60).map(row).collect::<String>());
        assert_eq!(columns_of(&text, Role::Correct).len(), 0);
    }

    #[test]
    fn logarithms_of_probabilities_are_no_log_odds() {
        let row = |i: usize| format!("{:.4},{}\n", (0.02 + 0.9 * uniform(i, 1)).ln(), i % 3 / 2);
        for name in ["pred_logprob", "log_prob", "logprobs"] {
            let text = format!("{name},y\n{}", (0..60).map(row).collect::<String>());
            assert_eq!(columns_of(&text, Role::Logit).len(), 0, "{name}");
        }
    }

    #[test]
    fn an_outcome_and_a_predicted_class_share_values() {
        let row = |i: usize| format!("{},{},0.{}\n", ["A", "B"][i % 2], ["Paris", "Rome"][i % 3 / 2], 50 + i % 40);
        let table = format!("label,prediction,confidence\n{}", (0..60).map(row).collect::<String>());
        let error = opened(&table).unwrap_err();
        assert!(error.starts_with("The outcome (`A`, `B`) and the predicted class (`Paris`, `Rome`)"), "{error}");
    }
}
