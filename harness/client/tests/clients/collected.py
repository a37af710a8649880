# SPDX-License-Identifier: Apache-2.0
"""A buffer that only the collector ends, and whose address outlives it."""
import ctypes

cuda = ctypes.CDLL("libcuda.so.1")


def check(status):
    if status != 0:
        raise RuntimeError(f"CUDA error {status}")


def open_stream():
    context, stream = ctypes.c_void_p(), ctypes.c_void_p()
    check(cuda.cuInit(0))
    check(cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0))
    check(cuda.cuCtxSetCurrent(context))
    check(cuda.cuStreamCreate(ctypes.byref(stream), 1))
    return stream


class Buffer:
    def __init__(self):
        self.address = ctypes.c_uint64()
        check(cuda.cuMemAlloc_v2(ctypes.byref(self.address), 64))
        self.close = self.free  # A bound method: a cycle.

    def free(self):
        pass

    def __del__(self):
        cuda.cuMemFree_v2(self.address)


def address_of_a_buffer():
    return Buffer().address


stream = open_stream()
address = address_of_a_buffer()
for _ in range(3):
    check(cuda.cuMemsetD8Async(address, 1, 64, stream))
    check(cuda.cuStreamSynchronize(stream))
print("done")
