use super::*;
use crate::task::format::sections;

fn rubric(body: &str) -> (Result<Vec<RubricCriterion>, String>, Vec<String>) {
    let text = format!("## LLM Judge Rubric\n{body}");
    let section = sections::split(&text, 1).unwrap()[0];
    let mut warnings = Vec::new();
    let read = read("t.md", &section, &mut warnings).map_err(|error| error.to_string());
    (read, warnings.iter().map(ToString::to_string).collect())
}

fn levels_of(body: &str) -> Vec<(f64, String)> {
    let (read, _) = rubric(&format!("### Criterion 1: A (Weight: 100%)\n\n{body}"));
    read.unwrap()
        .remove(0)
        .levels
        .into_iter()
        .map(|level| (level.score, level.text))
        .collect()
}

#[test]
fn headings_give_names_weights_and_ids() {
    let body = "\n### Criterion 1: Information Extraction (Weight: 40%)\n\n**Score 1.0**: All.\n**Score 0.0**: None.\n\n### Criterion 2: Größe (ä) (Weight: 60 %)\n\n**Score 1.0**: x\n";
    let (read, warnings) = rubric(body);
    let read = read.unwrap();
    assert_eq!(read[0].id, "rubric_information_extraction");
    assert_eq!(read[0].name, "Information Extraction");
    assert!((read[0].weight - 0.4).abs() < 1e-12);
    assert_eq!(read[0].levels.len(), 2);
    assert_eq!(
        (read[1].id.as_str(), read[1].name.as_str()),
        ("rubric_gr_e", "Größe (ä)")
    );
    assert!(warnings.is_empty(), "{warnings:?}");
}

#[test]
fn levels_come_in_every_form_of_the_field() {
    let expected = [(1.0, "Best."), (0.75, "Good: most."), (0.0, "None.")];
    for body in [
        "**Score 1.0**: Best.\n**Score 0.75**: Good: most.\n**Score 0.0**: None.\n",
        "- **Score 1.0:** Best.\n- **Score 0.75:** Good:\n  most.\n- **Score 0.0:** None.\n",
        "* Score 0.0: None.\n* Score 1.0: Best.\n* Score 0.75: Good: most.\n",
        "Score 1.0: Best. Score 0.75: Good: most. Score 0.0: None.\n",
        "**Score 1.0**: Best. **Score 0.75**: Good: most. **Score 0.0**: None.",
        "score 1: Best.\n\nSCORE .75: Good:\nmost.\n\nScore 0: None.",
    ] {
        let levels = levels_of(body);
        let levels: Vec<_> = levels
            .iter()
            .map(|(score, text)| (*score, text.as_str()))
            .collect();
        assert_eq!(levels, expected, "{body}");
    }
}

#[test]
fn a_score_that_a_text_mentions_is_no_level() {
    let levels = levels_of(
        "**Score 1.0**: all of it\n**Score 0.5**: not worth Score 1.0: some is missing; the Scores vary\n",
    );
    assert_eq!(levels.len(), 2);
    assert_eq!(
        levels[1].1,
        "not worth Score 1.0: some is missing; the Scores vary"
    );
}

#[test]
fn a_rubric_may_stand_in_a_fence() {
    for fence in ["```", "~~~~", "```markdown"] {
        let end: String = fence.chars().take_while(|c| "`~".contains(*c)).collect();
        let body = format!(
            "Use this:\n\n{fence}\n### Criterion 1: A (Weight: 50%)\nScore 1.0: a\n\n## Criterion 2: B (Weight: 50%)\nScore 1.0: b\n{end}\n"
        );
        let (read, warnings) = rubric(&body);
        assert_eq!(read.unwrap().len(), 2, "{fence}");
        assert!(warnings.is_empty());
    }
    let (read, _) =
        rubric("Use this:\n\n```\n### Criterion 1: A (Weight: lots)\nScore 1.0: a\n```\n");
    assert!(
        read.unwrap_err()
            .starts_with("t.md:5: the rubric has a weight `(Weight: lots)`;")
    );
}

#[test]
fn weights_that_do_not_sum_to_a_hundred_are_scaled_with_a_warning() {
    let body = "### Criterion 1: A (Weight: 30%)\nScore 1.0: a\n### Criterion 2: B (Weight: 30%)\nScore 1.0: b\n";
    let (read, warnings) = rubric(body);
    assert!(
        read.unwrap()
            .iter()
            .all(|criterion| (criterion.weight - 0.5).abs() < 1e-12)
    );
    assert_eq!(
        warnings,
        ["t.md:1: the weights of the rubric sum to 60 %, not to 100 %; they are scaled"]
    );
    let thirds = "### Criterion 1: A (Weight: 33.3%)\nScore 1.0: a\n### Criterion 2: B (Weight: 33.3%)\nScore 1.0: b\n### Criterion 3: A (Weight: 33.3%)\nScore 1.0: b\n";
    let (read, warnings) = rubric(thirds);
    let ids: Vec<_> = read
        .unwrap()
        .into_iter()
        .map(|criterion| criterion.id)
        .collect();
    assert_eq!(ids, ["rubric_a", "rubric_b", "rubric_a_3"]);
    assert!(warnings.is_empty());
}

#[test]
fn no_weights_at_all_count_the_same_and_are_remarked() {
    let (read, warnings) =
        rubric("### Criterion 1: A\nScore 0.5: a\n### Criterion 2: B\nScore 1.0: b\n");
    assert!(
        read.unwrap()
            .iter()
            .all(|criterion| (criterion.weight - 0.5).abs() < 1e-12)
    );
    assert_eq!(
        warnings,
        [
            "t.md:2: the best level of the rubric criterion `A` is 0.5: nobody can earn full marks",
            "t.md:1: no criterion of the rubric has a weight; all count the same",
        ]
    );
}

#[test]
fn broken_rubrics_say_where_and_what_was_expected() {
    let criterion = "### Criterion 1: A (Weight: 100%)\n";
    for (body, message) in [
        (
            "Be fair.\n",
            "t.md:1: the rubric has no criteria; expected `### Criterion 1: Name (Weight: 40%)`",
        ),
        (
            criterion,
            "t.md:2: the rubric criterion `A` has no levels; expected levels such as",
        ),
        (
            &format!("{criterion}Score 1.5: x\n"),
            "t.md:2: the rubric criterion `A` has a level `Score 1.5`; expected scores from 0 to 1",
        ),
        (
            &format!("{criterion}Score 1.0: x\nScore 1: y\n"),
            "t.md:2: the rubric criterion `A` has two levels `Score 1`",
        ),
        (
            &format!("{criterion}Score 1.0:\nScore 0.0: y\n"),
            "t.md:2: the rubric criterion `A` says nothing for `Score 1`",
        ),
        (
            "\n### Criterion 1: A (Weight: 40)\nScore 1.0: x\n",
            "t.md:3: the rubric has a weight `(Weight: 40)`; expected `(Weight: 40%)`",
        ),
        (
            "### Criterion 1: A (Weight: -5%)\nScore 1.0: x\n",
            "t.md:2: the rubric has a weight",
        ),
        (
            "### Criterion 1: A (Weight: NaN%)\nScore 1.0: x\n",
            "t.md:2: the rubric has a weight",
        ),
        (
            "### Criterion 1: A (Weight: 0%)\nScore 1.0: x\n",
            "t.md:2: the rubric gives every criterion a weight of 0 %",
        ),
        (
            "### Criterion 1: A (Weight: 50%)\nScore 1.0: x\n### Criterion 2: B\nScore 1.0: x\n",
            "t.md:4: the rubric criterion `B` has no weight, and others do",
        ),
        (
            "### Criterion 1: (Weight: 50%)\nScore 1.0: x\n",
            "t.md:2: the rubric has a criterion without a usable name",
        ),
    ] {
        let error = rubric(body).0.unwrap_err();
        assert!(error.starts_with(message), "{error}\n{message}");
    }
}
