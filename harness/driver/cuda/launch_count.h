// SPDX-License-Identifier: Apache-2.0
/* Launch count: the number of kernels that the device has begun. libcuda.so.1 hands the function
 * out by cuGetProcAddress, under the name AFTERLIFE_LAUNCH_COUNT, to programs that must show that
 * their work ran on the device. NVIDIA's driver does not have this name. C, needs no header. */
#ifndef AFTERLIFE_LAUNCH_COUNT_H
#define AFTERLIFE_LAUNCH_COUNT_H

#define AFTERLIFE_LAUNCH_COUNT "afterlifeLaunchCount"

/* Returns the number of this process's kernels that have begun, including those of graphs.
 * Threads: any. It takes no turn, and is not a CUDA call. */
typedef unsigned long long (*AfterlifeLaunchCount)(void);

#endif
