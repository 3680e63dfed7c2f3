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
    let unreadable =
        |what: Text| Error::new("invalid_option", message!["session: ", what, "."], phrases::SESSION_UNCHANGED);
    match session.get("schema").and_then(Value::as_str) {
        Some(SCHEMA) => (),
        Some(other) => {
            return Err(unreadable(format!("its schema is `{other}`; `{SCHEMA}` is supported").into()));
        }
        None => return Err(unreadable("it has no `schema`".into())),
    }
    let then: OpenOptions = read(session.get("open").cloned().unwrap_or_default())
        .map_err(|error| unreadable(message!["its part `open` is invalid: ", phrases::unread(&error)]))?;
    let columns: Vec<&NamedColumn> = files.iter().flat_map(|file| &file.borrow().columns).collect();
    let find = |name: &str| columns.iter().find(|column| column.name == name).copied();
    let mut differs: Vec<String> = Vec::new();
    let mut now = OpenOptions { session: options.session.clone(), ..options.clone() };

    let absent = then.roles.iter().filter(|(name, role)| **role != Role::Ignore && find(name).is_none());
    let absent: Vec<&String> = absent.map(|(name, _)| name).collect();
    if !absent.is_empty() {
        differs.push(match absent.len() {
            1 => format!("column {} is missing", listed(absent)),
            _ => format!("columns {} are missing", listed(absent)),
        });
    }
    let new: Vec<&String> =
        columns.iter().map(|column| &column.name).filter(|name| !then.roles.contains_key(*name)).collect();
    if !new.is_empty() {
        differs.push(match new.len() {
            1 => format!("column {} is new", listed(new)),
            _ => format!("columns {} are new", listed(new)),
        });
    }
    for (name, role) in &then.roles {
        let Some(column) = find(name) else { continue };
        if *role == Role::Date && Dates::of(column).is_none() {
            differs.push(format!("{} contained dates", quoted(name)));
        } else {
            now.roles.entry(name.clone()).or_insert(*role);
        }
    }
    let mut told = Vec::new();
    // Numbers that can be read in one way only are read in that. Percentages below 1% are those of a person, or of a name.
    let doubtful =
        |name: &String| files.iter().any(|file| file.borrow().ambiguous.iter().any(|one| one.column == *name));
    for (name, reading) in &then.readings {
        let Some(column) = find(name) else { continue };
        let shares = matches!(&column.values, Values::Numbers(v) if v.iter().all(|x| x.is_nan() || *x <= 1.0));
        let declared = then.roles.get(name) == Some(&Role::Percent) || names::suggests_percent(name);
        let said = options.roles.contains_key(name) || options.readings.contains_key(name);
        if *reading == Reading::Percent && shares {
            if said {
                continue;
            }
            if !declared {
                differs.push(format!("{} was read as percentages, and contains no number above 1 here", quoted(name)));
                continue;
            }
            told.push(Warning {
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
        if *reading == Reading::Percent && signed {
            continue;
        }
        if *reading == Reading::Percent || doubtful(name) {
            now.readings.entry(name.clone()).or_insert(*reading);
        }
    }
    for (name, stands) in &then.missing {
        if find(name).is_some() {
            now.missing.entry(name.clone()).or_insert_with(|| stands.clone());
        }
    }
    let label = then.roles.iter().find(|(_, role)| **role == Role::Label).and_then(|(name, _)| find(name));
    let labels = label.map(|column| Labels::of(&column.values).names).unwrap_or_default();
    if let (None, Some(positive)) = (&options.positive, &then.positive) {
        if labels.len() < 2 || labels.contains(positive) {
            now.positive = Some(positive.clone());
        } else {
            differs.push(format!("{} was the event, and does not occur", quoted(positive)));
        }
    }
    if options.only.is_none() {
        let mut kept = Vec::new();
        for condition in then.only.unwrap_or_default() {
            if find(&condition.column).is_some() || condition.column == PREDICTED {
                kept.push(condition);
            } else {
                differs.push(format!(
                    "only rows where {} were open, which cannot be determined in this file",
                    condition.description()
                ));
            }
        }
        now.only = Some(kept);
    }
    if options.split.is_none() {
        now.split = Some(match then.split.unwrap_or_default() {
            SplitOption::Column { column, .. } if find(&column).is_none() => {
                differs.push(format!("{} defined the data split", quoted(&column)));
                SplitOption::default()
            }
            SplitOption::Files { .. } if files.len() != 2 => SplitOption::default(),
            split => split,
        });
    }
    if options.clusters.is_none() {
        now.clusters = match then.clusters {
            Some(Some(column)) if find(&column).is_none() => {
                differs.push(format!("{} defined the clusters", quoted(&column)));
                None
            }
            clusters => clusters,
        };
    }
    if let (None, Some(model)) = (&options.model, then.model) {
        if columns.iter().any(|column| column.name.starts_with(&model)) {
            now.model = Some(model);
        } else {
            differs.push(format!("the model {} was open", quoted(&model)));
        }
    }
    now.view = options.view.or(then.view);
    now.rows = if options.rows == Default::default() { then.rows } else { options.rows };
    now.unanswered = options.unanswered.or(then.unanswered);
    now.renormalise |= then.renormalise;
    if !differs.is_empty() {
        told.push(Warning {
            code: "session_differs".into(),
            message: format!("Differences from the session: {}.", differs.join("; ")),
            row: None,
            column: None,
        });
    }
    Ok((now, told))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::data::assemble;
    use crate::data::pair::scores;

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
