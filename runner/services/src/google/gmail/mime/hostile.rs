//! Mails that are made to break whoever reads them. What they are read as does
//! not matter here; that it ends, and soon, does.

use std::sync::Arc;

use super::*;
use crate::google::gmail::id::MessageId;
use crate::google::gmail::label::LabelSet;
use crate::google::gmail::mailbox::Message;
use crate::google::gmail::methods::rendered;

fn read(source: impl Into<Vec<u8>>) -> Arc<Mail> {
    let mail = Arc::new(Mail::parse(source.into()));
    // Everything that requests ask of a mail.
    mail.html();
    mail.has_attachment();
    for part in mail.attachments() {
        mail.content(part);
    }
    let message = Message {
        id: MessageId::at(0, 1),
        thread: MessageId::at(0, 1),
        labels: LabelSet::default(),
        date_ms: 0,
        history_id: 0,
        seeded: false,
        mail: Arc::clone(&mail),
    };
    assert!(
        nesting(&rendered(&message)) < 120,
        "JSON readers stop at 128 levels"
    );
    mail
}

fn nesting(json: &str) -> usize {
    let mut deepest = 0;
    let mut depth = 0_usize;
    for byte in json.bytes() {
        match byte {
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        deepest = deepest.max(depth);
    }
    deepest
}

#[test]
fn headers_without_measure() {
    let long = |name: &str, value: &str| format!("{name}: {value}\r\n\r\nbody");
    let megabytes = "x".repeat(10 << 20);
    for name in [
        "Subject",
        "From",
        "To",
        "Date",
        "References",
        "Content-Type",
        "X-Other",
    ] {
        assert_eq!(read(long(name, &megabytes)).text(), "body", "{name}");
    }
    let folded = "x\r\n ".repeat(3 << 20);
    assert_eq!(read(long("Subject", &folded)).text(), "body");
    let fields = "a:\r\n".repeat(2 << 20);
    assert_eq!(read(format!("{fields}\r\nbody")).text(), "body");
    assert_eq!(read(megabytes).fields().len(), 0);
}

#[test]
fn headers_that_take_long_to_decode() {
    for piece in [
        "=?utf-8?q? ",
        "=?aa?q?x",
        "=?utf-8?b?",
        "=?",
        "=?a*=?b?",
        "=?utf-8?q?=3D?= ",
    ] {
        let value = piece.repeat((1 << 20) / piece.len());
        for name in ["Subject", "From", "Content-Type", "Content-Disposition"] {
            read(format!("{name}: {value}\r\n\r\nbody"));
        }
    }
    for piece in [
        "(", ")", "<", "\"", "\\", ",", ";", ":", "@", "a*0*=x;", "a=b;", "(\\", "<a@b>,", "=?q?",
    ] {
        let value = piece.repeat((1 << 20) / piece.len());
        for name in [
            "From",
            "To",
            "Message-ID",
            "References",
            "Date",
            "Content-Type",
            "Content-Disposition",
            "List-ID",
        ] {
            read(format!("{name}: {value}\r\n\r\nbody"));
        }
    }
}

#[test]
fn a_hundred_thousand_recipients() {
    let list: Vec<String> = (0..100_000)
        .map(|n| format!("\"Name, {n}\" <user{n}@example.com>"))
        .collect();
    let mail = read(format!("To: {}\r\n\r\nbody", list.join(",\r\n ")));
    assert_eq!(mail.head().to.len(), 100_000);
    assert_eq!(&*mail.head().to[99_999].email, "user99999@example.com");
    let named: Vec<String> = (0..100_000)
        .map(|n| format!("=?utf-8?q?J=C3=B6rg?= <u{n}@example.com>"))
        .collect();
    assert_eq!(
        read(format!("To: {}\r\n\r\nbody", named.join(", ")))
            .head()
            .to
            .len(),
        100_000
    );
}

#[test]
fn nesting_without_end() {
    let mut multiparts = String::new();
    let mut closers = String::new();
    for n in 0..1_000 {
        let opening = format!("Content-Type: multipart/mixed; boundary=b{n}\r\n\r\n--b{n}\r\n");
        multiparts.push_str(&opening);
        closers.insert_str(0, &format!("\r\n--b{n}--\r\n"));
    }
    read(format!("{multiparts}\r\ninnermost{closers}"));
    read(multiparts);
    let messages = "Content-Type: message/rfc822\r\n\r\n".repeat(100_000);
    read(messages.clone());
    read(format!("{messages}Subject: x\r\n\r\nbody"));
    let same = "Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n".repeat(100_000);
    read(same);
    let digests = "Content-Type: multipart/digest; boundary=b\r\n\r\n--b\r\n\r\n".repeat(20_000);
    read(digests);
}

#[test]
fn parts_without_number() {
    let empty = "--b\r\n".repeat(1 << 20);
    read(format!(
        "Content-Type: multipart/mixed; boundary=b\r\n\r\n{empty}"
    ));
    // Each part names a boundary that never comes.
    let lost = "--b\r\nContent-Type: multipart/x; boundary=lost\r\n\r\nx\r\n".repeat(100_000);
    let mail = read(format!(
        "Content-Type: multipart/mixed; boundary=b\r\n\r\n{lost}"
    ));
    assert!(mail.root().children.len() <= 2_000);
    let near = "--b-\r\n--bb\r\n --b\r\n".repeat(200_000);
    read(format!(
        "Content-Type: multipart/mixed; boundary=b\r\n\r\n{near}"
    ));
}

#[test]
fn bodies_that_are_not_what_they_say() {
    for encoding in ["base64", "quoted-printable", "7bit", "gzip"] {
        for body in [
            "====",
            "=",
            "=\r\n=\r\n",
            "=ZZ",
            "\0\0\0",
            "aGVsbG8",
            "*".repeat(1 << 20).as_str(),
            "=3D=".repeat(1 << 18).as_str(),
        ] {
            for kind in [
                "text/plain; charset=utf-16",
                "text/html; charset=utf-7",
                "image/png",
                "text/plain; charset=iso-2022-jp",
                "message/rfc822",
            ] {
                read(format!(
                    "Content-Type: {kind}\r\nContent-Transfer-Encoding: {encoding}\r\n\r\n{body}"
                ));
            }
        }
    }
    for piece in [
        "<", ">", "<p", "<style>", "</", "&", "&#", "&amp", "<!--", "<script", "<td>", "a ",
    ] {
        read(format!(
            "Content-Type: text/html\r\n\r\n{}",
            piece.repeat((1 << 20) / piece.len())
        ));
    }
}

#[test]
fn bytes_of_all_kinds() {
    let all: Vec<u8> = (0..=255).cycle().take(1 << 16).collect();
    read(all.clone());
    read([b"Subject: ".as_slice(), &all, b"\n\n", &all].concat());
    read([b"Content-Type: text/plain; charset=\"".as_slice(), &all].concat());
    for source in [
        "",
        "\r",
        "\n",
        "\r\r\r",
        "\n\n\n",
        "\0",
        ":",
        ": ",
        ":\n",
        "\u{feff}From: a@b\n\n",
        "From \n",
        "From x",
    ] {
        read(source);
    }
    read("A: b\rC: d\r\rbody\r".repeat(10_000));
    read("\r".repeat(1 << 20));
}
