#!/usr/bin/env bash
# Runs every fuzz target for FUZZTIME (10s), FUZZJOBS (2) of them at a time.
# FUZZ, a regular expression, selects by "folder:name". What a target finds is
# written below testdata/fuzz next to it, and is to be kept.
set -euo pipefail
cd "$(dirname "$0")/.."
export FUZZTIME=${FUZZTIME:-10s}

fuzz() { # FOLDER:NAME
  local folder=${1%%:*} name=${1##*:} out start=$SECONDS attempt
  for attempt in 1 2 3; do
    if out=$(go test "./$folder" -run '^$' -fuzz "^$name\$" -fuzztime "$FUZZTIME" -fuzzminimizetime 1s -parallel 1 -timeout 0 2>&1 </dev/null); then
      printf 'ok    %-45s %s\n' "$1" "$(grep -oE 'execs: [0-9]+' <<<"$out" | tail -n 1)"
      return
    fi
    # The end of the time is now and then taken for a failure, with nothing but
    # these words: go.dev/issue/75804, mended in Go 1.27.
    [[ $(sed -n '/^--- FAIL/,/^FAIL$/p' <<<"$out" | sed '1d;$d') == '    context deadline exceeded' ]] || break
  done
  printf 'FAIL  %s after %d s\n%s\n' "$1" $((SECONDS - start)) "$out"
  return 1
}
export -f fuzz

git grep --untracked -o -E '^func Fuzz[A-Za-z0-9_]+' -- '*_test.go' |
  sed -E 's|^(.*)/[^/]+:func (.*)$|\1:\2|' | grep -E "${FUZZ:-.}" | sort |
  xargs -P "${FUZZJOBS:-2}" -I {} bash -c 'fuzz {}'
