//! Counts that were written before, here or by an engine, as if their rows were counted now.

use super::super::ReadFile;
use super::super::counted::{MOST_ROWS, Whole, agree, contradiction, settings_in_words, twice};
use super::{End, Line, Sums, Tally};
use crate::counts::CountRequest;
use crate::counts::statement::{MISSING, Unused};
use crate::error::Result;

impl Tally {
    /// The counts in the columns of a counting statement; none where a file contains anything else.
    ///
    /// # Errors
    /// Those of a file of counts that is opened, and `table_unreadable` where a line lacks what would be written again.
    ///
    /// # Cost
    /// O(lines).
    pub(crate) fn of_counts(file: &ReadFile) -> Result<Option<Self>> {
        let Some(whole) = Whole::of(file)? else { return Ok(None) };
        let mut tally = Self::new(whole.settings.request.clone())?;
        tally.least = whole.settings.least;
        for line in 0..whole.len() {
            tally.add_line(&whole, line)?;
        }
        Ok(Some(tally))
    }

    fn add_line(&mut self, whole: &Whole, line: usize) -> Result<()> {
        let CountRequest { by, month, features, .. } = &whole.settings.request;
        let groups = (0..by.len()).map(|place| Some(whole.group(place, line).unwrap_or_else(|| MISSING.to_owned())));
        let month = month.iter().map(|_| whole.month(line).map(|(year, month)| (year * 100 + month).to_string()));
        let texts = groups.chain(month).collect();
        let mut cells = [None; 2];
        for (place, (of, to)) in features.iter().zip(&mut cells).enumerate() {
            let cell = whole.feature(place, line);
            if cell.is_nan() {
                continue;
            }
            if !(0.0..f64::from(of.cells)).contains(&cell) || cell.fract() != 0.0 {
                return Err(contradiction(line, "it has a quantized value outside of the range"));
            }
            *to = Some(cell as u32);
        }
        let [cell, n, events, others @ ..] = whole.numbers(line);
        let status = whole.status(line);
        let (end, sums) = if status == "ok" {
            if !others.iter().all(|sum| sum.is_finite()) {
                return Err(contradiction(line, "a sum is missing"));
            }
            // whole numbers: the line was checked
            (End::Cell(cell as i32), Sums { n: n as u64, events: events as u64, others })
        } else {
            let reason = Unused::of(status).ok_or_else(|| contradiction(line, "its status is unknown"))?;
            if !(1.0..=MOST_ROWS).contains(&n) || n.fract() != 0.0 {
                return Err(contradiction(line, "its number of rows is not possible"));
            }
            (End::Unused(reason), Sums { n: n as u64, ..Sums::default() })
        };
        let groups = self.place_of(texts);
        self.lines.entry(Line { groups, features: cells, end }).or_default().merge(&sums);
        self.has_event |= sums.events > 0;
        self.rows += sums.n;
        Ok(())
    }

    /// The counts of several files, which share no rows, as those of one table.
    ///
    /// * `files`: of each its name and its counts
    /// * returns: none of no file
    ///
    /// # Errors
    /// `invalid_option` for files that were not counted in the same way, which names two of them and what differs; for counts that
    /// are there twice.
    ///
    /// # Cost
    /// O(files² + lines).
    pub fn pooled(files: &[(String, Self)]) -> Result<Option<Self>> {
        let Some(((name, first), others)) = files.split_first() else { return Ok(None) };
        let mut whole = first.clone();
        let made = settings_in_words(&first.request);
        for (place, (other, tally)) in others.iter().enumerate() {
            let same = |(_, earlier): &&(String, Self)| earlier.by_values() == tally.by_values();
            if let Some((earlier, _)) = files.iter().take(place + 1).find(same) {
                return Err(twice(earlier, other));
            }
            agree((name, &made), (other, &settings_in_words(&tally.request)))?;
            whole.merge(tally);
            // what is told of few rows in one of them, the sum may tell, too
            whole.least = whole.least.zip(tally.least).map(|(a, b)| a.min(b));
        }
        if others.iter().any(|(_, tally)| tally.request.table != first.request.table) {
            whole.request.table = format!("{name} and {} more", others.len());
        }
        Ok(Some(whole))
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Field, Tally};
    use crate::counts::{CountRequest, QuantizedColumn};
    use crate::read::{ReadOptions, read_counts};

    fn recounted(csv: &str) -> crate::Result<Option<Tally>> {
        read_counts("counts.csv", csv.as_bytes(), ReadOptions::default(), &mut |_| ())
    }

    /// Numbers that look random, the same in every run.
    fn numbers(mut state: u64) -> impl FnMut(u64) -> u64 {
        move |below| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        }
    }

    fn request(seed: u64) -> CountRequest {
        let age = QuantizedColumn { column: "age".into(), low: 0.0, high: 100.0, cells: 4 };
        CountRequest {
            table: "visits".into(),
            score: "risk".into(),
            outcome: "died".into(),
            positive: (seed % 2 == 1).then(|| "1".into()),
            negative: (seed % 4 == 1).then(|| "0".into()),
            by: [vec![], vec!["ward".into()], vec!["ward".into(), "sex".into()]][(seed % 3) as usize].clone(),
            month: seed.is_multiple_of(2).then(|| "day".into()),
            features: if seed % 3 == 1 { vec![age] } else { Vec::new() },
            percent: seed.is_multiple_of(5),
            cells: [None, Some(240), Some(60)][(seed % 3) as usize],
            ..CountRequest::default()
        }
    }

    /// Rows with few and with many of a kind: missing values, scores that are none, names that need quotes or are no formula.
    fn tally(seed: u64) -> Tally {
        let request = request(seed);
        let mut random = numbers(seed);
        let mut tally = Tally::new(request.clone()).expect("a request");
        for _ in 0..200 + 100 * seed {
            let scale = if request.percent { 100.0 } else { 1.0 };
            let score = match random(40) {
                0 => Field::Missing,
                1 => Field::Number(f64::INFINITY),
                2 => Field::Number(-0.5),
                3 => Field::Number(1.5 * scale),
                4 => Field::Number([0.0, 1.0, 0.5, 1e-9, 1.0 - 1e-9][random(5) as usize] * scale),
                _ => Field::Number(random(1_000_003) as f64 / 1_000_003.0 * scale),
            };
            let outcome = [Field::Number(1.0), Field::Number(0.0), Field::Text("?"), Field::Missing];
            let outcome = outcome[if random(30) == 0 { 2 + random(2) } else { random(2) } as usize];
            let names = ["A", "B", "2.0", "a, \"b\"", "=1+1", "(missing)", "(withheld)", "NA"];
            let rare = if random(10) < 8 { random(2) } else { random(names.len() as u64) };
            let ward = if random(50) == 0 { Field::Missing } else { Field::Text(names[rare as usize]) };
            let month = if random(60) == 0 { Field::Missing } else { Field::Month(202_401 + random(3) as u32) };
            let age = if random(20) == 0 { Field::Missing } else { Field::Number(random(140) as f64 - 20.0) };
            let by = [ward, Field::Text(["f", "m"][random(2) as usize])];
            let mut fields = vec![score, outcome];
            fields.extend(&by[..request.by.len()]);
            fields.extend(request.month.iter().map(|_| month));
            fields.extend(request.features.iter().map(|_| age));
            tally.add(&fields).expect("a row");
        }
        tally
    }

    const LEAST: u64 = 10;

    /// The groups of few rows beside those flagged already, and at least two where there are any.
    fn small(lines: &[Vec<u64>], implied: Vec<bool>) -> Option<Vec<bool>> {
        let few = |line: &Vec<u64>| line.iter().any(|n| (1..LEAST).contains(n));
        let mut out: Vec<bool> = lines.iter().zip(implied).map(|(line, implied)| implied || few(line)).collect();
        let rest = |out: &[bool]| {
            let sums = |k: usize| lines.iter().zip(out).filter(|(_, out)| **out).map(|(line, _)| line[k]).sum::<u64>();
            (0..3).any(|k| (1..2 * LEAST).contains(&sums(k)))
        };
        while rest(&out) {
            *out.iter_mut().rev().find(|out| !**out)? = true;
        }
        Some(out)
    }

    #[test]
    fn counts_of_counts_are_those_of_the_rows() {
        let mut merged_ones = 0;
        for seed in 0..30 {
            let tally = tally(seed);
            let again = recounted(&tally.csv()).expect("counts").expect("counts");
            assert_eq!(again.csv(), tally.csv(), "{seed}");
            assert_eq!((again.rows(), again.usable()), (tally.rows(), tally.usable()), "{seed}");
            match (tally.merged(LEAST, small), again.merged(LEAST, small)) {
                (Ok((told, merged)), Ok((told_again, merged_again))) => {
                    assert_eq!((told.csv(), merged), (told_again.csv(), merged_again), "{seed}");
                    no_line_is_of_few_rows(&told.csv());
                    // every row that is used is still there
                    assert_eq!(told.usable().0, tally.usable().0, "{seed}");
                    // once more: nothing is left to be merged
                    let third = recounted(&told.csv()).expect("counts").expect("counts");
                    assert_eq!(third.merged(LEAST, small).expect("merged").0.csv(), told.csv(), "{seed}");
                    merged_ones += usize::from(merged.groups > 0);
                }
                (before, after) => assert_eq!(before.map(|_| ()), after.map(|_| ()), "{seed}"),
            }
        }
        assert!(merged_ones > 10, "{merged_ones}");
    }

    fn no_line_is_of_few_rows(csv: &str) {
        let head: Vec<&str> = csv.lines().next().expect("names").split(',').collect();
        let from_end = |name: &str| head.len() - head.iter().position(|known| *known == name).expect(name);
        for line in csv.lines().skip(1) {
            let of = |name: &str| line.rsplit(',').nth(from_end(name) - 1).expect("a cell");
            let n: u64 = of("n").parse().expect("a number");
            let events = of("sum_y").parse().unwrap_or(0);
            assert!([n, events, n - events].iter().all(|count| *count == 0 || *count >= LEAST), "{line}");
        }
    }

    #[test]
    fn files_of_the_same_settings_add_up() {
        let named = |name: &str, tally: &Tally| (name.to_owned(), tally.clone());
        let (mut a, b) = (tally(4), {
            let mut other = Tally::new(request(4)).expect("a request");
            other
                .add(&[Field::Number(0.25), Field::Number(1.0), Field::Text("C"), Field::Month(202_405)])
                .expect("a row");
            other
        });
        let pooled = Tally::pooled(&[named("a.csv", &a), named("b.csv", &b)]).expect("pooled").expect("counts");
        assert_eq!((pooled.rows(), pooled.request().table.as_str()), (a.rows() + 1, "visits"));
        a.merge(&b);
        assert_eq!(pooled.csv(), a.csv());
        for (files, words) in [
            ([named("a.csv", &b), named("b.csv", &b)], "`a.csv` and `b.csv` contain the same counts."),
            (
                [named("a.csv", &a), named("b.csv", &tally(5))],
                "different settings cannot be pooled: cells 240 in `a.csv`",
            ),
        ] {
            let error = Tally::pooled(&files).expect_err(words);
            assert!(error.to_string().contains(words), "{error}");
        }
        assert!(Tally::pooled(&[]).expect("nothing").is_none());
    }

    #[test]
    fn what_is_no_whole_result_is_refused_as_where_it_is_opened() {
        assert!(recounted("p,y\n0.5,1\n0.25,0\n").expect("rows").is_none());
        let csv = tally(1).csv();
        let without_last = csv.trim_end().rsplit_once('\n').expect("lines").0;
        let without_first: Vec<&str> = csv.lines().enumerate().filter(|(k, _)| *k != 1).map(|(_, line)| line).collect();
        for (text, words) in [
            (without_last.to_owned(), "incomplete or were edited"),
            (without_first.join("\n"), "lost the line with their settings"),
            (csv.replace("&by=ward", "&weight=w"), "sums of the sample weights `w`"),
        ] {
            let error = recounted(&text).expect_err(words);
            let opened = crate::read::read("counts.csv", text.as_bytes(), &mut |_| ()).expect_err(words);
            assert_eq!(error, opened);
            assert!(error.to_string().contains(words), "{error}");
        }
        let error = recounted(&csv.replace("p_missing", "p_lost")).expect_err("a status");
        assert!(error.to_string().contains("its status is unknown"), "{error}");
    }
}
