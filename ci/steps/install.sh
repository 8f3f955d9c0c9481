#!/usr/bin/env bash
# Installs opendesk on Debian or Ubuntu: what it needs at run time, the AppArmor
# profile where the kernel keeps bwrap from user namespaces, and the command. It
# is built from these sources unless OPENDESK_BINARY names one that is built.
#
#   OPENDESK_USERNS_FILE   what says whether the kernel does (its file in /proc)
#   OPENDESK_BIN   the folder that the command goes to (RUNNER_TEMP/opendesk-bin)
set -euo pipefail
ci=$(cd "$(dirname "$0")/.." && pwd)
bin=${OPENDESK_BIN:-${RUNNER_TEMP:-${TMPDIR:-/tmp}}/opendesk-bin}
mkdir -p "$bin"

if [[ -n ${OPENDESK_BINARY:-} ]]; then
  "$ci/install-deps.sh" runtime
  install -m 755 "$OPENDESK_BINARY" "$bin/opendesk"
else
  "$ci/install-deps.sh" runtime build
  make -C "$ci/.." --no-print-directory build
  install -m 755 "$ci/../bin/opendesk" "$bin/opendesk"
fi
[[ -z ${GITHUB_PATH:-} ]] || echo "$bin" >>"$GITHUB_PATH"

restricted=${OPENDESK_USERNS_FILE:-/proc/sys/kernel/apparmor_restrict_unprivileged_userns}
if [[ $(cat "$restricted" 2>/dev/null) == 1 ]]; then
  as_root=()
  [[ $(id -u) -eq 0 ]] || as_root=(sudo -n)
  "${as_root[@]}" apparmor_parser -r -W "$ci/apparmor/opendesk-bwrap"
fi
"$bin/opendesk" version
"$bin/opendesk" doctor || echo "opendesk doctor found something: see above" >&2
