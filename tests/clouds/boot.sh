# The first process of a machine: in its own network, mounts, processes and name. Its file system is this system's under
# a layer in memory, so that whatever is done there is gone with it. $1 is a folder with all that it is given.
set -eu
umask 022
given=$1
mount --make-rprivate /
hostname "$(cat "$given/hostname")"
mkdir -p "$given/machine"
mount -t tmpfs tmpfs "$given/machine"
cd "$given/machine"
mkdir upper work root
mount -t overlay overlay -o "lowerdir=/,upperdir=$PWD/upper,workdir=$PWD/work" root
root=$PWD/root
mount -t proc proc "$root/proc"
mount -t sysfs sysfs "$root/sys"
mount -t tmpfs -o mode=755 tmpfs "$root/dev"
mkdir "$root/dev/pts" "$root/dev/shm" "$root/dev/block"
mount -t devpts -o newinstance,ptmxmode=666 devpts "$root/dev/pts"
mount -t tmpfs tmpfs "$root/dev/shm"
ln -s pts/ptmx "$root/dev/ptmx"
ln -s /proc/self/fd "$root/dev/fd"
for device in 'null 1 3' 'zero 1 5' 'full 1 7' 'random 1 8' 'urandom 1 9' 'tty 5 0'; do
    set -- $device
    mknod -m 666 "$root/dev/$1" c "$2" "$3"
done
mount -t tmpfs tmpfs "$root/run"
mount -t tmpfs -o mode=1777 tmpfs "$root/tmp"
mount -t tmpfs -o mode=755 tmpfs "$root/root"
# What the kernel lists: only the disks of this machine.
mount -t tmpfs tmpfs "$root/sys/block"
rm -rf "$root/etc/ssh"
mkdir -p "$root/run/sshd" "$root/etc/ssh" "$root/home/ubuntu/.ssh"
echo 'ubuntu:x:4242:4242::/home/ubuntu:/bin/sh' >>"$root/etc/passwd"
echo 'ubuntu:x:4242:' >>"$root/etc/group"
echo 'ubuntu:*:20000:0:99999:7:::' >>"$root/etc/shadow"
cp "$given/authorized_keys" "$root/home/ubuntu/.ssh/authorized_keys"
chmod 700 "$root/home/ubuntu/.ssh"
chown -R 4242:4242 "$root/home/ubuntu"
if [ -e "$given/image" ]; then
    mkdir "$root/home/ubuntu/plimsoll" upper-image work-image
    chown 4242:4242 upper-image "$root/home/ubuntu/plimsoll"
    mount -t overlay overlay \
        -o "lowerdir=$(readlink -f "$given/image"),upperdir=$PWD/upper-image,workdir=$PWD/work-image" \
        "$root/home/ubuntu/plimsoll"
fi
cp "$given/ssh_host_ed25519_key" "$given/ssh_host_ed25519_key.pub" "$given/sshd_config" "$root/etc/ssh/"
rm -f "$root/usr/bin/sudo"
cp "$given/sudo" "$root/usr/bin/sudo"
chmod 4755 "$root/usr/bin/sudo"
# The default image has mdadm; here the first of the disks stands for their array.
for program in systemd-run systemctl shutdown mdadm; do
    rm -f "$root/usr/bin/$program" "$root/usr/sbin/$program"
    install -m 755 "$given/$program" "$root/usr/bin/$program"
done
install -m 755 "$given/user-data" "$given/cloud_init.py" "$root/run/"
if [ -e "$given/python" ]; then
    # Where it is here: it knows its own place.
    python=$(readlink -f "$given/python")
    mkdir -p "$root$python"
    mount --bind "$python" "$root$python"
    ln -sf "$python/bin/python3" "$root/usr/local/bin/python3"
fi
# What is mounted anywhere else on this system would be held as long as this machine lives: a disk that another test
# unmounts would stay in use.
cd "$root"
pivot_root . mnt
exec env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root chroot . /bin/sh -c '
    cd /
    umount --lazy /mnt
    trap "exit 0" TERM
    touch /run/up
    /usr/bin/python3 /run/cloud_init.py
    /usr/sbin/sshd -D -e -f /etc/ssh/sshd_config &
    while :; do wait; sleep 0.2; done'
