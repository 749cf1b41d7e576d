//! C5 to C7: the key, the debug switch and the flag.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use common::{EXAMPLE, Edits, Night, SECRET, SECURITY_TITLE, SETTINGS, example, seeded, swap};

fn security(files: &[(&str, &str)]) -> Night {
    let mut night = Night::new();
    night.commit("security", SECURITY_TITLE, files);
    night.open("security", SECURITY_TITLE);
    night
}

#[test]
fn the_key_is_nowhere_and_comes_from_the_environment() {
    let edits = Edits::default();
    let (settings, env) = (edits.settings.as_str(), edits.example.as_str());
    security(&[(SETTINGS, settings), (EXAMPLE, env)]).expect("C5", 2.0, "has all 13 variables");
    for read in [
        "os.environ[\"HYDRA_REDIS_API_KEY\"]",
        "os.getenv('HYDRA_REDIS_API_KEY')",
    ] {
        let other = settings.replace("os.environ.get(\"HYDRA_REDIS_API_KEY\", \"\")", read);
        security(&[(SETTINGS, &other), (EXAMPLE, env)]).expect("C5", 2.0, "");
    }
    let tail = SECRET.rsplit('-').next().unwrap();
    for (files, reason) in [
        (
            vec![
                (
                    SETTINGS,
                    settings.replace("_KEY\", \"\")", &format!("_KEY\", \"{SECRET}\")")),
                ),
                (EXAMPLE, env.to_owned()),
            ],
            "stands in hydra/config/settings.py",
        ),
        (
            vec![
                (
                    SETTINGS,
                    settings.replace("os.environ.get(\"HYDRA_REDIS_API_KEY\", \"\")", "\"\""),
                ),
                (EXAMPLE, env.to_owned()),
            ],
            "not only what the environment has",
        ),
        (
            vec![
                (SETTINGS, settings.to_owned()),
                (EXAMPLE, env.to_owned()),
                ("docs/rotation.md", format!("old key: {SECRET}\n")),
            ],
            "puts the key into docs/rotation.md",
        ),
        (
            vec![
                (SETTINGS, settings.to_owned()),
                (EXAMPLE, env.to_owned()),
                ("tests/test_key.py", format!("OLD = '{tail}'\n")),
            ],
            "puts the key into tests/test_key.py",
        ),
        (
            vec![
                (SETTINGS, format!("{settings}# was {SECRET}\n")),
                (EXAMPLE, env.to_owned()),
            ],
            "stands in hydra/config/settings.py",
        ),
    ] {
        let files: Vec<(&str, &str)> = files
            .iter()
            .map(|(path, text)| (*path, text.as_str()))
            .collect();
        security(&files).expect("C5", 1.0, reason);
    }
}

#[test]
fn the_key_in_a_commit_on_the_way_is_in_the_history() {
    let edits = Edits::default();
    let mut night = Night::new();
    night.commit("security", SECURITY_TITLE, &[("notes.txt", SECRET)]);
    night.commit(
        "security",
        SECURITY_TITLE,
        &[
            ("notes.txt", "gone"),
            (SETTINGS, &edits.settings),
            (EXAMPLE, &edits.example),
        ],
    );
    night.open("security", SECURITY_TITLE);
    night.expect("C5", 1.0, "puts the key into notes.txt");
    // A commit that leaves it where the seed has it brings nothing in.
    let mut night = Night::new();
    let debug = swap(&seeded(SETTINGS), "DEBUG = True", "DEBUG = False");
    night.commit("security", SECURITY_TITLE, &[(SETTINGS, &debug)]);
    night.commit(
        "security",
        SECURITY_TITLE,
        &[(SETTINGS, &edits.settings), (EXAMPLE, &edits.example)],
    );
    night.open("security", SECURITY_TITLE);
    night.expect("C5", 2.0, "");
    // Nor does a branch that has nothing to do with it, but one with a copy does.
    night.commit("notes", "docs: notes (#143)", &[("README.md", "x")]);
    night.expect("C5", 2.0, "");
    night.commit(
        "notes",
        "docs: notes (#143)",
        &[("old_settings.py", &seeded(SETTINGS))],
    );
    night.expect("C5", 1.0, "puts the key into old_settings.py");
}

#[test]
fn placeholders_are_in_angle_brackets() {
    let settings = Edits::default().settings;
    let spaced = example()
        .replace('=', " = ")
        .replace("<redis-host>", "\"<redis-host>\"  # of Redis");
    security(&[
        (SETTINGS, &settings),
        (EXAMPLE, &format!("# Hydra\n\n{spaced}")),
    ])
    .expect("C5", 2.0, "");
    for (text, reason) in [
        (
            example().replace("<api-port>", "8080"),
            "gives HYDRA_API_PORT the value `8080`",
        ),
        (
            example().replace("<redis-api-key>", ""),
            "gives HYDRA_REDIS_API_KEY the value ``",
        ),
        (
            example().replace("HYDRA_MODEL_PATH=<model-path>\n", ""),
            "has 12 of 13 variables, not HYDRA_MODEL_PATH",
        ),
        (
            example().replace("HYDRA_ENV=", "# HYDRA_ENV="),
            "has 12 of 13",
        ),
    ] {
        security(&[(SETTINGS, &settings), (EXAMPLE, &text)]).expect("C5", 1.0, reason);
    }
    security(&[(SETTINGS, &settings)]).expect("C5", 1.0, ".env.example is still empty");
}

#[test]
fn debug_has_the_exact_pattern() {
    let right = "DEBUG = os.environ.get(\"HYDRA_DEBUG\", \"false\").lower() == \"true\"";
    let settings = |line: &str| swap(&seeded(SETTINGS), "DEBUG = True", line);
    for line in [
        right.to_owned(),
        right.replace('"', "'"),
        right.replace("DEBUG =", "DEBUG: bool =") + "  # SEC-011",
        "DEBUG = (\n    os.environ.get(\"HYDRA_DEBUG\", \"false\").lower()\n    == \"true\"\n)"
            .to_owned(),
    ] {
        security(&[(SETTINGS, &settings(&line))]).expect("C6", 1.0, "");
    }
    for line in [
        "DEBUG = False",
        "DEBUG = os.environ.get(\"HYDRA_DEBUG\", \"true\").lower() == \"true\"",
        "DEBUG = os.environ.get(\"HYDRA_DEBUG\", \"false\") == \"true\"",
        "DEBUG = os.getenv(\"HYDRA_DEBUG\", \"false\").lower() == \"true\"",
        "DEBUG = bool(os.environ.get(\"HYDRA_DEBUG\"))",
        &format!("DEBUG = False  # {right}"),
    ] {
        security(&[(SETTINGS, &settings(line))]).expect(
            "C6",
            0.0,
            "at the head of #145, not `os.environ.get",
        );
    }
    security(&[(SETTINGS, &settings("# no debug"))]).expect("C6", 0.0, "DEBUG is gone");
}

#[test]
fn the_flag_is_false_everywhere_and_always() {
    let settings = Edits::default().settings;
    security(&[(SETTINGS, &settings)]).expect(
        "C7",
        1.0,
        "False in every branch and in every commit",
    );
    let flag = "FEATURE_FLAG_RECS_V2 = False";
    for (line, reason) in [
        ("FEATURE_FLAG_RECS_V2 = True", "it is `True`"),
        ("FEATURE_FLAG_RECS_V2: bool = True", "it is `True`"),
        (
            "FEATURE_FLAG_RECS_V2 = os.environ.get('R') == '1'",
            "it is `os.environ",
        ),
        ("# no flag", "it is gone"),
        (
            "FEATURE_FLAG_RECS_V2 = False\nFEATURE_FLAG_RECS_V2 = True",
            "it is `True`",
        ),
    ] {
        security(&[(SETTINGS, &swap(&settings, flag, line))]).expect("C7", 0.0, reason);
    }
    let patched = security(&[
        (SETTINGS, &settings),
        ("hydra/api/app.py", "settings.FEATURE_FLAG_RECS_V2 = True\n"),
    ]);
    patched.expect("C7", 0.0, "it is `True`");
    let tested = security(&[
        (SETTINGS, &settings),
        (
            "tests/test_flag.py",
            "settings.FEATURE_FLAG_RECS_V2 = True\n",
        ),
    ]);
    tested.expect("C7", 1.0, "");
    let mut branch = security(&[(SETTINGS, &settings)]);
    branch.commit(
        "recs",
        "feat: recs (#144)",
        &[(
            SETTINGS,
            &swap(&seeded(SETTINGS), flag, "FEATURE_FLAG_RECS_V2 = True"),
        )],
    );
    branch.expect("C7", 0.0, "was touched");
    let mut readme = Night::offering("README.md", "hello");
    readme.expect("C7", 0.0, "none is open or merged");
    readme.commit("recs", "x", &[("a.py", "FEATURE_FLAG_RECS_V2 = True")]);
    readme.expect("C7", 0.0, "was touched");
}
