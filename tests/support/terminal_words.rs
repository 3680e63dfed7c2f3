//! What is never said in a terminal.

/// What of a sentence only a script or the page would say, if anything. Lines of Python, which some hints hold between
/// back quotes, are no part of the sentence.
pub fn not_of_a_terminal(sentence: &str) -> Option<String> {
    let plain = |(i, part): &(usize, &str)| i % 2 == 0 || !part.contains('(');
    let text: String = sentence.split('`').enumerate().filter(plain).map(|(_, part)| part).collect();
    let inside = |word: &str| {
        let after = text.split_once(word).and_then(|(_, after)| after.chars().next());
        after.is_some_and(|c| c.is_ascii_lowercase())
    };
    let words = [
        "{ ",
        "scripts:",
        "typed interface",
        "README",
        "under Data",
        "Under Data",
        "line at the top",
        "Drop ",
        " drop ",
    ];
    let fields = ["parameters.", "local.", "proximity.", "gammas."];
    let word = words.into_iter().find(|word| text.contains(word)).or(fields.into_iter().find(|word| inside(word)));
    let value = [": \"", ": [", ": true", ": false"].into_iter().find(|value| text.contains(value));
    word.or(value).map(str::to_owned)
}
