# SPDX-License-Identifier: Apache-2.0
"""A pool keeps its free block by the handle of a stream. The stream is destroyed, and a new one may get its handle. "id": by the stream's id,
which is not reused. "event": a cache takes the handle of a new event for that of a destroyed one, and does not record it."""
import ctypes
import sys

BY = sys.argv[1] if len(sys.argv) > 1 else "handle"
cuda = ctypes.CDLL("libcuda.so.1")
context = ctypes.c_void_p()
cuda.cuInit(0)
cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0)
cuda.cuCtxSetCurrent(context)


def key_of(stream):
    number = ctypes.c_uint64(stream.value)
    if BY == "id":
        cuda.cuStreamGetId(stream, ctypes.byref(number))
    return number.value


def allocate():
    block = ctypes.c_uint64()
    cuda.cuMemAlloc_v2(ctypes.byref(block), 4096)
    return block


def request(blocks):
    stream = ctypes.c_void_p()
    cuda.cuStreamCreate(ctypes.byref(stream), 1)
    block = blocks.setdefault(key_of(stream), allocate())
    cuda.cuMemsetD8Async(block, 1, 4096, stream)
    cuda.cuStreamDestroy_v2(stream)


def share(recorded):
    block = allocate()
    first, second, event = (ctypes.c_void_p() for _ in range(3))
    cuda.cuStreamCreate(ctypes.byref(first), 1)
    cuda.cuStreamCreate(ctypes.byref(second), 1)
    cuda.cuEventCreate(ctypes.byref(event), 2)
    cuda.cuMemsetD8Async(block, 1, 4096, first)
    if event.value not in recorded:
        cuda.cuEventRecord(event, first)
        recorded.add(event.value)
    cuda.cuStreamWaitEvent(second, event, 0)
    cuda.cuMemsetD8Async(block, 2, 4096, second)
    cuda.cuEventDestroy_v2(event)


shared = {} if BY != "event" else set()
for _ in range(2):
    share(shared) if BY == "event" else request(shared)
cuda.cuCtxSynchronize()
