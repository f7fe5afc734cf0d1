#!/bin/sh
# SPDX-License-Identifier: MIT
# The first program of the guest, in its initial memory disk: this computer's files, read-only and under a
# layer in memory, become its root.
export PATH=/bin
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs devtmpfs /dev
while read -r module; do insmod "/modules/$module"; done </modules/order
mount -t 9p -o ro,trans=virtio,version=9p2000.L,msize=512000,access=any,cache=loose root /below || exec sh
mount -t tmpfs -o size=3g tmpfs /layer
mkdir /layer/upper /layer/work
mount -t overlay -o lowerdir=/below,upperdir=/layer/upper,workdir=/layer/work overlay /root || exec sh
mkdir -p /root/stock
mount -t 9p -o rw,trans=virtio,version=9p2000.L,msize=512000,access=any,cache=none stock /root/stock
for kept in proc sys dev; do mount --move "/$kept" "/root/$kept"; done
exec switch_root /root /stock/init
