//! Gzip: one or more deflated members, one after the other.

use miniz_oxide::inflate::{
    TINFLStatus,
    core::{DecompressorOxide, decompress, inflate_flags},
};

use super::{MOST_BYTES, too_large};
use crate::error::{Error, Result};

/// What unpacked bytes are counted up to, to say how large a file is that is not read.
const MOST_COUNTED: usize = 3 * (MOST_BYTES / 2);

/// Bytes that the window of deflate reaches back.
const WINDOW: usize = 1 << 15;

/// The uncompressed bytes of all members.
///
/// They are counted before they are kept: memory is taken once, and for what fits only.
///
/// # Errors
/// `archive_unreadable` when it is damaged or cut off; `too_large` when it unpacks to more than [`MOST_BYTES`].
pub(super) fn inflated(bytes: &[u8]) -> Result<Vec<u8>> {
    let size = counted(bytes, MOST_COUNTED)?;
    if size > MOST_BYTES {
        let what = if size > MOST_COUNTED { "The gzip file unpacks to more than" } else { "The gzip file unpacks to" };
        return Err(too_large(what, size.min(MOST_COUNTED) as f64));
    }
    let mut out = vec![0; size];
    let (mut rest, mut start) = (bytes, 0);
    while let Some(body) = member(rest)? {
        let into = out.get_mut(start..).unwrap_or(&mut []);
        let (status, used, wrote) = decompress(
            &mut Box::<DecompressorOxide>::default(),
            body,
            into,
            0,
            inflate_flags::TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF,
        );
        if status != TINFLStatus::Done {
            return Err(damaged());
        }
        let trailer = body.get(used..used + 8).ok_or_else(damaged)?;
        let crc = u32::from_le_bytes([trailer[0], trailer[1], trailer[2], trailer[3]]);
        if into.get(..wrote).map(crc32fast::hash) != Some(crc) {
            return Err(damaged());
        }
        start += wrote;
        rest = body.get(used + 8..).unwrap_or(&[]);
    }
    Ok(out)
}

/// How many bytes all members unpack to; beyond `most` any number above it.
fn counted(bytes: &[u8], most: usize) -> Result<usize> {
    let mut window = vec![0; WINDOW];
    let (mut rest, mut size) = (bytes, 0usize);
    while let Some(body) = member(rest)? {
        let mut state = Box::<DecompressorOxide>::default();
        let (mut used, mut at) = (0, 0);
        loop {
            let input = body.get(used..).unwrap_or(&[]);
            let (status, read, wrote) = decompress(&mut state, input, &mut window, at, 0);
            used += read;
            size = size.saturating_add(wrote);
            at = (at + wrote) % WINDOW;
            if size > most {
                return Ok(size);
            }
            match status {
                TINFLStatus::Done => break,
                TINFLStatus::HasMoreOutput => {}
                _ => return Err(damaged()),
            }
        }
        rest = body.get(used + 8..).ok_or_else(damaged)?;
    }
    Ok(size)
}

/// The deflated bytes at the start of a member, and what follows them; `None` where no member starts.
fn member(rest: &[u8]) -> Result<Option<&[u8]>> {
    if !rest.starts_with(&[0x1f, 0x8b]) {
        return Ok(None);
    }
    after_header(rest).map(Some).ok_or_else(damaged)
}

fn damaged() -> Error {
    Error::new(
        "archive_unreadable",
        "The gzip file is damaged or cut off.",
        "Copy or download it again; unpacking it yourself shows whether it is whole.",
    )
}

fn after_header(bytes: &[u8]) -> Option<&[u8]> {
    let flags = *bytes.get(3)?;
    if *bytes.get(2)? != 8 {
        return None;
    }
    let mut rest = bytes.get(10..)?;
    if flags & 4 != 0 {
        let length = usize::from(u16::from_le_bytes([*rest.first()?, *rest.get(1)?]));
        rest = rest.get(2 + length..)?;
    }
    for flag in [8, 16] {
        if flags & flag != 0 {
            let end = rest.iter().position(|&b| b == 0)?;
            rest = rest.get(end + 1..)?;
        }
    }
    if flags & 2 != 0 {
        rest = rest.get(2..)?;
    }
    Some(rest)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use miniz_oxide::deflate::compress_to_vec;

    /// A gzip member of `data`.
    fn packed(data: &[u8]) -> Vec<u8> {
        let mut out = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];
        out.extend(compress_to_vec(data, 6));
        out.extend(crc32fast::hash(data).to_le_bytes());
        out.extend((data.len() as u32).to_le_bytes());
        out
    }

    #[test]
    fn members_follow_each_other() {
        let long: Vec<u8> = (0..200_000u32).map(|i| (i.wrapping_mul(i) >> 7) as u8).collect();
        let bytes = [packed(&long), packed(b""), packed(b"end")].concat();
        assert_eq!(counted(&bytes, MOST_COUNTED).unwrap(), long.len() + 3);
        assert_eq!(inflated(&bytes).unwrap(), [&long[..], b"end"].concat());
        for cut in [bytes.len() - 4, bytes.len() / 2, 30] {
            let error = inflated(&bytes[..cut]).unwrap_err();
            assert_eq!(error.code(), "archive_unreadable");
        }
    }

    #[test]
    fn a_file_that_unpacks_to_more_than_fits_is_counted_and_refused() {
        // Members of 64 MiB of spaces, 65 kB each: together 2.25 GiB, of which none is kept.
        let one = packed(&vec![b' '; 1 << 26]);
        let bytes = one.repeat(36);
        let error = inflated(&bytes).unwrap_err();
        assert_eq!(error.code(), "too_large");
        let said = error.to_string();
        assert!(said.contains("2,415,919,104 bytes"), "{said}");
        assert!(said.contains("2,147,483,648"), "{said}");
        assert_eq!(counted(&bytes, 1000).unwrap().min(1001), 1001);
    }
}
