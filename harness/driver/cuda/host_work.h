// SPDX-License-Identifier: Apache-2.0
/* Host work: stream work whose body is a function on the host, for operators without kernels.
 * libcuda.so.1 hands the function out by cuGetProcAddress, under the name
 * AFTERLIFE_LAUNCH_HOST_WORK; NVIDIA's driver does not have this name. C, needs no other header.
 *
 * The stream treats it as a kernel of one block: it may run late, the lifetime and ordering of each
 * range are checked when it runs, and during capture it becomes a node. */
#ifndef AFTERLIFE_HOST_WORK_H
#define AFTERLIFE_HOST_WORK_H

#include <stddef.h>

#define AFTERLIFE_LAUNCH_HOST_WORK "afterlifeLaunchHostWork"

/* How a range is used. */
enum {
  AFTERLIFE_READS = 1,
  AFTERLIFE_WRITES = 2,
  AFTERLIFE_MAY = 4 /* Perhaps: its lifetime is checked, its ordering is not. */
};

/* Rows of device memory: the memory that is live at `address` at the launch. Ranges without bytes,
 * or outside of device memory, are not checked. */
typedef struct AfterlifeRange {
  unsigned long long address;
  unsigned long long bytes; /* Bytes of a row. */
  unsigned long long rows;
  unsigned long long pitch; /* Bytes from row to row. */
  int use;
} AfterlifeRange;

struct CUstream_st; /* A CUstream points to it. */

/* Does the work, and returns 0, or the CUresult of a kernel that failed.
 * Threads: called on any thread that is in a CUDA call, one at a time. The driver's lock is held,
 * so it must not wait for another thread of the program or call CUDA (NOT_PERMITTED). */
typedef int (*AfterlifeHostWork)(void* data);

/* Launches work on a stream of the driver. Returns a CUresult.
 * `name` is the name in reports; its text must outlive the process's last call.
 * `function` is not called if a range is dead by then, which is reported.
 * `release` (or null) is called once with `data`, under the same rules as `function`, when `data`
 * is not needed any more: after the work, when no graph and no executable graph has it as a node,
 * or at once if nothing was launched. It is not called for work queued when the process ends. */
typedef int (*AfterlifeLaunchHostWork)(struct CUstream_st* stream, const char* name,
                                       AfterlifeHostWork function, void* data,
                                       void (*release)(void*), const AfterlifeRange* ranges,
                                       size_t range_count);

#endif
