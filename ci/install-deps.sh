#!/usr/bin/env bash
# Installs what opendesk needs on Debian 12 or Ubuntu, if anything is missing.
#
#   ci/install-deps.sh [--check] [runtime] [build] [test] [toolkits] [bench]
#
# The groups (the first three unless some are named):
#   runtime   what running programs on a virtual display needs
#   build     what building the whole binary needs (Go itself excepted)
#   test      the applications that the fixtures drive, and test tools
#   toolkits  the applications and tools of `make test-full`: about 1 GB
#   bench     what `make bench` compares with
#
# --check installs nothing: it prints the command and fails if something is
# missing. The same happens where neither root nor password-free sudo is there.
set -euo pipefail

# The last three are what the binary is linked with and no other package here brings.
runtime=(xvfb openbox dbus at-spi2-core bubblewrap tesseract-ocr tesseract-ocr-eng fonts-dejavu-core
  libx11-6 libxtst6 libxkbcommon0)
build=(gcc g++ libc6-dev make git ca-certificates pkg-config
  libx11-dev libxtst-dev libxinerama-dev libxkbcommon-dev libxkbcommon-x11-dev libx11-xcb-dev libpng-dev
  libtesseract-dev libleptonica-dev)
test=(procps python3 python3-gi gir1.2-gtk-3.0 librsvg2-common xterm mousepad gnome-calculator kcalc zenity
  gnome-text-editor gedit pcmanfm gtk2.0-examples libatk-adaptor libgail-common gir1.2-gtk-4.0 python3-pyqt5 python3-pyqt6
  xclip xdotool x11-utils x11-xkb-utils locales apparmor chromium nodejs npm ffmpeg libxml2-utils strace util-linux poppler-utils)
bench=(python3-dogtail python3-pyatspi xdotool tesseract-ocr)
toolkits=(libreoffice-calc libreoffice-gtk3 openjdk-17-jre libatk-wrapper-java debootstrap x11vnc)

fail() {
  printf '%s\n' "$@" >&2
  exit 1
}

check_only=false
wanted=()
for argument in "$@"; do
  case $argument in
    --check) check_only=true ;;
    runtime) wanted+=("${runtime[@]}") ;;
    build) wanted+=("${build[@]}") ;;
    test) wanted+=("${test[@]}") ;;
    toolkits) wanted+=("${toolkits[@]}") ;;
    bench) wanted+=("${bench[@]}") ;;
    -h | --help) sed -n '2,/^set/{/^set/!s/^# \{0,1\}//p}' "$0"; exit 0 ;;
    *) fail "install-deps: unknown argument '$argument' (see --help)" ;;
  esac
done
[[ ${#wanted[@]} -gt 0 ]] || wanted=("${runtime[@]}" "${build[@]}" "${test[@]}")

command -v dpkg-query >/dev/null && command -v apt-get >/dev/null ||
  fail "install-deps: this is no Debian or Ubuntu; install the counterparts of: ${wanted[*]}"

# The names of installed packages, and the names that they provide.
installed=$(dpkg-query -W -f '${db:Status-Status}\t${Package}, ${Provides}\n' |
  awk -F'\t' '$1 == "installed" { n = split($2, names, /, */); for (i = 1; i <= n; i++) { sub(/ .*/, "", names[i]); print names[i] } }')
missing=()
for package in "${wanted[@]}"; do
  grep -qxF -- "$package" <<<"$installed" || missing+=("$package")
done
if [[ ${#missing[@]} -eq 0 ]]; then
  echo "install-deps: nothing is missing"
  exit 0
fi

as_root=()
if [[ $(id -u) -ne 0 ]]; then
  as_root=(sudo -n)
fi
if $check_only || ! "${as_root[@]}" true 2>/dev/null; then
  fail "install-deps: missing: ${missing[*]}" "install them with:" \
    "  sudo apt-get update && sudo apt-get install -y --no-install-recommends ${missing[*]}"
fi

echo "install-deps: installing ${missing[*]}"
apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300)
"${apt[@]}" update -qq </dev/null
"${apt[@]}" install -y -qq --no-install-recommends "${missing[@]}" </dev/null
