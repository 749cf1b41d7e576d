//! Identities and filters.

use super::*;

#[test]
fn identities_are_listed_the_primary_one_first() {
    let mut world = world();
    let all = get(&mut world, "settings/sendAs");
    assert_eq!(
        all["sendAs"],
        json!([
            {"sendAsEmail": "ada@example.com", "displayName": "Ada Lovelace", "replyToAddress": "", "signature": "", "isPrimary": true, "isDefault": true},
            {"sendAsEmail": "ada@alias.example", "displayName": "Ada A.", "replyToAddress": "", "signature": "", "treatAsAlias": true, "verificationStatus": "accepted"},
            {"sendAsEmail": "ada@claimed.example", "displayName": "", "replyToAddress": "", "signature": "", "treatAsAlias": true, "verificationStatus": "pending"},
        ])
    );
    assert_eq!(
        get(&mut world, "settings/sendAs/Ada%40Example.com"),
        all["sendAs"][0]
    );
    assert_eq!(
        refused(&mut world, "GET", "settings/sendAs/x%40y.z", Value::Null).0,
        404
    );
}

#[test]
fn an_identity_lives() {
    let mut world = world();
    let body = json!({
        "sendAsEmail": "Team@Example.com", "displayName": "Team", "isDefault": true,
        "smtpMsa": {"host": "smtp.example.com", "port": 587, "username": "u", "password": "secret", "securityMode": "starttls"},
    });
    // One of the account's own domain needs no proof.
    let made = post(&mut world, "settings/sendAs", body);
    assert_eq!(
        (&made["sendAsEmail"], &made["verificationStatus"]),
        (&json!("team@example.com"), &json!("accepted"))
    );
    assert_eq!(made["isDefault"], true);
    assert!(!serde_json::to_string(&world).unwrap().contains("secret"));
    assert!(
        get(&mut world, "settings/sendAs/ada%40example.com")
            .get("isDefault")
            .is_none()
    );
    let sent = send_mail(&mut world, "To: x@y.org\n\nx")["id"]
        .as_str()
        .unwrap()
        .to_owned();
    assert_eq!(
        ids(
            &get(&mut world, "messages?q=from:team@example.com"),
            "messages"
        ),
        [sent]
    );
    let target = at("settings/sendAs/team%40example.com");
    let (_, patched) = ask(
        &mut world,
        "PATCH",
        &target,
        json!({"signature": "<b>T</b>", "smtpMsa": null}),
    );
    assert_eq!(
        (&patched["displayName"], &patched["signature"]),
        (&json!("Team"), &json!("<b>T</b>"))
    );
    assert!(patched.get("smtpMsa").is_none());
    let (_, updated) = ask(&mut world, "PUT", &target, json!({"displayName": "T"}));
    assert_eq!(
        (
            &updated["displayName"],
            &updated["signature"],
            &updated["isDefault"]
        ),
        (&json!("T"), &json!(""), &json!(true))
    );
    assert_eq!(ask(&mut world, "DELETE", &target, Value::Null).0, 204);
    assert_eq!(
        get(&mut world, "settings/sendAs/ada%40example.com")["isDefault"],
        true
    );
}

#[test]
fn identities_that_are_refused() {
    let mut world = world();
    let claimed = "settings/sendAs/ada%40claimed.example";
    let own = "settings/sendAs/ada%40example.com";
    for (method, rest, body, status) in [
        ("POST", "settings/sendAs", json!({}), 400),
        (
            "POST",
            "settings/sendAs",
            json!({"sendAsEmail": "nobody"}),
            400,
        ),
        (
            "POST",
            "settings/sendAs",
            json!({"sendAsEmail": "a@b.c\r\nBcc: x@y.z"}),
            400,
        ),
        (
            "POST",
            "settings/sendAs",
            json!({"sendAsEmail": "ADA@alias.example"}),
            409,
        ),
        (
            "POST",
            "settings/sendAs",
            json!({"sendAsEmail": "a@b.c", "smtpMsa": {"port": 1}}),
            400,
        ),
        (
            "POST",
            "settings/sendAs",
            json!({"sendAsEmail": "a@b.c", "isDefault": true}),
            400,
        ),
        ("PATCH", claimed, json!({"isDefault": true}), 400),
        (
            "PATCH",
            "settings/sendAs/x%40y.z",
            json!({"displayName": "x"}),
            404,
        ),
        ("DELETE", own, Value::Null, 400),
        ("DELETE", "settings/sendAs/x%40y.z", Value::Null, 404),
        ("POST", &format!("{own}/verify"), Value::Null, 400),
        ("POST", "settings/sendAs/x%40y.z/verify", Value::Null, 404),
    ] {
        assert_eq!(
            refused(&mut world, method, rest, body).0,
            status,
            "{method} {rest}"
        );
    }
    // The verification mail goes out, and nobody answers it.
    assert_eq!(
        post(&mut world, &format!("{claimed}/verify"), Value::Null),
        Value::Null
    );
    assert_eq!(get(&mut world, claimed)["verificationStatus"], "pending");
}

#[test]
fn filters_are_listed() {
    let mut world = world();
    let all = get(&mut world, "settings/filters");
    let filter = &all["filter"][0];
    assert_eq!(filter["criteria"], json!({"from": "news@example.com"}));
    assert_eq!(
        filter["action"],
        json!({"addLabelIds": ["Label_1"], "removeLabelIds": ["INBOX"]})
    );
    let mut empty = crate::google::tests::world();
    assert_eq!(get(&mut empty, "settings/filters"), json!({}));
}

#[test]
fn the_journal_knows_of_identities() {
    let mut world = world();
    let rest = "settings/sendAs/ada%40alias.example";
    let mut touch = |method: &str, rest: &str, body: Value| touches(&mut world, method, rest, body);
    assert_eq!(
        touch("PATCH", rest, json!({"displayName": "A"})),
        ["updated gmail.send_as ada@alias.example displayName"]
    );
    assert_eq!(
        touch("GET", rest, Value::Null),
        ["read gmail.send_as ada@alias.example full"]
    );
    assert_eq!(
        touch("DELETE", rest, Value::Null),
        ["deleted gmail.send_as ada@alias.example"]
    );
}
