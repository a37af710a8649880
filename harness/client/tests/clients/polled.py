# SPDX-License-Identifier: Apache-2.0
"""Asks until its copies are done, and never waits: of a stream, and of an event."""
import ctypes

cuda = ctypes.CDLL("libcuda.so.1")
context, stream, event = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
memory = ctypes.c_uint64()
cuda.cuInit(0)
cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0)
cuda.cuCtxSetCurrent(context)
cuda.cuStreamCreate(ctypes.byref(stream), 1)
cuda.cuEventCreate(ctypes.byref(event), 2)
cuda.cuMemAlloc_v2(ctypes.byref(memory), 64)
for _ in range(3):
    for _ in range(4):
        cuda.cuMemsetD8Async(memory, 1, 64, stream)
    cuda.cuEventRecord(event, stream)
    while cuda.cuEventQuery(event) != 0:
        pass
    cuda.cuMemsetD8Async(memory, 2, 64, stream)
    while cuda.cuStreamQuery(stream) != 0:
        pass
print("done")
