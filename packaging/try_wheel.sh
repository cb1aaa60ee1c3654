#!/usr/bin/env bash
# Installs a wheel in a bare Debian, with Python and nothing else, and uses it there.
#
#   bash packaging/try_wheel.sh results/wheel/lockstep_suite-*.whl            Debian 13
#   bash packaging/try_wheel.sh results/wheel/lockstep_suite-*.whl bookworm   Debian 12
#
# The bare system is made once by debootstrap, which needs root and a network, in the cache folder:
# ${LOCKSTEP_CACHE_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/lockstep}/bare-<suite>. Exit status: 0 all of it works.
set -euo pipefail

wheel=${1:?"usage: try_wheel.sh WHEEL [SUITE]"}
suite=${2:-trixie}
cache=${LOCKSTEP_CACHE_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/lockstep}
bare=$cache/bare-$suite

make_bare_system() {
  mkdir -p "$cache"
  rm -rf "$bare.new"
  debootstrap --variant=minbase --include=python3-venv "$suite" "$bare.new" >"$bare.log" ||
    { echo "debootstrap failed; its log is $bare.log" >&2; return 1; }
  mv "$bare.new" "$bare"
}

# Runs a command there, in a folder of its own.
there() { chroot "$bare" /usr/bin/env -i PATH=/tmp/try/venv/bin:/usr/bin:/bin HOME=/tmp/try bash -c "cd /tmp/try && $1"; }

expect() {
  local wanted=$1 got
  shift
  got=$(there "$*" 2>&1) || true
  grep -q -- "$wanted" <<<"$got" && { echo "ok      $*"; return; }
  printf 'FAILED  %s\nwanted a line with "%s", got\n%s\n' "$*" "$wanted" "$got" >&2
  return 1
}

[ -d "$bare" ] || make_bare_system
rm -rf "$bare/tmp/try"
mkdir -p "$bare/tmp/try"
cp "$wheel" "$bare/tmp/try/"
mountpoint -q "$bare/proc" || mount -t proc proc "$bare/proc"
mountpoint -q "$bare/dev" || mount --bind /dev "$bare/dev"
trap 'umount "$bare/proc" "$bare/dev"' EXIT

echo "Debian $(cat "$bare/etc/debian_version"), $(there 'python3 --version')"
there "python3 -m venv venv && pip install --quiet --no-index ./*.whl"
expect "everything is as expected of reference" lockstep run
expect "everything is as expected of pytorch_ddp" "lockstep judge --testee=pytorch_ddp"
expect "pip install torch" lockstep run --testee=pytorch_ddp
expect "lockstep run --testee=jax" lockstep run --help
expect "pip install 'lockstep-suite\[reports\]'" lockstep matrix
expect "^  A global batch smaller than the others" lockstep explain input/rebatch/last_global_batch_is_split
expect "images/s" "lockstep bench --epochs=1 --report=none --data=embedded --json=speed.json"
expect "^Lockstep reference True" "python3 -c 'import lockstep_suite as s; r = s.run(area=\"loss\"); print(r.implementation, r.as_expected)'"
