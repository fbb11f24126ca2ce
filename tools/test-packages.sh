#!/bin/sh
# Installs what the tests need on Debian and Ubuntu as root; elsewhere says what is missing.
packages="postgresql chromium e2fsprogs xfsprogs btrfs-progs mount fio strace"
missing=""
for program in chromium mkfs.ext4 mkfs.xfs mkfs.btrfs losetup fio strace; do command -v "$program" >/dev/null || missing="$missing $program"; done
ls /usr/lib/postgresql/*/bin/postgres >/dev/null 2>&1 || missing="$missing postgres"
[ -z "$missing" ] && exit 0
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    export DEBIAN_FRONTEND=noninteractive
    apt-get update -qq && apt-get install -y -qq --no-install-recommends $packages >/dev/null
    exit
fi
echo "missing for some tests:$missing (Debian packages: $packages); those tests will be skipped" >&2
[ "$CI" != true ]
