//! Bytes of a text file as UTF-8.

use std::borrow::Cow;

use crate::error::{Error, Result};
use crate::table::Warning;

/// The text: UTF-8 as it stands (without its byte order mark), UTF-16 converted, anything else taken for
/// Windows-1252 with a warning.
///
/// # Errors
/// `table_unreadable` for UTF-16 with broken pairs.
pub(super) fn decoded<'a>(bytes: &'a [u8], warnings: &mut Vec<Warning>) -> Result<Cow<'a, str>> {
    if let Some(rest) = bytes.strip_prefix(&[0xff, 0xfe]) {
        return utf16(rest, u16::from_le_bytes);
    }
    if let Some(rest) = bytes.strip_prefix(&[0xfe, 0xff]) {
        return utf16(rest, u16::from_be_bytes);
    }
    match bytes {
        [0, b, ..] if *b != 0 => return utf16(bytes, u16::from_be_bytes),
        [b, 0, ..] if *b != 0 => return utf16(bytes, u16::from_le_bytes),
        _ => {}
    }
    let body = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    if let Ok(text) = std::str::from_utf8(body) {
        return Ok(Cow::Borrowed(text));
    }
    warnings.push(Warning {
        code: "encoding_guessed".into(),
        message: "The text is not UTF-8 and was read as Windows-1252 (Latin-1); accented letters may be wrong.".into(),
        row: None,
        column: None,
    });
    Ok(Cow::Owned(body.iter().map(|&b| windows_1252(b)).collect()))
}

/// Two bytes as one unit of UTF-16.
type Unit = fn([u8; 2]) -> u16;

/// JSON in UTF-16, as PowerShell's `>` writes it, in UTF-8; `None` for anything else. O(1) where the first letter is none of
/// JSON, else O(bytes).
pub(super) fn json_of_utf16(bytes: &[u8]) -> Option<String> {
    let (rest, unit): (&[u8], Unit) = match bytes {
        [0xff, 0xfe, rest @ ..] => (rest, u16::from_le_bytes),
        [0xfe, 0xff, rest @ ..] => (rest, u16::from_be_bytes),
        [b'{' | b'[', 0, ..] => (bytes, u16::from_le_bytes),
        [0, b'{' | b'[', ..] => (bytes, u16::from_be_bytes),
        _ => return None,
    };
    let space = [u16::from(b' '), u16::from(b'\t'), u16::from(b'\r'), u16::from(b'\n')];
    let first = rest.as_chunks::<2>().0.iter().map(|pair| unit(*pair)).find(|unit| !space.contains(unit))?;
    if first != u16::from(b'{') && first != u16::from(b'[') {
        return None;
    }
    utf16(rest, unit).ok().map(Cow::into_owned)
}

fn utf16(bytes: &[u8], unit: Unit) -> Result<Cow<'_, str>> {
    let units = bytes.as_chunks::<2>().0.iter().map(|pair| unit(*pair));
    char::decode_utf16(units).collect::<std::result::Result<String, _>>().map(Cow::Owned).map_err(|_| {
        Error::new(
            "table_unreadable",
            "The text looks like UTF-16 but cannot be decoded.",
            "Save it again as CSV in UTF-8.",
        )
    })
}

fn windows_1252(byte: u8) -> char {
    const HIGH: [char; 32] = [
        '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}', '\u{90}', '‘',
        '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
    ];
    match byte {
        0x80..=0x9f => HIGH.get(usize::from(byte - 0x80)).copied().unwrap_or('\u{fffd}'),
        _ => char::from(byte),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use super::*;

    fn text(bytes: &[u8]) -> (String, usize) {
        let mut warnings = Vec::new();
        let text = decoded(bytes, &mut warnings).unwrap().into_owned();
        (text, warnings.len())
    }

    #[test]
    fn encodings() {
        let wanted = "größe,€";
        let utf8 = wanted.as_bytes().to_vec();
        let marked = [&b"\xef\xbb\xbf"[..], &utf8].concat();
        let little: Vec<u8> = wanted.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let large: Vec<u8> = wanted.encode_utf16().flat_map(u16::to_be_bytes).collect();
        assert_eq!(text(&utf8), (wanted.into(), 0));
        assert_eq!(text(&marked), (wanted.into(), 0));
        assert_eq!(text(&[&[0xff, 0xfe][..], &little].concat()), (wanted.into(), 0));
        assert_eq!(text(&[&[0xfe, 0xff][..], &large].concat()), (wanted.into(), 0));
        assert_eq!(text(&little), (wanted.into(), 0));
        assert_eq!(text(b"gr\xf6\xdfe,\x80"), (wanted.into(), 1));
    }

    #[test]
    fn broken_utf16_is_refused() {
        let mut warnings = Vec::new();
        let error = decoded(&[0xff, 0xfe, 0x00, 0xd8, 0x41, 0x00], &mut warnings).unwrap_err();
        assert_eq!(error.code(), "table_unreadable");
    }
}
