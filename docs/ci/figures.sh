#!/usr/bin/env bash
# The documents' programs on the full data, as a nightly job: do they reach the documents' figures?
#
#   bash docs/ci/figures.sh FOLDER
#
# FOLDER  for what it writes: figures.json, each figure beside what was observed
#
# Exit status: 0 all are within their bounds; 1 one is not; 2 it could not run.
set -uo pipefail
[ $# -eq 1 ] || { sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$0" >&2; exit 2; }
mkdir -p "$1" || exit 2
folder=$(cd "$1" && pwd) || exit 2
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 2

./bazelw run //image_datasets:fetch || exit 2
./bazelw run //examples:documented_figures -- --json="$folder/figures.json"
