//! Every number that can be asked for, at values that make no sense: refused with its bounds, or answered in bounded time
//! and memory.

use std::alloc::{GlobalAlloc, Layout, System};
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::Duration;

use localcal::analysis::sweep::GammaGrid;
use localcal::analysis::*;
use localcal::data::OpenOptions;
use localcal::error::Result;
use localcal::evaluation::method::{after_another, alone, entry};
use localcal::evaluation::request::*;
use localcal::feature::projection::{ProjectionRequest, TsneRequest};
use localcal::feature::proximity::ProximityOptions;
use localcal::job::options::fields;
use localcal::job::{Call, DataSet, Job, Outcome, Plan, execute, execute_after, run};
use localcal::metric::binning::BinOptions;
use localcal::recalibrate::recalibrator::{Entry, MethodRequest, RunSettings};
use localcal::recalibrate::registry::{AnyRecalibrator, ENTRIES};
use localcal::report::view::request::*;
use localcal::request::bounds::{Bounds, Field};
use localcal::request::message::read;
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::support::pipeline::{Opened, Ran, open};

/// Counts the bytes that are held, and the most that ever were.
struct Counting;

static HELD: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);

// SAFETY: everything is passed on to the system's allocator; only sizes are counted.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let held = HELD.fetch_add(layout.size(), Ordering::Relaxed) + layout.size();
        MOST.fetch_max(held, Ordering::Relaxed);
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        HELD.fetch_sub(layout.size(), Ordering::Relaxed);
        unsafe { System.dealloc(place, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Bytes that an answer to a question about two dozen rows may take.
const MEMORY: usize = 1 << 30;
/// After so long an answer counts as one that never comes; no answer should take a tenth of it.
const PATIENCE: Duration = Duration::from_secs(180);

const TEXT: &str = "p,x1,x2,site,label\n\
    .238,.544,1,a,1\n.604,.626,2,b,1\n.013,.837,3,a,1\n.234,.996,4,b,1\n.836,.476,5,a,0\n.151,.635,1,b,0\n\
    .523,.741,2,a,0\n.064,.758,3,b,0\n.301,.031,4,a,0\n.473,.719,5,b,0\n.714,.921,1,a,1\n.801,.445,2,b,0\n\
    .879,.097,3,a,1\n.217,.965,4,b,1\n.627,.301,5,a,0\n.386,.351,1,b,0\n.584,.904,2,a,0\n.929,.856,3,b,0\n\
    .671,.163,4,a,0\n.965,.905,5,b,0\n.714,.211,1,a,0\n.574,.285,2,b,1\n.854,.990,3,a,1\n.801,.410,4,b,1\n";

fn data() -> Opened {
    let roles = json!({ "x1": "feature", "x2": "feature", "site": "group" });
    open(TEXT, json!({ "roles": roles, "split": { "first": 12 } }))
}

/// A call as a script writes it, and all that follows from it.
fn asked(call: Value, data: &Opened, ran: Option<&Ran>) -> Result<()> {
    let call = Call::written(call)?;
    let mut needs = vec![&data.0];
    needs.extend(ran.map(|ran| &ran.0));
    let outcome = run(&Job::Call(call), &needs, vec![], &mut |_| ())?;
    match (outcome, ran) {
        (Outcome::Plan(Plan { nodes, .. }), None) => execute(&nodes, &data.0).map(|_| ()),
        (Outcome::Plan(Plan { nodes, .. }), Some(_)) => execute_after(&nodes, &needs).map(|_| ()),
        _ => Ok(()),
    }
}

/// An option and the call that gives it a value.
struct OptionCall {
    name: String,
    bounds: Bounds,
    call: Box<dyn Fn(Value) -> Value>,
    /// with a run before it
    after: bool,
}

/// Names of the fields of a request.
fn names<T: Default + Serialize>() -> Vec<String> {
    match serde_json::to_value(T::default()) {
        Ok(Value::Object(fields)) => fields.keys().cloned().collect(),
        _ => Vec::new(),
    }
}

/// Whether a field of a request can be read from a number, or a list of numbers.
fn takes_numbers(reads: &dyn Fn(Value) -> bool) -> bool {
    [json!(1), json!([1]), json!([1, 1]), json!([1, 1, 1, 1]), json!([[1, 1]])].into_iter().any(reads)
}

/// The numbers of one place; panics where a number can be asked for and has no bounds.
fn numbers_of(
    place: &str,
    listed: &[(&'static str, Field)],
    names: &[String],
    reads: &dyn Fn(&str, Value) -> bool,
) -> Vec<(String, Field)> {
    for name in names {
        let known = listed.iter().any(|(known, _)| known == name);
        assert!(
            known || !takes_numbers(&|value| reads(name, value)),
            "{place}: {name} takes a number and has no bounds"
        );
    }
    for (name, _) in listed {
        assert!(names.iter().any(|known| known == name), "{place}: bounds for {name}, which nobody reads");
    }
    let here = listed.iter().filter(|(name, _)| names.iter().any(|known| known == name));
    here.map(|(name, field)| ((*name).to_owned(), *field)).collect()
}

fn with(name: &str, value: Value, beside: &Value) -> Value {
    let mut fields = match beside {
        Value::Object(fields) => fields.clone(),
        _ => Map::new(),
    };
    fields.insert(name.to_owned(), value);
    fields.into()
}

type Wrap = fn(Value) -> Value;

/// Every number of a request type.
fn of_request<T: Default + Serialize + serde::de::DeserializeOwned>(
    out: &mut Vec<OptionCall>,
    place: &'static str,
    after: bool,
    wrap: Wrap,
) {
    let reads = |name: &str, value: Value| read::<T>(with(name, value, &Value::Null)).is_ok();
    for (name, field) in numbers_of(place, fields(place), &names::<T>(), &reads) {
        // A list where only a list is read.
        let list = [1, 2, 4].into_iter().find(|count| !reads(&name, json!(1)) && reads(&name, json!(vec![1; *count])));
        let nested = !reads(&name, json!(1)) && reads(&name, json!([[1, 1]]));
        let own = name.clone();
        let put = move |value: Value| match list {
            _ if nested => json!([[value, value], [value, 1], [1, value]]),
            Some(count) => json!(vec![value; count]),
            None => value,
        };
        add(out, place, &name, field, after, move |value| wrap(with(&own, put(value), &Value::Null)));
    }
}

fn add(
    out: &mut Vec<OptionCall>,
    place: &str,
    name: &str,
    field: Field,
    after: bool,
    call: impl Fn(Value) -> Value + 'static,
) {
    let (name, bounds) = match field {
        Field::Number(bounds) => (name.to_owned(), bounds),
        Field::Either(inner) => match fields(inner).first() {
            Some((_, Field::Number(bounds))) => (name.to_owned(), *bounds),
            _ => return,
        },
        Field::Within("features") => {
            let Some((_, Field::Number(bounds))) = fields("features").first() else {
                return;
            };
            let components = move |value: Value| call(json!({ "pca": value, "of": ["x1", "x2"] }));
            out.push(OptionCall {
                name: format!("{place} {name}.pca"),
                bounds: *bounds,
                call: Box::new(components),
                after,
            });
            return;
        }
        Field::Within(_) | Field::Fields(_) | Field::Methods => return,
    };
    out.push(OptionCall { name: format!("{place} {name}"), bounds, call: Box::new(call), after });
}

/// What a method says it takes, from what it says about a name that nobody knows.
fn names_of_method(data: &Opened, id: &str) -> Vec<String> {
    let request = json!({ "methods": [{ "id": id, "parameters": { "?": 0 } }], "resamples": 0 });
    let told = match asked(json!({ "plan": { "request": request } }), data, None) {
        Err(error) => error.to_string(),
        Ok(()) => panic!("{id} takes what nobody knows"),
    };
    let (_, expected) = told.split_once("expected").unwrap_or_default();
    let mut names: BTreeSet<String> = expected.split('`').skip(1).step_by(2).map(str::to_owned).collect();
    if let Some((_, after)) = id.rsplit_once('+') {
        let more: &[&str] = match after {
            "proximity_stratified" => &["groups", "features", "neighbours"],
            _ => &["cross_fit", "features", "neighbours"],
        };
        names.extend(more.iter().map(|name| (*name).to_owned()));
    }
    names.into_iter().collect()
}

fn of_methods(out: &mut Vec<OptionCall>, data: &Opened) {
    let ids = alone().map(|entry| entry.id.to_owned());
    let after = after_another().map(|entry| match entry.id {
        id @ "proximity_stratified" => format!("platt+{id}"),
        id => format!("none+{id}"),
    });
    let mut numbers = 0;
    for id in ids.chain(after) {
        let own = id.rsplit_once('+').map_or(id.as_str(), |(_, own)| own);
        let place = format!("method {own}");
        let bounds: Vec<_> = entry(own).into_iter().flat_map(Entry::bounds).collect();
        let beside = |name: &str| {
            let mut beside = Map::new();
            if ["lore", "ptsk", "lcb"].contains(&own) || id.contains('+') {
                beside.insert("features".into(), json!(["x1", "x2"]));
            }
            if own.contains("calibration") || own.starts_with("group_") {
                beside.insert("groups".into(), json!("site"));
            }
            if own.contains("calibration") && ["gamma", "visits"].contains(&name) {
                beside.insert("compat".into(), json!("pmcboost"));
            }
            if own == "lcb" && name == "ridge" {
                beside.insert("form".into(), json!("krr"));
            }
            if own == "best" {
                beside.insert("of".into(), json!(["none", "platt"]));
            }
            Value::Object(beside)
        };
        let call = {
            let id = id.clone();
            move |name: &str, value: Value, beside: &Value| {
                let parameters = with(name, value, beside);
                let request = json!({ "methods": ["none", { "id": id, "parameters": parameters }], "resamples": 0 });
                json!({ "plan": { "request": request } })
            }
        };
        let reads = |name: &str, value: Value| {
            let written = call(name, value, &beside(name));
            match Call::written(written) {
                // Out of bounds is a number that is known.
                Err(error) => error.to_string().contains("must be"),
                Ok(plan) => match run(&Job::Call(plan), &[&data.0], vec![], &mut |_| ()) {
                    Ok(_) => true,
                    Err(error) => {
                        !["expected ", "unknown field", "bins are", "are the name", "features are", "takes", "belongs"]
                            .iter()
                            .any(|word| error.to_string().contains(word))
                    }
                },
            }
        };
        for (name, field) in numbers_of(&place, &bounds, &names_of_method(data, &id), &reads) {
            numbers += 1;
            let (call, beside, own) = (call.clone(), beside(&name), name.clone());
            let pair = own == "range";
            add(out, &place, &name, field, false, move |value| {
                let value = if pair { json!([1, value]) } else { value };
                call(&own, value, &beside)
            });
        }
    }
    assert!(numbers > 30, "{numbers} numbers of methods");
}

fn every_number(data: &Opened) -> Vec<OptionCall> {
    let mut out = Vec::new();
    let all = &mut out;
    of_request::<RunRequest>(all, "run", false, |v| json!({ "plan": { "request": v } }));
    of_request::<LocalOptions>(all, "local", false, |mut v| {
        if v["features"].is_null() {
            v["features"] = json!(["x1", "x2"]);
        }
        json!({ "plan": { "request": { "local": v, "resamples": 0 } } })
    });
    of_request::<KlceOptions>(all, "klce", false, |mut v| {
        if v["features"].is_null() {
            v["features"] = json!(["x1"]);
        }
        json!({ "plan": { "request": { "klce": v, "metrics": ["p_bernoulli"], "resamples": 0 } } })
    });
    of_request::<ProximityOptions>(all, "proximity", false, |mut v| {
        if v["features"].is_null() {
            v["features"] = json!(["x1"]);
        }
        json!({ "plan": { "request": { "proximity": v, "metrics": ["piece"], "resamples": 0 } } })
    });
    of_request::<ProjectionRequest>(all, "projection", false, |v| json!({ "project": { "projection": v } }));
    of_request::<TsneRequest>(all, "tsne", false, |mut v| {
        if v["iterations"].is_null() {
            v["iterations"] = json!(20);
        }
        json!({ "project": { "projection": { "tsne": v } } })
    });
    of_request::<MapRequest>(all, "map", true, |v| json!({ "view": { "request": { "map": v } } }));
    of_request::<MapRequest>(all, "map", true, |v| json!({ "view": { "request": { "cdf": v } } }));
    macro_rules! analyses {
        ($($kind:literal $request:ty, $place:literal;)*) => {
            $(of_request::<$request>(all, $place, true, |v| json!({ "plan_analysis": { "request": { $kind: v } } }));)*
        };
    }
    analyses! {
        "region" RegionRequest, "analysis region";
        "region_rows" RegionRequest, "analysis region_rows";
        "neighbourhoods" NeighbourhoodsRequest, "analysis neighbourhoods";
        "libraries" LibrariesRequest, "analysis libraries";
        "multiples" MultiplesRequest, "analysis multiples";
        "decide" DecideRequest, "analysis decide";
        "risk_coverage" RiskCoverageRequest, "analysis risk_coverage";
        "groups" GroupsRequest, "analysis groups";
        "sites" SitesRequest, "analysis sites";
        "sweep" SweepRequest, "analysis sweep";
        "klce" KlceRequest, "analysis klce";
        "witness" WitnessRequest, "analysis witness";
        "bias_plot" BiasPlotRequest, "analysis bias_plot";
        "inference" InferenceRequest, "analysis inference";
        "compare" CompareRequest, "analysis compare";
        "correlation" CorrelationRequest, "analysis correlation";
        "models" ModelsRequest, "analysis models";
        "proximity" ProximityRequest, "analysis proximity";
        "proximity_sweep" ProximitySweepRequest, "analysis proximity_sweep";
    }
    let sweep = fields("analysis sweep").iter().find(|(name, _)| *name == "gammas");
    let Some((_, Field::Fields(gammas))) = sweep else { panic!("gammas have bounds") };
    let mut listed: Vec<String> = gammas.iter().map(|(name, _)| (*name).to_owned()).collect();
    listed.sort_unstable();
    assert_eq!(listed, names::<GammaGrid>(), "every number of gammas, and no other");
    for (name, field) in *gammas {
        add(all, "gammas", name, *field, true, move |value| {
            let request = json!({ "features": ["x1"], "gammas": { *name: value } });
            json!({ "plan_analysis": { "request": { "sweep": request } } })
        });
    }
    for (name, field) in fields("figure") {
        add(
            all,
            "figure",
            name,
            *field,
            true,
            move |v| json!({ "view": { "request": { "reliability": { *name: v } } } }),
        );
    }
    of_methods(all, data);
    out
}

/// What a number is given; null is what becomes of NaN on its way.
fn senseless() -> Vec<Value> {
    vec![
        json!(0),
        json!(-1),
        json!(1e9),
        json!(1_000_000_000),
        json!(1e300),
        json!(-1e300),
        json!(5e-324),
        json!(0.5),
        Value::Null,
    ]
}

#[test]
fn a_default_is_what_leaving_out_means() {
    let (data, local) = (data(), BinOptions::default());
    let run = RunSettings {
        bins: local,
        seed: 0,
        features: None,
        kernel: "laplacian".to_owned(),
        gamma: 1.0,
        local_bins: local,
        within: None,
        proximity: ProximityOptions::default(),
    };
    let Outcome::Data(DataSet { predictions, .. }) = &data.0 else { panic!("a data set") };
    for entry in ENTRIES {
        let checked = |parameters: Value| {
            AnyRecalibrator::checked(entry.id, MethodRequest { id: entry.id, parameters, data: predictions, run: &run })
        };
        let left_out = checked(Value::Null).expect("usual settings");
        // What comes before the method reads how it is fitted together with it.
        let own = entry.parameters.iter().filter(|one| !one.default.is_empty() && one.name != "cross_fit");
        for parameter in own {
            let default: Value = serde_json::from_str(parameter.default).expect("JSON");
            // What is null is left out.
            if default.is_null() {
                continue;
            }
            let given = checked(with(parameter.name, default, &Value::Null));
            assert_eq!(given.expect("its default"), left_out, "{} {}", entry.id, parameter.name);
        }
    }
}

#[test]
fn every_number_is_refused_with_its_bounds_or_answered() {
    let data = data();
    let local = json!({ "features": ["x1", "x2"] });
    let ran = data.run(json!({ "methods": ["none", "platt"], "local": local, "resamples": 10 }));
    let (tell, told) = mpsc::channel::<String>();
    let watchdog = std::thread::spawn(move || {
        let mut last = String::new();
        loop {
            match told.recv_timeout(PATIENCE) {
                Ok(next) => last = next,
                Err(mpsc::RecvTimeoutError::Disconnected) => return,
                Err(mpsc::RecvTimeoutError::Timeout) => {
                    eprintln!("no answer: {last}");
                    std::process::abort();
                }
            }
        }
    });
    let every = every_number(&data);
    assert!(every.len() > 110, "{} numbers", every.len());
    for option in &every {
        let mut values = senseless();
        values.push(json!(option.bounds.low));
        for value in values {
            let place = format!("{} = {value}", option.name);
            tell.send(place.clone()).expect("a watchdog");
            let call = (option.call)(value.clone());
            let before = HELD.load(Ordering::Relaxed);
            MOST.store(before, Ordering::Relaxed);
            let found = asked(call, &data, option.after.then_some(&ran));
            let taken = MOST.load(Ordering::Relaxed).saturating_sub(before);
            assert!(taken < MEMORY, "{place} took {taken} bytes");
            let Some(x) = value.as_f64() else { continue };
            let inside =
                (option.bounds.low..=option.bounds.high).contains(&x) && !(option.bounds.whole && x.fract() != 0.0);
            match found {
                Err(error) if !inside => {
                    assert_eq!(error.code(), "invalid_option", "{place}: {error}");
                    let words = option.bounds.words();
                    assert!(error.to_string().contains(&words), "{place}: {error}");
                }
                Ok(()) => assert!(inside, "{place} was taken"),
                Err(error) => assert!(!error.hint().is_empty(), "{place}: {error}"),
            }
        }
    }
    drop(tell);
    watchdog.join().expect("a watchdog");
}

/// The word of a message that only the program's own source knows, if any.
fn word_of_rust(message: &str) -> Option<&str> {
    let own = ["struct", "enum", "untagged", "tuple", "f32", "f64", "u32", "u64", "i64", "usize", "Vec", "Option"];
    let joined = |word: &str| {
        let letters: Vec<char> = word.chars().collect();
        word != "LoRe" && letters.windows(2).any(|pair| pair[0].is_lowercase() && pair[1].is_uppercase())
    };
    message.split(|c: char| !c.is_alphanumeric()).find(|word| own.contains(word) || joined(word))
}

#[test]
fn what_is_no_number_is_refused_without_a_type_of_the_program() {
    let data = data();
    let ran = data.run(json!({ "resamples": 0 }));
    let mut refused = 0;
    let mut check = |call: Value, after: bool| {
        let place = call.to_string();
        let mut needs = vec![&data.0];
        needs.extend(after.then_some(&ran.0));
        let planned = Call::written(call).and_then(|call| run(&Job::Call(call), &needs, vec![], &mut |_| ()));
        if let Err(error) = planned {
            refused += 1;
            assert_eq!(word_of_rust(&error.to_string()), None, "{place}: {error}");
        }
    };
    for option in &every_number(&data) {
        for value in [json!("x"), json!(true), json!([]), json!(["x"]), json!({}), json!({ "x": 1 })] {
            check((option.call)(value), option.after);
        }
    }
    let methods = alone().map(|entry| entry.id.to_owned());
    for id in methods.chain(after_another().map(|entry| format!("platt+{}", entry.id))) {
        for value in [json!(7), json!("x"), json!([1])] {
            check(json!({ "plan": { "request": { "methods": [{ "id": id, "parameters": value }] } } }), false);
        }
    }
    for name in names::<RunRequest>() {
        for value in [json!("x"), json!(7), json!([{}]), json!({ "x": [] })] {
            let mut request = json!({});
            request[&name] = value;
            check(json!({ "plan": { "request": request } }), false);
        }
    }
    assert!(refused > 700, "{refused} refusals");
    assert_eq!(word_of_rust("expected struct PlattOptions"), Some("struct"));
    assert_eq!(word_of_rust("an object of PlattOptions"), Some("PlattOptions"));
}

#[test]
fn files_are_not_divided_by_numbers_that_make_no_sense() {
    for name in ["folds", "first"] {
        let Some((_, Field::Number(bounds))) = fields("split").iter().find(|(known, _)| *known == name) else {
            panic!("no bounds for {name}")
        };
        for value in [json!(0), json!(-1), json!(1e300), json!(5e-324), json!(0.5)] {
            let call = json!({ "assemble": { "options": { "split": { name: value } } } });
            let error = Call::written(call).map(|_| ()).expect_err("refused");
            assert!(error.to_string().contains(&bounds.words()), "{error}");
        }
    }
    // As a typed option it meets the same bounds.
    let options: OpenOptions = serde_json::from_value(json!({ "split": { "folds": 1 } })).expect("read");
    let error = super::try_open(&[("a.csv", TEXT.as_bytes())], serde_json::to_value(options).expect("written"));
    let error = error.map(|_| ()).expect_err("refused");
    assert!(error.to_string().contains("a whole number from 2 to 250"), "{error}");
}

/// The numbers of a type that was read already are looked at too.
#[test]
fn typed_requests_meet_the_same_bounds() {
    let data = data();
    for (request, words) in [
        (json!({ "resamples": 1_000_000_000 }), "resamples is 1,000,000,000"),
        (json!({ "methods": [{ "id": "platt", "parameters": { "prob_clip": 0 } }] }), "prob_clip is 0"),
        (json!({ "methods": [{ "id": "bbq", "parameters": { "range": [1, 1_000_000] } }] }), "range is 1,000,000"),
    ] {
        let error = data.try_run(request).map(|_| ()).expect_err("refused");
        assert!(error.to_string().contains(words), "{error}");
    }
}

/// Methods within methods within methods.
#[test]
fn what_lies_deep_in_itself_is_refused() {
    let data = data();
    let told = |request: Value| {
        let error = asked(json!({ "plan": { "request": request } }), &data, None).expect_err("refused");
        assert_eq!(error.code(), "invalid_option");
        error.to_string()
    };
    let long = "none".to_owned() + &"+platt".repeat(10_000);
    assert!(told(json!({ "methods": [long] })).contains("10,001 methods in sequence"));
    let typed = data.try_run(json!({ "methods": [long] })).map(|_| ()).expect_err("refused");
    assert!(typed.to_string().contains("at most 8 are supported"), "{typed}");
    let nested = |levels: usize| {
        (0..levels).fold(json!("platt"), |inner, _| json!({ "id": "best", "parameters": { "of": [inner] } }))
    };
    assert!(told(json!({ "methods": [nested(2)] })).contains("other methods than itself"));
    assert!(told(json!({ "methods": [nested(400)] })).contains("64 deep"));
    let through = json!({ "id": "best", "parameters": { "of": [{ "id": "best+platt" }] } });
    assert!(told(json!({ "methods": [through] })).contains("other methods than itself"));
    let deep = (0..1000).fold(json!(1), |inner, _| json!({ "a": inner }));
    let parameters = json!({ "methods": [{ "id": "platt", "parameters": deep }] });
    assert!(told(parameters).contains("64 deep"));
    let calibrator =
        json!({ "schema": "localcal-calibrator/1", "methods": (0..1000).fold(json!([]), |inner, _| json!([inner])) });
    let job = Job::Call(Call::ExportApplied { calibrator, method: None, classes: false, identifiers: None });
    let error = run(&job, &[&data.0], vec![], &mut |_| ()).expect_err("refused");
    assert!(error.to_string().contains("64 deep"), "{error}");
    // Folds within folds within folds.
    let crossed = |levels: usize| {
        let id = "platt".to_owned() + &"+density_ratio".repeat(levels);
        let level = |inner: Value, _| json!({ "features": ["x1"], "cross_fit": 20, "base": inner });
        json!({ "id": id, "parameters": (0..levels).fold(Value::Null, level) })
    };
    assert!(told(json!({ "methods": [crossed(4)] })).contains("would need"));
}
