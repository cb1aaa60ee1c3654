#!/usr/bin/env bash
# Installs a wheel in a bare Debian, with Python and nothing else, and uses it there.
#
#   bash packaging/try_wheel.sh results/wheel/lockstep_suite-*.whl            Debian 13
#   bash packaging/try_wheel.sh results/wheel/lockstep_suite-*.whl bookworm   Debian 12
#   bash packaging/try_wheel.sh results/wheel/lockstep_suite-*.whl here       this system, in a folder of its own
#
# A bare system needs root, debootstrap and a network (bare_system.sh). Exit status: 0 all of it works; 1 not; 2 the
# bare system could not be made.
set -euo pipefail

wheel=${1:?"usage: try_wheel.sh WHEEL [SUITE]"}
suite=${2:-trixie}
# shellcheck source=packaging/bare_system.sh
. "$(dirname "${BASH_SOURCE[0]}")/bare_system.sh"

# Runs a shell's command there, with the virtual environment's programs first.
there() {
  local -a run=(in_bare_system)
  [ "$suite" != here ] || run=(env -i PATH=/usr/bin:/bin HOME="$folder")
  "${run[@]}" bash -c "cd $folder && export PATH=\$PWD/venv/bin:\$PATH && $1"
}

expect() {
  local wanted=$1 got
  shift
  got=$(there "$*" 2>&1) || true
  grep -q -- "$wanted" <<<"$got" && { echo "ok      $*"; return; }
  printf 'FAILED  %s\nwanted a line with "%s", got\n%s\n' "$*" "$wanted" "$got" >&2
  return 1
}

if [ "$suite" = here ]; then
  folder=$(mktemp -d) bare=""
  trap 'rm -rf "$folder"' EXIT
else
  make_bare_system "$suite" python3-venv || exit 2
  folder=/tmp/try
  rm -rf "$bare$folder"
  mkdir -p "$bare$folder"
fi
cp "$wheel" "$bare$folder/"

echo "Debian $(cat "$bare/etc/debian_version"), $(there 'python3 --version')"
there "python3 -m venv venv && pip install --quiet --no-index ./*.whl"
expect "everything is as expected of reference" lockstep run
expect "everything is as expected of pytorch_ddp" "lockstep judge --testee=pytorch_ddp"
expect "pip install torch" lockstep run --testee=pytorch_ddp
expect "lockstep run --testee=jax" lockstep run --help
expect "pip install 'lockstep-suite\[reports\]'" lockstep matrix
expect "pip install 'lockstep-suite\[reports\]'" lockstep site
expect "^  A global batch smaller than the others" lockstep explain input/rebatch/last_global_batch_is_split
expect "images/s" "lockstep bench --epochs=1 --report=none --data=embedded --json=speed.json"
expect "^Lockstep reference True" "python3 -c 'import lockstep_suite as s; r = s.run(area=\"loss\"); print(r.implementation, r.as_expected)'"
expect "Wrote my_testee.py" lockstep new my_testee.py
expect "^required: 20 of 241 passed" "lockstep run --testee='python3 my_testee.py' --area=equivalence"
expect " 0 wrong$" "lockstep run --probe --testee='python3 my_testee.py'"
expect "everything is as expected" lockstep job --area=loss
expect "to compare with --old: pip install" lockstep job --area=loss --old=accepted.json
expect "add --report=none" lockstep bench
expect "did you mean run?" lockstep rnu
