#![allow(clippy::unwrap_used, clippy::expect_used)]

use super::*;

fn linear(channel: u8) -> f64 {
    let c = f64::from(channel) / 255.0;
    if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
}

fn oklab(rgb: Rgb) -> [f64; 3] {
    let [r, g, b] = rgb.map(linear);
    let long = (0.412_221_470_8 * r + 0.536_332_536_3 * g + 0.051_445_992_9 * b).cbrt();
    let middle = (0.211_903_498_2 * r + 0.680_699_545_1 * g + 0.107_396_956_6 * b).cbrt();
    let short = (0.088_302_461_9 * r + 0.281_718_837_6 * g + 0.629_978_700_5 * b).cbrt();
    [
        0.210_454_255_3 * long + 0.793_617_785_0 * middle - 0.004_072_046_8 * short,
        1.977_998_495_1 * long - 2.428_592_205_0 * middle + 0.450_593_709_9 * short,
        0.025_904_037_1 * long + 0.782_771_766_2 * middle - 0.808_675_766_0 * short,
    ]
}

/// Relative luminance (WCAG 2.2).
fn luminance(rgb: Rgb) -> f64 {
    let [r, g, b] = rgb.map(linear);
    0.2126 * r + 0.7152 * g + 0.0722 * b
}

/// Contrast ratio of two colors, 1 to 21 (WCAG 2.2).
pub(crate) fn contrast(a: Rgb, b: Rgb) -> f64 {
    let (a, b) = (luminance(a) + 0.05, luminance(b) + 0.05);
    if a > b { a / b } else { b / a }
}

fn distance(a: Rgb, b: Rgb) -> f64 {
    let (a, b) = (oklab(a), oklab(b));
    (0..3).map(|i| (a[i] - b[i]).powi(2)).sum::<f64>().sqrt()
}

/// Viénot, Brettel & Mollon (1999): how a protanope (0) or a deuteranope (1) sees a color.
fn seen_by(rgb: Rgb, deuteranope: bool) -> Rgb {
    let [r, g, b] = rgb.map(linear);
    let (mixed, blue) = if deuteranope {
        (0.292_75 * r + 0.707_25 * g, -0.022_34 * r + 0.022_34 * g + b)
    } else {
        (0.112_38 * r + 0.887_62 * g, 0.004_01 * r - 0.004_01 * g + b)
    };
    let encode = |c: f64| {
        let c = c.clamp(0.0, 1.0);
        let s = if c <= 0.003_130_8 { 12.92 * c } else { 1.055 * c.powf(1.0 / 2.4) - 0.055 };
        (s * 255.0).round() as u8
    };
    [encode(mixed), encode(mixed), encode(blue)]
}

#[test]
fn black_on_white_has_contrast_21() {
    assert!((contrast([0, 0, 0], [255, 255, 255]) - 21.0).abs() < 1e-12);
}

#[test]
fn text_reads_on_both_papers() {
    for theme in [&LIGHT, &DARK] {
        let texts = [Ink::Ink, Ink::Muted, Ink::Accent, Ink::Over, Ink::Under, Ink::Before, Ink::After];
        for ink in texts {
            let ratio = contrast(theme.rgb(ink), theme.paper);
            assert!(ratio >= 4.5, "{ink:?} dark={} {ratio:.2}", theme.dark);
            let on_band = contrast(theme.rgb(ink), theme.band);
            assert!(on_band >= 3.0, "{ink:?} on the band {on_band:.2}");
        }
        let ink_on_band = contrast(theme.muted, theme.band);
        assert!(ink_on_band >= 4.5, "muted on the band {ink_on_band:.2}");
    }
}

#[test]
fn series_stand_out_from_the_paper_and_from_each_other() {
    for (theme, name) in [(&LIGHT, "light"), (&PRINT, "print"), (&DARK, "dark")] {
        let colors: Vec<Rgb> = (0..8).map(|k| theme.rgb(Ink::Category(k))).collect();
        for (k, color) in colors.iter().enumerate() {
            let ratio = contrast(*color, theme.paper);
            assert!(ratio >= 3.0, "{name} {k}: {ratio:.2}");
            for other in &colors[..k] {
                for (a, b) in [(*color, *other)]
                    .into_iter()
                    .chain([false, true].map(|d| (seen_by(*color, d), seen_by(*other, d))))
                {
                    assert!(distance(a, b) > 0.05, "{name} {color:?} {other:?}: {:.3}", distance(a, b));
                }
            }
        }
    }
}

#[test]
fn diverging_lightness_is_monotone_and_symmetric() {
    for dark in [false, true] {
        let sign = if dark { 1.0 } else { -1.0 };
        let mut last = [oklab(diverging(0.0, dark))[0]; 2];
        for i in 1..=50 {
            let v = f64::from(i) / 50.0;
            let pair = [oklab(diverging(v, dark))[0], oklab(diverging(-v, dark))[0]];
            for side in 0..2 {
                assert!(sign * (pair[side] - last[side]) > 0.0, "{v} side {side} dark {dark}");
            }
            assert!((pair[0] - pair[1]).abs() < 0.006, "{v} {pair:?}");
            last = pair;
        }
    }
}

#[test]
fn diverging_steps_are_even_and_inside_the_gamut() {
    for dark in [false, true] {
        for side in [-1.0, 1.0] {
            let steps: Vec<f64> = (0..10)
                .map(|i| {
                    let (a, b) = (f64::from(i) / 10.0, f64::from(i + 1) / 10.0);
                    distance(diverging(side * a, dark), diverging(side * b, dark))
                })
                .collect();
            let mean = steps.iter().sum::<f64>() / 10.0;
            for step in &steps {
                assert!((step / mean - 1.0).abs() < 0.12, "uneven {side} {dark} {steps:?}");
            }
        }
    }
}

#[test]
fn diverging_midpoint_is_near_the_paper() {
    for theme in [&LIGHT, &DARK] {
        assert!(distance(diverging(0.0, theme.dark), theme.paper) < 0.14);
        assert_eq!(diverging(f64::NAN, theme.dark), diverging(0.0, theme.dark));
        assert_eq!(diverging(7.0, theme.dark), diverging(1.0, theme.dark));
    }
}

#[test]
fn over_and_under_differ_for_color_blind_readers() {
    for dark in [false, true] {
        for deuteranope in [false, true] {
            for v in [0.4, 0.7, 1.0] {
                let a = seen_by(diverging(v, dark), deuteranope);
                let b = seen_by(diverging(-v, dark), deuteranope);
                assert!(distance(a, b) > 0.18 * v, "{v} {a:?} {b:?}");
            }
        }
    }
}

#[test]
fn not_enough_is_gray_and_apart_from_the_midpoint() {
    for theme in [&LIGHT, &DARK] {
        let [_, a, b] = oklab(theme.not_enough);
        assert!(a.hypot(b) < 0.02);
        assert!(distance(theme.not_enough, diverging(0.0, theme.dark)) > 0.12);
    }
}

#[test]
fn colors_that_the_system_forces_are_text_lines_and_background() {
    let (paper, ink, accent) = ([0, 0, 0], [255, 255, 0], [0, 255, 255]);
    let theme = DARK.forced(&[paper, ink, accent].concat()).expect("three colors");
    assert_eq!([Ink::Paper, Ink::Accent].map(|ink| theme.rgb(ink)), [paper, accent]);
    assert_eq!([Ink::Ink, Ink::Muted, Ink::Axis, Ink::Before].map(|ink| theme.rgb(ink)), [ink; 4]);
    assert_eq!([Ink::Over, Ink::Category(1)].map(|ink| theme.rgb(ink)), [DARK.over, DARK.categories[1]]);
    assert!(contrast(theme.grid, paper) < contrast(theme.band, paper) && contrast(theme.grid, ink) > 4.5);
    assert_eq!(DARK.forced(&[0, 0, 0]), None);
}
