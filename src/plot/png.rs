//! Pictures as PNG files, the one form that charts need: 8 bits of red, green, blue and opacity.
//!
//! A few chunks round a stream that the library of ZIP and gzip packs: a second library for these would be a fiftieth of
//! the whole page.

use miniz_oxide::deflate::compress_to_vec_zlib;

use crate::num::crc32::crc32;

/// What every PNG file begins with.
const SIGNATURE: [u8; 8] = *b"\x89PNG\r\n\x1a\n";
/// Depth, colour type RGBA, and the only methods of compression, filtering and order.
const FORM: [u8; 5] = [8, 6, 0, 0, 0];
/// Filter of a row: each byte less the one above it, which maps, smooth and in flat areas, pack well with.
const UP: u8 = 2;
/// Effort of packing, of ten.
const LEVEL: u8 = 6;

/// An opaque or transparent picture as a PNG file; `None` if `rgba` does not hold width × height pixels.
pub fn png(rgba: &[u8], width: u32, height: u32) -> Option<Vec<u8>> {
    let stride = width as usize * 4;
    if width == 0 || height == 0 || rgba.len() != stride * height as usize {
        return None;
    }
    let mut filtered = Vec::with_capacity(rgba.len() + height as usize);
    let mut above: &[u8] = &vec![0; stride];
    for row in rgba.chunks_exact(stride) {
        filtered.push(UP);
        filtered.extend(row.iter().zip(above).map(|(byte, up)| byte.wrapping_sub(*up)));
        above = row;
    }
    let mut head = [width.to_be_bytes(), height.to_be_bytes()].concat();
    head.extend(FORM);
    let mut file = SIGNATURE.to_vec();
    chunk(&mut file, b"IHDR", &head);
    chunk(&mut file, b"IDAT", &compress_to_vec_zlib(&filtered, LEVEL));
    chunk(&mut file, b"IEND", &[]);
    Some(file)
}

/// Appends length, name, content and checksum of name and content.
fn chunk(file: &mut Vec<u8>, name: &[u8; 4], content: &[u8]) {
    file.extend((content.len() as u32).to_be_bytes());
    let start = file.len();
    file.extend(name);
    file.extend(content);
    let check = crc32(file.get(start..).unwrap_or(&[]));
    file.extend(check.to_be_bytes());
}

#[cfg(test)]
#[allow(clippy::expect_used)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> (u32, u32, Vec<u8>) {
        let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().expect("a header");
        let mut pixels = vec![0; reader.output_buffer_size().expect("a size")];
        let info = reader.next_frame(&mut pixels).expect("pixels");
        (info.width, info.height, pixels)
    }

    #[test]
    fn the_library_of_the_format_reads_it() {
        let small = [10, 20, 30, 255, 0, 0, 0, 0];
        assert_eq!(read(&png(&small, 2, 1).expect("a file")), (2, 1, small.to_vec()));
        let large: Vec<u8> = (0..300 * 200 * 4u32).map(|i| (i.wrapping_mul(i) / 977) as u8).collect();
        assert_eq!(read(&png(&large, 300, 200).expect("a file")), (300, 200, large));
    }

    #[test]
    fn pixels_that_do_not_fill_the_picture_are_refused() {
        assert_eq!(png(&[0; 8], 3, 1), None);
        assert_eq!(png(&[], 0, 0), None);
    }
}
