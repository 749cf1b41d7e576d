//! What is in a world can be read by its grader, however much an agent writes.

use serde_json::json;

use super::{TASKS, insert, patch};
use crate::google::tests::{ask, world};

#[test]
fn text_beyond_the_quota_is_refused_whether_it_is_new_or_a_change() {
    let mut world = world();
    let notes = "n".repeat(8_192);
    let small = "n".repeat(4_096);
    let first = insert(&mut world, "", json!({"title": "first"}));
    let refused = (0..2_000).find_map(|n| {
        let (status, answer) = ask(
            &mut world,
            "POST",
            TASKS,
            json!({"title": n.to_string(), "notes": notes}),
        );
        (status != 200).then_some((n, status, answer))
    });
    let (accepted, status, answer) = refused.expect("there is no quota");
    assert_eq!(status, 403, "{answer}");
    assert_eq!(answer["error"]["errors"][0]["reason"], "quotaExceeded");
    assert!((840..900).contains(&accepted), "{accepted} notes of 8 KiB");
    assert_eq!(
        patch(&mut world, &first, &json!({"notes": notes})).status,
        403
    );
    assert_eq!(
        patch(&mut world, &first, &json!({"status": "completed"})).status,
        200
    );
    // What makes room is allowed.
    let (_, page) = ask(&mut world, "GET", TASKS, json!(null));
    assert_ne!(page["items"][1]["id"], first.as_str());
    let full = page["items"][1]["id"].as_str().unwrap().to_owned();
    for notes in [small.as_str(), ""] {
        let change = json!({ "notes": notes });
        assert_eq!(patch(&mut world, &full, &change).status, 200);
    }
    assert_eq!(
        patch(&mut world, &first, &json!({"notes": notes})).status,
        200
    );
}
