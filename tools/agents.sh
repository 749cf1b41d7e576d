#!/usr/bin/env bash
# Installs the agent programs that the tests play (about 2 GB, once) into the
# tests' cache, with the Proctor that was built before:
#
#   tools/agents.sh        prints the names of those that are there
#
# One that its registry does not give is skipped: its test says SKIPPED, and this
# counts it. The tests fail for one that is listed here and cannot be played.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly agents=(claude-code codex gemini-cli opencode openclaw pi)
export XDG_CACHE_HOME=$PWD/target/test-cache
export PATH=$PWD/.tools/bin:$PATH

say() { printf 'agents: %s\n' "$*" >&2; }

there=() skipped=()
log=$(mktemp)
trap 'rm -f "$log"' EXIT
for agent in "${agents[@]}"; do
    if compgen -G "$XDG_CACHE_HOME/proctor/agents/$agent/*/node_modules" >/dev/null ||
        timeout 600 target/debug/proctor agent install "$agent" >"$log" 2>&1; then
        there+=("$agent")
    else
        skipped+=("$agent")
        say "$agent cannot be installed:"
        tail -n 5 "$log" >&2
    fi
done
say "${#there[@]} of ${#agents[@]} are installed"
(( ${#skipped[@]} == 0 )) || say "SKIPPED ${#skipped[@]}: ${skipped[*]}"
echo "${there[*]}"
