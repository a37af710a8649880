#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# device_file.sh COMMAND...: runs it where /dev/nvidiactl exists, an empty file, which is how JAX looks for a GPU. The file is in a private
# mount over /dev, that ends with the command; it takes root, or user namespaces. Exit: the command's, or 2 where there can be no such mount.
[ -e /dev/nvidiactl ] && exec "$@"
unshare -m true 2>/dev/null && space=-m || space=-rm
exec unshare $space --propagation private sh -c '
  folder=$(mktemp -d) && mount -t tmpfs tmpfs "$folder" && mkdir "$folder/upper" "$folder/work" &&
  mount -t overlay overlay -o "lowerdir=/dev,upperdir=$folder/upper,workdir=$folder/work" /dev && touch /dev/nvidiactl &&
  mount -t tmpfs tmpfs /dev/shm || exit 2
  exec "$@"' sh "$@"
