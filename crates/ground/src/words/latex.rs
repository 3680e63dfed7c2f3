//! Words, numbers and names as LaTeX takes them, whatever signs they hold.

use std::fmt::Write as _;

/// Sizes of type, and how many letters of it a line of 165 mm has.
pub const SIZES: [(&str, usize); 3] = [("small", 86), ("footnotesize", 98), ("scriptsize", 116)];

/// Letters between places where a long word may be broken.
const UNBROKEN: usize = 16;

/// `text` so that LaTeX reads it as words: commands become letters, signs that text fonts lack become commands; what no
/// engine can set becomes a question mark. A star or a bracket at the beginning would be an argument of the command before
/// it (`\\`, `\item`, `\toprule`), so it stands in braces. Long words, such as checksums and
/// names of columns, may be broken.
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    let mut unbroken = 0;
    for c in text.chars() {
        unbroken = if c.is_whitespace() { 0 } else { unbroken + 1 };
        if unbroken > UNBROKEN {
            out.push_str("\\allowbreak{}");
            unbroken = 1;
        }
        match c {
            '\\' => out.push_str("\\textbackslash{}"),
            '[' | '*' if out.trim_start_matches(' ').is_empty() => out.extend(['{', c, '}']),
            '{' | '}' | '$' | '&' | '#' | '%' => out.extend(['\\', c]),
            '_' => {
                out.push_str("\\_\\allowbreak{}");
                unbroken = 0;
            }
            '^' => out.push_str("\\textasciicircum{}"),
            '~' => out.push_str("\\textasciitilde{}"),
            '<' => out.push_str("\\textless{}"),
            '>' => out.push_str("\\textgreater{}"),
            '|' => out.push_str("\\textbar{}"),
            '"' => out.push_str("\\textquotedbl{}"),
            '`' => out.push_str("\\textasciigrave{}"),
            // `--`, `''` and `,,` would become other signs
            '-' | '\'' | ',' if out.ends_with(c) => out.extend(['{', c, '}']),
            '-' | '\'' => out.push(c),
            '\u{2212}' => out.push_str("$-$"),
            '\u{a0}' | '\u{202f}' | '\u{2009}' => out.push('~'),
            '…' => out.push_str("\\ldots{}"),
            '–' => out.push_str("--"),
            '—' => out.push_str("---"),
            '“' => out.push_str("``"),
            '”' => out.push_str("''"),
            '‘' => out.push('`'),
            '’' => out.push('\''),
            '≤' => out.push_str("$\\le$"),
            '≥' => out.push_str("$\\ge$"),
            '≠' => out.push_str("$\\ne$"),
            '×' => out.push_str("$\\times$"),
            '±' => out.push_str("$\\pm$"),
            '·' => out.push_str("$\\cdot$"),
            '→' => out.push_str("$\\to$"),
            '∞' => out.push_str("$\\infty$"),
            '√' => out.push_str("$\\surd$"),
            '€' => out.push_str("\\texteuro{}"),
            c if greek(c).is_some() => {
                let _ = write!(out, "$\\{}$", greek(c).unwrap_or_default());
            }
            '²' => out.push_str("$^2$"),
            '⁻' => out.push_str("$^-$"),
            '⁰' | '\u{2074}'..='\u{2079}' => {
                let _ = write!(out, "$^{}$", u32::from(c) - 0x2070);
            }
            '\u{2080}'..='\u{2089}' => {
                let _ = write!(out, "$_{}$", u32::from(c) - 0x2080);
            }
            '†' => out.push_str("$^\\dagger$"),
            '≈' => out.push_str("$\\approx$"),
            '∈' => out.push_str("$\\in$"),
            '‖' => out.push_str("$\\Vert$"),
            '∑' => out.push_str("$\\sum$"),
            '↑' => out.push_str("$\\uparrow$"),
            '↓' => out.push_str("$\\downarrow$"),
            '▲' => out.push_str("$\\triangle$"),
            '▼' => out.push_str("$\\nabla$"),
            '\t' | '\n' | '\r' => out.push(' '),
            c if c.is_control() => {}
            '\u{0}'..='\u{17f}' if !WITHOUT_LETTER.contains(&c) => out.push(c),
            _ => {
                let _ = write!(out, "\\beyond{{{c}}}");
            }
        }
    }
    out
}

/// Up to here T1 fonts have the letters of western and central Europe, but for these.
const WITHOUT_LETTER: &[char] = &['Ħ', 'ħ', 'ĸ', 'Ŀ', 'ŀ', 'ŉ', 'Ŧ', 'ŧ', 'ſ'];

/// A Greek letter that is no Latin one, as a command.
fn greek(c: char) -> Option<&'static str> {
    const LETTERS: [(char, &str); 34] = [
        ('α', "alpha"),
        ('β', "beta"),
        ('γ', "gamma"),
        ('δ', "delta"),
        ('ε', "varepsilon"),
        ('ζ', "zeta"),
        ('η', "eta"),
        ('θ', "theta"),
        ('ι', "iota"),
        ('κ', "kappa"),
        ('λ', "lambda"),
        ('μ', "mu"),
        ('ν', "nu"),
        ('ξ', "xi"),
        ('π', "pi"),
        ('ρ', "rho"),
        ('σ', "sigma"),
        ('ς', "varsigma"),
        ('τ', "tau"),
        ('υ', "upsilon"),
        ('φ', "varphi"),
        ('χ', "chi"),
        ('ψ', "psi"),
        ('ω', "omega"),
        ('Γ', "Gamma"),
        ('Δ', "Delta"),
        ('Θ', "Theta"),
        ('Λ', "Lambda"),
        ('Ξ', "Xi"),
        ('Π', "Pi"),
        ('Σ', "Sigma"),
        ('Φ', "Phi"),
        ('Ψ', "Psi"),
        ('Ω', "Omega"),
    ];
    LETTERS.iter().find(|(letter, _)| *letter == c).map(|(_, name)| *name)
}

/// A number or an interval as formula, with the minus of mathematics and commas that part thousands: `$-0.412 \pm 0.006$`; what
/// is no number is words. `bold`: with heavier digits.
pub fn math(text: &str, bold: bool) -> String {
    let of_powers = |c: char| text.contains("×\u{a0}10") && (matches!(c, '×' | '\u{a0}' | '(' | ')') || is_raised(c));
    let numeric =
        |c: char| c.is_ascii_digit() || matches!(c, '.' | ',' | '±' | '\u{2212}' | ' ' | '<' | '>') || of_powers(c);
    if !text.contains(|c: char| c.is_ascii_digit()) || !text.chars().all(numeric) {
        return if bold { format!("\\textbf{{{}}}", escaped(text)) } else { escaped(text) };
    }
    let mut formula = String::with_capacity(text.len() + 12);
    let mut raised = false;
    for c in text.chars() {
        if is_raised(c) != raised {
            raised = !raised;
            formula.push_str(if raised { "^{" } else { "}" });
        }
        match c {
            '±' => formula.push_str("\\pm"),
            '×' => formula.push_str("\\times"),
            '\u{2212}' | '⁻' => formula.push('-'),
            '\u{a0}' => formula.push(' '),
            ',' => formula.push_str("{,}"),
            c => formula.push(lowered(c).unwrap_or(c)),
        }
    }
    if raised {
        formula.push('}');
    }
    if bold { format!("$\\mathbf{{{formula}}}$") } else { format!("${formula}$") }
}

/// Whether a sign belongs to an exponent.
fn is_raised(c: char) -> bool {
    c == '⁻' || lowered(c).is_some()
}

/// The digit of an exponent as a digit.
fn lowered(c: char) -> Option<char> {
    let digit = match c {
        '¹' => 1,
        '²' => 2,
        '³' => 3,
        '⁰' | '\u{2074}'..='\u{2079}' => u32::from(c) - 0x2070,
        _ => return None,
    };
    char::from_digit(digit, 10)
}

/// What a table or figure is referred to by, made of ids and names: small letters, digits and hyphens.
pub fn label(kind: &str, words: &[&str]) -> String {
    let mut out = String::new();
    for c in words.join("-").chars() {
        match c {
            c if c.is_ascii_alphanumeric() => out.push(c.to_ascii_lowercase()),
            _ if out.ends_with('-') || out.is_empty() => {}
            _ => out.push('-'),
        }
    }
    format!("{kind}:{}", out.trim_end_matches('-'))
}

/// What stands before tables that are taken into an article of one's own: what they need, and what becomes of signs that
/// pdfLaTeX has no font for.
pub const NEEDS: &str =
    "% needs \\usepackage{booktabs}\n\\providecommand{\\beyond}[1]{\\ifdefined\\pdftexversion ?\\else #1\\fi}\n";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_formulas_and_words_are_words() {
        assert_eq!(math("−1,234 ± 57", false), "$-1{,}234 \\pm 57$");
        assert_eq!(math("0.412 ± 0.006", true), "$\\mathbf{0.412 \\pm 0.006}$");
        assert_eq!(math("<0.001", false), "$<0.001$");
        assert_eq!(math(">−0.001", false), "$>-0.001$");
        assert_eq!(math("1.23\u{a0}×\u{a0}10⁻⁷", true), "$\\mathbf{1.23 \\times 10^{-7}}$");
        assert_eq!(math("(1.23 ± 0.30)\u{a0}×\u{a0}10⁻¹²", false), "$(1.23 \\pm 0.30) \\times 10^{-12}$");
        assert_eq!(math("12 (3)", false), "12 (3)");
        assert_eq!(math("–", false), "--");
        assert_eq!(math("87 %", true), "\\textbf{87 \\%}");
    }

    #[test]
    fn labels_hold_nothing_that_latex_reads() {
        assert_eq!(label("tab", &["mlce_supported", "t-SNE", "γ = 0.2"]), "tab:mlce-supported-t-sne-0-2");
        assert_eq!(label("tab", &["%", "A & B"]), "tab:a-b");
    }
}
