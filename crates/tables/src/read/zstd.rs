//! Zstandard: one or more frames, one after the other; frames that say to skip them are passed over.

use std::io::{self, BufRead, Error as IoError, ErrorKind, Read};

use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

use super::{Contents, Format, too_large};
use crate::error::Error;

pub(super) const FORMAT: Format = Format {
    endings: &["zst"],
    recognizes: |source| is_zstd(source.bytes),
    read: |source, _| {
        let most = source.options.most();
        match unpacked(source.bytes, most) {
            Ok(bytes) => Ok(Contents::Packed(bytes)),
            Err(Fault::TooMany) => Err(too_large("The zstd file unpacks to more than", most as f64, most)),
            Err(Fault::Damaged) => Err(Error::new(
                "archive_unreadable",
                "The zstd file is damaged or truncated.",
                "Copy or download it again; unpack it to check that it is complete.",
            )),
        }
    },
};

/// Why nothing was unpacked.
#[derive(Debug, PartialEq)]
pub(super) enum Fault {
    /// it is damaged or cut off
    Damaged,
    /// it unpacks to more bytes than it may
    TooMany,
}

/// Whether bytes begin with a frame, or with one to skip, as files begin that were compressed in parallel.
pub fn is_zstd(start: &[u8]) -> bool {
    matches!(start, [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..])
}

/// What the frames of a stream hold, one after the other.
///
/// Memory is a window of at most 8 MiB or as a frame asks, up to the decoder's own bound.
pub struct Frames<R> {
    from: R,
    decoder: FrameDecoder,
    /// whether a frame has begun and is not over
    within: bool,
}

impl<R: BufRead> Frames<R> {
    /// Nothing is read yet.
    pub fn new(from: R) -> Self {
        Self { from, decoder: FrameDecoder::new(), within: false }
    }

    /// Begins the next frame that is not to be skipped; false where there is none.
    fn begin(&mut self) -> io::Result<bool> {
        while !self.from.fill_buf()?.is_empty() {
            match self.decoder.init(&mut self.from) {
                Ok(()) => return Ok(true),
                Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame { length, .. })) => {
                    let length = u64::from(length);
                    if io::copy(&mut (&mut self.from).take(length), &mut io::sink())? < length {
                        return Err(ErrorKind::UnexpectedEof.into());
                    }
                }
                Err(error) => return Err(IoError::other(error)),
            }
        }
        Ok(false)
    }
}

impl<R: BufRead> Read for Frames<R> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        while !to.is_empty() {
            if !self.within {
                self.within = self.begin()?;
                if !self.within {
                    break;
                }
            }
            while self.decoder.can_collect() == 0 && !self.decoder.is_finished() {
                let one = BlockDecodingStrategy::UptoBlocks(1);
                self.decoder.decode_blocks(&mut self.from, one).map_err(IoError::other)?;
            }
            match self.decoder.read(to)? {
                0 => self.within = false,
                read => return Ok(read),
            }
        }
        Ok(0)
    }
}

/// The bytes of all frames, at most `most`: what a frame states of its size is believed when it is there.
///
/// # Errors
/// [`Fault`].
///
/// # Cost
/// O(bytes unpacked); memory for them and as [`Frames`].
pub(super) fn unpacked(bytes: &[u8], most: u64) -> std::result::Result<Vec<u8>, Fault> {
    let mut out = Vec::new();
    Frames::new(bytes).take(most.saturating_add(1)).read_to_end(&mut out).map_err(|_| Fault::Damaged)?;
    if out.len() as u64 > most { Err(Fault::TooMany) } else { Ok(out) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A frame of raw blocks without a checksum: magic, a descriptor of a window of 1 KiB, blocks of at most 1 KiB.
    fn frame(data: &[u8]) -> Vec<u8> {
        let mut frame = vec![0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x00];
        let mut blocks = data.chunks(1024).peekable();
        while let Some(block) = blocks.next() {
            let header = ((block.len() as u32) << 3) | u32::from(blocks.peek().is_none());
            frame.extend_from_slice(header.to_le_bytes().get(..3).unwrap_or_default());
            frame.extend_from_slice(block);
        }
        frame
    }

    /// A frame of repeated bytes: four bytes become up to 128 KiB.
    fn bomb(blocks: usize) -> Vec<u8> {
        let mut frame = vec![0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x38];
        for k in 1..=blocks {
            let header: u32 = (131_072 << 3) | (1 << 1) | u32::from(k == blocks);
            frame.extend_from_slice(header.to_le_bytes().get(..3).unwrap_or_default());
            frame.push(b' ');
        }
        frame
    }

    #[test]
    fn frames_follow_each_other_and_some_are_skipped() {
        let long: Vec<u8> = (0..5000u32).map(|i| (i.wrapping_mul(i) >> 7) as u8).collect();
        let skipped = [0x50, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3].to_vec();
        let bytes = [frame(&long), skipped, frame(b"end")].concat();
        assert_eq!(unpacked(&bytes, 1 << 20), Ok([&long[..], b"end"].concat()));
        let first = [0x5f, 0x2a, 0x4d, 0x18, 1, 0, 0, 0, 9].to_vec();
        assert!(is_zstd(&first) && is_zstd(&frame(b"")) && !is_zstd(b"PK"));
        assert_eq!(unpacked(&[first, frame(b"a"), frame(b"ll")].concat(), 1 << 20), Ok(b"all".to_vec()));
        for cut in [bytes.len() - 2, bytes.len() / 2, 7, 5] {
            assert_eq!(unpacked(bytes.get(..cut).unwrap_or_default(), 1 << 20), Err(Fault::Damaged), "{cut}");
        }
    }

    #[test]
    fn what_unpacks_to_more_than_it_may_is_ended_there() {
        let bytes = bomb(1 << 16);
        assert_eq!(unpacked(&bytes, 1 << 20), Err(Fault::TooMany));
    }
}
