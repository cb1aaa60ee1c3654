# shellcheck shell=bash
# Bare Debian systems, to be sourced:
#
#   make_bare_system trixie python3-venv      $bare is a new system with Python's venv and nothing else
#   in_bare_system python3 --version          runs there, with an empty environment
#
# debootstrap makes a system once for each list of packages, which needs root and a network, in the cache folder:
# ${LOCKSTEP_CACHE_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/lockstep}/bare-<suite>-<packages>.

bare_systems=()
trap unmount_bare_systems EXIT

make_bare_system() {
  local suite=$1 cache=${LOCKSTEP_CACHE_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/lockstep} packages
  shift
  packages=$(IFS=,; echo "$*")
  bare=$cache/bare-$suite-${packages//,/-}
  if [ ! -d "$bare" ]; then
    command -v debootstrap >/dev/null || { echo "debootstrap is missing: apt-get install debootstrap" >&2; return 1; }
    mkdir -p "$cache"
    rm -rf "$bare.new"
    debootstrap --variant=minbase --include="$packages" "$suite" "$bare.new" >"$bare.log" ||
      { echo "debootstrap failed; its log is $bare.log" >&2; return 1; }
    mv "$bare.new" "$bare"
  fi
  bare_systems+=("$bare")
  mountpoint -q "$bare/proc" || mount -t proc proc "$bare/proc" || return 1
  mountpoint -q "$bare/dev" || mount --bind /dev "$bare/dev" || return 1
}

unmount_bare_systems() {
  local mounted
  for mounted in "${bare_systems[@]}"; do
    umount "$mounted/proc" "$mounted/dev"
  done
}

in_bare_system() { chroot "$bare" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root "$@"; }
