//! Round trips.

use jiff::Timestamp;

use super::{Served, Shape, canonical, parse, render};
use crate::notion::accept::blocks::Draft;
use crate::notion::block::{Block, Extra, Icon, Kind, LANGUAGES};
use crate::notion::id::Id;
use crate::notion::rich::{COLORS, Color, Date, Mention, Rich, Run, Style, What};
use crate::notion::store::{Body, Database, Node, Notion, Page, Place, Stamp, User};
use crate::world::Ids;

/// A generator (xorshift).
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % sides as u64).unwrap()
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        let at = self.roll(from.len());
        from[at]
    }
}

/// A workspace with a page to write on, another, a database and a user.
fn workspace() -> (Notion, Id, [Id; 3]) {
    let mut ids = Ids::new(1);
    let [page, other, database, user] = std::array::from_fn(|_| Id::draw(&mut ids, "x"));
    let users = vec![User {
        id: user,
        name: "Ada *the* [First]".to_owned(),
        email: Some("ada@example.com".to_owned()),
    }];
    let mut notion = Notion {
        workspace: String::new(),
        users,
        tokens: std::collections::BTreeMap::new(),
        bot: user,
        nodes: std::collections::BTreeMap::new(),
        roots: Vec::new(),
        comments: Vec::new(),
        added: 0,
    };
    let titled = |title: &str| Page {
        title: crate::notion::rich::plain(title),
        ..Page::default()
    };
    put(&mut notion, page, None, Body::Page(titled("Here")));
    put(
        &mut notion,
        other,
        None,
        Body::Page(titled("<There> & \"here\"")),
    );
    put(
        &mut notion,
        database,
        None,
        Body::Database(Database::default()),
    );
    (notion, page, [other, database, user])
}

fn put(notion: &mut Notion, id: Id, parent: Option<Id>, body: Body) {
    let stamp = Stamp {
        at: Timestamp::UNIX_EPOCH,
        by: notion.bot,
    };
    let node = Node::new(parent, stamp, body);
    notion.insert(id, node, Place::End);
}

fn grow(notion: &mut Notion, ids: &mut Ids, parent: Id, draft: &Draft) {
    let id = Id::draw(ids, "block");
    put(notion, id, Some(parent), Body::Block(draft.block.clone()));
    for child in &draft.children {
        grow(notion, ids, id, child);
    }
}

fn text(dice: &mut Dice) -> String {
    let words = [
        "plain",
        "buffer_size",
        "*stars*",
        "_under_",
        "a*b",
        "`tick`",
        "$5",
        "$x$",
        "[link](url)",
        "<b>",
        "</td>",
        "{color=\"red\"}",
        "}",
        "|",
        "# no heading",
        "- no item",
        "1. no number",
        "> no quote",
        "---",
        "&amp;",
        "&",
        "~~",
        "^",
        "\\",
        "https://example.com/a_b?x=1&y=2",
        "!",
        "\u{1f525}",
        "na\u{ef}ve",
        "\u{3053}",
        "(",
        ")",
        "\"",
        "'",
        "...",
        ":",
        "//",
        "<br>",
        "\n",
        "#",
        "+",
        "=",
        "%",
        "100",
        "$$",
        "```",
        "![x](y)",
        "</callout>",
        "<page url=\"x\"/>",
        "**",
    ];
    let mut text = String::new();
    for n in 0..=dice.roll(4) {
        if n > 0 && dice.roll(2) == 0 {
            text.push(' ');
        }
        text.push_str(dice.pick(&words[..]));
    }
    text
}

fn style(dice: &mut Dice) -> Style {
    let mut style = Style::default();
    if dice.roll(2) == 0 {
        return style;
    }
    style.bold = dice.roll(3) == 0;
    style.italic = dice.roll(3) == 0;
    style.strikethrough = dice.roll(4) == 0;
    style.underline = dice.roll(5) == 0;
    style.code = dice.roll(5) == 0;
    if dice.roll(5) == 0 {
        style.color = Color::parse(dice.pick(&COLORS)).unwrap();
    }
    style
}

fn rich(dice: &mut Dice, [page, database, user]: [Id; 3]) -> Rich {
    let mut rich = Rich::new();
    for _ in 0..dice.roll(4) {
        let links = [
            "https://example.com/(x)",
            "https://example.com/a b",
            "https://e.com/?a=1&copy;b\\",
        ];
        let link = (dice.roll(6) == 0).then(|| dice.pick(&links).to_owned());
        let mut style = style(dice);
        let what = match dice.roll(12) {
            0 => What::Mention(Mention::User(user)),
            1 => What::Mention(Mention::Page(page)),
            2 => What::Mention(Mention::Database(database)),
            3 => What::Mention(Mention::Date(Date {
                start: (dice.pick(&["2025-07-14", "2025-07-14T09:30:00", "2025-07-14T09:30:12Z"]))
                    .to_owned(),
                end: (dice.roll(2) == 0).then(|| "2025-07-16".to_owned()),
                time_zone: (dice.roll(3) == 0).then(|| "Europe/Berlin".to_owned()),
            })),
            4 => What::Equation(
                (dice.pick(&["x", "e=mc^2", "\\frac{1}{2}", "a $ b", "x "])).to_owned(),
            ),
            _ => What::Text(text(dice)),
        };
        if !matches!(what, What::Text(_)) {
            style.code = false;
        }
        rich.push(Run { what, style, link });
    }
    rich
}

/// Only what is said of the block itself, and what may be in it.
fn draft(dice: &mut Dice, known: [Id; 3], levels: usize) -> Draft {
    let kinds = [
        Kind::Paragraph,
        Kind::Heading1,
        Kind::Heading2,
        Kind::Heading3,
        Kind::Heading4,
        Kind::BulletedListItem,
        Kind::NumberedListItem,
        Kind::ToDo,
        Kind::Quote,
        Kind::Toggle,
        Kind::Callout,
        Kind::Code,
        Kind::Divider,
        Kind::Equation,
        Kind::Table,
        Kind::Bookmark,
        Kind::Image,
        Kind::TableOfContents,
        Kind::ColumnList,
        Kind::Video,
    ];
    let kind = dice.pick(&kinds);
    let mut block = Block::new(kind, Rich::new());
    if kind.has_text() && kind != Kind::Code {
        block.text = rich(dice, known);
    }
    if kind.has_color() && dice.roll(4) == 0 {
        block.color = Color::parse(dice.pick(&COLORS)).unwrap();
    }
    let mut children = Vec::new();
    block.extra = match kind {
        Kind::ToDo if dice.roll(2) == 0 => Extra::Checked,
        Kind::Heading1 | Kind::Heading2 if dice.roll(2) == 0 => Extra::Toggleable,
        Kind::Callout if dice.roll(2) == 0 => {
            Extra::Icon(Icon::Emoji("\u{26a0}\u{fe0f}".to_owned()))
        }
        Kind::Code => {
            let lines = [
                "x = 1",
                "\tindented",
                "```",
                "",
                "# not a heading",
                "<b> & *x*",
                "  y",
            ];
            let source: Vec<&str> = (0..dice.roll(5)).map(|_| dice.pick(&lines)).collect();
            block.text = crate::notion::rich::plain(&source.join("\n"));
            Extra::Code {
                language: (dice.pick(LANGUAGES)).to_owned(),
                caption: Rich::new(),
            }
        }
        Kind::Equation => Extra::Expression("\\int_0^1 x".to_owned()),
        Kind::Bookmark | Kind::Video => {
            block.text = rich(dice, known);
            Extra::Url("https://example.com/?a=\"1\"&b=<2>".to_owned())
        }
        Kind::Image => {
            block.text = crate::notion::rich::plain("A picture");
            Extra::Url("https://example.com/x.png".to_owned())
        }
        Kind::Table => {
            let width = 1 + dice.roll(3);
            for _ in 0..=dice.roll(3) {
                let cells = (0..width).map(|_| rich(dice, known)).collect();
                let row = Block::new(Kind::TableRow, Rich::new()).with(Extra::Cells(cells));
                children.push(Draft {
                    block: row,
                    children: Vec::new(),
                });
            }
            Extra::Table {
                width,
                column_header: dice.roll(2) == 0,
                row_header: dice.roll(2) == 0,
            }
        }
        Kind::ColumnList => {
            for _ in 0..=dice.roll(2) {
                let inner = draft(dice, known, 0);
                children.push(Draft {
                    block: Block::new(Kind::Column, Rich::new()),
                    children: vec![inner],
                });
            }
            Extra::None
        }
        _ => Extra::None,
    };
    if children.is_empty() && levels > 0 && block.takes_children() {
        for _ in 0..dice.roll(3) {
            children.push(draft(dice, known, levels - 1));
        }
    }
    Draft { block, children }
}

fn normal(draft: &Draft) -> Draft {
    Draft {
        block: canonical(&draft.block),
        children: draft.children.iter().map(normal).collect(),
    }
}

#[test]
fn what_is_written_is_read_again() {
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    let mut blocks = 0;
    for turn in 0..1500 {
        let (mut notion, page, known) = workspace();
        let mut ids = Ids::new(turn);
        let drafts: Vec<Draft> = (0..=dice.roll(3))
            .map(|_| draft(&mut dice, known, 2))
            .collect();
        for draft in &drafts {
            grow(&mut notion, &mut ids, page, draft);
        }
        let markdown = render(&notion, page);
        let parsed = parse(&markdown, &Served(&notion));
        let again: Vec<Draft> = parsed.new_only().iter().map(normal).collect();
        let given: Vec<Draft> = drafts.iter().map(normal).collect();
        assert_eq!(again, given, "turn {turn}:\n{markdown}");
        blocks += given.iter().map(Draft::count).sum::<usize>();
    }
    assert!(blocks > 5000, "{blocks}");
}

#[test]
fn any_text_is_read_and_stays_what_it_became() {
    let mut dice = Dice(7);
    let lines = [
        "# A",
        "##",
        "- x",
        "  - y",
        "\t- [x] z",
        "1. one",
        "   text below",
        "> quote",
        "```py",
        "code",
        "```",
        "| a | b |",
        "|---|---|",
        "| 1 | `x|y` |",
        "<callout icon=\"!\">",
        "</callout>",
        "<details>",
        "<summary>more</summary>",
        "</details>",
        "<table>",
        "<tr><td>x</td></tr>",
        "</table>",
        "---",
        "$$",
        "$$x$$",
        "![a](b)",
        "**bold",
        "*it* __b__",
        "<columns>",
        "<column>",
        "</column>",
        "</columns>",
        "<empty-block/>",
        "",
        "text {color=\"red\"}",
        "<unknown url=\"x\"/>",
        "~~~",
        "\u{0}",
        "<page url=\"nowhere\">x</page>",
        "<td>",
        "<",
        "<a",
        "&lt;",
        "      deep",
    ];
    for turn in 0..1500 {
        let text: Vec<&str> = (0..dice.roll(12)).map(|_| dice.pick(&lines)).collect();
        let text = text.join("\n");
        let (mut notion, page, _) = workspace();
        let drafts = parse(&text, &Served(&notion)).new_only();
        let mut ids = Ids::new(turn);
        for draft in &drafts {
            grow(&mut notion, &mut ids, page, draft);
        }
        let markdown = render(&notion, page);
        let again: Vec<Draft> = parse(&markdown, &Served(&notion))
            .new_only()
            .iter()
            .map(normal)
            .collect();
        let first: Vec<Draft> = drafts.iter().map(normal).collect();
        assert_eq!(again, first, "{text}\n=>\n{markdown}");
    }
}

#[test]
fn ordinary_markdown_is_understood() {
    let (notion, _, _) = workspace();
    let text = "Intro with a [link](https://example.com) and https://example.com/x_y.\n\n* one\n    * two\n+ three\n";
    let parsed = parse(text, &Served(&notion));
    let Shape::New(block) = &parsed.pieces[0].what else {
        panic!("a block");
    };
    let links: Vec<_> = block
        .text
        .iter()
        .filter_map(|run| run.link.as_deref())
        .collect();
    assert_eq!(links, ["https://example.com", "https://example.com/x_y"]);
    assert_eq!(parsed.pieces.len(), 3);
    assert_eq!(parsed.pieces[1].children.len(), 1);
    assert_eq!(parsed.pieces[2].line, 5);
}

#[test]
fn long_texts_are_split_as_the_api_would_have_them() {
    let (notion, _, _) = workspace();
    let parsed = parse(&"x".repeat(4500), &Served(&notion));
    let Shape::New(block) = &parsed.pieces[0].what else {
        panic!("a block");
    };
    let lengths: Vec<usize> = block
        .text
        .iter()
        .map(|run| match &run.what {
            What::Text(text) => text.len(),
            _ => 0,
        })
        .collect();
    assert_eq!(lengths, [2000, 2000, 500]);
}

#[test]
fn indentation_without_end_does_no_harm() {
    let (notion, _, _) = workspace();
    let lines: Vec<String> = (0..700)
        .map(|level| format!("{}- x", "  ".repeat(level)))
        .collect();
    let text = lines.join("\n");
    let parsed = parse(&text, &Served(&notion));
    assert!(parsed.problems[0].1.contains("32 levels"));
    let mut depth = 0;
    let mut pieces = &parsed.pieces;
    while let Some(last) = pieces.last() {
        depth += 1;
        pieces = &last.children;
    }
    assert!(depth <= 34, "{depth}");
    let nested = "<callout>\n".repeat(50_000);
    parse(&nested, &Served(&notion));
}
