//! Analyses of the last run, one folder each: request, steps, numbers and panel, and one line here.

pub mod entry;

use serde::{Deserialize, Serialize};

use entry::{AnalysisRequirement, Described, Description, description};

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
            /// overall, subgroups, recommendation
            finding: FindingRequest; steps [TestOverall, PrepareScan, Begin, ScanPart, Name, Scan, Evaluate, Advise, WriteFinding, ShowFinding];
            passes [Overall(Overall), ScanInput(ScanInput), ScanRound(Round), ScanStatistics(ScanStatistics), Scanned(Scanned), Evaluated(Evaluated), Advised(Advised),
                FindingWithoutCharts(FindingWithoutCharts)]; finds [Finding(FindingOutcome)]
            /// rows and calibration error of a region of the map
            region: RegionRequest; steps [LookAtRegion]; passes []; finds [Region(RegionOutcome)]
            /// the rows of a region as a list of ids
            region_rows: RegionRowsRequest; steps [ListRegion]; passes []; finds []
            /// the worst places of the map, adjusted for searching it
            neighbourhoods: NeighbourhoodsRequest; steps [SearchMap, Permute, ListNeighbourhoods];
            passes [MapSearch(MapSearch), Maxima(Maxima)]; finds [Neighbourhoods(NeighbourhoodsOutcome)]
            /// the same metrics as other programs define them
            libraries: LibrariesRequest; steps [CompareLibraries]; passes []; finds [Libraries(LibrariesOutcome)]
            /// by method, class, group
            multiples: MultiplesRequest; steps [CompareDiagrams, ShowMultiples];
            passes [MultiplesWithoutCharts(MultiplesWithoutCharts)]; finds [Multiples(MultiplesOutcome)]
            /// net benefit, error cost
            decide: DecideRequest; steps [Decide, ShowDecide]; passes [DecideWithoutCharts(DecideWithoutCharts)]; finds [Decide(DecideOutcome)]
            /// which predictions to use alone, and the error rate of these
            risk_coverage: RiskCoverageRequest; steps [FindThresholds, ShowRiskCoverage];
            passes [RiskCoverageWithoutCharts(RiskCoverageWithoutCharts)]; finds [RiskCoverage(RiskCoverageOutcome)]
            /// predicted, observed, adjusted p
            groups: GroupsRequest; steps [CompareGroups, ShowGroups]; passes [GroupsWithoutCharts(GroupsWithoutCharts)]; finds [Groups(GroupsOutcome)]
            /// each site, all of them pooled, how much they differ
            sites: SitesRequest; steps [PoolSites, ShowSites]; passes [SitesWithoutCharts(SitesWithoutCharts)]; finds [Sites(SitesOutcome)]
            /// each method
            sweep: SweepRequest; steps [PlaceRows, SweepRange, JoinCurves, ShowSweep];
            passes [RowPlaces(RowPlaces), SweepNumbers(SweepNumbers), SweepWithoutCharts(SweepWithoutCharts)]; finds [Sweep(SweepOutcome)]
            /// is calibration rejected anywhere?
            klce: KlceRequest; steps [WriteKlce, ShowKlce]; passes [KlceWithoutCharts(KlceWithoutCharts)]; finds [Klce(KlceOutcome)]
            /// similar score and covariates
            witness: WitnessRequest; steps [ChooseRows, EstimateBias, WriteWitness, ShowWitness];
            passes [WitnessInput(WitnessInput), Bias(BiasPart), WitnessWithoutCharts(WitnessWithoutCharts)]; finds [Witness(WitnessOutcome)]
            /// one curve per group
            bias_plot: BiasPlotRequest; steps [ChooseCovariates, CompareBias, ShowBias]; passes [BiasWithoutCharts(BiasWithoutCharts)]; finds [BiasPlot(BiasOutcome)]
            /// bias of means
            inference: InferenceRequest; steps [DrawRows, Conclude, ShowInference];
            passes [DrawnErrors(DrawnErrors), InferenceWithoutCharts(InferenceWithoutCharts)]; finds [Inference(InferenceOutcome)]
            /// differences with intervals
            compare: CompareRequest; steps [Compare]; passes []; finds [Compared(CompareOutcome)]
            /// correlations
            correlation: CorrelationRequest; steps [Correlate, ShowCorrelation];
            passes [CorrelationWithoutCharts(CorrelationWithoutCharts)]; finds [Correlated(CorrelationOutcome)]
            /// paired, on the same rows
            models: ModelsRequest; steps [PairModels, DrawModels, DescribeModel, CompareModels, ShowModels];
            passes [Cohort(Cohort), ModelDraws(ModelDraws), ModelDescription(ModelDescription), ModelsWithoutCharts(ModelsWithoutCharts)];
            finds [Models(ModelsOutcome)]
            /// isolated against typical rows at equal score
            proximity: ProximityRequest; steps [CompareByProximity, ShowProximity];
            passes [ProximityWithoutCharts(ProximityWithoutCharts)]; finds [ProximitySheet(ProximityOutcome)]
            /// by K and distance
            proximity_sweep: ProximitySweepRequest; steps [SweepNeighbors, ShowProximitySweep];
            passes [ProximitySweepWithoutCharts(ProximitySweepWithoutCharts)]; finds [ProximitySweepSheet(ProximitySweepOutcome)]
            /// for target interval widths
            sample_size: SampleSizeRequest; steps [CountRows, ShowSampleSize];
            passes [SampleSizeWithoutCharts(SampleSizeWithoutCharts)]; finds [SampleSize(SampleSizeOutcome)]
            /// results, methods and limits as a document
            document: DocumentRequest; steps [ComputePanel, WriteDocument, WithholdFew]; passes [Panel(Panel)];
            finds [Withheld(WithheldOutcome)]
            /// O:E by window, and a drift test
            over_time: OverTimeRequest; steps [PutInTime, DrawWindows, SummarizeOverTime, ShowOverTime];
            passes [Dated(Dated), DrawnWindows(DrawnWindows), OverTimeWithoutCharts(OverTimeWithoutCharts)]; finds [OverTime(OverTimeOutcome)]
            /// simulated level and power
            bench: BenchRequest; steps [SetUp, Simulate, RecalibrateFiles, WriteBench, SimulateStudy, WriteStudy, ShowBench];
            passes [BenchWorld(World), BenchPValues(SimulatedPValues), BenchRecalibrated(RecalibratedFiles), BenchWithoutCharts(BenchWithoutCharts)]; finds [Bench(BenchOutcome)]
            /// metrics, recalibrations
            changed: ChangedRequest; steps [CompareFiles, ShowChanged];
            passes [ChangedWithoutCharts(ChangedWithoutCharts)]; finds [Changed(ChangedOutcome)]
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

            /// What there must be beside scores and outcomes.
            pub fn needs(&self) -> &'static [AnalysisRequirement] {
                match self {
                    $(AnalysisRequest::$module(_) => <$module::$Request as Described>::ENTRY.needs,)*
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
                if self.needs().contains(&AnalysisRequirement::Rows) {
                    of.data.with_rows(&format!("The analysis “{}”", self.title()))?;
                }
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
    /// the smallest count that may be told of the result; none: any. What is adjusted for several groups is then adjusted for
    /// those that are shown: a p-value or an interval would otherwise depend on groups that are withheld
    pub least: Option<u64>,
}

impl LastRun<'_> {
    /// A plan without steps.
    pub fn plan(&self) -> Plan {
        Plan::of_analysis(self.others.len(), self.before)
    }
}
