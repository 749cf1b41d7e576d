//! The helpers of gws: whole workflows in one command, with host names of
//! Google written into the program.

use proctor_tests::Desk;
use serde_json::{Value, json};

use crate::clients::mail::{ANSWER, OFFER, PLAN, SALE};
use crate::clients::play::{Call, gws, play, run};
use crate::clients::{digest, entries, journal, list_of, mail_of, operations, view};

pub(super) fn calls() -> Vec<Call> {
    [reading(), sending(), answering(), workflows()].concat()
}

fn reading() -> Vec<Call> {
    vec![
        // It asks for all of them at once and lists them as the answers come in.
        gws("gmail +triage --format json")
            .says("\"subject\": \"Re: The offer for Acme\"")
            .says("\"from\": \"Kim Lì <kim.li@example.net>\"")
            .says("\"subject\": \"The offer for Acme\"")
            .lacks("/messages/2")
            .has("/resultSizeEstimate", 2),
        gws("gmail +triage --max 1 --query is:starred --labels --format json")
            .ids("/messages", &[PLAN])
            .has("/messages/0/labels", json!(["INBOX", "STARRED"])),
        gws("gmail +triage").says("The offer for Acme"),
        gws(&format!("gmail +read --id {OFFER}")).says("below 12.500\u{a0}€."),
        gws(&format!("gmail +read --id {OFFER} --html")).says("<b>Thursday</b>"),
        gws(&format!("gmail +read --id {PLAN} --headers")).says("plan of the new office"),
        gws(&format!("gmail +read --id {SALE} --format json"))
            .has("/thread_id", SALE)
            .has("/from/email", "news@shop.example"),
    ]
}

fn sending() -> Vec<Call> {
    vec![
        gws("gmail +send --to ada@example.com --subject 'Grüße' --body 'Nächste Woche?'")
            .has("/labelIds", json!(["SENT"]))
            .keep("plain", "/id"),
        gws("gmail +send --to 'ada@example.com,lee@acme.example' --cc kim.li@example.net \
             --bcc boss@example.com --subject Both --body '<p>Hi <b>all</b></p>' --html")
            .keep("html", "/id"),
        run("printf '\\000\\377\\376bytes' > data.bin; printf 'a;b\\n1;2\\n' > table.csv"),
        gws("gmail +send --to ada@example.com --subject Files --body 'See there.' -a data.bin -a table.csv")
            .keep("files", "/id"),
        gws("gmail +send --to sales@example.com --subject 'To sales' --body Hi --from sales@example.com")
            .has("/labelIds", json!(["SENT", "INBOX", "UNREAD"]))
            .keep("alias", "/id"),
        gws("gmail +send --to ada@example.com --subject Later --body Hm --draft")
            .has("/message/labelIds", json!(["DRAFT"]))
            .keep("later", "/id"),
    ]
}

fn answering() -> Vec<Call> {
    vec![
        gws(&format!(
            "gmail +reply --message-id {PLAN} --body 'Thank you.'"
        ))
        .has("/threadId", PLAN)
        .keep("reply", "/id"),
        gws(&format!(
            "gmail +reply --message-id {OFFER} --body '<i>Fine</i>' --html --draft"
        ))
        .has("/message/threadId", OFFER),
        gws(&format!(
            "gmail +reply-all --message-id {OFFER} --body 'On Thursday.' --remove sales@example.com"
        ))
        .has("/threadId", OFFER)
        .keep("all", "/id"),
        gws(&format!(
            "gmail +forward --message-id {PLAN} --to kim.li@example.net --body FYI"
        ))
        .keep("forward", "/id"),
        gws(&format!(
            "gmail +forward --message-id {PLAN} --to kim.li@example.net --no-original-attachments"
        ))
        .keep("bare", "/id"),
    ]
}

fn workflows() -> Vec<Call> {
    vec![
        gws("workflow +standup-report --format json")
            .has("/taskCount", 3)
            .has("/tasks/0/title", "Send the offer")
            .has("/meetingCount", 0),
        gws("workflow +meeting-prep --format json")
            .has("/summary", "Contract review")
            .has("/start", "2199-01-07T10:00:00+01:00")
            .has("/attendeeCount", 2),
        gws(&format!("workflow +email-to-task --message-id {OFFER} --format json"))
            .has("/title", "The offer for Acme")
            .keep("task", "/taskId"),
        gws(&format!("workflow +email-to-task --message-id {PLAN} --tasklist list-home"))
            .has("/created", true),
        gws("workflow +weekly-digest --format json")
            .has("/meetingCount", 0)
            .has("/unreadEmails", 3),
        gws("calendar +agenda --today --format json").has("/count", 0),
        gws("calendar +agenda --days 70000 --format json")
            .has("/count", 1)
            .has("/events/0/summary", "Contract review"),
        gws("calendar +insert --summary 'Sign it' --start 2199-02-01T10:00:00Z --end 2199-02-01T11:00:00Z \
             --attendee ada@example.com --format json")
            .has("/summary", "Sign it")
            .has("/status", "confirmed"),
    ]
}

#[test]
fn helpers_do_whole_workflows() {
    let desk = Desk::new();
    let played = play(&desk, &calls(), &[]);
    for (operation, status) in operations(&played.trial) {
        assert_eq!(status, 200, "{operation}");
    }
    let after = played.trial.evidence_json("world/after.json");
    let sent =
        |name: &str| mail_of(&after, played.kept(name)).unwrap_or_else(|| panic!("no mail {name}"));

    let plain = sent("plain");
    assert_eq!(
        (&plain["subject"], &plain["from"]),
        (&json!("Grüße"), &json!("sam.ode@example.com"))
    );
    assert_eq!(plain["text"].as_str().unwrap().trim(), "Nächste Woche?");
    let html = sent("html");
    assert_eq!(html["to"], json!(["ada@example.com", "lee@acme.example"]));
    assert_eq!(
        (&html["cc"], &html["bcc"]),
        (&json!(["kim.li@example.net"]), &json!(["boss@example.com"]))
    );
    assert!(
        html["html"].as_str().unwrap().contains("<b>all</b>"),
        "{html}"
    );
    assert_eq!(html["text"].as_str().unwrap().trim(), "Hi all");
    assert_eq!(
        attachments(sent("files")),
        [
            ("data.bin".to_owned(), digest(b"\0\xff\xfebytes")),
            ("table.csv".to_owned(), digest(b"a;b\n1;2\n")),
        ]
    );
    assert_eq!(sent("alias")["from"], "sales@example.com");
    let drafts = after["gmail"]["drafts"].as_array().unwrap();
    assert_eq!(drafts.len(), 3);
    let later = drafts
        .iter()
        .find(|draft| draft["id"] == played.kept("later"))
        .unwrap();
    assert_eq!(later["message"]["subject"], "Later");

    // The reply goes where Reply-To says, the thread is kept, the mail quoted.
    let reply = sent("reply");
    assert_eq!(reply["to"], json!(["projects@acme.example"]));
    assert_eq!(header(reply, "In-Reply-To"), "<plan-1@acme.example>");
    assert_eq!(reply["subject"], "Re: Périmètre: plan of the new office");
    let all = sent("all");
    assert_eq!(
        (&all["to"], &all["cc"]),
        (&json!(["ada@example.com"]), &json!(["kim.li@example.net"]))
    );
    assert_eq!(header(all, "References"), "<offer-1@mail.example.com>");
    assert!(
        all["text"]
            .as_str()
            .unwrap()
            .contains("> please send the offer by Thursday."),
        "{all}"
    );

    let original = attachments(mail_of(&after, PLAN).unwrap());
    assert_eq!(original.len(), 3);
    let forwarded = attachments(sent("forward"));
    // An image that is part of the HTML is not carried into plain text.
    assert_eq!(
        forwarded,
        original
            .into_iter()
            .filter(|(name, _)| name != "logo.png")
            .collect::<Vec<_>>()
    );
    assert!(attachments(sent("bare")).is_empty());

    let titles = |list: &str| -> Vec<Value> {
        let tasks = list_of(&after, list).unwrap()["tasks"].as_array().unwrap();
        tasks
            .iter()
            .filter(|task| task["seeded"] == false)
            .map(|task| task["title"].clone())
            .collect()
    };
    assert_eq!(titles("list-work"), ["The offer for Acme"]);
    assert_eq!(titles("list-home"), ["Périmètre: plan of the new office"]);

    let journal = journal(&played.trial);
    let gets = entries(&journal, "gmail.users.messages.get");
    let of = |id: &str| {
        let mut views: Vec<&str> = gets
            .iter()
            .filter(|entry| entry["read"][0]["id"] == id)
            .map(|entry| view(entry))
            .collect();
        views.dedup();
        views
    };
    // The triage saw a line of it, +email-to-task too; +read and +reply all.
    assert_eq!(of(OFFER), ["summary", "full", "summary"]);
    assert_eq!(of(ANSWER), ["summary"]);
}

fn attachments(mail: &Value) -> Vec<(String, String)> {
    let found = mail["attachments"].as_array().cloned().unwrap_or_default();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    found
        .iter()
        .map(|it| (text(&it["filename"]), text(&it["sha256"])))
        .collect()
}

fn header<'m>(mail: &'m Value, name: &str) -> &'m str {
    let headers = mail["headers"].as_array().unwrap();
    let found = headers
        .iter()
        .find(|header| header["name"].as_str().unwrap().eq_ignore_ascii_case(name));
    found.unwrap_or_else(|| panic!("no {name} in {mail}"))["value"]
        .as_str()
        .unwrap()
}
