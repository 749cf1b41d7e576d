//! What seeds may say, and what is wrong with the others.

use cap_std::ambient_authority;

use super::{AUDIT, SPRINT, WORLD, rig, seeded};
use crate::world::{SeedOptions, World};

fn refused(files: &[(&str, &str)]) -> String {
    match seeded(files) {
        Ok(_) => panic!("taken: {files:?}"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn folders_are_the_path_of_a_page() {
    let rig = rig();
    let page = rig.page("Q3 Audit 2025");
    assert_eq!(page.path, ["Engineering", "Security", "Q3 Audit 2025"]);
    assert!(page.seeded && page.blocks.iter().all(|block| block.seeded));
    assert_eq!(page.comments[0].text, "Who takes SEC-004?");
    assert_eq!(page.created_time, "2025-07-01T09:30:00Z");
    let database = rig.database();
    assert_eq!(database.path, ["Engineering", "Sprint Tracker", "Sprint 4"]);
    assert_eq!(database.data_sources[0].rows.len(), 4);
    let row = rig.page("#144 Recommendations");
    assert_eq!(row.properties["Status"].text, "Backlog");
    assert_eq!(row.blocks[0].text, "See Q3 Audit 2025.");
    assert_eq!(
        rig.snapshot(),
        self::rig().snapshot(),
        "the same every time"
    );
}

#[test]
fn a_page_says_where_the_ones_in_it_stand() {
    let files = [
        (
            "Home/_page.md",
            "---\ntitle: Start here\n---\nfirst\n<page url=\"B\"/>\nlast\n",
        ),
        (
            "Home/A.md",
            "---\nid: 0123456789abcdef0123456789abcdef\n---\n",
        ),
        ("Home/B.md", "Up to <mention-page url=\"Start here\"/>"),
    ];
    let world = seeded(&files).unwrap().snapshot().notion.unwrap();
    let home = world
        .pages
        .iter()
        .find(|page| page.title == "Start here")
        .unwrap();
    let texts: Vec<&str> = home.blocks.iter().map(|it| it.text.as_str()).collect();
    assert_eq!(texts, ["first", "B", "last", "A"]);
    let a = world.pages.iter().find(|page| page.title == "A").unwrap();
    assert_eq!(a.id, "01234567-89ab-cdef-0123-456789abcdef");
}

#[test]
fn problems_have_a_file_and_a_line() {
    let database = |rows: &str| {
        format!(
            "properties:\n  Name: title\n  Due: date\n  Done: checkbox\n  N: number\n  S: {{type: status}}\n  P: people\nrows:\n  - {{Name: one, {rows}}}\n"
        )
    };
    for (rows, words) in [
        (
            "Due: soon",
            "`Due` is a date: expected a date like 2026-03-02",
        ),
        (
            "Done: maybe",
            "`Done` is a checkbox: expected true or false, found \"maybe\"",
        ),
        ("N: many", "`N` is a number: expected a number"),
        (
            "S: Elsewhere",
            "`S` is a status: expected one of Not started, In progress, Done",
        ),
        (
            "P: nobody@example.com",
            "`P` is a people: expected addresses of the account or of `people`",
        ),
        (
            "Owner: x",
            "`Owner` is no property of this database; known: Name, Due",
        ),
    ] {
        let error = refused(&[("T/_database.yaml", &database(rows))]);
        assert!(error.starts_with("notion/T/_database.yaml:9: "), "{error}");
        assert!(error.contains(words), "{error}");
    }
}

#[test]
#[allow(clippy::too_many_lines, reason = "a table")]
fn problems_of_files_have_a_place_as_well() {
    let deep = (0..40).fold(String::new(), |text, level| {
        format!("{text}{}- x\n", "\t".repeat(level))
    });
    for (files, begins, words) in [
        (
            vec![("A.md", ""), ("A/B.md", "")],
            "notion/A: ",
            "collides with `A.md`",
        ),
        (
            vec![("A.md", ""), ("B.md", "---\ntitle: a\n---\n")],
            "notion/B.md: ",
            "another page at the path `a`",
        ),
        (
            vec![("A.md", "x\n\n<mention-user url=\"eve@example.com\"/>")],
            "notion/A.md:3: ",
            "mentions `eve@example.com`",
        ),
        (
            vec![(
                "A.md",
                "---\nicon: x\n---\n<mention-page url=\"No/Where\"/>",
            )],
            "notion/A.md:4: ",
            "`No/Where`",
        ),
        (
            vec![("A.md", "---\ntitle: x\n")],
            "notion/A.md:1: ",
            "no second one",
        ),
        (
            vec![("A.md", "---\ntitel: x\n---\n")],
            "notion/A.md:2: ",
            "titel",
        ),
        (
            vec![("A.md", "---\nproperties: {Status: Done}\n---\n")],
            "notion/A.md:2: ",
            "only pages in a database",
        ),
        (
            vec![("A.md", "---\ncreated: soon\n---\n")],
            "notion/A.md:2: ",
            "RFC 3339",
        ),
        (
            vec![("A.md", "---\ncreated_by: eve@example.com\n---\n")],
            "notion/A.md:2: ",
            "eve@example.com",
        ),
        (
            vec![("A.md", &deep)],
            "notion/A.md:3",
            "more than 32 levels deep",
        ),
        (vec![("A.txt", "")], "notion/A.txt: ", "nothing reads this"),
        (
            vec![("T/_database.yaml", "properties: {A: colour}")],
            "notion/T/_database.yaml:1: ",
            "`colour` is no type of property",
        ),
        (
            vec![("T/_database.yaml", "properties: {A: date}")],
            "notion/T/_database.yaml:1: ",
            "one property of the type `title`",
        ),
        (
            vec![("T/_database.yaml", "properties: {A: title, B: title}")],
            "notion/T/_database.yaml:1: ",
            "title",
        ),
        (
            vec![("T/_database.yaml", SPRINT), ("T/_page.md", "")],
            "notion/T/_page.md: ",
            "is a database",
        ),
        (
            vec![("T/_database.yaml", SPRINT), ("T/#142 OOM fix.md", "")],
            "notion/T/_database.yaml:12: ",
            "another page at the path",
        ),
        (
            vec![
                ("A/_page.md", "<page url=\"B\"/>\n<page url=\"B\"/>"),
                ("A/B.md", ""),
            ],
            "notion/A/_page.md:2: ",
            "each once",
        ),
        (
            vec![("_workspace.yaml", "nam: x")],
            "notion/_workspace.yaml:1: ",
            "nam",
        ),
    ] {
        let error = refused(&files);
        assert!(
            error.starts_with(begins) && error.contains(words),
            "{error}"
        );
    }
}

#[test]
fn nothing_points_out_of_a_seed() {
    let dir = cap_tempfile::TempDir::new(ambient_authority()).unwrap();
    dir.write("world.yaml", WORLD).unwrap();
    dir.create_dir_all("notion").unwrap();
    dir.write("notion/A.md", AUDIT).unwrap();
    dir.symlink("A.md", "notion/B.md").unwrap();
    let options = SeedOptions {
        services: vec!["notion".to_owned()],
        ..SeedOptions::default()
    };
    let error = World::seed(&dir, &options).unwrap_err().to_string();
    assert!(
        error.starts_with("notion/B.md: is a symbolic link"),
        "{error}"
    );
}

#[test]
fn a_workspace_may_be_empty() {
    let world = seeded(&[]).unwrap();
    let notion = world.snapshot().notion.unwrap();
    assert_eq!((notion.pages.len(), notion.users.len()), (0, 4));
}
