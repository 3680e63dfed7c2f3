//! What another analysis shows, as part of a document: its last step is taken along, and its sheet kept.

use std::any::Any;

use serde::{Deserialize, Serialize};

use crate::analysis::{AnalysisRequest, LastRun};
use crate::error::{Error, Result};
use crate::report::disclosure::{Audit, Stated};
use crate::report::gate::Gate;
use crate::report::sheet::{Block, Sheet, drawn_of_enough, with_basis};
use crate::report::small_cells::enough;
use crate::request::message::read;
use crate::run::graph::{Handle, Outcomes, Plan, Step};
use crate::table::column::{with_columns_in, with_columns_out};

/// What an analysis shows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Panel {
    /// its name
    pub kind: String,
    /// its question
    pub title: String,
    /// its sheet, or why there is none
    pub sheet: std::result::Result<Sheet, String>,
}

/// Does the last step of an analysis and keeps its sheet.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ComputePanel {
    kind: String,
    title: String,
    last: LastStep,
    /// the smallest count that may be shown; none: any
    least: Option<u64>,
}

impl Step for ComputePanel {
    type Output = Panel;

    fn run(&self, at: &Outcomes, progress: &mut dyn FnMut(f64)) -> Result<Panel> {
        let sheet = match drawn_of_enough(self.least, || self.last.sheet(at, progress)) {
            // what the rows do not allow leaves a gap in the document, not no document
            Err(error) if error.code() != "internal" => Err(error.to_string()),
            found => Ok(found?),
        };
        Ok(Panel { kind: self.kind.clone(), title: self.title.clone(), sheet })
    }
}

/// The steps of an analysis as part of `plan`, the last of them keeping what it shows.
///
/// # Errors
/// Those of its plan; `invalid_option` for a document within a document.
pub(super) fn push(
    plan: &mut Plan,
    of: &LastRun,
    request: &AnalysisRequest,
    least: Option<u64>,
) -> Result<Handle<Panel>> {
    let Last { step, cost, label } = all_but_last(plan, &LastRun { least, ..*of }, request)?;
    let step = ComputePanel { kind: request.kind().to_owned(), title: request.title().to_owned(), last: step, least };
    Ok(plan.push(step, cost, &label))
}

/// The steps of an analysis whose last keeps of its sheet what may leave while counts below `least` are withheld.
///
/// # Errors
/// Those of its plan; `too_few_rows` where all rows are fewer; `invalid_option` for a document, which withholds by itself.
pub fn withheld(of: &LastRun, request: &AnalysisRequest, least: u64) -> Result<Plan> {
    enough(of.data.view, of.run, least)?;
    let mut plan = of.plan();
    let Last { step, cost, label } = all_but_last(&mut plan, &LastRun { least: Some(least), ..*of }, request)?;
    plan.push(WithholdFew { last: step, least }, cost, &label);
    Ok(plan)
}

/// Response of an analysis with small counts withheld.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WithheldOutcome {
    /// its sheet: every block in its place, a note where one is withheld; without fields
    pub sheet: Sheet,
    /// record of what was withheld
    pub disclosure: Audit,
}

/// Does the last step of an analysis and keeps of its sheet what may leave.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WithholdFew {
    last: LastStep,
    least: u64,
}

impl Step for WithholdFew {
    type Output = WithheldOutcome;

    fn run(&self, at: &Outcomes, progress: &mut dyn FnMut(f64)) -> Result<WithheldOutcome> {
        let found = drawn_of_enough(Some(self.least), || self.last.sheet(at, progress)).map_err(|error| match error
            .code()
        {
            "internal" => error,
            // a reason may count rows
            code => Error::new(
                code,
                format!(
                    "The analysis has no result; the reason is withheld, as it may reveal counts below {}.",
                    self.least
                ),
                "Request it without suppressing counts.",
            ),
        })?;
        let mut gate = Gate::new(self.least);
        let mut blocks: Vec<Stated<Block>> = found.stated().map(|block| Stated::setting(gate.block(block))).collect();
        blocks.push(Stated::setting(Block::Note(gate.audit.words(self.least))));
        Ok(WithheldOutcome { sheet: Sheet::new(Vec::new(), blocks), disclosure: gate.audit })
    }
}

/// The last step of an analysis, which is not in the plan yet.
struct Last {
    step: LastStep,
    cost: f64,
    label: String,
}

fn all_but_last(plan: &mut Plan, of: &LastRun, request: &AnalysisRequest) -> Result<Last> {
    if matches!(request, AnalysisRequest::document(_)) {
        return Err(Error::new(
            "invalid_option",
            "A document cannot contain a document.",
            "Select its parts instead; add other analyses only.",
        ));
    }
    let before = of.before + plan.steps.len();
    let mut steps = request.plan(&LastRun { before, ..*of })?;
    let Some(last) = steps.steps.pop() else {
        return Err(Error::internal("An analysis has no steps."));
    };
    plan.append(steps);
    Ok(Last { step: LastStep::of(last.step, &last.name)?, cost: last.cost, label: last.label })
}

macro_rules! last_steps {
    ($(
        #[doc = $words:literal]
        $module:ident: $Request:ident; steps [$($Step:ident),*];
        passes [$($Pass:ident($PassType:ident)),*]; finds [$($Find:ident($FindType:ident)),*]
    )*) => {
        /// A step of any analysis. The steps of a plan travel as bytes ([`packed`](crate::packed)).
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
        enum LastStep {
            $($($Step(Box<crate::analysis::$module::$Step>),)*)*
        }

        impl LastStep {
            fn of(step: Box<dyn Any>, name: &str) -> Result<Self> {
                $($(
                    let step = match step.downcast::<crate::analysis::$module::$Step>() {
                        Ok(step) => return Ok(Self::$Step(step)),
                        Err(step) => step,
                    };
                )*)*
                drop(step);
                Err(Error::internal(format!("`{name}` is no step of an analysis.")))
            }

            /// The sheet of what it finds.
            fn sheet(&self, at: &Outcomes, progress: &mut dyn FnMut(f64)) -> Result<Sheet> {
                let sheet = match self {
                    $($(Self::$Step(step) => sheet_of(&step.run(at, progress)?),)*)*
                };
                sheet.ok_or_else(|| Error::new(
                    "invalid_option",
                    "This analysis cannot be added to a document.",
                    "Add an analysis with a panel of its own.",
                ))
            }
        }

        /// The sheet of what the page reads of an analysis.
        fn sheet_of(found: &dyn Any) -> Option<Sheet> {
            $($(
                if let Some(found) = found.downcast_ref::<crate::analysis::$module::$FindType>() {
                    let (written, columns) = with_columns_out(|| with_basis(|| serde_json::to_value(found)));
                    let sheet = written.ok()?.get_mut("sheet")?.take();
                    return with_columns_in(columns, || read(sheet)).ok();
                }
            )*)*
            None
        }
    };
}

analyses!(last_steps);
