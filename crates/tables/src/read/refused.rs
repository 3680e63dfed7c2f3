//! Files that are known and not read: what they are, and what to do instead.

use crate::error::{Error, Phrase, Result, message, phrases};

const PYTHON_TO_NPZ: Phrase =
    Phrase::same("In Python: `import numpy as np; np.savez(\"predictions.npz\", probs=probs, labels=labels)`.");
const PANDAS_TO_CSV: Phrase =
    Phrase::same("In Python: `import pandas as pd; pd.read_parquet(path).to_csv(\"predictions.csv\", index=False)`.");
const STATA_TO_CSV: Phrase =
    Phrase::same("In Python: `import pandas as pd; pd.read_stata(path).to_csv(\"predictions.csv\", index=False)`.");
const SAS_TO_CSV: Phrase = Phrase::same(
    "In Python: `import pandas as pd; pd.read_sas(path, format=\"xport\").to_csv(\"predictions.csv\", index=False)`.",
);
const TORCH_TO_NPZ: Phrase = Phrase::same(
    "In Python: `import torch, numpy as np; d = torch.load(path); np.savez(\"predictions.npz\", **{k: v.numpy() for k, v in d.items()})`.",
);
/// Of a pair (logits, labels), or of two: of validation and of test rows.
const PICKLE_TO_NPZ: Phrase = Phrase::same(
    "In Python: `import pickle, numpy as np; d = pickle.load(open(path, \"rb\")); d = d if isinstance(d[0], tuple) else (d,); np.savez(\"predictions.npz\", **{f\"{part}_{name}\": np.squeeze(x) for part, pair in zip((\"val\", \"test\")[-len(d):], d) for name, x in zip((\"logits\", \"labels\"), pair)})`.",
);

/// First bytes of kinds that libraries of the page and crates of the terminal read and this crate does not, with a name and what to do instead.
const READ_BY_THE_PAGE: &[(&[u8], &str, Phrase)] = &[(b"PAR1", "a Parquet file", PANDAS_TO_CSV)];

/// First bytes of kinds that are known and not read, with a name and what to do instead.
const REFUSED: &[(&[u8], &str, Phrase)] = &[
    (b"PARE", "an encrypted Parquet file", Phrase::same("Write it without encryption.")),
    (
        b"FEA1",
        "a Feather file of version 1",
        Phrase::same("In Python: `import pandas as pd; pd.read_feather(path).to_feather(\"predictions.feather\")`."),
    ),
    (b"\x89HDF", "an HDF5 file", PYTHON_TO_NPZ),
    (b"\xd0\xcf\x11\xe0", "an old Excel or SPSS container", phrases::DROP_AS_CSV),
    (b"$FL2", "an SPSS file", phrases::DROP_OF_SPSS),
    (b"<stata_dta>", "a Stata file", STATA_TO_CSV),
    (b"HEADER RECORD*******LIB", "a SAS transport file", SAS_TO_CSV),
    (b"%PDF", "a PDF document", phrases::DROP_THE_TABLE),
    (b"\x89PNG", "a picture", phrases::DROP_THE_TABLE),
    (b"\xff\xd8\xff", "a picture", phrases::DROP_THE_TABLE),
    (b"BZh", "a bzip2-compressed file", Phrase::same("Unpack it first, or compress it with gzip.")),
    (b"\xfd7zXZ", "an xz-compressed file", Phrase::same("Unpack it first, or compress it with gzip.")),
    (b"7z\xbc\xaf", "a 7z archive", Phrase::same("Unpack it first.")),
    (b"SQLite format 3", "an SQLite database", Phrase::same("Export the table as CSV.")),
    (b"RDX", "an R data file", Phrase::same("In R: `write.csv(predictions, \"predictions.csv\", row.names = FALSE)`.")),
    (
        b"X\n\0\0",
        "an R data file",
        Phrase::same("In R: `write.csv(predictions, \"predictions.csv\", row.names = FALSE)`."),
    ),
];

/// Passes what may be a table in plain text; of anything else a sentence says what it is and how to convert it.
///
/// # Errors
/// `empty` for no bytes or white space only; `file_unknown` for kinds that are not read; `array_pickled` for
/// Python pickles, which are never executed.
pub(super) fn plain_text(bytes: &[u8], file_name: &str) -> Result<()> {
    if bytes.is_empty() {
        return Err(Error::new(
            "empty",
            "The file is empty: 0 bytes.",
            message![phrases::DROP_AT_FIRST, " a file with predictions, as CSV, Excel, Parquet or NPZ."],
        ));
    }
    if matches!(bytes, [0x80, 2..=5, ..]) {
        let lower = file_name.to_lowercase();
        let hint = if lower.ends_with(".pt") || lower.ends_with(".pth") { TORCH_TO_NPZ } else { PICKLE_TO_NPZ };
        return Err(Error::new("array_pickled", "Pickle files run code when read and are never opened.", hint));
    }
    for (magic, what, hint) in READ_BY_THE_PAGE {
        if bytes.starts_with(magic) {
            return Err(Error::new(
                "file_unknown",
                format!("This is {what}, which is read in the page and the terminal only."),
                *hint,
            ));
        }
    }
    for (magic, what, hint) in REFUSED {
        if bytes.starts_with(magic) {
            return Err(Error::new("file_unknown", format!("This is {what}, which is not supported."), *hint));
        }
    }
    table_in_text(bytes)
}

fn table_in_text(bytes: &[u8]) -> Result<()> {
    let body = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let utf16 = body.starts_with(&[0xff, 0xfe]) || body.starts_with(&[0xfe, 0xff]);
    let Some(start) = body.iter().position(|b| !b.is_ascii_whitespace()) else {
        return Err(Error::new(
            "empty",
            "The file contains only white space.",
            message![phrases::DROP_AT_FIRST, " a file with predictions, as CSV, Excel, Parquet or NPZ."],
        ));
    };
    let head: Vec<u8> = body.iter().skip(start).take(512).map(u8::to_ascii_lowercase).collect();
    if [&b"<!doctype"[..], b"<html", b"<head", b"<body", b"<!--"].iter().any(|tag| head.starts_with(tag)) {
        return Err(Error::new(
            "file_unknown",
            "This is a web page (HTML), not a table, despite its name.",
            message![
                "The link probably leads to a page about the file. Use its Download or Raw button and ",
                phrases::DROP,
                " the downloaded file."
            ],
        ));
    }
    if head.starts_with(b"@relation") {
        return Err(Error::new(
            "file_unknown",
            "This is a Weka file (ARFF), which is not supported.",
            "In the Explorer of Weka, save the data as CSV.",
        ));
    }
    if head.starts_with(b"<?xml") || head.starts_with(b"<") {
        return Err(Error::new(
            "file_unknown",
            "This is an XML document, not a table.",
            message!["Save the table as CSV and ", phrases::DROP, " the CSV."],
        ));
    }
    if body.get(8) == Some(&b'{') && body.iter().take(8).any(|&b| b == 0) {
        return Err(Error::new(
            "file_unknown",
            "This safetensors file is damaged or truncated: its head does not end.",
            "Copy or download it again.",
        ));
    }
    // Tables have no zero bytes, except in UTF-16, where every second byte of plain text is one.
    let sample = body.get(..body.len().min(4096)).unwrap_or(body);
    let zeros = sample.iter().filter(|&&b| b == 0).count();
    let halves = matches!(body, [0, b, ..] | [b, 0, ..] if *b != 0) && zeros * 3 >= sample.len();
    if !utf16 && zeros > 0 && !halves {
        return Err(Error::new(
            "file_unknown",
            "This binary file format is not recognized.",
            "Supported: CSV, TSV, JSON, NPY, NPZ, safetensors and Arrow; in the page and the terminal, Parquet and Excel, too.",
        ));
    }
    Ok(())
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use super::*;

    #[test]
    fn refusals_say_what_it_is() {
        for (bytes, code) in [
            (&b""[..], "empty"),
            (b" \n\n", "empty"),
            (b"\n<!DOCTYPE html><html>", "file_unknown"),
            (b"@RELATION predictions\n", "file_unknown"),
            (b"PAR1....", "file_unknown"),
            (b"PARE....", "file_unknown"),
            (b"<stata_dta><header>", "file_unknown"),
            (b"HEADER RECORD*******LIBV8   HEADER", "file_unknown"),
            (b"FEA1....", "file_unknown"),
            (b"\x80\x04\x95", "array_pickled"),
            (b"ab\0\x01\x02\x03cdefghijkl", "file_unknown"),
        ] {
            let error = plain_text(bytes, "x.csv").unwrap_err();
            assert_eq!(error.code(), code, "{error}");
            assert!(!error.hint().is_empty());
        }
        let stata = plain_text(b"<stata_dta><header>", "x.dta").unwrap_err();
        assert_eq!(stata.to_string(), "This is a Stata file, which is not supported.");
    }
}
