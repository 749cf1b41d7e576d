use proctor_types::verdict::{Level, Question};

use super::*;

fn answer(trial: &str, criterion: &str, score: Option<f64>) -> Answer {
    Answer {
        trial: trial.to_owned(),
        criterion: criterion.to_owned(),
        levels: vec![1.0, 0.5, 0.0],
        score,
        reason: format!("Because of {trial}."),
    }
}

fn judged() -> Vec<Answer> {
    vec![
        answer("t.a.0", "tone", Some(1.0)),
        answer("t.a.1", "tone", Some(1.0)),
        answer("t.a.2", "tone", Some(0.0)),
        answer("t.a.0", "facts", Some(0.5)),
        answer("t.a.1", "facts", None),
    ]
}

const LABELS: &str = "trial, criterion, level, comment\n\
    t.a.0, tone, 1,\"well, yes\"\n\
    t.a.1, tone, 3,\n\
    t.a.2, tone, 3,\n\
    t.a.0, facts, 1,\n\
    t.a.1, facts, 1,\n\
    t.a.9, tone, 1,\n";

#[test]
fn labels_and_answers_are_compared() {
    let found = calibrate(&read_labels(LABELS).unwrap(), &judged()).unwrap();
    let Agreement {
        pairs,
        same,
        accuracy,
        kappa,
        bias,
    } = found.all;
    assert_eq!((pairs, same), (4, 2));
    assert!((accuracy - 0.5).abs() < 1e-12);
    // People 1, 0, 0, 1; the judge 1, 1, 0, 0.5. Observed (1 + 0.25) / 4 =
    // 0.3125. Expected, by hand over the products of the shares (people half 0,
    // half 1; the judge half 1, a quarter 0.5, a quarter 0): 0 with 1: 0.25 * 1;
    // 0 with 0.5: 0.125 * 0.25; 1 with 0.5: 0.125 * 0.25; 1 with 0: 0.125 * 1 =
    // 0.4375.
    assert!((kappa.unwrap() - (1.0 - 0.3125 / 0.4375)).abs() < 1e-12);
    assert!((bias - 0.125).abs() < 1e-12);
    assert_eq!(found.criteria["tone"].same, 2);
    assert_eq!(found.criteria["facts"].pairs, 1);
    assert_eq!(found.confusion.scores, [1.0, 0.5, 0.0]);
    assert_eq!(found.confusion.counts, [[1, 1, 0], [0, 0, 0], [1, 0, 1]]);
    let where_: Vec<_> = found
        .disagreements
        .iter()
        .map(|one| (one.trial.as_str(), one.criterion.as_str()))
        .collect();
    assert_eq!(where_, [("t.a.1", "tone"), ("t.a.0", "facts")]);
    assert_eq!(found.open, ["t.a.1 facts"]);
    assert_eq!(found.unmatched, ["t.a.9 tone"]);
}

#[test]
fn the_report_says_where_and_why() {
    let found = calibrate(&read_labels(LABELS).unwrap(), &judged()).unwrap();
    assert_eq!(
        found.to_string(),
        "Judge and people on 4 labels: 2 alike (50.0 %), weighted kappa 0.286, the judge is \
         0.125 milder\n  \
         facts: 1 label: 0 alike (0.0 %), weighted kappa 0.000, the judge is 0.500 stricter\n  \
         tone: 3 labels: 2 alike (66.7 %), weighted kappa 0.400, the judge is 0.333 milder\n\
         \n\
         people \\ judge       1     0.5       0\n             \
         1       1       1       0\n           \
         0.5       0       0       0\n             \
         0       1       0       1\n\
         \n\
         Where they differ:\n  \
         t.a.1 tone: people 0, judge 1: Because of t.a.1.\n  \
         t.a.0 facts: people 1, judge 0.5: Because of t.a.0.\n\
         \n\
         Labelled, and left open by the judge: 1\n  t.a.1 facts\n\
         \n\
         Labelled, and not there to be judged: 1\n  t.a.9 tone\n"
    );
}

#[test]
fn both_forms_of_a_file_say_the_same() {
    let json = "{\"trial\": \"t\", \"criterion\": \"c\", \"level\": 2}\n\n\
                {\"trial\": \"t\", \"criterion\": \"d\", \"score\": 0.5, \"by\": \"ada\"}\n";
    let csv = "\u{feff}criterion,trial,score,level\nc,t,,2\nd,t,0.5,\n";
    let (json, csv) = (read_labels(json).unwrap(), read_labels(csv).unwrap());
    assert_eq!(json.len(), 2);
    for (json, csv) in json.iter().zip(&csv) {
        assert_eq!((json.chosen, &json.criterion), (csv.chosen, &csv.criterion));
        assert!((json.score(&[1.0, 0.5]).unwrap() - 0.5).abs() < 1e-12);
    }
    assert_eq!((json[1].line, csv[1].line), (3, 3));
}

#[test]
fn what_is_no_label_is_named_by_its_line() {
    for (text, message) in [
        (
            "{\"trial\": \"t\"}",
            "line 1: no label: missing field `criterion`",
        ),
        (
            "{\"trial\":\"t\",\"criterion\":\"c\",\"level\":1}\n{\"x\":1}",
            "line 2: no label: unknown field `x`",
        ),
        (
            "{\"trial\":\"t\",\"criterion\":\"c\"}",
            "line 1: no label: expected `trial`",
        ),
        (
            "trial,criterion,level\nt,c,1\nt,c,2",
            "line 3: `c` of t is labelled already, in line 2",
        ),
        ("trial,criterion,level\nt,c,good", "line 2: no label: "),
        ("trial,criterion,level\nt,c", "line 2: no label: "),
        (
            "trial,criterion,level,score\nt,c,1,1",
            "line 2: no label: expected `trial`",
        ),
    ] {
        let error = read_labels(text).unwrap_err().to_string();
        assert!(error.starts_with(message), "{error}");
    }
}

#[test]
fn labels_that_fit_nothing_are_an_error_with_an_example() {
    let labels = read_labels("trial,criterion,level\nt.a.0,tone,4").unwrap();
    let error = calibrate(&labels, &judged()).unwrap_err().to_string();
    assert_eq!(
        error,
        "line 2: level 4 is no level of the criterion `tone` in t.a.0; it has the levels 1 (1), 2 \
         (0.5), 3 (0)"
    );
    let labels = read_labels("trial,criterion,score\nt.a.0,tone,0.7").unwrap();
    assert!(calibrate(&labels, &judged()).is_err());
    let labels = read_labels("trial,criterion,level\nx,y,1").unwrap();
    let error = calibrate(&labels, &judged()).unwrap_err().to_string();
    assert!(error.ends_with("such as `t.a.0`, `tone`"), "{error}");
}

#[test]
fn answers_are_what_a_judge_decided_or_should_have() {
    let criterion = |id: &str, status, points| Criterion {
        id: id.to_owned(),
        title: "T".to_owned(),
        category: "c".to_owned(),
        status,
        points,
        max: 4.0,
        reason: "r".to_owned(),
        citations: Vec::new(),
        question: Some(Question {
            text: "q".to_owned(),
            levels: vec![Level {
                score: 0.5,
                text: "half".to_owned(),
            }],
            exhibits: Vec::new(),
        }),
    };
    let mut graded = criterion("g", Status::Graded, Some(4.0));
    graded.question = None;
    let criteria = [
        graded,
        criterion("j", Status::Judged, Some(2.0)),
        criterion("o", Status::Open, None),
    ];
    let found = answers("t.a.0", &criteria);
    let scores: Vec<_> = found
        .iter()
        .map(|one| (one.criterion.as_str(), one.score))
        .collect();
    assert_eq!(scores, [("j", Some(0.5)), ("o", None)]);
    assert_eq!(found[0].levels, [0.5]);
}
