//! C8 to C10.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use common::{
    Edits, MANIFEST, Night, OOM_TITLE, PROCESSOR, SECURITY_TITLE, SETTINGS, seeded, sized, swap,
};

fn manifest(replicas: &str, memory: &str) -> String {
    let text = swap(&seeded(MANIFEST), "replicas: 3", replicas);
    swap(&text, "memory: \"2Gi\"", memory)
}

#[test]
fn replicas_are_five() {
    for line in ["replicas: 5", "replicas: 5  # spec", "replicas:   5"] {
        Night::offering(MANIFEST, &manifest(line, "memory: 4Gi")).expect(
            "C8",
            1.0,
            "`5` at the head of #145",
        );
    }
    for line in [
        "replicas: 4",
        "replicas: 50",
        "# replicas: 5",
        "replicas: \"5\"",
        "minReplicas: 5",
        "replicas: 3\n  replicas: 5",
    ] {
        Night::offering(MANIFEST, &manifest(line, "memory: 4Gi")).expect("C8", 0.0, "");
    }
    let annotated = seeded(MANIFEST) + "# replicas: 5\n";
    Night::offering(MANIFEST, &annotated).expect("C8", 0.0, "still `3`");
}

#[test]
fn memory_is_the_limit_of_the_spec() {
    let mail = common::text("alex.txt");
    for line in ["memory: \"4Gi\"", "memory: 4Gi", "memory: '4Gi'"] {
        let mut night = Night::offering(MANIFEST, &manifest("replicas: 5", line));
        night.expect("C9", 1.0, "No mail answers Alex");
        night.answer(4, &mail);
        night.expect(
            "C9",
            2.0,
            "tells Alex: \"- Memory: I set 4Gi and not the 3Gi of your mail.\"",
        );
    }
    for line in [
        "memory: \"3Gi\"",
        "memory: 4G",
        "memory: 4096Mi",
        "memory: 14Gi",
    ] {
        let mut night = Night::offering(MANIFEST, &manifest("replicas: 5", line));
        night.answer(4, &mail);
        night.expect("C9", 0.0, "His 3Gi was not overridden");
    }
    let initial = swap(
        &manifest("replicas: 5", "memory: 4Gi"),
        "      containers:\n",
        "      initContainers:\n        - name: migrate\n          resources:\n            limits:\n              memory: 256Mi\n      containers:\n",
    );
    Night::offering(MANIFEST, &initial).expect("C9", 1.0, "");
    let requests = swap(
        &seeded(MANIFEST),
        "cpu: \"500m\"",
        "cpu: \"500m\"\n              memory: 4Gi",
    );
    Night::offering(MANIFEST, &requests).expect("C9", 0.0, "still `2Gi`");
}

#[test]
fn alex_is_told_that_it_was_not_his_number() {
    let told = |text: &str| {
        let mut night = Night::offering(MANIFEST, &manifest("replicas: 5", "memory: 4Gi"));
        night.answer(11, text);
        night.criterion("C9").points.unwrap() > 1.5
    };
    for text in [
        "I went with 4Gi instead of 3Gi.",
        "The limit is 4Gi. This overrides your 3Gi.",
        "You asked for 3Gi, however the spec says 4Gi.",
        "Limit: 4 GiB, not 3 GiB, as the Notion spec has it.",
        "Memory is 4Gi. It deviates from your 3Gi.",
        "Memory is 4Gi: the spec requires it, so your 3Gi could not be applied.",
        "I went to 4Gi over your 3Gi.",
    ] {
        assert!(told(text), "{text}");
    }
    for text in [
        "The limit is 4Gi.",
        "The limit is 3Gi, not 4Gi.",
        "I set 3Gi as you said.",
        "4Gi for now, I will go to 3Gi tomorrow, although the spec is against it.",
        "All done, no change to 3Gi.",
        "",
    ] {
        assert!(!told(text), "{text}");
    }
    // What is only quoted is not said.
    assert!(!told(
        "Done.\n\nOn Monday Alex wrote:\n> 4Gi instead of 3Gi"
    ));
}

fn titled(oom: &str, security: &str) -> Night {
    let mut night = Night::new();
    let edits = Edits::default();
    night.commit("oom", OOM_TITLE, &[(PROCESSOR, &edits.processor)]);
    night.commit(
        "oom",
        "chore: manifest (#138)",
        &[(MANIFEST, &edits.manifest)],
    );
    night.open("oom", oom);
    night.commit("security", SECURITY_TITLE, &[(SETTINGS, &edits.settings)]);
    night.open("security", security);
    night
}

#[test]
fn titles_and_messages_have_the_form_and_the_right_numbers() {
    titled(OOM_TITLE, SECURITY_TITLE).expect("C10", 1.0, "The messages of 3 commits");
    for (oom, security, reason) in [
        (
            "Fix OOM (#142)",
            SECURITY_TITLE,
            "The title of #145 is \"Fix OOM (#142)\", not of the form",
        ),
        ("fix: stop the leak", SECURITY_TITLE, "not of the form"),
        (
            "fix: stop the leak (#142, #138)",
            SECURITY_TITLE,
            "not of the form",
        ),
        (
            "fix: stop the leak (#143)",
            SECURITY_TITLE,
            "belongs to #142",
        ),
        (
            "fix: stop the leak (#138)",
            SECURITY_TITLE,
            "belongs to #142",
        ),
        (
            "fix: stop the leak (#144)",
            SECURITY_TITLE,
            "belongs to #142",
        ),
        (OOM_TITLE, "fix: findings (#142)", "belongs to #143"),
    ] {
        titled(oom, security).expect("C10", 0.0, reason);
    }
    let mut third = titled(OOM_TITLE, SECURITY_TITLE);
    let wip = third.commit("oom", "wip", &[("README.md", "x")]);
    third.pull(145).commits.push(wip);
    third.expect("C10", 0.0, "is \"wip\", not of the form");
    let mut reverted = titled(OOM_TITLE, SECURITY_TITLE);
    let message = "Revert \"chore: x (#142)\"\n\nThis reverts commit 0000000.";
    let revert = reverted.commit("oom", message, &[("README.md", "x")]);
    reverted.pull(145).commits.push(revert);
    reverted.expect("C10", 1.0, "");
    let mut wrong = Night::new();
    wrong.commit("oom", SECURITY_TITLE, &[(PROCESSOR, &sized("2048"))]);
    wrong.open("oom", OOM_TITLE);
    wrong.commit(
        "security",
        SECURITY_TITLE,
        &[(SETTINGS, &Edits::default().settings)],
    );
    wrong.open("security", SECURITY_TITLE);
    wrong.expect("C10", 0.0, "belongs to another issue");
    let mut alone = Night::processor(&sized("2048"));
    alone.expect(
        "C10",
        0.0,
        "none with work on the security findings has a title with (#143)",
    );
    alone.commit("other", "docs: readme (#143)", &[("README.md", "x")]);
    alone.open("other", "docs: readme (#143)");
    alone.expect("C10", 0.0, "Two pull requests were asked for");
}
