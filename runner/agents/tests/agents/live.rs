//! The real programs, where they are installed.
//!
//! `PROCTOR_TEST_AGENTS` is a folder that `proctor agent install` has filled
//! (`~/.cache/proctor/agents`), `PROCTOR_TEST_MODEL` the address of a scripted
//! model that calls the shell once, `echo hello > task_summary.md`, and then
//! says that it is done. Without them the test says so and is skipped; the
//! end-to-end tests have a model of their own.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use proctor_agents::adapter::{BUILTIN_NAMES, builtin};
use proctor_agents::install::{Search, find};
use proctor_agents::{Assignment, CliAgent, CliSetup, ModelTarget};
use proctor_types::ModelApi;
use proctor_types::manifest::AgentEnd;

use crate::homes::Home;
use crate::rooms::{assignment, run};

/// Everything that an agent's command line could stumble over.
const PROMPT: &str = "-x @file /help \"quoted\" $(id) 'single'\nWrite hello. Ünïcode ✓";

#[tokio::test]
async fn installed_agents_run_from_prompt_to_transcript() {
    let (Ok(cache), Ok(url)) = (
        std::env::var("PROCTOR_TEST_AGENTS"),
        std::env::var("PROCTOR_TEST_MODEL"),
    ) else {
        println!("SKIPPED: PROCTOR_TEST_AGENTS and PROCTOR_TEST_MODEL are not set");
        return;
    };
    let search: Vec<_> = ["/usr/local/bin", "/usr/bin"].map(Into::into).to_vec();
    let mut skipped = Vec::new();
    for name in BUILTIN_NAMES {
        let adapter = builtin(name).unwrap();
        let search = Search {
            given: None,
            cache: Path::new(&cache),
            path: &search,
            own: None,
        };
        let Ok(installation) = find(&adapter, search) else {
            skipped.push(*name);
            continue;
        };
        for api in ModelApi::ALL
            .into_iter()
            .filter(|api| adapter.choose(&[*api]).is_some())
        {
            let room = Home::new();
            let model = ModelTarget {
                api,
                model: "fake-model".to_owned(),
                base_url: url.clone(),
                provider: "openai-compatible".to_owned(),
            };
            let setup = CliSetup {
                installation: installation.clone().on_host(),
                model: Some(model),
                mcp_url: None,
                turns: adapter.supports().turns.then_some(9),
            };
            let agent = CliAgent::new(Arc::new(adapter.clone()), setup).unwrap();
            let assignment = Assignment {
                system_prompt: Some("Be \"brief\"."),
                timeout: Duration::from_mins(3),
                ..assignment(PROMPT)
            };
            let (result, lines) = run(&agent, &room, &assignment).await;
            let result = result.unwrap_or_else(|error| panic!("{name} over {api}: {error}"));
            assert_eq!(result.end, AgentEnd::Completed, "{name} over {api}");
            let written = std::fs::read_to_string(room.at("work/task_summary.md")).unwrap();
            assert_eq!(written, "hello\n", "{name} over {api}");
            assert_eq!(
                lines.commands().len(),
                1,
                "{name} over {api}: {}",
                lines.text()
            );
            assert_eq!(lines.results().len(), 1, "{name} over {api}");
            assert!(
                lines.text().contains("task_summary.md."),
                "{name} over {api}"
            );
            assert_eq!(
                lines.text().matches("Ünïcode").count(),
                1,
                "{name} over {api}: the prompt, once"
            );
            let account = result.account.unwrap();
            let usage = account.usage.unwrap_or_default();
            assert_eq!(usage.output, 40, "{name} over {api}");
            assert_eq!(
                account.unknown, 0,
                "{name} over {api}: {:?}",
                account.unknown_samples
            );
            println!("{name} over {api}: {usage:?} {:?}", account.warnings);
        }
    }
    println!("SKIPPED, since they are not installed: {skipped:?}");
}
