#!/usr/bin/env bash
# Waits until all shards have left results, for engines whose jobs do not wait
# for each other. When the time is up it goes on: the merge says what is missing.
#
#   OPENDESK_SHARDS   how many there are
#   OPENDESK_WAIT     seconds to wait at most (21600)
. "$(dirname "$0")/common.sh"

shards=${OPENDESK_SHARDS:?how many shards are there}
until=$((SECONDS + ${OPENDESK_WAIT:-21600}))
missing() {
  local i
  for ((i = 1; i <= shards; i++)); do
    [[ -f $results/shards/$i/results.json ]] || printf ' %s' "$i"
  done
}
while left=$(missing) && [[ -n $left ]]; do
  if ((SECONDS >= until)); then
    echo "no results of the shards:$left" >&2
    break
  fi
  sleep 5
done
