//! Reading mail with the methods of the API: what comes out, and how much of it
//! the journal says was read.

use base64::Engine as _;
use base64::engine::general_purpose::{URL_SAFE, URL_SAFE_NO_PAD};
use proctor_tests::{Desk, root};
use serde_json::{Value, json};

use super::me;
use crate::clients::mail::{ANSWER, DRAFT, OFFER, PLAN, SALE, SENT, SPAM, TRASHED};
use crate::clients::play::{Call, gws, play};
use crate::clients::{digest, entries, journal, operations, view};

fn get(id: &str, more: Value) -> Call {
    let mut params = me(more);
    params["id"] = id.into();
    gws("gmail users messages get").params(params)
}

pub(super) fn calls() -> Vec<Call> {
    [lists(), formats(), threads(), others()].concat()
}

fn lists() -> Vec<Call> {
    let list = || gws("gmail users messages list");
    vec![
        gws("gmail users getProfile")
            .params(me(json!({})))
            .has("/emailAddress", "sam.ode@example.com")
            .has("/messagesTotal", 8)
            .has("/threadsTotal", 7)
            .keep("history", "/historyId"),
        gws("gmail users labels list")
            .params(me(json!({})))
            .has("/labels/14/name", "Clients")
            .has("/labels/15/name", "Clients/Acme")
            .has("/labels/15/type", "user")
            .keep("acme", "/labels/15/id"),
        gws("gmail users labels get")
            .params(me(json!({"id": "INBOX"})))
            .has("/messagesTotal", 4)
            .has("/messagesUnread", 2)
            .has("/threadsTotal", 3)
            .has("/threadsUnread", 1),
        gws("gmail users labels get")
            .params(me(json!({"id": "{{acme}}"})))
            .has("/name", "Clients/Acme")
            .has("/messagesTotal", 1),
        list()
            .params(me(json!({})))
            .ids("/messages", &[ANSWER, OFFER, PLAN, SALE, DRAFT, SENT])
            .has("/messages/0/threadId", OFFER)
            .lacks("/messages/0/snippet")
            .has("/resultSizeEstimate", 6)
            .lacks("/nextPageToken"),
        list()
            .params(me(json!({"includeSpamTrash": true})))
            .ids(
                "/messages",
                &[ANSWER, OFFER, PLAN, SALE, SPAM, DRAFT, SENT, TRASHED],
            )
            .has("/resultSizeEstimate", 8),
        list()
            .params(me(json!({"labelIds": ["INBOX", "UNREAD"]})))
            .ids("/messages", &[ANSWER, OFFER]),
        list()
            .params(me(json!({"labelIds": "SPAM"})))
            .ids("/messages", &[SPAM]),
        list()
            .params(me(json!({"maxResults": 4})))
            .ids("/messages", &[ANSWER, OFFER, PLAN, SALE])
            .has("/resultSizeEstimate", 6)
            .keep("page", "/nextPageToken"),
        list()
            .params(me(json!({"maxResults": 4, "pageToken": "{{page}}"})))
            .ids("/messages", &[DRAFT, SENT])
            .lacks("/nextPageToken"),
        gws("gmail users messages list --page-all --page-delay 0")
            .params(me(json!({"maxResults": 1})))
            .pages(6),
        gws("gmail users messages list --page-all --page-limit 2 --page-delay 0")
            .params(me(json!({"maxResults": 1})))
            .pages(2),
        gws("gmail users messages list --format csv")
            .params(me(json!({"q": "from:ada"})))
            .says(OFFER),
    ]
}

/// One mail in every format, and through masks.
fn formats() -> Vec<Call> {
    vec![
        get(OFFER, json!({}))
            .has("/payload/mimeType", "multipart/alternative")
            .has("/payload/headers/3/value", "The offer for Acme")
            .has("/payload/parts/0/mimeType", "text/plain")
            .has("/payload/parts/1/mimeType", "text/html")
            .has(
                "/labelIds",
                json!(["INBOX", "IMPORTANT", "UNREAD", "Label_2"]),
            )
            .has("/internalDate", "1772435700000"),
        get(OFFER, json!({"format": "minimal"}))
            .has(
                "/snippet",
                "Hi Sam, please send the offer by Thursday. It has to stay below 12.500 €. Ada",
            )
            .lacks("/payload"),
        get(
            OFFER,
            json!({"format": "metadata", "metadataHeaders": ["subject", "From"]}),
        )
        .has(
            "/payload/headers",
            json!([
                {"name": "From", "value": "Ada Byron <ada@example.com>"},
                {"name": "Subject", "value": "The offer for Acme"},
            ]),
        )
        .lacks("/payload/parts")
        .lacks("/payload/body"),
        get(OFFER, json!({"format": "raw"}))
            .lacks("/payload")
            .keep("raw", "/raw"),
        get(OFFER, json!({"fields": "id"})).has("", json!({"id": OFFER})),
        get(
            OFFER,
            json!({"fields": "id,payload(headers(name),mimeType)"}),
        )
        .has("/payload/headers/0", json!({"name": "From"}))
        .lacks("/payload/parts"),
        get(OFFER, json!({"fields": "payload/parts/body/size"}))
            .has("/payload/parts/0", json!({"body": {"size": 83}})),
        get(OFFER, json!({"fields": "payload/parts(partId,body/data)"}))
            .has("/payload/parts/1/partId", "1"),
        get(SALE, json!({"format": "metadata"}))
            .has("/snippet", "Everything for the garden: &lt;50% off.")
            .has("/labelIds", json!(["INBOX", "CATEGORY_PROMOTIONS"])),
        get(PLAN, json!({}))
            .has(
                "/payload/headers/2/value",
                "Périmètre: plan of the new office",
            )
            .has("/payload/parts/1/filename", "plan.pdf")
            .has("/payload/parts/1/body/size", 776)
            .lacks("/payload/parts/1/body/data")
            .has("/payload/parts/2/filename", "möbel.csv")
            .keep("pdf", "/payload/parts/1/body/attachmentId"),
        gws("gmail users messages attachments get")
            .params(me(json!({"messageId": PLAN, "id": "{{pdf}}"})))
            .has("/size", 776)
            .keep("bytes", "/data"),
    ]
}

fn threads() -> Vec<Call> {
    vec![
        gws("gmail users threads list")
            .params(me(json!({"q": "in:inbox"})))
            .ids("/threads", &[OFFER, PLAN, SALE])
            .has("/resultSizeEstimate", 3)
            .has(
                "/threads/0/snippet",
                "Below 12.500 € is tight, but it can be done. Kim",
            ),
        gws("gmail users threads list")
            .params(me(json!({"labelIds": ["STARRED"], "maxResults": 5})))
            .ids("/threads", &[PLAN]),
        gws("gmail users threads get")
            .params(me(json!({"id": OFFER})))
            .ids("/messages", &[OFFER, ANSWER])
            .has(
                "/messages/1/payload/headers/0/value",
                "Kim Lì <kim.li@example.net>",
            ),
        gws("gmail users threads get")
            .params(me(json!({"id": OFFER, "format": "minimal"})))
            .ids("/messages", &[OFFER, ANSWER])
            .lacks("/messages/0/payload"),
    ]
}

fn others() -> Vec<Call> {
    vec![
        gws("gmail users drafts list")
            .params(me(json!({})))
            .has("/drafts/0/message/id", DRAFT)
            .keep("draft", "/drafts/0/id"),
        gws("gmail users drafts get")
            .params(me(json!({"id": "{{draft}}", "format": "full"})))
            .has("/message/id", DRAFT)
            .has("/message/labelIds", json!(["DRAFT"])),
        gws("gmail users history list")
            .params(me(json!({"startHistoryId": "{{history}}"})))
            .has("/historyId", "{{history}}")
            .lacks("/history"),
        gws("gmail users settings sendAs list")
            .params(me(json!({})))
            .has("/sendAs/0/isPrimary", true)
            .has("/sendAs/1/sendAsEmail", "sales@example.com"),
        gws("gmail users settings sendAs get")
            .params(me(json!({"sendAsEmail": "sales@example.com"})))
            .has("/displayName", "Sam at Sales"),
        gws("gmail users settings filters list")
            .params(me(json!({})))
            .has("/filter/0/criteria/from", "news@shop.example")
            .has("/filter/0/action/removeLabelIds", json!(["INBOX"])),
    ]
}

#[test]
fn mail_is_read_and_the_journal_knows_how_much_of_it() {
    let desk = Desk::new();
    let played = play(&desk, &calls(), &[]);
    assert!(
        operations(&played.trial)
            .iter()
            .all(|(_, status)| *status == 200)
    );
    // Reading changes nothing.
    let (before, after) = (
        played.trial.evidence_json("world/before.json"),
        played.trial.evidence_json("world/after.json"),
    );
    assert_eq!(before["gmail"], after["gmail"]);

    let seed = root().join("tests/clients/office/seed/google/mail/01-offer.eml");
    let raw = URL_SAFE.decode(played.kept("raw")).unwrap();
    assert_eq!(raw, std::fs::read(seed).unwrap());
    let text = played.kept("bytes").trim_end_matches('=');
    assert!(
        text.contains('-') && text.contains('_'),
        "base64url: {text}"
    );
    let plan = URL_SAFE_NO_PAD.decode(text).unwrap();
    let attachments = &after["gmail"]["messages"]
        .as_array()
        .unwrap()
        .iter()
        .find(|mail| mail["id"] == PLAN)
        .unwrap()["attachments"];
    let pdf = attachments
        .as_array()
        .unwrap()
        .iter()
        .find(|it| it["filename"] == "plan.pdf");
    assert_eq!(pdf.unwrap()["sha256"], digest(&plan));

    let journal = journal(&played.trial);
    let views: Vec<&str> = entries(&journal, "gmail.users.messages.get")
        .into_iter()
        .map(view)
        .collect();
    assert_eq!(
        views,
        [
            "full",      // no format
            "summary",   // minimal
            "summary",   // metadata
            "full",      // raw
            "reference", // fields=id
            "summary",   // headers through a mask
            "summary",   // sizes through a mask
            "full",      // data through a mask
            "summary",   // metadata
            "full",
        ]
    );
    for entry in entries(&journal, "gmail.users.messages.list") {
        assert!(
            entry["read"]
                .as_array()
                .unwrap()
                .iter()
                .all(|touch| touch["view"] == "reference"),
            "{entry}"
        );
    }
    let threads = entries(&journal, "gmail.users.threads.get");
    for (entry, expected) in threads.into_iter().zip(["full", "summary"]) {
        let mails = entry["read"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|touch| touch["type"] == "gmail.message");
        let views: Vec<&Value> = mails.map(|touch| &touch["view"]).collect();
        assert_eq!(views, [expected, expected], "{entry}");
    }
    let attachment = entries(&journal, "gmail.users.messages.attachments.get")[0];
    assert_eq!(
        attachment["read"][0]["type"], "gmail.attachment",
        "{attachment}"
    );
}

pub(super) fn searches() -> Vec<Call> {
    let search = |query: &str, ids: &[&str]| {
        let call = gws("gmail users messages list").params(me(json!({"q": query})));
        if ids.is_empty() {
            return call.has("", json!({"resultSizeEstimate": 0}));
        }
        call.ids("/messages", ids)
            .has("/resultSizeEstimate", ids.len())
    };
    vec![
        search("from:ada", &[OFFER]),
        search("from:me", &[DRAFT, SENT]),
        search("to:me cc:kim.li@example.net", &[OFFER]),
        search("subject:(offer acme)", &[ANSWER, OFFER]),
        search("offer -from:kim", &[OFFER]),
        search("offer in:anywhere", &[ANSWER, OFFER, SPAM, TRASHED]),
        search("in:spam", &[SPAM]),
        search("in:trash", &[TRASHED]),
        search("in:sent", &[SENT]),
        search("in:draft", &[DRAFT]),
        search("is:unread", &[ANSWER, OFFER]),
        search("is:read in:inbox", &[PLAN, SALE]),
        search("is:starred OR is:important", &[OFFER, PLAN]),
        search("{from:lee from:kim}", &[ANSWER, PLAN]),
        search("has:attachment", &[PLAN]),
        search("filename:pdf", &[PLAN]),
        search("filename:möbel.csv", &[PLAN]),
        search("label:clients-acme", &[OFFER]),
        search("category:promotions", &[SALE]),
        search("larger:1K", &[PLAN]),
        search("after:2026/03/01 before:2026/03/02 in:inbox", &[PLAN, SALE]),
        search("newer_than:1d", &[ANSWER, OFFER, PLAN, SALE]),
        search("older_than:2d -in:draft", &[SENT]),
        search("rfc822msgid:offer-1@mail.example.com", &[OFFER]),
        search("\"stay below\"", &[OFFER]),
        search("nothinglikethis", &[]),
    ]
}

#[test]
fn searches_find_what_gmail_would_find() {
    let desk = Desk::new();
    let played = play(&desk, &searches(), &[]);
    for (operation, status) in operations(&played.trial) {
        assert!(
            status == 200
                && (operation == "gmail.users.messages.list"
                    || operation == "discovery.apis.getRest"),
            "{operation}"
        );
    }
}
