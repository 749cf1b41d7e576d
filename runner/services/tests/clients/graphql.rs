//! Queries by hand: what no client sends.

use serde_json::Value;

use crate::hydra::Bench;

#[tokio::test(flavor = "multi_thread")]
async fn queries_that_are_bombs_are_refused() {
    let bench = Bench::new();
    let post = |query: String| {
        let body = serde_json::json!({"query": query}).to_string();
        std::fs::write(bench.file("query"), body).unwrap();
        "curl -sS -H 'authorization: bearer x' --data-binary @query https://api.github.com/graphql"
    };
    let deep = format!(
        "{{viewer{{{}login{}}}}}",
        "organizations{nodes{teams{nodes{organization{".repeat(8),
        "}}}}}".repeat(8)
    );
    let wide = (0..4_000).fold(String::new(), |wide, n| {
        wide + "a" + &n.to_string() + ":viewer{login} "
    });
    for query in [
        deep,
        format!("{{{wide}}}"),
        format!("{{{}", "a{".repeat(5_000)),
    ] {
        let answer = bench.json("", post(query)).await;
        assert!(
            answer["errors"][0]["message"].is_string() && answer["data"].is_null(),
            "{answer}"
        );
    }
    let answer = bench
        .json(
            "",
            post("{repository(owner:\"a\",name:\"b\"){id}}".to_owned()),
        )
        .await;
    assert_eq!(
        (&answer["errors"][0]["type"], &answer["data"]["repository"]),
        (&"NOT_FOUND".into(), &Value::Null)
    );
    let answer = bench
        .json(
            "",
            post("{__type(name:\"PullRequest\"){fields{name}}}".to_owned()),
        )
        .await;
    assert!(answer["data"]["__type"]["fields"].as_array().unwrap().len() > 40);
    bench.close().await;
}
