#!/usr/bin/env bash
# install-deps.sh build|run|test|format|image
# Installs what is missing of a section of packages.txt (run, test and format include build; image stands alone).
# apt is called only when something is missing. `test` also makes build/venv with the pinned Python test clients, and
# build/tools/promtool.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

die() {
  echo "install-deps: $*" >&2
  exit 1
}

packages() {  # SECTION: its packages
  awk -v want="[$1]" '/^\[/ { on = ($1 == want); next } on && NF && !/^#/ { print $1 }' "$root/scripts/packages.txt"
}

as_root() {
  if [ "$(id -u)" -eq 0 ]; then
    env DEBIAN_FRONTEND=noninteractive "$@"
  elif command -v sudo >/dev/null; then
    sudo env DEBIAN_FRONTEND=noninteractive "$@"
  else
    die "needs root or sudo to run: $*"
  fi
}

# A foreign repository that is out of order must not stop us: what counts is whether the install succeeds.
apt_update() {
  as_root apt-get -o Acquire::Retries=3 update -qq || echo "install-deps: apt-get update reported errors, going on" >&2
}

install_missing() {  # PACKAGE...
  local installed missing log
  command -v dpkg-query >/dev/null || die "needs Debian 12; elsewhere install what scripts/packages.txt lists"
  # Unknown names make dpkg-query fail, and are what we look for.
  installed=$(dpkg-query -W -f='${db:Status-Status} ${Package}\n' "$@" 2>/dev/null |
    awk '$1 == "installed" { print $2 }') || true
  missing=$(comm -23 <(printf '%s\n' "$@" | sort -u) <(sort -u <<<"$installed"))
  [ -n "$missing" ] || return 0
  echo "install-deps: installing ${missing//$'\n'/ }"
  apt_update
  log=$(mktemp)
  # shellcheck disable=SC2086 # one word per package
  as_root apt-get -o Acquire::Retries=3 -o DPkg::Lock::Timeout=300 install -y -qq --no-install-recommends $missing \
    >"$log" || { cat "$log" >&2; die "apt-get install failed"; }
  rm "$log"
}

# Made anew only when the requirements change: the copy of them in the venv is the stamp.
make_venv() {
  local venv=$root/build/venv requirements=$root/tests/e2e/requirements.txt
  cmp -s "$requirements" "$venv/requirements.txt" && return 0
  echo "install-deps: Python test clients into build/venv"
  [ -e "$venv/requirements.txt" ] || /usr/bin/python3 -m venv --clear "$venv"
  # pip's own list of authorities knows none that the administrator of this machine added.
  export PIP_CERT=${PIP_CERT:-/etc/ssl/certs/ca-certificates.crt}
  if "$venv/bin/python" -m pip install -q --disable-pip-version-check -r "$requirements"; then
    cp "$requirements" "$venv/requirements.txt"
  elif [ -e "$venv/requirements.txt" ]; then
    echo "install-deps: pip failed, going on with the older clients in build/venv" >&2
  else
    die "pip could not install $requirements"
  fi
}

# Taken out of its package rather than installed: the package would start a Prometheus server on this machine.
get_promtool() {
  local tools=$root/build/tools
  if [ -x "$tools/promtool" ] || command -v promtool >/dev/null; then return 0; fi
  echo "install-deps: promtool into build/tools"
  rm -rf "$tools/deb" && mkdir -p "$tools/deb"
  local fetch="cd '$tools/deb' && apt-get -o Acquire::Retries=3 -o APT::Sandbox::User=root download -qq prometheus"
  bash -c "$fetch" || { apt_update && bash -c "$fetch"; } || die "could not fetch the package prometheus"
  dpkg-deb --fsys-tarfile "$tools"/deb/prometheus_*.deb | tar -x -C "$tools/deb" ./usr/bin/promtool
  mv "$tools/deb/usr/bin/promtool" "$tools/promtool"
  rm -rf "$tools/deb"
}

case "${1:-}" in
  build | image) sections=("$1") ;;
  run | test | format) sections=(build "$1") ;;
  *) die "usage: install-deps.sh build|run|test|format|image" ;;
esac

mapfile -t wanted < <(for section in "${sections[@]}"; do packages "$section"; done)
install_missing "${wanted[@]}"
if [ "$1" = test ]; then
  make_venv
  get_promtool
fi
