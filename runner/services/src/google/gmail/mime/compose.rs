//! What Gmail writes into the header of a mail on its way out.
//!
//! Everything else of a source stays as it is, byte for byte.

use mail_builder::headers::Header as _;
use mail_builder::headers::address::Address;
use mail_builder::headers::date::Date;

use super::fields::Block;

/// An identity that mail can be sent as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::google::gmail) struct Sender<'a> {
    /// Name; may be empty.
    pub(in crate::google::gmail) name: &'a str,
    /// Address.
    pub(in crate::google::gmail) email: &'a str,
}

/// What is added to a mail.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(in crate::google::gmail) struct Additions<'a> {
    /// Who it is from. What it claimed before is kept in the field that Gmail
    /// keeps it in.
    pub(in crate::google::gmail) sender: Option<Sender<'a>>,
    /// When it was sent, milliseconds since 1970.
    pub(in crate::google::gmail) date_ms: Option<i64>,
    /// Its identifier, without angle brackets.
    pub(in crate::google::gmail) message_id: Option<&'a str>,
}

impl Additions<'_> {
    /// The source with the additions before it.
    pub(in crate::google::gmail) fn to(self, source: &[u8]) -> Vec<u8> {
        let Self {
            sender,
            date_ms,
            message_id,
        } = self;
        let source = without_mailbox_line(source);
        let mut out = Vec::with_capacity(source.len() + 256);
        if let Some(id) = message_id {
            out.extend_from_slice(b"Message-ID: <");
            out.extend_from_slice(id.as_bytes());
            out.extend_from_slice(b">\r\n");
        }
        if let Some(ms) = date_ms {
            out.extend_from_slice(b"Date: ");
            out.extend_from_slice(Date::new(ms.div_euclid(1000)).to_rfc822().as_bytes());
            out.extend_from_slice(b"\r\n");
        }
        if let Some(sender) = sender {
            write_from(&mut out, sender);
        }
        let header = Block::read(source, 0..source.len());
        if header.fields.is_empty() && header.body == 0 && !out.is_empty() {
            // A source without a header begins with its body.
            out.extend_from_slice(b"\r\n");
        }
        let claims = sender
            .is_some()
            .then(|| header.named(source, "From"))
            .into_iter()
            .flatten();
        let mut at = 0;
        for field in claims {
            out.extend_from_slice(source.get(at..field.whole.start).unwrap_or_default());
            out.extend_from_slice(b"X-Google-Original-From:");
            out.extend_from_slice(source.get(field.value.clone()).unwrap_or_default());
            at = field.whole.end;
        }
        out.extend_from_slice(source.get(at..).unwrap_or_default());
        out
    }
}

/// The source as it arrives at `email`: with the lines that the last server on
/// the way writes before it, and without whom it went to in secret.
pub(in crate::google::gmail) fn delivered(source: &[u8], email: &str) -> Vec<u8> {
    let mut out = format!("Delivered-To: {email}\r\n").into_bytes();
    out.reserve(source.len());
    let header = Block::read(source, 0..source.len());
    let mut at = 0;
    for field in header.named(source, "Bcc") {
        out.extend_from_slice(source.get(at..field.whole.start).unwrap_or_default());
        at = field.whole.end;
    }
    out.extend_from_slice(source.get(at..).unwrap_or_default());
    out
}

/// The source without the line that Unix mailbox files put before a mail: it
/// would end the header that is written before it.
fn without_mailbox_line(source: &[u8]) -> &[u8] {
    if !source.starts_with(b"From ") {
        return source;
    }
    memchr::memchr(b'\n', source)
        .and_then(|end| source.get(end + 1..))
        .unwrap_or_default()
}

fn write_from(out: &mut Vec<u8>, sender: Sender<'_>) {
    out.extend_from_slice(b"From: ");
    let name = Some(sender.name).filter(|name| !name.is_empty());
    Address::new_address(name, sender.email).write_header(out, "From: ".len());
    if !out.ends_with(b"\n") {
        out.extend_from_slice(b"\r\n");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::google::gmail::mime::Mail;

    const ADA: Sender<'_> = Sender {
        name: "Ada Ünsal",
        email: "ada@example.com",
    };
    const SIGNED: Additions<'_> = Additions {
        sender: Some(ADA),
        date_ms: None,
        message_id: None,
    };
    const IDENTIFIED: Additions<'_> = Additions {
        sender: None,
        date_ms: None,
        message_id: Some("i@m"),
    };

    #[test]
    fn fields_come_before_the_source_and_the_source_stays() {
        let source = b"To: x@y.org\nSubject: s\n\nbody\n";
        let additions = Additions {
            sender: Some(ADA),
            date_ms: Some(1_772_442_000_000),
            message_id: Some("id@mail"),
        };
        let out = additions.to(source);
        assert!(out.ends_with(source));
        let mail = Mail::parse(out);
        let head = mail.head();
        assert_eq!(
            (&*head.from[0].name, &*head.from[0].email),
            ("Ada Ünsal", "ada@example.com")
        );
        assert_eq!(
            (head.date_ms, head.message_id.as_deref()),
            (Some(1_772_442_000_000), Some("id@mail"))
        );
        assert_eq!(mail.text(), "body\n");
    }

    #[test]
    fn a_body_without_header_stays_body() {
        let mail = Mail::parse(IDENTIFIED.to(b"no header here"));
        assert_eq!(mail.text(), "no header here");
        assert_eq!(mail.fields().len(), 1);
    }

    #[test]
    fn the_line_of_a_mailbox_file_goes() {
        let source = b"From ada Mon Mar  2 10:00:00 2026\nTo: x@y.org\n\nbody";
        for additions in [IDENTIFIED, SIGNED] {
            let mail = Mail::parse(additions.to(source));
            assert_eq!((mail.fields().len(), mail.text().as_str()), (2, "body"));
        }
    }

    #[test]
    fn a_borrowed_sender_is_replaced_and_remembered() {
        let source =
            b"Subject: s\r\nFrom: The Boss\r\n <boss@y.org>\r\nFrom: two@y.org\r\n\r\nbody";
        let mail = Mail::parse(SIGNED.to(source));
        let from: Vec<&str> = mail.head().from.iter().map(|it| &*it.email).collect();
        assert_eq!(from, ["ada@example.com"]);
        let kept: Vec<&str> = mail
            .fields()
            .iter()
            .filter(|it| &*it.name == "X-Google-Original-From")
            .map(|it| &*it.value)
            .collect();
        assert_eq!(kept, ["The Boss <boss@y.org>", "two@y.org"]);
        assert_eq!(mail.text(), "body");
    }

    #[test]
    fn what_arrives_does_not_say_whom_it_went_to_in_secret() {
        let source =
            b"Bcc: a@x.org\r\nTo: b@x.org\r\nBCC: c@x.org,\r\n d@x.org\r\n\r\nBcc: e@x.org\r\n";
        let out = delivered(source, "a@x.org");
        let expected = b"Delivered-To: a@x.org\r\nTo: b@x.org\r\n\r\nBcc: e@x.org\r\n";
        assert_eq!(out, expected);
        assert!(Mail::parse(out).head().bcc.is_empty());
    }

    #[test]
    fn a_name_cannot_smuggle_a_field_in() {
        let evil = Sender {
            name: "x\r\nBcc: evil@y.org",
            email: "ada@example.com",
        };
        let additions = Additions {
            sender: Some(evil),
            ..Additions::default()
        };
        let mail = Mail::parse(additions.to(b"To: a@b.c\r\n\r\n"));
        assert!(mail.head().bcc.is_empty());
    }
}
