#!/usr/bin/env bash
# Measures the figures of docs/performance.md on this machine, in one run:
#
#   tests/bench/run.sh [grade] [trial] [services] [--bin DIR] [--quick]
#
# Without --bin, release binaries are built and measured.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

tools/python.sh
if [[ " $* " != *' --bin '* ]]; then
    cargo build --release --locked --workspace --bins
    set -- "$@" --bin target/release
fi
exec python3 tests/bench/run.py "$@"
