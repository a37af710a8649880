# SPDX-License-Identifier: Apache-2.0
"""Memory that only the collector frees, perhaps while a stream is captured: that is an error, and ends the capture.
With "deferred" it is freed after the capture."""
import ctypes
import sys

cuda = ctypes.CDLL("libcuda.so.1")
DEFERRED = "deferred" in sys.argv


def check(status):
    if status != 0:
        raise RuntimeError(f"CUDA error {status}")


class Array:
    capturing = False
    deferred = []

    def __init__(self):
        self.address = ctypes.c_uint64()
        check(cuda.cuMemAlloc_v2(ctypes.byref(self.address), 4096))
        self.base = self

    def __del__(self):
        if DEFERRED and Array.capturing:
            Array.deferred.append(self.address)
        elif self.address.value != 0:
            cuda.cuMemFree_v2(self.address)  # In a finalizer, no one looks at its status.


def record(stream, kept):
    Array()
    Array.capturing = True
    check(cuda.cuStreamBeginCapture_v2(stream, 0))
    for value in range(3):
        check(cuda.cuMemsetD8Async(kept.address, value, 4096, stream))
    check(cuda.cuStreamEndCapture(stream, ctypes.byref(graph)))
    Array.capturing = False


context, stream, graph = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
check(cuda.cuInit(0))
check(cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0))
check(cuda.cuCtxSetCurrent(context))
check(cuda.cuStreamCreate(ctypes.byref(stream), 1))
kept = Array()
record(stream, kept)
print("recorded")
