//! A session on another file: its columns are read as those of the same names were, as far as they fit.

use std::borrow::Borrow;

use serde_json::Value;

use super::dates::Dates;
use super::grouping::PREDICTED;
use super::labels::Labels;
use super::names;
use super::options::{OpenOptions, SplitOption};
use super::percent::read_as;
use super::roles::{Reading, Role};
use super::subgroup::Condition;
use crate::error::{Error, Result, Text, message, phrases};
use crate::read::ReadFile;
use crate::request::message::read;
use crate::table::Warning;
use crate::table::values::{NamedColumn, Values};
use crate::words::text::{listed, quoted};

/// Name and version of a session's form.
pub const SCHEMA: &str = "localcal-session/1";

/// The options with what a session says besides, and what of it does not fit these files.
///
/// # Errors
/// `invalid_option` for what is no session.
pub(super) fn with_session<F: Borrow<ReadFile>>(
    files: &[F],
    options: &OpenOptions,
) -> Result<(OpenOptions, Vec<Warning>)> {
    let Some(session) = &options.session else {
        let (only, split) = (Some(options.only().to_vec()), Some(options.split()));
        return Ok((OpenOptions { only, split, ..options.clone() }, Vec::new()));
    };
    let then = opened(session)?;
    let mut resumed = Resumed {
        files: files.iter().map(Borrow::borrow).collect(),
        said: options,
        now: OpenOptions { session: options.session.clone(), ..options.clone() },
        differs: Vec::new(),
        warnings: Vec::new(),
    };
    resumed.compare_columns(&then);
    resumed.take_roles(&then);
    for (name, reading) in &then.readings {
        resumed.take_reading(name, *reading, &then);
    }
    resumed.take_missing_codes(&then);
    resumed.take_event(&then);
    resumed.take_conditions(then.only.unwrap_or_default());
    resumed.take_split(then.split.unwrap_or_default());
    resumed.take_clusters(then.clusters);
    resumed.take_model(then.model);
    let Resumed { mut now, differs, mut warnings, .. } = resumed;
    now.view = options.view.or(then.view);
    now.rows = if options.rows == Default::default() { then.rows } else { options.rows };
    now.unanswered = options.unanswered.or(then.unanswered);
    now.renormalise |= then.renormalise;
    if !differs.is_empty() {
        warnings.push(differences(&differs.join("; ")));
    }
    Ok((now, warnings))
}

/// What of a session does not fit.
fn differences(differs: &str) -> Warning {
    Warning {
        code: "session_differs".into(),
        message: format!("Differences from the session: {differs}."),
        row: None,
        column: None,
    }
}

/// The warning that takes the place of an error where a file of several classes is opened with the event or the view of a
/// session of two; none where a person asked for it. How many classes there are is known only when the scores are read.
///
/// * `field`, `value`: of the options
pub(super) fn for_two_classes(options: &OpenOptions, field: &str, value: &str, classes: usize) -> Option<Warning> {
    let of_session = options.session.as_ref()?.pointer(&format!("/open/{field}"))?.as_str()?;
    let what = match field {
        "view" => "P(y = 1) was evaluated".to_owned(),
        _ => format!("{} was the event", quoted(value)),
    };
    (of_session == value).then(|| differences(&format!("{what}, which needs two classes; this file has {classes}")))
}

/// The options with which the file of a session was opened.
fn opened(session: &Value) -> Result<OpenOptions> {
    let unreadable =
        |what: Text| Error::new("invalid_option", message!["session: ", what, "."], phrases::SESSION_UNCHANGED);
    match session.get("schema").and_then(Value::as_str) {
        Some(SCHEMA) => (),
        Some(other) => {
            return Err(unreadable(format!("its schema is `{other}`; `{SCHEMA}` is supported").into()));
        }
        None => return Err(unreadable("it has no `schema`".into())),
    }
    read(session.get("open").cloned().unwrap_or_default())
        .map_err(|error| unreadable(message!["its part `open` is invalid: ", phrases::unread(&error)]))
}

/// A session while it is applied to files. Each method takes one kind of choice, where nothing else was said and it
/// fits.
struct Resumed<'a> {
    files: Vec<&'a ReadFile>,
    /// options that were given besides the session, and have priority
    said: &'a OpenOptions,
    /// options that apply
    now: OpenOptions,
    /// what does not fit, in words
    differs: Vec<String>,
    /// what a person should know besides
    warnings: Vec<Warning>,
}

impl<'a> Resumed<'a> {
    fn columns(&self) -> impl Iterator<Item = &'a NamedColumn> {
        self.files.iter().flat_map(|file| &file.columns)
    }

    fn column(&self, name: &str) -> Option<&'a NamedColumn> {
        self.columns().find(|column| column.name == name)
    }

    fn compare_columns(&mut self, then: &OpenOptions) {
        let absent = then.roles.iter().filter(|(name, role)| **role != Role::Ignore && self.column(name).is_none());
        let absent: Vec<&String> = absent.map(|(name, _)| name).collect();
        if !absent.is_empty() {
            self.differs.push(match absent.len() {
                1 => format!("column {} is missing", listed(absent)),
                _ => format!("columns {} are missing", listed(absent)),
            });
        }
        let names = self.columns().map(|column| &column.name);
        let new: Vec<&String> = names.filter(|name| !then.roles.contains_key(*name)).collect();
        if !new.is_empty() {
            self.differs.push(match new.len() {
                1 => format!("column {} is new", listed(new)),
                _ => format!("columns {} are new", listed(new)),
            });
        }
    }

    fn take_roles(&mut self, then: &OpenOptions) {
        for (name, role) in &then.roles {
            let Some(column) = self.column(name) else { continue };
            if *role == Role::Date && Dates::of(column).is_none() {
                self.differs.push(format!("{} contained dates", quoted(name)));
            } else {
                self.now.roles.entry(name.clone()).or_insert(*role);
            }
        }
    }

    /// Numbers that can be read in one way only are read in that. Percentages below 1% are those of a person, or of a
    /// name.
    fn take_reading(&mut self, name: &String, reading: Reading, then: &OpenOptions) {
        let Some(column) = self.column(name) else { return };
        let shares = matches!(&column.values, Values::Numbers(v) if v.iter().all(|x| x.is_nan() || *x <= 1.0));
        if reading == Reading::Percent && shares {
            if self.said.roles.contains_key(name) || self.said.readings.contains_key(name) {
                return;
            }
            if then.roles.get(name) != Some(&Role::Percent) && !names::suggests_percent(name) {
                let differs = format!("{} was read as percentages, and contains no number above 1 here", quoted(name));
                self.differs.push(differs);
                return;
            }
            self.warnings.push(Warning {
                code: "percent_of_session".into(),
                message: format!(
                    "{} is read as percentages, as in the session, although no value exceeds 1 (0.5 as 0.5%). If the \
                     values are fractions, assign the role `probability`.",
                    quoted(name)
                ),
                row: None,
                column: Some(name.clone()),
            });
        }
        // Signs on every value are read without being asked for.
        let signed = matches!(column.values, Values::Text { .. }) && read_as(column, None).1 == Some(Reading::Percent);
        if reading == Reading::Percent && signed {
            return;
        }
        let doubtful = self.files.iter().any(|file| file.ambiguous.iter().any(|one| one.column == *name));
        if reading == Reading::Percent || doubtful {
            self.now.readings.entry(name.clone()).or_insert(reading);
        }
    }

    fn take_missing_codes(&mut self, then: &OpenOptions) {
        for (name, codes) in &then.missing {
            if self.column(name).is_some() {
                self.now.missing.entry(name.clone()).or_insert_with(|| codes.clone());
            }
        }
    }

    fn take_event(&mut self, then: &OpenOptions) {
        let (None, Some(positive)) = (&self.said.positive, &then.positive) else { return };
        let label = then.roles.iter().find(|(_, role)| **role == Role::Label);
        let label = label.and_then(|(name, _)| self.column(name));
        let labels = label.map(|column| Labels::of(&column.values).names).unwrap_or_default();
        if labels.len() < 2 || labels.contains(positive) {
            self.now.positive = Some(positive.clone());
        } else {
            self.differs.push(format!("{} was the event, and does not occur", quoted(positive)));
        }
    }

    fn take_conditions(&mut self, then: Vec<Condition>) {
        if self.said.only.is_some() {
            return;
        }
        let mut kept = Vec::new();
        for condition in then {
            if self.column(&condition.column).is_some() || condition.column == PREDICTED {
                kept.push(condition);
            } else {
                self.differs.push(format!(
                    "only rows where {} were open, which cannot be determined in this file",
                    condition.description()
                ));
            }
        }
        self.now.only = Some(kept);
    }

    fn take_split(&mut self, then: SplitOption) {
        if self.said.split.is_some() {
            return;
        }
        self.now.split = Some(match then {
            SplitOption::Column { column, .. } if self.column(&column).is_none() => {
                self.differs.push(format!("{} defined the data split", quoted(&column)));
                SplitOption::default()
            }
            SplitOption::Files { .. } if self.files.len() != 2 => SplitOption::default(),
            split => split,
        });
    }

    fn take_clusters(&mut self, then: Option<Option<String>>) {
        if self.said.clusters.is_some() {
            return;
        }
        self.now.clusters = match then {
            Some(Some(column)) if self.column(&column).is_none() => {
                self.differs.push(format!("{} defined the clusters", quoted(&column)));
                None
            }
            clusters => clusters,
        };
    }

    fn take_model(&mut self, then: Option<String>) {
        let (None, Some(model)) = (&self.said.model, then) else { return };
        if self.columns().any(|column| column.name.starts_with(&model)) {
            self.now.model = Some(model);
        } else {
            self.differs.push(format!("the model {} was open", quoted(&model)));
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::data::pair::scores;
    use crate::data::{View, assemble};

    #[test]
    fn a_session_of_two_classes_opens_a_file_of_three_without_its_event() {
        let text = "p_0,p_1,p_2,y\n0.5,0.25,0.25,0\n0.25,0.5,0.25,1\n0.25,0.25,0.5,2\n";
        let file = crate::read::read("rows.csv", text.as_bytes(), &mut |_| ()).unwrap();
        for name in ["y", "died"] {
            let open = json!({ "roles": { name: "label" }, "positive": "1", "view": "positive" });
            let session = Some(json!({ "schema": SCHEMA, "open": open }));
            let options = OpenOptions { session, ..OpenOptions::default() };
            let (data, summary) = assemble(&[&file], &options).unwrap();
            assert_eq!((data.labels.len(), data.view, data.positive), (3, View::TopLabel, None));
            let said: Vec<&str> = (summary.warnings.iter())
                .filter(|warning| warning.code == "session_differs")
                .map(|warning| warning.message.as_str())
                .collect();
            for part in
                ["`1` was the event, which needs two classes", "P(y = 1) was evaluated, which needs two classes"]
            {
                assert!(said.iter().any(|said| said.contains(part)), "{said:?}");
            }
        }
        // what a person asks for is refused, as without a session
        let asked = OpenOptions { positive: Some("1".to_owned()), ..OpenOptions::default() };
        assert_eq!(assemble(&[&file], &asked).unwrap_err().code(), "invalid_option");
    }

    #[test]
    fn percent_of_a_person_or_a_name_is_kept_where_no_value_exceeds_one() {
        let opened = |name: &str, role: &str, options: OpenOptions| {
            let text = format!("{name},y\n0.5,1\n0.25,0\n0.1,0\n");
            let file = crate::read::read("rows.csv", text.as_bytes(), &mut |_| ()).unwrap();
            let open = json!({ "roles": { name: role, "y": "label" }, "readings": { name: "percent" } });
            let session = Some(json!({ "schema": SCHEMA, "open": open }));
            let (data, summary) = assemble(&[file], &OpenOptions { session, ..options }).unwrap();
            let codes = summary.warnings.into_iter().map(|warning| warning.code).filter(|code| code != "few_rows");
            let codes: Vec<String> = codes.collect();
            (scores(&data).unwrap()[0], codes.join(" "))
        };
        let none = OpenOptions::default;
        let kept = (0.005, "percent_of_session read_as_percent".to_owned());
        assert_eq!(opened("score", "percent", none()), kept);
        assert_eq!(opened("fraud_score_percent", "probability", none()), kept);
        // signs that the column had, and has no longer, are no word of a person
        assert_eq!(opened("score", "probability", none()), (0.5, "session_differs".to_owned()));
        let said = |role| OpenOptions { roles: [("score".to_owned(), role)].into(), ..none() };
        assert_eq!(opened("score", "percent", said(Role::Percent)), (0.005, "read_as_percent".to_owned()));
        assert_eq!(opened("score", "percent", said(Role::Probability)), (0.5, String::new()));
    }
}
