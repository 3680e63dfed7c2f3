//! Words for an event and for its absence, in the languages and fields that files come in.

/// Words for an event and words for its absence.
type Pair = (&'static [&'static str], &'static [&'static str]);

/// Answers without accents: yes and no, true and false, positive and negative in the twelve most spoken languages of Europe.
/// What they affirm or deny, the name of their column says.
const ANSWERS: &[Pair] = &[
    // en
    (
        &["yes", "true", "positive", "pos", "case", "present", "detected", "hit"],
        &["no", "false", "negative", "neg", "control", "absent", "not detected", "none"],
    ),
    (&["+", "plus"], &["-", "minus"]),
    (&["✓", "✔"], &["✗", "✘"]),
    // de
    (&["ja", "wahr", "positiv"], &["nein", "falsch", "negativ"]),
    // fr
    (&["oui", "vrai", "positif"], &["non", "faux", "negatif"]),
    // es, it, pt
    (&["si", "verdadero", "positivo"], &["falso", "negativo"]),
    (&["vero"], &[]),
    (&["sim", "verdadeiro"], &["nao"]),
    // nl, sv, da, no
    (&["waar", "positief"], &["nee", "onwaar", "negatief"]),
    (&["sant"], &["nej", "nei", "falskt"]),
    // pl, cs, hu, ro, tr
    (&["tak", "prawda"], &["nie", "falsz"]),
    (&["ano", "pravda"], &["ne", "nepravda"]),
    (&["igen", "igaz"], &["nem", "hamis"]),
    (&["da", "adevarat"], &["nu", "fals"]),
    (&["evet", "dogru"], &["hayir", "yanlis"]),
    // ru, uk
    (&["да", "истина"], &["нет", "ложь"]),
    (&["так", "істина"], &["ні", "хибність"]),
];

/// What an event is about. Senses of different subjects do not contradict each other with certainty.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Subject {
    Any,
    Health,
    Credit,
    Fraud,
    Churn,
}

/// Words for an event and for its absence, without accents: dead and alive, sick and healthy in the same languages; credit,
/// fraud, churn, medicine. They mean the same in a cell and in a name.
const EVENTS: &[(Subject, Pair)] = &[
    (Subject::Any, (&["event", "abnormal"], &["non event", "no event", "normal"])),
    // en
    (
        Subject::Health,
        (
            &["died", "dead", "deceased", "death", "expired", "fatal", "non survivor", "nonsurvivor", "mortality"],
            &["survived", "alive", "survivor", "living", "discharged", "lived", "survival"],
        ),
    ),
    (
        Subject::Health,
        (
            &[
                "sick",
                "ill",
                "diseased",
                "disease",
                "malignant",
                "cancer",
                "relapse",
                "relapsed",
                "recurrence",
                "recurred",
            ],
            &[
                "healthy",
                "well",
                "no disease",
                "benign",
                "no cancer",
                "remission",
                "no relapse",
                "no recurrence",
                "cured",
            ],
        ),
    ),
    (
        Subject::Health,
        (&["readmitted", "progression", "complication"], &["not readmitted", "stable", "no complication"]),
    ),
    (
        Subject::Any,
        (&["fail", "failed", "failure", "late", "mutant"], &["pass", "passed", "on time", "wildtype", "wild type"]),
    ),
    // credit, fraud, churn
    (
        Subject::Credit,
        (
            &["default", "defaulted", "bad", "charged off", "delinquent"],
            &["paid", "good", "fully paid", "repaid", "no default"],
        ),
    ),
    (
        Subject::Fraud,
        (
            &["fraud", "fraudulent", "spam", "attack", "anomaly"],
            &["legit", "legitimate", "genuine", "ham", "benign traffic", "no fraud"],
        ),
    ),
    (
        Subject::Churn,
        (
            &["churn", "churned", "cancelled", "canceled", "attrited", "attrited customer"],
            &["retained", "stayed", "active", "kept", "no churn", "existing", "existing customer"],
        ),
    ),
    // de
    (
        Subject::Any,
        (
            &["verstorben", "tot", "gestorben", "krank", "ausfall", "betrug", "ereignis"],
            &["uberlebt", "ueberlebt", "lebend", "lebt", "gesund", "bezahlt", "kein ereignis"],
        ),
    ),
    // fr
    (
        Subject::Any,
        (&["decede", "decedee", "mort", "morte", "malade"], &["vivant", "vivante", "survecu", "sain", "saine"]),
    ),
    // es, it, pt
    (
        Subject::Any,
        (&["fallecido", "fallecida", "muerto", "muerta", "enfermo"], &["vivo", "viva", "sobrevivio", "sano", "sana"]),
    ),
    (
        Subject::Any,
        (&["deceduto", "deceduta", "morto", "morta", "malato"], &["vivente", "sopravvissuto", "sopravvissuta"]),
    ),
    (Subject::Any, (&["obito", "falecido", "doente"], &["sobreviveu", "saudavel"])),
    // nl, sv, da, no
    (Subject::Any, (&["overleden", "ziek"], &["levend", "gezond"])),
    (Subject::Any, (&["avliden", "sjuk", "dod"], &["levande", "overlevde", "frisk", "levende"])),
    // pl, ro, tr
    (Subject::Any, (&["zmarl", "zmarla", "zgon", "chory"], &["zyje", "przezyl", "przezyla", "zdrowy"])),
    (Subject::Any, (&["decedat", "decedata", "bolnav"], &["viu", "supravietuitor", "sanatos"])),
    (Subject::Any, (&["oldu", "olu", "hasta"], &["yasiyor", "sag", "saglikli"])),
    // ru, uk
    (Subject::Any, (&["умер", "умерла", "болен", "дефолт"], &["жив", "жива", "выжил", "здоров"])),
    (Subject::Any, (&["помер", "померла", "хворий"], &["живий", "жива", "вижив", "здоровий"])),
];

/// Labels that are an event and its absence only beside each other, such as the abbreviations of a field: NOK and OK, Alzheimer's
/// disease and cognitively normal, high-grade and low-grade glioma, mutated and wild type.
const TOGETHER: &[[&str; 2]] = &[
    ["infected", "uninfected"],
    ["anomalous", "nominal"],
    ["nok", "ok"],
    ["ng", "ok"],
    ["defective", "conforming"],
    ["no show", "show"],
    ["noshow", "show"],
    ["bot", "human"],
    ["fake", "real"],
    ["unsafe", "safe"],
    ["ad", "cn"],
    ["ad", "hc"],
    ["ad", "nc"],
    ["mci", "cn"],
    ["asd", "td"],
    ["hgg", "lgg"],
    ["msi", "mss"],
    ["msi h", "mss"],
    ["mut", "wt"],
    ["icu", "ward"],
    ["converted", "lost"],
    ["won", "lost"],
    ["leave", "stay"],
    ["high", "low"],
    ["high risk", "low risk"],
    ["presence", "absence"],
];
/// Labels of which either may be the event: an inactive customer, an active substance. Without this rule the first would be the
/// absence of a customer who leaves.
const EITHER: [&str; 2] = ["active", "inactive"];

/// Words that only names have.
const IN_NAMES: &[(Subject, Pair)] = &[
    (Subject::Health, (&["fatality", "deaths"], &["surv", "survive", "survives", "surviving", "survivors"])),
    (Subject::Health, (&["readmission"], &[])),
    (Subject::Credit, (&["pd"], &["repay", "repayment"])),
    (Subject::Churn, (&["attrition"], &["retention"])),
];

/// Words of [`EVENTS`] that mean something else in most names: `tot` for total, `well_being`.
const NOT_IN_NAMES: &[&str] =
    &["well", "living", "tot", "sag", "hasta", "sano", "sana", "late", "stable", "active", "existing"];

/// Words before another that deny it; the second list stands behind.
const DENYING: (&[&str], &[&str]) = (&["no", "non", "not", "without"], &["free"]);

/// What a label or the name of a column says of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::data) struct Sense {
    /// it happens, rather than it does not
    pub event: bool,
    subject: Subject,
}

impl Sense {
    /// An event of any subject.
    pub fn of_any_event() -> Sense {
        Sense { event: true, subject: Subject::Any }
    }

    /// The contrary of the same event.
    pub fn denied(self) -> Sense {
        Sense { event: !self.event, ..self }
    }

    /// Whether both are about one event, as far as their words tell.
    pub fn same_subject(self, other: Sense) -> bool {
        self.subject == other.subject || [self.subject, other.subject].contains(&Subject::Any)
    }
}

/// Whether one of the words of a pair is `text`: of an event (`true`) or of its absence.
fn in_pair(text: &str, (event, none): Pair) -> Option<bool> {
    match (event.contains(&text), none.contains(&text)) {
        (true, _) => Some(true),
        (_, true) => Some(false),
        _ => None,
    }
}

/// Whether a label is a word for an event (`true`) or for its absence (`false`); `None` for any other.
pub(in crate::data) fn means_event(label: &str) -> Option<bool> {
    let label = folded(uncoded(label));
    let pairs = ANSWERS.iter().chain(EVENTS.iter().map(|(_, pair)| pair));
    pairs.copied().find_map(|pair| in_pair(&label, pair))
}

/// Which of two labels is the event by both of them, see [`TOGETHER`].
pub(in crate::data) fn event_beside_its_absence(labels: [&str; 2]) -> Option<usize> {
    let [first, second] = labels.map(|label| folded(uncoded(label)));
    TOGETHER.iter().find_map(|[event, none]| match (first.as_str(), second.as_str()) {
        (one, other) if one == *event && other == *none => Some(0),
        (one, other) if one == *none && other == *event => Some(1),
        _ => None,
    })
}

/// Either of two labels may be the event, although one of them alone would mean its absence.
pub(in crate::data) fn may_both_be_events(labels: [&str; 2]) -> bool {
    let mut labels = labels.map(|label| folded(uncoded(label)));
    labels.sort_unstable();
    labels == EITHER
}

/// Whether a label is an answer (`yes`, `false`, `1`), whatever it answers.
pub(in crate::data) fn answers(label: &str) -> Option<bool> {
    let label = folded(uncoded(label));
    match label.parse::<f64>() {
        Ok(1.0) => Some(true),
        Ok(0.0) => Some(false),
        _ => ANSWERS.iter().copied().find_map(|pair| in_pair(&label, pair)),
    }
}

/// Whether the name of a column says that its 1 is an event (`p_death`) or the absence of one (`survived`, `no_relapse`).
pub(in crate::data) fn names_event(name: &str) -> Option<bool> {
    sense(name).map(|sense| sense.event)
}

/// What a name or a label says of an event, by its last word that says anything; a word that denies it inverts it.
pub(in crate::data) fn sense(name: &str) -> Option<Sense> {
    let words = super::words(name);
    (0..words.len()).rev().find_map(|at| {
        let word = without_time(folded(words.get(at)?));
        let usable = word.chars().count() > 2 && !NOT_IN_NAMES.contains(&word.as_str());
        let known = EVENTS.iter().filter(|_| usable).chain(IN_NAMES);
        let (subject, event) = known.filter_map(|(subject, pair)| Some((*subject, in_pair(&word, *pair)?))).next()?;
        let denies = |at: usize, list: &[&str]| words.get(at).is_some_and(|word| list.contains(&word.as_str()));
        let denied = at.checked_sub(1).is_some_and(|before| denies(before, DENYING.0)) || denies(at + 1, DENYING.1);
        let sense = Sense { event, subject };
        Some(if denied { sense.denied() } else { sense })
    })
}

/// A word without the time behind it: `surv5`, `death30d`, `risk10y` → `surv`, `death`, `risk`.
pub(in crate::data) fn without_time(word: String) -> String {
    let start = word.strip_suffix(['d', 'm', 'y']).unwrap_or(&word);
    let bare = start.trim_end_matches(|c: char| c.is_ascii_digit());
    if bare.len() < start.len() { bare.to_owned() } else { word }
}

/// A label without the number that some programs write before it: `1. Yes`, `(2) No`, `1=Yes`, `1_yes`.
fn uncoded(label: &str) -> &str {
    let label = label.trim();
    let open = label.strip_prefix('(').unwrap_or(label);
    let rest = open.trim_start_matches(|c: char| c.is_ascii_digit());
    if rest.len() == open.len() {
        return label;
    }
    let behind = rest.trim_start();
    match behind.strip_prefix(['=', '.', ':', ')', '-', '_']) {
        Some(word) if word.trim_start().starts_with(char::is_alphabetic) => word.trim_start(),
        _ => label,
    }
}

/// In lower case, without accents, words apart by one space.
fn folded(label: &str) -> String {
    let plain = |c: char| match c {
        'à' | 'á' | 'â' | 'ã' | 'ä' | 'å' | 'ă' | 'ą' => 'a',
        'è' | 'é' | 'ê' | 'ë' | 'ę' | 'ě' => 'e',
        'ì' | 'í' | 'î' | 'ï' | 'ı' => 'i',
        'ò' | 'ó' | 'ô' | 'õ' | 'ö' | 'ø' => 'o',
        'ù' | 'ú' | 'û' | 'ü' | 'ů' => 'u',
        'ç' | 'ć' | 'č' => 'c',
        'ñ' | 'ń' => 'n',
        'ł' => 'l',
        'ş' | 'ș' | 'ś' | 'š' => 's',
        'ţ' | 'ț' => 't',
        'ż' | 'ź' | 'ž' => 'z',
        'ğ' => 'g',
        '-' | '_' | '.' => ' ',
        other => other,
    };
    if matches!(label.trim(), "-" | "−" | "–") {
        return "-".to_owned();
    }
    // a dotted capital I becomes two characters in lower case
    let lower = label.trim().to_lowercase().replace('\u{307}', "");
    lower.chars().map(plain).collect::<String>().split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_many_languages() {
        let pairs = [
            ("ja", "nein"),
            ("Ja", "Nej"),
            ("да", "нет"),
            ("verstorben", "überlebt"),
            ("décédé", "vivant"),
            ("bad", "good"),
            ("default", "paid"),
            ("fraud", "legit"),
            ("churned", "retained"),
            ("relapse", "remission"),
            ("Sí", "No"),
            ("oui", "non"),
            ("tak", "nie"),
            ("так", "ні"),
            ("EVET", "HAYIR"),
            ("sim", "não"),
            ("da", "nu"),
            ("died", "survived"),
            ("Yes", "No"),
            ("TRUE", "FALSE"),
            ("zmarł", "żyje"),
            ("malignant", "benign"),
        ];
        for (event, none) in pairs {
            assert_eq!((means_event(event), means_event(none)), (Some(true), Some(false)), "{event} {none}");
        }
        assert_eq!(means_event("cat"), None);
        let coded = ["1. Yes", "(2) No", "1=Yes", "1_yes", "2 - no", "2.5", "+", "-", "Attrited Customer"];
        let known =
            [Some(true), Some(false), Some(true), Some(true), Some(false), None, Some(true), Some(false), Some(true)];
        assert_eq!(coded.map(means_event), known);
        assert_eq!(
            ["p_death", "survived", "risk", "P(died)"].map(names_event),
            [Some(true), Some(false), None, Some(true)]
        );
        // what is denied is the contrary; an answer says nothing of the event
        assert_eq!(
            ["no_relapse", "Not readmitted", "event_free", "p_surv", "prob_positive", "non_survivor"].map(names_event),
            [Some(false), Some(false), Some(false), Some(false), None, Some(true)]
        );
        let same = |a: &str, b: &str| sense(a).zip(sense(b)).map(|(a, b)| a.same_subject(b));
        assert_eq!(same("survived", "p_relapse"), Some(true));
        assert_eq!(same("survived", "p_default"), Some(false));
    }
}
