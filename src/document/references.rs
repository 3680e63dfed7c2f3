//! Works that a report cites, by author and year as metrics and methods name their sources.

/// Author and year, and where the work is found. In the order of the names.
const WORKS: &[(&str, &str)] = &[
    (
        "Austin and Steyerberg 2019",
        "Austin PC, Steyerberg EW. The Integrated Calibration Index (ICI) and related metrics for quantifying the calibration of logistic regression models. Statistics in Medicine 38:4051–4065, 2019.",
    ),
    (
        "Błasiok and Nakkiran 2024",
        "Błasiok J, Nakkiran P. Smooth ECE: principled reliability diagrams via kernel smoothing. ICLR, 2024.",
    ),
    (
        "Brier 1950",
        "Brier GW. Verification of forecasts expressed in terms of probability. Monthly Weather Review 78:1–3, 1950.",
    ),
    (
        "Collins et al. 2024",
        "Collins GS, Moons KGM, Dhiman P, et al. TRIPOD+AI statement: updated guidance for reporting clinical prediction models that use regression or machine learning methods. BMJ 385:e078378, 2024.",
    ),
    ("Cox 1958", "Cox DR. Two further applications of a model for binary regression. Biometrika 45:562–565, 1958."),
    (
        "Dimitriadis, Gneiting and Jordan 2021",
        "Dimitriadis T, Gneiting T, Jordan AI. Stable reliability diagrams for probabilistic classifiers. PNAS 118:e2016191118, 2021.",
    ),
    ("Efron and Tibshirani 1993", "Efron B, Tibshirani RJ. An introduction to the bootstrap. Chapman & Hall, 1993."),
    ("Good 1952", "Good IJ. Rational decisions. Journal of the Royal Statistical Society B 14:107–114, 1952."),
    (
        "Guo et al. 2017",
        "Guo C, Pleiss G, Sun Y, Weinberger KQ. On calibration of modern neural networks. ICML, PMLR 70:1321–1330, 2017.",
    ),
    (
        "Gupta et al. 2021",
        "Gupta K, Rahimi A, Ajanthan T, et al. Calibration of neural networks using splines. ICLR, 2021.",
    ),
    (
        "Hanley and McNeil 1982",
        "Hanley JA, McNeil BJ. The meaning and use of the area under a receiver operating characteristic (ROC) curve. Radiology 143:29–36, 1982.",
    ),
    ("Harrell 2015", "Harrell FE. Regression modeling strategies, 2nd edition. Springer, 2015."),
    (
        "Hébert-Johnson et al. 2018",
        "Hébert-Johnson Ú, Kim MP, Reingold O, Rothblum GN. Multicalibration: calibration for the (computationally-identifiable) masses. ICML, PMLR 80:1939–1948, 2018.",
    ),
    (
        "Hosmer and Lemeshow 1980",
        "Hosmer DW, Lemeshow S. Goodness of fit tests for the multiple logistic regression model. Communications in Statistics – Theory and Methods 9:1043–1069, 1980.",
    ),
    (
        "Kattan and Gerds 2018",
        "Kattan MW, Gerds TA. The index of prediction accuracy: an intuitive measure useful for evaluating risk prediction models. Diagnostic and Prognostic Research 2:7, 2018.",
    ),
    (
        "Kull et al. 2019",
        "Kull M, Perello-Nieto M, Kängsepp M, et al. Beyond temperature scaling: obtaining well-calibrated multi-class probabilities with Dirichlet calibration. NeurIPS 32, 2019.",
    ),
    (
        "Kull, Silva Filho and Flach 2017",
        "Kull M, Silva Filho T, Flach P. Beta calibration: a well-founded and easily implemented improvement on logistic calibration for binary classifiers. AISTATS, PMLR 54:623–631, 2017.",
    ),
    ("Kumar, Liang and Ma 2019", "Kumar A, Liang P, Ma T. Verified uncertainty calibration. NeurIPS 32, 2019."),
    (
        "Kumar, Sarawagi and Jain 2018",
        "Kumar A, Sarawagi S, Jain U. Trainable calibration measures for neural networks from kernel mean embeddings. ICML, PMLR 80:2805–2814, 2018.",
    ),
    (
        "La Cava, Lett and Wan 2023",
        "La Cava WG, Lett E, Wan G. Fair admission risk prediction with proportional multicalibration. CHIL, PMLR 209, 2023.",
    ),
    (
        "Lin, Lin and Weng 2007",
        "Lin H-T, Lin C-J, Weng RC. A note on Platt's probabilistic outputs for support vector machines. Machine Learning 68:267–276, 2007.",
    ),
    (
        "Luo et al. 2022",
        "Luo R, Bhatnagar A, Bai Y, et al. Local calibration: metrics and recalibration. UAI, PMLR 180:1286–1295, 2022.",
    ),
    (
        "Malinin et al. 2021",
        "Malinin A, Band N, Gal Y, et al. Shifts: a dataset of real distributional shift across multiple large-scale tasks. NeurIPS Datasets and Benchmarks, 2021.",
    ),
    (
        "Naeini, Cooper and Hauskrecht 2015",
        "Naeini MP, Cooper GF, Hauskrecht M. Obtaining well calibrated probabilities using Bayesian binning. AAAI, 2901–2907, 2015.",
    ),
    (
        "Nguyen and O'Connor 2015",
        "Nguyen K, O'Connor B. Posterior calibration and exploratory analysis for natural language processing models. EMNLP, 1587–1598, 2015.",
    ),
    (
        "Nixon et al. 2019",
        "Nixon J, Dusenberry MW, Zhang L, et al. Measuring calibration in deep learning. CVPR Workshops, 2019.",
    ),
    (
        "Platt 1999",
        "Platt JC. Probabilistic outputs for support vector machines and comparisons to regularized likelihood methods. In: Advances in large margin classifiers, 61–74. MIT Press, 1999.",
    ),
    (
        "Spiegelhalter 1986",
        "Spiegelhalter DJ. Probabilistic prediction in patient management and clinical trials. Statistics in Medicine 5:421–433, 1986.",
    ),
    ("Steyerberg 2019", "Steyerberg EW. Clinical prediction models, 2nd edition. Springer, 2019."),
    (
        "Steyerberg et al. 2010",
        "Steyerberg EW, Vickers AJ, Cook NR, et al. Assessing the performance of prediction models: a framework for traditional and novel measures. Epidemiology 21:128–138, 2010.",
    ),
    (
        "Tomani, Cremers and Buettner 2022",
        "Tomani C, Cremers D, Buettner F. Parameterized temperature scaling for boosting the expressive power in post-hoc uncertainty calibration. ECCV, 2022.",
    ),
    (
        "Van Calster et al. 2019",
        "Van Calster B, McLernon DJ, van Smeden M, et al. Calibration: the Achilles heel of predictive analytics. BMC Medicine 17:230, 2019.",
    ),
    (
        "Varma and Simon 2006",
        "Varma S, Simon R. Bias in error estimation when using cross-validation for model selection. BMC Bioinformatics 7:91, 2006.",
    ),
    (
        "Vashistha and Farahi 2025",
        "Vashistha R, Farahi A. I-trustworthy models: a framework for trustworthiness evaluation of probabilistic classifiers. AISTATS, 2025.",
    ),
    (
        "Vickers and Elkin 2006",
        "Vickers AJ, Elkin EB. Decision curve analysis: a novel method for evaluating prediction models. Medical Decision Making 26:565–574, 2006.",
    ),
    (
        "Vovk, Petej and Fedorova 2015",
        "Vovk V, Petej I, Fedorova V. Large-scale probabilistic predictors with and without guarantees of validity. NeurIPS 28, 2015.",
    ),
    ("Westfall and Young 1993", "Westfall PH, Young SS. Resampling-based multiple testing. Wiley, 1993."),
    (
        "Widmann, Lindsten and Zachariah 2019",
        "Widmann D, Lindsten F, Zachariah D. Calibration tests in multi-class classification: a unifying framework. NeurIPS 32, 2019.",
    ),
    ("Wilcoxon 1945", "Wilcoxon F. Individual comparisons by ranking methods. Biometrics Bulletin 1:80–83, 1945."),
    (
        "Wilson 1927",
        "Wilson EB. Probable inference, the law of succession, and statistical inference. Journal of the American Statistical Association 22:209–212, 1927.",
    ),
    (
        "Xiong et al. 2023",
        "Xiong M, Deng A, Koh PW, et al. Proximity-informed calibration for deep neural networks. NeurIPS 36, 2023.",
    ),
    (
        "Zadrozny and Elkan 2001",
        "Zadrozny B, Elkan C. Obtaining calibrated probability estimates from decision trees and naive Bayesian classifiers. ICML, 609–616, 2001.",
    ),
    (
        "Zadrozny and Elkan 2002",
        "Zadrozny B, Elkan C. Transforming classifier scores into accurate multiclass probability estimates. KDD, 694–699, 2002.",
    ),
    (
        "Zhang, Kailkhura and Han 2020",
        "Zhang J, Kailkhura B, Han TY-J. Mix-n-Match: ensemble and compositional methods for uncertainty calibration in deep learning. ICML, PMLR 119:11117–11128, 2020.",
    ),
];

/// The works that a source names, as author and year: "Guo et al. (2017), group by group; Kull et al. (2019)" names two.
pub fn cited(source: &str) -> Vec<String> {
    let work = |part: &str| {
        let bare: String = part.chars().filter(|c| !matches!(c, '(' | ')')).collect();
        let end = bare
            .match_indices(|c: char| c.is_ascii_digit())
            .map(|(at, _)| at)
            .find(|&at| bare.get(at..at + 4).is_some_and(|year| year.bytes().all(|b| b.is_ascii_digit())))?;
        // "Vashistha and Farahi's 2025 hypothesis"
        Some(bare.get(..end + 4)?.trim().replace("'s ", " ").rsplit(" of ").next().unwrap_or_default().to_owned())
    };
    source.split(';').filter_map(work).collect()
}

/// Where the works are found, each once, by name; one that is not known stands as it is cited.
pub fn list<'a>(works: impl IntoIterator<Item = &'a String>) -> Vec<String> {
    let mut names: Vec<&str> = works.into_iter().map(String::as_str).collect();
    names.sort_by_key(|name| name.to_lowercase());
    names.dedup();
    let found = |name: &str| WORKS.iter().find(|(known, _)| *known == name).map(|(_, work)| *work);
    names.into_iter().map(|name| found(name).unwrap_or(name).to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluation::method::entries;
    use crate::metric::registry;

    #[test]
    fn works_are_read_out_of_sources() {
        assert_eq!(cited("Guo et al. (2017), group by group"), ["Guo et al. 2017"]);
        assert_eq!(cited("Platt (1999); Lin, Lin and Weng (2007)"), ["Platt 1999", "Lin, Lin and Weng 2007"]);
        assert_eq!(cited("Monte Carlo test of Vashistha and Farahi's 2025 hypothesis"), ["Vashistha and Farahi 2025"]);
        assert_eq!(cited("Steyerberg (2019), section 15.3"), ["Steyerberg 2019"]);
        assert!(cited("").is_empty());
    }

    #[test]
    fn what_metrics_and_methods_name_is_found() {
        let sources = registry::all().map(|metric| metric.source).chain(entries().map(|entry| entry.source));
        let unknown: Vec<String> =
            sources.flat_map(cited).filter(|work| WORKS.iter().all(|(known, _)| known != work)).collect();
        assert!(unknown.is_empty(), "{unknown:?}");
        assert!(WORKS.windows(2).all(|pair| pair[0].0.to_lowercase() < pair[1].0.to_lowercase()));
    }

    #[test]
    fn a_list_names_each_once() {
        let works = ["Brier 1950", "Cox 1958", "Brier 1950", "Nobody 1900"].map(str::to_owned);
        let list = list(&works);
        assert_eq!(list.len(), 3);
        assert!(list[0].starts_with("Brier GW.") && list[2] == "Nobody 1900", "{list:?}");
    }
}
