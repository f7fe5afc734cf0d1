# SPDX-License-Identifier: MIT
#
# Puts hybridnet on a Debian host: run there by `hybridnet deploy`, as root, in a folder with the wheel, the lists of
# packages and the bundle's fingerprint. Each line on standard output says which step begins. Idempotent.
set -eu
target=/opt/hybridnet
stamp=$target/deployed

say() { printf '%s\n' "$*"; }
fail() {
  printf '%s\n' "$*" >&2
  exit 3
}

[ ! -L $target ] || fail "$target is a link, to $(readlink $target): hybridnet runs from a clone here; update that, or remove the link"
if [ -f $stamp ] && [ "$(cat $stamp)" = "$(cat fingerprint)" ] && $target/bin/python -c 'import hybridnet._simcore' 2>/dev/null; then
  say "there already"
  exit 0
fi
for init in /run/hybridnet/*/*/init; do
  if [ -f "$init" ] && kill -0 "$(cat "$init")" 2>/dev/null; then
    fail "a run is active ($(basename "$(dirname "$(dirname "$init")")")); wait for its end, or end it"
  fi
done
apt() { apt-get -q "$@" >apt.log 2>&1 || fail "apt-get $1 failed: $(tail -n 5 apt.log)"; }
. ./debian.sh
install_debian_packages debian-packages
there=$(python3 -c 'import sys; print("cp%d%d" % sys.version_info[:2])')
[ "$there" = "$(cat python)" ] || fail "its Python is $there and the extension was built for $(cat python); clone the repository there and run setup/install"

rm -f $stamp
$target/bin/python -c 'import pip' 2>/dev/null || {
  say "Python environment in $target"
  python3 -m venv --clear $target
}
pip="$target/bin/pip --quiet --disable-pip-version-check --no-input"
say "Python packages: $(grep -c == python-packages)"
$pip install --no-deps --only-binary :all: -r python-packages >pip.log 2>&1 || fail "pip failed: $(tail -n 5 pip.log)"
say "hybridnet"
$pip install --no-deps --force-reinstall ./hybridnet-*.whl >pip.log 2>&1 || fail "pip failed: $(tail -n 5 pip.log)"
$pip check >pip.log 2>&1 || fail "packages do not go together: $(tail -n 5 pip.log)"
$target/bin/python -W ignore -m compileall -qq $target/lib || true # some packages bring files with wrong syntax
ln -sf $target/bin/hybridnet /usr/local/bin/hybridnet
say "Ryu's environment"
$target/bin/hybridnet setup-ryu >ryu.log 2>&1 || fail "hybridnet setup-ryu failed: $(tail -n 5 ryu.log)"
cp fingerprint $stamp
say "done"
