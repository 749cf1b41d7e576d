//! What a Python grader finds around it: the bundle, scratch space, a clock
//! that stands, and nothing of the machine.

use proctor_grading::{Limits, LogLevel};

use super::kit::{body, function, grade, grade_in, pairs, printed, refused, values};
use crate::kit::bundle::Builder;

#[test]
fn the_bundle_is_there_read_only_and_the_machine_is_not() {
    let source = r##"
import os
from pathlib import Path

def missing(path):
    try:
        open(path).close()
        return False
    except FileNotFoundError:
        return True

def read_only(path):
    try:
        open(path, "w").close()
        return False
    except OSError as error:
        return error.errno == 69  # EROFS of WASI

def grade(transcript, workspace_path):
    return {
        "root": sorted(os.listdir("/")) == ["evidence", "fixtures", "grader", "tmp", "workspace"],
        "workspace": Path(workspace_path, "summary.md").read_text() == "# Summary\n\n- one\n- two",
        "same": Path("/evidence/workspace/summary.md").samefile("/workspace/summary.md"),
        "fixtures": os.listdir("/fixtures") == ["data.csv"],
        "world": "gmail" in Path("/evidence/world/after.json").read_text(),
        "no manifest": missing("/evidence/manifest.json"),
        "absolute": all(missing(p) for p in ("/etc/passwd", "/proc/self/environ", "/proc/1/cmdline",
                                             "/dev/null", "/dev/stdin", "/home", "/python/os.py")),
        "up": all(missing(p) for p in ("../etc/passwd", "../../../../etc/passwd",
                                       "/workspace/../../etc/passwd", "/tmp/../etc/passwd")),
        "through a file": missing_through(),
        "up and down": Path("/workspace/../fixtures/data.csv").read_text() == "a,b\n1,2\n",
        "writes": all(read_only(p) for p in ("/workspace/summary.md", "/workspace/new", "/evidence/x",
                                             "/x", "/fixtures/data.csv", "/grader/grader.py")),
        "changes": all(refuses(f) for f in (
            lambda: os.remove("/workspace/summary.md"), lambda: os.mkdir("/workspace/d"),
            lambda: os.rename("/workspace/summary.md", "/workspace/x"),
            lambda: os.rename("/workspace/summary.md", "/tmp/x"),
            lambda: os.rmdir("/workspace"), lambda: os.rmdir("/tmp"),
            lambda: os.truncate("/workspace/summary.md", 0),
            lambda: os.utime("/workspace/summary.md", (1, 1)),
            lambda: os.symlink("/etc/passwd", "/tmp/link"),
            lambda: os.link("/workspace/summary.md", "/tmp/hard"))),
        "unharmed": Path(workspace_path, "summary.md").exists(),
        "environment": dict(os.environ) == {},
        "arguments": __import__("sys").argv == ["grade"],
        "input": __import__("sys").stdin.read() == "",
        "directory": os.getcwd() == "/",
    }

def missing_through():
    try:
        open("/workspace/summary.md/x")
    except NotADirectoryError:
        return True

def refuses(change):
    try:
        change()
        return False
    except OSError:
        return True
"##;
    let given = super::kit::given(source);
    let wrong: Vec<_> = given.iter().filter(|(_, points)| *points != 1.0).collect();
    assert!(wrong.is_empty(), "{wrong:?}");
    assert_eq!(given.len(), 17);
}

/// The host reads most transcripts for Python; what it leaves to Python is the
/// same list.
#[test]
fn a_transcript_is_the_same_whoever_reads_it() {
    let source = function("print(transcript)\nreturn {'events': len(transcript) / 8}");
    let printed_of = |lines: &str| {
        let (_directory, bundle) = Builder::new().file("transcript.jsonl", lines).open();
        let graded = grade_in(&source, &bundle, &Limits::python()).unwrap();
        (printed(&graded), values(&graded))
    };
    let lines = "{\"type\": \"message\", \"n\": [1, -7, 2147483647, null, true, false]}\n\
                 {\"text\": \"✓ é \\u0000 \\n\", \"\": {}, \"a\": [], \"a\": [[\"x\"]]}\n\n";
    let (read_by_host, count) = printed_of(lines);
    assert_eq!(count, pairs(&[("events", 0.25)]));
    // A fraction in one event leaves all of them to Python.
    let (read_by_python, _) = printed_of(&format!("{lines}{{\"f\": 0.1}}\n"));
    let all = read_by_python[0].1.strip_suffix(", {'f': 0.1}]").unwrap();
    assert_eq!(format!("{all}]"), read_by_host[0].1);
    let (numbers, _) = printed_of("{\"a\": 12345678901234567890123, \"b\": 5e-324}\n");
    assert_eq!(
        numbers[0].1,
        "[{'a': 12345678901234567890123, 'b': 5e-324}]"
    );
}

#[test]
fn names_of_every_kind_are_found_and_directory_descriptors_lead_only_down() {
    let source = r#"
import os

def grade(transcript, workspace_path):
    names = sorted(os.listdir(workspace_path))
    fd = os.open("/workspace/a dir", os.O_RDONLY)
    def opens(path):
        try:
            os.close(os.open(path, os.O_RDONLY, dir_fd=fd))
            return True
        except OSError:
            return False
    return {
        "names": names == ["..hidden", "a dir", "line\nfeed", "ü.txt"],
        "dot": open("/workspace/..hidden").read() == "h",
        "down": opens("deep/../deep/x"),
        "up": not opens("../ü.txt") and not opens("deep/../../ü.txt"),
        "absolute": opens("/workspace/ü.txt"),
        "stat": os.stat("/workspace/ü.txt").st_size == 3 and os.path.isdir("/workspace/a dir/"),
        "slash": not opens("deep/x/"),
        "scan": [e.name for e in os.scandir("/workspace/a dir") if e.is_dir()] == ["deep"],
        "inodes": len({os.stat(f"/workspace/{n}").st_ino for n in names}) == 4,
    }
"#;
    let (_directory, bundle) = Builder::new()
        .without("workspace/summary.md")
        .file("workspace/a dir/deep/x", "x")
        .file("workspace/..hidden", "h")
        .file("workspace/line\nfeed", "l")
        .file("workspace/ü.txt", "123")
        .open();
    let graded = grade_in(source, &bundle, &Limits::python()).unwrap();
    let wrong: Vec<_> = values(&graded)
        .into_iter()
        .filter(|one| one.1 != 1.0)
        .collect();
    assert!(wrong.is_empty(), "{wrong:?}");
}

#[test]
fn the_clock_stands_at_the_trials_end_and_sleeping_moves_it() {
    let given = body(
        "import time, datetime, os\n\
         before = time.time()\n\
         ticks = time.monotonic()\n\
         for n in range(1000): pass\n\
         stood = time.time() == before and time.monotonic() == ticks\n\
         time.sleep(3600)\n\
         return {'end': before == 1767225601.5, 'stood': stood,\n\
         'slept': time.time() - before == 3600.0 and time.monotonic() - ticks == 3600.0,\n\
         'today': datetime.datetime.now().isoformat() == '2026-01-01T01:00:01.500000',\n\
         'zone': time.tzname[0] == 'UTC',\n\
         'files': os.stat('/workspace/summary.md').st_mtime == 1767225601.5}",
    );
    assert!(given.iter().all(|(_, points)| *points == 1.0), "{given:?}");
}

#[test]
fn chance_is_the_same_in_every_grade() {
    let source = function(
        "import random, uuid, os, secrets, tempfile\n\
         print(random.random(), random.randint(0, 10 ** 9), uuid.uuid4(), os.urandom(8).hex(),\n\
         secrets.token_hex(4), tempfile.mktemp(), hash('text'), id(object()), {'a', 'b', 'c', 'd'})\n\
         return {'a': random.random()}",
    );
    let (one, other) = (grade(&source).unwrap(), grade(&source).unwrap());
    assert_eq!(one.log, other.log);
    assert_eq!(one.verdict, other.verdict);
    assert_eq!(one.grader.fuel, other.grader.fuel);
    assert_eq!(one.log.lines.len(), 1);
}

#[test]
fn what_is_printed_goes_to_the_log() {
    let source = function(
        "import sys, logging, warnings\n\
         print('one')\nprint('tw', end='')\nprint('o ✓')\nprint('err', file=sys.stderr)\n\
         sys.stdout.write('no end')\nlogging.warning('careful')\nreturn {'a': 1}",
    );
    let graded = grade(&source).unwrap();
    let line = |level, text: &str| (level, text.to_owned());
    assert_eq!(
        printed(&graded),
        [
            line(LogLevel::Info, "one"),
            line(LogLevel::Info, "two ✓"),
            line(LogLevel::Warn, "err"),
            line(LogLevel::Warn, "WARNING:root:careful"),
            line(LogLevel::Info, "no end"),
        ]
    );
    assert_eq!(values(&graded), pairs(&[("a", 1.0)]));
    // What was printed before it broke is there too.
    let error = refused(&function("print('so far')\nreturn 1 / 0"));
    assert_eq!(error.log().lines[0].message, "so far");
}

#[test]
fn programs_connections_threads_and_missing_modules_make_no_verdict() {
    let probes = "let a probe of the task do it";
    for (code, expected) in [
        ("import subprocess\nsubprocess.run(['ls'])", probes),
        (
            "import subprocess\nsubprocess.check_output('ls', shell=True)",
            probes,
        ),
        ("import os\nos.system('true')", probes),
        ("import os\nos.fork()", probes),
        ("import os\nos.popen('ls').read()", probes),
        ("import os\nos.execv('/bin/ls', ['ls'])", probes),
        (
            "import socket\nsocket.create_connection(('example.com', 80))",
            probes,
        ),
        ("import socket\nsocket.socket()", probes),
        (
            "import urllib.request\nurllib.request.urlopen('http://example.com')",
            probes,
        ),
        (
            "import http.client\nhttp.client.HTTPConnection('example.com').request('GET', '/')",
            probes,
        ),
        (
            "import threading\nthreading.Thread(target=print).start()",
            "a thread",
        ),
        (
            "from concurrent.futures import ThreadPoolExecutor\nThreadPoolExecutor().submit(print)",
            "a thread",
        ),
        (
            "import multiprocessing\nmultiprocessing.Process(target=print).start()",
            "",
        ),
        (
            "import numpy",
            "ModuleNotFoundError: No module named 'numpy'; graders have",
        ),
        ("import pandas as pd", "docs/python-graders.md"),
        ("import asyncio\nasyncio.run(asyncio.sleep(0))", ""),
    ] {
        // Caught or not: without it nothing can be known about the agent.
        let error = refused(&function(&format!("{code}\nreturn {{'a': 0.0}}")));
        assert_eq!(error.kind(), "grader_said_error", "{code}: {error}");
        assert!(error.to_string().contains(expected), "{code}: {error}");
        if expected == probes {
            let lines: Vec<String> = code.lines().map(|line| format!("    {line}")).collect();
            let caught = format!(
                "try:\n{}\nexcept BaseException:\n    pass\nreturn {{'a': 0.0}}",
                lines.join("\n")
            );
            let error = refused(&function(&caught));
            assert!(error.to_string().contains(expected), "{code}: {error}");
        }
    }
}

#[test]
fn a_module_that_the_grader_can_do_without_is_noted() {
    let source = "try:\n    import numpy\nexcept ImportError:\n    numpy = None\n\
                  import yaml, _yaml_not_there_either if False else None\n";
    let source = source.lines().take(4).collect::<Vec<_>>().join("\n")
        + "\ndef grade(t, w):\n    return {'a': 1.0}\n";
    let graded = grade(&source).unwrap();
    assert_eq!(
        graded.verdict.notes,
        ["The grader asked for the module `numpy`, which is not there."]
    );
}

/// A misspelt name is found by what is asked for in vain, however Python asks.
#[test]
fn what_is_asked_for_in_vain_is_named_as_in_the_bundle() {
    let source = r#"
import importlib, os
from pathlib import Path

def tried(call):
    try:
        call()
    except (OSError, ImportError):
        pass

def grade(transcript, workspace_path):
    workspace = Path(workspace_path)
    tried(lambda: open(workspace / "sumary.md"))
    tried(lambda: (workspace / "plans/march/plan.md").read_text())
    tried(lambda: os.listdir("/workspace/report"))
    tried(lambda: open("/evidence/world/afterwards.json"))
    tried(lambda: os.stat("/fixtures/../fixtures/date.csv"))
    (workspace / "summary.md.txt").exists()
    # What is there, what is made, and what is no evidence.
    (workspace / "summary.md").read_text()
    Path("/tmp/made").write_text("x")
    for path in ("/tmp/none", "/nowhere/none", "/grader/none", "/workspace/summary.md/none"):
        tried(lambda: open(path))
    tried(lambda: open("/workspace/new", "w"))
    tried(lambda: importlib.import_module("no_such_module"))
    return {"a": 1.0}
"#;
    assert_eq!(
        grade(source).unwrap().missing,
        [
            "fixtures/date.csv",
            "workspace/plans/march/plan.md",
            "workspace/report",
            "workspace/sumary.md",
            "workspace/summary.md.txt",
            "world/afterwards.json",
        ]
    );
    let many = "import os\nos.path.exists('/workspace/' + 'x' * 4000)\n\
                for n in range(1000):\n    os.path.exists(f'/workspace/{n}')\nreturn {'a': 1.0}";
    let missing = grade(&function(many)).unwrap().missing;
    assert_eq!(missing.len(), 100);
    assert!(missing.iter().all(|path| path.len() < 20), "{missing:?}");
}
