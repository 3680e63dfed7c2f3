//! ZIP archives: the arrays of an NPZ file, a log of Inspect, or a table that someone packed by hand.

use std::io::{Cursor, Read};

use zip::result::ZipError;
use zip::{CompressionMethod, ZipArchive};

use super::{Contents, Format, ReadFile, Source, distinct_names, log, npy, thousands, too_large, zstd};
use crate::error::{Error, Result, Text, message, phrases};
use crate::table::{NamedColumn, Warning};
use crate::words::text::counted;

/// Deflate cannot grow by more than this factor (258 bytes for two bits).
const MOST_GROWTH: u64 = 1032;

pub(super) const FORMAT: Format = Format {
    name: "NPZ",
    endings: &["npz", "zip", "eval"],
    recognises: |source| source.bytes.starts_with(b"PK\x03\x04") || source.bytes.starts_with(b"PK\x05\x06"),
    read: arrays,
};

/// Arrays of an archive, the log in it, or the one text table in it.
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
    archive.check_sum(&arrays)?;
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
            None => file.warnings.push(Warning {
                code: "array_passed_over".into(),
                message: format!(
                    "An array that is a single value, or has three or more dimensions, was ignored: `{name}`."
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
            "The archive contains no array with rows.",
            "Save scores and labels with one row per prediction: `np.savez(\"predictions.npz\", probs=probs, labels=labels)`.",
        ));
    }
    Ok(Contents::Columns(file))
}

/// The bytes of the only table.
fn table(mut archive: Archive<'_>, entries: &[String]) -> Result<Contents> {
    let any = |test: &dyn Fn(&str) -> bool| entries.iter().any(|name| test(name));
    if any(&|name| name.starts_with("xl/") || name == "[Content_Types].xml") {
        return Err(Error::new(
            "file_unknown",
            "Excel workbooks are read in the page and the terminal only.",
            phrases::DROP_AS_CSV,
        ));
    }
    if any(&|name| name == "data.pkl" || name.ends_with("/data.pkl")) {
        return Err(Error::new(
            "array_pickled",
            "PyTorch files run code when read and are never opened.",
            "In Python: `import torch, numpy as np; d = torch.load(path); np.savez(\"predictions.npz\", **{k: v.numpy() for k, v in d.items()})`.",
        ));
    }
    let table = |(_, name): &(usize, &String)| {
        let name = name.to_lowercase();
        !name.starts_with("__macosx/") && [".csv", ".tsv", ".txt"].iter().any(|ending| name.ends_with(ending))
    };
    let tables: Vec<(usize, &String)> = entries.iter().enumerate().filter(table).collect();
    match tables.as_slice() {
        [(place, _)] => Ok(Contents::Packed(archive.contents(*place)?)),
        [] => Err(Error::new(
            "file_unknown",
            "The archive contains neither arrays (NPY) nor a table (CSV).",
            message!["Unpack it and ", phrases::DROP, " the file with the predictions."],
        )),
        several => Err(Error::new(
            "file_unknown",
            format!("The archive contains {} tables.", several.len()),
            message!["Unpack it and ", phrases::DROP, " the tables that belong together."],
        )),
    }
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
    fn check_sum(&mut self, entries: &[(usize, String)]) -> Result<()> {
        let mut sum = 0u64;
        for (place, _) in entries {
            let entry = self.zip.by_index_raw(*place).map_err(|_| outside(*place))?;
            sum = sum.saturating_add(entry.size());
        }
        let what = format!("The archive's {} unpack to", counted(entries.len(), "array"));
        if entries.len() > 1 && sum > self.most { Err(too_large(&what, sum as f64, self.most)) } else { Ok(()) }
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
                thousands(size as usize),
                thousands(packed as usize),
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
    damaged(format!("The archive is damaged: `{name}` does not unpack to its {} bytes.", thousands(size as usize)))
}

fn outside(place: usize) -> Error {
    damaged(format!("The archive is damaged: entry {} is outside its bytes.", thousands(place + 1)))
}

fn damaged(message: impl Into<Text>) -> Error {
    Error::new(
        "archive_unreadable",
        message,
        "Copy or download it again, or save it anew: `np.savez(\"predictions.npz\", probs=probs, labels=labels)`.",
    )
}
