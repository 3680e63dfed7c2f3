//! Bytes of a text file as UTF-8.

use std::borrow::Cow;
use std::io::Read;

use crate::error::{Error, Result};
use crate::table::Warning;

/// How the letters of a text are written.
#[derive(Clone, Copy)]
enum Encoding {
    Utf8,
    Utf16(Unit),
    /// a letter for each byte
    Bytes(fn(u8) -> char),
}

/// The text: UTF-8 as it stands (without its byte order mark), UTF-16 converted, anything else taken for Windows-1252, or where
/// its letters are Cyrillic for KOI8-R or Windows-1251, with a warning.
///
/// # Errors
/// `table_unreadable` for UTF-16 with broken pairs, and for what is in neither encoding.
pub(super) fn decoded<'a>(bytes: &'a [u8], warnings: &mut Vec<Warning>) -> Result<Cow<'a, str>> {
    let (known, body) = marked(bytes);
    match known.map_or_else(|| of_letters(body, true, warnings), Ok)? {
        Encoding::Utf8 => std::str::from_utf8(body).map(Cow::Borrowed).map_err(|_| not_utf8()),
        Encoding::Utf16(unit) => utf16(body, unit),
        Encoding::Bytes(letter) => Ok(Cow::Owned(body.iter().map(|&byte| letter(byte)).collect())),
    }
}

/// UTF-16 by its byte order mark or its first letter, and the text behind the mark.
fn marked(bytes: &[u8]) -> (Option<Encoding>, &[u8]) {
    let (le, be): (Encoding, Encoding) = (Encoding::Utf16(u16::from_le_bytes), Encoding::Utf16(u16::from_be_bytes));
    match bytes {
        [0xff, 0xfe, rest @ ..] => (Some(le), rest),
        [0xfe, 0xff, rest @ ..] => (Some(be), rest),
        [0, b, ..] if *b != 0 => (Some(be), bytes),
        [b, 0, ..] if *b != 0 => (Some(le), bytes),
        _ => (None, bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)),
    }
}

/// The encoding of letters that are not UTF-16.
///
/// * `whole`: nothing follows; else the last letter may be cut
fn of_letters(body: &[u8], whole: bool, warnings: &mut Vec<Warning>) -> Result<Encoding> {
    match std::str::from_utf8(body) {
        Ok(_) => return Ok(Encoding::Utf8),
        Err(error) if !whole && error.error_len().is_none() => return Ok(Encoding::Utf8),
        Err(_) => {}
    }
    if is_of_two_bytes(body) {
        return Err(Error::new(
            "table_unreadable",
            "The encoding of the text is not recognized: it is neither UTF-8 or UTF-16 nor Windows-1252 or Windows-1251.",
            "Save it in UTF-8: in Excel as “CSV UTF-8”, in a terminal by `iconv -f GB18030 -t UTF-8` with the name of its encoding.",
        ));
    }
    let (letter, read_as): (fn(u8) -> char, _) = if !is_cyrillic(body) {
        (windows_1252, "Windows-1252 (Latin-1); accented letters")
    } else if is_koi8(body) {
        (koi8, "KOI8-R (Cyrillic); letters")
    } else {
        (windows_1251, "Windows-1251 (Cyrillic); letters")
    };
    warnings.push(Warning {
        code: "encoding_guessed".into(),
        message: format!("The text is not UTF-8 and was read as {read_as} may be wrong."),
        row: None,
        column: None,
    });
    Ok(Encoding::Bytes(letter))
}

fn not_utf8() -> Error {
    Error::new(
        "table_unreadable",
        "The text begins as UTF-8, and this row is not UTF-8.",
        "Save the whole file in one encoding, UTF-8.",
    )
}

/// A text of any size, decoded part by part. Its encoding is that of the first part with letters beyond ASCII.
pub(super) struct Decoder<R> {
    from: R,
    encoding: Option<Encoding>,
    /// nothing beyond ASCII was met, which is the same in UTF-8 and in encodings of one byte a letter
    only_ascii: bool,
    bytes: Vec<u8>,
    over: bool,
    /// what is wrong behind the text that was handed out
    broken: Option<Error>,
    pub warnings: Vec<Warning>,
}

impl<R: Read> Decoder<R> {
    pub fn new(from: R) -> Self {
        let (bytes, warnings) = (Vec::new(), Vec::new());
        Self { from, encoding: None, only_ascii: true, bytes, over: false, broken: None, warnings }
    }

    /// Adds the next part, of so many bytes at most.
    ///
    /// * `check`: refuses a first part that is no text
    ///
    /// # Errors
    /// `table_unreadable` for what cannot be read or is in no known encoding.
    pub fn more(&mut self, part: usize, to: &mut String, check: impl FnOnce(&[u8]) -> Result<()>) -> Result<()> {
        let before = self.bytes.len();
        self.from.by_ref().take(part as u64).read_to_end(&mut self.bytes).map_err(|error| {
            let what = format!("The rows cannot be read: {}.", error.to_string().trim_end_matches('.'));
            Error::new("table_unreadable", what, "Check that the file is whole.")
        })?;
        self.over = self.bytes.len() - before < part;
        let encoding = match self.encoding {
            None => {
                check(&self.bytes)?;
                let (known, body) = marked(&self.bytes);
                let mark = self.bytes.len() - body.len();
                self.bytes.drain(..mark);
                known.map_or_else(|| of_letters(&self.bytes, self.over, &mut self.warnings), Ok)?
            }
            Some(Encoding::Utf8) if self.only_ascii => of_letters(&self.bytes, self.over, &mut self.warnings)?,
            Some(known) => known,
        };
        self.encoding = Some(encoding);
        self.only_ascii &= self.bytes.is_ascii();
        let taken = match encoding {
            Encoding::Utf8 => self.utf8(to),
            Encoding::Utf16(unit) => self.utf16(unit, to),
            Encoding::Bytes(letter) => {
                to.extend(self.bytes.iter().map(|&byte| letter(byte)));
                self.bytes.len()
            }
        };
        self.bytes.drain(..taken);
        Ok(())
    }

    /// No text follows: the source is at its end, or what follows is not of the encoding.
    pub fn is_over(&self) -> bool {
        self.over
    }

    /// What is wrong behind the text that was handed out.
    pub fn broken(&self) -> Option<&Error> {
        self.broken.as_ref()
    }

    fn utf8(&mut self, to: &mut String) -> usize {
        let valid = match std::str::from_utf8(&self.bytes) {
            Ok(_) => self.bytes.len(),
            Err(error) => {
                if error.error_len().is_some() || self.over {
                    (self.broken, self.over) = (Some(not_utf8()), true);
                }
                error.valid_up_to()
            }
        };
        to.push_str(self.bytes.get(..valid).and_then(|bytes| std::str::from_utf8(bytes).ok()).unwrap_or_default());
        valid
    }

    fn utf16(&mut self, unit: Unit, to: &mut String) -> usize {
        let units = || self.bytes.as_chunks::<2>().0.iter().map(|pair| unit(*pair));
        // the first half of a pair waits for its second
        let cut = units().next_back().is_some_and(|last| (0xd800..0xdc00).contains(&last)) && !self.over;
        let count = self.bytes.len() / 2 - usize::from(cut);
        for letter in char::decode_utf16(units().take(count)) {
            match letter {
                Ok(letter) => to.push(letter),
                Err(_) => {
                    (self.broken, self.over) = (Some(not_utf16()), true);
                    break;
                }
            }
        }
        2 * count
    }
}

/// Whether most words with letters beyond ASCII have no others: words of Western languages have a few, Cyrillic ones all.
fn is_cyrillic(bytes: &[u8]) -> bool {
    let (mut whole, mut mixed) = (0, 0);
    for word in bytes.split(|&byte| byte < 0xc0 && !byte.is_ascii_alphabetic()) {
        let high = word.iter().filter(|byte| **byte >= 0xc0).count();
        whole += usize::from(high > 1 && high == word.len());
        mixed += usize::from(high > 0 && high < word.len());
    }
    whole > mixed
}

/// Whether the eight most frequent letters of Cyrillic texts, which are half of them, are more frequent read as KOI8-R than as
/// Windows-1251. Both have their letters at the same bytes, in different orders.
fn is_koi8(bytes: &[u8]) -> bool {
    let frequent = |letter: fn(u8) -> char| {
        let letters = bytes.iter().filter(|byte| **byte >= 0xc0).flat_map(|byte| letter(*byte).to_lowercase());
        letters.filter(|letter| "оеаинтср".contains(*letter)).count()
    };
    4 * frequent(koi8) > 5 * frequent(windows_1251)
}

/// Whether many characters take two bytes, as in East Asian encodings: their second bytes are signs in Windows-1252 and seldom
/// letters in Windows-1251, and stand beside other bytes beyond ASCII.
fn is_of_two_bytes(bytes: &[u8]) -> bool {
    let high = bytes.iter().filter(|byte| **byte >= 0x80).count();
    let signs =
        bytes.windows(2).filter(|pair| matches!(pair, [a, b] if *a >= 0x80 && *b >= 0x80 && (*a < 0xc0 || *b < 0xc0)));
    let signs = signs.count();
    signs > 3 && 10 * signs > 3 * high
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
    char::decode_utf16(units).collect::<std::result::Result<String, _>>().map(Cow::Owned).map_err(|_| not_utf16())
}

fn not_utf16() -> Error {
    Error::new(
        "table_unreadable",
        "The text looks like UTF-16 but cannot be decoded.",
        "Save it again as CSV in UTF-8.",
    )
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

fn windows_1251(byte: u8) -> char {
    const HIGH: [char; 64] = [
        'Ђ', 'Ѓ', '‚', 'ѓ', '„', '…', '†', '‡', '€', '‰', 'Љ', '‹', 'Њ', 'Ќ', 'Ћ', 'Џ', 'ђ', '‘', '’', '“', '”', '•',
        '–', '—', '\u{98}', '™', 'љ', '›', 'њ', 'ќ', 'ћ', 'џ', '\u{a0}', 'Ў', 'ў', 'Ј', '¤', 'Ґ', '¦', '§', 'Ё', '©',
        'Є', '«', '¬', '\u{ad}', '®', 'Ї', '°', '±', 'І', 'і', 'ґ', 'µ', '¶', '·', 'ё', '№', 'є', '»', 'ј', 'Ѕ', 'ѕ',
        'ї',
    ];
    match byte {
        0x80..=0xbf => HIGH.get(usize::from(byte - 0x80)).copied().unwrap_or('\u{fffd}'),
        0xc0.. => char::from_u32(0x410 + u32::from(byte - 0xc0)).unwrap_or('\u{fffd}'),
        _ => char::from(byte),
    }
}

/// KOI8-R, and the letters that KOI8-U has for Ukrainian; the lines and blocks of both are no letters.
fn koi8(byte: u8) -> char {
    const LETTERS: &str = "юабцдефгхийклмнопярстужвьызшэщчъЮАБЦДЕФГХИЙКЛМНОПЯРСТУЖВЬЫЗШЭЩЧЪ";
    match byte {
        0xc0.. => LETTERS.chars().nth(usize::from(byte - 0xc0)).unwrap_or('\u{fffd}'),
        0x80..=0xbf => match byte {
            0x9a => '\u{a0}',
            0xa3 => 'ё',
            0xa4 => 'є',
            0xa6 => 'і',
            0xa7 => 'ї',
            0xad => 'ґ',
            0xb3 => 'Ё',
            0xb4 => 'Є',
            0xb6 => 'І',
            0xb7 => 'Ї',
            0xbd => 'Ґ',
            _ => '\u{fffd}',
        },
        _ => char::from(byte),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use super::*;

    #[test]
    fn cyrillic_letters_and_characters_of_two_bytes() {
        // исход;риск;отделение / да;0,25;хирургия №2
        let table = b"\xe8\xf1\xf5\xee\xe4;\xf0\xe8\xf1\xea;p\n\xe4\xe0;0,25;\xf5\xe8\xf0\xf3\xf0\xe3\xe8\xff \xb92\n";
        assert_eq!(text(table), ("исход;риск;p\nда;0,25;хирургия №2\n".into(), 1));
        let mut warnings = Vec::new();
        decoded(table, &mut warnings).unwrap();
        assert_eq!(
            warnings[0].message,
            "The text is not UTF-8 and was read as Windows-1251 (Cyrillic); letters may be wrong."
        );
        assert_eq!(text(b"caf\xe9;\xe0;20\xb0C;\xb15\n").0, "café;à;20°C;±5\n");
        let table = "исход;риск;Отделение\nда;0,25;Хирургия\nнет;0,5;ТЕРАПИЯ\n";
        for letter in [koi8 as fn(u8) -> char, windows_1251] {
            let byte = |of: char| (0..=u8::MAX).find(|byte| letter(*byte) == of).unwrap();
            let bytes: Vec<u8> = table.chars().map(byte).collect();
            assert_eq!(text(&bytes), (table.into(), 1));
        }
        assert_eq!([0xd2, 0xc9, 0xd3, 0xcb].map(koi8).iter().collect::<String>(), "риск");
        // 结果,概率,医院 in GB18030, 結果,確率,病院 in Shift JIS
        for table in [
            &b"\xbd\xe1\xb9\xfb,\xb8\xc5\xc2\xca,\xd2\xbd\xd4\xba\n1,0.5,a\n"[..],
            b"\x8c\x8b\x89\xca,\x8am\x97\xa6,\x95a\x89@,\x88\xea\x94\xd4,\x93\xf1\n1,0.5,a\n",
        ] {
            let error = decoded(table, &mut Vec::new()).unwrap_err();
            assert_eq!(error.code(), "table_unreadable");
        }
    }

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
