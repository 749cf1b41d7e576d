//! Calendars as the gws helpers see them.

use proctor_types::journal::{Change, View};
use serde_json::{Value, json};

use crate::google::tests::{ask, problem, request, send, world};
use crate::world::{SeedContext, SeedDir, World};

const EVENTS: &str = "/calendar/v3/calendars/primary/events";

fn meeting(summary: &str, start: &str, end: &str) -> Value {
    json!({"summary": summary, "start": {"dateTime": start}, "end": {"dateTime": end}})
}

fn insert(world: &mut World, json: Value) -> Value {
    let (status, event) = ask(world, "POST", EVENTS, json);
    assert_eq!(status, 200, "{event}");
    event
}

fn summaries(world: &mut World, query: &str) -> Vec<String> {
    let (status, page) = ask(world, "GET", &format!("{EVENTS}?{query}"), Value::Null);
    assert_eq!(status, 200, "{page}");
    let items = page["items"].as_array().unwrap();
    items
        .iter()
        .map(|event| event["summary"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn an_event_is_entered_and_found() {
    let mut world = world();
    let event = insert(
        &mut world,
        json!({
            "summary": "Review", "location": "Room 1", "description": "Slides",
            "start": {"dateTime": "2026-03-03T10:00:00Z"}, "end": {"dateTime": "2026-03-03T11:00:00Z"},
            "attendees": [{"email": "Bob@Example.com"}, {"email": "ada@example.com"}],
            "bogus": 1,
        }),
    );
    assert_eq!(event["kind"], "calendar#event");
    // Shown in the calendar's zone.
    assert_eq!(
        event["start"],
        json!({"dateTime": "2026-03-03T11:00:00+01:00", "timeZone": "Europe/Berlin"})
    );
    assert_eq!(event["organizer"]["self"], true);
    assert_eq!(
        event["attendees"][0],
        json!({"email": "bob@example.com", "responseStatus": "needsAction"})
    );
    assert_eq!(event["attendees"][1]["self"], true);
    let id = event["id"].as_str().unwrap();
    assert!(
        id.len() == 26
            && id
                .bytes()
                .all(|c| c.is_ascii_digit() || (b'a'..=b'v').contains(&c)),
        "{id}"
    );
    let (_, got) = ask(
        &mut world,
        "GET",
        &format!("{EVENTS}/{id}?timeZone=UTC"),
        Value::Null,
    );
    assert_eq!(
        got["start"],
        json!({"dateTime": "2026-03-03T10:00:00Z", "timeZone": "UTC"})
    );
    let answer = send(&mut world, &request("GET", EVENTS));
    assert_eq!(
        (answer.read[0].kind.as_str(), answer.read[0].view),
        ("calendar.event", Some(View::Full))
    );
    let by_address = "/calendar/v3/calendars/ada%40example.com/events";
    assert_eq!(ask(&mut world, "GET", by_address, Value::Null).0, 200);
    let (status, error) = ask(
        &mut world,
        "GET",
        "/calendar/v3/calendars/nope/events",
        Value::Null,
    );
    assert_eq!((status, problem(&error)), (404, ("Not Found", "notFound")));
    assert!(error["error"].get("status").is_none());
}

#[test]
fn an_agenda_is_bounded_and_in_order() {
    let mut world = world();
    for (summary, day) in [("late", "05"), ("early", "03"), ("between", "04")] {
        let at = |hour: u8| format!("2026-03-{day}T{hour:02}:00:00Z");
        insert(&mut world, meeting(summary, &at(10), &at(11)));
    }
    insert(
        &mut world,
        json!({"summary": "day", "start": {"date": "2026-03-04"}, "end": {"date": "2026-03-05"}}),
    );
    let ordered = "singleEvents=true&orderBy=startTime&maxResults=50";
    assert_eq!(
        summaries(&mut world, ordered),
        ["early", "day", "between", "late"]
    );
    let bounds = "&timeMin=2026-03-03T11:00:00Z&timeMax=2026-03-05T10:00:00%2B00:00";
    assert_eq!(
        summaries(&mut world, &format!("{ordered}{bounds}")),
        ["day", "between"]
    );
    assert_eq!(summaries(&mut world, "q=LATE"), ["late"]);
    let (_, page) = ask(
        &mut world,
        "GET",
        &format!("{EVENTS}?maxResults=3"),
        Value::Null,
    );
    let token = page["nextPageToken"].as_str().unwrap();
    assert_eq!(
        summaries(&mut world, &format!("maxResults=3&pageToken={token}")),
        ["day"]
    );
    for query in [
        "orderBy=startTime",
        "timeMin=yesterday",
        "timeMax=2026-03-03",
        "orderBy=bogus",
        "pageToken=!",
        "timeMin=2026-03-05T00:00:00Z&timeMax=2026-03-04T00:00:00Z",
        "timeZone=Mars/Base",
        "maxResults=x",
    ] {
        assert_eq!(
            ask(&mut world, "GET", &format!("{EVENTS}?{query}"), Value::Null).0,
            400,
            "{query}"
        );
    }
    // The older APIs ignore what they do not know.
    assert_eq!(summaries(&mut world, "bogus=1").len(), 4);
}

#[test]
fn what_is_no_event_is_refused() {
    let mut world = world();
    for (json, message) in [
        (json!({}), "Missing start time."),
        (
            json!({"start": {"date": "2026-03-03"}}),
            "Missing end time.",
        ),
        (json!({"start": {}, "end": {}}), "Missing start time."),
        (
            meeting("x", "2026-03-03T10:00:00", "2026-03-03T11:00:00"),
            "Missing time zone definition for start time.",
        ),
        (
            meeting("x", "2026-03-03T11:00:00Z", "2026-03-03T10:00:00Z"),
            "The specified time range is empty.",
        ),
        (meeting("x", "noon", "evening"), "Invalid value for: start"),
        (
            json!({"start": {"date": "2026-03-03"}, "end": {"dateTime": "2026-03-04T00:00:00Z"}}),
            "Start and end times must either both be date or both be dateTime.",
        ),
        (
            json!({"start": {"date": "2026-03-03"}, "end": {"date": "2026-03-04"}, "attendees": [{"email": "bob"}]}),
            "Invalid attendee email.",
        ),
        (
            json!({"start": {"date": "2026-03-03"}, "end": {"date": "2026-03-04"}, "recurrence": ["RRULE:FREQ=DAILY"]}),
            "Recurring events are not supported by this calendar.",
        ),
        (
            json!({"start": {"date": "2026-03-03"}, "end": {"date": "2026-03-04"}, "id": "A!"}),
            "Invalid resource id value.",
        ),
        (json!({"summary": 5}), "Invalid value for: event.summary"),
    ] {
        let (status, error) = ask(&mut world, "POST", EVENTS, json);
        assert_eq!((status, problem(&error).0), (400, message));
    }
    assert_eq!(summaries(&mut world, "").len(), 0);
    let mut own = meeting("x", "2026-03-03T10:00:00Z", "2026-03-03T11:00:00Z");
    own["id"] = json!("abcde");
    insert(&mut world, own.clone());
    let (status, error) = ask(&mut world, "POST", EVENTS, own);
    assert_eq!((status, problem(&error).1), (409, "duplicate"));
}

#[test]
fn a_local_time_needs_its_zone() {
    let event = insert(
        &mut world(),
        json!({
            "summary": "x",
            "start": {"dateTime": "2026-07-01T10:00:00", "timeZone": "America/New_York"},
            "end": {"dateTime": "2026-07-01T11:00:00", "timeZone": "America/New_York"},
        }),
    );
    assert_eq!(event["start"]["dateTime"], "2026-07-01T16:00:00+02:00");
    assert_eq!(event["start"]["timeZone"], "America/New_York");
}

#[test]
fn a_conference_is_made_where_it_is_asked_for() {
    let mut world = world();
    let mut json = meeting("x", "2026-03-03T10:00:00Z", "2026-03-03T11:00:00Z");
    json["conferenceData"] = json!({"createRequest": {
        "requestId": "r", "conferenceSolutionKey": {"type": "hangoutsMeet"},
    }});
    assert!(
        insert(&mut world, json.clone())
            .get("hangoutLink")
            .is_none()
    );
    let (_, event) = ask(
        &mut world,
        "POST",
        &format!("{EVENTS}?conferenceDataVersion=1"),
        json,
    );
    let link = event["hangoutLink"].as_str().unwrap();
    let code: Vec<usize> = link
        .rsplit('/')
        .next()
        .unwrap()
        .split('-')
        .map(str::len)
        .collect();
    assert_eq!(code, [3, 4, 3]);
}

#[test]
fn the_account_has_calendars_and_settings() {
    let mut world = world();
    let (_, zone) = ask(
        &mut world,
        "GET",
        "/calendar/v3/users/me/settings/timezone",
        Value::Null,
    );
    assert_eq!(zone["value"], "Europe/Berlin");
    assert_eq!(
        ask(
            &mut world,
            "GET",
            "/calendar/v3/users/me/settings/nope",
            Value::Null
        )
        .0,
        404
    );
    let (_, all) = ask(
        &mut world,
        "GET",
        "/calendar/v3/users/me/settings",
        Value::Null,
    );
    assert!(all["items"].as_array().unwrap().len() >= 3);
    let (_, list) = ask(
        &mut world,
        "GET",
        "/calendar/v3/users/me/calendarList",
        Value::Null,
    );
    assert_eq!(
        (&list["items"][0]["id"], &list["items"][0]["primary"]),
        (&json!("ada@example.com"), &json!(true))
    );
    let (_, one) = ask(
        &mut world,
        "GET",
        "/calendar/v3/users/me/calendarList/primary",
        Value::Null,
    );
    assert_eq!(one, list["items"][0]);
    let (_, calendar) = ask(
        &mut world,
        "GET",
        "/calendar/v3/calendars/primary",
        Value::Null,
    );
    assert_eq!(calendar["timeZone"], "Europe/Berlin");
}

#[test]
fn busy_times_are_joined() {
    let mut world = world();
    for (start, end) in [
        ("10:00", "11:00"),
        ("10:30", "11:30"),
        ("11:30", "12:00"),
        ("14:00", "15:00"),
    ] {
        insert(
            &mut world,
            meeting(
                "x",
                &format!("2026-03-03T{start}:00Z"),
                &format!("2026-03-03T{end}:00Z"),
            ),
        );
    }
    let (status, answer) = ask(
        &mut world,
        "POST",
        "/calendar/v3/freeBusy",
        json!({
            "timeMin": "2026-03-03T10:15:00Z", "timeMax": "2026-03-03T14:30:00Z",
            "items": [{"id": "primary"}, {"id": "nope"}],
        }),
    );
    assert_eq!(status, 200);
    assert_eq!(
        answer["calendars"]["primary"]["busy"],
        json!([
            {"start": "2026-03-03T10:15:00Z", "end": "2026-03-03T12:00:00Z"},
            {"start": "2026-03-03T14:00:00Z", "end": "2026-03-03T14:30:00Z"},
        ])
    );
    assert_eq!(
        answer["calendars"]["nope"]["errors"][0]["reason"],
        "notFound"
    );
    assert_eq!(
        ask(&mut world, "POST", "/calendar/v3/freeBusy", json!({})).0,
        400
    );
}

#[test]
fn a_seed_has_events_and_calendars() {
    let seeded = |text: &str| -> Result<World, String> {
        let folder = cap_tempfile::tempdir(cap_tempfile::ambient_authority()).unwrap();
        folder.write("calendar.json", text).unwrap();
        let mut world = world();
        let dir = SeedDir::root(&folder).unwrap();
        let mut context = SeedContext {
            dir: Some(&dir),
            account: &world.account,
            people: &[],
            clock: &world.clock,
            ids: &mut world.ids,
            accounts: &crate::world::Accounts::default(),
        };
        let store = super::CalendarStore::seed(&mut context).map_err(|error| error.to_string())?;
        world.google.as_mut().unwrap().calendar = store;
        Ok(world)
    };
    let mut world = seeded(
        r#"{"events": [{"summary": "Standup", "start": "2026-03-03T09:00:00Z", "end": "2026-03-03T09:15:00Z",
            "attendees": [{"email": "bob@example.com", "responseStatus": "accepted"}]}],
            "calendars": [{"id": "team", "summary": "Team", "time_zone": "UTC"}]}"#,
    )
    .unwrap();
    assert_eq!(summaries(&mut world, ""), ["Standup"]);
    insert(
        &mut world,
        meeting("new", "2026-03-03T10:00:00Z", "2026-03-03T11:00:00Z"),
    );
    let snapshot = world.snapshot().other["calendar"].clone();
    let events = snapshot["calendars"][0]["events"].as_array().unwrap();
    assert_eq!(
        (&events[0]["seeded"], &events[1]["seeded"]),
        (&json!(true), &json!(false))
    );
    let changed = ask(
        &mut world,
        "POST",
        "/calendar/v3/calendars/team/events",
        json!({
            "start": {"date": "2026-03-03"}, "end": {"date": "2026-03-04"},
        }),
    );
    assert_eq!(changed.0, 200);
    for (text, problem) in [
        (
            r#"{"events": [{"summary": "x", "start": "soon", "end": "2026-03-03"}]}"#,
            "events[0].start: expected a moment",
        ),
        (
            r#"{"events": [{"summary": "x", "start": "2026-03-03", "end": "2026-03-02"}]}"#,
            "expected start and end",
        ),
        (
            r#"{"calendars": [{"id": "primary", "summary": "x"}]}"#,
            "is there twice",
        ),
        (
            r#"{"calendars": [{"id": "c", "summary": "x", "time_zone": "Mars/Base"}]}"#,
            "no IANA time zone",
        ),
        (r#"{"event": []}"#, "calendar.json:1: unknown field"),
    ] {
        let error = seeded(text).unwrap_err();
        assert!(error.contains(problem), "{error}");
    }
}

#[test]
fn an_entered_event_is_a_change() {
    let mut world = world();
    let json = meeting("x", "2026-03-03T10:00:00Z", "2026-03-03T11:00:00Z").to_string();
    let answer = send(
        &mut world,
        &crate::google::tests::body(request("POST", EVENTS), "application/json", json),
    );
    assert_eq!(answer.operation, Some("calendar.events.insert"));
    assert_eq!(
        (answer.changed[0].kind.as_str(), answer.changed[0].change),
        ("calendar.event", Some(Change::Created))
    );
    assert_eq!(answer.changed[0].parent.as_deref(), Some("ada@example.com"));
}

#[test]
fn a_masked_list_reads_the_events_that_it_names() {
    let mut world = world();
    insert(
        &mut world,
        meeting("Talk", "2026-03-03T10:00:00Z", "2026-03-03T11:00:00Z"),
    );
    for (target, view) in [
        (format!("{EVENTS}?fields=items(status,start,end)"), None),
        (
            format!("{EVENTS}?fields=items(summary,start)"),
            Some(View::Full),
        ),
        (
            format!("{EVENTS}?fields=items(id,end)"),
            Some(View::Summary),
        ),
        (format!("{EVENTS}?fields=items/id"), Some(View::Reference)),
        (
            "/calendar/v3/users/me/calendarList?fields=kind".to_owned(),
            None,
        ),
        (
            "/calendar/v3/users/me/calendarList?fields=items/colorId".to_owned(),
            None,
        ),
        (
            "/calendar/v3/users/me/calendarList?fields=items/id".to_owned(),
            Some(View::Reference),
        ),
        (
            "/calendar/v3/calendars/primary?fields=summary".to_owned(),
            Some(View::Summary),
        ),
    ] {
        let read = send(&mut world, &request("GET", &target)).read;
        let seen: Vec<_> = read.iter().map(|it| it.view).collect();
        assert_eq!(
            seen,
            view.map(Some).into_iter().collect::<Vec<_>>(),
            "{target}"
        );
    }
}
