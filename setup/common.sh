# SPDX-License-Identifier: MIT
#
# Sourced by the set-up scripts: progress lines, and stamps that make the second run quick.
# A stamp is a file holding the hash of everything a step depends on; the step runs when the hash has changed.

say() { printf 'setup: %s\n' "$*"; }

# fail MESSAGE: exit status 3 means that this machine lacks something, as in hybridnet itself.
fail() {
  printf 'setup: error: %s\n' "$*" >&2
  exit 3
}

# check_python: ends if the distribution's Python is too old. On a bare root there is none yet.
check_python() {
  [ ! -x /usr/bin/python3 ] || /usr/bin/python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
    fail "/usr/bin/python3 is $(/usr/bin/python3 -V 2>&1) and hybridnet needs 3.11 or newer: use Debian 12 or 13 or Ubuntu 24.04, if need be in a virtual machine"
}

# fingerprint FILE ...: hash of the files' names and contents, this directory and the Python that is used.
fingerprint() {
  { pwd; /usr/bin/python3 -VV; sha256sum "$@"; } | sha256sum | cut -d ' ' -f 1
}

# is_current STAMP FINGERPRINT
is_current() { [ -f "$1" ] && [ "$(cat "$1")" = "$2" ]; }
