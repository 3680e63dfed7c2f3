//! The few lines of Python and JavaScript that apply a recalibrator, and the functions that several of them call.

/// The inside of a function that applies a method, after the functions that it calls, in both languages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Snippet {
    /// functions, then the body
    pub python: &'static [&'static str],
    /// functions, then the body
    pub javascript: &'static [&'static str],
}

/// A function in both languages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Function {
    /// its definition in Python
    pub python: &'static str,
    /// its definition in JavaScript
    pub javascript: &'static str,
}

/// The lines beside a method, `name.py` and `name.js`, after the shared functions that each of them calls.
macro_rules! snippet {
    ($body:literal, [$($python:ident),*], [$($javascript:ident),*]) => {
        $crate::recalibrate::snippet::Snippet {
            python: &[
                $($crate::recalibrate::snippet::shared::$python.python,)*
                include_str!(concat!($body, ".py")),
            ],
            javascript: &[
                $($crate::recalibrate::snippet::shared::$javascript.javascript,)*
                include_str!(concat!($body, ".js")),
            ],
        }
    };
}
pub(crate) use snippet;

/// Functions that the lines of several methods call.
#[allow(non_upper_case_globals)]
pub mod shared {
    use super::Function;

    macro_rules! function {
        ($name:ident) => {
            #[doc = concat!("`", stringify!($name), "` in both languages.")]
            pub const $name: Function = Function {
                python: include_str!(concat!("snippet/", stringify!($name), ".py")),
                javascript: include_str!(concat!("snippet/", stringify!($name), ".js")),
            };
        };
    }
    function!(logit);
    function!(softmax);
    function!(search);
    function!(network);
    function!(projected);
    function!(nearness);
    function!(scored);
    /// NumPy has both of its own.
    pub const curve: Function = Function { python: "", javascript: include_str!("snippet/curve.js") };
    /// NumPy has both of its own.
    pub const affine: Function = Function { python: "", javascript: include_str!("snippet/affine.js") };
}
