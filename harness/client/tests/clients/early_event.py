# SPDX-License-Identifier: Apache-2.0
"""Two streams use the same memory, and the second waits for an event. By default the event was recorded before the use; "never": it was not
recorded; "host": the host waits for it, and frees the memory; "none": nothing waits. "right": it is recorded after the use. "again": and then
on another stream, before the wait; "elsewhere": of another context, so that the record fails."""
import ctypes
import sys

HOW = sys.argv[1] if len(sys.argv) > 1 else "early"
cuda = ctypes.CDLL("libcuda.so.1")
context, first, second, event = (ctypes.c_void_p() for _ in range(4))
memory = ctypes.c_uint64()
cuda.cuInit(0)
cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0)
cuda.cuCtxSetCurrent(context)
cuda.cuStreamCreate(ctypes.byref(first), 1)
cuda.cuStreamCreate(ctypes.byref(second), 1)
if HOW == "elsewhere":
    other = ctypes.c_void_p()
    cuda.cuCtxCreate_v4(ctypes.byref(other), None, 0, 0)
cuda.cuEventCreate(ctypes.byref(event), 2)
cuda.cuCtxSetCurrent(context)
cuda.cuMemAlloc_v2(ctypes.byref(memory), 4096)
if HOW in ("early", "host"):
    cuda.cuEventRecord(event, first)  # Too early.
cuda.cuMemsetD8Async(memory, 1, 4096, first)
if HOW in ("right", "again", "elsewhere"):
    cuda.cuEventRecord(event, first)  # Late enough.
if HOW == "again":
    third = ctypes.c_void_p()
    cuda.cuStreamCreate(ctypes.byref(third), 1)
    cuda.cuEventRecord(event, third)  # Again.
if HOW == "host":
    cuda.cuEventSynchronize(event)
    cuda.cuMemFreeAsync(memory, second)
else:
    if HOW != "none":
        cuda.cuStreamWaitEvent(second, event, 0)
    cuda.cuMemsetD8Async(memory, 2, 4096, second)
cuda.cuStreamSynchronize(first)
cuda.cuStreamSynchronize(second)
