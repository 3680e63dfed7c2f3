//! Pictures inside charts: as PNG in a file, or resampled and laid on paper for the screen.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use png::{BitDepth, ColorType, Encoder, Filter};

use super::palette::Rgb;

/// The picture as a `data:` address of a PNG; `None` if `rgba` does not hold width × height pixels.
pub fn data_uri(rgba: &[u8], width: u32, height: u32) -> Option<String> {
    png(rgba, width, height).map(|bytes| format!("data:image/png;base64,{}", STANDARD.encode(bytes)))
}

/// The picture as a PNG file of 8 bits of red, green, blue and opacity; `None` if `rgba` does not hold width × height
/// pixels.
pub fn png(rgba: &[u8], width: u32, height: u32) -> Option<Vec<u8>> {
    let mut file = Vec::new();
    let mut encoder = Encoder::new(&mut file, width, height);
    encoder.set_color(ColorType::Rgba);
    encoder.set_depth(BitDepth::Eight);
    // each byte less the one above it: maps are smooth, with flat areas
    encoder.set_filter(Filter::Up);
    let mut writer = encoder.write_header().ok()?;
    writer.write_image_data(rgba).ok()?;
    writer.finish().ok()?;
    Some(file)
}

/// An opaque picture at a place on the screen, in device pixels.
#[derive(Debug, Clone, PartialEq)]
pub struct Bitmap {
    /// left edge
    pub x: i32,
    /// upper edge
    pub y: i32,
    /// pixels per row
    pub width: u32,
    /// rows
    pub height: u32,
    /// red, green, blue, 255
    pub rgba: Vec<u8>,
}

/// `rgba` at `width` × `height` pixels, enlarged or reduced to the size of `target`, laid on `paper`.
///
/// * `source`: width and height of `rgba`
/// * `target`: x, y, width, height in device pixels
/// * the nearest source pixel is taken; a picture drawn at the right size is copied pixel by pixel
pub fn on_paper(rgba: &[u8], source: (u32, u32), target: (i32, i32, u32, u32), paper: Rgb) -> Bitmap {
    let (x, y, width, height) = target;
    let nearest =
        |i: u32, from: u32, to: u32| ((u64::from(i) * 2 + 1) * u64::from(from) / (2 * u64::from(to).max(1))) as usize;
    let columns: Vec<usize> = (0..width).map(|i| nearest(i, source.0, width) * 4).collect();
    let stride = source.0 as usize * 4;
    let mut out = Vec::with_capacity(width as usize * height as usize * 4);
    for j in 0..height {
        let start = nearest(j, source.1, height) * stride;
        let row = rgba.get(start..start + stride).unwrap_or(&[]);
        for &column in &columns {
            let pixel = match row.get(column..column + 4) {
                Some(&[r, g, b, a]) => [r, g, b, a],
                _ => [0; 4],
            };
            let alpha = u32::from(pixel[3]);
            for (c, back) in paper.into_iter().enumerate() {
                let mixed = u32::from(pixel[c]) * alpha + u32::from(back) * (255 - alpha);
                out.push(((mixed + 127) / 255) as u8);
            }
            out.push(255);
        }
    }
    Bitmap { x, y, width, height, rgba: out }
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
    fn every_pixel_comes_back() {
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

    #[test]
    fn paper_shows_through_what_is_transparent() {
        let rgba = [200, 0, 0, 255, 200, 0, 0, 0];
        let bitmap = on_paper(&rgba, (2, 1), (5, 6, 4, 2), [255, 255, 255]);
        let row = [200, 0, 0, 255, 200, 0, 0, 255, 255, 255, 255, 255, 255, 255, 255, 255];
        assert_eq!(bitmap.rgba, [row, row].concat());
    }
}
