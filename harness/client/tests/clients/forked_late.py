# SPDX-License-Identifier: Apache-2.0
"""A child of fork() that goes on with the driver of its parent, which it has not, and a parent that uses what it freed."""
import ctypes
import os
import warnings

warnings.simplefilter("ignore", DeprecationWarning)  # From 3.12 on, fork() warns with the number of the process.
cuda = ctypes.CDLL("libcuda.so.1")
context, address = ctypes.c_void_p(), ctypes.c_uint64()
cuda.cuInit(0)
cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0)
cuda.cuCtxSetCurrent(context)
cuda.cuMemAlloc_v2(ctypes.byref(address), 64)
cuda.cuMemsetD8Async(address, 1, 64, None)
child = os.fork()
if child:
    os.waitpid(child, 0)
print("frees:", cuda.cuMemFree_v2(address), "begins again:", cuda.cuInit(0), flush=True)
if child == 0:
    os._exit(0)
cuda.cuMemsetD8_v2(address, 1, 64)
