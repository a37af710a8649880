# SPDX-License-Identifier: Apache-2.0
"""A buffer that only the collector ends, used right after it is dropped: in between the interpreter never looks whether to collect."""
import ctypes

cuda = ctypes.CDLL("libcuda.so.1")


class Buffer:
    def __init__(self):
        self.address = ctypes.c_uint64()
        cuda.cuMemAlloc_v2(ctypes.byref(self.address), 64)
        self.close = self.free  # A bound method: a cycle.

    def free(self):
        pass

    def __del__(self):
        cuda.cuMemFree_v2(self.address)


context, host = ctypes.c_void_p(), ctypes.c_uint64()
cuda.cuInit(0)
cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0)
cuda.cuCtxSetCurrent(context)
copy, target = cuda.cuMemcpyDtoH_v2, ctypes.byref(host)
buffer = Buffer()
address = buffer.address
buffer = None
copy(target, address, 8)
print("done")
