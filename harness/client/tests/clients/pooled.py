# SPDX-License-Identifier: Apache-2.0
"""Tasks of a pool of which the first frees a buffer, as each looks whether it has been freed, a moment before."""
import concurrent.futures
import ctypes

cuda = ctypes.CDLL("libcuda.so.1")
context, address = ctypes.c_void_p(), ctypes.c_uint64()
cuda.cuInit(0)
cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0)
cuda.cuCtxSetCurrent(context)
cuda.cuMemAlloc_v2(ctypes.byref(address), 64)
freed = []


def close(number):
    cuda.cuCtxSetCurrent(context)
    if not freed:
        cuda.cuMemFree_v2(address)
        freed.append(number)


with concurrent.futures.ThreadPoolExecutor(max_workers=2, thread_name_prefix="pool") as pool:
    list(pool.map(close, range(2)))
print("done", freed)
