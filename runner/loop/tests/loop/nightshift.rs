//! The oracle of a whole task, over MCP only.

use std::path::Path;

use cap_std::ambient_authority;
use cap_std::fs::Dir;
use proctor_services::{SeedOptions, World};
use serde_json::Value;

use super::Bench;

#[test]
fn the_oracle_of_nightshift_is_played_over_mcp_alone() {
    let checkout = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let script = checkout.join("tests/agents/loop-nightshift.yaml");
    let bench = Bench::with(&std::fs::read_to_string(script).unwrap());
    let seed = checkout.join("tasks/nightshift/seed");
    let seed = Dir::open_ambient_dir(seed, ambient_authority()).unwrap();
    let options = SeedOptions {
        services: ["google", "github", "notion"].map(str::to_owned).to_vec(),
        attempt: 0,
    };
    let served = bench.serve(World::seed(&seed, &options).unwrap());
    let ran = bench.run(&["--mcp", &served.url(), "--no-shell"]);
    ran.done();
    let results = ran.results();
    assert!(results.len() > 40, "{}", results.len());
    for (index, (text, is_error)) in results.iter().enumerate() {
        let result: Value = serde_json::from_str(text).unwrap();
        assert_eq!(result["successful"], true, "call {index}: {text}");
        assert!(!is_error);
    }
    // What it did is in the world: two pull requests, four answers, no file of its own.
    let journal = served.world.journal();
    let count = |operation: &str| {
        let found = journal
            .iter()
            .filter(|it| it.operation.as_deref() == Some(operation));
        found.count()
    };
    assert_eq!(count("tools/call"), results.len());
    assert_eq!(count("gmail.users.messages.send"), 4);
    assert_eq!(count("pulls/create"), 2);
    let left = std::fs::read_dir(bench.folder.path()).unwrap().count();
    assert_eq!(left, 1, "the task's text, which the test put there");
}
