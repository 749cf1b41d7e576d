use proctor_types::verdict::Exhibit;

use super::*;
use crate::exhibit::ExhibitLimits;

fn levels() -> Vec<Level> {
    [
        (1.0, "Warm, and nothing is missing"),
        (0.5, "Polite"),
        (0.0, "No mail was sent"),
    ]
    .map(|(score, text)| Level {
        score,
        text: text.to_owned(),
    })
    .into()
}

fn exhibits() -> ShownExhibits {
    let mail = Exhibit {
        title: "The mail".to_owned(),
        citation: "after:gmail.message/1".parse().unwrap(),
        text: "Dear Ada,\nthank you   so much for asking.".to_owned(),
    };
    ShownExhibits::new(&[mail], &ExhibitLimits::default())
}

fn check(text: &str) -> Result<Answer, String> {
    read(text, &levels(), &exhibits())
}

#[test]
fn an_answer_that_keeps_the_rules_is_taken() {
    let answer = check(
        " {\"level\": 2, \"reason\": \"Polite.\\u001b\", \"quotes\": [\"thank you so much\"]}\n",
    )
    .unwrap();
    assert_eq!(answer.level, 1);
    assert_eq!(answer.reason, "Polite.\\u{1b}");
    assert_eq!(answer.quotes[0].text, "thank you so much");
    assert_eq!(
        answer.quotes[0].citation.to_string(),
        "after:gmail.message/1"
    );
}

#[test]
fn every_broken_rule_has_its_message() {
    let long = "x".repeat(4_001);
    for (text, message) in [
        ("", "the answer is empty"),
        (
            "I think level 2 fits.",
            "the answer is no JSON object but begins with \"I think level 2 fits.\"",
        ),
        (
            "```json\n{\"level\":1}\n```",
            "without prose or a code fence",
        ),
        (
            "{\"level\":2,\"reason\":\"r\",\"quotes\":[\"thank you so much\"]} Hope that helps!",
            "behind the JSON object stands \"Hope that helps!\"",
        ),
        (
            "{\"level\": 2,",
            "not the JSON object that was asked for: EOF while parsing",
        ),
        ("{\"level\":2,\"reason\":\"r\"}", "missing field `quotes`"),
        (
            "{\"level\":2,\"reason\":\"r\",\"quotes\":[],\"score\":1}",
            "unknown field `score`",
        ),
        (
            "{\"level\":2,\"level\":1,\"reason\":\"r\",\"quotes\":[]}",
            "duplicate field `level`",
        ),
        (
            "{\"level\":\"2\",\"reason\":\"r\",\"quotes\":[]}",
            "invalid type: string",
        ),
        (
            "{\"level\":1.5,\"reason\":\"r\",\"quotes\":[]}",
            "invalid type: floating point",
        ),
        (
            "{\"level\":4,\"reason\":\"r\",\"quotes\":[]}",
            "the level is 4; expected a number from 1 to 3",
        ),
        (
            "{\"level\":0,\"reason\":\"r\",\"quotes\":[]}",
            "the level is 0; expected a number from 1 to 3",
        ),
        (
            "{\"level\":-1,\"reason\":\"r\",\"quotes\":[]}",
            "the level is -1;",
        ),
        (
            "{\"level\":2,\"reason\":\" \",\"quotes\":[]}",
            "the reason has 0 characters",
        ),
        (
            &format!("{{\"level\":2,\"reason\":\"{long}\",\"quotes\":[]}}"),
            "the reason has 4001 characters",
        ),
        (
            "{\"level\":2,\"reason\":\"r\",\"quotes\":[]}",
            "there is no quote; level 2 has to be shown",
        ),
        (
            "{\"level\":2,\"reason\":\"r\",\"quotes\":[\"much\"]}",
            "the quote \"much\" is too short",
        ),
        (
            "{\"level\":2,\"reason\":\"r\",\"quotes\":[\"thank you so much\",\"with love, Bob\"]}",
            "the quote \"with love, Bob\" does not occur in the exhibits",
        ),
    ] {
        let error = check(text).unwrap_err();
        assert!(error.contains(message), "{text}\n{error}\n{message}");
    }
    let nested = format!("{{\"level\":{}1{}}}", "[".repeat(5_000), "]".repeat(5_000));
    assert!(
        check(&nested)
            .unwrap_err()
            .contains("invalid type: sequence")
    );
    let huge = format!("{{\"reason\":\"{}\"}}", "x".repeat(ANSWER_BYTES));
    assert!(check(&huge).unwrap_err().contains("bytes long; at most"));
    let many = vec!["thank you so much"; 21];
    let many = json!({"level": 2, "reason": "r", "quotes": many}).to_string();
    assert!(check(&many).unwrap_err().contains("there are 21 quotes"));
}

#[test]
fn what_is_absent_needs_no_quote_and_neither_do_empty_exhibits() {
    let none = |level| format!("{{\"level\":{level},\"reason\":\"r\",\"quotes\":[]}}");
    assert_eq!(check(&none(3)).unwrap().level, 2);
    // "nothing is missing" earns full points, and has to be shown.
    assert!(check(&none(1)).is_err());
    let empty = ShownExhibits::default();
    assert_eq!(read(&none(1), &levels(), &empty).unwrap().level, 0);
    let quoting = "{\"level\":1,\"reason\":\"r\",\"quotes\":[\"out of thin air\"]}";
    assert!(read(quoting, &levels(), &empty).is_err());
}

#[test]
fn a_level_says_absent_in_whole_words() {
    let says = |score, text: &str| {
        says_absent(&Level {
            score,
            text: text.to_owned(),
        })
    };
    assert!(says(0.0, "The summary is missing."));
    assert!(says(0.0, "File does not exist"));
    assert!(says(0.25, "Absent or unreadable"));
    assert!(says(0.0, "No tasks"));
    assert!(!says(0.0, "Dismissive"));
    assert!(!says(0.5, "Knows some of the facts"));
    assert!(!says(0.5, "Some facts are missing"));
    assert!(!says(1.0, "Nothing is missing"));
}

#[test]
fn the_schema_lists_the_levels() {
    let schema = schema(3);
    assert_eq!(schema["properties"]["level"]["enum"], json!([1, 2, 3]));
    assert_eq!(schema["additionalProperties"], json!(false));
}
