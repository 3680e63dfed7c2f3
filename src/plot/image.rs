//! Pictures inside charts: as PNG in a file, or resampled and laid on paper for the screen.

use super::palette::Rgb;
use super::png::png;

/// The picture as a `data:` address of a PNG.
pub fn data_uri(rgba: &[u8], width: u32, height: u32) -> Option<String> {
    png(rgba, width, height).map(|bytes| format!("data:image/png;base64,{}", base64(&bytes)))
}

/// RFC 4648 base64 with padding.
pub fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let at = |i: usize| u32::from(group.get(i).copied().unwrap_or(0));
        let bits = at(0) << 16 | at(1) << 8 | at(2);
        for place in 0..4 {
            if place <= group.len() {
                let digit = bits >> (18 - 6 * place) & 63;
                text.push(char::from(DIGITS[digit as usize]));
            } else {
                text.push('=');
            }
        }
    }
    text
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
mod tests {
    use super::*;

    #[test]
    fn base64_of_rfc_4648() {
        let cases = [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")];
        for (plain, text) in cases {
            assert_eq!(base64(plain.as_bytes()), text);
        }
    }

    #[test]
    fn paper_shows_through_what_is_transparent() {
        let rgba = [200, 0, 0, 255, 200, 0, 0, 0];
        let bitmap = on_paper(&rgba, (2, 1), (5, 6, 4, 2), [255, 255, 255]);
        let row = [200, 0, 0, 255, 200, 0, 0, 255, 255, 255, 255, 255, 255, 255, 255, 255];
        assert_eq!(bitmap.rgba, [row, row].concat());
    }
}
