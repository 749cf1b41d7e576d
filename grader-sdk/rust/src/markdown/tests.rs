use super::*;

fn titles(document: &Document) -> Vec<(u8, &str)> {
    document
        .sections()
        .map(|section| (section.level(), section.title()))
        .collect()
}

#[test]
fn fences_hide_headings_and_items() {
    let page = Document::parse(
        "# One\n```md\n# Not\n- not\n```\n\nSetext\n------\n    # nor this\n\n**Bold** one\n\n**Bold title**:\n\n- **item**\n",
    );
    assert_eq!(
        titles(&page),
        [(1, "One"), (2, "Setext"), (BOLD, "Bold title")]
    );
    assert_eq!(page.whole().items().count(), 1);
    let code: Vec<&Code> = page.whole().code().collect();
    assert_eq!((code[0].language.as_str(), code[0].line), ("md", 2));
    assert_eq!(code[0].text, "# Not\n- not\n");
}

#[test]
fn sections_end_where_the_next_one_of_their_level_begins() {
    let page = Document::parse("intro\n# A\na\n## B\nb\n### C\nc\n## D\nd\n# E\ne");
    let a = page.section("a").unwrap();
    assert_eq!(a.text().trim(), "a\n## B\nb\n### C\nc\n## D\nd");
    assert_eq!(a.own_text().trim(), "a");
    assert_eq!(
        a.sections().map(|one| one.title()).collect::<Vec<_>>(),
        ["B", "C", "D"]
    );
    assert_eq!(page.section("B").unwrap().text().trim(), "b\n### C\nc");
    assert_eq!(page.section("E").unwrap().text().trim(), "e");
    assert_eq!(page.section("E").unwrap().line(), 10);
    assert_eq!(page.whole().own_text().trim(), "intro");
}

#[test]
fn paths_go_through_sections() {
    let page = Document::parse(
        "# First\n## Timeline\nx\n# Second *incident*\n## Notes\n### 2. Timeline (UTC)\ny\n",
    );
    assert_eq!(page.section("timeline").unwrap().line(), 2);
    let found = page.section_at(&["second incident", "timeline"]).unwrap();
    assert_eq!(found.title(), "2. Timeline (UTC)");
    assert!(page.section_at(&["notes", "first"]).is_none());
    assert!(page.section_at(&["first", "notes"]).is_none());
    assert!(page.section_at(&[]).is_none());
    assert!(page.section("").is_none());
}

#[test]
fn items_are_counted_nested_numbered_and_checked() {
    let page = Document::parse(
        "- one\n  more\n  - [ ] two\n    1. three\n    2. four\n- [X] five\n\n  six\n\n7. seven\n8) eight\n\n* nine\n",
    );
    let found: Vec<_> = page
        .whole()
        .items()
        .map(|item| {
            (
                item.depth,
                item.number,
                item.checked,
                item.text.as_str(),
                item.line,
            )
        })
        .collect();
    assert_eq!(
        found,
        [
            (0, None, None, "one more", 1),
            (1, None, Some(false), "two", 3),
            (2, Some(1), None, "three", 4),
            (2, Some(2), None, "four", 5),
            (0, None, Some(true), "five six", 6),
            (0, Some(7), None, "seven", 10),
            (0, Some(8), None, "eight", 11),
            (0, None, None, "nine", 13)
        ]
    );
    assert_eq!(page.whole().bullets().count(), 5);
    // All in one line is one item.
    assert_eq!(Document::parse("- a - b - c").whole().items().count(), 1);
}

#[test]
fn tables_have_heads_and_rows() {
    let page = Document::parse(
        "| Task | Status |\n| --- | --- |\n| **#142** OOM | Done [PR](https://x.example/1) |\n| #144 | Back\\|log |\n",
    );
    let table = page.whole().tables().next().unwrap();
    assert_eq!(table.header, ["Task", "Status"]);
    assert_eq!(table.column("status"), Some(1));
    assert_eq!(table.row("142").unwrap(), ["#142 OOM", "Done PR"]);
    assert_eq!(table.row("144").unwrap()[1], "Back|log");
    assert!(table.row("14").is_none() && table.column("x").is_none());
}

#[test]
fn links_are_marked_or_plain() {
    let page = Document::parse(
        "See [the *PR*](https://x.example/a_b), https://x.example/c_d?e=1&f=2. <https://y.example>\n`https://code.example`\nhttp no\n",
    );
    let found: Vec<_> = page
        .whole()
        .links()
        .map(|link| (link.text.as_str(), link.url.as_str()))
        .collect();
    assert_eq!(
        found,
        [
            ("the PR", "https://x.example/a_b"),
            (
                "https://x.example/c_d?e=1&f=2",
                "https://x.example/c_d?e=1&f=2"
            ),
            ("https://y.example", "https://y.example")
        ]
    );
}

#[test]
fn hostile_texts_are_read_to_their_end() {
    for piece in [
        "[", "*", "_a*", "> ", "- ", "`", "![", "<", "|", "# x\n", "a\n=\n", "\\", "&", "[a](",
        "**a** ", "1. ", "  - a\n",
    ] {
        let text = piece.repeat(20_000);
        let page = Document::parse(&text);
        assert!(page.is_complete());
        for section in page.sections().chain([page.whole()]).take(50) {
            assert!(section.text().len() <= text.len());
            assert!(section.own_text().len() <= section.text().len());
        }
    }
    let long = "ä".repeat(LONGEST);
    assert!(!Document::parse(&long).is_complete());
}
