#!/usr/bin/env bash
# Runs the suite, or one shard of it. The step itself succeeds when there are
# results, whatever the verdict: verdict.sh makes it red. A shard is neither
# compared nor reported; merge.sh does that for all of them.
. "$(dirname "$0")/common.sh"

if [[ -n $shard ]]; then
  dir=$results/shards/${shard%/*}
  output artifact "opendesk-shard-${shard%/*}"
  output upload "$results/shards" # so that what is in it are the shards' folders
  if [[ -f $dir/events.ndjson ]]; then # a machine that was lost has left it: this is the next try
    mkdir -p "$results/lost" && mv -- "$dir" "$(mktemp -d "$results/lost/XXXXXX")/" || exit
  fi
  [[ ! -f $durations ]] || flags+=(--durations "$durations")
  opendesk eval run "$suite" --project "$project" --output "$dir" --shard "$shard" \
    --no-history --pass-with-no-programs "${flags[@]}"
  code=$?
  output exit-code "$code"
  output directory "$dir"
else
  dir=$results/run
  output artifact opendesk-run
  import_history
  mapfile -t report < <(report_flags)
  opendesk eval run "$suite" --project "$project" --output "$dir" "${report[@]}" "${flags[@]}"
  code=$?
  conclude "$dir" "$code"
fi
[[ -f $dir/results.json ]] || exit $((code > 0 ? code : 3))
