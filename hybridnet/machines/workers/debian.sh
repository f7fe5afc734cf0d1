# SPDX-License-Identifier: MIT
#
# Sourced by setup/debian and by deploy.sh, which define say TEXT, fail TEXT and apt ARGUMENT ...: installs what a table of
# Debian packages lists. A line of the table is
#
#     name | other name [architecture]   # what it is for
#
# Releases call the same thing by different names. The first name that apt knows is installed, whatever the release; a
# line of which one name is installed already is fulfilled. What has an architecture is for that one only.

# lines_wanted TABLE: its lines for this architecture, as "name|other name".
lines_wanted() { sed "s/#.*//; s/\[$(dpkg --print-architecture)\]//; /\[/d; s/[[:space:]]//g; /^$/d" "$1"; }

# packages_there: what is installed, and what of it stands in for other packages: Node.js from elsewhere provides npm.
packages_there() {
  dpkg-query -W -f '${db:Status-Abbrev}${Package}, ${Provides}\n' | sed -n 's/^ii //p' | sed 's/([^)]*)//g' | tr ',' '\n' | tr -d ' '
}

# first_names FILE: of each line on standard input its first name that is a line of FILE; with -v, the lines without one.
first_names() {
  none=
  [ "$1" != -v ] || { none=1 && shift; }
  awk -F '|' -v none=$none 'NR == FNR { known[$0]; next }
    { for (i = 1; i <= NF; i++) if ($i in known) { if (!none) print $i; next } if (none) print }' "$1" -
}

# services_of PACKAGE ...: the units of systemd that these bring; templates are none. A name that others provide has none.
services_of() {
  { dpkg-query -L "$@" 2>/dev/null || true; } |
    sed -n 's|.*/systemd/system/\([^/@]*\.service\)$|\1|p; s|.*/systemd/system/\([^/@]*\.socket\)$|\1|p'
}

# install_debian_packages TABLE: asks apt for nothing when nothing is missing.
install_debian_packages() {
  command -v dpkg-query >/dev/null && command -v apt-get >/dev/null ||
    fail "this is neither Debian nor Ubuntu; install by hand what setup/debian-packages.txt lists"
  names=$(mktemp)
  policy=
  trap 'rm -f "$names" $policy' EXIT
  packages_there >"$names"
  missing=$(lines_wanted "$1" | first_names -v "$names")
  if [ -z "$missing" ]; then
    say "Debian packages: all $(lines_wanted "$1" | wc -l) there"
    return
  fi
  [ "$(id -u)" -eq 0 ] || fail "Debian packages are missing and only root can install them: $(echo $missing)"
  say "Debian packages: $(echo "$missing" | wc -l) to install"
  export DEBIAN_FRONTEND=noninteractive
  apt update
  apt-cache pkgnames >"$names"
  unknown=$(echo "$missing" | first_names -v "$names" | sed 's/|/ or /g; $!s/$/,/')
  [ -z "$unknown" ] || fail "apt knows no package of this name: $(echo $unknown) ($(. /etc/os-release && echo "$PRETTY_NAME")); \
add the part of the distribution that has it to apt's sources, or its name here to setup/debian-packages.txt"
  missing=$(echo "$missing" | first_names "$names")
  # No service is wanted running, now or after the next boot: hybridnet starts its own ovs-vswitchd, sshd and routing
  # daemons, in namespaces. Debian asks this file.
  if [ ! -e /usr/sbin/policy-rc.d ]; then
    policy=/usr/sbin/policy-rc.d
    printf '#!/bin/sh\nexit 101\n' >$policy
    chmod +x $policy
  fi
  apt install -y --no-install-recommends $missing
  services=$(services_of $missing)
  [ -z "$services" ] || ! command -v systemctl >/dev/null || systemctl --quiet disable $services
  say "Debian packages: done"
}
