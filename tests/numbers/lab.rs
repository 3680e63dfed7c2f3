//! The calibration lab: what each screen is there to show is a computed fact. Expected values were simulated with NumPy
//! (1,000 to 2,000 draws a value); tolerances are about four standard errors of the draws that are made here. The bits of
//! the world come from `lab_world.py`.

use std::collections::HashSet;

use localcal::lab::{
    IDEAL_OBSERVER, LEVELS, LabAnswer, LabMethod, LabRequest, Neighbors, PANELS, Scenario, TenAnswers, World, code,
    code_of_ten, decoded, decoded_ten, hits_by_chance, ideal_observer_choice, lab, real_panel,
};

fn asked(screen: u8) -> LabRequest {
    LabRequest { screen, ..LabRequest::default() }
}

fn shown(request: &LabRequest) -> LabAnswer {
    lab(request).unwrap()
}

/// Mean of a number of the screen over draws, each of other rows.
fn mean(request: &LabRequest, draws: u32, id: &str) -> f64 {
    let value = |draw| shown(&LabRequest { seed: 100 + draw, draw, ..request.clone() }).value(id);
    (1..=draws).map(value).sum::<f64>() / f64::from(draws)
}

fn near(value: f64, expected: f64, tolerance: f64) {
    assert!((value - expected).abs() <= tolerance, "{value} is not within {tolerance} of {expected}");
}

#[test]
fn the_world_has_the_bits_of_an_independent_computation() {
    let world = World::new(&LabRequest { group: [0.25, 0.0, 0.0], ..LabRequest::default() });
    for (row, x1, x2, in_b, y) in [
        (0, 0x3feb_f470_2200_9f9c, 0x4005_3a77_db9c_5f40, true, 1),
        (1, 0x3ff8_b5c7_2464_b840, 0xbfea_b612_466b_f83c, false, 1),
        (999, 0x3ffe_70bf_3c7d_2824, 0xbfd0_772c_0827_f9f8, true, 1),
    ] {
        assert_eq!(world.place(row).map(f64::to_bits), [x1, x2]);
        assert_eq!((world.in_b[row], world.y[row]), (in_b, y));
    }
    assert_eq!(world.in_b.iter().filter(|&&b| b).count(), 266);
    let events = |draw| world.outcomes(draw).iter().map(|&y| u32::from(y)).sum::<u32>();
    assert_eq!((events(1), events(2)), (500, 498));
    assert_eq!([1, 2, 3, 4, 5].map(|student| real_panel(7, student, 3)), [0, 4, 7, 3, 11]);
}

#[test]
fn more_rows_change_none_and_another_draw_only_outcomes() {
    let few = World::new(&LabRequest { n: 100, ..LabRequest::default() });
    let many = World::new(&LabRequest { n: 5_000, factor: 2.0, ..LabRequest::default() });
    assert_eq!((&few.x[..], &few.y[..], &few.q[..]), (&many.x[..200], &many.y[..100], &many.q[..100]));
    let again = World::new(&LabRequest { n: 100, draw: 2, ..LabRequest::default() });
    assert_eq!((&few.x, &few.q, &few.p), (&again.x, &again.q, &again.p));
    assert_ne!(few.y, again.y);
    // opposite regions cancel exactly, place by place
    let region = vec![[0.0, 1.5, 1.0, 25.0], [0.0, -1.5, 1.0, -25.0]];
    let truth = World::new(&LabRequest { region, ..LabRequest::default() }).truth;
    let error = |x2| truth.stated([0.3, x2], false) - truth.probability([0.3, x2], false);
    near(error(1.5), 0.25, 1e-12);
    near(error(1.5) + error(-1.5), 0.0, 1e-12);
}

#[test]
fn ten_answers_do_not_settle_a_calibration() {
    let right = [vec![1; 7], vec![0; 3]].concat();
    let found = shown(&LabRequest { stated: vec![70.0; 10], right, ..asked(1) });
    near(found.value("brier"), 0.49 - 0.04 * 7.0 + 0.0, 1e-12);
    let share = found.numbers.iter().find(|number| number.id == "share").unwrap();
    assert_eq!(share.beside.replace('\u{a0}', ""), "95% CI 39.7% to 89.2%");
    assert!(found.sentences[1].contains("consistent with"));
    let error = lab(&LabRequest { stated: vec![70.0], ..asked(1) }).unwrap_err();
    assert_eq!((error.code(), error.to_string().as_str()), ("length_mismatch", "1 confidences and 0 answers"));
}

#[test]
fn four_letters_carry_ten_answers_to_the_teacher() {
    let ten = |right, stated, salt| TenAnswers { right, stated, salt };
    assert_eq!(code_of_ten(7, &ten(6, 780, 4)).as_deref(), Some("VVCK"));
    let mut all = HashSet::new();
    for right in 0..=10 {
        for stated in (500..=1_000).step_by(10) {
            for salt in 0..21 {
                let text = code_of_ten(7, &ten(right, stated, salt)).unwrap();
                assert_eq!(decoded_ten(7, &text), Some(ten(right, stated, salt)));
                // neither a code of the line-up nor one of another lesson
                assert_eq!((decoded(7, &text), decoded_ten(8, &text)), (None, None));
                all.insert(text);
            }
        }
    }
    assert_eq!(all.len(), 11_781);
    for wrong in [ten(11, 700, 0), ten(5, 705, 0), ten(5, 490, 0), ten(5, 1_010, 0), ten(5, 700, 21)] {
        assert_eq!(code_of_ten(7, &wrong), None);
    }
    assert_eq!((code_of_ten(23, &ten(5, 700, 0)), decoded_ten(0, "VVCK")), (None, None));
    // a person's code goes into the tally of the class
    let answers = |k, seven| {
        let right = [vec![1; seven], vec![0; 10 - seven]].concat();
        let stated = [vec![70.0; 5], vec![90.0; 5]].concat();
        shown(&LabRequest { lesson: 7, k, stated, right, ..asked(1) }).code.unwrap()
    };
    assert_ne!(answers(1, 7), answers(2, 7), "another student");
    let codes = vec![answers(1, 7), answers(2, 5), answers(1, 7).to_lowercase(), "SSWX".to_owned()];
    let pooled = shown(&LabRequest { lesson: 7, codes, ..asked(1) }).pooled.unwrap();
    assert_eq!((pooled.counted, pooled.stated, pooled.right), (2, Some(0.8), Some(0.6)));
    assert!(pooled.refused[0].ends_with("has been given already.") && pooled.refused[1].starts_with("SSWX: "));
    let none = shown(&LabRequest { codes: vec!["?".to_owned()], ..asked(1) }).pooled.unwrap();
    assert_eq!((none.counted, none.stated, none.right, none.refused.len()), (0, None, None, 1));
    // nine answers have no code
    assert_eq!(shown(&LabRequest { stated: vec![70.0; 9], right: vec![1; 9], ..asked(1) }).code, None);
}

#[test]
fn seven_of_ten_is_a_statement_about_many_days() {
    let days = |n| shown(&LabRequest { n, ..asked(2) });
    let ten = days(10);
    near(ten.value("half_or_less"), 0.150, 0.0005);
    assert_eq!((ten.value("low"), ten.value("high"), ten.outcomes.len()), (4.0, 10.0, 10));
    assert_eq!((days(100).value("low"), days(100).value("high")), (61.0, 79.0));
    assert_eq!((days(1_000).value("low"), days(1_000).value("high")), (671.0, 728.0));
    near(days(100).value("half_or_less"), 2.2e-5, 5e-7);
}

#[test]
fn confidence_changes_calibration_and_no_accuracy() {
    for draw in 1..=10 {
        let accuracy = |factor| shown(&LabRequest { factor, draw, ..asked(3) }).value("accuracy").to_bits();
        let plain = accuracy(1.0);
        assert!([0.3, 0.7, 1.4, 3.0].into_iter().all(|factor| accuracy(factor) == plain));
    }
    for (factor, ece) in [(0.3, 0.176), (1.0, 0.0375), (1.4, 0.0645), (3.0, 0.143)] {
        near(mean(&LabRequest { factor, ..asked(3) }, 25, "ece"), ece, 0.009);
    }
    near(mean(&asked(3), 25, "log_loss"), 0.467, 0.012);
    near(mean(&LabRequest { factor: 3.0, ..asked(3) }, 25, "log_loss"), 0.718, 0.04);
}

#[test]
fn confidence_changes_no_accuracy_of_several_classes() {
    for classes in [3, 4] {
        let at = |factor| shown(&LabRequest { classes, factor, ..asked(3) });
        let plain = at(1.0);
        for factor in [0.3, 2.0, 3.0] {
            assert_eq!(at(factor).value("accuracy").to_bits(), plain.value("accuracy").to_bits());
        }
        assert!(at(2.0).value("ece") > plain.value("ece") + 0.03);
        assert!(at(2.0).value("log_loss") > plain.value("log_loss"));
        assert!(at(2.0).sentences[0].contains("most probable class"));
        // a chart of the predicted class: no class is less sure than one in m
        let bins = &plain.charts[0].figure.table.rows;
        let first: f64 = bins[0][2].trim_end_matches('%').trim_end().parse().unwrap();
        assert!(first >= 100.0 / f64::from(classes), "{first}");
    }
    // of the same uniform numbers: `lab_world.py`
    for (classes, right) in [(3, 0.798), (4, 0.663)] {
        assert_eq!(shown(&LabRequest { classes, ..asked(3) }).value("accuracy"), right);
    }
    // an intercept moves no prediction to the other side of 50%, a shift does
    let said = |request: LabRequest| shown(&request).sentences[0].clone();
    assert!(said(LabRequest { a: 1.0, factor: 2.0, ..asked(3) }).contains("stays on its side"));
    assert!(said(LabRequest { s: 1.0, factor: 2.0, ..asked(3) }).contains("shift"));
}

#[test]
fn a_perfect_model_looks_worse_with_more_bins() {
    let ece = |bins, factor| mean(&LabRequest { bins, factor, ..asked(4) }, 8, "ece");
    let perfect = [(2, 0.014), (15, 0.038), (30, 0.052), (100, 0.094)].map(|(bins, expected)| {
        let found = ece(bins, 1.0);
        near(found, expected, 0.010);
        found
    });
    assert!(perfect.is_sorted());
    // chance with 100 bins is more than a real error with 15
    assert!(perfect[3] > ece(15, 1.4));
    let found = shown(&asked(4));
    near(found.value("null_low"), 0.024, 0.004);
    near(found.value("null_high"), 0.053, 0.004);
    near(mean(&asked(4), 8, "smooth_ece"), 0.030, 0.008);
}

#[test]
fn a_line_up_has_the_power_of_the_ideal_observer() {
    for level in [0, 2, 3] {
        let play = |(lesson, k)| {
            let request = LabRequest { lesson, k, level, ..asked(5) };
            ideal_observer_choice(&request) == real_panel(lesson, k, level)
        };
        let students = (1..=4).flat_map(|lesson| (1..=100).map(move |k| (lesson, k)));
        let share = students.map(play).filter(|&hit| hit).count() as f64 / 400.0;
        let expected = IDEAL_OBSERVER[level as usize];
        near(share, expected, 4.0 * (expected * (1.0 - expected) / 400.0).sqrt());
    }
    // nothing tells of the real panel before a tap
    let before = shown(&LabRequest { n: 10, ..asked(5) });
    assert_eq!((before.right, before.code, before.charts.len()), (None, None, PANELS as usize));
    let after = shown(&LabRequest { tap: Some(0), lesson: 7, k: 1, level: 3, ..asked(5) });
    assert_eq!((after.right.as_deref(), after.code.as_deref()), (Some("0"), Some("SSWX")));
    assert!(after.sentences[0].starts_with("You found it: panel 1"));
    assert_eq!(LEVELS, [50, 100, 200, 500, 1_000, 5_000]);
}

#[test]
fn four_letters_carry_a_tap_and_refuse_typing_errors() {
    for ((student, level, panel), expected) in
        [((1, 3, 0), "SSWX"), ((17, 2, 13), "HWYA"), ((30, 5, 19), "YSGK"), ((100, 5, 19), "ZKXR")]
    {
        assert_eq!(code(7, student, level, panel).as_deref(), Some(expected));
        assert_eq!(decoded(7, expected), Some((student, level, panel)));
        assert_eq!(decoded(8, expected), None);
    }
    let letters: Vec<char> = "ABCDEFGHJKLMNPQRSTVWXYZ".chars().collect();
    let mut all = HashSet::new();
    for student in 1..=100 {
        for value in 0..120 {
            let (level, panel) = (value / 20, value % 20);
            let text = code(7, student, level, panel).unwrap();
            assert_eq!(decoded(7, &text), Some((student, level, panel)));
            if student % 10 == 0 {
                for place in 0..4 {
                    let wrong = |letter: char| -> String {
                        text.chars().enumerate().map(|(i, own)| if i == place { letter } else { own }).collect()
                    };
                    let others = letters.iter().copied().filter(|letter| text.chars().nth(place) != Some(*letter));
                    assert!(others.map(wrong).all(|wrong| decoded(7, &wrong).is_none()), "{text}");
                }
            }
            all.insert(text);
        }
    }
    assert_eq!(all.len(), 12_000);
    assert_eq!((code(7, 0, 0, 0), code(7, 101, 0, 0), code(23, 1, 0, 0)), (None, None, None));
    assert!(["", "SSW", "SSWXX", "S1WX", "ÄÄÄÄ"].into_iter().all(|text| decoded(7, text).is_none()));
    for (hits, of, p) in [(4, 20, 0.016), (4, 30, 0.061), (5, 30, 0.016), (5, 40, 0.048)] {
        near(hits_by_chance(hits, of), p, 0.0005);
    }
    let codes = ["SSWX", "sswx", "HWYA", "AAAA"].map(str::to_owned).to_vec();
    let tally = shown(&LabRequest { lesson: 7, codes, ..asked(5) }).tally.unwrap();
    assert_eq!((tally.counted, tally.hits, tally.refused.len()), (2, 1 + usize::from(real_panel(7, 17, 2) == 13), 2));
}

#[test]
fn a_straight_diagram_hides_two_mistakes() {
    let region = vec![[0.0, 1.5, 1.0, 25.0], [0.0, -1.5, 1.0, -25.0]];
    let same = LabRequest { n: 3_000, region, ..asked(6) };
    let all = LabRequest { neighbors: Neighbors::All, ..same.clone() };
    let seen: Vec<LabAnswer> = (1..=6).map(|draw| shown(&LabRequest { draw, ..same.clone() })).collect();
    let inside = seen.iter().filter(|found| found.lights[0].on).count();
    assert!(inside >= 5, "{inside} of 6 draws have an ECE within chance");
    assert!(seen.iter().all(|found| found.right.as_deref() == Some("cancels")));
    let over = |id: &str| seen.iter().map(|found| found.value(id)).sum::<f64>() / 6.0;
    near(over("gap_a"), 0.25, 0.03);
    near(over("gap_b"), -0.25, 0.03);
    near(over("center_a"), 0.184, 0.11);
    near(over("mlce_supported"), 0.284, 0.06);
    near(mean(&all, 6, "center_a"), 0.122, 0.03);
    near(mean(&all, 6, "mlce_supported"), 0.138, 0.03);
    // without regions the largest local error is that of chance
    let plain = LabRequest { region: Vec::new(), ..all.clone() };
    assert!(mean(&plain, 6, "mlce_supported") < 0.08);
    // moved to other predictions, it still cancels on average and no longer bin by bin
    let region = vec![[0.0, 1.5, 1.0, 25.0], [-1.0, -1.5, 1.0, -25.0]];
    let moved = LabRequest { region, answered: false, ..same };
    assert!(mean(&moved, 6, "ece") > 0.028);
    assert_eq!(shown(&moved).right.as_deref(), Some("differs"));
}

#[test]
fn the_best_bandwidth_shrinks_as_rows_are_added() {
    let region = vec![[0.0, 1.5, 1.0, 20.0], [0.0, -1.5, 1.0, -20.0]];
    let at = |n| shown(&LabRequest { n, region: region.clone(), ..asked(7) });
    let (few, many) = (at(1_000), at(5_000));
    near(few.value("uncalibrated"), 0.084, 0.006);
    near(few.value("best"), 0.086, 0.012);
    near(many.value("best"), 0.058, 0.009);
    assert!(many.value("best_gamma") < few.value("best_gamma"));
    assert!(few.value("nearest") > 0.3 && many.value("histogram") > 0.08);
    assert_eq!(many.charts.len(), 3);
}

#[test]
fn a_method_corrects_what_it_can_see_with_enough_rows() {
    let best = |world, n| shown(&LabRequest { world, n, ..asked(8) });
    let over = best(Scenario::Over, 100);
    assert_eq!(over.right.as_deref(), Some("temperature"));
    near(over.value("none"), 0.093, 0.006);
    near(over.value("temperature"), 0.036, 0.035);
    assert!(over.value("lore") > 0.2);
    assert_eq!(best(Scenario::Regions, 100).right.as_deref(), Some("none"));
    let many = best(Scenario::Regions, 5_000);
    assert_eq!(many.right.as_deref(), Some("ridge"));
    near(many.value("ridge"), 0.057, 0.008);
    near(many.value("lore"), 0.060, 0.008);
    near(many.value("temperature"), 0.084, 0.006);
    assert_eq!(best(Scenario::Calibrated, 300).right.as_deref(), Some("none"));
}

#[test]
fn a_map_shows_what_temperature_leaves_and_ridge_removes() {
    let regions = LabRequest { world: Scenario::Regions, n: 5_000, ..asked(8) };
    let ids = |of: &LabAnswer| of.charts.iter().map(|chart| chart.id.clone()).collect::<Vec<_>>();
    let after = |method| {
        let found = shown(&LabRequest { method: Some(method), ..regions.clone() });
        assert_eq!(ids(&found), ["methods", "diagram", "before", "after"]);
        // the middle of the upper third: next to the center of the first region
        let table = &found.charts[3].figure.table;
        let text = table.rows[1][2].replace('−', "-");
        text.trim_end_matches(|letter: char| !letter.is_ascii_digit()).parse::<f64>().unwrap()
    };
    let (temperature, ridge) = (after(LabMethod::Temperature), after(LabMethod::Ridge));
    near(temperature, 20.0, 1.0);
    assert!(ridge < temperature - 5.0, "{ridge}");
    assert_eq!(ids(&shown(&LabRequest { method: Some(LabMethod::None), ..regions.clone() })).len(), 3);
    // the best one is shown where no one chose; the bars hold those that the question does not name, too
    let found = shown(&regions);
    assert_eq!(found.right.as_deref(), Some("ridge"));
    near(found.value("platt"), 0.084, 0.006);
    near(found.value("histogram"), 0.089, 0.008);
}

#[test]
fn calibrated_scores_have_different_error_rates_at_one_threshold() {
    let group = |base, moved| shown(&LabRequest { group: [0.5, base, 0.0], moved, ..asked(9) });
    let calibrated = group(1.0, 0.0);
    for (id, expected) in [
        ("base_a", 0.500),
        ("fpr_a", 0.215),
        ("fnr_a", 0.215),
        ("ppv_a", 0.785),
        ("base_b", 0.649),
        ("fpr_b", 0.320),
        ("fnr_b", 0.146),
        ("ppv_b", 0.831),
    ] {
        near(calibrated.value(id), expected, 0.001);
    }
    near(calibrated.value("least"), 0.044, 0.002);
    assert_eq!(calibrated.right.as_deref(), Some("no"));
    near(group(1.0, -0.5).value("gap_b"), 0.073, 0.001);
    near(group(0.5, 0.0).value("least"), 0.022, 0.002);
    assert_eq!(group(0.0, 0.0).right.as_deref(), Some("yes"));
    let cost = |factor| {
        let group = [0.5, 0.0, 0.0];
        shown(&LabRequest { factor, cost: 9, group, ..asked(9) }).value("cost")
    };
    near(cost(2.0), 582.0, 4.0);
    near(cost(1.0), 461.0, 4.0);
}

#[test]
fn a_verdict_is_judged_by_the_truth() {
    let hospital = LabRequest { n: 2_500, a: -2.0, b: 0.8, group: [0.25, 0.0, -8.0], ..asked(10) };
    near(mean(&hospital, 12, "z_b"), 5.8, 1.3);
    near(mean(&hospital, 12, "z_a"), 0.0, 1.2);
    let vendor = LabRequest { n: 1_500, factor: 1.5, ..asked(10) };
    near(mean(&vendor, 12, "z_slope"), -10.4, 1.3);
    near(mean(&LabRequest { n: 400, ..asked(10) }, 12, "ece"), 0.059, 0.015);
    // the draws that the page begins with: the tests on screen agree with the truth
    let first = shown(&LabRequest { draw: 7, ..hospital.clone() });
    assert!(first.value("z_all") > 1.96 && first.value("z_b") > 4.0 && first.value("z_slope").abs() < 1.96);
    let pilot = shown(&LabRequest { n: 400, draw: 6, ..asked(10) });
    assert!(pilot.value("z_all").abs() < 1.96 && pilot.value("z_slope").abs() < 1.96);
    assert!(pilot.value("ece") > first.value("ece"), "the misconception of the screen");
    let csv = shown(&LabRequest { csv: true, ..hospital }).csv.unwrap();
    assert_eq!((csv.lines().count(), csv.lines().next()), (2_501, Some("x1,x2,group,p,y")));
}

#[test]
fn handles_have_bounds_and_say_them() {
    let refused = |request: LabRequest| {
        let error = lab(&request).unwrap_err();
        assert_eq!(error.code(), "invalid_option");
        error.to_string()
    };
    let wrong = refused(LabRequest { factor: 5.0, ..asked(3) });
    assert_eq!(wrong, "T is 5; it must be a number from 0.3 to 3.");
    assert!(refused(LabRequest { factor: f64::NAN, ..asked(3) }).starts_with("T is not a number"));
    assert!(refused(asked(0)).starts_with("screen is 0") && refused(asked(11)).starts_with("screen is 11"));
    assert!(refused(LabRequest { n: 9, ..asked(3) }).contains("whole number from 10 to 5,000"));
    assert!(refused(LabRequest { region: vec![[0.0, 0.0, 9.0, 1.0]], ..asked(6) }).starts_with("region[2] is 9"));
    assert!(refused(LabRequest { region: vec![[0.0, 0.0, 1.0, 1.0]; 5], ..asked(6) }).contains("has 5 entries"));
    assert!(refused(LabRequest { group: [0.6, 0.0, 0.0], ..asked(9) }).starts_with("group[0] is 0.6"));
    assert!(
        refused(LabRequest { classes: 5, ..asked(3) }).starts_with("classes is 5; it must be a whole number from 2")
    );
    // the ends of every handle are answered on every screen
    for screen in 1..=10 {
        for (n, factor, bins, gamma) in [(10, 0.3, 2, 0.001), (300, 3.0, 100, 1_000.0)] {
            let region = vec![[3.0, -3.0, 2.0, -30.0]; 4];
            let ends = LabRequest { n, factor, bins, gamma, region, group: [0.5, 2.0, -20.0], b: 2.0, ..asked(screen) };
            let found = shown(&ends);
            assert!(found.numbers.iter().all(|number| number.value.is_none_or(f64::is_finite)), "screen {screen}");
        }
    }
}
