//! Gzip: one or more deflated members, one after the other.

use miniz_oxide::inflate::{
    TINFLStatus,
    core::{DecompressorOxide, decompress, inflate_flags},
};

use crate::error::{Error, Result};
use crate::num::crc32::crc32;

/// What a gzip file may grow to; beyond it a browser's memory ends anyway.
const MOST_BYTES: usize = 1 << 31;

/// The uncompressed bytes of all members.
///
/// # Errors
/// `archive_unreadable` when it is damaged, cut off, or grows beyond 2 GiB.
pub(super) fn inflated(bytes: &[u8]) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    let mut rest = bytes;
    while rest.starts_with(&[0x1f, 0x8b]) {
        let body = after_header(rest).ok_or_else(damaged)?;
        let start = out.len();
        let used = deflated_member(body, &mut out)?;
        let trailer = body.get(used..used + 8).ok_or_else(damaged)?;
        let crc = u32::from_le_bytes([trailer[0], trailer[1], trailer[2], trailer[3]]);
        if out.get(start..).map(crc32) != Some(crc) {
            return Err(damaged());
        }
        rest = body.get(used + 8..).unwrap_or(&[]);
    }
    Ok(out)
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

/// Appends the inflated member to `out`; how many compressed bytes it took.
fn deflated_member(body: &[u8], out: &mut Vec<u8>) -> Result<usize> {
    let base = out.len();
    let mut state = Box::<DecompressorOxide>::default();
    let (mut used, mut written) = (0, 0);
    out.resize(base + body.len().saturating_mul(3).clamp(4096, 1 << 26), 0);
    loop {
        let input = body.get(used..).unwrap_or(&[]);
        let target = out.get_mut(base..).unwrap_or(&mut []);
        let (status, read, wrote) = decompress(
            &mut state,
            input,
            target,
            written,
            inflate_flags::TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF,
        );
        used += read;
        written += wrote;
        match status {
            TINFLStatus::Done => {
                out.truncate(base + written);
                return Ok(used);
            }
            TINFLStatus::HasMoreOutput => {
                let size = out.len();
                if size >= MOST_BYTES {
                    return Err(Error::new(
                        "archive_unreadable",
                        "The gzip file unpacks to more than 2 GiB.",
                        "Keep only the columns that are needed.",
                    ));
                }
                out.resize((size * 2).min(MOST_BYTES), 0);
            }
            _ => return Err(damaged()),
        }
    }
}
