//! Public data sets as reference numbers take them, read from the folder named by `LOCALCAL_DATA`.

use crate::kernel::Points;
use crate::num::special::sigmoid;
use crate::proximity::measure::{Form, log_proximities};
use crate::proximity::neighbors::{Metric, Search};

/// Named columns of a CSV file, if it is there.
pub fn columns(file: &str, names: &[&str]) -> Option<Vec<Vec<String>>> {
    let text = String::from_utf8(crate::public_files::public(file)?).expect("text");
    let mut rows = text.lines().map(fields);
    let header = rows.next().expect("a header");
    let places: Vec<usize> =
        names.iter().map(|name| header.iter().position(|h| h == name).expect("the column")).collect();
    let mut columns = vec![Vec::new(); names.len()];
    for row in rows.filter(|row| row.len() == header.len()) {
        for (column, &place) in columns.iter_mut().zip(&places) {
            column.push(row[place].clone());
        }
    }
    Some(columns)
}

fn fields(line: &str) -> Vec<String> {
    let (mut fields, mut quoted) = (vec![String::new()], false);
    for c in line.chars() {
        match c {
            '"' => quoted = !quoted,
            ',' if !quoted => fields.push(String::new()),
            c => fields.last_mut().expect("one field").push(c),
        }
    }
    fields
}

/// A column of numbers.
pub fn numbers(column: &[String]) -> Vec<f64> {
    column.iter().map(|v| v.parse().expect("a number")).collect()
}

/// Confidence and correctness of "1 iff p > 0.5".
pub fn top_label(p: &[f64], y: &[u8]) -> (Vec<f64>, Vec<u8>) {
    let c = p.iter().map(|&p| p.max(1.0 - p)).collect();
    let a = p.iter().zip(y).map(|(&p, &y)| u8::from((p > 0.5) == (y == 1))).collect();
    (c, a)
}

/// (p, y, race code) of the two-year recidivism file.
pub fn compas() -> Option<(Vec<f64>, Vec<u8>, Vec<u32>)> {
    let columns = columns("compas-scores-two-years.csv", &["decile_score", "two_year_recid", "race"])?;
    let p: Vec<f64> = numbers(&columns[0]).iter().map(|d| (d - 0.5) / 10.0).collect();
    let y: Vec<u8> = numbers(&columns[1]).iter().map(|&y| y as u8).collect();
    let mut races: Vec<&String> = columns[2].iter().collect();
    races.sort();
    races.dedup();
    let race = columns[2].iter().map(|r| races.binary_search(&r).expect("listed") as u32).collect();
    assert_eq!(p.len(), 7214);
    Some((p, y, race))
}

/// (p, y) of the heart file with the fixed score, rounded to 12 decimals.
pub fn heart() -> Option<(Vec<f64>, Vec<u8>)> {
    let columns = columns("heart.csv", &["Age", "ExerciseAngina", "Oldpeak", "HeartDisease"])?;
    let (age, oldpeak) = (numbers(&columns[0]), numbers(&columns[2]));
    let p: Vec<f64> = (0..age.len())
        .map(|i| {
            let angina = f64::from(u8::from(columns[1][i] == "Y"));
            let p = sigmoid(0.05 * (age[i] - 54.0) + 1.2 * angina + oldpeak[i] - 0.6);
            (p * 1e12).round() / 1e12
        })
        .collect();
    assert_eq!(p.len(), 918);
    Some((p, numbers(&columns[3]).iter().map(|&y| y as u8).collect()))
}

/// Confidence, correctness and ln D of the heart file as the reference numbers take them.
pub fn heart_proximity() -> Option<(Vec<f64>, Vec<u8>, Vec<f64>)> {
    let (p, y) = heart()?;
    let (c, a) = top_label(&p, &y);
    let names = ["Age", "RestingBP", "Cholesterol", "MaxHR", "Oldpeak"];
    let raw: Vec<Vec<f64>> = columns("heart.csv", &names)?.iter().map(|c| numbers(c)).collect();
    let n = c.len();
    let mut x = vec![0.0; n * 5];
    for (k, column) in raw.iter().enumerate() {
        let mean = column.iter().sum::<f64>() / n as f64;
        let sd = (column.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / n as f64).sqrt();
        for (i, v) in column.iter().enumerate() {
            x[i * 5 + k] = (v - mean) / sd;
        }
    }
    Some((c, a, own_log_proximity(&x, 5, 10, Form::Paper)))
}

/// ln D of every row among the others.
pub fn own_log_proximity(values: &[f64], d: usize, k: usize, form: Form) -> Vec<f64> {
    let points = Points::row_major(d, values).unwrap();
    let search = Search::new(&points, Metric::Euclidean).unwrap();
    let found = search.nearest(None, 0..points.n(), k, &mut |_| ()).unwrap();
    log_proximities(form, Metric::Euclidean, &found, points.n())
}
