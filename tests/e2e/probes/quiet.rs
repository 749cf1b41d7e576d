//! The agent does not see probes, and they do not see the agent.

use proctor_tests::Desk;

use super::{printed, task};

/// Stands in the command of a probe, and nowhere else.
const MARKER: &str = "marker-7f3a91";

#[test]
fn points_come_from_what_the_agent_left_not_from_what_probes_do() {
    let desk = Desk::new();
    let task = task(
        &desk,
        &[
            (
                "litters",
                "echo litter > litter.txt; rm kept.txt; echo forged > changed.txt; ls",
            ),
            ("sees", "cat litter.txt changed.txt; ls kept.txt 2>&1; true"),
        ],
    );
    let agent = desk.steps(&["echo kept > kept.txt; echo mine > changed.txt"]);
    let trial = desk.trial(&task, &agent, &[]);
    assert_eq!(trial.evidence("workspace/kept.txt"), b"kept\n");
    assert_eq!(trial.evidence("workspace/changed.txt"), b"mine\n");
    assert!(!trial.dir.join("evidence/workspace/litter.txt").exists());
    let listing = trial.evidence_json("workspace.json").to_string();
    assert!(
        listing.contains("kept.txt") && !listing.contains("litter"),
        "{listing}"
    );
    // Probes share one workspace, in order.
    let seen = printed(&trial, "sees");
    assert!(seen.starts_with("litter\nforged\n"), "{seen}");
    assert!(seen.contains("No such file"), "{seen}");
}

/// What an agent can look at: its environment, its mounts (without the numbers
/// and random names that they have), everything that it can read outside of the
/// system's own folders, all command lines.
const LOOK: &str = "env | sort; sed 's/^[0-9]* [0-9]* [0-9]*:[0-9]* //; s/bindfile[^ ]*//' /proc/self/mountinfo | sort; \
    find / -xdev -not -path '/usr/*' -not -path '/proc/*' 2>/dev/null | sort; \
    find /workspace /home /tmp /run /opt /dev/shm 2>/dev/null | sort; \
    cat /proc/1/cmdline";

#[test]
fn nothing_in_the_room_tells_that_there_will_be_probes() {
    let command = format!("echo {MARKER}");
    let looks: Vec<String> = [&[][..], &[("secret-name", command.as_str())]]
        .iter()
        .map(|probes| {
            let desk = Desk::new();
            let trial = desk.trial(task(&desk, probes), &desk.steps(&[LOOK]), &[]);
            assert_eq!(trial.outcome(), "scored", "{}", trial.record);
            trial.outputs().remove(0)
        })
        .collect();
    assert!(looks[0].contains("HOME=/home/agent") && looks[0].contains("/workspace"));
    assert_eq!(looks[0], looks[1]);
    assert!(!looks[1].contains(MARKER) && !looks[1].contains("secret-name"));
}

#[test]
fn no_process_of_the_agent_is_there_to_see_a_probe() {
    let desk = Desk::new();
    let processes = format!(
        ": {MARKER}; for p in /proc/[0-9]*; do tr '\\0' ' ' < $p/cmdline; echo; done; \
         wc -c < spied; sleep 0.3; wc -c < spied"
    );
    let task = task(
        &desk,
        &[
            ("first", processes.as_str()),
            ("second", "sleep 86422.5 & echo $!"),
            ("third", &processes),
        ],
    );
    // Looks for ever, in a session of its own, deaf to signals.
    let spy =
        "trap '' TERM HUP INT; while :; do cat /proc/[0-9]*/cmdline >> /workspace/spied; done";
    let agent = desk.steps(&[&format!(
        "setsid sh -c \"{spy}\" spying >/dev/null 2>&1 & \
         (setsid sleep 86421.5 &) ; until [ -s spied ]; do sleep 0.05; done; echo ready"
    )]);
    let trial = desk.trial(&task, &agent, &[]);
    assert_eq!(trial.outputs()[0].trim(), "ready");
    let spied = trial.evidence("workspace/spied");
    assert!(!spied.is_empty());
    assert!(!String::from_utf8_lossy(&spied).contains(MARKER));
    for name in ["first", "third"] {
        let seen = printed(&trial, name);
        // Itself is there: the test can see processes.
        assert!(seen.contains(MARKER), "{seen}");
        for foreign in ["spying", "86421.5", "86422.5"] {
            assert!(
                !seen.contains(foreign),
                "{foreign} runs during {name}: {seen}"
            );
        }
        let sizes: Vec<&str> = seen.lines().rev().take(2).collect();
        assert_eq!(sizes[0], sizes[1], "something still writes: {seen}");
        assert_eq!(sizes[0], spied.len().to_string());
    }
}

#[test]
fn the_world_is_closed_before_the_first_probe() {
    let call = "curl -sS -o /dev/null -w '%{http_code}\\n' -H 'Authorization: Bearer x' \
        https://tasks.googleapis.com/tasks/v1/users/@me/lists";
    let probe =
        format!("{call} 2>&1; curl -sS http://198.51.100.7/ 2>&1; getent hosts example.com; true");
    let desk = Desk::new();
    let task = task(&desk, &[("calls", probe.as_str())]);
    let trial = desk.trial(&task, &desk.steps(&[call]), &[]);
    assert_eq!(trial.outputs()[0].trim(), "200");
    let seen = printed(&trial, "calls");
    assert!(!seen.contains("200"), "{seen}");
    assert!(seen.contains("Failed to connect to 198.51.100.7"), "{seen}");
    // Only the agent's own request counts, and only it moved the world.
    assert_eq!(trial.evidence_lines("world/journal.jsonl").len(), 1);
    assert_eq!(trial.record["requests"]["answered"], 1);
    assert_eq!(trial.record["requests"]["egress"], 0);
}
