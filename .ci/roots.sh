# SPDX-License-Identifier: MIT
#
# Sourced by .ci/distribution and .ci/try-wheel: other releases of Debian as folders, and programs that run in them. The
# folders are outside the repository, because setuptools looks for files in all of it. DEBIAN_MIRROR names a mirror.

roots=/var/cache/hybridnet/distributions
mirror=${DEBIAN_MIRROR:-http://deb.debian.org/debian}

# make_root NAME RELEASE PACKAGE,...: the folder $roots/NAME with a smallest Debian of that release and these packages,
# unless it is there already. This shell alone uses it until it ends.
make_root() {
  local root=$roots/$1
  [ "$(id -u)" -eq 0 ] || fail "only root can make a root with debootstrap; use sudo"
  mkdir -p "$root"
  exec {in_use}<"$root"
  flock --nonblock "$in_use" || fail "$root is in use, for another clone of the repository; wait for it"
  [ ! -f "$root/stamp" ] || return 0
  say "$1: debootstrap of $2 from $mirror"
  find "$root" -mindepth 1 -maxdepth 1 -exec rm -rf {} +
  debootstrap --variant=minbase --include="$3" "$2" "$root" "$mirror" >"$root.log" 2>&1 ||
    fail "debootstrap of $2 failed; its last line: $(tail -n 1 "$root.log")"
  touch "$root/stamp"
}

# give_network ROOT: what it takes to download there: this computer's name servers and certificates.
give_network() {
  mkdir -p "$1/etc/ssl/certs"
  cp /etc/resolv.conf "$1/etc/resolv.conf"
  cp /etc/ssl/certs/ca-certificates.crt "$1/etc/ssl/certs/ca-certificates.crt"
}

# enter ROOT FOLDER PROGRAM ...: in that root and folder, as process 1 of namespaces of its own, which end with it.
enter() {
  unshare --mount --pid --ipc --uts --fork --kill-child bash -euo pipefail -c '
    root=$1
    folder=$2
    shift 2
    mount --make-rprivate /
    mount --bind "$root" "$root"
    mount -t proc proc "$root/proc"
    mount --rbind /sys "$root/sys"
    mount --rbind /dev "$root/dev"
    mount -t tmpfs tmpfs "$root/run"
    mount -t tmpfs tmpfs "$root/tmp"
    mkdir -p "$root/run/lock" "$root/.old"
    cd "$root"
    pivot_root . .old
    umount --lazy /.old
    cd "$folder"
    export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8
    export NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt
    exec env -u PYTHONPATH -u PIP_FIND_LINKS "$@"' enter "$@"
}
