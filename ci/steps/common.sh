# What the steps of a pipeline share; the others source it. Everything is said
# by variables, so that GitHub, GitLab, Jenkins and Kubernetes use the same steps:
#
#   OPENDESK_PROJECT   the project's folder (.)
#   OPENDESK_SUITE     the suite (learn-regression)
#   OPENDESK_RESULTS   where results go (opendesk-results)
#   OPENDESK_SHARD     I/N: run this part only; empty for everything
#   OPENDESK_FAIL_ON   what makes a run or a merged run red (new-failures)
#   OPENDESK_HISTORY   the history, carried from run to run (opendesk-history.db)
#   OPENDESK_JUNIT     one more JUnit file, whose attachments are named from where it is
#   OPENDESK_FLAGS     more flags of eval run, separated by white space
#
# Outputs are lines NAME=VALUE in the file that GITHUB_OUTPUT names.
set -uo pipefail

project=${OPENDESK_PROJECT:-.}
suite=${OPENDESK_SUITE:-learn-regression}
results=${OPENDESK_RESULTS:-opendesk-results}
shard=${OPENDESK_SHARD:-}
fail_on=${OPENDESK_FAIL_ON-new-failures}
history=${OPENDESK_HISTORY:-opendesk-history.db}
durations=$results/plan/durations.json
read -r -a flags <<<"${OPENDESK_FLAGS:-}"

output() { # NAME VALUE: an output of the step
  printf '%s=%s\n' "$1" "$2" >>"${GITHUB_OUTPUT:-/dev/null}"
}

summary() { # adds standard input to the summary of the job
  cat >>"${GITHUB_STEP_SUMMARY:-/dev/null}"
}

# Takes the history over that an earlier pipeline has left, if any.
import_history() {
  [[ ! -s $history ]] || opendesk eval import "$history" --project "$project" ||
    echo "the history $history cannot be read: this run begins a new one" >&2
}

# How a run or a merged run is reported, and what makes it red.
report_flags() {
  [[ -z $fail_on ]] || printf '%s\n' --fail-on "$fail_on"
  [[ -z ${GITHUB_STEP_SUMMARY:-} ]] || printf '%s\n' --reporter github
  [[ -z ${OPENDESK_JUNIT:-} ]] || printf '%s\n' --reporter "junit:$OPENDESK_JUNIT"
}

# Says what is new in a run that is in the history now: comparison.md and, where
# there is news, issue.md in its folder; then hands the history on.
conclude() { # DIR EXIT-CODE
  local dir=$1 code=$2 news
  output exit-code "$code"
  output directory "$dir"
  output upload "$dir"
  if [[ ! -f $dir/results.json ]]; then
    printf '## ❌ opendesk left no results\n\nIt ended with exit code %s; the log of this step says why.\n' "$code" | summary
    output news false
    return
  fi
  opendesk eval compare "$dir" --project "$project" --format markdown --fail-on new-failures,drift,slow >"$dir/comparison.md"
  case $? in
    0) news=false ;;
    1) news=true ;;
    *) news=false && echo "what is new is not known" >&2 ;;
  esac
  { echo && cat "$dir/comparison.md"; } | summary
  output news "$news"
  output headline "$(sed -n 's/^  "news": "\(.*\)",\{0,1\}$/\1/p' "$dir/results.json")"
  if $news; then
    head -c 65000 "$dir/comparison.md" >"$dir/issue.md" # an issue takes 65,536 characters
    [[ -z ${GITHUB_RUN_ID:-} ]] ||
      printf '\nThe run, with screenshots: %s/%s/actions/runs/%s\n' "$GITHUB_SERVER_URL" "$GITHUB_REPOSITORY" "$GITHUB_RUN_ID" >>"$dir/issue.md"
    output issue "$dir/issue.md"
  fi
  opendesk eval export "$history" --project "$project" || echo "the history was not handed on" >&2
}
