#!/usr/bin/env bash
# The performance gate of a pull request, as a job of continuous integration: the checkout against another commit.
#
#   bash docs/ci/gate.sh COMMIT FOLDER [OPTION of //benchmarks:gate ...]
#
# COMMIT  what to compare with: the target branch, or HEAD~1
# FOLDER  for what it writes: gate.md (a comment), gate.html, gate.json, recordings.json (to judge again)
#
# Exit status: 0 fine; 1 a regression; 2 it could not run; 3 undecided (a machine too busy): most let it pass, as
# docs/ci.md shows.
set -uo pipefail
[ $# -ge 2 ] || { sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$0" >&2; exit 2; }
commit=$1 folder=$2
shift 2

mkdir -p "$folder" || exit 2
folder=$(cd "$folder" && pwd) || exit 2
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 2
exec ./bazelw run //benchmarks:gate -- --baseline="$commit" "$@" --record="$folder/recordings.json" \
  --json="$folder/gate.json" --markdown="$folder/gate.md" --html="$folder/gate.html"
