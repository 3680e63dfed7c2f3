//! LZ4 frames, in which Arrow packs its buffers. Blocks may refer to what earlier blocks unpacked to. Checksums are passed over.
//!
//! Source: "LZ4 Frame Format Description" 1.6, "LZ4 Block Format Description".

const MAGIC: [u8; 4] = 0x184d_2204_u32.to_le_bytes();

/// What a frame unpacks to; `None` unless that is `length` bytes. O(length), and no more memory than that: the output grows as
/// it is filled.
pub(super) fn unpacked(bytes: &[u8], length: usize) -> Option<Vec<u8>> {
    let (flags, rest) = bytes.strip_prefix(&MAGIC)?.split_first()?;
    // block sizes, the length of the content, an identifier of a dictionary, a checksum of the head
    let more = 1 + if flags & 0x08 != 0 { 8 } else { 0 } + if flags & 0x01 != 0 { 4 } else { 0 } + 1;
    let mut rest = rest.get(more..)?;
    let mut out = Vec::new();
    loop {
        let (size, after) = rest.split_first_chunk::<4>()?;
        let size = u32::from_le_bytes(*size);
        if size == 0 {
            return (out.len() == length).then_some(out);
        }
        let (block, after) = after.split_at_checked((size & 0x7fff_ffff) as usize)?;
        match size & 0x8000_0000 {
            0 => unpack_block(block, length, &mut out)?,
            _ => out.extend_from_slice(block),
        }
        if out.len() > length {
            return None;
        }
        rest = after.get(if flags & 0x10 != 0 { 4 } else { 0 }..)?;
    }
}

fn unpack_block(mut block: &[u8], most: usize, out: &mut Vec<u8>) -> Option<()> {
    while let Some((token, rest)) = block.split_first() {
        block = rest;
        let literals = count(usize::from(token >> 4), &mut block)?;
        let (literal, rest) = block.split_at_checked(literals)?;
        out.extend_from_slice(literal);
        block = rest;
        if block.is_empty() {
            break;
        }
        let (back, rest) = block.split_first_chunk::<2>()?;
        block = rest;
        let back = usize::from(u16::from_le_bytes(*back));
        let copied = count(usize::from(token & 15), &mut block)?.checked_add(4)?;
        let start = out.len().checked_sub(back).filter(|start| *start < out.len())?;
        if out.len().checked_add(copied)? > most {
            return None;
        }
        // what is copied may overlap with where it goes
        for at in start..start + copied {
            out.push(*out.get(at)?);
        }
    }
    Some(())
}

/// A count of four bits, with as many bytes more as it takes.
fn count(mut count: usize, bytes: &mut &[u8]) -> Option<usize> {
    if count < 15 {
        return Some(count);
    }
    loop {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        count = count.checked_add(usize::from(*byte))?;
        if *byte != 255 {
            return Some(count);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A frame of blocks, each with whether it is packed.
    fn frame(blocks: &[(&[u8], bool)]) -> Vec<u8> {
        let mut bytes = [&MAGIC[..], &[0x40, 0x40, 0]].concat();
        for (block, packed) in blocks {
            let size = block.len() as u32 | if *packed { 0 } else { 0x8000_0000 };
            bytes.extend(size.to_le_bytes());
            bytes.extend_from_slice(block);
        }
        bytes.extend([0; 4]);
        bytes
    }

    #[test]
    fn copies_overlap_and_reach_into_earlier_blocks() {
        // "ab", then 6 bytes from 2 back; then 5 bytes from 8 back, then "c"
        let first: &[u8] = &[0x22, b'a', b'b', 2, 0];
        let second: &[u8] = &[0x01, 8, 0, 0x10, b'c'];
        let whole = frame(&[(first, true), (b"--", false), (second, true)]);
        assert_eq!(unpacked(&whole, 16).as_deref(), Some(&b"abababab--ababac"[..]));
    }

    #[test]
    fn a_frame_that_is_cut_off_or_lies_is_none() {
        let block: &[u8] = &[0x20, b'a', b'b'];
        let whole = frame(&[(block, true)]);
        assert_eq!(unpacked(&whole, 2).as_deref(), Some(&b"ab"[..]));
        assert_eq!((unpacked(&whole, 3), unpacked(&whole, 1)), (None, None));
        assert!((0..whole.len()).all(|length| unpacked(&whole[..length], 2).is_none()));
        for bad in
            [&[0x20, b'a', b'b', 9, 0][..], &[0x20, b'a', b'b', 0, 0], &[0xf0, 255], &[0x2f, b'a', b'b', 1, 0, 255]]
        {
            assert_eq!(unpacked(&frame(&[(bad, true)]), 400), None, "{bad:?}");
        }
    }
}
