#!/usr/bin/env bash
# Makes one run of the shards, compares it with the history, and reports it. The
# step itself succeeds when there are results: verdict.sh makes it red. Where a
# shard is missing nothing is merged, and the step fails. With --verdict it ends
# as the run did, for engines without a step of their own for that.
. "$(dirname "$0")/common.sh"

dir=$results/merged
output artifact opendesk-merged
import_history
mapfile -t report < <(report_flags)
opendesk eval merge "$results"/shards/* --project "$project" -o "$dir" "${report[@]}"
code=$?
conclude "$dir" "$code"
[[ -f $dir/results.json ]] || exit $((code > 0 ? code : 3))
[[ ${1:-} != --verdict ]] || OPENDESK_EXIT_CODE=$code exec "$(dirname "$0")/verdict.sh"
