#!/bin/sh
# Installs what the tests need on Debian and Ubuntu as root; elsewhere says what is missing.
# Servers of the database tests: postgresql, redis-server, mariadb-server, nginx-light, each started privately by the
# tests; so is openssh-server, for workers that are reached over SSH. openssl makes their certificates; librocksdb-dev brings RocksDB's library, which one driver loads. dbench, postmark, bonnie++ and sysbench are run beside the native tests. wrk and sysbench are what `make bench-db` compares with.
packages="dbench postmark bonnie++ redis-server mariadb-server nginx-light openssl librocksdb-dev wrk sysbench postgresql chromium openssh-server iproute2 e2fsprogs xfsprogs btrfs-progs mount fio strace ioping"
missing=""
for program in dbench postmark bonnie++ redis-server mariadbd nginx openssl wrk sysbench chromium sshd ip mkfs.ext4 mkfs.xfs mkfs.btrfs losetup fio strace ioping; do command -v "$program" >/dev/null || [ -x "/usr/sbin/$program" ] || missing="$missing $program"; done
ls /usr/lib/postgresql/*/bin/postgres >/dev/null 2>&1 || missing="$missing postgres"
/sbin/ldconfig -p 2>/dev/null | grep -q 'librocksdb\.so' || missing="$missing librocksdb"
# Recording of I/Os needs the kernel's tracepoints.
[ "$(id -u)" != 0 ] || [ -d /sys/kernel/tracing/instances ] || mount -t tracefs nodev /sys/kernel/tracing 2>/dev/null || true
[ -z "$missing" ] && exit 0
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    export DEBIAN_FRONTEND=noninteractive
    # Packages of servers start them; the tests start their own.
    policy=/usr/sbin/policy-rc.d
    if [ ! -e $policy ]; then
        printf '#!/bin/sh\nexit 101\n' >$policy && chmod 755 $policy
        trap 'rm -f $policy' EXIT
    fi
    apt-get update -qq && apt-get install -y -qq --no-install-recommends $packages >/dev/null
    exit
fi
echo "missing for some tests:$missing (Debian packages: $packages); those tests will be skipped" >&2
[ "$CI" != true ]
