# SPDX-License-Identifier: Apache-2.0
"""A child of fork() that frees twice, and a parent that uses what it freed. Neither had a driver before the fork."""
import ctypes
import os

cuda = ctypes.CDLL("libcuda.so.1")
context, address = ctypes.c_void_p(), ctypes.c_uint64()
child = os.fork()
cuda.cuInit(0)
cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0)
cuda.cuCtxSetCurrent(context)
cuda.cuMemAlloc_v2(ctypes.byref(address), 64)
cuda.cuMemFree_v2(address)
if child == 0:
    cuda.cuMemFree_v2(address)
    os._exit(0)
os.waitpid(child, 0)
cuda.cuMemsetD8_v2(address, 1, 64)
