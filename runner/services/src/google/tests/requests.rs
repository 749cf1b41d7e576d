//! What the frame does with every request.

use proctor_types::journal::View;
use serde_json::{Value, json};

use super::*;

const LISTS: &str = "/tasks/v1/users/@me/lists";

#[test]
fn without_credentials_there_is_nothing() {
    let mut world = world();
    let mut anonymous = request("GET", LISTS);
    anonymous.headers.clear();
    let answer = send(&mut world, &anonymous);
    assert_eq!(answer.status, 401);
    assert_eq!(answer.operation, Some("tasks.tasklists.list"));
    assert_eq!(answer.actor, None);
    assert!(answer.headers.contains_key("www-authenticate"));
    let body = parsed(&answer);
    assert_eq!(problem(&body).1, "required");
    assert_eq!(body["error"]["status"], "UNAUTHENTICATED");
    for value in ["Bearer ", "Bearer", "Basic abc", ""] {
        assert_eq!(
            send(&mut world, &with(anonymous.clone(), "authorization", value)).status,
            401
        );
    }
    let by_query = Request {
        query: "access_token=t".to_owned(),
        ..anonymous
    };
    let answer = send(&mut world, &by_query);
    assert_eq!(
        (answer.status, answer.actor.as_deref()),
        (200, Some("ada@example.com"))
    );
}

#[test]
fn a_world_without_google_says_so() {
    let mut world = world();
    world.google = None;
    let (status, body) = ask(&mut world, "GET", LISTS, Value::Null);
    assert_eq!((status, problem(&body).1), (403, "accessNotConfigured"));
    let (status, body) = ask(&mut world, "GET", "/drive/v3/files", Value::Null);
    assert_eq!((status, problem(&body).1), (403, "accessNotConfigured"));
    assert!(
        body["error"]["message"]
            .as_str()
            .unwrap()
            .contains("Google Drive API")
    );
}

#[test]
fn what_is_not_there_is_404_in_json() {
    let mut world = world();
    for (method, path) in [
        ("GET", "/"),
        ("GET", "/nope"),
        ("DELETE", LISTS),
        ("GET", "/tasks/v1/lists/a/tasks/b/move"),
        ("OPTIONS", LISTS),
        ("TRACE", LISTS),
        ("GET", "/tasks/v1/../../etc/passwd"),
        ("GET", "//"),
        ("GET", "/gmail/v1/users/me/nope"),
        ("POST", "/upload/tasks/v1/users/@me/lists"),
    ] {
        let (status, body) = ask(&mut world, method, path, Value::Null);
        assert_eq!(
            (status, problem(&body).1),
            (404, "notFound"),
            "{method} {path}"
        );
    }
    let long = format!("/tasks/v1/lists/{}", "x".repeat(7000));
    let (status, body) = ask(&mut world, "GET", &long, Value::Null);
    assert_eq!(status, 404);
    assert!(body["error"]["message"].as_str().unwrap().len() < 400);
    assert_eq!(
        ask(
            &mut world,
            "GET",
            &format!("/{}", "x".repeat(9000)),
            Value::Null
        )
        .0,
        414
    );
    assert_eq!(
        ask(
            &mut world,
            "GET",
            "/tasks/v1/lists/%ff%fe/tasks",
            Value::Null
        )
        .0,
        400
    );
    assert_eq!(
        ask(&mut world, "GET", "/tasks/v1/lists/%00/tasks", Value::Null).0,
        404
    );
}

#[test]
fn the_host_decides_which_api_is_there() {
    let mut world = world();
    let mut elsewhere = request("GET", LISTS);
    elsewhere.host = "gmail.googleapis.com".to_owned();
    let answer = send(&mut world, &elsewhere);
    assert_eq!((answer.status, answer.service), (404, "gmail"));
    elsewhere.host = "127.0.0.1".to_owned();
    assert_eq!(send(&mut world, &elsewhere).status, 200);
    for host in [
        "www.googleapis.com",
        "tasks.googleapis.com",
        "gmail.googleapis.com",
        "people.googleapis.com",
        "calendar-json.googleapis.com",
        "oauth2.googleapis.com",
        "accounts.google.com",
        "drive.googleapis.com",
    ] {
        assert!(GoogleService.owns(host), "{host}");
    }
    for host in [
        "generativelanguage.googleapis.com",
        "storage.googleapis.com",
        "google.com",
        "googleapis.com",
        "evil-www.googleapis.com.example",
        "example.com",
        "",
    ] {
        assert!(!GoogleService.owns(host), "{host}");
    }
    for path in [
        LISTS,
        "/gmail/v1/users/me/profile",
        "/calendar/v3/users/me/calendarList",
        "/v1/people/me",
        "/batch",
        "/batch/gmail/v1",
        "/upload/gmail/v1/users/me/messages/send",
        "/token",
        "/discovery/v1/apis",
        "/$discovery/rest",
        "/oauth2/v3/userinfo",
    ] {
        assert!(GoogleService.owns_path(path), "{path}");
    }
    for path in [
        "/",
        "/v1/pages/x",
        "/v1/people",
        "/gmail/v10",
        "/tasks",
        "/repos/a/b",
        "/batches",
    ] {
        let own = GoogleService.owns_path(path);
        assert_eq!(own, path == "/v1/people", "{path}");
    }
}

#[test]
fn a_long_get_may_come_as_post() {
    let mut world = world();
    let long = request("POST", LISTS);
    let long = with(long, "x-http-method-override", "GET");
    let form = format!(
        "maxResults=1&fields=items(title)&quotaUser={}",
        "x".repeat(3000)
    );
    let long = body(long, "application/x-www-form-urlencoded", form);
    let answer = send(&mut world, &long);
    assert_eq!(
        (answer.status, answer.operation),
        (200, Some("tasks.tasklists.list"))
    );
    assert_eq!(parsed(&answer), json!({"items": [{"title": "My Tasks"}]}));
    // Other verbs do not turn into one another.
    let odd = with(request("GET", LISTS), "x-http-method-override", "DELETE");
    assert_eq!(
        send(&mut world, &odd).operation,
        Some("tasks.tasklists.list")
    );
}

#[test]
fn a_json_body_without_its_type_is_read_as_a_form() {
    let mut world = world();
    let curl = body(
        request("POST", LISTS),
        "application/x-www-form-urlencoded",
        r#"{"title":"x"}"#,
    );
    let answer = send(&mut world, &curl);
    assert_eq!(answer.status, 400);
    let body_text = parsed(&answer);
    assert!(
        problem(&body_text)
            .0
            .contains("Cannot bind query parameter"),
        "{body_text}"
    );
    let untyped = Request {
        body: r#"{"title":"x"}"#.into(),
        ..request("POST", LISTS)
    };
    assert_eq!(send(&mut world, &untyped).status, 200);
}

#[test]
fn fields_limit_the_answer_and_what_was_read() {
    let mut world = world();
    let ask_for = |world: &mut World, fields: &str| {
        let answer = send(world, &request("GET", &format!("{LISTS}?fields={fields}")));
        (answer.status, parsed(&answer), answer.read)
    };
    let (_, value, read) = ask_for(&mut world, "items(id,title)");
    assert_eq!(value["items"][0].as_object().unwrap().len(), 2);
    assert_eq!(read[0].view, Some(View::Full));
    let (_, _, read) = ask_for(&mut world, "items/id");
    assert_eq!(read[0].view, Some(View::Reference));
    let (_, value, read) = ask_for(&mut world, "kind");
    assert_eq!((value, read.len()), (json!({"kind": "tasks#taskLists"}), 0));
    let (status, value, read) = ask_for(&mut world, "items(bogus)");
    assert_eq!((status, read.len()), (400, 0));
    let detail = &value["error"]["details"][0]["fieldViolations"][0];
    assert_eq!(detail["field"], "items/bogus");
    assert_eq!(ask_for(&mut world, "items(").0, 400);
    assert_eq!(ask_for(&mut world, "").0, 200);
    let (status, value, _) = ask_for(&mut world, &"a(".repeat(4000));
    assert_eq!(status, 400, "{value}");
    let (status, body) = ask(
        &mut world,
        "GET",
        "/calendar/v3/users/me/calendarList?fields=nope",
        Value::Null,
    );
    assert_eq!(
        (status, problem(&body)),
        (400, ("Invalid field selection nope", "invalidParameter"))
    );
}

#[test]
fn answers_are_indented_unless_asked_not_to_be() {
    let mut world = world();
    let pretty = send(&mut world, &request("GET", LISTS)).body;
    assert!(
        pretty.starts_with(b"{\n  \"kind\": \"tasks#taskLists\",\n") && pretty.ends_with(b"\n}\n")
    );
    for target in ["prettyPrint=false", "prettyPrint=false&fields=*"] {
        let compact = send(&mut world, &request("GET", &format!("{LISTS}?{target}"))).body;
        assert!(!compact.contains(&b'\n'), "{target}");
        assert_eq!(
            serde_json::from_slice::<Value>(&compact).unwrap(),
            serde_json::from_slice::<Value>(&pretty).unwrap()
        );
    }
    let error = send(
        &mut world,
        &request("GET", &format!("{LISTS}?prettyPrint=false&nope=1")),
    );
    assert!(error.body.starts_with(b"{\n  \"error\": {\n"));
    let (_, short) = ask(
        &mut world,
        "GET",
        &format!("{LISTS}?$.xgafv=2&nope=1"),
        Value::Null,
    );
    assert!(short["error"].get("errors").is_none());
    assert_eq!(
        ask(
            &mut world,
            "GET",
            &format!("{LISTS}?alt=media"),
            Value::Null
        )
        .0,
        400
    );
}

#[test]
fn what_the_client_has_is_not_sent_again() {
    let mut world = world();
    let first = send(&mut world, &request("GET", LISTS));
    let etag = first.headers["etag"].to_str().unwrap().to_owned();
    assert_eq!(parsed(&first)["etag"], etag.as_str());
    for known in [
        etag.clone(),
        format!("\"other\", {etag}"),
        format!("W/{etag}"),
        "*".to_owned(),
    ] {
        let again = send(
            &mut world,
            &with(request("GET", LISTS), "if-none-match", &known),
        );
        assert_eq!(
            (again.status, again.body.len(), again.read.len()),
            (304, 0, 0),
            "{known}"
        );
        assert_eq!(again.headers["etag"], etag.as_str());
    }
    let other = send(
        &mut world,
        &with(request("GET", LISTS), "if-none-match", "\"other\""),
    );
    assert_eq!(other.status, 200);
}

#[test]
fn hostile_requests_are_answered_and_change_nothing() {
    let mut world = world();
    let before = serde_json::to_value(&world.google).unwrap();
    let deep = format!("{{\"title\":{}", "[".repeat(500_000));
    let wide = format!("{{{}\"title\":1}}", "\"x\":1,".repeat(200_000));
    let large = format!("{{\"title\":\"{}\"}}", "x".repeat(5_000_000));
    let number = format!("{{\"title\":{}}}", "1".repeat(300_000));
    let nul = "{\"title\":\"a\\u0000\",\"bogus\":1}".to_owned();
    for text in [deep, wide, large, number, nul, "\u{feff}{}".to_owned()] {
        let answer = send(
            &mut world,
            &body(request("POST", LISTS), "application/json", text),
        );
        assert_eq!(answer.status, 400);
        assert!(answer.body.len() < 8000, "{}", answer.body.len());
        assert!(answer.changed.is_empty());
    }
    let invalid = body(
        request("POST", LISTS),
        "application/json",
        &b"{\"title\":\"\xff\xfe\"}"[..],
    );
    assert_eq!(send(&mut world, &invalid).status, 400);
    let query = format!("{LISTS}?{}", "a=%f0%28%8c&".repeat(1500));
    assert_eq!(ask(&mut world, "GET", &query, Value::Null).0, 400);
    assert_eq!(serde_json::to_value(&world.google).unwrap(), before);
}

#[test]
fn tokens_are_for_everybody() {
    let mut world = world();
    let mut token = request("POST", "/token");
    token.host = "oauth2.googleapis.com".to_owned();
    token.headers.clear();
    let form = |text: &str| {
        body(
            token.clone(),
            "application/x-www-form-urlencoded",
            text.to_owned(),
        )
    };
    let answer = send(
        &mut world,
        &form("grant_type=refresh_token&refresh_token=r&client_id=c"),
    );
    assert_eq!((answer.status, answer.service), (200, "oauth"));
    assert_eq!(answer.operation, Some("oauth.token"));
    let body_value = parsed(&answer);
    assert_eq!(body_value["token_type"], "Bearer");
    assert!(
        body_value["access_token"]
            .as_str()
            .unwrap()
            .starts_with("ya29.")
    );
    assert!(body_value["expires_in"].is_number());
    let json = body(
        token.clone(),
        "application/json",
        r#"{"grant_type":"authorization_code","code":"c"}"#,
    );
    assert!(parsed(&send(&mut world, &json))["refresh_token"].is_string());
    let jwt =
        form("grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=a.b.c");
    assert_eq!(send(&mut world, &jwt).status, 200);
    for (text, error) in [
        ("", "invalid_request"),
        ("grant_type=refresh_token", "invalid_request"),
        ("grant_type=password&username=u", "unsupported_grant_type"),
    ] {
        let answer = send(&mut world, &form(text));
        assert_eq!(
            (answer.status, parsed(&answer)["error"].as_str()),
            (400, Some(error)),
            "{text}"
        );
    }
    let mut info = request("GET", "/oauth2/v3/userinfo");
    assert_eq!(parsed(&send(&mut world, &info))["email"], "ada@example.com");
    info.headers.clear();
    assert_eq!(send(&mut world, &info).status, 401);
}

#[test]
fn the_account_says_who_it_is() {
    let mut world = world();
    let me = "/v1/people/me?personFields=names,emailAddresses";
    let (status, person) = ask(&mut world, "GET", me, Value::Null);
    assert_eq!(status, 200);
    assert_eq!(person["names"][0]["displayName"], "Ada Lovelace");
    assert_eq!(person["names"][0]["familyName"], "Lovelace");
    assert_eq!(person["emailAddresses"][0]["value"], "ada@example.com");
    let own = format!(
        "/v1/{}?personFields=metadata",
        person["resourceName"].as_str().unwrap()
    );
    assert_eq!(ask(&mut world, "GET", &own, Value::Null).0, 200);
    for (target, status) in [
        ("/v1/people/me", 400),
        ("/v1/people/me?personFields=bogus", 400),
        ("/v1/people/c123?personFields=names", 404),
        ("/v1/people/me?personFields=names&bogus=1", 400),
    ] {
        assert_eq!(
            ask(&mut world, "GET", target, Value::Null).0,
            status,
            "{target}"
        );
    }
}

#[test]
fn the_same_requests_give_the_same_bytes() {
    let run = || {
        let mut world = world();
        let mut out = Vec::new();
        for (method, target, json) in [
            ("POST", LISTS, json!({"title": "a"})),
            (
                "POST",
                "/tasks/v1/lists/@default/tasks",
                json!({"title": "t"}),
            ),
            (
                "POST",
                "/calendar/v3/calendars/primary/events",
                json!({
                    "summary": "s",
                    "start": {"dateTime": "2026-03-03T10:00:00Z"},
                    "end": {"dateTime": "2026-03-03T11:00:00Z"},
                }),
            ),
            ("GET", "/calendar/v3/calendars/primary/events", Value::Null),
            ("GET", LISTS, Value::Null),
        ] {
            out.push(ask(&mut world, method, target, json));
        }
        (out, serde_json::to_string(&world).unwrap())
    };
    let (one, world_text) = run();
    assert_eq!(one, run().0);
    // A world that was written down answers as the original does.
    let mut restored: World = serde_json::from_str(&world_text).unwrap();
    assert_eq!(ask(&mut restored, "GET", LISTS, Value::Null).1, one[4].1);
}
