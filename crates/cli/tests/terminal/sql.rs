//! Statements that count rows where they are.

use crate::made::Folder;

#[test]
fn a_statement_is_written_for_a_dialect() {
    let folder = Folder::with_patients();
    let asked = "sql --dialect spark --table db.visits --score risk --outcome died --by ward --month admitted";
    let ended = folder.run(asked);
    assert_eq!(ended.status, Some(0), "{}", ended.err);
    for part in ["FROM `db`.`visits`", "CAST(`risk` AS DOUBLE)", "`ward`", "`admitted`", "GROUP BY group_1, year_month"]
    {
        assert!(ended.text().contains(part), "{part} is not in\n{}", ended.text());
    }
    assert!(ended.err.contains("cells for each combination of `ward`, `admitted`"), "{}", ended.err);
    let ended = folder.run(&format!("{asked} --json --feature age=0:100:20 --cells 240 --combinations 24"));
    let answer = ended.json();
    assert!(answer["sql"].as_str().is_some_and(|sql| sql.contains("feature_1")), "{}", ended.text());
    assert!(answer["notes"][0].as_str().is_some_and(|note| note.contains("480 combinations")), "{}", ended.text());
}

#[test]
fn an_unknown_dialect_is_answered_with_those_there_are() {
    let folder = Folder::with_patients();
    let ended = folder.run("sql --dialect oracle --table t --score p --outcome y");
    assert_eq!(ended.status, Some(1));
    for word in ["There is no SQL dialect `oracle`", "duckdb", "sqlserver", "sqlite"] {
        assert!(ended.err.contains(word), "{word} is not in {}", ended.err);
    }
    let ended = folder.run("sql --dialect duckdb --table t --score p --outcome y --feature age");
    assert_eq!(ended.status, Some(2));
    assert!(ended.err.contains("age=0:100:20"), "{}", ended.err);
}
