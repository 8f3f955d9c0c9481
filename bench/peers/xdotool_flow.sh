#!/bin/bash
# One flow by xdotool alone: waits for the window, sends the keys, looks at
# nothing.
#
#   xdotool_flow.sh calc|note|qt
set -euo pipefail

milliseconds() { local now=${EPOCHREALTIME/./}; echo $((now / 1000)); }

began=$(milliseconds)
case $1 in
  calc) command=gnome-calculator ;;
  note) command=mousepad ;;
  qt) command=kcalc ;;
esac
$command >/dev/null 2>&1 &
xdotool search --sync --onlyvisible --class "$command" windowactivate --sync >/dev/null
opened=$(milliseconds)
case $1 in
  calc) xdotool key 1 plus 2 Return ;;
  note)
    xdotool type "Dear reader"
    xdotool key alt+f a
    xdotool key Escape
    ;;
  qt) xdotool key 4 2 ;;
esac
ended=$(milliseconds)
echo "{\"start_ms\": $((opened - began)), \"actions_ms\": [$((ended - opened))], \"flow_ms\": $((ended - began))}"
