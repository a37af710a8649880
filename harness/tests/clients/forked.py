"""A child of fork() that frees what its parent allocated there, twice."""
import ctypes
import os

cuda = ctypes.CDLL("libcuda.so.1")
if os.fork() == 0:
    context, address = ctypes.c_void_p(), ctypes.c_uint64()
    cuda.cuInit(0)
    cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0)
    cuda.cuCtxSetCurrent(context)
    cuda.cuMemAlloc_v2(ctypes.byref(address), 64)
    cuda.cuMemFree_v2(address)
    cuda.cuMemFree_v2(address)
    os._exit(0)
cuda.cuInit(0)
os.wait()
