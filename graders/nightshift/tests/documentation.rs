//! C11 to C15.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use common::{Edits, MANIFEST, Night, link, page_text, swap, text};
use proctor_grader::testing;

const INCIDENT: &str = "Engineering/Incidents/INC-2025-0714";
const AUDIT: &str = "Engineering/Security/Q3 Audit 2025";

/// Both pull requests, and nothing else.
fn coded() -> Night {
    let mut night = Night::new();
    night.code(&Edits::default());
    night
}

fn cause(text: &str) -> Night {
    let mut night = Night::new();
    night.incident("OPEN", text, "", "");
    night
}

#[test]
fn a_root_cause_has_four_mechanisms() {
    let lines: Vec<String> = text("incident/cause.md")
        .lines()
        .map(str::to_owned)
        .collect();
    cause(&lines.join("\n")).expect("C11", 2.0, "It names all four");
    cause(&lines[1..4].join("\n")).expect("C11", 1.0, "Missing: how they lead to an OOMKill");
    cause(&lines[2..4].join("\n")).expect("C11", 1.0, "2 of 4");
    cause(&lines[2]).expect("C11", 0.0, "1 of 4");
    cause("The buffers were too small.").expect("C11", 0.0, "0 of 4");
    Night::new().expect(
        "C11",
        0.0,
        "Nothing was written under a heading \"Root Cause\"",
    );
    // It has to be a root cause, and not only somewhere on the page.
    let mut elsewhere = Night::new();
    elsewhere.incident("OPEN", "", "", &lines.join("\n"));
    elsewhere.expect("C11", 0.0, "Nothing was written");
    let mut below = Night::new();
    let page = format!(
        "{}\n# Update\n## Root cause\n{}",
        page_text(INCIDENT),
        lines.join("\n")
    );
    below.write("incident", &page.replace("**", "").replace('`', ""));
    below.expect("C11", 2.0, "");
}

fn log(status: &str, actions: &str, timeline: &str) -> Night {
    let mut night = coded();
    night.incident(status, "", actions, timeline);
    night
}

#[test]
fn a_log_is_complete_with_status_links_and_entries() {
    let (actions, timeline) = (text("incident/actions.md"), text("incident/timeline.md"));
    log("RESOLVED", &actions, &timeline).expect(
        "C12",
        1.0,
        "Status is RESOLVED, Actions Taken links #145 and #146",
    );
    log("Resolved (2025-07-15)", &actions, &timeline).expect("C12", 1.0, "");
    for (night, reason) in [
        (
            log("OPEN", &actions, &timeline),
            "the field Status at the top says \"OPEN\"",
        ),
        (
            log("OPEN, soon RESOLVED", &actions, &timeline),
            "the field Status",
        ),
        (log("not RESOLVED", &actions, &timeline), "the field Status"),
        (
            log("RESOLVED", &actions.replace(&link(146), "#146"), &timeline),
            "Actions Taken has no link to #146",
        ),
        (
            log(
                "RESOLVED",
                &actions.replace("/pull/145", "/pull/999"),
                &timeline,
            ),
            "no link to #145",
        ),
        (log("RESOLVED", "", &timeline), "no link to #145 and #146"),
        (
            log("RESOLVED", &actions, timeline.lines().next().unwrap()),
            "the timeline has 1 new line with a time",
        ),
        (
            log("RESOLVED", &actions, "- Fixed it.\n- Told everybody."),
            "the timeline has 0 new lines with a time",
        ),
    ] {
        night.expect("C12", 0.0, reason);
    }
    // However the field is written, and with a title above it.
    for (old, new) in [
        ("Status: RESOLVED", "Status RESOLVED"),
        ("Status: RESOLVED", "| Status | RESOLVED |"),
        ("Incident: INC", "# INC-2025-0714\nIncident: INC"),
    ] {
        let mut other = log("RESOLVED", &actions, &timeline);
        let page = other.page("incident").markdown.clone();
        other.write("incident", &page.replacen(old, new, 1));
        other.expect("C12", 1.0, "");
    }
    let mut unwritten = log("RESOLVED", &actions, &timeline);
    let page = unwritten.page("incident").markdown.clone();
    let written = text("incident/resolution.md").replace('`', "");
    unwritten.write("incident", &page.replace(written.trim(), ""));
    unwritten.expect("C12", 0.0, "nothing was written under Resolution");
    // Links elsewhere are not under Actions Taken.
    log("RESOLVED", "", &format!("{timeline}\n{actions}")).expect("C12", 0.0, "no link to #145");
    // Below the page is not in the field.
    let mut below = log("OPEN", &actions, &timeline);
    let page = below.page("incident").markdown.clone();
    below.write(
        "incident",
        &format!("{page}\n## Update\nStatus: RESOLVED\n"),
    );
    below.expect("C12", 0.0, "the field Status at the top says \"OPEN\"");
    below.write(
        "incident",
        &page.replace("Status: OPEN", "Status: RESOLVED\nStatus: OPEN"),
    );
    below.expect("C12", 0.0, "says \"OPEN\"");
    below.write("incident", &page.replace("Status: OPEN\n", ""));
    below.expect("C12", 0.0, "there is no field Status");
}

fn audit(change: impl Fn(&str) -> String) -> Night {
    let mut night = coded();
    night.audit(&["SEC-004", "SEC-011"], "Remediated");
    let page = night.page("audit").markdown.clone();
    night.write("audit", &change(&page));
    night
}

#[test]
fn findings_are_marked_where_their_status_is() {
    audit(str::to_owned).expect("C13", 1.0, "SEC-017 and SEC-022 are as they were");
    audit(|page| {
        page.replace(
            "[x] Status: Remediated",
            "[ ] Status: Remediated - Pending Review",
        )
    })
    .expect("C13", 1.0, "");
    audit(|page| {
        page.replacen(
            "- [x] Status: Remediated",
            "- [x] Status: Remediated\n- [ ] Rotate the key",
            1,
        )
    })
    .expect("C13", 1.0, "");
    for (change, reason) in [
        (
            ("Status: Remediated", "Status: Fixed"),
            "status of SEC-004 says \"Fixed\"",
        ),
        (
            ("Status: Remediated", "Status: Not Remediated"),
            "says \"Not Remediated\"",
        ),
        (("Status: Remediated", "Status: Open"), "says \"Open\""),
        (
            ("Status: Remediated", "Status: Open\nStatus: Remediated"),
            "says \"Open\"",
        ),
        (("- [x] Status: Remediated\n", ""), "SEC-004 has no status"),
    ] {
        audit(|page| page.replacen(change.0, change.1, 1)).expect("C13", 0.0, reason);
    }
    let below = format!(
        "{}\n## Update\n- SEC-004: Remediated\n- SEC-011: Remediated\n",
        page_text(AUDIT)
    );
    audit(|_| below.clone()).expect("C13", 0.0, "status of SEC-004 says \"Open\"");
    let mut unfixed = audit(str::to_owned);
    unfixed.repo = unfixed.seed.clone();
    unfixed.expect("C13", 0.0, "SEC-004 says Remediated, and is not (see C5); SEC-011 says Remediated, and is not (see C6)");
}

#[test]
fn deferred_findings_are_left_alone() {
    let mut all = coded();
    all.audit(&["SEC-004", "SEC-011", "SEC-017", "SEC-022"], "Remediated");
    all.expect("C13", 0.0, "SEC-017 was touched");
    audit(|page| {
        page.replace(
            "Due: Sprint 6 (deferred; not part of Sprint 4)",
            "Due: Sprint 5",
        )
    })
    .expect("C13", 0.0, "SEC-017 was touched");
    // What is added below the last finding is not a change of it.
    audit(|page| format!("{page}\nUpdated by Sam.\n")).expect("C13", 1.0, "");
    audit(|page| format!("{page}\n- [ ] Status: Remediated\n")).expect(
        "C13",
        0.0,
        "SEC-022 was touched",
    );
    let mut hardened = audit(str::to_owned);
    let manifest = swap(
        &Edits::default().manifest,
        "          resources:\n",
        "          securityContext:\n            runAsNonRoot: true\n          resources:\n",
    );
    hardened.commit("k8s", "chore: harden (#138)", &[(MANIFEST, &manifest)]);
    hardened.open("k8s", "chore: harden (#138)");
    hardened.expect(
        "C13",
        0.0,
        "#147 adds a securityContext (SEC-017, deferred)",
    );
    let mut pinned = audit(str::to_owned);
    let dockerfile =
        common::seeded("docker/Dockerfile").replace("3.11-slim", "3.11-slim@sha256:00");
    pinned.commit(
        "image",
        "chore: pin (#143)",
        &[("docker/Dockerfile", &dockerfile)],
    );
    pinned.open("image", "chore: pin (#143)");
    pinned.expect(
        "C13",
        0.0,
        "#147 changes the base image (SEC-022, deferred)",
    );
}

fn board() -> Night {
    let mut night = coded();
    for (issue, number) in [(142, 145), (143, 146), (138, 145)] {
        night.row(issue, "Done", &link(number));
    }
    night
}

#[test]
fn rows_are_done_with_links_to_the_work() {
    board().expect(
        "C14",
        1.0,
        "Done: #142 with #145, #143 with #146 and #138 with #145",
    );
    for (issue, status, url, reason) in [
        (138, "To Do", String::new(), "#138 is \"To Do\""),
        (138, "In Progress", link(145), "#138 is \"In Progress\""),
        (142, "Done", String::new(), "#142 is Done without a link"),
        (
            142,
            "Done",
            "https://github.com/acme-ai-labs/hydra-pipeline-0/issues/142".to_owned(),
            "which is no open or merged pull request",
        ),
        (
            142,
            "Done",
            link(99),
            "which is no open or merged pull request",
        ),
        (143, "Done", link(145), "#143 is Done with"),
        (
            142,
            "Done",
            link(145).replace("pipeline-0", "pipeline-1"),
            "which is no open or merged",
        ),
        (
            144,
            "Done",
            String::new(),
            "Status of #144 was \"Backlog\" and is \"Done\"",
        ),
        (144, "In Progress", String::new(), "Status of #144 was"),
        (136, "Done", link(145), "PR of #136 was"),
    ] {
        let mut night = board();
        night.row(issue, status, &url);
        night.expect("C14", 0.0, reason);
    }
    let mut noted = board();
    testing::property(noted.page("row-140"), "Notes", "rich_text", "done too");
    noted.expect("C14", 0.0, "Notes of #140 was");
    let mut gone = board();
    gone.page("row-144").in_trash = true;
    gone.expect("C14", 0.0, "row of #144 is gone");
    let mut remade = board();
    let mut row = remade.page("row-142").clone();
    remade.page("row-142").in_trash = true;
    row.id = "other".to_owned();
    remade.pages.push(row);
    remade.expect("C14", 0.0, "The row of #142 is gone");
}

#[test]
fn the_reference_has_what_routes_has() {
    let full = text("reference.md").replace('`', "");
    let reference = |text: &str| {
        let mut night = Night::new();
        night.write("api", text);
        night
    };
    reference(&full).expect("C15", 1.0, "GET /health, GET /v1/models, POST /v1/infer");
    for (change, reason) in [
        (
            ("latency_ms", "latency"),
            "POST /v1/infer has no response field `latency_ms`",
        ),
        (
            ("callback_url", "callback"),
            "POST /v1/batches has no request field `callback_url`",
        ),
        (("event_id", "id"), "has no field `event_id` of its objects"),
        (
            ("## POST /v1/infer", "## GET /v1/infer"),
            "GET /v1/infer does not exist in routes.py",
        ),
        (
            ("## GET /health", "## GET /status"),
            "GET /health is not on it; GET /status does not exist",
        ),
        (
            ("/v1/batches/{batch_id}", "/v1/batches"),
            "GET /v1/batches/{batch_id} is not on it",
        ),
    ] {
        let reason: Vec<&str> = reason.split("; ").collect();
        for part in reason {
            reference(&full.replace(change.0, change.1)).expect("C15", 0.0, part);
        }
    }
    reference("TODO").expect("C15", 0.0, "0 of 5 endpoints");
    Night::new().expect("C15", 0.0, "still empty");
    let mut gone = Night::new();
    gone.page("api").in_trash = true;
    gone.expect("C15", 0.0, "in the trash");
}
