//! Cases: files, what is done before, and the steps whose answers are recorded.

use std::fs;
use std::path::{Path, PathBuf};

use localcal::Result;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::player::{Held, answer, call, carried_out, picture, read, refusal};

/// One request with everything that it needs.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// `theme/name`
    pub name: String,
    /// names under `files/`, or `{ name, text }`, `{ name, hex }`; `{ name, file, header? }` under another name
    pub files: Vec<Value>,
    /// options of opening
    #[serde(default)]
    pub open: Map<String, Value>,
    /// feature maps, whose answers are not recorded
    #[serde(default)]
    pub maps: Vec<Value>,
    /// a run whose answer is not recorded
    #[serde(default)]
    pub run: Option<Value>,
    /// what is recorded, after the answer to opening where there are no steps, or where opening fails:
    /// `{ run }`, `{ plan }`, `{ project }`, `{ analyse, others?, models? }`, `{ about }`, `{ view, again? }`, `{ locate }`,
    /// `{ export: fields }`, `{ snippets: [methods] }`, `{ apply: { calibrator, … } }`, stored ones by their names
    /// a step's `pictures` are `[name, JSON pointer to a figure of its answer, dark]`
    #[serde(default)]
    pub steps: Vec<Map<String, Value>>,
}

/// What a case comes to.
pub struct Played {
    /// the whole answer
    pub answer: Value,
    /// pictures of some of its figures: name and SVG
    pub pictures: Vec<(String, String)>,
}

/// The folder of the corpus.
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus")
}

/// Every case, theme by theme.
pub fn cases() -> Vec<Case> {
    let themes = fs::read_dir(folder().join("requests")).expect("requests").flatten();
    let mut paths: Vec<PathBuf> = themes.map(|theme| theme.path()).collect();
    paths.sort();
    let mut all = Vec::new();
    for path in paths {
        let theme = path.file_stem().expect("a name").display().to_string();
        let text = fs::read_to_string(&path).expect("requests");
        let mut of_theme: Vec<Case> = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{theme}: {error}"));
        of_theme.iter_mut().for_each(|case| case.name = format!("{theme}/{}", case.name));
        all.extend(of_theme);
    }
    all
}

/// What stands beside the name of a step.
const BESIDE: [&str; 3] = ["others", "again", "pictures"];

/// A data set with its maps and its last run.
struct Open {
    data: Held,
    maps: Vec<Held>,
    report: Option<Held>,
    view: Option<Held>,
    pictures: Vec<(String, String)>,
}

/// The whole answer of a case.
pub fn played(case: &Case) -> Played {
    let mut pictures = Vec::new();
    let answer = answered(case, &mut pictures);
    Played { answer, pictures }
}

fn answered(case: &Case, pictures: &mut Vec<(String, String)>) -> Value {
    let mut open = match opened(&case.files, &case.open) {
        Ok(data) if case.steps.is_empty() => return json!([answer(&data)]),
        Ok(data) => Open { data, maps: Vec::new(), report: None, view: None, pictures: Vec::new() },
        Err(error) => return error,
    };
    for projection in &case.maps {
        if let Err(error) = open.project(projection) {
            return refusal(&error);
        }
    }
    if let Some(request) = &case.run
        && let Err(error) = open.run(request)
    {
        return refusal(&error);
    }
    let told = case.steps.iter().map(|step| open.step(step).unwrap_or_else(|error| refusal(&error))).collect();
    pictures.append(&mut open.pictures);
    told
}

/// Files as one data set; a failure with what the columns were taken for.
fn opened(files: &[Value], options: &Map<String, Value>) -> std::result::Result<Held, Value> {
    let read: Result<Vec<Held>> = files.iter().map(file).collect();
    let read = read.map_err(|error| refusal(&error))?;
    let needs: Vec<&Held> = read.iter().collect();
    call(json!({ "kind": "assemble", "options": options }), &needs).map_err(|error| {
        let mut told = refusal(&error);
        if let Ok(columns) = call(json!({ "kind": "recognize", "options": options }), &needs) {
            told["recognized"] = answer(&columns);
        }
        told
    })
}

fn file(given: &Value) -> Result<Held> {
    let stored = |name: &str| fs::read(folder().join("files").join(name)).unwrap_or_else(|_| panic!("no file {name}"));
    let name = given["name"].as_str().or(given.as_str()).expect("a name");
    let bytes = match (&given["text"], &given["hex"], &given["file"]) {
        (Value::String(text), ..) => text.clone().into_bytes(),
        (_, Value::String(hex), _) => {
            let byte = |at: usize| u8::from_str_radix(&hex[at..at + 2], 16).expect("two digits");
            (0..hex.len()).step_by(2).map(byte).collect()
        }
        (.., Value::String(file)) => stored(file),
        _ => stored(name),
    };
    let options = match &given["header"] {
        Value::Null => json!({}),
        header => json!({ "header": header }),
    };
    read(name, bytes, &options)
}

impl Open {
    /// Data, report and maps, as the page hands them to a call.
    fn needs(&self) -> Vec<&Held> {
        [&self.data].into_iter().chain(&self.report).chain(&self.maps).collect()
    }

    fn project(&mut self, projection: &Value) -> Result<Value> {
        let needs: Vec<&Held> = [&self.data].into_iter().chain(&self.maps).collect();
        let map = call(json!({ "kind": "project", "projection": projection }), &needs)?;
        let told = answer(&map);
        self.maps.push(map);
        Ok(told)
    }

    fn run(&mut self, request: &Value) -> Result<Value> {
        let maps: Vec<&Held> = self.maps.iter().collect();
        let needs: Vec<&Held> = [&self.data].into_iter().chain(maps.iter().copied()).collect();
        let plan = call(json!({ "kind": "plan", "request": request }), &needs)?;
        let report = carried_out(&plan, &[&self.data], &maps)?;
        let told = answer(&report);
        self.report = Some(report);
        Ok(told)
    }

    fn step(&mut self, step: &Map<String, Value>) -> Result<Value> {
        let (name, asked) = step.iter().find(|(name, _)| !BESIDE.contains(&name.as_str())).expect("a step");
        // as `window.localcal` does
        if self.report.is_none() && ["analyse", "view", "export", "snippets"].contains(&name.as_str()) {
            self.run(&json!({}))?;
        }
        match name.as_str() {
            "run" => self.run(asked),
            "plan" => call(json!({ "kind": "plan", "request": asked }), &self.needs()).map(|plan| answer(&plan)),
            "project" => self.project(asked),
            "describe" => call(json!({ "kind": "describe" }), &[]).map(|catalogue| answer(&catalogue)),
            "analyse" => {
                let found = self.analyse(asked, step.get("others"))?;
                self.draw(&found, step.get("pictures"));
                Ok(answer(&found))
            }
            "view" => {
                let mut needs = self.needs();
                if step.contains_key("again") {
                    needs.extend(&self.view);
                }
                let view = call(json!({ "kind": "view", "request": asked }), &needs)?;
                let told = answer(&view);
                self.draw(&view, step.get("pictures"));
                self.view = Some(view);
                Ok(told)
            }
            "conclude" => {
                let mut asked = asked.clone();
                asked["kind"] = "conclude_experiment".into();
                let found = call(asked, &[])?;
                self.draw(&found, step.get("pictures"));
                Ok(answer(&found))
            }
            "locate" => {
                let mut needs = self.needs();
                needs.extend(&self.view);
                call(json!({ "kind": "locate", "x": asked[0], "y": asked[1] }), &needs).map(|card| answer(&card))
            }
            "export" => call(exported(asked), &self.needs()).map(|bytes| answer(&bytes)),
            "about" => call(json!({ "kind": "about", "export": asked }), &self.needs()).map(|found| answer(&found)),
            "snippets" => {
                let mut texts = Map::new();
                for method in asked.as_array().expect("methods") {
                    for language in ["python", "javascript"] {
                        let asked = json!({ "kind": "snippet", "method": method, "language": language });
                        let text = call(exported(&asked), &self.needs());
                        let text = text.map_or_else(|error| refusal(&error), |bytes| answer(&bytes));
                        texts.insert(format!("{} {language}", method.as_str().expect("a name")), text);
                    }
                }
                Ok(texts.into())
            }
            "apply" => {
                let mut asked = asked.clone();
                if let Some(name) = asked["calibrator"].as_str() {
                    asked["calibrator"] = stored(name);
                }
                asked["kind"] = "applied".into();
                let needs: Vec<&Held> = [&self.data].into_iter().chain(&self.maps).collect();
                call(exported(&asked), &needs).map(|bytes| answer(&bytes))
            }
            other => panic!("no step is called {other}"),
        }
    }

    /// An analysis, beside other data sets where there are some.
    fn analyse(&self, asked: &Value, others: Option<&Value>) -> Result<Held> {
        let others: Vec<Held> = others
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .map(|other| {
                let options = other["open"].as_object().cloned().unwrap_or_default();
                let data = opened(other["files"].as_array().expect("files"), &options);
                data.unwrap_or_else(|told| panic!("{told}"))
            })
            .collect();
        let report = self.report.as_ref().expect("a run before an analysis");
        let given: Vec<&Held> = [&self.data, report].into_iter().chain(&others).collect();
        let needs: Vec<&Held> = given.iter().copied().chain(&self.maps).collect();
        let plan = call(json!({ "kind": "plan_analysis", "request": asked }), &needs)?;
        let maps: Vec<&Held> = self.maps.iter().collect();
        carried_out(&plan, &given, &maps)
    }

    fn draw(&mut self, found: &Held, pictures: Option<&Value>) {
        for asked in pictures.and_then(Value::as_array).into_iter().flatten() {
            let (Some(name), Some(at)) = (asked[0].as_str(), asked[1].as_str()) else {
                panic!("not a picture: {asked}")
            };
            self.pictures.push((name.to_owned(), picture(found, at, asked[2] == true)));
        }
    }
}

/// A calibrator that an earlier version wrote.
fn stored(name: &str) -> Value {
    let path = folder().join("calibrators").join(format!("{name}.json"));
    let text = fs::read_to_string(path).unwrap_or_else(|_| panic!("no calibrator {name}"));
    serde_json::from_str(&text).expect("JSON")
}

/// `{ kind: "predictions", … }` as the call behind it.
fn exported(asked: &Value) -> Value {
    let mut call = asked.clone();
    call["kind"] = format!("export_{}", asked["kind"].as_str().expect("a kind")).into();
    call
}
