//! Changing a mailbox with the methods of the API.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE;
use proctor_tests::Desk;
use serde_json::{Value, json};

use super::me;
use crate::clients::mail::{ANSWER, DRAFT, OFFER, PLAN, SALE, SENT, SPAM, TRASHED};
use crate::clients::play::{Call, gws, play, run};
use crate::clients::{entries, journal, mail_of, new_mails, operations};

/// A mail as it is handed to the API.
fn raw(from: &str, subject: &str, more: &str) -> String {
    URL_SAFE.encode(format!(
        "From: {from}\r\nTo: Ada Byron <ada@example.com>\r\nSubject: {subject}\r\n{more}\
         MIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\n\r\nHéllo.\r\n"
    ))
}

const SAM: &str = "sam.ode@example.com";

pub(super) fn calls() -> Vec<Call> {
    [labels(), places(), mails(), drafts(), identities()].concat()
}

fn labels() -> Vec<Call> {
    vec![
        gws("gmail users getProfile")
            .params(me(json!({})))
            .keep("start", "/historyId"),
        gws("gmail users labels create")
            .params(me(json!({})))
            .body(json!({"name": "Projects", "labelListVisibility": "labelShow"}))
            .has("/type", "user")
            .keep("label", "/id"),
        gws("gmail users labels patch")
            .params(me(json!({"id": "{{label}}"})))
            .body(json!({"name": "Projects/Move"}))
            .has("/name", "Projects/Move")
            .has("/labelListVisibility", "labelShow"),
        gws("gmail users labels update")
            .params(me(json!({"id": "{{label}}"})))
            .body(json!({"id": "{{label}}", "name": "Moves", "messageListVisibility": "hide"}))
            .has("/name", "Moves")
            .has("/messageListVisibility", "hide"),
        gws("gmail users messages modify")
            .params(me(json!({"id": OFFER})))
            .body(json!({"addLabelIds": ["{{label}}"], "removeLabelIds": ["UNREAD"]}))
            .has("/id", OFFER)
            .has("/labelIds", json!(["INBOX", "IMPORTANT", "Label_2", "Label_3"]))
            .lacks("/payload"),
        gws("gmail users messages batchModify")
            .params(me(json!({})))
            .body(json!({"ids": [PLAN, SALE], "addLabelIds": ["{{label}}"], "removeLabelIds": ["INBOX"]})),
        gws("gmail users threads modify")
            .params(me(json!({"id": OFFER})))
            .body(json!({"addLabelIds": ["STARRED"], "removeLabelIds": ["INBOX"]}))
            .ids("/messages", &[OFFER, ANSWER]),
        gws("gmail users messages list")
            .params(me(json!({"q": "label:moves"})))
            .ids("/messages", &[OFFER, PLAN, SALE]),
    ]
}

fn places() -> Vec<Call> {
    vec![
        gws("gmail users messages trash")
            .params(me(json!({"id": PLAN})))
            .has("/labelIds", json!(["TRASH", "STARRED", "Label_3"])),
        gws("gmail users messages list")
            .params(me(json!({"q": "filename:pdf"})))
            .lacks("/messages"),
        gws("gmail users messages untrash")
            .params(me(json!({"id": PLAN})))
            .has("/labelIds", json!(["STARRED", "Label_3"])),
        gws("gmail users threads trash")
            .params(me(json!({"id": SENT})))
            .ids("/messages", &[SENT]),
        gws("gmail users threads untrash")
            .params(me(json!({"id": SENT})))
            .ids("/messages", &[SENT]),
        gws("gmail users messages delete").params(me(json!({"id": SPAM}))),
        gws("gmail users threads delete").params(me(json!({"id": TRASHED}))),
    ]
}

fn mails() -> Vec<Call> {
    let answer = "In-Reply-To: <offer-2@mail.example.net>\r\n\
                  References: <offer-1@mail.example.com> <offer-2@mail.example.net>\r\n";
    vec![
        gws("gmail users messages insert")
            .params(me(json!({})))
            .body(json!({
                "raw": raw("lee@acme.example", "Kept", "Message-ID: <kept@acme.example>\r\n"),
                "labelIds": ["INBOX", "{{label}}"],
            }))
            .has("/labelIds", json!(["INBOX", "Label_3"]))
            .keep("inserted", "/id"),
        run(
            "printf 'From: Lee <lee@acme.example>\\r\\nTo: sam.ode@example.com\\r\\nSubject: Imported\\r\\n\
             Date: Sun, 01 Mar 2026 10:00:00 +0000\\r\\nMessage-ID: <imported@acme.example>\\r\\n\\r\\nHi.\\r\\n' > in.eml",
        ),
        gws("gmail users messages import --upload in.eml --upload-content-type message/rfc822")
            .params(me(json!({"internalDateSource": "dateHeader"})))
            .body(json!({"labelIds": ["INBOX", "UNREAD"]}))
            .keep("imported", "/id"),
        gws("gmail users messages send")
            .params(me(json!({})))
            .body(json!({"raw": raw(SAM, "Sent as it is", "")}))
            .has("/labelIds", json!(["SENT"]))
            .has("/threadId", "{{sent}}")
            .keep("sent", "/id"),
        gws("gmail users messages send")
            .params(me(json!({})))
            .body(json!({"raw": raw(SAM, "Re: The offer for Acme", answer), "threadId": OFFER}))
            .has("/threadId", OFFER)
            .keep("answer", "/id"),
        run(
            "printf 'To: sales@example.com\\r\\nBcc: kim.li@example.net\\r\\nSubject: To myself\\r\\n\\r\\nHi.\\r\\n' > out.eml",
        ),
        gws("gmail users messages send --upload out.eml --upload-content-type message/rfc822")
            .params(me(json!({})))
            .has("/labelIds", json!(["SENT", "INBOX", "UNREAD"]))
            .keep("own", "/id"),
        gws("gmail users messages batchDelete")
            .params(me(json!({})))
            .body(json!({"ids": ["{{imported}}", SALE]})),
        gws("gmail users messages get")
            .params(me(json!({"id": "{{imported}}"})))
            .refused(404, "notFound", "Requested entity was not found."),
    ]
}

fn drafts() -> Vec<Call> {
    vec![
        gws("gmail users drafts create")
            .params(me(json!({})))
            .body(json!({"message": {"raw": raw(SAM, "First words", "")}}))
            .has("/message/labelIds", json!(["DRAFT"]))
            .keep("draft", "/id")
            .keep("words", "/message/id"),
        gws("gmail users drafts update")
            .params(me(json!({"id": "{{draft}}"})))
            .body(json!({"message": {"raw": raw(SAM, "Last words", "")}}))
            .has("/id", "{{draft}}"),
        gws("gmail users messages get")
            .params(me(json!({"id": "{{words}}"})))
            .refused(404, "notFound", "Requested entity was not found."),
        gws("gmail users drafts send")
            .params(me(json!({})))
            .body(json!({"id": "{{draft}}"}))
            .has("/labelIds", json!(["SENT"]))
            .keep("said", "/id"),
        gws("gmail users drafts get")
            .params(me(json!({"id": "{{draft}}"})))
            .refused(404, "notFound", "Requested entity was not found."),
        gws("gmail users drafts create --upload out.eml --upload-content-type message/rfc822")
            .params(me(json!({})))
            .keep("other", "/id"),
        gws("gmail users drafts delete").params(me(json!({"id": "{{other}}"}))),
        gws("gmail users drafts list")
            .params(me(json!({})))
            .has("/drafts/0/message/id", DRAFT)
            .lacks("/drafts/1"),
        gws("gmail users history list --page-all --page-delay 0")
            .params(me(
                json!({"startHistoryId": "{{start}}", "maxResults": 500}),
            ))
            .keep("now", "/historyId"),
        gws("gmail users history list")
            .params(me(
                json!({"startHistoryId": "{{start}}", "historyTypes": ["messageDeleted"]}),
            ))
            .has("/history/0/messagesDeleted/0/message/id", SPAM)
            .lacks("/history/0/messagesAdded"),
        gws("gmail users labels delete").params(me(json!({"id": "{{label}}"}))),
        gws("gmail users labels get")
            .params(me(json!({"id": "{{label}}"})))
            .fails(1)
            .has("/error/code", 404),
    ]
}

fn identities() -> Vec<Call> {
    let office = || me(json!({"sendAsEmail": "office@other.example"}));
    vec![
        gws("gmail users settings sendAs create")
            .params(me(json!({})))
            .body(json!({"sendAsEmail": "office@other.example", "displayName": "The office"}))
            .has("/verificationStatus", "pending"),
        gws("gmail users settings sendAs patch")
            .params(office())
            .body(json!({"signature": "<b>Sam</b>"}))
            .has("/displayName", "The office")
            .has("/signature", "<b>Sam</b>"),
        gws("gmail users settings sendAs update")
            .params(office())
            .body(json!({"sendAsEmail": "office@other.example", "displayName": "Office"}))
            .has("/displayName", "Office")
            .has("/signature", ""),
        gws("gmail users settings sendAs verify").params(office()),
        gws("gmail users settings sendAs delete").params(office()),
        gws("gmail users settings sendAs get")
            .params(office())
            .fails(1)
            .has("/error/code", 404),
    ]
}

#[test]
fn labels_mails_drafts_and_identities_change_as_they_do_at_google() {
    let desk = Desk::new();
    let played = play(&desk, &calls(), &[]);
    let after = played.trial.evidence_json("world/after.json");
    let mail = |id: &str| mail_of(&after, id).unwrap_or_else(|| panic!("no mail {id}"));

    assert_eq!(
        mail(OFFER)["label_ids"],
        json!(["IMPORTANT", "Label_2", "STARRED"])
    );
    assert_eq!(mail(ANSWER)["label_ids"], json!(["STARRED", "UNREAD"]));
    assert_eq!(mail(PLAN)["label_ids"], json!(["STARRED"]));
    for id in [SALE, SPAM, TRASHED, played.kept("imported")] {
        assert!(mail_of(&after, id).is_none(), "{id} was deleted");
    }
    let labels = after["gmail"]["labels"].as_array().unwrap();
    assert!(
        labels.iter().all(|label| label["id"] != "Label_3"),
        "{labels:?}"
    );

    let subjects: Vec<&Value> = new_mails(&after)
        .iter()
        .map(|mail| &mail["subject"])
        .collect();
    assert_eq!(
        subjects,
        [
            "Kept",
            "Sent as it is",
            "Re: The offer for Acme",
            "To myself",
            "Last words"
        ]
    );
    let answer = mail(played.kept("answer"));
    assert_eq!(answer["thread_id"], OFFER);
    assert_eq!(answer["text"], "Héllo.\r\n");
    let own = mail(played.kept("own"));
    assert_eq!(own["from"], SAM);
    assert_eq!(own["bcc"], json!(["kim.li@example.net"]));
    assert_eq!(after["gmail"]["drafts"].as_array().unwrap().len(), 1);

    let journal = journal(&played.trial);
    let modified = entries(&journal, "gmail.users.messages.modify")[0];
    assert_eq!(modified["changed"][0]["id"], OFFER);
    assert_eq!(modified["changed"][0]["change"], "updated");
    let refused: Vec<_> = operations(&played.trial)
        .into_iter()
        .filter(|(_, status)| *status >= 400)
        .collect();
    assert_eq!(refused.len(), 5, "{refused:?}");
}
