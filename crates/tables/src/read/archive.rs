//! ZIP archives: the arrays of an NPZ file, a log of Inspect, a table that someone packed by hand, perhaps beside arrays,
//! or several files that are opened together.

use std::io::{Cursor, Read};

use zip::result::ZipError;
use zip::{CompressionMethod, ZipArchive};

use super::{
    Contents, FORMATS, Format, ReadFile, ReadOptions, Source, contents, distinct_names, log, npy, quoted, thousands,
    too_large, zstd,
};
use crate::error::{Error, Result, Text, message, phrases};
use crate::table::{Column, NamedColumn, Warning};
use crate::words::text::{counted, listed};

/// Deflate cannot grow by more than this factor (258 bytes for two bits).
const MOST_GROWTH: u64 = 1032;

pub(super) const FORMAT: Format = Format {
    endings: &["npz", "zip", "eval"],
    recognizes: |source| source.bytes.starts_with(b"PK\x03\x04") || source.bytes.starts_with(b"PK\x05\x06"),
    read: |source, progress| arrays(source, progress).map_err(|error| with_numpy(error, source.name)),
};

/// How a damaged archive of arrays is saved anew; other archives are copied or downloaded again.
fn with_numpy(error: Error, file_name: &str) -> Error {
    match error.code() == "archive_unreadable" && file_name.to_lowercase().ends_with(".npz") {
        true => error.with_hint(
            "Copy or download it again, or save it anew: `np.savez(\"predictions.npz\", probs=probs, labels=labels)`.",
        ),
        false => error,
    }
}

/// Arrays of an archive with the table beside them, the log in it, or the one table in it.
///
/// A table beside arrays is read with them where it has as many rows as one of them; what is not read is named in a warning.
///
/// Single values (settings saved beside the arrays) and arrays of three or more dimensions are passed over
/// with a warning.
///
/// # Errors
/// `archive_unreadable` for what is damaged; those of [`npy::values`]; `file_unknown` for spreadsheets, PyTorch
/// files and archives without arrays; `too_large`, before anything is unpacked, where the arrays have more bytes together
/// than may be read, and before an array becomes numbers that have.
fn arrays(source: &Source<'_>, progress: &mut dyn FnMut(f64)) -> Result<Contents> {
    let file_name = source.name;
    let most = source.options.most();
    let mut archive = Archive::opened(source.bytes, most)?;
    let entries = archive.names()?;
    let arrays: Vec<(usize, String)> =
        entries.iter().enumerate().filter(|(_, name)| name.ends_with(".npy")).map(|(k, n)| (k, n.clone())).collect();
    if arrays.is_empty() {
        return match log::of_archive(source, &mut archive, &entries, progress) {
            Some(log) => log,
            None => table(archive, &entries),
        };
    }
    let places: Vec<usize> = arrays.iter().map(|(place, _)| *place).collect();
    let packed = archive.check_sum(&places, "array")?;
    let mut taken = 0u64;
    let mut file = ReadFile { name: file_name.to_owned(), ..ReadFile::default() };
    let names = distinct_names(arrays.iter().map(|(_, name)| name.trim_end_matches(".npy").to_owned()).collect());
    for (k, ((place, _), name)) in arrays.iter().zip(names).enumerate() {
        let bytes = archive.contents(*place)?;
        taken = taken.saturating_add(npy::memory(&bytes));
        if taken > most {
            let what = format!("As numbers, the archive's arrays up to `{name}` take");
            return Err(too_large(&what, taken as f64, most));
        }
        let values = npy::values(&bytes).map_err(|error| error.at(format!(", array `{name}`.")))?;
        match values {
            Some(values) => file.columns.push(NamedColumn { file: file_name.to_owned(), name, values }),
            None => file.warnings.push(npy::passed_over(name, &npy::shape_of(&bytes))),
        }
        progress((k + 1) as f64 / arrays.len() as f64);
    }
    if file.columns.is_empty() {
        return Err(Error::new(
            "empty",
            "The archive contains no array with rows.",
            "Save scores and labels with one row per prediction: `np.savez(\"predictions.npz\", probs=probs, labels=labels)`.",
        ));
    }
    let tables = tables(&entries);
    if !tables.is_empty() {
        file = beside_arrays(source, &mut archive, &tables, packed, file);
    }
    Ok(Contents::Columns(file))
}

/// A file of an archive.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Member {
    /// its name without folders; with them where another file has the same name
    pub name: String,
    /// its content
    pub bytes: Column<u8>,
}

/// The files of an archive that are opened as if each had been given by itself, in its order: several, or one that
/// [`read`](super::read()) does not take from an archive. None where the archive is read as one file: arrays, a log, one table.
///
/// * `most`: bytes that they may have together
///
/// # Errors
/// `archive_unreadable`, `too_large`; the name of the archive stands at the end of the message.
pub fn members(file_name: &str, bytes: &[u8], most: Option<u64>) -> Result<Option<Vec<Member>>> {
    let source = Source { name: file_name, bytes, options: ReadOptions { most, ..ReadOptions::default() } };
    let files = if (FORMAT.recognizes)(&source) { several(&source) } else { Ok(None) };
    files.map_err(|error| with_numpy(error, file_name).at(format!(" (file {}).", quoted(file_name))))
}

fn several(source: &Source<'_>) -> Result<Option<Vec<Member>>> {
    let mut archive = Archive::opened(source.bytes, source.options.most())?;
    let entries = archive.names()?;
    let tables = tables(&entries);
    let one = tables.is_empty() || matches!(tables.as_slice(), [(_, name)] if !is_apart(name) && plain(name) == *name);
    if one
        || entries.iter().any(|name| name.ends_with(".npy"))
        || log::is_archive(&entries)
        || refusal(&entries).is_some()
    {
        return Ok(None);
    }
    if tables.len() > MOST_TABLES {
        return Err(Error::new(
            "too_large",
            format!(
                "The archive contains {} tables; at most {MOST_TABLES} are opened together.",
                thousands(tables.len())
            ),
            message!["Unpack it and ", phrases::DROP, " the tables that belong together."],
        ));
    }
    let places: Vec<usize> = tables.iter().map(|(place, _)| *place).collect();
    archive.check_sum(&places, "table")?;
    let base = |name: &String| name.rsplit('/').next().unwrap_or_default().to_owned();
    let member = |(place, name): &(usize, &String)| {
        let alone = tables.iter().filter(|(_, other)| base(other) == base(name)).count() == 1;
        let name = if alone { base(name) } else { (*name).clone() };
        Ok(Member { name, bytes: archive.contents(*place)?.into() })
    };
    tables.iter().map(member).collect::<Result<_>>().map(Some)
}

/// Tables of one archive that are opened together.
const MOST_TABLES: usize = 100;

/// What a file is called that is about the others.
const ABOUT: &[&str] = &["readme", "license", "licence", "notice", "changelog", "about"];

/// Endings of what a library reads that takes no file within another.
const APART: &[&str] = &["parquet", "xlsx"];

/// Endings of what is no table by itself: arrays, other packed files, and JSON, which may be settings beside a table.
const BESIDE: &[&str] = &["npy", "zip", "gz", "zst", "json", "jsonl", "ndjson"];

/// Endings of JSON Lines.
const LINES: [&str; 2] = ["jsonl", "ndjson"];

fn is_apart(name: &str) -> bool {
    let name = name.to_lowercase();
    APART.iter().any(|ending| name.strip_suffix(ending).is_some_and(|start| start.ends_with('.')))
}

/// The name without the ending of a compression.
fn plain(name: &str) -> &str {
    [".gz", ".zst"].iter().find_map(|ending| name.strip_suffix(ending)).unwrap_or(name)
}

/// Places and names of the entries that are tables by their names: those of text, columns, arrays or JSON Lines, else of JSON.
fn tables(entries: &[String]) -> Vec<(usize, &String)> {
    let ending_in = |endings: &[&str]| -> Vec<(usize, &String)> {
        let is_one = |(_, name): &(usize, &String)| {
            let name = name.to_lowercase();
            let last = name.rsplit('/').next().unwrap_or_default();
            let about = ABOUT.iter().any(|one| last.starts_with(one));
            let hidden = name.starts_with("__macosx/") || last.starts_with('.');
            let ends = |ending: &&str| plain(&name).strip_suffix(ending).is_some_and(|start| start.ends_with('.'));
            !hidden && !about && endings.iter().any(ends)
        };
        entries.iter().enumerate().filter(is_one).collect()
    };
    let known = FORMATS.iter().flat_map(|format| format.endings).filter(|ending| !BESIDE.contains(ending));
    let tables = ending_in(&known.chain(APART).chain(&LINES).copied().collect::<Vec<_>>());
    let lines = ending_in(&LINES);
    let texts = ending_in(&["txt"]);
    if tables.is_empty() {
        ending_in(&["json"])
    } else if !lines.is_empty() && tables.len() == lines.len() + texts.len() {
        // a text beside JSON Lines is about them
        lines
    } else {
        tables
    }
}

/// The arrays with the columns of the table beside them; a warning where it is not read.
///
/// * `packed`: bytes of the arrays, unpacked
fn beside_arrays(
    source: &Source<'_>,
    archive: &mut Archive<'_>,
    tables: &[(usize, &String)],
    packed: u64,
    mut arrays: ReadFile,
) -> ReadFile {
    let not_read = |mut arrays: ReadFile| {
        let names = listed(tables.iter().map(|(_, name)| name));
        arrays.warnings.push(Warning {
            code: "entry_not_read".into(),
            message: format!(
                "Only the arrays of the archive were read, and not {names}. If it contains columns of the same rows, unpack the \
                 archive and open its files together."
            ),
            row: None,
            column: None,
        });
        arrays
    };
    let [(place, _)] = tables else { return not_read(arrays) };
    if packed.saturating_add(archive.size(*place)) > archive.most {
        return not_read(arrays);
    }
    let table = archive.contents(*place).and_then(|inner| contents(&Source { bytes: &inner, ..*source }, &mut |_| ()));
    let Ok(Contents::Columns(mut table)) = table else { return not_read(arrays) };
    let rows = |file: &ReadFile| -> Vec<usize> {
        file.columns.iter().filter_map(|column| column.values.shape().first().copied()).collect()
    };
    if !rows(&table).iter().any(|rows_of_table| rows(&arrays).contains(rows_of_table)) {
        return not_read(arrays);
    }
    let of_table = table.columns.len();
    table.columns.append(&mut arrays.columns);
    table.warnings.append(&mut arrays.warnings);
    let names = distinct_names(table.columns.iter().map(|column| column.name.clone()).collect());
    for (column, name) in table.columns.iter_mut().zip(names).skip(of_table) {
        column.name = name;
    }
    table
}

/// The bytes of the only table.
fn table(mut archive: Archive<'_>, entries: &[String]) -> Result<Contents> {
    if let Some(refusal) = refusal(entries) {
        return Err(refusal);
    }
    match tables(entries).as_slice() {
        [(place, name)] if !is_apart(name) => Ok(Contents::Packed(archive.contents(*place)?)),
        [_] => Err(Error::new(
            "file_unknown",
            "The archive contains a Parquet file or an Excel workbook, which is not read within another file.",
            message!["Unpack it and ", phrases::DROP, " the file itself."],
        )),
        [] => Err(Error::new(
            "file_unknown",
            "The archive contains neither arrays (NPY) nor a table (CSV, JSON, Parquet, Excel).",
            message!["Unpack it and ", phrases::DROP, " the file with the predictions."],
        )),
        several => Err(Error::new(
            "file_unknown",
            format!("The archive contains {} tables, which are not read as one.", several.len()),
            message!["Unpack it and ", phrases::DROP, " the tables that belong together."],
        )),
    }
}

/// Why an archive is not one of files: it is a workbook, or runs code.
fn refusal(entries: &[String]) -> Option<Error> {
    let any = |test: &dyn Fn(&str) -> bool| entries.iter().any(|name| test(name));
    if any(&|name| name.starts_with("xl/") || name == "[Content_Types].xml") {
        return Some(Error::new(
            "file_unknown",
            "Excel workbooks are read in the page and the terminal only.",
            phrases::DROP_AS_CSV,
        ));
    }
    let pickled = any(&|name| name == "data.pkl" || name.ends_with("/data.pkl"));
    pickled.then(|| {
        Error::new(
            "array_pickled",
            "PyTorch files run code when read and are never opened.",
            "In Python: `import torch, numpy as np; d = torch.load(path); np.savez(\"predictions.npz\", **{k: v.numpy() for k, v in d.items()})`.",
        )
    })
}

/// A ZIP archive in memory.
pub(super) struct Archive<'a> {
    zip: ZipArchive<Cursor<&'a [u8]>>,
    /// bytes that may be unpacked
    most: u64,
}

impl<'a> Archive<'a> {
    fn opened(bytes: &'a [u8], most: u64) -> Result<Self> {
        let zip = ZipArchive::new(Cursor::new(bytes)).map_err(|_| {
            damaged(format!(
                "The archive is truncated: its directory is missing at the end of {} bytes.",
                thousands(bytes.len())
            ))
        })?;
        Ok(Self { zip, most })
    }

    /// Paths inside the archive, in its order.
    fn names(&mut self) -> Result<Vec<String>> {
        (0..self.zip.len())
            .map(|place| {
                let entry = self.zip.by_index_raw(place).map_err(|_| outside(place))?;
                Ok(String::from_utf8_lossy(entry.name_raw()).into_owned())
            })
            .collect()
    }

    /// Refuses entries that have more bytes together than may be read, as the directory says; each is held to what it says
    /// there when it is unpacked.
    ///
    /// # Errors
    /// `too_large`; `archive_unreadable`.
    fn check_sum(&mut self, places: &[usize], noun: &str) -> Result<u64> {
        let mut sum = 0u64;
        for place in places {
            let entry = self.zip.by_index_raw(*place).map_err(|_| outside(*place))?;
            sum = sum.saturating_add(entry.size());
        }
        let what = format!("The archive's {} unpack to", counted(places.len(), noun));
        if places.len() > 1 && sum > self.most { Err(too_large(&what, sum as f64, self.most)) } else { Ok(sum) }
    }

    /// The bytes of an entry, uncompressed; nothing is allocated that the compressed bytes cannot fill.
    ///
    /// # Errors
    /// `archive_unreadable` when it is encrypted, packed by an unknown method, or does not unpack to what
    /// the directory says; `too_large`.
    pub(super) fn contents(&mut self, place: usize) -> Result<Vec<u8>> {
        let entry = self.zip.by_index_raw(place).map_err(|_| outside(place))?;
        let name = String::from_utf8_lossy(entry.name_raw()).into_owned();
        let (size, packed) = (entry.size(), entry.compressed_size());
        if entry.encrypted() {
            return Err(damaged(format!("The archive is encrypted at `{name}`.")));
        }
        let method = entry.compression();
        let most = match method {
            CompressionMethod::Stored => packed,
            ZSTD => u64::MAX,
            _ => packed.saturating_mul(MOST_GROWTH),
        };
        if size > most {
            return Err(damaged(format!(
                "The archive declares {} bytes but contains {} compressed bytes for `{name}`.",
                thousands(size),
                thousands(packed),
            )));
        }
        if size > self.most {
            return Err(too_large(&format!("The archive's `{name}` unpacks to"), size as f64, self.most));
        }
        if method == ZSTD {
            return unpacked_by_zstd(entry, &name, size);
        }
        drop(entry);
        let mut bytes = Vec::with_capacity(size as usize);
        let read = match self.zip.by_index(place) {
            Ok(entry) => entry.take(size + 1).read_to_end(&mut bytes),
            Err(ZipError::CompressionMethodNotSupported(method)) => {
                return Err(damaged(format!(
                    "Compression method {method} of `{name}` is not supported; stored, deflated and zstd entries are."
                )));
            }
            Err(_) => return Err(outside(place)),
        };
        match read {
            Ok(length) if length as u64 == size => Ok(bytes),
            Err(error) if error.to_string().contains("checksum") => {
                Err(damaged(format!("The archive is damaged: the checksum of `{name}` is wrong.")))
            }
            _ => Err(of_other_size(&name, size)),
        }
    }

    /// Bytes of an entry, as the directory says.
    pub(super) fn size(&mut self, place: usize) -> u64 {
        self.zip.by_index_raw(place).map_or(0, |entry| entry.size())
    }
}

/// The method of Zstandard, which the library of archives reads only by code in C.
#[allow(deprecated)]
const ZSTD: CompressionMethod = CompressionMethod::Unsupported(93);

/// The bytes of an entry that zstd compressed, one or more frames that state no size: at most as many as the directory says,
/// with its checksum.
fn unpacked_by_zstd<R: Read>(mut entry: zip::read::ZipFile<'_, R>, name: &str, size: u64) -> Result<Vec<u8>> {
    let mut packed = Vec::new();
    entry.read_to_end(&mut packed).map_err(|_| of_other_size(name, size))?;
    let bytes = match zstd::unpacked(&packed, size) {
        Ok(bytes) if bytes.len() as u64 == size => bytes,
        _ => return Err(of_other_size(name, size)),
    };
    let mut checksum = flate2::Crc::new();
    checksum.update(&bytes);
    match checksum.sum() == entry.crc32() {
        true => Ok(bytes),
        false => Err(damaged(format!("The archive is damaged: the checksum of `{name}` is wrong."))),
    }
}

fn of_other_size(name: &str, size: u64) -> Error {
    damaged(format!("The archive is damaged: `{name}` does not unpack to its {} bytes.", thousands(size)))
}

fn outside(place: usize) -> Error {
    damaged(format!("The archive is damaged: entry {} is outside its bytes.", thousands(place + 1)))
}

fn damaged(message: impl Into<Text>) -> Error {
    Error::new("archive_unreadable", message, "Copy or download it again.")
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::io::Write;

    use super::*;
    use crate::read::read;
    use crate::table::Values;

    /// An archive of files that are not compressed.
    fn packed(files: &[(&str, &[u8])]) -> Vec<u8> {
        let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
        let stored = zip::write::SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
        for (name, bytes) in files {
            zip.start_file(*name, stored).unwrap();
            zip.write_all(bytes).unwrap();
        }
        zip.finish().unwrap().into_inner()
    }

    /// `numpy.save` of an array of 64-bit floats.
    fn npy(shape: &str, values: &[f64]) -> Vec<u8> {
        let header = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}\n");
        let length = (header.len() as u16).to_le_bytes();
        let data: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        [b"\x93NUMPY\x01\x00", &length[..], header.as_bytes(), &data].concat()
    }

    fn names(files: &[(&str, &[u8])]) -> (Vec<String>, Vec<String>) {
        let file = read("packed.zip", &packed(files), &mut |_| ()).unwrap();
        let told = file.warnings.iter().map(|warning| warning.code.clone()).collect();
        (file.columns.into_iter().map(|column| column.name).collect(), told)
    }

    #[test]
    fn a_text_about_the_others_is_no_table_and_no_table_is_passed_over() {
        let table: (&str, &[u8]) = ("data.csv", b"p,y\n0.5,1\n0.25,0\n");
        assert_eq!(names(&[table, ("README.txt", b"hello")]).0, ["p", "y"]);
        let refused = |files: &[(&str, &[u8])]| {
            let error = read("packed.zip", &packed(files), &mut |_| ()).unwrap_err();
            error.to_string()
        };
        assert!(refused(&[table, ("labels.parquet", b"PAR1")]).contains("contains 2 tables"));
        assert!(refused(&[table, ("answers.jsonl", b"{\"confidence\": 0.5}\n")]).contains("contains 2 tables"));
        assert!(refused(&[("labels.parquet", b"PAR1")]).contains("is not read within another file"));
    }

    #[test]
    fn files_of_an_archive_are_those_that_one_would_open() {
        let table = |name| -> (&'static str, &'static [u8]) { (name, b"p,y\n0.5,1\n0.25,0\n") };
        let named = |files: &[(&str, &[u8])]| -> Option<Vec<String>> {
            let files = members("packed.zip", &packed(files), None).unwrap();
            files.map(|files| files.into_iter().map(|file| file.name).collect())
        };
        let several = [table("run/a.csv"), table("run/b.csv"), ("README.md", b"two"), table("__MACOSX/run/._a.csv")];
        assert_eq!(named(&several), Some(vec!["a.csv".to_owned(), "b.csv".to_owned()]));
        let same = [table("a/scores.csv"), table("b/scores.csv"), ("b/labels.parquet", b"PAR1")];
        assert_eq!(named(&same), Some(["a/scores.csv", "b/scores.csv", "labels.parquet"].map(str::to_owned).to_vec()));
        // one that is read within no other file
        assert_eq!(named(&[("labels.parquet", b"PAR1")]), Some(vec!["labels.parquet".to_owned()]));
        assert_eq!(named(&[table("rows.csv.gz")]), Some(vec!["rows.csv.gz".to_owned()]));
        // what is read as one file: a table, arrays, a log, a workbook
        assert_eq!(named(&[table("rows.csv"), ("settings.json", b"{}")]), None);
        assert_eq!(named(&[table("a.csv"), table("b.csv"), ("emb.npy", &npy("(1,)", &[1.0]))]), None);
        assert_eq!(named(&[("header.json", b"{}"), ("summaries.json", b"[]"), ("reductions.json", b"[]")]), None);
        assert_eq!(named(&[("xl/workbook.xml", b""), table("a.csv"), table("b.csv")]), None);
        assert_eq!(members("rows.csv", b"p,y\n", None), Ok(None));
    }

    #[test]
    fn an_archive_is_refused_before_it_is_unpacked() {
        let row: &[u8] = b"p,y\n0.5,1\n";
        let error =
            |files: &[(&str, &[u8])], most| members("packed.zip", &packed(files), Some(most)).unwrap_err().to_string();
        let told = error(&[("a.csv", row), ("b.csv", row)], 19);
        assert_eq!(told.split(';').next(), Some("The archive's 2 tables unpack to 20 bytes"));
        let names: Vec<String> = (0..=MOST_TABLES).map(|k| format!("{k}.csv")).collect();
        let many: Vec<(&str, &[u8])> = names.iter().map(|name| (name.as_str(), row)).collect();
        assert!(error(&many, 1 << 20).starts_with("The archive contains 101 tables; at most 100 are opened together"));
    }

    #[test]
    fn only_arrays_are_saved_anew_with_numpy() {
        let whole = packed(&[("a.csv", b"p,y\n0.5,1\n"), ("b.csv", b"p,y\n0.5,1\n")]);
        let cut = &whole[..whole.len() - 30];
        let hint = |name| read(name, cut, &mut |_| ()).unwrap_err().hint();
        for name in ["a.zip", "a.eval", "a.xlsx"] {
            assert_eq!(hint(name), "Copy or download it again.");
            assert_eq!(members(name, cut, None).unwrap_err().hint(), "Copy or download it again.");
        }
        assert!(hint("a.npz").contains("np.savez"));
        assert!(members("a.NPZ", cut, None).unwrap_err().hint().contains("np.savez"));
    }

    #[test]
    fn json_lines_in_an_archive_are_a_table() {
        let lines = b"{\"p\": 0.1, \"y\": 0}\n{\"p\": 0.9, \"y\": 1}\n";
        assert_eq!(names(&[("answers.jsonl", lines)]).0, ["p", "y"]);
        assert_eq!(names(&[("readme.txt", b"Two answers"), ("answers.jsonl", lines)]).0, ["p", "y"]);
        // a table of text beside settings is the table, as before
        assert_eq!(names(&[("rows.csv", b"q,y\n0.1,0\n0.9,1\n"), ("settings.json", b"{\"seed\": 1}")]).0, ["q", "y"]);
    }

    #[test]
    fn a_table_beside_arrays_is_read_with_them_or_named() {
        let two = npy("(2, 2)", &[1.0, 2.0, 3.0, 4.0]);
        let table = b"p,y,emb\n0.1,0,a\n0.9,1,b\n";
        let (columns, told) = names(&[("rows.csv", table), ("emb.npy", &two)]);
        assert_eq!(columns, ["p", "y", "emb", "emb (2)"]);
        assert!(told.is_empty(), "{told:?}");
        let lines = b"{\"p\": 0.1, \"y\": 0}\n{\"p\": 0.9, \"y\": 1}\n";
        assert_eq!(names(&[("emb.npy", &two), ("rows.jsonl", lines)]).0, ["p", "y", "emb"]);
        for others in [&[("settings.json", &b"{\"seed\": 1}"[..])][..], &[("a.csv", table), ("b.csv", table)]] {
            let files = [&[("emb.npy", &two[..])], others].concat();
            assert_eq!(names(&files), (vec!["emb".to_owned()], vec!["entry_not_read".to_owned()]));
        }
        let file = read("packed.zip", &packed(&[("rows.csv", table), ("emb.npy", &two)]), &mut |_| ()).unwrap();
        assert!(matches!(&file.columns[3].values, Values::Matrix(matrix) if matrix.width == 2));
    }
}
