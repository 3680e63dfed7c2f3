//! Words for an event and for its absence, in the languages and fields that files come in.

/// Words for an event and for its absence, without accents: either decides which label is the event. Yes and no, true and
/// false, dead and alive, sick and healthy in the twelve most spoken languages of Europe; credit, fraud, churn, medicine.
const PAIRS: &[(&[&str], &[&str])] = &[
    // en
    (
        &["yes", "true", "event", "positive", "pos", "case", "abnormal", "present", "detected", "hit"],
        &[
            "no",
            "false",
            "non event",
            "no event",
            "negative",
            "neg",
            "control",
            "normal",
            "absent",
            "not detected",
            "none",
        ],
    ),
    (
        &["died", "dead", "deceased", "death", "expired", "fatal", "non survivor", "nonsurvivor"],
        &["survived", "alive", "survivor", "living", "discharged", "lived", "survival"],
    ),
    (
        &["sick", "ill", "diseased", "disease", "malignant", "cancer", "relapse", "relapsed", "recurrence", "recurred"],
        &["healthy", "well", "no disease", "benign", "no cancer", "remission", "no relapse", "no recurrence", "cured"],
    ),
    (&["readmitted", "progression", "complication"], &["not readmitted", "stable", "no complication"]),
    // credit, fraud, churn
    (
        &["default", "defaulted", "bad", "charged off", "delinquent"],
        &["paid", "good", "fully paid", "repaid", "no default"],
    ),
    (
        &["fraud", "fraudulent", "spam", "attack", "anomaly"],
        &["legit", "legitimate", "genuine", "ham", "benign traffic", "no fraud"],
    ),
    (&["churn", "churned", "cancelled", "canceled"], &["retained", "stayed", "active", "kept", "no churn"]),
    // de
    (
        &["ja", "wahr", "positiv", "verstorben", "tot", "gestorben", "krank", "ausfall", "betrug", "ereignis"],
        &["nein", "falsch", "negativ", "uberlebt", "ueberlebt", "lebend", "lebt", "gesund", "bezahlt", "kein ereignis"],
    ),
    // fr
    (
        &["oui", "vrai", "positif", "decede", "decedee", "mort", "morte", "malade"],
        &["non", "faux", "negatif", "vivant", "vivante", "survecu", "sain", "saine"],
    ),
    // es, it, pt
    (
        &["si", "verdadero", "positivo", "fallecido", "fallecida", "muerto", "muerta", "enfermo"],
        &["falso", "negativo", "vivo", "viva", "sobrevivio", "sano", "sana"],
    ),
    (&["vero", "deceduto", "deceduta", "morto", "morta", "malato"], &["vivente", "sopravvissuto", "sopravvissuta"]),
    (&["sim", "verdadeiro", "obito", "falecido", "doente"], &["nao", "sobreviveu", "saudavel"]),
    // nl, sv, da, no
    (&["waar", "positief", "overleden", "ziek"], &["nee", "onwaar", "negatief", "levend", "gezond"]),
    (&["sant", "avliden", "sjuk", "dod"], &["nej", "nei", "falskt", "levande", "overlevde", "frisk", "levende"]),
    // pl, ro, tr
    (
        &["tak", "prawda", "zmarl", "zmarla", "zgon", "chory"],
        &["nie", "falsz", "zyje", "przezyl", "przezyla", "zdrowy"],
    ),
    (&["da", "adevarat", "decedat", "decedata", "bolnav"], &["nu", "fals", "viu", "supravietuitor", "sanatos"]),
    (&["evet", "dogru", "oldu", "olu", "hasta"], &["hayir", "yanlis", "yasiyor", "sag", "saglikli"]),
    // ru, uk
    (&["да", "истина", "умер", "умерла", "болен", "дефолт"], &["нет", "ложь", "жив", "жива", "выжил", "здоров"]),
    (&["так", "істина", "помер", "померла", "хворий"], &["ні", "хибність", "живий", "жива", "вижив", "здоровий"]),
];

/// Whether a label is a word for an event (`true`) or for its absence (`false`); `None` for any other.
pub(in crate::data) fn means_event(label: &str) -> Option<bool> {
    let label = folded(label);
    let says = |words: &[&str]| words.contains(&label.as_str());
    PAIRS.iter().find_map(|(event, none)| match (says(event), says(none)) {
        (true, _) => Some(true),
        (_, true) => Some(false),
        _ => None,
    })
}

/// Whether the name of a column says that its 1 is an event (`p_death`) or the absence of one (`survived`).
pub(in crate::data) fn names_event(name: &str) -> Option<bool> {
    let words = super::words(name);
    words.iter().rev().find_map(|word| means_event(word).filter(|_| word.chars().count() > 2))
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
        assert_eq!(
            ["p_death", "survived", "risk", "P(died)"].map(names_event),
            [Some(true), Some(false), None, Some(true)]
        );
    }
}
