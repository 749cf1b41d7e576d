//! Against a server on loopback that says what it is told to.

use std::sync::Arc;
use std::time::Duration;

use proctor_model::Secret;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;

use super::*;

const KEY: &str = "sk-planted-key-0123456789";

/// Status and body, or silence.
type Served = Option<(u16, String)>;

/// Answers each connection with the next of `replies`, status and body; none
/// leaves the connection open and silent. Returns the address and what was
/// asked: head and body.
async fn server(replies: Vec<Served>) -> (String, mpsc::UnboundedReceiver<(String, Value)>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let (asked, seen) = mpsc::unbounded_channel();
    tokio::spawn(async move {
        let mut silent = Vec::new();
        for reply in replies {
            let (mut stream, _) = listener.accept().await.unwrap();
            let request = request(&mut stream).await;
            _ = asked.send(request);
            let Some((status, body)) = reply else {
                silent.push(stream);
                continue;
            };
            let head = format!(
                "HTTP/1.1 {status} X\r\ncontent-type: application/json\r\ncontent-length: \
                 {}\r\nconnection: close\r\n\r\n",
                body.len()
            );
            _ = stream.write_all(head.as_bytes()).await;
            _ = stream.write_all(body.as_bytes()).await;
            _ = stream.shutdown().await;
        }
        std::future::pending::<()>().await;
    });
    (address, seen)
}

async fn request(stream: &mut TcpStream) -> (String, Value) {
    let mut bytes = Vec::new();
    loop {
        assert!(stream.read_buf(&mut bytes).await.unwrap() > 0, "cut off");
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let Some((head, body)) = text.split_once("\r\n\r\n") else {
            continue;
        };
        let head = head.to_lowercase();
        let length = head.split("content-length: ").nth(1).unwrap();
        let length: usize = length.lines().next().unwrap().parse().unwrap();
        if body.len() >= length {
            return (head, serde_json::from_str(body).unwrap());
        }
    }
}

fn model(api: ModelApi, address: &str) -> Model {
    let mut config = ClientConfig::new(api);
    config.base_url = Some(address.to_owned());
    config.key = Some(Secret::new(KEY).unwrap());
    config.attempts = 1;
    config.timeout = Duration::from_secs(20);
    let kind = match api {
        ModelApi::Anthropic => "anthropic",
        _ => "openai-compatible",
    };
    Model::new(kind, "judge-1", config).unwrap()
}

fn ask() -> Ask {
    Ask {
        schema: crate::ask::REQUEST_SCHEMA.to_owned(),
        judge: "anthropic/judge-1".to_owned(),
        criterion: "tone".to_owned(),
        vote: 1,
        attempt: 1,
        system: "rules".to_owned(),
        user: "question".to_owned(),
        answer: crate::answer::schema(3),
        max_tokens: 100,
        temperature: None,
    }
}

#[allow(clippy::unnecessary_wraps, reason = "one of several replies")]
fn anthropic(content: &Value, stop: &str) -> Served {
    let body = json!({
        "id": "msg_1", "type": "message", "role": "assistant", "model": "judge-1-20260101",
        "content": content, "stop_reason": stop,
        "usage": {"input_tokens": 12, "output_tokens": 5}
    });
    Some((200, body.to_string()))
}

#[allow(clippy::unnecessary_wraps, reason = "one of several replies")]
fn openai(message: &Value, finish: &str) -> Served {
    let body = json!({
        "id": "c_1", "object": "chat.completion", "model": "judge-1",
        "choices": [{"index": 0, "message": message, "finish_reason": finish}],
        "usage": {"prompt_tokens": 12, "completion_tokens": 5, "total_tokens": 17}
    });
    Some((200, body.to_string()))
}

#[tokio::test]
async fn anthropic_has_to_call_a_tool_with_the_answer() {
    let content = json!([
        {"type": "text", "text": "Let me see."},
        {"type": "tool_use", "id": "t", "name": ANSWER, "input": {"level": 2}}
    ]);
    let (address, mut seen) = server(vec![anthropic(&content, "tool_use")]).await;
    let reply = model(ModelApi::Anthropic, &address).ask(&ask()).await;
    assert_eq!(reply.answer.as_deref(), Ok("{\"level\":2}"));
    assert_eq!(reply.model.as_deref(), Some("judge-1-20260101"));
    assert_eq!((reply.usage.input, reply.usage.output), (12, 5));
    assert!(reply.body.contains("msg_1"));
    let (head, body) = seen.recv().await.unwrap();
    assert!(head.contains(&format!("x-api-key: {KEY}")));
    assert_eq!(body["tool_choice"], json!({"type": "tool", "name": ANSWER}));
    assert_eq!(body["tools"][0]["input_schema"], ask().answer);
    assert_eq!(
        (&body["system"], &body["max_tokens"]),
        (&json!("rules"), &json!(100))
    );
    assert!(body.get("temperature").is_none());
}

#[tokio::test]
async fn openai_is_held_to_the_schema_and_its_text_is_the_answer() {
    let answer = json!({"role": "assistant", "content": "{\"level\": 2} or so"});
    let (address, mut seen) = server(vec![openai(&answer, "stop")]).await;
    let judge = model(ModelApi::OpenaiChat, &address);
    assert_eq!(judge.judge(), "openai-compatible/judge-1");
    let reply = judge.ask(&ask()).await;
    // With all that stands around it: that is looked at later.
    assert_eq!(reply.answer.as_deref(), Ok("{\"level\": 2} or so"));
    let (_, body) = seen.recv().await.unwrap();
    let format = &body["response_format"]["json_schema"];
    assert_eq!(
        (&format["strict"], &format["schema"]),
        (&json!(true), &ask().answer)
    );
}

#[tokio::test]
async fn a_server_without_schemas_is_asked_without() {
    let no = json!({"error": {"message": "Unknown field: response_format"}}).to_string();
    let yes = json!({"role": "assistant", "content": "{\"level\": 1}"});
    let replies = vec![Some((400, no)), openai(&yes, "stop"), openai(&yes, "stop")];
    let (address, mut seen) = server(replies).await;
    let judge = model(ModelApi::OpenaiChat, &address);
    for _ in 0..2 {
        assert!(judge.ask(&ask()).await.answer.is_ok());
    }
    let mut with_schema = Vec::new();
    for _ in 0..3 {
        with_schema.push(
            seen.recv()
                .await
                .unwrap()
                .1
                .get("response_format")
                .is_some(),
        );
    }
    assert_eq!(with_schema, [true, false, false]);
}

/// What a service can do instead of answering, and what is said of it.
#[tokio::test]
async fn every_failure_has_its_kind_and_message() {
    let text = |text: &str| json!([{"type": "text", "text": text}]);
    let error = |message: &str| json!({"error": {"type": "x", "message": message}}).to_string();
    for (served, message) in [
        (
            anthropic(&text("I won't."), "refusal"),
            "the judge refused: I won't.",
        ),
        (
            anthropic(&json!([]), "refusal"),
            "the judge refused: it gave no reason",
        ),
        (
            anthropic(&text("{\"lev"), "max_tokens"),
            "the judge's reply was cut off at 100 tokens",
        ),
        (
            anthropic(&json!([]), "pause_turn"),
            "the judge's reply is not what its interface says: it is empty and ends with \
             `pause_turn`",
        ),
        (
            Some((200, "<html>a proxy</html>".to_owned())),
            "the judge's reply is not what its interface says: ",
        ),
        (
            Some((500, error("overheated"))),
            "the judge's service answered 500: ",
        ),
        (
            Some((401, error(&format!("invalid x-api-key {KEY}")))),
            "the judge's service answered 401: ",
        ),
        (
            Some((200, format!("{{\"x\":\"{}\"}}", "x".repeat(20_000_000)))),
            "the judge's reply is longer than 1048576 bytes",
        ),
    ] {
        let (address, _seen) = server(vec![served]).await;
        let judge = model(ModelApi::Anthropic, &address);
        let reply = judge.ask(&ask()).await;
        let failure = reply.answer.clone().unwrap_err().to_string();
        assert!(failure.starts_with(message), "{failure}");
        assert!(failure.len() < 600 && reply.body.len() < 2_000_000);
        let shown = format!("{reply:?}{judge:?}");
        assert!(!shown.contains(KEY), "{failure}");
    }
    // Prose is no failure of the service; the check of the answer says no.
    let (address, _seen) = server(vec![anthropic(&text("Full marks!"), "end_turn")]).await;
    let reply = model(ModelApi::Anthropic, &address).ask(&ask()).await;
    assert_eq!(reply.answer.as_deref(), Ok("Full marks!"));
    let refusal = json!({"role": "assistant", "content": null, "refusal": "No, thank you."});
    let (address, _seen) = server(vec![openai(&refusal, "stop")]).await;
    let reply = model(ModelApi::OpenaiChat, &address).ask(&ask()).await;
    let failure = reply.answer.unwrap_err().to_string();
    assert_eq!(failure, "the judge refused: No, thank you.");
}

#[tokio::test]
async fn a_service_that_is_silent_or_not_there() {
    let (address, _seen) = server(vec![None]).await;
    let mut config = ClientConfig::new(ModelApi::Anthropic);
    config.base_url = Some(address);
    config.timeout = Duration::from_millis(200);
    config.attempts = 1;
    let judge = Arc::new(Model::new("anthropic", "judge-1", config).unwrap());
    let failure = judge.ask(&ask()).await.answer.unwrap_err();
    assert_eq!(failure, Failure::Timeout { seconds: 0 });
    // A port that was just free, and that nobody listens on.
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let failure = model(ModelApi::Anthropic, &address)
        .ask(&ask())
        .await
        .answer;
    let failure = failure.unwrap_err();
    assert!(matches!(failure, Failure::Unreachable { .. }), "{failure}");
    assert!(failure.may_pass() && failure.is_outage());
}
