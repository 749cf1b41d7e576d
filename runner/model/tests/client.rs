//! The client, asking a scripted server.

#![allow(clippy::unwrap_used, reason = "a test fails where it stands")]

mod common;

use std::time::Duration;

use common::KEY;
use proctor_model::client::{
    ChatClient, ChatMessage, ChatRequest, ClientConfig, ClientError, OutputSchema, StopReason,
    ToolResult, ToolSpec,
};
use proctor_model::scripted::{Fault, Script, Server, ServerConfig};
use proctor_model::{ModelApi, Roots, Secret};
use proctor_types::manifest::FailureKind;
use serde_json::json;

const APIS: [ModelApi; 2] = [ModelApi::Anthropic, ModelApi::OpenaiChat];

async fn server(script: &str) -> Server {
    let config = ServerConfig {
        script: Script::parse(script).unwrap(),
        key: Some(KEY.to_owned()),
    };
    Server::start(config).await.unwrap()
}

fn config(api: ModelApi, server: &Server) -> ClientConfig {
    ClientConfig {
        base_url: Some(server.url()),
        key: Some(Secret::new(KEY).unwrap()),
        ..ClientConfig::new(api)
    }
}

fn client(api: ModelApi, server: &Server) -> ChatClient {
    ChatClient::new(config(api, server)).unwrap()
}

fn question() -> ChatRequest {
    let mut request = ChatRequest::new("m-1");
    request.system = Some("Be brief.".to_owned());
    request.messages.push(ChatMessage::user("go"));
    request
}

#[tokio::test]
async fn a_conversation_with_tools() {
    for api in APIS {
        let server = server(common::SCRIPT).await;
        let client = client(api, &server);
        let mut request = question();
        request.tools.push(ToolSpec {
            name: "bash".to_owned(),
            description: "Runs a command.".to_owned(),
            parameters: json!({"type": "object", "properties": {"command": {"type": "string"}}}),
        });
        request.temperature = Some(0.0);
        let reply = client.chat(&request).await.unwrap();
        assert_eq!(reply.text, "I will write the file.");
        assert_eq!((reply.stop.clone(), reply.attempts), (StopReason::Tools, 1));
        assert_eq!(reply.model.as_deref(), Some("m-1"));
        let usage = reply.usage.unwrap();
        assert_eq!((usage.input, usage.cache_read, usage.output), (100, 5, 20));
        let call = reply.tool_calls[0].clone();
        assert_eq!(
            (call.name.as_str(), call.arguments),
            ("bash", json!({"command": "echo hello"}))
        );

        request.messages.push(ChatMessage::reply(&reply));
        let result = ToolResult {
            id: call.id,
            content: "hello".to_owned(),
            is_error: false,
        };
        request.messages.push(ChatMessage::results(vec![result]));
        let reply = client.chat(&request).await.unwrap();
        assert_eq!(
            (reply.text.as_str(), reply.stop),
            ("Done.", StopReason::End)
        );
        assert!(reply.tool_calls.is_empty());
        assert_eq!(
            reply.usage.unwrap().input,
            101,
            "the result was seen as one"
        );
        assert_eq!(reply.sent, server.seen()[1].body);
        for shown in [&reply.sent, &reply.raw] {
            assert!(!String::from_utf8_lossy(shown).contains(KEY));
        }
        assert!(!format!("{client:?}").contains(KEY));
    }
}

#[tokio::test]
async fn an_answer_of_a_given_shape() {
    let script = "
steps: [{call: {tool: verdict, arguments: {level: 3}}}]
without_tools: [{when: go, say: '{\"level\": 3}'}]
";
    for api in APIS {
        let server = server(script).await;
        let mut request = question();
        request.schema = Some(OutputSchema {
            name: "verdict".to_owned(),
            schema: json!({
                "type": "object", "properties": {"level": {"type": "integer"}},
                "required": ["level"], "additionalProperties": false,
            }),
            strict: true,
        });
        let reply = client(api, &server).chat(&request).await.unwrap();
        assert_eq!(reply.json, Some(json!({"level": 3})), "{api}");
        assert_eq!(reply.stop, StopReason::End);
        assert!(reply.tool_calls.is_empty());
        let sent: serde_json::Value = serde_json::from_slice(&reply.sent).unwrap();
        match api {
            ModelApi::Anthropic => assert_eq!(sent["tool_choice"]["name"], "verdict"),
            _ => assert_eq!(sent["response_format"]["json_schema"]["strict"], true),
        }
    }
    // Prose is an answer, too, but not JSON.
    let server = server("without_tools: [{say: I think it is fine.}]").await;
    let mut request = question();
    request.schema = Some(OutputSchema {
        name: "verdict".to_owned(),
        schema: json!({"type": "object"}),
        strict: false,
    });
    let reply = client(ModelApi::OpenaiChat, &server)
        .chat(&request)
        .await
        .unwrap();
    assert_eq!(
        (reply.json, reply.text.as_str()),
        (None, "I think it is fine.")
    );
}

#[tokio::test]
async fn a_busy_provider_is_asked_again_and_a_broken_one_is_not() {
    for api in APIS {
        let server = server(common::SCRIPT).await;
        let busy = Fault::Status {
            status: 429,
            headers: vec![("retry-after-ms".to_owned(), "1".to_owned())],
            body: r#"{"error":{"message":"slow down","type":"rate_limit_error"}}"#.to_owned(),
        };
        server.fail(&busy, 2);
        let reply = client(api, &server).chat(&question()).await.unwrap();
        assert_eq!(reply.attempts, 3);

        server.fail(&busy, 4);
        let error = client(api, &server).chat(&question()).await.unwrap_err();
        let ClientError::Status {
            status, failure, ..
        } = &error
        else {
            panic!("{error}")
        };
        assert_eq!((*status, *failure), (429, Some(FailureKind::RateLimit)));
        assert!(
            error
                .to_string()
                .ends_with("answered 429: rate_limit_error: slow down"),
            "{error}"
        );

        let before = server.seen().len();
        server.fail(&Fault::Garbage, 1);
        let error = client(api, &server).chat(&question()).await.unwrap_err();
        assert!(matches!(error, ClientError::Invalid { .. }), "{error}");
        assert_eq!(server.seen().len(), before + 1);
    }
}

#[tokio::test]
async fn a_key_is_in_no_error() {
    for api in APIS {
        let server = server(common::SCRIPT).await;
        let mut config = config(api, &server);
        config.key = Some(Secret::new("sk-planted-but-wrong").unwrap());
        let error = ChatClient::new(config)
            .unwrap()
            .chat(&question())
            .await
            .unwrap_err();
        let shown = format!("{error} {error:?}");
        assert!(!shown.contains("planted"), "{shown}");
        let ClientError::Status { failure, .. } = error else {
            panic!("{error}")
        };
        assert_eq!(failure, Some(FailureKind::Authentication));

        server.fail(&Fault::EchoKey { status: 200 }, 1);
        let error = client(api, &server).chat(&question()).await.unwrap_err();
        assert!(!format!("{error:?}").contains(KEY));
    }
}

#[tokio::test]
async fn bounds_are_kept() {
    let server = server(common::SCRIPT).await;
    let mut hasty = config(ModelApi::Anthropic, &server);
    hasty.timeout = Duration::from_millis(100);
    hasty.reply_bytes = 10_000;
    let hasty = ChatClient::new(hasty).unwrap();
    server.fail(&Fault::Hang, 1);
    let error = hasty.chat(&question()).await.unwrap_err();
    assert!(matches!(error, ClientError::Timeout { .. }), "{error}");
    server.fail(&Fault::Huge { bytes: 1 << 20 }, 1);
    let error = hasty.chat(&question()).await.unwrap_err();
    assert!(
        matches!(error, ClientError::TooLarge { limit: 10_000, .. }),
        "{error}"
    );
    assert!(
        error.to_string().ends_with("is longer than 10000 bytes"),
        "{error}"
    );
}

#[test]
fn what_cannot_be_asked_is_said_before() {
    let broken = |change: fn(&mut ClientConfig)| {
        let mut config = ClientConfig::new(ModelApi::Anthropic);
        config.roots = Roots::Only(b"none".to_vec());
        change(&mut config);
        ChatClient::new(config).unwrap_err().to_string()
    };
    assert!(broken(|_| {}).contains("PEM"));
    assert!(broken(|it| it.api = ModelApi::Gemini).contains("not gemini"));
    assert!(broken(|it| it.base_url = Some("localhost".to_owned())).contains("localhost"));
}
