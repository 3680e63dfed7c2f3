//! The bias plot and the inference tasks, from file to sheet.

use localcal::analysis::bias_plot::BiasOutcome;
use localcal::analysis::inference::InferenceOutcome;
use localcal::error::Error;
use localcal::hypothesis::inference::Task;
use localcal::job::Outcome;
use localcal::num::logistic::logistic;
use localcal::num::special::sigmoid;
use localcal::report::sheet::Block;
use serde_json::{Value, json};

use super::ahs::{Ahs, ahs};
use super::made::rows;
use crate::support::pipeline::{Opened, Ran, csv, near, open};
use crate::support::sheet::{figures, reading};

fn bias_plot(data: &Opened, ran: &Ran, options: Value) -> Result<BiasOutcome, Error> {
    match data.try_analyse(ran, json!({ "bias_plot": options }))? {
        Outcome::BiasPlot(found) => Ok(found),
        other => panic!("not a bias plot: {other:?}"),
    }
}

fn inference(data: &Opened, ran: &Ran, options: Value) -> Result<InferenceOutcome, Error> {
    match data.try_analyse(ran, json!({ "inference": options }))? {
        Outcome::Inference(found) => Ok(found),
        other => panic!("no inference: {other:?}"),
    }
}

#[test]
fn a_panel_for_each_site_and_a_line_for_each_sex() {
    let data = open(&rows(3000, 11), json!({ "roles": { "x": "feature" } }));
    let ran = data.run(
        json!({ "resamples": 0, "methods": ["none", { "id": "group_histogram", "parameters": { "groups": "site" } }] }),
    );
    let found = bias_plot(&data, &ran, json!({ "width": 320 })).unwrap();
    assert_eq!(figures(&found.sheet).len(), 3);
    assert_eq!((found.rows.len(), found.bias.len()), (3000, 3000));
    let words = reading(&found.sheet);
    assert!(words.contains("site = A") || words.contains("site = B"), "{words}");
    assert!(words.contains("sex = "), "{words}");
    let Some(Block::Table(table)) = found.sheet.blocks.get(2) else { panic!("a table") };
    assert_eq!(table.rows.len(), 6);
    // Sites A and B are off by 15 points; neighbors of other sites pull the error towards theirs. What is shown is
    // score − outcome: too high is positive.
    for row in &table.rows {
        let (name, bias, own) = (&row[0].text, row[2].number.unwrap(), row[3].number.unwrap());
        let put_in = match name {
            name if name.contains("= A") => 0.15,
            name if name.contains("= B") => -0.15,
            _ => 0.0,
        };
        near(own, put_in, 0.05);
        assert!(bias * put_in >= 0.0 && bias.abs() <= own.abs() + 0.03, "{name} {bias} {own}");
    }
    // So in the chart: its points, bars and ends.
    let twin = found.sheet.blocks.iter().find_map(|block| match block {
        Block::Figures(figures) => figures.iter().find(|f| f.title.contains("= A")),
        _ => None,
    });
    let bars = &twin.expect("a panel").table.rows;
    let high = bars.iter().filter(|row| row[2].starts_with('+')).count();
    assert!(high > bars.len() / 2, "{bars:?}");
    // One panel without groups; a method that recalibrates sites leaves less.
    let one = bias_plot(&data, &ran, json!({ "by": "", "colour": "sex", "gamma": 2 })).unwrap();
    assert_eq!(figures(&one.sheet).len(), 1);
    let after = bias_plot(&data, &ran, json!({ "method": "group_histogram" })).unwrap();
    let Some(Block::Table(table)) = after.sheet.blocks.get(2) else { panic!("a table") };
    // Every site's own gap is gone; what depends on x is not for sites to correct.
    for row in &table.rows {
        near(row[3].number.unwrap(), 0.0, 0.05);
    }
    for (options, code, words) in [
        (json!({ "covariate": "site" }), "invalid_option", "`site`"),
        (json!({ "covariate": "none" }), "unknown_column", "`none`"),
        (json!({ "by": "nobody" }), "unknown_column", "`nobody`"),
        (json!({ "gamma": -1 }), "invalid_option", "gamma is -1; it must be"),
        (json!({ "method": "platt" }), "unknown_method", "does not include this method"),
    ] {
        let error = bias_plot(&data, &ran, options).unwrap_err();
        assert_eq!(error.code(), code, "{error}");
        assert!(error.to_string().contains(words), "{error}");
    }
}

#[test]
fn without_covariates_the_bias_plot_says_so() {
    let data = open(&rows(200, 1), json!({ "roles": { "x": "ignore" } }));
    let ran = data.run(json!({ "resamples": 0 }));
    let error = bias_plot(&data, &ran, json!({})).unwrap_err();
    assert_eq!(error.to_string(), "No numeric covariate.");
}

#[test]
fn the_bias_is_that_of_the_witness() {
    let data = open(&rows(500, 12), json!({}));
    let ran = data.run(json!({ "resamples": 0, "evaluate_on": "all" }));
    let found = bias_plot(&data, &ran, json!({ "features": ["x"], "covariate": "x" })).unwrap();
    let request = json!({ "witness": { "features": ["x"], "form": "concatenated" } });
    let Ok(Outcome::Witness(witness)) = data.try_analyse(&ran, request) else { panic!("a witness") };
    assert_eq!(found.bias, witness.lcb);
}

#[test]
fn a_study_with_scores() {
    let data = open(&rows(2000, 13), json!({ "roles": { "x": "feature" } }));
    let ran = data.run(json!({ "resamples": 0, "methods": ["none", "group_histogram"] }));
    let found = inference(&data, &ran, json!({ "of": "x", "group": "site", "resamples": 300, "width": 300 })).unwrap();
    // The mean of x and three sites against the rest, for two methods.
    assert_eq!(found.estimates.len(), 8);
    assert_eq!(figures(&found.sheet).len(), 2);
    let of = |method: &str, of: &str| {
        let one = found.estimates.iter().find(|e| e.method == method && e.of.contains(of));
        one.unwrap_or_else(|| panic!("{method} {of}"))
    };
    let a = of("none", "A minus");
    near(a.error.unwrap(), 0.225, 0.05);
    assert!(a.low.unwrap() > 0.0 && a.high.unwrap() > a.error.unwrap());
    assert_eq!(a.resamples, 300);
    let recalibrated = of("group_histogram", "A minus");
    assert!(recalibrated.error.unwrap().abs() < 0.05);
    near(recalibrated.truth.unwrap(), a.truth.unwrap(), 0.0);
    assert!(reading(&found.sheet).starts_with("Mean x among rows with the event: "));
    // Two groups: one difference; a name that is empty asks for none.
    let two = inference(&data, &ran, json!({ "of": "", "group": "sex", "methods": ["none"], "resamples": 0 })).unwrap();
    assert_eq!(two.estimates.len(), 1);
    assert_eq!(two.estimates[0].of, "sex: M minus F");
    assert_eq!((two.estimates[0].low, two.estimates[0].resamples), (None, 0));
    assert!(reading(&two.sheet).contains("no interval was computed"));
    for (options, code, words) in [
        (json!({ "of": "site" }), "invalid_option", "`site`"),
        (json!({ "of": "", "group": "" }), "features_missing", "No covariate to average"),
        (json!({ "methods": ["ets"] }), "unknown_method", "does not include this method"),
        (json!({ "resamples": 10_000_000 }), "invalid_option", "resamples is 10,000,000; it must be"),
    ] {
        let error = inference(&data, &ran, options).unwrap_err();
        assert_eq!(error.code(), code, "{error}");
        assert!(error.to_string().contains(words), "{error}");
    }
    let top = open(&rows(200, 1), json!({ "view": "top_label" }));
    let ran = top.run(json!({ "resamples": 0 }));
    assert_eq!(inference(&top, &ran, json!({})).unwrap_err().code(), "unsupported_view");
}

fn fitted(all: &Ahs, covariates: &[&str]) -> (Vec<f64>, Vec<f64>, f64) {
    let columns: Vec<&[f64]> = covariates.iter().map(|name| all.column(name)).collect();
    let fit = logistic(&columns, None, &all.owner).expect("a maximum");
    let b = fit.coefficients;
    let p =
        (0..all.n()).map(|i| sigmoid(b[0] + columns.iter().zip(&b[1..]).map(|(x, b)| x[i] * b).sum::<f64>())).collect();
    (p, b, -fit.log_likelihood)
}

/// The specification, 11.1, the last rows, and 9, 26: logistic regressions on the whole of the housing survey.
#[test]
fn housing_survey() {
    let Some(all) = ahs() else { return };
    let age = Task::Mean(all.column("HHAGE").to_vec());
    let black = Task::Gap(all.column("BLACK").iter().map(|&b| b as u8).collect());
    let everything: Vec<&str> = all.names[..10].iter().map(String::as_str).collect();
    let (p, b, nll) = fitted(&all, &everything);
    near(nll, 0.506049, 6e-7);
    for (name, slope) in [
        ("HINCP", 2.023634),
        ("HHAGE", 0.048322),
        ("BLACK", -0.620552),
        ("HHCITSHP", -0.178447),
        ("HHGRAD", 0.048763),
        ("HHSEX", -0.063540),
        ("METRO", -0.493263),
        ("HHMAR", -0.218695),
        ("NUMPEOPLE", 0.072514),
        ("DIVISION", -0.045902),
    ] {
        let place = everything.iter().position(|known| *known == name).unwrap();
        near(b[place + 1], slope, 6e-7);
    }
    near(age.of(&p, &all.owner, &[]).unwrap().0, 56.120647009047715, 1e-9);
    near(black.of(&p, &all.owner, &[]).unwrap().0, -0.23921380374376483, 1e-12);
    // Every mean and every included gap is right on the rows of the fit.
    for name in &everything {
        let task = Task::Mean(all.column(name).to_vec());
        near(task.error(&p, &all.owner, &[]).unwrap(), 0.0, 1e-7);
    }
    near(black.error(&p, &all.owner, &[]).unwrap(), 0.0, 1e-9);

    let without: Vec<&str> = everything.iter().copied().filter(|n| *n != "HHAGE").collect();
    for (covariates, accuracy, brier, implied) in [
        (without.as_slice(), 0.72127, 0.18458626, 53.23741934),
        (&["HHAGE", "METRO", "NUMPEOPLE", "DIVISION", "BLACK"], 0.70485, 0.19918188, 56.12064701),
    ] {
        let (p, _, _) = fitted(&all, covariates);
        let n = p.len() as f64;
        let right = p.iter().zip(&all.owner).filter(|(p, y)| (**p > 0.5) == (**y == 1)).count();
        near(right as f64 / n, accuracy, 6e-6);
        let squares = p.iter().zip(&all.owner).map(|(p, &y)| (p - f64::from(y)).powi(2));
        // the printed score of the second model is that of a fit that had not quite converged
        near(squares.sum::<f64>() / n, brier, 3e-8);
        near(age.of(&p, &all.owner, &[]).unwrap().1, implied, 6e-9);
        if covariates.len() == 9 {
            // The same through a file: every row is scored as it stands.
            let of = |name: &str| all.column(name).to_vec();
            let y = all.owner.iter().map(|&y| f64::from(y)).collect();
            let text = csv(&[("p", p), ("y", y), ("HHAGE", of("HHAGE")), ("BLACK", of("BLACK"))]);
            let data = open(&text, json!({ "roles": { "HHAGE": "feature", "BLACK": "group" } }));
            let ran = data.run(json!({ "evaluate_on": "all", "resamples": 0 }));
            let found = inference(&data, &ran, json!({ "resamples": 100 })).unwrap();
            near(found.estimates[0].estimate.unwrap(), implied, 6e-9);
            near(found.estimates[1].truth.unwrap(), -0.23921380374376483, 1e-12);
            assert!(found.estimates[0].high.unwrap() < 0.0);
            assert!(
                reading(&found.sheet).contains("56.1 from outcomes, 53.2 from the original scores"),
                "{}",
                reading(&found.sheet)
            );
        }
    }
}
