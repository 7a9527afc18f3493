#!/usr/bin/env bash
# Every check of the repository, with the Python environment that is active
# (`pip install -e '.[test]'`), by part:
#
#   bash tests/run.sh             all parts
#   bash tests/run.sh go python   some of them
#
# A new part is a function part_NAME and its name in `parts`. Parts that need
# what is not there say so and are skipped; a part that fails does not keep the
# others from running.
set -uo pipefail
cd "$(dirname "$0")/.."

parts=(format generated vet static go race python-lint python-types python isolation backends frameworks corpora second programs runs amplify fuzz package)

# --- parts ---

part_format() {
  local bad
  bad=$(git ls-files '*.go' | xargs gofmt -l)
  [ -z "$bad" ] || { echo "gofmt would change:"; echo "$bad"; return 1; }
}

part_generated() { go run ./capi/internal/wire/gen -check && go run ./state/internal/codec/gen -check && go run ./state/internal/numbers/gen -check; }

part_vet() { go vet ./...; }

part_static() { go run honnef.co/go/tools/cmd/staticcheck@v0.8.2 ./...; }

part_go() { go test ./...; }

# The race detector on what forks share, where a C compiler can link it.
part_race() {
  case $CC in *zig*) skip "the race detector needs gcc or clang" ; return ;; esac
  local packages
  packages=$(go list ./vfs/... ./core/shell/... ./capi/... 2>/dev/null)
  [ -n "$packages" ] || { skip "no such packages"; return; }
  # shellcheck disable=SC2086
  go test -race -short $packages
}

part_python-lint() { python -m ruff check python tests examples _backend setup.py; }

part_python-types() { python -m mypy; }

part_python() { python -m pytest --ignore-glob='*/test_backend*.py' --ignore-glob='*/test_kills_store.py' --ignore-glob='*/test_frameworks*.py'; }

# The same interface where the core is in a process of its own.
part_isolation() {
  python -m pytest --isolation=process tests/test_{commands,files,runs,snapshots,tools,sandbox,states,merge}.py
}

# Where stores keep their bytes, against real servers where they are installed (pip install -e '.[servers]').
# The long form: tests/kills_backends.py, 1,000 kills of each kind.
part_backends() { python -m pytest -rs tests/test_backend*.py tests/test_kills_store.py; }

# With Ray, LangGraph and DBOS, where they are installed (pip install -e '.[frameworks]').
# The long form: python tests/bench/bench_ray.py --forks 10000.
part_frameworks() { python -m pytest -rs tests/test_frameworks*.py; }

# Scripts recorded from bash and the GNU tools; the floor is what passed before.
part_corpora() {
  [ -f tests/corpora.py ] || { skip "no tests/corpora.py"; return; }
  python tests/corpora.py
}

# Recorded cases that are not part of the repository, where they are.
part_second() { python tests/second.py; }

# Programs and their own tests, by our bash and by the machine's, where they are: the short ones.
part_programs() {
  command -v unshare >/dev/null && [ "$EUID" = 0 ] || { skip "a place like a sandbox takes namespaces: root on Linux"; return; }
  python tests/programs.py --only pure-bash-bible --only events --only shunit2 --only todo.txt-cli --only getoptions --check
}

# A minute of generated scripts, moved between two processes while they run. The
# long forms: tests/fuzz_runs.py (30 minutes), tests/moved.py, tests/moved.py --every, tests/kills.py.
part_runs() { python tests/fuzz_runs.py --minutes 1 --seed "$(seed)"; }

# A number for the sources as they are committed: each change is tried with other
# scripts, and a change that is tried again gets the same ones and the same answer.
seed() { echo $((16#$(git rev-parse HEAD^{tree} | cut -c1-8))); }

# A minute of small scripts that could cost much. What it finds fails. The long forms:
# tests/amplify.py --minutes 60, and with --mutate; tests/resources.py, tests/nesting.py, tests/interrupts.py, tests/hostile_blobs.py.
part_amplify() { python tests/amplify.py --minutes 1 --seed "$(seed)"; }

# A minute of fuzzing in all, shared by every fuzz target.
part_fuzz() {
  local targets seconds status=0
  targets=$(git ls-files '*_test.go' | xargs grep -HoE '^func Fuzz[A-Za-z0-9_]+' /dev/null | sed -E 's/func //')
  [ -n "$targets" ] || { skip "no fuzz target"; return; }
  seconds=$((60 / $(wc -l <<<"$targets")))
  [ "$seconds" -ge 1 ] || seconds=1
  while IFS=: read -r file name; do
    fuzz_target "./$(dirname "$file")" "$name" "${seconds}s" || status=1
  done <<<"$targets"
  return $status
}

# Fuzzes one target. Before Go 1.27 the end of -fuzztime itself is at times reported
# as a failure (golang/go#75804): one line, and no input. That is tried again, twice.
fuzz_target() {
  local output status try
  for try in 1 2 3; do
    output=$(go test "$1" -run '^$' -fuzz "^$2\$" -fuzztime "$3" 2>&1)
    status=$?
    printf '%s\n' "$output"
    [ $status -ne 0 ] && only_deadline "$output" || return $status
    echo "try $try: the end of the time was taken for a failure"
  done
  return $status
}

# Whether what a failed fuzzing run printed under its target is the deadline alone.
only_deadline() {
  [ "$(sed -n '/^--- FAIL: /,/^FAIL$/p' <<<"$1" | sed '1d;$d')" = "    context deadline exceeded" ]
}

# The sdist builds without a network, and what it builds works.
part_package() {
  local dir
  dir=$(mktemp -d) || return 1
  trap 'rm -rf "$dir"' RETURN
  python -c "import sys; sys.path.insert(0, '_backend'); import backend; backend.build_sdist('$dir')" >/dev/null &&
    GOPROXY=off GOFLAGS=-mod=vendor python -m pip install -q --no-index --no-deps --no-build-isolation --target "$dir/site" "$dir"/eryxsh-*.tar.gz &&
    python tests/packaged.py "$dir"/eryxsh-*.tar.gz "$dir/site" &&
    (cd "$dir" && PYTHONPATH=$dir/site python -W error -c "
import eryxsh._wire as wire
assert wire.__file__.startswith('$dir'), wire.__file__
assert wire.system_ping(b'pong') == b'pong'")
}

# --- running them ---

skip() { echo "skipped: $*"; }

settings=$(python _backend/toolchain.py env) || exit 1
eval "$settings"

failed=()
total=$SECONDS
for part in "${@:-${parts[@]}}"; do
  declare -F "part_$part" >/dev/null || { echo "no part is called $part: ${parts[*]}"; exit 2; }
  echo "== $part"
  started=$SECONDS
  "part_$part" || failed+=("$part")
  echo "== $part: $((SECONDS - started)) s"
done
echo "== total: $((SECONDS - total)) s"
[ ${#failed[@]} -eq 0 ] || { echo "failed: ${failed[*]}"; exit 1; }
