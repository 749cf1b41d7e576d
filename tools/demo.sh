#!/usr/bin/env bash
# One honest trial: the oracle does the Google Workspace task in a sandbox, and
# a grader says what it was worth. Each run has a directory of its own.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# The same artefacts that the tests use.
cargo build --workspace --bins

run=1
while [[ -e out/demo-$run ]]; do run=$((run + 1)); done
exec target/debug/proctor run tasks/gws-task-management --agent oracle --out "out/demo-$run"
