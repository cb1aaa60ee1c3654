#!/usr/bin/env bash
# Runs the conformance cases against one implementation, as a job of continuous integration.
#
#   bash docs/ci/conformance.sh TESTEE FOLDER [OLD.json]
#
# TESTEE  a name of conformance/testees.json, or the command that starts a testee
# FOLDER  for what it writes: conformance.json, .xml (JUnit), .md, badge.png; with OLD changes.md and .json
# OLD     conformance.json of a run before; where it does not exist yet, nothing is compared
#
# LOCKSTEP_RUN_OPTIONS  more options of //conformance:run, words: '--level=required --jobs=4'
#
# Exit status: 0 as its list of deviations says and nothing got worse; 1 something else, or a regression; 2 it could
# not run. What is written by then stays.
set -uo pipefail
[ $# -ge 2 ] && [ $# -le 3 ] || { sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$0" >&2; exit 2; }
testee=$1 folder=$2 old=${3:-}

mkdir -p "$folder" || exit 2
folder=$(cd "$folder" && pwd) || exit 2
[ -z "$old" ] || old=$(realpath -m -- "$old")
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 2

# The worst of all exit statuses.
worst=0
job() {
  echo "== $*"
  "$@"
  local status=$?
  [ "$status" -le "$worst" ] || worst=$status
}

# shellcheck disable=SC2086  # one word an option
job ./bazelw run //conformance:run -- --testee="$testee" ${LOCKSTEP_RUN_OPTIONS:-} \
  --json="$folder/conformance.json" --junit="$folder/conformance.xml" --markdown="$folder/conformance.md"
[ "$worst" -lt 2 ] || exit "$worst"
job ./bazelw run //reports:conformance_matrix -- "$folder/conformance.json" --png="$folder/badge.png"
if [ -n "$old" ] && [ -e "$old" ]; then
  job ./bazelw run //conformance:compare -- "$old" "$folder/conformance.json" \
    --markdown="$folder/changes.md" --json="$folder/changes.json"
elif [ -n "$old" ]; then
  echo "There is no $old yet: nothing to compare with. Keep this run's conformance.json there."
fi
exit "$worst"
