//! Queries against a mailbox of twenty mails.

use jiff::Timestamp;

use super::*;
use crate::google::gmail::label::UserLabel;
use crate::world::Clock;

struct Entry {
    number: u32,
    mail: Mail,
    labels: LabelSet,
    date_ms: i64,
}

struct Fixture {
    entries: Vec<Entry>,
    labels: Labels,
}

/// Number, date, labels, header and text.
const MAILS: &[(u32, &str, &[&str], &str, &str)] = &[
    (
        1,
        "2026-03-15T09:00:00Z",
        &["INBOX", "UNREAD", "IMPORTANT"],
        "From: Bob Stone <bob@example.com>\nTo: ada@example.com\nSubject: Q3 planning meeting\n\
         Message-ID: <plan-1@example.com>",
        "Please send the budget draft before Friday. Let's meet on Tuesday at 10.",
    ),
    (
        2,
        "2026-03-14T09:00:00Z",
        &["INBOX", "UNREAD", "CATEGORY_UPDATES"],
        "From: GitHub <notifications@github.com>\nTo: Ada L <ada@example.com>\n\
         Subject: [acme/app] Fix parser (PR #42)\nList-ID: acme/app <app.acme.github.com>",
        "carol requested your review: https://github.com/acme/app/pull/42",
    ),
    (
        3,
        "2026-03-13T09:00:00Z",
        &["INBOX", "UNREAD", "CATEGORY_UPDATES"],
        "From: CI <ci@builds.example>\nTo: ada@example.com\nSubject: Build 381 failed on main",
        "The nightly test suite failed: 3 tests of 1200.",
    ),
    (
        4,
        "2026-03-15T12:00:00Z",
        &["SENT"],
        "From: Ada L <ada@example.com>\nTo: bob@example.com\nSubject: Re: Q3 planning meeting",
        "Tuesday works. I will bring the budget.",
    ),
    (
        5,
        "2026-03-02T09:00:00Z",
        &["INBOX"],
        "From: HR <hr@example.com>\nTo: ada@example.com\nSubject: Timesheet reminder\n\
         Content-Type: multipart/mixed; boundary=b",
        "--b\n\nFill it in by Monday.\n--b\nContent-Type: application/vnd.ms-excel\n\
         Content-Disposition: attachment; filename=\"time_sheet-2026.xlsx\"\n\nxx\n--b--\n",
    ),
    (
        6,
        "2026-03-10T09:00:00Z",
        &["INBOX", "CATEGORY_PROMOTIONS"],
        "From: Shop <news@shop.example>\nTo: ada@example.com\nSubject: Spring sale\n\
         Content-Type: text/html",
        "<html><style>p{color:red}</style><p>20% off</p><p>boots</p></html>",
    ),
    (
        7,
        "2026-03-12T09:00:00Z",
        &["SPAM", "UNREAD"],
        "From: Prince <prince@scam.example>\nTo: ada@example.com\nSubject: You won money",
        "Send your budget now.",
    ),
    (
        8,
        "2026-02-20T09:00:00Z",
        &["TRASH"],
        "From: Bob Stone <bob@example.com>\nTo: ada@example.com\nSubject: Old meeting notes",
        "Outdated.",
    ),
    (
        9,
        "2026-03-16T08:00:00Z",
        &["DRAFT"],
        "From: Ada L <ada@example.com>\nTo: carol@example.com\nSubject: Holiday plans",
        "We could go in May.",
    ),
    (
        10,
        "2025-12-20T09:00:00Z",
        &["STARRED", "Clients/Acme Corp"],
        "From: Carol <carol@example.com>\nTo: ada@example.com\nCc: bob@example.com\n\
         Subject: Contract\nContent-Type: multipart/mixed; boundary=b",
        "--b\n\nSigned.\n--b\nContent-Type: application/pdf; name=contract.pdf\n\nPDF\n--b--\n",
    ),
    (
        11,
        "2026-03-16T07:00:00Z",
        &["INBOX"],
        "From: Carol <carol@example.com>\nTo: team@example.com\nCc: Ada <ada@example.com>\n\
         Subject: Lunch on Friday?",
        "The secret birthday lunch.",
    ),
    (
        12,
        "2026-01-05T09:00:00Z",
        &["INBOX"],
        "From: =?utf-8?q?D=C3=B6rte_M=C3=BCller?= <doerte@firma.example>\nTo: ada@example.com\n\
         Subject: =?utf-8?b?R3LDtsOfZSBkZXIgUsOkdW1l?=",
        "Bitte prüfen.",
    ),
    (
        13,
        "2024-06-01T09:00:00Z",
        &[],
        "From: Bob Stone <bob@example.com>\nTo: ada+cinema@example.com\nSubject: Dinner or movie",
        "Your choice.",
    ),
    (
        14,
        "2026-03-01T09:00:00Z",
        &["INBOX"],
        "From: Boss <boss@example.com>\nBcc: ada@example.com\nSubject: Confidential",
        "See https://docs.google.com/document/d/1x/edit",
    ),
    (
        15,
        "2026-03-11T09:00:00Z",
        &["INBOX", "CATEGORY_SOCIAL"],
        "From: Friends <mail@social.example>\nTo: ada@example.com\nSubject: New follower",
        "Watch https://www.youtube.com/watch?v=1",
    ),
    (
        16,
        "2026-03-16T09:00:00Z",
        &["SENT", "INBOX", "UNREAD"],
        "From: ada@example.com\nTo: ada@example.com\nSubject: Note to self",
        "Water the plants.",
    ),
    (
        17,
        "2026-03-08T09:00:00Z",
        &["INBOX"],
        "From: =?utf-8?b?55Sw5Lit?= <tanaka@firma.example>\nTo: ada@example.com\n\
         Subject: =?utf-8?b?5p2x5Lqs5Lya6K2w44Gu5Lu2?=",
        "よろしく",
    ),
    (
        18,
        "2026-03-09T09:00:00Z",
        &["INBOX"],
        "From: Bobby <bobby@example.net>\nTo: ada@example.com\nSubject: Bobsled",
        "planning-poker tonight, or planning tomorrow?",
    ),
    (
        19,
        "2026-03-05T09:00:00Z",
        &["SENT"],
        "From: Ada <ada@alias.example>\nTo: dave@client.example\nSubject: Invoice 2026-17\n\
         Message-ID: <Inv-17@alias.example>\nContent-Type: multipart/mixed; boundary=b",
        "--b\n\nAttached.\n--b\nContent-Type: application/pdf\n\
         Content-Disposition: attachment; filename=invoice.pdf\n\nPDF\n--b--\n",
    ),
    (
        20,
        "2026-03-07T09:00:00Z",
        &["CATEGORY_FORUMS", "Reading List"],
        "From: Eve <eve@rust.example>\nTo: users@rust.example\nDelivered-To: ada@example.com\n\
         List-ID: Rust Users <users.rust.example>\nSubject: Re: lifetimes",
        "The secret is to borrow less. My birthday present.",
    ),
];

fn fixture() -> Fixture {
    let mut labels = Labels::default();
    for name in ["Clients/Acme Corp", "Reading List", "Empty"] {
        labels.create(UserLabel::new(name)).unwrap();
    }
    let entry = |(number, date, names, head, text): &(u32, &str, &[&str], &str, &str)| {
        let date: Timestamp = date.parse().unwrap();
        // The size of one mail is known to the byte: see `larger:`.
        let padding = if *number == 10 {
            "x".repeat(20_000)
        } else {
            String::new()
        };
        Entry {
            number: *number,
            mail: Mail::parse(format!("{head}\n\n{text}{padding}").into_bytes()),
            labels: names
                .iter()
                .map(|name| labels.find(name).unwrap())
                .collect(),
            date_ms: date.as_millisecond(),
        }
    };
    Fixture {
        entries: MAILS.iter().map(entry).collect(),
        labels,
    }
}

impl Fixture {
    fn find(&self, query: &str, everywhere: bool) -> Vec<u32> {
        let me = ["ada@example.com".to_owned(), "ada@alias.example".to_owned()];
        let clock = Clock::new("2026-03-16T10:00:00Z".parse().unwrap());
        let context = Context {
            labels: &self.labels,
            me: &me,
            zone: TimeZone::get("Europe/Berlin").unwrap(),
            clock: &Watched::new(&clock),
        };
        let plan = Query::parse(query).plan(&context);
        let candidate = |it: &'_ Entry| {
            plan.matches(
                &Candidate {
                    mail: &it.mail,
                    labels: &it.labels,
                    date_ms: it.date_ms,
                },
                everywhere,
            )
        };
        self.entries
            .iter()
            .filter(|it| candidate(it))
            .map(|it| it.number)
            .collect()
    }
}

/// Everything but spam and trash.
const VISIBLE: &[u32] = &[
    1, 2, 3, 4, 5, 6, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20,
];

const QUERIES: &[(&str, &[u32])] = &[
    // Words
    ("", VISIBLE),
    ("   ", VISIBLE),
    ("budget", &[1, 4]),
    ("BUDGET", &[1, 4]),
    ("budg", &[]),
    ("budget friday", &[1]),
    ("\"budget draft\"", &[1]),
    ("\"draft budget\"", &[]),
    ("+budget", &[1, 4]),
    ("planning", &[1, 4, 18]),
    ("planning-poker", &[18]),
    ("q3-planning", &[1, 4]),
    ("let's", &[1]),
    ("bob", &[1, 4, 10, 13]),
    ("bob@example.com", &[1, 4, 10, 13]),
    ("xlsx", &[5]),
    ("boots", &[6]),
    ("color", &[]),
    ("offboots", &[]),
    ("größe", &[12]),
    ("GRÖSSE", &[]),
    ("prüfen", &[12]),
    ("東京", &[17]),
    ("会議", &[17]),
    ("京会", &[17]),
    ("\"sale 20\"", &[]),
    ("github.com/acme", &[2]),
    ("foo:bar", &[]),
    ("1200", &[3]),
    ("*", VISIBLE),
    ("lunch -friday", &[]),
    ("-budget planning", &[18]),
    // Connectives
    ("budget OR boots", &[1, 4, 6]),
    ("boots | lunch", &[6, 11]),
    ("budget tuesday OR friday", &[1, 4]),
    ("{boots lunch}", &[6, 11]),
    ("{from:bob from:carol} contract", &[10]),
    ("(boots) OR (budget draft)", &[1, 6]),
    ("-{in:inbox in:sent in:drafts}", &[10, 13, 20]),
    (
        "-(in:inbox is:unread) in:inbox",
        &[5, 6, 11, 12, 14, 15, 17, 18],
    ),
    ("secret AROUND 1 birthday", &[11]),
    ("birthday AROUND 1 secret", &[11]),
    ("secret AROUND 9 birthday", &[11, 20]),
    ("\"birthday AROUND 9 secret\"", &[]),
    ("\"secret AROUND 9 birthday\"", &[11, 20]),
    // People
    ("from:bob", &[1, 13]),
    ("from:bob@example.com", &[1, 13]),
    ("from:Bob@Example.COM", &[1, 13]),
    ("from:<bob@example.com>", &[1, 13]),
    ("from:stone", &[1, 13]),
    ("from:\"bob stone\"", &[1, 13]),
    ("from:(bob stone)", &[1, 13]),
    ("from:(bob OR hr)", &[1, 5, 13]),
    ("from:example.com", &[1, 4, 5, 9, 10, 11, 13, 14, 16]),
    ("from:@firma.example", &[12, 17]),
    ("from:müller", &[12]),
    ("from:田中", &[17]),
    ("from:bo", &[]),
    ("from:ob@example.com", &[]),
    ("from:me", &[4, 9, 16, 19]),
    ("from:ME -in:drafts", &[4, 16, 19]),
    ("to:me", &[1, 2, 3, 5, 6, 10, 11, 12, 14, 15, 16, 17, 18]),
    ("to:me from:me", &[16]),
    ("to:bob", &[4, 10]),
    ("to:ada+cinema@example.com", &[13]),
    ("to:cinema", &[13]),
    ("cc:bob", &[10]),
    ("cc:ada@example.com", &[11]),
    ("cc:me", &[11]),
    ("bcc:me", &[14]),
    ("bcc:carol", &[]),
    ("-from:example.com -to:me", &[19, 20]),
    ("deliveredto:ada@example.com", &[20]),
    ("deliveredto:me", &[20]),
    ("list:users.rust.example", &[20]),
    ("list:rust", &[20]),
    ("list:github.com", &[2]),
    // Subject
    ("subject:planning", &[1, 4]),
    ("subject:(planning meeting)", &[1, 4]),
    ("subject:{dinner lunch}", &[11, 13]),
    ("subject:\"planning meeting\"", &[1, 4]),
    ("subject:\"meeting planning\"", &[]),
    ("subject:budget", &[]),
    ("subject:re:", &[4, 20]),
    ("subject: planning", &[1, 4]),
    ("subject:planning -from:me", &[1]),
    // Places and states
    ("in:inbox", &[1, 2, 3, 5, 6, 11, 12, 14, 15, 16, 17, 18]),
    ("in:sent", &[4, 16, 19]),
    ("in:drafts", &[9]),
    ("in:draft", &[9]),
    ("is:unread", &[1, 2, 3, 16]),
    ("is:unread in:anywhere", &[1, 2, 3, 7, 16]),
    ("is:read in:inbox", &[5, 6, 11, 12, 14, 15, 17, 18]),
    ("is:starred", &[10]),
    ("has:yellow-star", &[10]),
    ("is:important", &[1]),
    ("in:spam", &[7]),
    ("in:trash", &[8]),
    ("in:trash OR in:spam", &[7, 8]),
    ("in:trash meeting", &[8]),
    ("-in:trash meeting", &[1, 4]),
    ("-in:anywhere", &[]),
    ("in:archive", &[10, 13, 20]),
    ("in:anywhere meeting", &[1, 4, 8]),
    ("label:spam budget", &[7]),
    ("in:snoozed", &[]),
    ("is:nonsense", &[]),
    // Labels and categories
    ("label:inbox label:unread", &[1, 2, 3, 16]),
    ("label:Label", &[]),
    ("label:clients-acme-corp", &[10]),
    ("label:\"Clients/Acme Corp\"", &[10]),
    ("label:Clients/Acme-Corp", &[10]),
    ("in:reading-list", &[20]),
    ("label:empty", &[]),
    ("label:unknown", &[]),
    ("-label:unknown from:hr", &[5]),
    ("has:userlabels", &[10, 20]),
    ("has:nouserlabels from:carol", &[11]),
    ("category:updates", &[2, 3]),
    ("category:promotions", &[6]),
    ("category:social", &[15]),
    ("category:forums", &[20]),
    ("category:primary", &[1, 5, 11, 12, 14, 16, 17, 18]),
    ("category:none", &[]),
    // Content
    ("has:attachment", &[5, 10, 19]),
    ("has:attachment from:me", &[19]),
    ("-has:attachment from:hr", &[]),
    ("has:document", &[14]),
    ("has:drive", &[14]),
    ("has:spreadsheet", &[]),
    ("has:youtube", &[15]),
    ("has:nonsense", &[]),
    ("filename:pdf", &[10, 19]),
    ("filename:contract.pdf", &[10]),
    ("filename:sheet", &[5]),
    ("filename:(pdf OR xlsx)", &[5, 10, 19]),
    ("filename:doc", &[]),
    ("larger:10K", &[10]),
    ("larger:20000", &[10]),
    ("size:10000", &[10]),
    ("larger:1M", &[]),
    ("smaller:100 from:ci", &[]),
    ("smaller:1K from:ci", &[3]),
    ("larger:", VISIBLE),
    ("larger:huge", &[]),
    ("rfc822msgid:<plan-1@example.com>", &[1]),
    ("rfc822msgid:plan-1@example.com", &[1]),
    ("rfc822msgid:inv-17@alias.example", &[19]),
    ("rfc822msgid:plan@example.com", &[]),
    // Time
    ("newer_than:1d", &[4, 9, 11, 16]),
    ("newer_than:25h -in:drafts", &[1, 4, 11, 16]),
    ("older_than:1y", &[13]),
    ("older_than:2m newer_than:1y", &[10, 12]),
    ("newer_than:x", &[]),
    ("after:2026/03/15", &[1, 4, 9, 11, 16]),
    ("after:03/15/2026", &[1, 4, 9, 11, 16]),
    ("newer:2026-03-15", &[1, 4, 9, 11, 16]),
    ("before:2026/01/01", &[10, 13]),
    ("older:2024/06/02", &[13]),
    ("after:2026/3/1 before:2026/3/3", &[5, 14]),
    ("after:1773565200", &[1, 4, 9, 11, 16]),
    ("after:1773565201", &[4, 9, 11, 16]),
    ("before:1717232400", &[]),
    ("before:1717232401", &[13]),
    ("after:2026/02/30", &[]),
    ("after:soon", &[]),
    // What agents write
    (
        "is:unread in:inbox newer_than:7d -category:updates",
        &[1, 16],
    ),
    (
        "from:(notifications@github.com OR ci@builds.example) is:unread",
        &[2, 3],
    ),
    (
        "subject:(review OR fix OR failed) -from:me after:2026/3/1",
        &[2, 3],
    ),
    ("from:someuser@example.com rfc822msgid: is:unread", &[]),
    ("rfc822msgid: is:unread", &[1, 2, 3, 16]),
    ("(from:bob (subject:planning", &[1]),
    ("subject:planning)", &[1, 4]),
    ("from:bob AND subject:planning", &[1]),
];

#[test]
fn queries_find_what_gmail_would_find() {
    let fixture = fixture();
    let mut wrong = Vec::new();
    for (query, expected) in QUERIES {
        let found = fixture.find(query, false);
        if found != *expected {
            wrong.push(format!(
                "{query}\n  expected {expected:?}\n  found    {found:?}"
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(QUERIES.len() >= 60);
}

#[test]
fn spam_and_trash_can_be_included_by_the_request() {
    let fixture = fixture();
    assert_eq!(fixture.find("budget", true), [1, 4, 7]);
    assert_eq!(fixture.find("meeting -in:trash", true), [1, 4]);
    assert_eq!(fixture.find("", true).len(), MAILS.len());
}

#[test]
fn no_text_is_refused() {
    let fixture = fixture();
    let hostile = [
        "(".repeat(10_000),
        "-".repeat(10_000),
        "{".repeat(5_000) + &"}".repeat(5_000),
        "\"".repeat(9_999),
        "from:".repeat(3_000),
        "a OR ".repeat(3_000),
        "x AROUND 1 ".repeat(2_000),
        "\0\u{1}\u{feff}".repeat(100),
        "é".repeat(9_000),
        "-(-(-(-(a".to_owned(),
        "label:(((".to_owned(),
        "after:99999999999999999999999".to_owned(),
        "newer_than:9999999999999y".to_owned(),
        "larger:99999999999999999999G".to_owned(),
        "AROUND AROUND 1 AROUND".to_owned(),
        ") } ( { \" : - + |".to_owned(),
    ];
    for query in hostile {
        fixture.find(&query, true);
    }
}
