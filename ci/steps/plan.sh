#!/usr/bin/env bash
# Decides how many shards there are, and writes how long programs take for them.
# Outputs: count, and shards as a JSON list for a matrix.
#
#   OPENDESK_PER_SHARD    programs in a shard, about (50)
#   OPENDESK_MAX_SHARDS   shards at most (10)
. "$(dirname "$0")/common.sh"

per=${OPENDESK_PER_SHARD:-50} most=${OPENDESK_MAX_SHARDS:-10}
for number in "$per" "$most"; do
  [[ $number =~ ^[1-9][0-9]{0,5}$ ]] || {
    echo "plan: OPENDESK_PER_SHARD and OPENDESK_MAX_SHARDS are whole numbers from 1 to 999999, not '$number'" >&2
    exit 2
  }
done
programs=$(opendesk eval list "$suite" --project "$project")
code=$?
programs=$(grep -cE '\.program\.json( |$)' <<<"$programs")
[[ $code -eq 0 || $programs -gt 0 ]] || exit $code # invalid ones are for the shards to report
count=$(((programs + per - 1) / per))
count=$((count > most ? most : count < 1 ? 1 : count))

output artifact opendesk-plan
output upload "$results/plan"
mkdir -p "$results/plan" || exit
import_history
opendesk eval durations --project "$project" >"$durations" 2>/dev/null || rm -f -- "$durations"
echo "$count" >"$results/plan/count"

echo "$programs programs in $count shards"
output count "$count"
output shards "[$(seq -s, "$count")]"
