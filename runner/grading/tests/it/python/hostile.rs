//! Python graders that want something else than to grade. Every one of them
//! ends, and none of them as a zero of the agent.

use std::time::Duration;

use proctor_grading::{GradeError, Limits};

use super::kit::{function, given, grade_in, load, refused};
use crate::kit::bundle::Builder;

/// Little fuel, so that what does not end does so soon.
fn small() -> Limits {
    Limits {
        fuel: 400_000_000,
        ..Limits::python()
    }
}

fn broken(source: &str, limits: &Limits) -> GradeError {
    let (_directory, bundle) = Builder::new().open();
    match grade_in(source, &bundle, limits) {
        Ok(graded) => panic!("it graded: {graded:?}"),
        Err(error) => error,
    }
}

#[test]
fn what_does_not_end_runs_out_of_fuel() {
    for code in [
        "while True: pass",
        "import time\nwhile True: time.sleep(1000)",
        "import time\nstart = time.time()\nwhile time.time() == start: pass",
        "import itertools\nsum(1 for _ in itertools.count())",
        "10 ** 10 ** 8",
        "import re\nre.match(r'(a+)+$', 'a' * 64 + 'b')",
        "while True:\n    try:\n        raise KeyboardInterrupt\n    except BaseException:\n        pass",
        "import random\nwhile random.random() < 2: pass",
        "while True: open('/workspace/summary.md').read()",
    ] {
        let error = broken(&function(code), &small());
        assert_eq!(error.kind(), "out_of_fuel", "{code}: {error}");
    }
    // At the top of the source as well.
    assert_eq!(broken("while True: pass\n", &small()).kind(), "out_of_fuel");
}

#[test]
fn the_clock_ends_what_fuel_does_not() {
    let limits = Limits {
        time: Duration::from_millis(300),
        fuel: u64::MAX,
        ..Limits::python()
    };
    let error = broken(&function("while True: pass"), &limits);
    assert_eq!(error.kind(), "out_of_time", "{error}");
}

#[test]
fn ending_the_process_is_no_verdict() {
    for (code, kind) in [
        ("import sys\nsys.exit(0)", "grader_said_error"),
        ("import sys\nsys.exit('all good')", "grader_said_error"),
        ("raise SystemExit", "grader_said_error"),
        ("exit()", "grader_said_error"),
        ("import os\nos._exit(0)", "exited"),
        ("import os\nos._exit(3)", "exited"),
        ("import os\nos.abort()", "trapped"),
    ] {
        let error = refused(&function(code));
        assert_eq!(error.kind(), kind, "{code}: {error}");
    }
    let error = refused("import sys\nsys.exit(1)\n");
    assert!(
        error
            .to_string()
            .contains("task.md:11: the grader failed: SystemExit"),
        "{error}"
    );
}

#[test]
fn memory_that_is_not_there_is_not_had() {
    for code in [
        "x = 'a' * (1 << 30)",
        "x = []\nwhile True: x.append(bytearray(1 << 20))",
        "x = list(range(10 ** 8))",
    ] {
        let error = broken(&function(code), &Limits::python());
        assert!(
            ["grader_said_error", "out_of_memory", "trapped"].contains(&error.kind()),
            "{code}: {error}"
        );
        assert!(
            error.to_string().to_lowercase().contains("memory"),
            "{code}: {error}"
        );
    }
}

#[test]
fn deep_recursion_is_an_error_and_never_a_crash() {
    for code in [
        "def f(): return f()\nf()",
        "x = []\nx.append(x)\nwhile True: x = [x]; repr(x)",
        "import json\njson.loads('[' * 100000)",
        "import ast\nast.parse('(' * 10000 + ')' * 10000)",
        "eval('-' * 100000 + '1')",
        "import sys\nsys.setrecursionlimit(10 ** 9)\ndef f(): return f()\nf()",
        "import sys\nsys.setrecursionlimit(10 ** 9)\nx = []\nfor _ in range(10 ** 6): x = [x]\nrepr(x)",
        "import copy\nx = []\nfor _ in range(10 ** 5): x = [x]\ncopy.deepcopy(x)",
    ] {
        let error = broken(&function(code), &small());
        assert!(
            [
                "grader_said_error",
                "stack_overflow",
                "out_of_fuel",
                "out_of_memory",
                "trapped"
            ]
            .contains(&error.kind()),
            "{code}: {error}"
        );
    }
}

/// An agent that leaves such a file would otherwise leave the denominator.
#[test]
fn a_grader_survives_what_an_agent_nests_deeply() {
    let source = function(
        "import json, ast, xml.etree.ElementTree as ET\nfrom pathlib import Path\n\
         def fails(read):\n    try:\n        read()\n        return False\n    except Exception:\n        return True\n\
         text = Path(workspace_path, 'deep').read_text()\n\
         return {'json': fails(lambda: json.loads(text)), 'ast': fails(lambda: ast.parse(text)),\n\
         'eval': fails(lambda: ast.literal_eval(text))}",
    );
    let (_directory, bundle) = Builder::new()
        .file("workspace/deep", "[".repeat(100_000) + &"]".repeat(100_000))
        .open();
    let graded = grade_in(&source, &bundle, &Limits::python()).unwrap();
    assert_eq!(
        super::kit::values(&graded)
            .iter()
            .map(|one| one.1)
            .sum::<f64>(),
        3.0
    );
}

#[test]
fn floods_of_output_end_at_the_quota() {
    for code in [
        "while True: print('x' * 1000)",
        "print('x' * (100 << 20))",
        "import sys\nwhile True: sys.stderr.write('\\n' * 1000)",
    ] {
        let error = broken(&function(code), &Limits::python());
        assert_eq!(error.kind(), "log_quota", "{code}: {error}");
    }
}

#[test]
fn scratch_space_has_a_bottom() {
    let full = given(&function(
        "import errno\n\
         def fill():\n    try:\n        with open('/tmp/big', 'wb') as f:\n            \
         while True: f.write(b'x' * (1 << 20))\n    except OSError as error:\n        return error.errno\n\
         def litter():\n    try:\n        for n in range(10 ** 6): open(f'/tmp/{n}', 'w').close()\n    \
         except OSError as error:\n        return error.errno\n\
         import os\n\
         first = fill()\nos.remove('/tmp/big')\n\
         return {'bytes': first in (errno.ENOSPC, errno.EIO), 'entries': litter() == errno.ENOSPC}",
    ));
    assert!(full.iter().all(|one| one.1 == 1.0), "{full:?}");
}

#[test]
fn a_hole_of_a_terabyte_costs_the_grader_and_not_the_host() {
    let error = broken(
        &function("with open('/tmp/s', 'wb') as f:\n    f.truncate(1 << 40)\nreturn {'a': 1}"),
        &small(),
    );
    assert_eq!(error.kind(), "hostcall_budget", "{error}");
}

#[test]
fn descriptors_that_nobody_closes_run_out() {
    let error = broken(
        &function("import os\nwhile True: os.open('/workspace/summary.md', os.O_RDONLY)"),
        &Limits::python(),
    );
    assert!(error.to_string().contains("OSError"), "{error}");
}

#[test]
fn replacing_what_the_grader_runs_in_changes_nothing_but_the_grader_itself() {
    // Python cannot be kept from changing itself; the next grade is another one.
    let source = function(
        "import builtins, sys, json\n\
         json.loads = None\nsys.stdout = None\nsys.stderr = None\nbuiltins.isinstance = None\n\
         sys.modules.clear()\nreturn {'a': 1}",
    );
    let (_directory, bundle) = Builder::new().open();
    let _ = grade_in(&source, &bundle, &Limits::python());
    let python = load(&function("import json\nreturn {'a': json.loads('1')}"));
    let graded = python.grade_blocking(&bundle, &Limits::python()).unwrap();
    assert_eq!(
        super::kit::values(&graded),
        super::kit::pairs(&[("a", 1.0)])
    );
}

#[test]
fn answers_of_any_size_and_kind_are_refused_or_bounded() {
    let error = broken(
        &function("return {f'k{n}': 1.0 for n in range(100000)}"),
        &Limits::python(),
    );
    assert!(
        ["output_too_large", "invalid_verdict"].contains(&error.kind()),
        "{error}"
    );
    let error = broken(
        &function(
            "class Odd(float):\n    def __float__(self): raise ValueError('no')\n    \
             def __repr__(self): return 'x' * 10 ** 7\n\
             return {'a': Odd(1)}",
        ),
        &Limits::python(),
    );
    assert_eq!(error.kind(), "grader_said_error", "{error}");
    let values = given(&function(
        "return {'k' * 10_000_000: 1.0, '\\x1b[31m\\u202e': 0.5, '\\ud800': 0.25}",
    ));
    assert_eq!(values.len(), 3);
    assert!(values.iter().all(|(id, _)| id.len() <= 100), "{values:?}");
    let error = broken(
        &function("return {'rubric_quality': 1.0}"),
        &Limits::python(),
    );
    assert_eq!(error.kind(), "invalid_verdict", "{error}");
}

#[test]
fn a_grade_leaves_nothing_for_the_next() {
    let source = function(
        "import os, sys, builtins\n\
         clean = not os.path.exists('/tmp/mark') and not hasattr(builtins, 'mark')\n\
         open('/tmp/mark', 'w').close()\nbuiltins.mark = 1\nsys.path.append('/x')\n\
         return {'clean': clean}",
    );
    let python = load(&source);
    let (_directory, bundle) = Builder::new().open();
    for _ in 0..3 {
        let graded = python.grade_blocking(&bundle, &Limits::python()).unwrap();
        assert_eq!(
            super::kit::values(&graded),
            super::kit::pairs(&[("clean", 1.0)])
        );
    }
}
