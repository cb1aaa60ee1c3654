# shellcheck shell=bash
# Bare Debian systems, to be sourced:
#
#   make_bare_system trixie python3-venv      $bare is a new system with Python's venv and nothing else
#   in_bare_system python3 --version          runs there, with an empty environment
#
# debootstrap makes a system once for each list of packages, which needs root and a network, in the cache folder:
# ${LOCKSTEP_CACHE_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/lockstep}/bare-<suite>-<packages>. $bare is a copy of it, made
# anew each time: what an earlier run installed is not there.

bare_systems=()
trap unmount_bare_systems EXIT

make_bare_system() {
  local suite=$1 system cache=${LOCKSTEP_CACHE_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/lockstep} packages
  shift
  packages=$(IFS=,; echo "$*")
  system=$cache/bare-$suite-${packages//,/-}
  if [ ! -d "$system" ]; then
    command -v debootstrap >/dev/null || { echo "debootstrap is missing: apt-get install debootstrap" >&2; return 1; }
    mkdir -p "$cache"
    rm -rf "$system.new"
    debootstrap --variant=minbase --include="$packages" "$suite" "$system.new" >"$system.log" ||
      { echo "debootstrap failed; its log is $system.log" >&2; return 1; }
    # Installers and containers write this file; debootstrap does not.
    printf '127.0.0.1\tlocalhost\n::1\tlocalhost\n' >"$system.new/etc/hosts"
    mv "$system.new" "$system"
  fi
  bare=$system.used
  unmount_bare_system "$bare"
  rm -rf --one-file-system "$bare" && cp -a "$system" "$bare" || return 1
  bare_systems+=("$bare")
  mountpoint -q "$bare/proc" || mount -t proc proc "$bare/proc" || return 1
  mountpoint -q "$bare/dev" || mount --bind /dev "$bare/dev" || return 1
}

unmount_bare_system() {
  local folder
  for folder in "$1/proc" "$1/dev"; do
    ! mountpoint -q "$folder" || umount "$folder"
  done
}

unmount_bare_systems() {
  local system
  for system in "${bare_systems[@]}"; do
    unmount_bare_system "$system"
  done
}

in_bare_system() { chroot "$bare" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root "$@"; }
