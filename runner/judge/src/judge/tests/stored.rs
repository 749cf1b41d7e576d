//! Answers that were given before.

use super::*;
use crate::call::to_jsonl;
use crate::provider::Recorded;

#[tokio::test]
async fn stored_answers_are_taken_unless_fresh() {
    let two = Options {
        votes: 2,
        ..options()
    };
    let provider = scripted([Ok("prose".to_owned()), good(1), good(2)]);
    let (first, judged) = one(&provider, two.clone()).await;
    let bytes = to_jsonl(&judged.calls).unwrap();
    let stored = Stored::read(bytes.as_slice(), "judge.jsonl").unwrap();
    let again = async |options: Options, criteria: &[Criterion], provider: Arc<Scripted>| {
        let judge = Judge::new(provider, options).unwrap();
        let case = Case {
            criteria,
            exhibits: &[],
            expected: None,
            agent_models: &[],
        };
        judge.judge(case, &stored).await.unwrap()
    };
    // Also of a criterion that a judge has judged before.
    let reused = again(two.clone(), std::slice::from_ref(&first), scripted([])).await;
    assert_eq!(reused.criteria[0], first);
    assert!(reused.calls.is_empty() && reused.usage.total() == 0);
    assert!(reused.judgements[0].votes.iter().all(|vote| vote.reused));
    // A third vote is asked for, and only that.
    let three = Options {
        votes: 3,
        ..options()
    };
    let more = again(three, &[open("tone", MAIL)], scripted([good(2)])).await;
    assert_eq!((more.calls.len(), more.calls[0].request.vote), (1, 3));
    // Another exhibit is another question.
    let other = format!("{MAIL}.");
    let asked = again(options(), &[open("tone", &other)], scripted([good(1)])).await;
    assert_eq!(asked.calls.len(), 1);
    let fresh = Options { fresh: true, ..two };
    let asked = again(fresh, &[open("tone", MAIL)], scripted([good(3), good(3)])).await;
    assert_eq!(
        (asked.calls.len(), asked.criteria[0].points),
        (2, Some(0.0))
    );
}

#[tokio::test]
async fn an_edited_store_is_not_believed() {
    let provider = scripted([good(3)]);
    let (_, judged) = one(&provider, options()).await;
    let mut calls = judged.calls;
    calls[0].answer = answer(1, "words of the editor's own").ok();
    let judge = Judge::new(scripted([good(2)]), options()).unwrap();
    let case = Case {
        criteria: &[open("tone", MAIL)],
        exhibits: &[],
        expected: None,
        agent_models: &[],
    };
    let judged = judge.judge(case, &Stored::new(calls)).await.unwrap();
    assert_eq!(judged.criteria[0].points, Some(2.0));
    assert_eq!(judged.calls.len(), 1);
}

#[tokio::test]
async fn a_record_plays_a_whole_run_again() {
    let provider = scripted([answer(1, "with all my love"), http(503), good(2)]);
    let (first, judged) = one(&provider, options()).await;
    let recorded = Recorded::new(&Stored::new(judged.calls.clone()), "r.jsonl").unwrap();
    let play = async |criterion: Criterion| {
        let recorded = Recorded::new(&Stored::new(judged.calls.clone()), "r.jsonl").unwrap();
        let judge = Judge::new(Arc::new(recorded), options()).unwrap();
        let case = Case {
            criteria: &[criterion],
            exhibits: &[],
            expected: None,
            agent_models: &[],
        };
        judge.judge(case, &Stored::default()).await.unwrap()
    };
    assert_eq!(recorded.judge(), "anthropic/claude-judge-1");
    let played = play(open("tone", MAIL)).await;
    assert_eq!(played.criteria[0], first);
    assert_eq!(played.calls[0].provider, "recorded");
    let replies = |judged: &[Call]| -> Vec<_> {
        judged
            .iter()
            .map(|call| (call.reply.clone(), call.failure.clone()))
            .collect()
    };
    assert_eq!(replies(&played.calls), replies(&judged.calls));
    let other = play(open("other", MAIL)).await;
    let reason = &other.criteria[0].reason;
    assert!(
        reason.starts_with("Not judged: r.jsonl has no answer to this request"),
        "{reason}"
    );
    assert!(Recorded::new(&Stored::default(), "r.jsonl").is_err());
    let mut mixed = judged.calls.clone();
    mixed[1].request.judge = "openai/gpt".to_owned();
    let error = Recorded::new(&Stored::new(mixed), "r.jsonl").unwrap_err();
    assert!(
        error
            .to_string()
            .contains("several judges, anthropic/claude-judge-1 and openai/gpt")
    );
}
