# SPDX-License-Identifier: Apache-2.0
"""A buffer whose error path frees what a caller goes on to use."""
import ctypes

cuda = ctypes.CDLL("libcuda.so.1")


def check(status):
    if status != 0:
        raise RuntimeError(f"CUDA error {status}")


context, stream = ctypes.c_void_p(), ctypes.c_void_p()
check(cuda.cuInit(0))
check(cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0))
check(cuda.cuCtxSetCurrent(context))
check(cuda.cuStreamCreate(ctypes.byref(stream), 1))


def allocate():
    address = ctypes.c_uint64()
    check(cuda.cuMemAlloc_v2(ctypes.byref(address), 64))
    return address


def allocate_second(first):
    try:
        return allocate()  # The second.
    except RuntimeError:
        cuda.cuMemFree_v2(first)
        return None


first = allocate()
second = allocate_second(first)
check(cuda.cuMemsetD8Async(first, 1, 64, stream))
check(cuda.cuStreamSynchronize(stream))
print("done")
