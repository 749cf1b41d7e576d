#!/usr/bin/env bash
# Honest trials: the oracle does the Google Workspace task in a sandbox, then it
# and the three recorded runs do Operation Nightshift, and graders say what each
# was worth. Each run of this has directories of its own.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# The same artefacts that the tests use.
cargo build --workspace --bins
# What grades tasks in Python: unpacked in a second, and here for what comes after.
tools/python.sh

run=1
while [[ -e out/demo-$run || -e out/demo-$run-nightshift ]]; do run=$((run + 1)); done
target/debug/proctor run tasks/gws-task-management --agent oracle --out "out/demo-$run"

printf '\n'
agents=(--agent oracle)
for number in 0 1 2; do
    agents+=(--agent "run-$number=scripted:tests/nightshift/run$number.yaml")
done
exec target/debug/proctor run tasks/nightshift "${agents[@]}" --attempts 1 --out "out/demo-$run-nightshift"
