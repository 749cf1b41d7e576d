//! Evidence made to confuse or to exhaust.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use common::{CLIENT, EXAMPLE, MANIFEST, Night, OOM_TITLE, PROCESSOR, SETTINGS};
use proctor_grader::Error;

fn assert_bounded(night: &Night) {
    let verdict = night.grade();
    assert_eq!(verdict.criteria().len(), 20);
    for criterion in verdict.criteria() {
        let points = criterion.points.unwrap();
        assert!((0.0..=criterion.max).contains(&points), "{criterion:?}");
        assert!(
            criterion.reason.chars().count() < 3000,
            "{}",
            criterion.reason.len()
        );
        assert!(criterion.citations.len() <= 60, "{}", criterion.id);
        let plain = |char: char| !char.is_control() && !('\u{202a}'..='\u{202e}').contains(&char);
        assert!(
            criterion.reason.chars().all(plain),
            "{:?}",
            criterion.reason
        );
    }
    assert!(verdict.notes().iter().all(|note| note.len() < 2000) && verdict.notes().len() < 40);
}

#[test]
fn any_text_in_any_file_is_survived() {
    for text in [
        "",
        "\0\u{202e}\u{1b}[31m",
        "(",
        "'''",
        "def _process_batch",
        "    def _process_batch(self):\n",
        "a:\n- b:\n - {",
        "=",
        "class BatchConfig:",
        "buffer_size =",
        "max_connections=",
        "ConnectionPool(",
        "\u{e9}\u{301}\n\u{feff}",
    ] {
        for path in [PROCESSOR, CLIENT, SETTINGS, EXAMPLE, MANIFEST] {
            assert_bounded(&Night::offering(path, text));
        }
        let mut night = Night::good();
        for page in ["incident", "audit", "api"] {
            night.write(page, text);
        }
        night.sent[0].text = text.to_owned();
        night.says(text);
        assert_bounded(&night);
    }
}

#[test]
fn much_of_everything_takes_a_bounded_time() {
    let mut night = Night::good();
    let long =
        "self._batch_buffers.append(buf) Recommendation Engine v2 not 3Gi 4Gi\n".repeat(20_000);
    night.commit(
        "long",
        OOM_TITLE,
        &[(PROCESSOR, &long), (MANIFEST, &long), ("x.py", &long)],
    );
    night.open("long", OOM_TITLE);
    for number in 1..=12 {
        night.answer(number, &long);
    }
    night.write("api", &"# GET /v1/x | POST | /y\n".repeat(5_000));
    night.write(
        "incident",
        &format!("# Root cause\n{}", "- buffer 7 minutes\n".repeat(5_000)),
    );
    night.says(&long);
    for index in 0..200 {
        night.commit("many", "x", &[("a.txt", &index.to_string())]);
    }
    assert_bounded(&night);
}

/// Bytes of a file of Python that the grader reads.
const LONGEST: usize = 16 * 1024;

#[test]
fn a_file_that_is_too_long_has_none_of_the_values() {
    let right = common::sized("2048");
    Night::offering(PROCESSOR, &right).expect("C1", 1.0, "2048");
    let long = format!("{right}\n{}", "# more\n".repeat(LONGEST / 7 + 1));
    let criterion = Night::offering(PROCESSOR, &long).criterion("C1");
    assert_eq!(criterion.points, Some(0.0), "{}", criterion.reason);
}

#[test]
fn long_files_of_python_take_a_bounded_time() {
    let batch = "class A:\n def _process_batch(self):\n  buf = bytearray(1)\n";
    let guards =
        "  if self.a is None: return\n  self.a = get_redis_client()\n  self.a.rpush(buf)\n";
    for (path, text) in [
        (
            PROCESSOR,
            format!(
                "{batch}{}",
                "  a = b.append\n  x.append(buf)\n".repeat(8000)
            ),
        ),
        (
            PROCESSOR,
            format!(
                "{batch}{}",
                "  self.k.append(buf)\n  self.k.clear()\n  return\n".repeat(5000)
            ),
        ),
        (PROCESSOR, format!("{batch}{}", guards.repeat(4000))),
        (
            PROCESSOR,
            format!(
                "{batch}{}",
                "  def f():\n   self._process_batch()\n".repeat(6000)
            ),
        ),
        (
            PROCESSOR,
            format!(
                "{batch}{}",
                "  c = c.pipeline()\n  c.rpush(buf)\n".repeat(8000)
            ),
        ),
        (
            CLIENT,
            "def f():\n    p = ConnectionPool(max_connections=20)\n    Redis(connection_pool=p)\n"
                .repeat(3500),
        ),
        (
            CLIENT,
            "x = ConnectionPool\nRedis(connection_pool=x)\n".repeat(6000),
        ),
        (SETTINGS, "DEBUG = A = B = (".repeat(16_000)),
        (SETTINGS, "DEBUG = 1\n".repeat(25_000)),
    ] {
        // As long as a file may be that is read; and a longer one.
        let end = text[..LONGEST].rfind('\n').unwrap_or(LONGEST);
        assert_bounded(&Night::offering(path, &text[..end]));
        assert_bounded(&Night::offering(path, &text));
    }
    let mut night = Night::good();
    night.sent[0].html = Some("<script><a href=&#;<li>&&".repeat(8000));
    night.sent[1].html = Some("<style>x".repeat(8000));
    night.sent[2].html = Some("<p><b>".repeat(20_000));
    assert_bounded(&night);
}

#[test]
fn a_repository_that_is_gone_or_renamed_offers_nothing() {
    let mut night = Night::good();
    night.repo.repository.full_name = "acme-ai-labs/other".to_owned();
    for id in ["C1", "C2", "C3", "C4", "C5", "C6", "C7", "C8", "C9", "C10"] {
        night.expect(id, 0.0, "");
    }
    assert_bounded(&night);
}

#[test]
fn a_world_of_another_task_is_refused() {
    let mut night = Night::new();
    night.pages_before.retain(|page| page.id != "incident");
    assert!(matches!(night.try_grade(), Err(Error::Unfit(_))));
    let mut night = Night::new();
    night.inbox.clear();
    assert!(night.try_grade().is_err());
}
