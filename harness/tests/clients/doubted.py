"""A thread that waits for another one by a pipe, which nobody sees."""
import ctypes
import os
import threading

cuda = ctypes.CDLL("libcuda.so.1")
context, address = ctypes.c_void_p(), ctypes.c_uint64()
cuda.cuInit(0)
cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0)
cuda.cuCtxSetCurrent(context)
cuda.cuMemAlloc_v2(ctypes.byref(address), 64)


def free():
    cuda.cuCtxSetCurrent(context)
    cuda.cuMemFree_v2(address)
    os.write(end, b"x")


begin, end = os.pipe()
start = threading.Event()
thread = threading.Thread(target=lambda: (start.wait(), free()), name="freer")
thread.start()
start.set()
os.read(begin, 1)
cuda.cuMemsetD8_v2(address, 1, 64)
thread.join()
print("done")
