#!/usr/bin/env bash
# Boots systemd in namespaces of its own, as root, on a copy-on-write view of this machine, and boots it again after each
# `systemctl reboot`. Ends, and leaves nothing behind, after `systemctl poweroff` or when the machine is killed.
#
# usage: unshare --mount boot-machine.sh FOLDER CHECKOUT NODE
#
# FOLDER is empty. FOLDER/pid has the process whose only child is the init process of the machine. The machine has the
# network of this one, the checkout at /opt/hearth (read-only), and the program `hearth`.
set -euo pipefail
folder=$1 checkout=$2 node=$3
root=$folder/root

mount --make-rprivate /
mount -t tmpfs tmpfs "$folder"
mkdir "$folder"/{changes,work,root,cgroup}
mount -t overlay overlay -o "lowerdir=/,upperdir=$folder/changes,workdir=$folder/work" "$root"
mount -t cgroup2 cgroup2 "$folder/cgroup"
group=$folder/cgroup/hearth-test-$$
mkdir "$group"

# Only what systemd itself needs starts, not the services of this machine.
rm -rf "$root"/etc/systemd/system/*.wants
: >"$root/etc/fstab"
: >"$root/etc/machine-id"
mkdir -p "$root/opt/hearth" "$root/usr/local/bin"
touch "$root/opt/node"
printf '#!/bin/sh\nexec /opt/node /opt/hearth/dist/cli/main.js "$@"\n' >"$root/usr/local/bin/hearth"
chmod 755 "$root/usr/local/bin/hearth"

boot() {
  echo 0 >"$group/cgroup.procs"
  # shellcheck disable=SC2016 -- the variables are those of the inner shell
  exec unshare --fork --kill-child --pid --mount --uts --ipc --cgroup \
    bash -euo pipefail -c '
      root=$1 checkout=$2 node=$3
      mount -t proc proc "$root/proc"
      mount -t sysfs -o ro sysfs "$root/sys"
      mount -t cgroup2 cgroup2 "$root/sys/fs/cgroup"
      mount -t tmpfs -o mode=755 tmpfs "$root/dev"
      for device in null zero full random urandom tty; do
        touch "$root/dev/$device"
        mount --bind "/dev/$device" "$root/dev/$device"
      done
      mkdir "$root/dev/pts" "$root/dev/shm"
      mount -t devpts -o newinstance,ptmxmode=0666 devpts "$root/dev/pts"
      ln -s pts/ptmx "$root/dev/ptmx"
      ln -s /proc/self/fd "$root/dev/fd"
      mount -t tmpfs tmpfs "$root/dev/shm"
      mount -t tmpfs tmpfs "$root/run"
      mount --bind -o ro "$checkout" "$root/opt/hearth"
      mount --bind -o ro "$node" "$root/opt/node"
      mount -t tmpfs tmpfs "$root/tmp"
      container=lxc exec chroot "$root" /lib/systemd/systemd --system --unit=multi-user.target
    ' boot "$root" "$checkout" "$node"
}

# The kernel ends the init process of a namespace with SIGHUP for a reboot, and with SIGINT for a poweroff.
rebooted=$((128 + 1))
status=$rebooted
while [ "$status" = "$rebooted" ]; do
  boot </dev/null &
  echo $! >"$folder/pid"
  status=0
  wait $! || status=$?
  rm "$folder/pid"
done
# Its processes end after the first of them.
for _ in $(seq 50); do
  find "$group" -depth -type d -exec rmdir {} + 2>/dev/null && break
  sleep 0.1
done
