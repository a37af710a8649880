// SPDX-License-Identifier: Apache-2.0
/* Host work: work of a stream whose body is a function of the host's, for those who bring operators
 * without kernels. libcuda.so.1 hands the function out by cuGetProcAddress, under the name
 * AFTERLIFE_LAUNCH_HOST_WORK; NVIDIA's driver has none of the name. C, and needs no other header.
 *
 * To the stream it is a kernel of one block: it may be late, is judged for the life and the order
 * of each range when it runs, and is a node where the stream captures. */
#ifndef AFTERLIFE_HOST_WORK_H
#define AFTERLIFE_HOST_WORK_H

#include <stddef.h>

#define AFTERLIFE_LAUNCH_HOST_WORK "afterlifeLaunchHostWork"

/* How a range is used. */
enum {
  AFTERLIFE_READS = 1,
  AFTERLIFE_WRITES = 2,
  AFTERLIFE_MAY = 4 /* Perhaps: judged for its life, and not for its order. */
};

/* Rows of device memory. The memory that lives at `address` at the launch is meant. Addresses of
 * no device memory, and no bytes, are not judged. */
typedef struct AfterlifeRange {
  unsigned long long address;
  unsigned long long bytes; /* Of a row. */
  unsigned long long rows;
  unsigned long long pitch; /* From row to row, in bytes. */
  int use;
} AfterlifeRange;

/* Carries out the work, and returns 0, or the CUresult of a kernel that failed.
 * Threads: called on any thread that is in a call of CUDA, one at a time; the driver's lock is
 * held, so it must not wait for another thread of the program, nor call CUDA (NOT_PERMITTED). */
typedef int (*AfterlifeHostWork)(void* data);

/* Launches work on a stream of the driver's. Returns a CUresult.
 * `name` is what reports call it; its text must outlive the process's last call.
 * `function` is not called if a range is dead by then: that is reported.
 * `release` (or null) is called once with `data` when it is needed no more: after the work, when no
 * graph and no executable has it as a node, or at once if nothing was launched; under the same
 * rules as `function`. For work that is still queued when the process ends it is not called. */
typedef int (*AfterlifeLaunchHostWork)(struct CUstream_st* stream, const char* name,
                                       AfterlifeHostWork function, void* data,
                                       void (*release)(void*), const AfterlifeRange* ranges,
                                       size_t range_count);

#endif
