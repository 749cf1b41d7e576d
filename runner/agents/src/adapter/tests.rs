//! What adapters say, and what becomes of files that are none.

use proctor_types::manifest::FailureKind;
use serde_json::{Value, json};

use super::template::ModelValues;
use super::*;

/// A prompt that would do harm wherever it was read as anything but text.
const HOSTILE: &str = "-x @f {home} $(id) `id` '\"\\\n'''\"\"\" = [a]\u{7f}\u{1}é";

fn values() -> Values {
    Values {
        agent_dir: "/opt/proctor/agents/x".to_owned(),
        home: "/home/agent".to_owned(),
        prompt: HOSTILE.to_owned(),
        timeout_seconds: 60,
        workspace: "/workspace".to_owned(),
        ..Values::default()
    }
}

/// Everything that a trial can have.
fn full(adapter: &Adapter) -> (Values, Option<ModelApi>) {
    let api = adapter.choose(&ModelApi::ALL);
    let model = api.and_then(|api| adapter.model_values(api, "https://model.test/", "p", "m\"\n1"));
    let values = Values {
        mcp_url: Some("http://mcp.proctor.test/mcp".to_owned()),
        system_prompt: Some(format!("SYS {HOSTILE}")),
        turns: Some(9),
        model,
        ..values()
    };
    (values, api)
}

fn minimal(more: &str) -> String {
    format!(
        "name = \"x\"\nargs = [\"{{prompt}}\"]\n{more}\n[program]\nnames = [\"x\"]\n\
         [transcript]\nformat = \"text\"\nstdout = true\n"
    )
}

fn parse(text: &str) -> Result<Adapter, AdapterError> {
    Adapter::parse("x.toml", text.as_bytes())
}

#[test]
fn every_embedded_adapter_is_one_and_its_files_are_what_they_say() {
    for name in BUILTIN_NAMES {
        let adapter = builtin(name).unwrap();
        assert_eq!(adapter.name(), *name);
        assert!(crate::AGENT_NAMES.contains(name), "{name}");
        let (values, api) = full(&adapter);
        let rendered = adapter.render(values.clone(), api).unwrap();
        for file in &rendered.files {
            assert!(
                room_path(&file.path, "/home/agent").is_some(),
                "{}",
                file.path
            );
            let text = String::from_utf8(file.bytes.clone()).unwrap();
            if file.path.rsplit('.').next() == Some("json") {
                serde_json::from_str::<Value>(&text).unwrap();
            }
            if file.path.rsplit('.').next() == Some("toml") {
                toml::from_str::<toml::Table>(&text).unwrap();
            }
        }
        // The prompt arrives, as one value and unchanged.
        let is_prompt = |text: &str| text.contains(HOSTILE);
        let in_file = rendered
            .files
            .iter()
            .any(|file| is_prompt(&String::from_utf8_lossy(&file.bytes)));
        assert!(
            rendered.stdin.as_deref().is_some_and(is_prompt) || in_file,
            "{name}"
        );
        // Without anything optional nothing half-made is left.
        let bare = Values {
            mcp_url: None,
            system_prompt: None,
            turns: None,
            ..values
        };
        let rendered = adapter.render(bare, api).unwrap();
        let all = format!("{rendered:?}");
        assert!(
            !all.contains("{mcp_url}") && !all.contains("turns") && !all.contains("SYS"),
            "{all}"
        );
    }
    assert!(builtin("gpt").is_none());
}

#[test]
fn what_agents_support_follows_from_their_templates() {
    let row = |name: &str| {
        let supports = builtin(name).unwrap().supports();
        let way = supports.system_prompt.name();
        (way, supports.mcp, supports.turns, supports.session)
    };
    assert_eq!(row("claude-code"), ("native", true, true, true));
    assert_eq!(row("codex"), ("native", true, false, true));
    assert_eq!(row("gemini-cli"), ("native", true, true, true));
    assert_eq!(row("opencode"), ("native", true, false, true));
    assert_eq!(row("openclaw"), ("prompt", true, false, true));
    assert_eq!(row("pi"), ("native", false, false, true));
    assert_eq!(row("loop"), ("native", true, true, false));
    let pi = builtin("pi").unwrap();
    assert_eq!(
        pi.choose(&[ModelApi::OpenaiChat, ModelApi::OpenaiResponses]),
        Some(ModelApi::OpenaiResponses)
    );
    assert_eq!(
        builtin("codex").unwrap().choose(&[ModelApi::OpenaiChat]),
        None
    );
}

#[test]
fn configuration_files_are_joined_and_hold_any_text() {
    let codex = builtin("codex").unwrap();
    let (values, api) = full(&codex);
    let rendered = codex.render(values, api).unwrap();
    assert_eq!(rendered.files.len(), 1);
    let text = String::from_utf8(rendered.files[0].bytes.clone()).unwrap();
    let config: toml::Table = toml::from_str(&text).unwrap();
    assert_eq!(config["model"].as_str(), Some("m\"\n1"));
    assert_eq!(
        config["developer_instructions"].as_str(),
        Some(&*format!("SYS {HOSTILE}"))
    );
    let provider = &config["model_providers"]["proctor"];
    assert_eq!(provider["base_url"].as_str(), Some("https://model.test/v1"));
    let server = &config["mcp_servers"]["proctor"];
    assert_eq!(server["url"].as_str(), Some("http://mcp.proctor.test/mcp"));

    let gemini = builtin("gemini-cli").unwrap();
    let (values, api) = full(&gemini);
    let rendered = gemini.render(values, api).unwrap();
    let settings: Value = serde_json::from_slice(&rendered.files[0].bytes).unwrap();
    assert_eq!(settings["model"]["maxSessionTurns"], json!(9), "a number");
    assert_eq!(
        settings["security"]["auth"]["selectedType"],
        "gemini-api-key"
    );

    let opencode = builtin("opencode").unwrap();
    let (values, api) = full(&opencode);
    let rendered = opencode.render(values, api).unwrap();
    let config: Value = serde_json::from_slice(&rendered.files[0].bytes).unwrap();
    let provider = &config["provider"]["proctor"];
    assert_eq!(provider["npm"], "@ai-sdk/anthropic");
    assert_eq!(
        provider["models"]["m\"\n1"]["name"], "m\"\n1",
        "keys have placeholders too"
    );
}

#[test]
fn an_agent_without_a_place_for_a_system_prompt_gets_it_before_the_prompt() {
    let adapter = parse(&minimal("stdin = \"{prompt}\"")).unwrap();
    let values = Values {
        system_prompt: Some("Be brief.".to_owned()),
        prompt: "Do it.".to_owned(),
        ..values()
    };
    let rendered = adapter.render(values, None).unwrap();
    assert_eq!(rendered.args, ["Be brief.\n\nDo it."]);
    assert_eq!(rendered.stdin.as_deref(), Some("Be brief.\n\nDo it."));
}

#[test]
fn what_has_no_value_is_left_out_and_prompt_files_are_written_on_demand() {
    let text = "name = \"x\"\nargs = [\"a\", [\"--turns\", \"{turns}\"], [\"-f\", \"{prompt_file}\"], [\"-s\", \"{system_prompt_file}\"]]\n\
                env = { A = \"{mcp_url}\", B = \"{attempt}\" }\n\
                [program]\nnames = [\"x\"]\n[transcript]\nformat = \"text\"\nstdout = true\n\
                [[file]]\npath = \"{home}/a.json\"\njson = { only = \"{turns}\" }\n";
    let adapter = parse(text).unwrap();
    let rendered = adapter.render(values(), None).unwrap();
    assert_eq!(rendered.args, ["a", "-f", "/home/agent/.proctor/prompt.md"]);
    assert_eq!(rendered.env, [("B".to_owned(), "0".to_owned())]);
    assert_eq!(rendered.files.len(), 1);
    assert_eq!(rendered.files[0].bytes, HOSTILE.as_bytes());
    let some = Values {
        turns: Some(3),
        system_prompt: Some("s".to_owned()),
        ..values()
    };
    let rendered = adapter.render(some, None).unwrap();
    assert_eq!(rendered.args[1..3], ["--turns", "3"]);
    let paths: Vec<&str> = rendered
        .files
        .iter()
        .map(|file| file.path.as_str())
        .collect();
    assert_eq!(
        paths,
        [
            "/home/agent/a.json",
            "/home/agent/.proctor/prompt.md",
            "/home/agent/.proctor/system_prompt.md"
        ]
    );
}

#[test]
fn a_file_can_be_for_one_api_only() {
    let text = minimal(
        "[[model]]\napi = \"gemini\"\n[[model]]\napi = \"anthropic\"\npath = \"/v1\"\nword = \"a\"\n[[file]]\npath = \"{home}/f\"\ntext = \"{api} {base_url}\"\napis = [\"anthropic\"]",
    );
    let adapter = parse(&text).unwrap();
    let made = |api| {
        let model: Option<ModelValues> = adapter.model_values(api, "http://m", "p", "n");
        let values = Values { model, ..values() };
        adapter.render(values, Some(api)).unwrap().files
    };
    assert_eq!(made(ModelApi::Gemini), []);
    assert_eq!(made(ModelApi::Anthropic)[0].bytes, b"a http://m/v1");
    assert!(
        adapter
            .model_values(ModelApi::OpenaiChat, "http://m", "p", "n")
            .is_none()
    );
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table")]
fn files_that_are_no_adapters_are_refused_with_the_line_and_what_would_be_right() {
    for (text, expected) in [
        (
            minimal("argz = 1"),
            "x.toml:3: unknown key `argz` (did you mean `args`?); expected one of name, title, args",
        ),
        (
            minimal("[[model]]\napy = \"gemini\""),
            "x.toml:4: unknown key `apy` (did you mean `api`?)",
        ),
        (
            minimal("stdin = \"{promt}\""),
            "x.toml:3: unknown placeholder `{promt}` (did you mean `{prompt}`?)",
        ),
        (
            minimal("[[model]]\napi = \"openai\""),
            "x.toml:4: `api`: \"openai\" is no model API",
        ),
        (
            minimal("[[model]]\napi = \"gemini\"\npath = \"/../x\""),
            "`path`: expected a path like",
        ),
        (
            minimal("[[file]]\npath = \"/etc/x\"\ntext = \"\""),
            "x.toml:4: `path`: expected a path that begins with {home}/",
        ),
        (
            minimal("[[file]]\npath = \"{home}/../x\"\ntext = \"\""),
            "`path`: expected a path",
        ),
        (
            minimal("[[file]]\npath = \"{home}/x\""),
            "x.toml:4: `file`: expected one of `text`, `json` and `toml`",
        ),
        (
            minimal(
                "[[file]]\npath = \"{home}/x\"\ntext = \"\"\n[[file]]\npath = \"{home}/x\"\njson = {}",
            ),
            "x.toml:7: `file`: entries of one path",
        ),
        (
            minimal("[[file]]\npath = \"{home}/x\"\njson = { a = 2020-01-01 }"),
            "dates and times",
        ),
        (
            minimal("[[file]]\npath = \"{home}/x\"\njson = { a = nan }"),
            "no number that JSON has",
        ),
        (
            minimal("[[file]]\npath = \"{home}/x\"\njson = { a = [\"{nope}\"] }"),
            "unknown placeholder `{nope}`",
        ),
        (
            minimal("[env]\nLD_PRELOAD = \"x\""),
            "x.toml:4: `env`: `LD_PRELOAD` is the room's own",
        ),
        (
            minimal("[env]\n\"A=B\" = \"x\""),
            "`env`: \"A=B\" is no name of a variable",
        ),
        (
            minimal("[install]\nnpm = \"--prefix=/\"\nversion = \"1.2\""),
            "`npm`: expected the name of an npm package",
        ),
        (
            minimal("[install]\nnpm = \"../x\"\nversion = \"1.2\""),
            "`npm`: expected",
        ),
        (
            minimal("[install]\nnpm = \"x\"\nversion = \"file:/etc\""),
            "`version`: expected a version",
        ),
        (
            minimal("[install]\nnpm = \"x\"\nversion = \"1\"\nwith = [\"y\"]"),
            "`with`: expected packages",
        ),
        (
            minimal("[install]\nnpm = \"x\"\nversion = \"1\"\nremove = [\"../y\"]"),
            "`remove`: expected a path below the package",
        ),
        (
            minimal("[[failure]]\nkind = \"crash\""),
            "`failure`: expected `exit`, `says` or both",
        ),
        (
            minimal("[[failure]]\nkind = \"bad\"\nexit = 1"),
            "unknown variant `bad`",
        ),
        (
            minimal("[[failure]]\nkind = \"crash\"\nsays = [\" \"]"),
            "`says`: words that are in every message",
        ),
        (
            minimal("title = \"a\\u001b[2J\""),
            "`title`: expected some printable text",
        ),
        (
            minimal("").replace("{prompt}", "x"),
            "the agent never gets the prompt",
        ),
        (
            minimal("").replace("[\"{prompt}\"]", "[\"{prompt}\", []]"),
            "`args`: a group without arguments",
        ),
        (
            minimal("").replace("[\"{prompt}\"]", "[\"{prompt}\", 3]"),
            "expected an argument, or a list",
        ),
        (minimal("").replace("{prompt}", "{prompt}\\u0000"), "NUL"),
        (
            minimal("").replace("stdout = true", ""),
            "x.toml:6: `transcript` has neither",
        ),
        (
            minimal("").replace("stdout = true", "files = [\"/etc/*\"]"),
            "`files`: expected a path below the home",
        ),
        (
            minimal("").replace("stdout = true", "files = [\"a/$(id)\"]"),
            "`files`: expected a path below the home",
        ),
        (
            minimal("").replace("\"text\"", "\"claude\""),
            "`format`: `claude` is no transcript format",
        ),
        (
            minimal("").replace("names = [\"x\"]", ""),
            "`program` names no program",
        ),
        (
            minimal("").replace("names = [\"x\"]", "names = [\"../x\"]"),
            "`names`: expected a program's name",
        ),
        (
            minimal("").replace("names = [\"x\"]", "paths = [\"/bin/x\"]"),
            "`paths`: expected a path below",
        ),
        (
            minimal("").replace("name = \"x\"\na", "name = \"../x\"\na"),
            "x.toml:1: `name`: expected 1 to 64",
        ),
        ("name = ".to_owned(), "x.toml:1: "),
        (String::new(), "missing field `name`"),
    ] {
        let error = parse(&text).unwrap_err().to_string();
        assert!(error.contains(expected), "{text}\n{error}");
        assert!(error.starts_with("x.toml"), "{error}");
    }
}

#[test]
fn hostile_files_are_refused_and_do_no_harm() {
    let long = "x".repeat(MAX_ADAPTER_BYTES + 1);
    assert_eq!(parse(&long).unwrap_err().problem, AdapterProblem::TooLarge);
    let error = Adapter::parse("x.toml", b"name = \"a\"\n\xff").unwrap_err();
    assert_eq!(
        (error.line, error.problem),
        (Some(2), AdapterProblem::NotUtf8)
    );
    let deep = format!("a = {}", "[".repeat(100_000));
    parse(&deep).unwrap_err();
    let deep = format!("{} = 1", vec!["a"; 60_000].join("."));
    parse(&deep).unwrap_err();
}

#[test]
fn rules_see_the_exit_code_and_what_was_said() {
    let text = minimal(
        "[[failure]]\nkind = \"turns\"\nexit = 53\n[[failure]]\nkind = \"context\"\nexit = 1\nsays = [\"Too LONG\"]\n[[failure]]\nkind = \"refusal\"\nsays = [\"cannot help\"]",
    );
    let adapter = parse(&text).unwrap();
    let kind = |exit, reason, stderr: &[u8]| {
        Heard {
            exit,
            reason,
            stderr,
        }
        .kind(adapter.failures())
    };
    assert_eq!(kind(53, None, b""), Some(FailureKind::Turns));
    assert_eq!(
        kind(1, None, b"error: too long\n"),
        Some(FailureKind::Context)
    );
    assert_eq!(kind(2, None, b"error: too long\n"), None);
    assert_eq!(
        kind(0, Some("I Cannot Help with that"), b""),
        Some(FailureKind::Refusal)
    );
    let mut far = b"cannot help".to_vec();
    far.extend(vec![b'x'; 64 << 10]);
    assert_eq!(kind(0, None, &far), None, "only the end is looked at");
}

#[test]
fn versions_are_found_in_what_programs_print() {
    for (text, word) in [
        ("v20.20.2\n", "20.20.2"),
        ("2.1.197 (Claude Code)\n", "2.1.197"),
        ("codex-cli 0.171.0", "0.171.0"),
        ("OpenClaw 2026.9.6 (eb377ac)", "2026.9.6"),
        ("x 1.2.3-beta.1.", "1.2.3-beta.1"),
        ("3 files, 1.5", "1.5"),
    ] {
        assert_eq!(
            Version::find(text).map(|(_, word)| word),
            Some(word),
            "{text}"
        );
    }
    assert_eq!(
        Version::find("no 3 version 99999999999999999999999.1"),
        None
    );
    assert!(Version::parse("24.16") > Version::parse("20.20.2"));
    assert!(Version::parse("1.0.0-x").is_some() && Version::parse("v1.0").is_none());
}
