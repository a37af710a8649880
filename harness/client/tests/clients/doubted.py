# SPDX-License-Identifier: Apache-2.0
"""A thread that waits for another one by the lock of a file, which no one sees."""
import ctypes
import fcntl
import tempfile
import threading

cuda = ctypes.CDLL("libcuda.so.1")
context, address = ctypes.c_void_p(), ctypes.c_uint64()
cuda.cuInit(0)
cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0)
cuda.cuCtxSetCurrent(context)
cuda.cuMemAlloc_v2(ctypes.byref(address), 64)


def free():
    with open(file.name) as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        is_held.set()
        start.wait()
        cuda.cuCtxSetCurrent(context)
        cuda.cuMemFree_v2(address)


file = tempfile.NamedTemporaryFile()
is_held, start = threading.Event(), threading.Event()
thread = threading.Thread(target=free, name="freer")
thread.start()
is_held.wait()
start.set()
fcntl.flock(file, fcntl.LOCK_EX)
cuda.cuMemsetD8_v2(address, 1, 64)
thread.join()
print("done")
