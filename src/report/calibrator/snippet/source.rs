//! The lines of each method, as they stand in files of their own.

/// Functions that a method calls, then the body of its own, in both languages.
pub(super) struct Source {
    pub(super) python: &'static [&'static str],
    pub(super) javascript: &'static [&'static str],
}

macro_rules! source {
    ($body:literal, [$($python:literal),*], [$($javascript:literal),*]) => {
        Source {
            python: &[
                $(include_str!(concat!($python, ".py")),)*
                include_str!(concat!($body, ".py")),
            ],
            javascript: &[
                $(include_str!(concat!($javascript, ".js")),)*
                include_str!(concat!($body, ".js")),
            ],
        }
    };
}

/// The lines of a single method; of methods that can look at either, those for logits or for one score.
pub(super) fn source(id: &str, of_logits: bool) -> Option<Source> {
    Some(match id {
        "temperature" | "mmce_temperature" if of_logits => {
            source!("temperature", ["softmax"], ["softmax"])
        }
        "temperature" | "mmce_temperature" => {
            source!("temperature_of_score", ["logit"], ["logit"])
        }
        "none" => source!("none", [], []),
        "platt" => source!("platt", ["logit"], ["logit"]),
        "beta" => source!("beta", [], []),
        "isotonic" => source!("isotonic", [], ["search", "curve"]),
        "histogram" => source!("histogram", ["search"], ["search"]),
        "bbq" => source!("bbq", ["search"], ["search"]),
        "venn_abers" => source!("venn_abers", ["search"], ["search"]),
        "ets" => source!("ets", ["softmax"], ["softmax"]),
        "pts" => source!("pts", ["softmax", "network"], ["softmax", "network"]),
        "ptsk" => source!("ptsk", ["softmax", "network", "projected"], ["softmax", "network", "projected"]),
        "mir" => source!("mir", ["softmax"], ["softmax", "search", "curve"]),
        // The same as it leaves; another method that follows takes the rows as they are.
        "mir_alone" => source!("mir_alone", ["softmax"], ["softmax", "search", "curve"]),
        "vector" => source!("vector", ["softmax"], ["softmax"]),
        "matrix" => source!("matrix", ["softmax"], ["softmax", "affine"]),
        "dirichlet" => source!("dirichlet", ["softmax"], ["softmax", "affine"]),
        "lore" => source!("lore", ["search", "projected"], ["search", "projected"]),
        "group_temperature" if of_logits => {
            source!("group_temperature", ["softmax"], ["softmax"])
        }
        "group_temperature" => {
            source!("group_temperature_of_score", ["logit"], ["logit"])
        }
        "group_histogram" => source!("group_histogram", ["search"], ["search"]),
        "multicalibration" | "proportional_multicalibration" => {
            source!("multicalibration", ["search"], ["search"])
        }
        "lcb" => source!("lcb", ["projected"], ["projected"]),
        "density_ratio" => source!("density_ratio", ["projected", "nearness"], ["projected", "nearness"]),
        "bin_mean_shift" => {
            source!("bin_mean_shift", ["search", "projected", "nearness"], ["search", "projected", "nearness"])
        }
        "proximity_stratified" => {
            source!("proximity_stratified", ["search", "projected", "nearness"], ["search", "projected", "nearness"])
        }
        "scored" => source!("scored", [], []),
        _ => return None,
    })
}
