//! What is read from mails of every shape.

use super::*;

fn mail(source: &str) -> Mail {
    Mail::parse(source.replace('\n', "\r\n").into_bytes())
}

/// The tree of parts, one line each.
fn tree(mail: &Mail) -> Vec<String> {
    let mut lines = Vec::new();
    mail.root().walk(&mut |part| {
        let kind = match part.kind {
            Kind::Container => "container",
            Kind::Text => "text",
            Kind::Attachment(_) => "attachment",
        };
        lines.push(format!(
            "[{}] {} {kind} {:?} {}",
            part.id, part.mime, part.filename, part.size
        ));
    });
    lines
}

#[test]
fn a_plain_mail_is_one_part() {
    let mail = mail("From: a@b.c\nSubject: Hi\n\nHello\nthere\n");
    assert_eq!(tree(&mail), ["[] text/plain text \"\" 14"]);
    assert_eq!(mail.text(), "Hello\r\nthere\r\n");
    assert_eq!((mail.html(), mail.snippet()), (None, "Hello there"));
}

#[test]
fn alternatives_files_and_pictures() {
    let mail = mail(
        "From: a@b.c\nContent-Type: multipart/mixed; boundary=\"out er\"\n\npreamble\n\
         --out er\nContent-Type: multipart/related; boundary=rel\n\n\
         --rel\nContent-Type: multipart/alternative; boundary=alt\n\n\
         --alt\nContent-Type: text/plain; charset=iso-8859-1\nContent-Transfer-Encoding: quoted-printable\n\n\
         Gr=FC=DFe\n--alt\nContent-Type: text/html; charset=utf-8\n\n<p>Gr\u{fc}\u{df}e</p>\n--alt--\n\
         --rel\nContent-Type: image/png\nContent-ID: <logo>\nContent-Transfer-Encoding: base64\n\niVBORw==\n--rel--\n\
         --out er\nContent-Type: application/pdf; name=\"a b.pdf\"\nContent-Transfer-Encoding: base64\n\nJVBERi0x\n\
         --out er\nContent-Type: text/plain\nContent-Disposition: attachment; filename*=utf-8''n%C3%B6te.txt\n\nsecret\n\
         --out er--\nepilogue\n",
    );
    assert_eq!(
        tree(&mail),
        [
            "[] multipart/mixed container \"\" 0",
            "[0] multipart/related container \"\" 0",
            "[0.0] multipart/alternative container \"\" 0",
            "[0.0.0] text/plain text \"\" 7",
            "[0.0.1] text/html text \"\" 14",
            "[0.1] image/png attachment \"\" 4",
            "[1] application/pdf attachment \"a b.pdf\" 6",
            "[2] text/plain attachment \"nöte.txt\" 6",
        ]
    );
    assert_eq!(
        (mail.text().as_str(), mail.html().as_deref()),
        ("Grüße", Some("<p>Grüße</p>"))
    );
    let names: Vec<&str> = mail.attachments().iter().map(|it| &*it.filename).collect();
    assert_eq!(names, ["", "a b.pdf", "nöte.txt"]);
    assert!(mail.has_attachment());
    let id = mail.attachments()[1].attachment_id().unwrap().to_owned();
    assert_eq!(&*mail.content(mail.attachment(&id).unwrap()), b"%PDF-1");
    assert!(mail.attachment("other").is_none());
}

#[test]
fn a_picture_in_the_text_is_no_attachment_to_look_for() {
    let picture =
        "Content-Type: image/png\nContent-ID: <x>\nContent-Disposition: inline; filename=x.png";
    let mail = mail(&format!(
        "Content-Type: multipart/related; boundary=b\n\n--b\nContent-Type: text/html\n\n<img>\n--b\n{picture}\n\nPNG\n--b--\n"
    ));
    assert!(!mail.has_attachment());
    assert_eq!(mail.attachments().len(), 1);
}

#[test]
fn an_attached_mail_keeps_its_text_to_itself() {
    let mail = mail(
        "From: a@b.c\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\nSee below.\n\
         --b\nContent-Type: message/rfc822\n\nFrom: inner@x.y\nSubject: Inner\n\
         Content-Type: multipart/mixed; boundary=i\n\n--i\n\nInner text.\n--i\nContent-Type: image/gif\n\nGIF\n--i--\n--b--\n",
    );
    assert_eq!(
        tree(&mail),
        [
            "[] multipart/mixed container \"\" 0",
            "[0] text/plain text \"\" 10",
            "[1] message/rfc822 attachment \"\" 140",
            "[1.0] multipart/mixed container \"\" 0",
            "[1.0.0] text/plain text \"\" 11",
            "[1.0.1] image/gif attachment \"\" 3",
        ]
    );
    assert_eq!(mail.text(), "See below.");
    assert_eq!(mail.attachments().len(), 1);
    let attached = mail.content(mail.attachments()[0]).into_owned();
    assert_eq!(&*Mail::parse(attached).head().subject, "Inner");
}

#[test]
fn a_digest_holds_mails() {
    let mail =
        mail("Content-Type: multipart/digest; boundary=d\n\n--d\n\nSubject: One\n\nx\n--d--\n");
    assert_eq!(mail.root().children[0].mime.as_ref(), "message/rfc822");
    assert_eq!(&*mail.root().children[0].children[0].fields[0].value, "One");
}

#[test]
fn html_alone_is_read_as_text() {
    let mail = mail("Content-Type: text/html\n\n<div>One</div><div>two &lt;3</div>");
    assert_eq!(mail.text(), "One\n\ntwo <3");
    assert_eq!(mail.snippet(), "One two &lt;3");
}

#[test]
fn an_empty_alternative_gives_way() {
    let alternative = |plain: &str| {
        mail(&format!(
            "Content-Type: multipart/alternative; boundary=b\n\n--b\nContent-Type: text/html\n\n\
             <p>rich</p>\n--b\nContent-Type: text/plain\n\n{plain}\n--b--\n"
        ))
        .text()
    };
    assert_eq!(
        (alternative("plain").as_str(), alternative(" ").as_str()),
        ("plain", "rich")
    );
}

#[test]
fn flowed_text_and_unknown_encodings_stay_as_they_are() {
    let flowed = mail("Content-Type: text/plain; format=flowed; delsp=yes\n\na long \nline\n");
    assert_eq!(flowed.text(), "a long \r\nline\r\n");
    let odd = mail("Content-Transfer-Encoding: x-uuencode\n\nbegin 644 x\n");
    assert_eq!(odd.text(), "begin 644 x\r\n");
}

#[test]
fn boundaries_are_lines_of_their_own() {
    let mail = mail(
        "Content-Type: multipart/mixed; boundary=b\n\n--b\n\nnot here --b and\n --b nor\n--bc either\n--b  \n\nsecond\n--b--  \n--b\n\nthird\n",
    );
    assert_eq!(mail.root().children.len(), 2);
    assert_eq!(
        mail.text(),
        "not here --b and\r\n --b nor\r\n--bc either\nsecond"
    );
}

#[test]
fn broken_structure_degrades() {
    // No closing delimiter: the part goes on to the end.
    let open = mail("Content-Type: multipart/mixed; boundary=b\n\n--b\n\none\n--b\n\ntwo");
    assert_eq!(open.text(), "one\ntwo");
    // A boundary that never comes, or none: the text that it is.
    for head in [
        "multipart/mixed; boundary=zz",
        "multipart/mixed",
        "multipart/mixed; boundary=\"\"",
    ] {
        let mail = mail(&format!("Content-Type: {head}\n\n--b\n\nbody\n"));
        assert_eq!(
            tree(&mail)[0],
            format!("[] text/plain text \"\" {}", "--b\r\n\r\nbody\r\n".len())
        );
    }
    // A closing delimiter at once.
    assert_eq!(
        mail("Content-Type: multipart/mixed; boundary=b\n\n--b--\nx").text(),
        "--b--\r\nx"
    );
    // A type that is none.
    for head in ["nonsense", "/", ";", "text", "\"\"", "text/; charset"] {
        let mail = mail(&format!("Content-Type: {head}\n\nbody"));
        assert!(
            mail.text() == "body" || !mail.attachments().is_empty(),
            "{head}"
        );
    }
}

#[test]
fn the_header_says_who_and_when() {
    let mail = mail(
        "From: \"L, Ada\" <Ada@B.C>\nTo: x@y.z, \"Q\" <q@y.z>\nTo: second@y.z\nCc: c@y.z\nBcc: b@y.z\n\
         Subject: =?utf-8?q?Caf=C3=A9?=\nDate: Mon, 02 Mar 2026 10:00:00 +0100\nMessage-ID: <id@b.c>\n\
         In-Reply-To: <r1@b.c>\nReferences: <r0@b.c>\n <r1@b.c>\nList-ID: L <l.b.c>\nDelivered-To: me@b.c\n\n",
    );
    let head = mail.head();
    let emails = |list: &[Address]| {
        list.iter()
            .map(|it| it.email.to_string())
            .collect::<Vec<_>>()
    };
    assert_eq!(
        (&*head.from[0].name, &*head.from[0].email),
        ("L, Ada", "ada@b.c")
    );
    assert_eq!(emails(&head.to), ["x@y.z", "q@y.z", "second@y.z"]);
    assert_eq!(head.recipients().count(), 5);
    assert_eq!(
        (&*head.subject, head.date_ms),
        ("Café", Some(1_772_442_000_000))
    );
    assert_eq!(head.message_id.as_deref(), Some("id@b.c"));
    assert_eq!(
        head.references,
        ["r1@b.c", "r0@b.c", "r1@b.c"].map(Box::from)
    );
    assert_eq!(
        (&*head.list, &*head.delivered_to[0].email),
        ("L <l.b.c>", "me@b.c")
    );
}

#[test]
fn a_snippet_is_short_and_escaped() {
    let long = mail(&format!("\n{}", "ab ".repeat(100)));
    assert_eq!(long.snippet().chars().count(), 200);
    assert_eq!(
        mail("\n<a href=\"x\">it's & more</a>").snippet(),
        "&lt;a href=&quot;x&quot;&gt;it&#39;s &amp; more&lt;/a&gt;"
    );
    assert_eq!(mail("A: b\n\n \n\t \n").snippet(), "");
}

#[test]
fn a_source_keeps_every_byte() {
    let source = b"A: b\r\n\nodd\r\rline\0\xff\xfe ends".to_vec();
    assert_eq!(Mail::parse(source.clone()).source(), &source[..]);
}
