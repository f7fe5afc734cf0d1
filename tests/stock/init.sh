#!/bin/bash
# SPDX-License-Identifier: MIT
# Process 1 of the guest: what a booted Debian has mounted and loaded, then /stock/command, then off.
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 TERM=dumb
mount -t tmpfs tmpfs /run
mkdir -p /run/lock /run/netns /run/openvswitch
[ -L /var/run ] || { rm -rf /var/run && ln -s /run /var/run; }
mount -t tmpfs tmpfs /tmp
mkdir -p /dev/pts /dev/shm /usr/lib/modules
mount -t devpts -o ptmxmode=0666 devpts /dev/pts
mount -t tmpfs tmpfs /dev/shm
mount -t cgroup2 cgroup2 /sys/fs/cgroup
mount --bind /stock/kernel/lib/modules /usr/lib/modules
hostname stock
echo "127.0.0.1 localhost stock" >/etc/hosts
ip link set lo up
modprobe -a tun openvswitch sch_netem sch_htb ip_gre vxlan bridge nf_tables
echo 1 >/proc/sys/kernel/printk
ulimit -n 65536
echo "the kernel is $(uname -r); ready $(cut -d' ' -f1 /proc/uptime) s after the start" >/stock/log
bash /stock/command >>/stock/log 2>&1 </dev/null
echo $? >/stock/status
sync
echo o >/proc/sysrq-trigger
sleep 60
