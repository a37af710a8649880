// SPDX-License-Identifier: Apache-2.0
/* Launch count: how many kernels the device has begun. libcuda.so.1 hands the function out by
 * cuGetProcAddress, under the name AFTERLIFE_LAUNCH_COUNT, to programs that show that their work
 * was done on the device; NVIDIA's driver has none of the name. C, and needs no other header. */
#ifndef AFTERLIFE_LAUNCH_COUNT_H
#define AFTERLIFE_LAUNCH_COUNT_H

#define AFTERLIFE_LAUNCH_COUNT "afterlifeLaunchCount"

/* Returns the number of this process's kernels that have begun, those of graphs among them.
 * Threads: any. It takes no turn, and is no call of CUDA. */
typedef unsigned long long (*AfterlifeLaunchCount)(void);

#endif
