#!/usr/bin/env bash
# Keeps the stored answers fresh, as a nightly job: runs the missing and outdated cases of each framework.
#
#   bash docs/ci/answers.sh FOLDER [TESTEE...]
#
# FOLDER  for what it writes: answers.patch, the change of conformance/answers and of what the README shows of them;
#         stale.txt, what was stale and why; matrix.html, the page of all cases
# TESTEE  names of conformance/testees.json; without one all frameworks
#
# Exit status: 0 all frameworks ran; 2 one could not run, the others' answers are in the patch.
set -uo pipefail
[ $# -ge 1 ] || { sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$0" >&2; exit 2; }
folder=$1
shift

mkdir -p "$folder" || exit 2
folder=$(cd "$folder" && pwd) || exit 2
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 2

./bazelw run //conformance:ask -- --list "$@" | tee "$folder/stale.txt" || exit 2
status=0
./bazelw run //conformance:ask -- "$@" || status=2
./bazelw run //conformance:summary || status=2
./bazelw build //conformance:matrix && cp -f bazel-bin/conformance/matrix.html "$folder/" || status=2
git add --intent-to-add conformance/answers
git diff -- conformance/answers README.md docs/conformance.png --binary > "$folder/answers.patch" || status=2
exit "$status"
