//! Pictures.

use crate::made::{Folder, patients};

/// Width, height and how many colors a PNG holds.
fn pixels(bytes: &[u8]) -> (u32, u32, usize) {
    let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut pixels).unwrap();
    let colors: std::collections::BTreeSet<&[u8]> = pixels.chunks_exact(info.color_type.samples()).collect();
    (info.width, info.height, colors.len())
}

#[test]
fn charts_are_svg_on_standard_output_and_in_files() {
    let folder = Folder::with_patients();
    let svg = folder.run("chart reliability patients.csv").done();
    folder.run("chart reliability patients.csv --out r.svg").done();
    assert_eq!(svg.text(), folder.text("r.svg"));
    for asked in [
        "reliability patients.csv --method platt --dark",
        "map patients.csv --features age,id",
        "cdf patients.csv --features age",
    ] {
        let svg = folder.run(&format!("chart {asked}")).done();
        resvg::usvg::roxmltree::Document::parse(svg.text()).unwrap();
        assert!(svg.text().starts_with("<svg ") && svg.text().contains("</svg>"), "{asked}");
    }
}

#[test]
fn png_pictures_hold_the_chart() {
    let folder = Folder::with_patients();
    folder.run("chart reliability patients.csv --out r.png").done();
    let (width, height, colors) = pixels(&folder.bytes("r.png"));
    assert!(width > 900 && height > 900 && colors > 50, "{width} × {height}, {colors} colours");
    folder.run("chart reliability patients.csv --out small.png --scale 1").done();
    assert!(pixels(&folder.bytes("small.png")).0.abs_diff(width / 2) <= 1);
    folder.run("chart map patients.csv --features age,id --dark --out m.png").done();
    assert!(pixels(&folder.bytes("m.png")).2 > 50);
}

#[test]
fn a_name_that_ends_in_pdf_gets_a_page() {
    let folder = Folder::with_patients();
    folder.run("chart reliability patients.csv --out r.pdf --print 85").done();
    let page = folder.bytes("r.pdf");
    assert!(page.starts_with(b"%PDF-1.4") && page.ends_with(b"%%EOF\n"));
    let text = String::from_utf8_lossy(&page).into_owned();
    assert!(text.contains("/MediaBox [0 0 240.94 ") && text.contains("/BaseFont /Helvetica"), "{text}");
    folder.run("chart decide patients.csv --out d.pdf").done();
    assert!(folder.bytes("d-2.pdf").starts_with(b"%PDF-1.4"));
    let dark = folder.run("chart reliability patients.csv --out dark.pdf --dark");
    assert_eq!(dark.status, Some(2));
    assert!(dark.err.contains("PDF does not support --dark"), "{}", dark.err);
}

#[test]
fn letters_that_the_fonts_of_pdf_lack_are_outlined() {
    let folder = Folder::with_patients();
    folder.put("north.csv", &patients(true).replace("north", "Север"));
    folder.run("chart groups north.csv --group site --id id --columns site --out g.pdf").done();
    let page = folder.bytes("g.pdf");
    // words in Latin letters stay words
    assert!(page.starts_with(b"%PDF-1.4") && String::from_utf8_lossy(&page).contains("/BaseFont /Helvetica"));
}

#[test]
fn of_several_figures_those_of_enough_rows_are_drawn() {
    let folder = Folder::with_patients();
    let example = "--example breast_cancer --features mean_radius,mean_texture";
    let drawn = folder.run(&format!("chart sweep {example} --suppress 10 --out s.svg")).done();
    assert!(drawn.err.contains("Figure 1 of 3: Withheld"), "{}", drawn.err);
    assert!(!folder.has("s.svg") && folder.text("s-2.svg").contains("mean LCE"));
    assert!(folder.text("s-3.svg").contains("20 effective neighbors"));
    let refused = folder.run("chart witness patients.csv --features age --suppress 1000 --out w.svg");
    assert!(refused.status == Some(1) && refused.err.contains("too_few_rows"), "{}", refused.err);
}

#[test]
fn questions_draw_too() {
    let folder = Folder::with_patients();
    folder.run("chart decide patients.csv --out d.svg").done();
    assert!(folder.text("d.svg").contains("</svg>") && folder.text("d-2.svg").contains("</svg>"));
    let twins = folder.run("chart groups patients.csv --columns site --json").done().json();
    assert_eq!(twins[0]["table"]["rows"].as_array().unwrap().len(), 3);
    let none = folder.run("chart libraries patients.csv");
    assert_eq!(none.status, Some(1));
    assert!(none.err.contains("`libraries` has no chart"));
    assert_eq!(folder.run("chart reliability patients.csv --out r.gif").status, Some(2));
}

#[test]
fn charts_for_print_are_as_wide_as_asked_for() {
    let folder = Folder::with_patients();
    for asked in ["reliability patients.csv", "decide patients.csv", "groups patients.csv --columns site"] {
        let svg = folder.run(&format!("chart {asked} --print 85")).done();
        resvg::usvg::roxmltree::Document::parse(svg.text()).unwrap();
        assert!(svg.text().contains(" width=\"85mm\"") && svg.text().contains("fill=\"#000000\""), "{asked}");
    }
    assert_eq!(folder.run("chart reliability patients.csv --print 5").status, Some(2));
    assert_eq!(folder.run("chart reliability patients.csv --print 85 --dark").status, Some(2));
}
