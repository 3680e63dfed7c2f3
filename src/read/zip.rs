//! ZIP archives: the central directory, stored and deflated entries.

use std::borrow::Cow;

use miniz_oxide::inflate::decompress_slice_iter_to_slice;

use super::{MOST_BYTES, thousands, too_large};
use crate::error::{Error, Result};

/// Deflate cannot grow by more than this factor (258 bytes for two bits).
const MOST_GROWTH: usize = 1032;

/// One file of an archive, still compressed.
#[derive(Debug)]
pub(super) struct Entry<'a> {
    /// path inside the archive
    pub name: String,
    method: u16,
    encrypted: bool,
    crc: u32,
    size: usize,
    compressed: &'a [u8],
}

fn damaged(message: impl Into<String>) -> Error {
    Error::new(
        "archive_unreadable",
        message,
        "Copy or download it again, or save it anew: `np.savez(\"predictions.npz\", probs=probs, labels=labels)`.",
    )
}

fn u16_at(bytes: &[u8], at: usize) -> Option<usize> {
    let b = bytes.get(at..at.checked_add(2)?)?.first_chunk::<2>()?;
    Some(usize::from(u16::from_le_bytes(*b)))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<usize> {
    let b = bytes.get(at..at.checked_add(4)?)?.first_chunk::<4>()?;
    usize::try_from(u32::from_le_bytes(*b)).ok()
}

fn u64_at(bytes: &[u8], at: usize) -> Option<usize> {
    let b = bytes.get(at..at.checked_add(8)?)?.first_chunk::<8>()?;
    usize::try_from(u64::from_le_bytes(*b)).ok()
}

/// The entries that the archive's directory lists.
///
/// # Errors
/// `archive_unreadable` when the directory is missing, cut off, or points outside the file.
pub(super) fn entries(bytes: &[u8]) -> Result<Vec<Entry<'_>>> {
    let (count, mut at) = directory(bytes).ok_or_else(|| {
        damaged(format!(
            "The archive is cut off: its directory is missing at the end of {} bytes.",
            thousands(bytes.len())
        ))
    })?;
    let mut entries = Vec::new();
    for number in 0..count {
        let (entry, next) = entry(bytes, at).ok_or_else(|| {
            damaged(format!(
                "The archive is damaged: entry {} of {} does not lie within its {} bytes.",
                thousands(number + 1),
                thousands(count),
                thousands(bytes.len())
            ))
        })?;
        entries.push(entry);
        at = next;
    }
    Ok(entries)
}

/// Number of entries and where the directory starts.
fn directory(bytes: &[u8]) -> Option<(usize, usize)> {
    // The end record is 22 bytes and a comment of at most 65,535.
    let from = bytes.len().saturating_sub(22 + 65_535);
    let end = from + memchr::memmem::rfind(bytes.get(from..)?, b"PK\x05\x06")?;
    let (count, start) = (u16_at(bytes, end + 10)?, u32_at(bytes, end + 16)?);
    if count < 0xffff && start < 0xffff_ffff {
        return Some((count, start));
    }
    let locator = end.checked_sub(20)?;
    if bytes.get(locator..locator + 4)? != b"PK\x06\x07" {
        return Some((count, start));
    }
    let end64 = u64_at(bytes, locator + 8)?;
    (bytes.get(end64..end64.checked_add(4)?)? == b"PK\x06\x06").then_some(())?;
    Some((u64_at(bytes, end64 + 32)?, u64_at(bytes, end64 + 48)?))
}

/// The entry whose directory record starts at `at`, and where the next record starts.
fn entry(bytes: &[u8], at: usize) -> Option<(Entry<'_>, usize)> {
    (bytes.get(at..at.checked_add(4)?)? == b"PK\x01\x02").then_some(())?;
    let flags = u16_at(bytes, at + 8)?;
    let method = u16_at(bytes, at + 10)? as u16;
    let crc = u32_at(bytes, at + 16)? as u32;
    let (mut packed, mut size) = (u32_at(bytes, at + 20)?, u32_at(bytes, at + 24)?);
    let name_length = u16_at(bytes, at + 28)?;
    let extra_length = u16_at(bytes, at + 30)?;
    let comment_length = u16_at(bytes, at + 32)?;
    let mut start = u32_at(bytes, at + 42)?;
    let name = bytes.get(at + 46..at + 46 + name_length)?;
    let extra_start = at + 46 + name_length;
    let extra = bytes.get(extra_start..extra_start + extra_length)?;
    large_sizes(extra, [&mut size, &mut packed, &mut start])?;

    (bytes.get(start..start.checked_add(4)?)? == b"PK\x03\x04").then_some(())?;
    let body =
        start.checked_add(30)?.checked_add(u16_at(bytes, start + 26)?)?.checked_add(u16_at(bytes, start + 28)?)?;
    let entry = Entry {
        name: String::from_utf8_lossy(name).into_owned(),
        method,
        encrypted: flags & 1 != 0,
        crc,
        size,
        compressed: bytes.get(body..body.checked_add(packed)?)?,
    };
    Some((entry, extra_start + extra_length + comment_length))
}

/// Replaces sizes that do not fit 32 bits by those of the ZIP64 record, in its order.
fn large_sizes(mut extra: &[u8], fields: [&mut usize; 3]) -> Option<()> {
    if fields.iter().all(|field| **field != 0xffff_ffff) {
        return Some(());
    }
    while extra.len() >= 4 {
        let length = u16_at(extra, 2)?;
        let record = extra.get(4..4 + length)?;
        if u16_at(extra, 0)? == 1 {
            let large = fields.into_iter().filter(|field| **field == 0xffff_ffff);
            for (k, field) in large.enumerate() {
                *field = u64_at(record, 8 * k)?;
            }
            return Some(());
        }
        extra = extra.get(4 + length..)?;
    }
    None
}

impl<'a> Entry<'a> {
    /// The entry's bytes, uncompressed; nothing is allocated that the compressed bytes cannot fill.
    ///
    /// # Errors
    /// `archive_unreadable` when it is encrypted, packed by an unknown method, or does not unpack to what
    /// the directory says; `too_large`.
    pub fn contents(&self) -> Result<Cow<'a, [u8]>> {
        if self.encrypted {
            return Err(damaged(format!("The archive is encrypted at `{}`.", self.name)));
        }
        let data = match self.method {
            8 if self.size > MOST_BYTES && self.size <= self.compressed.len().saturating_mul(MOST_GROWTH) => {
                let what = format!("The archive's `{}` unpacks to", self.name);
                return Err(too_large(&what, self.size as f64));
            }
            0 if self.size == self.compressed.len() => Cow::Borrowed(self.compressed),
            8 if self.size <= self.compressed.len().saturating_mul(MOST_GROWTH) => {
                let mut data = vec![0; self.size];
                let written = decompress_slice_iter_to_slice(&mut data, std::iter::once(self.compressed), false, true);
                if written != Ok(self.size) {
                    return Err(damaged(format!(
                        "The archive is damaged: `{}` does not unpack to its {} bytes.",
                        self.name,
                        thousands(self.size)
                    )));
                }
                Cow::Owned(data)
            }
            0 | 8 => {
                return Err(damaged(format!(
                    "The archive promises {} bytes but holds {} packed ones for `{}`.",
                    thousands(self.size),
                    thousands(self.compressed.len()),
                    self.name
                )));
            }
            method => {
                return Err(damaged(format!(
                    "Compression method {method} is not known, at `{}`; stored and deflated entries are read.",
                    self.name
                )));
            }
        };
        if crc32fast::hash(&data) != self.crc {
            return Err(damaged(format!("The archive is damaged: the checksum of `{}` is wrong.", self.name)));
        }
        Ok(data)
    }
}
