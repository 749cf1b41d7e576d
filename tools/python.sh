#!/usr/bin/env bash
# Builds the Python grader, the component that runs graders written in Python:
#
#   tools/python.sh               target/proctor-python.wasm, unless it is there:
#                                 unpacks the kept build, or builds where that is
#                                 not the locked one
#   tools/python.sh --check       builds it twice, far apart, and compares
#   tools/python.sh --lock        builds it, keeps it, and locks it
#
# The component must be the one of graders/python/python.lock, which is compiled
# into the runner; --lock writes that file anew. Only a build needs what
# tools/setup.sh python installs.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

root=$PWD
readonly root lock=$root/graders/python/python.lock component=$root/target/proctor-python.wasm
readonly venv=$root/.tools/python-grader kept=$root/graders/python/python.wasm.xz

say() { printf 'python: %s\n' "$*" >&2; }
die() { printf 'python: error: %s\n' "$*" >&2; exit 1; }

digest() { sha256sum "$1" | cut -d' ' -f1; }
locked() { sed -n 's/^sha256 = "\(.*\)"$/\1/p' "$lock"; }
is_locked() { [[ -f $1 && $(digest "$1") == "$(locked)" ]]; }

# build DIRECTORY OUTPUT: everything that could differ from one build to the
# next is fixed here or by still.c. One worker, because each thread of the builder
# draws randomness of its own, and which one runs what depends on the load.
build() {
    local work=$1 output=$2 packages
    [[ -x $venv/bin/componentize-py ]] || die "run tools/setup.sh python first"
    [[ $(uname -m) == x86_64 ]] || die "this build needs an x86_64 machine; copy the component of one
    to $component: it runs on every machine, and the runner checks its digest"
    packages=$("$venv/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
    mkdir -p "$work"/{app/yaml,app/warmup,wit,tmp,empty/lib/site-packages}
    cp graders/python/app/*.py "$work/app/"
    cp graders/python/app/warmup/* "$work/app/warmup/"
    cp "$packages"/yaml/*.py "$work/app/yaml/"
    # Without its comments: they would become documentation inside the snapshot.
    sed '/^ *\/\/\//d' grader-sdk/wit/grader.wit >"$work/wit/grader.wit"
    sed '/^ *\/\/\//d' graders/python/wit/python.wit >"$work/wit/python.wit"
    cc -O2 -Wall -Wextra -Werror -shared -fPIC -o "$work/still.so" graders/python/still.c
    # The builder would look for a Python of this machine; it finds an empty one.
    (cd "$work" && env -i PATH=/nonexistent HOME="$work" TMPDIR="$work/tmp" LC_ALL=C.UTF-8 \
        VIRTUAL_ENV="$work/empty" TOKIO_WORKER_THREADS=1 PYTHONHASHSEED=0 PYTHONDONTWRITEBYTECODE=1 LD_PRELOAD="$work/still.so" \
        "$venv/bin/python" "$venv/bin/componentize-py" --quiet --wit-path wit --world python \
        componentize app --python-path app --output "$output")
}

main() {
    local work
    mkdir -p target
    work=$(mktemp -d -p "$root/target")
    # shellcheck disable=SC2064 # the directory of now
    trap "rm -rf '$work'" EXIT
    case ${1:-} in
        --check)
            build "$work/a" "$work/a.wasm"
            build "$work/somewhere/quite/else" "$work/b.wasm"
            cmp "$work/a.wasm" "$work/b.wasm" || die 'two builds differ'
            is_locked "$work/a.wasm" || die "the build is not the one of $lock"
            say "two builds are the same, and the locked one: $(locked)"
            ;;
        --lock)
            build "$work/a" "$work/a.wasm"
            write_lock "$work/a.wasm"
            python3 -c 'import lzma, sys
with open(sys.argv[1], "rb") as wasm, lzma.open(sys.argv[2], "wb", preset=9) as kept:
    kept.write(wasm.read())' "$work/a.wasm" "$kept"
            mv "$work/a.wasm" "$component"
            say "locked $(locked)"
            ;;
        '')
            is_locked "$component" && return
            unpack "$work/kept.wasm" && is_locked "$work/kept.wasm" && {
                mv "$work/kept.wasm" "$component"
                return
            }
            say 'building the Python grader; this takes half a minute, once'
            build "$work/a" "$work/a.wasm"
            is_locked "$work/a.wasm" || die "the build is $(digest "$work/a.wasm") and not $(locked),
    which graders/python/python.lock says. After a change of graders/python or of
    grader-sdk/wit: tools/python.sh --lock, and review the difference."
            mv "$work/a.wasm" "$component"
            ;;
        *) die 'usage: tools/python.sh [--lock | --check]' ;;
    esac
}

# unpack OUTPUT: the component that is kept in the repository. Its digest decides.
unpack() {
    [[ -f $kept ]] && python3 -c 'import lzma, shutil, sys
with lzma.open(sys.argv[1]) as kept, open(sys.argv[2], "wb") as wasm:
    shutil.copyfileobj(kept, wasm)' "$kept" "$1"
}

write_lock() {
    cat >"$lock" <<EOF
# Written by \`tools/python.sh --lock\`; compiled into the runner, which runs this
# component as its Python and no other.
sha256 = "$(digest "$1")"
bytes = $(stat -c %s "$1")
componentize-py = "$(pinned componentize-py)"
pyyaml = "$(pinned pyyaml)"
EOF
}

pinned() { sed -n "s/^$1==\([^ ]*\).*/\1/p" graders/python/requirements.txt; }

main "$@"
