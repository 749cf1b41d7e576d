#!/usr/bin/env bash
# Every test of both workspaces. The first failing stage ends it; the last one,
# and the last line, is the test runner's own summary.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

stage() { printf '\n== %s\n' "$*" >&2; }

stage 'formatting'
cargo fmt --all --check
cargo fmt --all --check --manifest-path graders/Cargo.toml

# The end-to-end tests start the programs themselves. Building them together
# with the tests gives both the same dependencies.
stage 'build'
cargo build --workspace --bins --tests --locked

stage 'the Python grader'
tools/python.sh

stage 'agent programs'
PROCTOR_TEST_AGENTS=$(tools/agents.sh)
export PROCTOR_TEST_AGENTS

stage 'graders, natively'
cargo test --manifest-path graders/Cargo.toml --workspace --locked --quiet

stage 'tasks are what was locked'
target/debug/proctor verify tasks

stage 'examples in the documentation'
cargo test --workspace --doc --locked --quiet

stage 'tests'
exec cargo nextest run --workspace --locked --no-fail-fast
