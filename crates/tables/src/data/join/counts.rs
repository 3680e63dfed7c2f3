//! Several files of counts, opened as one: each is a site or a month, and they share no rows.

use super::stack::both;
use crate::error::Result;
use crate::read::{CountColumn, Counts, ReadFile, agree, twice};
use crate::table::values::{Dictionary, NamedColumn, Values};
use crate::words::text::{counted, quoted};

/// Name of the column that says from which file a count is.
const FILE: &str = "file";

/// The counts of several files as those of one, with a column that names the file of each, a group like any other.
///
/// # Errors
/// `invalid_option` for files that were not counted in the same way, which names two of them and what differs; for a file that is there
/// twice.
///
/// # Cost
/// O(files × cells).
pub(in crate::data) fn pooled_counts(files: &[&ReadFile]) -> Result<ReadFile> {
    let Some((first, others)) = files.split_first() else { return Ok(ReadFile::default()) };
    let Some(settings) = &first.counts else { return Ok((*first).clone()) };
    let mut columns = first.columns.clone();
    let mut warnings = first.warnings.clone();
    for (place, file) in others.iter().enumerate() {
        let same = |earlier: &&&ReadFile| {
            let of = |file: &ReadFile| file.columns.iter().map(|column| column.values.clone()).collect::<Vec<_>>();
            of(earlier) == of(file)
        };
        if let Some(earlier) = files.iter().take(place + 1).find(same) {
            return Err(twice(&earlier.name, &file.name));
        }
        let made = file.counts.as_ref().map_or(&[][..], |counts| &counts.made);
        agree((&first.name, &settings.made), (&file.name, made))?;
        for (column, other) in columns.iter_mut().zip(&file.columns) {
            column.values = both(column, other)?;
        }
        warnings.extend(file.warnings.iter().cloned());
    }
    let (mut levels, mut codes) = (Dictionary::default(), Vec::new());
    for (place, file) in files.iter().enumerate() {
        let of_this_name = files.iter().take(place).filter(|earlier| earlier.name == file.name).count();
        let code = match of_this_name {
            0 => levels.push(&file.name),
            n => levels.push(&format!("{} ({})", file.name, n + 1)),
        };
        let rows = file.columns.first().and_then(|column| column.values.shape().first().copied()).unwrap_or(0);
        codes.extend(std::iter::repeat_n(code, rows));
    }
    let mut name = FILE.to_owned();
    while columns.iter().any(|column| column.name == name) {
        name.push_str(" of counts");
    }
    let of_all = format!("{} and {} more", first.name, others.len());
    for column in &mut columns {
        column.file.clone_from(&of_all);
    }
    let mut kinds = settings.columns.clone();
    // before other groups: the first group column is the one that is asked for by itself
    let place = kinds.iter().take_while(|(_, what)| is_given(*what)).count();
    kinds.insert(place, (name.clone(), CountColumn::File));
    columns.insert(place, NamedColumn { file: of_all, name, values: Values::Text { codes: codes.into(), levels } });
    let each =
        files.iter().filter_map(|file| Some(format!("{}: {}", quoted(&file.name), file.counts.as_ref()?.summary)));
    Ok(ReadFile {
        name: first.name.clone(),
        columns,
        warnings,
        counts: Some(Counts {
            summary: format!("{} of counts. {}", counted(files.len(), "file"), each.collect::<Vec<_>>().join(" ")),
            columns: kinds,
            made: settings.made.clone(),
            merged: files.iter().filter_map(|file| file.counts.as_ref()).any(|counts| counts.merged),
        }),
        ..ReadFile::default()
    })
}

/// Columns that every result of counting has.
fn is_given(what: CountColumn) -> bool {
    matches!(what, CountColumn::Score | CountColumn::Outcome | CountColumn::Rows)
}
