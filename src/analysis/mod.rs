//! Questions about the last run: a folder each, with what can be asked, the steps that answer it, the numbers and the
//! sheet, and one line here.

pub mod entry;

use serde::{Deserialize, Serialize};

use entry::{Described, Description, description};

use crate::data::Predictions;
use crate::error::Result;
use crate::report::RunOutcome;
use crate::request::bounds::Field;
use crate::run::graph::Plan;

/// Every analysis: its folder, which is its name, and its request; its steps; what only its steps exchange; what it ends
/// in, unless that is an outcome of others, too.
macro_rules! analyses {
    ($then:ident) => {
        $then! {
            /// is it right, for whom not, and what would mend it: everybody looked at once
            finding: FindingRequest; steps [TestOverall, LookAtRows, Begin, Look, Name, Scan, Judge, Advise, WriteFinding, ShowFinding];
            passes [Overall(Overall), SliceGround(Ground), SliceRound(Round), SliceScores(Looked), Scanned(Scanned), Judged(Judged), Advised(Advised),
                UndrawnFinding(UndrawnFinding)]; finds [Finding(FindingOutcome)]
            /// who is in a region of the map, and what is wrong there
            region: RegionRequest; steps [LookAtRegion]; passes []; finds [Region(RegionOutcome)]
            /// the rows of a region, as a list of ids
            region_rows: RegionRowsRequest; steps [ListRegion]; passes []; finds []
            /// the worst places of the map, corrected for having looked everywhere
            neighbourhoods: NeighbourhoodsRequest; steps [LookEverywhere, Permute, ListNeighbourhoods];
            passes [Looked(Looked), Maxima(Maxima)]; finds [Neighbourhoods(NeighbourhoodsOutcome)]
            /// what other libraries would print for the same rows, and why it differs
            libraries: LibrariesRequest; steps [AskLibraries]; passes []; finds [Libraries(LibrariesOutcome)]
            /// reliability diagrams by method, class or group
            multiples: MultiplesRequest; steps [CompareDiagrams, ShowMultiples];
            passes [UndrawnMultiples(UndrawnMultiples)]; finds [Multiples(MultiplesOutcome)]
            /// answering or asking a person: thresholds and costs
            decide: DecideRequest; steps [Decide, ShowDecide]; passes [UndrawnDecide(UndrawnDecide)]; finds [Decide(DecideOutcome)]
            /// what is said and what happened in every group, with p corrected for all of them
            groups: GroupsRequest; steps [CompareGroups, ShowGroups]; passes [UndrawnGroups(UndrawnGroups)]; finds [Groups(GroupsOutcome)]
            /// local error of methods and maps against the bandwidth
            sweep: SweepRequest; steps [PlaceRows, SweepRange, JoinCurves, ShowSweep];
            passes [RowPlaces(RowPlaces), SweepNumbers(SweepNumbers), UndrawnSweep(UndrawnSweep)]; finds [Sweep(SweepOutcome)]
            /// whether scores are wrong anywhere: the trust test
            klce: KlceRequest; steps [WriteTrust, ShowKlce]; passes [UndrawnKlce(UndrawnKlce)]; finds [Klce(KlceOutcome)]
            /// local error of every row among people and scores like it; who has most of it
            witness: WitnessRequest; steps [ChooseRows, FindBias, WriteWitness, ShowWitness];
            passes [WitnessGround(WitnessGround), Bias(BiasPart), UndrawnWitness(UndrawnWitness)]; finds [Witness(WitnessOutcome)]
            /// local bias against a covariate, by group
            bias_plot: BiasPlotRequest; steps [ChoosePeople, CompareBias, ShowBias]; passes [UndrawnBias(UndrawnBias)]; finds [BiasPlot(BiasOutcome)]
            /// means and differences of groups from scores, against those from outcomes
            inference: InferenceRequest; steps [DrawRows, Conclude, ShowInference];
            passes [DrawnErrors(DrawnErrors), UndrawnInference(UndrawnInference)]; finds [Inference(InferenceOutcome)]
            /// methods against each other, by paired differences
            compare: CompareRequest; steps [Compare]; passes []; finds [Compared(CompareOutcome)]
            /// which metric rises with the error of the worst group
            correlation: CorrelationRequest; steps [Correlate, ShowCorrelation];
            passes [UndrawnCorrelation(UndrawnCorrelation)]; finds [Correlated(CorrelationOutcome)]
            /// several models of the same rows beside each other
            models: ModelsRequest; steps [PairModels, DrawModels, LookAtModel, CompareModels, ShowModels];
            passes [Cohort(Cohort), ModelDraws(ModelDraws), ModelLook(ModelLook), UndrawnModels(UndrawnModels)];
            finds [Models(ModelsOutcome)]
            /// error of rows far from the others against rows among them, at the same score
            proximity: ProximityRequest; steps [NearAndFar, ShowProximity];
            passes [UndrawnProximity(UndrawnProximity)]; finds [ProximitySheet(ProximityOutcome)]
            /// proximity bias and PIECE for every number of neighbours, in two distances
            proximity_sweep: ProximitySweepRequest; steps [SweepNeighbours, ShowProximitySweep];
            passes [UndrawnProximitySweep(UndrawnProximitySweep)]; finds [ProximitySweepSheet(ProximitySweepOutcome)]
            /// how many rows would make the intervals of calibration and discrimination narrow enough
            sample_size: SampleSizeRequest; steps [CountRows, ShowSampleSize];
            passes [UndrawnSampleSize(UndrawnSampleSize)]; finds [SampleSize(SampleSizeOutcome)]
            /// the report as a document: what was found, how, and what cannot be known
            document: DocumentRequest; steps [FindPanel, WriteDocument, WithholdFew]; passes [Panel(Panel)];
            finds [Withheld(WithheldOutcome)]
            /// observed against expected in windows along the dates, and a test of drift
            over_time: OverTimeRequest; steps [PutInTime, DrawWindows, TellOverTime, ShowOverTime];
            passes [Dated(Dated), DrawnWindows(DrawnWindows), UndrawnOverTime(UndrawnOverTime)]; finds [OverTime(OverTimeOutcome)]
            /// how often each test fires where the truth is known: outcomes drawn from the scores, or with a bias that is planted
            bench: BenchRequest; steps [SetUp, Simulate, Mend, WriteBench, SimulateStudy, WriteStudy, ShowBench];
            passes [BenchWorld(World), BenchFired(Fired), BenchMended(MendedFiles), UndrawnBench(UndrawnBench)]; finds [Bench(BenchOutcome)]
            /// what changed since a session; whether its repairs help
            changed: ChangedRequest; steps [HoldAgainst, ShowChanged];
            passes [UndrawnChanged(UndrawnChanged)]; finds [Changed(ChangedOutcome)]
        }
    };
}
pub(crate) use analyses;

mod show;

macro_rules! requests {
    ($(
        #[doc = $words:literal]
        $module:ident: $Request:ident; steps [$($Step:ident),*];
        passes [$($Pass:ident($PassType:ident)),*]; finds [$($Find:ident($FindType:ident)),*]
    )*) => {
        $(pub mod $module;)*

        $(pub use $module::$Request;)*

        /// Every analysis by name, and where the bounds of its options stand.
        pub(crate) const PLACES: &[(&str, Field)] =
            &[$((stringify!($module), Field::Within(concat!("analysis ", stringify!($module))))),*];

        /// A question about the last run: what `data.analyse` takes, under the name of its kind.
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        #[allow(non_camel_case_types, reason = "a variant is the name that scripts write")]
        pub enum AnalysisRequest {
            $(#[doc = $words] $module($module::$Request),)*
        }

        /// What every analysis says of itself, in the order in which they are listed.
        pub fn descriptions() -> Vec<Description> {
            vec![$(description::<$module::$Request>(stringify!($module), $words)),*]
        }

        impl AnalysisRequest {
            /// The name of its kind.
            pub fn kind(&self) -> &'static str {
                match self {
                    $(AnalysisRequest::$module(_) => stringify!($module),)*
                }
            }

            /// Its question, for people.
            pub fn title(&self) -> &'static str {
                match self {
                    $(AnalysisRequest::$module(_) => <$module::$Request as Described>::ENTRY.title,)*
                }
            }

            /// Bounds of the numbers among the options of a kind; nothing where there is no such kind.
            pub(crate) fn bounds(kind: &str) -> &'static [(&'static str, Field)] {
                match kind {
                    $(stringify!($module) => <$module::$Request as Analysis>::BOUNDS,)*
                    _ => &[],
                }
            }

            /// The steps that answer it, the last of which finds the answer.
            ///
            /// # Errors
            /// Those of the kind that is asked for.
            pub fn plan(&self, of: &LastRun) -> Result<Plan> {
                match self {
                    $(AnalysisRequest::$module(request) => request.plan(of),)*
                }
            }
        }
    };
}

analyses!(requests);

/// A question about the last run that can be planned.
pub trait Analysis: Described {
    /// Bounds of its options that take numbers, by name; `width`, of figures, among them.
    const BOUNDS: &'static [(&'static str, Field)];

    /// The steps that answer it, the last of which finds the answer.
    ///
    /// # Errors
    /// Options that contradict each other or the data.
    fn plan(&self, of: &LastRun) -> Result<Plan>;
}

/// What an analysis is about.
pub struct LastRun<'a> {
    /// the data set
    pub data: &'a Predictions,
    /// the last run
    pub run: &'a RunOutcome,
    /// further data sets, for `models` and `correlation`
    pub others: &'a [&'a Predictions],
    /// steps of the plan that this question becomes a part of; 0 where it is asked alone
    pub before: usize,
}

impl LastRun<'_> {
    /// A plan without steps.
    pub fn plan(&self) -> Plan {
        Plan::of_analysis(self.others.len(), self.before)
    }
}
