//! Local calibration error and local recalibration on the public COMPAS two-year file.
use crate::support::public::public;
use localcal::kernel::{Kernel, Part, Points};
use localcal::local::{LocalQueries, LocalSample, signed_local_error, summary};
use localcal::recalibrate::lore::lore;

/// Cells of one line of a quoted CSV file without line breaks inside quotes.
fn cells(line: &str) -> Vec<&str> {
    let (mut cells, mut start, mut quoted) = (Vec::new(), 0, false);
    for (at, byte) in line.bytes().enumerate() {
        match byte {
            b'"' => quoted = !quoted,
            b',' if !quoted => {
                cells.push(&line[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    cells.push(&line[start..]);
    cells
}

struct Compas {
    score: Vec<f64>,
    target: Vec<u8>,
    bin: Vec<u32>,
    places: Vec<f64>,
}

/// Top-label confidence, correctness, five equal bins and (age / 10, priors) of every row.
fn compas() -> Option<Compas> {
    let text = String::from_utf8(public("compas-scores-two-years.csv")?).unwrap();
    let mut lines = text.lines();
    let header = cells(lines.next().unwrap());
    // Some names occur twice; both columns hold the same values.
    let [age, priors, decile, recid] = ["age", "priors_count", "decile_score", "two_year_recid"]
        .map(|name| header.iter().position(|cell| *cell == name).unwrap());
    let mut all = Compas { score: Vec::new(), target: Vec::new(), bin: Vec::new(), places: Vec::new() };
    for line in lines {
        let row = cells(line);
        let number = |column: usize| row[column].parse::<f64>().unwrap();
        let p = (number(decile) - 0.5) / 10.0;
        let c = p.max(1.0 - p);
        all.score.push(c);
        all.target.push(u8::from((p > 0.5) == (number(recid) > 0.5)));
        all.bin.push((0..5).rfind(|b| c >= f64::from(*b) / 5.0).unwrap() as u32);
        all.places.extend([number(age) / 10.0, number(priors)]);
    }
    assert_eq!(all.score.len(), 7214);
    Some(all)
}

impl Compas {
    fn rows(&self, range: std::ops::Range<usize>) -> LocalSample<'_> {
        let places = &self.places[2 * range.start..2 * range.end];
        LocalSample::new(
            &self.score[range.clone()],
            &self.target[range.clone()],
            &self.bin[range],
            Points::row_major(2, places).unwrap(),
        )
        .unwrap()
    }
}

#[test]
fn local_errors_of_the_first_2000() {
    let Some(all) = compas() else { return };
    let own = LocalQueries::Sample { leave_one_out: false };
    for (gamma, mlce, mean) in [
        (0.2, 0.9050005013794501, 0.13914410932767757),
        (0.4, 0.7055002478, 0.1184484979),
        (2.0, 0.4126964229, 0.10827188256804578),
        (1e9, 0.1607258939, 0.1042000000),
    ] {
        let kernel = Kernel::Laplacian { gamma };
        let found = signed_local_error(&all.rows(0..2000), &own, kernel, Part::WHOLE).unwrap();
        let found = summary(&found.slce, &found.n_eff);
        assert!((found.mlce - mlce).abs() < 6e-11, "{} {mlce}", found.mlce);
        assert!((found.mean_lce - mean).abs() < 6e-11, "{} {mean}", found.mean_lce);
    }
}

#[test]
fn recalibration_of_the_next_2000() {
    let Some(all) = compas() else { return };
    let test = all.rows(2000..4000);
    let kernel = Kernel::Laplacian { gamma: 0.4 };
    let found =
        lore(&all.rows(0..2000), test.bin, test.score, test.features, kernel, Part::WHOLE, &mut |_| ()).unwrap();
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    assert!((mean(&found.score) - 0.6684121536937551).abs() < 1e-12);
    for (found, expected) in found.score.iter().zip([0.5265582918, 0.6673472037, 0.7408326257]) {
        assert!((found - expected).abs() < 6e-11);
    }
    let brier = |score: &[f64]| {
        mean(&score.iter().zip(test.target).map(|(s, t)| (s - f64::from(*t)).powi(2)).collect::<Vec<_>>())
    };
    assert!((brier(test.score) - 0.23456).abs() < 1e-12);
    assert!((brier(&found.score) - 0.21743988868536662).abs() < 1e-12);
    let ece = |score: &[f64]| {
        let mut gap = [0.0; 5];
        for (s, t) in score.iter().zip(test.target) {
            let bin = (0..5).rfind(|b| *s >= *b as f64 / 5.0).unwrap();
            gap[bin] += s - f64::from(*t);
        }
        gap.iter().map(|gap| gap.abs()).sum::<f64>() / score.len() as f64
    };
    assert!((ece(test.score) - 0.11364999999999989).abs() < 1e-12);
    assert!((ece(&found.score) - 0.02188198409678649).abs() < 1e-12);
}
