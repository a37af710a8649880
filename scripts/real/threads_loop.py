# SPDX-License-Identifier: Apache-2.0
"""The rounds of loop.py, in two threads that hand a buffer to and fro. Usage: threads_loop.py COUNT"""
import ctypes
import queue
import sys
import threading

cuda = ctypes.CDLL("libcuda.so.1")
context, stream = ctypes.c_void_p(), ctypes.c_void_p()
cuda.cuInit(0)
cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0)
cuda.cuCtxSetCurrent(context)
cuda.cuStreamCreate(ctypes.byref(stream), 1)
handed = queue.Queue(maxsize=16)


def use():
    cuda.cuCtxSetCurrent(context)
    while (address := handed.get()) is not None:
        cuda.cuMemsetD8Async(address, 1, ctypes.c_size_t(64), stream)
        cuda.cuMemFreeAsync(address, stream)


user = threading.Thread(target=use)
user.start()
for _ in range(int(sys.argv[1])):
    fresh = ctypes.c_uint64()
    cuda.cuMemAllocAsync(ctypes.byref(fresh), ctypes.c_size_t(64), stream)
    handed.put(fresh)
handed.put(None)
user.join()
cuda.cuStreamSynchronize(stream)
