//! NPZ: the arrays of a ZIP archive; also a table that someone zipped by hand.

use super::zip::{Entry, entries};
use super::{ReadFile, distinct_names, npy};
use crate::data::{NamedColumn, Warning};
use crate::error::{Error, Result};

/// What a ZIP archive turned out to be.
pub(super) enum Archive {
    /// arrays
    Arrays(ReadFile),
    /// the bytes of its only table
    Table(Vec<u8>),
}

/// Arrays of an archive, or the one text table in it.
///
/// Single values (settings saved beside the arrays) and arrays of three or more dimensions are passed over
/// with a warning.
///
/// # Errors
/// Those of [`entries`], [`Entry::contents`] and [`npy::values`]; `file_unknown` for spreadsheets, PyTorch
/// files and archives without arrays.
pub(super) fn read(file_name: &str, bytes: &[u8], progress: &mut dyn FnMut(f64)) -> Result<Archive> {
    let entries = entries(bytes)?;
    let arrays: Vec<&Entry> = entries.iter().filter(|entry| entry.name.ends_with(".npy")).collect();
    if arrays.is_empty() {
        return other(&entries);
    }
    let mut file = ReadFile { name: file_name.to_owned(), ..ReadFile::default() };
    let names = distinct_names(arrays.iter().map(|entry| entry.name.trim_end_matches(".npy").to_owned()).collect());
    for (k, (entry, name)) in arrays.iter().zip(names).enumerate() {
        let values = npy::values(&entry.contents()?).map_err(|error| {
            Error::new(
                error.code(),
                format!("{}, array `{name}`.", error.to_string().trim_end_matches('.')),
                error.hint(),
            )
        })?;
        match values {
            Some(values) => file.columns.push(NamedColumn { file: file_name.to_owned(), name, values }),
            None => file.warnings.push(Warning {
                code: "array_passed_over".into(),
                message: format!(
                    "An array that is a single value, or has three or more dimensions, was passed over: `{name}`."
                ),
                row: None,
                column: Some(name),
            }),
        }
        progress((k + 1) as f64 / arrays.len() as f64);
    }
    if file.columns.is_empty() {
        return Err(Error::new(
            "empty",
            "The archive holds no array with rows.",
            "Save scores and labels with one row per prediction: `np.savez(\"predictions.npz\", probs=probs, labels=labels)`.",
        ));
    }
    Ok(Archive::Arrays(file))
}

fn other(entries: &[Entry]) -> Result<Archive> {
    let any = |test: &dyn Fn(&str) -> bool| entries.iter().any(|entry| test(&entry.name));
    if any(&|name| name.starts_with("xl/") || name == "[Content_Types].xml") {
        return Err(Error::new(
            "file_unknown",
            "This is an Excel workbook, which is not read.",
            "In the spreadsheet: File, Save as, CSV (UTF-8); then drop the CSV.",
        ));
    }
    if any(&|name| name == "data.pkl" || name.ends_with("/data.pkl")) {
        return Err(Error::new(
            "array_pickled",
            "This is a PyTorch file, which would have to be executed to be read; that is never done.",
            "In Python: `import torch, numpy as np; d = torch.load(path); np.savez(\"predictions.npz\", **{k: v.numpy() for k, v in d.items()})`.",
        ));
    }
    let table = |entry: &&Entry| {
        let name = entry.name.to_lowercase();
        !name.starts_with("__macosx/") && [".csv", ".tsv", ".txt"].iter().any(|ending| name.ends_with(ending))
    };
    let tables: Vec<&Entry> = entries.iter().filter(table).collect();
    match tables.as_slice() {
        [only] => Ok(Archive::Table(only.contents()?.into_owned())),
        [] => Err(Error::new(
            "file_unknown",
            "The archive holds neither arrays (NPY) nor a table (CSV).",
            "Unpack it and drop the file with the predictions.",
        )),
        several => Err(Error::new(
            "file_unknown",
            format!("The archive holds {} tables.", several.len()),
            "Unpack it and drop the tables that belong together.",
        )),
    }
}
