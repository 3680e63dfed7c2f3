//! Gzip: one or more compressed members, one after the other.

use std::io::Read;

use flate2::bufread::GzDecoder;

use super::{Contents, Format, too_large};
use crate::error::{Error, Result};

pub(super) const FORMAT: Format = Format {
    endings: &["gz"],
    recognizes: |source| source.bytes.starts_with(&[0x1f, 0x8b]),
    read: |source, _| inflated(source.bytes, source.options.most()).map(Contents::Packed),
};

/// The uncompressed bytes of all members.
///
/// They are counted before they are kept: memory is taken once, and for what fits only.
///
/// # Errors
/// `archive_unreadable` when it is damaged or cut off; `too_large` when it unpacks to more than `most` bytes.
fn inflated(bytes: &[u8], most: u64) -> Result<Vec<u8>> {
    // Counted further than that, to say how large a file is that is not read.
    let most_counted = usize::try_from(most.saturating_mul(3) / 2).unwrap_or(usize::MAX);
    let size = counted(bytes, most_counted)?;
    if size as u64 > most {
        let what = if size > most_counted { "The gzip file unpacks to more than" } else { "The gzip file unpacks to" };
        return Err(too_large(what, size.min(most_counted) as f64, most));
    }
    let mut out = Vec::with_capacity(size);
    members(bytes, |member| member.read_to_end(&mut out).map(|_| true))?;
    Ok(out)
}

/// How many bytes all members unpack to; beyond `most` any number above it.
fn counted(bytes: &[u8], most: usize) -> Result<usize> {
    let mut size = 0usize;
    let mut window = vec![0; 1 << 16];
    members(bytes, |member| {
        loop {
            let read = member.read(&mut window)?;
            size = size.saturating_add(read);
            if read == 0 || size > most {
                return Ok(size <= most);
            }
        }
    })?;
    Ok(size)
}

/// Shows each member to `read`, as long as it answers that it wants another one; what follows the last is left alone.
fn members(bytes: &[u8], mut read: impl FnMut(&mut GzDecoder<&[u8]>) -> std::io::Result<bool>) -> Result<()> {
    let mut rest = bytes;
    while rest.starts_with(&[0x1f, 0x8b]) {
        let mut member = GzDecoder::new(rest);
        if !read(&mut member).map_err(|_| damaged())? {
            break;
        }
        rest = member.into_inner();
    }
    Ok(())
}

fn damaged() -> Error {
    Error::new(
        "archive_unreadable",
        "The gzip file is damaged or truncated.",
        "Copy or download it again; unpack it to check that it is complete.",
    )
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::MOST_BYTES;
    use super::*;
    use flate2::Compression;
    use flate2::write::GzEncoder;
    use std::io::Write;

    /// A gzip member of `data`.
    fn packed(data: &[u8]) -> Vec<u8> {
        let mut out = GzEncoder::new(Vec::new(), Compression::default());
        out.write_all(data).unwrap();
        out.finish().unwrap()
    }

    #[test]
    fn members_follow_each_other() {
        let long: Vec<u8> = (0..200_000u32).map(|i| (i.wrapping_mul(i) >> 7) as u8).collect();
        let bytes = [packed(&long), packed(b""), packed(b"end")].concat();
        assert_eq!(counted(&bytes, usize::MAX).unwrap(), long.len() + 3);
        assert_eq!(inflated(&bytes, MOST_BYTES as u64).unwrap(), [&long[..], b"end"].concat());
        for cut in [bytes.len() - 4, bytes.len() / 2, 30] {
            let error = inflated(&bytes[..cut], MOST_BYTES as u64).unwrap_err();
            assert_eq!(error.code(), "archive_unreadable");
        }
    }

    #[test]
    fn a_file_that_unpacks_to_more_than_fits_is_counted_and_refused() {
        // Members of 64 MiB of spaces, 65 kB each: together 2.25 GiB, of which none is kept.
        let one = packed(&vec![b' '; 1 << 26]);
        let bytes = one.repeat(36);
        let error = inflated(&bytes, MOST_BYTES as u64).unwrap_err();
        assert_eq!(error.code(), "too_large");
        let said = error.to_string();
        assert!(said.contains("2,415,919,104 bytes"), "{said}");
        assert!(said.contains("2,147,483,648"), "{said}");
        assert_eq!(counted(&bytes, 1000).unwrap().min(1001), 1001);
    }
}
