#!/usr/bin/env bash
# The README's two commands in bare Debian systems, as a nightly job: does a fresh machine need nothing else?
#
#   bash docs/ci/systems.sh FOLDER [SUITE...]
#
# FOLDER  for what it writes: SUITE.log, all output; systems.txt, a line for each system: versions, seconds, result
# SUITE   of Debian: bookworm (12), trixie (13); both by default
#
# Each system has git and ca-certificates, and a clone of this checkout's HEAD. Needs root, debootstrap, a network and
# 12 GB for each system. Exit status: 0 both commands pass on all; 1 not; 2 a system could not be made.
set -uo pipefail
[ $# -ge 1 ] || { sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$0" >&2; exit 2; }
mkdir -p "$1" || exit 2
folder=$(cd "$1" && pwd) || exit 2
shift
[ $# -ge 1 ] || set -- bookworm trixie
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 2
# shellcheck source=packaging/bare_system.sh
. packaging/bare_system.sh

there() { in_bare_system bash -c "cd lockstep && $1"; }

# Runs a command there and prints how long it took: "412 s".
timed() {
  local start=$SECONDS status
  there "$1" >>"$log" 2>&1
  status=$?
  echo "$((SECONDS - start)) s"
  return "$status"
}

try_system() {
  local training tests status=0
  git clone --quiet . "$bare/lockstep" || return 2
  training=$(timed "./bazelw run //benchmarks:scaling") || status=1
  tests=$(timed "./bazelw test //...") || status=1
  there "./bazelw shutdown" >>"$log" 2>&1
  printf 'Debian %s, %s, oneDNN %s: training %s, tests %s: %s, %s\n' "$(cat "$bare/etc/debian_version")" \
    "$(there 'g++ --version' | head -n 1)" "$(there "dpkg-query -W -f='\${Version}' libdnnl-dev")" "$training" \
    "$tests" "$(grep -E '^[0-9]+ passed, [0-9]+ failed$' "$log" | tail -n 1)" "$([ "$status" -eq 0 ] && echo ok || echo FAILED)"
  return "$status"
}

result=0
: >"$folder/systems.txt"
for suite; do
  log=$folder/$suite.log
  make_bare_system "$suite" git ca-certificates || exit 2
  try_system | tee -a "$folder/systems.txt"
  status=${PIPESTATUS[0]}
  [ "$status" -ne 2 ] || exit 2
  [ "$status" -eq 0 ] || { result=1; tail -n 40 "$log"; }
done
exit "$result"
