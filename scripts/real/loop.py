# SPDX-License-Identifier: Apache-2.0
"""Allocates, sets and frees device memory again and again, as plain ctypes. Usage: loop.py COUNT"""
import ctypes
import sys

cuda = ctypes.CDLL("libcuda.so.1")
context, stream, address = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_uint64()
cuda.cuInit(0)
cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0)
cuda.cuCtxSetCurrent(context)
cuda.cuStreamCreate(ctypes.byref(stream), 1)
for _ in range(int(sys.argv[1])):
    cuda.cuMemAllocAsync(ctypes.byref(address), ctypes.c_size_t(64), stream)
    cuda.cuMemsetD8Async(address, 1, ctypes.c_size_t(64), stream)
    cuda.cuMemFreeAsync(address, stream)
cuda.cuStreamSynchronize(stream)
