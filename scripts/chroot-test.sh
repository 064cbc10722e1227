#!/usr/bin/env bash
# chroot-test.sh [COMMAND]: runs COMMAND (default: make test) in a clone of this repository's HEAD inside a bare
# Debian 12, after nothing but `apt-get install make git`. Needs root, 3 GB in TMPDIR and the Debian mirror.
set -euo pipefail

command=${1:-make test}
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

[ "$(id -u)" -eq 0 ] || { echo "chroot-test: needs root" >&2; exit 1; }
command -v debootstrap >/dev/null || { apt-get update -qq; apt-get install -y -qq --no-install-recommends debootstrap; }

work=$(mktemp -d "${TMPDIR:-/tmp}/kvgate-chroot.XXXXXX")
debian=$work/debian
cleanup() {
  # What is still mounted must not be deleted through.
  if mountpoint -q "$debian/proc"; then umount "$debian/proc" || umount -l "$debian/proc"; fi
  rm -rf --one-file-system "$work"
}
trap cleanup EXIT

log=$work/debootstrap.log
debootstrap --variant=minbase bookworm "$debian" >"$log" || { tail -n 20 "$log" >&2; exit 1; }
mount --bind /proc "$debian/proc"
cp /etc/resolv.conf "$debian/etc/resolv.conf"
# Authorities that the administrator of this machine added: a proxy may need them.
cp -r /usr/local/share/ca-certificates "$debian/usr/local/share/" 2>/dev/null || true

inside() {  # COMMAND: in an environment as bare as the system
  chroot "$debian" /usr/bin/env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 \
    DEBIAN_FRONTEND=noninteractive bash -c "$1"
}

inside "apt-get update -qq && apt-get install -y -qq make git >/dev/null && update-ca-certificates >/dev/null"
git clone -q --no-hardlinks "file://$root" "$debian/root/kvgate"
inside "cd /root/kvgate && $command"
