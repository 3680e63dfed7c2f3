//! The lines of one method, or of several within each other, put together.

use super::steps::Steps;
use super::{Language, unwritten};
use crate::error::Result;
use crate::num::special::PROB_CLIP;
use crate::recalibrate::recalibrator::Entry;
use crate::recalibrate::snippet::Snippet;
use crate::recalibrate::snippet::shared::scored;
use crate::report::calibrator::Looks;

/// What is written so far.
pub(super) struct Lines {
    language: Language,
    /// functions that bodies call, each once
    functions: Vec<&'static str>,
    /// the methods within, one function each
    steps: String,
    count: usize,
}

/// The inside of a function of `calibrator`, the parameters `c`, and some arguments.
struct Body {
    text: String,
    /// `s` or `z` first
    arguments: Vec<String>,
    /// it answers a probability for every class
    vectors: bool,
}

impl Lines {
    pub(super) fn new(language: Language) -> Self {
        Self { language, functions: Vec::new(), steps: String::new(), count: 0 }
    }

    /// The whole text: what the arguments are, the functions, and `calibrate`.
    ///
    /// # Errors
    /// `invalid_option` for a method that is not written in other languages.
    pub(super) fn calibrate(mut self, name: &str, steps: &Steps) -> Result<String> {
        let mut body = self.body(steps)?;
        if let Steps::Single { entry: Entry { id, alone: Some(alone), .. }, .. } = steps {
            body.text = self.lines(id, *alone)?.to_owned();
        }
        let arguments = body.arguments.join(", ");
        // A JSON string is a string in both languages; a name is a person's text: it stays on its line.
        let quoted = serde_json::Value::from(name).to_string();
        let name: String = name.chars().filter(|c| !c.is_control()).collect();
        let mark = match self.language {
            Language::Python => "#",
            Language::Javascript => "//",
        };
        let mut out = format!("{mark} Applies \"{name}\" of an exported calibrator to new rows.\n");
        for argument in &body.arguments {
            out.push_str(&format!("{mark} {argument}: {}\n", in_words(argument)));
            if argument == "z" {
                let (many, one) = match self.language {
                    Language::Python => (
                        "z = np.log(np.maximum(P, CLIP))",
                        "p = np.clip(p, CLIP, 1 - CLIP); z = np.stack([0 * p, np.log(p / (1 - p))], axis=1)",
                    ),
                    Language::Javascript => (
                        "z = P.map((row) => row.map((v) => Math.log(Math.max(v, CLIP))));",
                        "z = p.map((v) => Math.min(Math.max(v, CLIP), 1 - CLIP)) \
                         .map((v) => [0, Math.log(v / (1 - v))]);",
                    ),
                };
                let text = format!("{mark}    From probabilities: {many}\n{mark}    From one P(y = 1): {one}\n");
                out.push_str(&text.replace("CLIP", &format!("{PROB_CLIP:e}")));
            }
        }
        out.push_str(match self.language {
            Language::Python => "# calibrator = json.load(open(\"calibrator.json\"))\nimport numpy as np\n\n\n",
            Language::Javascript => "// calibrator: JSON.parse of the exported file.\n",
        });
        self.functions.iter().for_each(|text| out.push_str(text));
        out.push_str(&self.steps);
        if body.arguments.iter().any(|name| name.starts_with('x')) {
            out.push_str(&self.where_features_are(&body, &quoted));
            return Ok(out);
        }
        out.push_str(&match self.language {
            Language::Python => format!(
                "def calibrate(calibrator, {arguments}):\n    \
                 c = next(m for m in calibrator[\"methods\"] if m[\"name\"] == {quoted})[\"parameters\"]\n{}",
                body.text
            ),
            Language::Javascript => format!(
                "function calibrate(calibrator, {arguments}) {{\n  \
                 const c = calibrator.methods.find(({{ name }}) => name === {quoted}).parameters;\n{}}}\n",
                body.text
            ),
        });
        Ok(out)
    }

    /// A function `method` of cases that have every feature, and `calibrate`, which asks it for those alone.
    fn where_features_are(&self, body: &Body, quoted: &str) -> String {
        let arguments = body.arguments.join(", ");
        let all = |one: &dyn Fn(&String) -> String, between: &str| {
            body.arguments.iter().map(one).collect::<Vec<_>>().join(between)
        };
        let features: Vec<&String> = body.arguments.iter().filter(|name| name.starts_with('x')).collect();
        let known = |one: &dyn Fn(&String) -> String, between: &str| {
            features.iter().map(|name| one(name)).collect::<Vec<_>>().join(between)
        };
        match self.language {
            Language::Python => format!(
                "def method(calibrator, c, {arguments}):\n{}\n\n\
                 def calibrate(calibrator, {arguments}):\n    \
                 c = next(m for m in calibrator[\"methods\"] if m[\"name\"] == {quoted})[\"parameters\"]\n    \
                 {}\n    \
                 known = {}  # NaN for rows with a missing feature\n    \
                 found = method(calibrator, c, {})\n    \
                 out = np.full((len(known), *found.shape[1:]), np.nan)\n    \
                 out[known] = found\n    \
                 return out\n",
                body.text,
                known(&|name| format!("{name} = np.array({name}, float)"), "\n    "),
                known(&|name| format!("~np.isnan({name}).any(axis=1)"), " & "),
                all(&|name| format!("np.asarray({name})[known]"), ", "),
            ),
            Language::Javascript => format!(
                "function method(calibrator, c, {arguments}) {{\n{}}}\n\n\
                 function calibrate(calibrator, {arguments}) {{\n  \
                 const c = calibrator.methods.find(({{ name }}) => name === {quoted}).parameters;\n  \
                 // NaN for rows with a missing feature.\n  \
                 const there = (row) => row.every((v) => v !== null && !Number.isNaN(v));\n  \
                 const known = {first}.flatMap((_, i) => ({} ? [i] : []));\n  \
                 const of = (rows) => known.map((i) => rows[i]);\n  \
                 const out = {first}.map({});\n  \
                 method(calibrator, c, {}).forEach((v, k) => {{ out[known[k]] = v; }});\n  \
                 return out;\n}}\n",
                body.text,
                known(&|name| format!("there({name}[i])"), " && "),
                if body.vectors { "(row) => row.map(() => NaN)" } else { "() => NaN" },
                all(&|name| format!("of({name})"), ", "),
                first = body.arguments.first().map_or("s", String::as_str),
            ),
        }
    }

    fn body(&mut self, steps: &Steps) -> Result<Body> {
        match steps {
            Steps::Composed(base, then) => {
                let (one, own) = self.step(base)?;
                let (two, rest) = self.step(then)?;
                let mut given = own.arguments;
                let rest = rest.arguments.get(1..).unwrap_or(&[]).to_vec();
                if !rest.is_empty() {
                    given.iter_mut().for_each(in_base);
                }
                let call = self.call(&one, "base", &given, own.vectors);
                let second = [vec![call], rest.clone()].concat().join(", ");
                let text = match self.language {
                    Language::Python => format!("    return {two}(calibrator, c, {second})\n"),
                    Language::Javascript => format!("  return {two}(calibrator, c, {second});\n"),
                };
                given.extend(rest);
                Ok(Body { text, arguments: given, vectors: false })
            }
            Steps::Stratified { entry, base } => {
                let (one, own) = self.step(base)?;
                let text = self.lines_of(entry, false)?;
                let mut given = own.arguments;
                given.iter_mut().for_each(in_base);
                let mine: Vec<String> = given.iter().map(|name| self.mine(name)).collect();
                let call = self.call(&one, "", &mine, own.vectors);
                given.push("x".to_owned());
                Ok(Body { text: text.replace("METHOD", &call), arguments: given, vectors: false })
            }
            Steps::Single { entry, of_logits } => {
                let looks = Looks::at(entry.needs, *of_logits);
                let mut arguments = vec![if looks.logits { "z" } else { "s" }.to_owned()];
                arguments.extend(looks.groups.then(|| "g".to_owned()));
                arguments.extend(looks.features.then(|| "x".to_owned()));
                Ok(Body { text: self.lines_of(entry, looks.logits)?.to_owned(), arguments, vectors: looks.logits })
            }
        }
    }

    /// Writes a method within another as a function: its name, and its body.
    fn step(&mut self, steps: &Steps) -> Result<(String, Body)> {
        let body = self.body(steps)?;
        self.count += 1;
        let name = format!("step{}", self.count);
        let arguments = body.arguments.join(", ");
        self.steps.push_str(&match self.language {
            Language::Python => {
                format!("def {name}(calibrator, c, {arguments}):\n{}\n\n", body.text)
            }
            Language::Javascript => format!("function {name}(calibrator, c, {arguments}) {{\n{}}}\n\n", body.text),
        });
        if body.vectors {
            self.call_on(match self.language {
                Language::Python => scored.python,
                Language::Javascript => scored.javascript,
            });
        }
        Ok((name, body))
    }

    /// The scores of the view by a method within another.
    fn call(&self, step: &str, place: &str, given: &[String], vectors: bool) -> String {
        let of = match place {
            "" => "parameters".to_owned(),
            place => format!("c[\"{place}\"]"),
        };
        let all = given.join(", ");
        match (vectors, given) {
            (true, [z, ..]) => {
                format!("scored(calibrator, {z}, {step}(calibrator, {of}, {all}))")
            }
            _ => format!("{step}(calibrator, {of}, {all})"),
        }
    }

    /// The rows of one group, of an argument.
    fn mine(&self, name: &str) -> String {
        match self.language {
            Language::Python => format!("{name}[mine]"),
            Language::Javascript => format!("mine({name})"),
        }
    }

    /// The lines of a single method; what they call is noted.
    fn lines_of(&mut self, entry: &Entry, of_logits: bool) -> Result<&'static str> {
        let snippet = entry.input.snippet(of_logits).ok_or_else(|| unwritten(entry.id))?;
        self.lines(entry.id, snippet)
    }

    fn lines(&mut self, id: &str, snippet: Snippet) -> Result<&'static str> {
        let texts = match self.language {
            Language::Python => snippet.python,
            Language::Javascript => snippet.javascript,
        };
        let (body, functions) = texts.split_last().ok_or_else(|| unwritten(id))?;
        functions.iter().for_each(|text| self.call_on(text));
        Ok(body)
    }

    /// Notes a function that is called.
    fn call_on(&mut self, text: &'static str) {
        if !self.functions.contains(&text) {
            self.functions.push(text);
        }
    }
}

/// Features of the first of two methods have a name of their own.
fn in_base(argument: &mut String) {
    if argument.starts_with('x') {
        argument.push_str("_base");
    }
}

fn in_words(argument: &str) -> &'static str {
    match argument {
        "z" => "logits, one row per case, classes in the order of calibrator.labels.",
        "s" => "scores, one per case, of the kind that calibrator.score names.",
        "g" => "texts, one row per case: the columns named by the parameters groups or columns.",
        "x" => {
            "features, one row per case, in the order of the calibrator's `coordinates` (or projection.of); NaN if \
             missing."
        }
        _ => "features of the inner method, in the order of its `coordinates`; NaN if missing.",
    }
}
