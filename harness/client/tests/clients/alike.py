# SPDX-License-Identifier: Apache-2.0
"""Two functions that make the same mistake: they free on a stream that does not wait for the other one, which uses the memory.
"race": two streams write the same bytes. "late": one does so when it is freed. "twice": what is used after its end is freed by a call that is not the last to need it."""
import ctypes
import sys

cuda = ctypes.CDLL("libcuda.so.1")


def check(status):
    if status != 0:
        raise RuntimeError(f"CUDA error {status}")


def allocate(stream):
    address = ctypes.c_uint64()
    check(cuda.cuMemAllocAsync(ctypes.byref(address), 64, stream))
    check(cuda.cuStreamSynchronize(stream))
    return address


def encode():
    frame = allocate(one)
    check(cuda.cuMemsetD8Async(frame, 1, 64, two))
    check(cuda.cuMemFreeAsync(frame, one))


def decode():
    packet = allocate(one)
    check(cuda.cuMemsetD8Async(packet, 2, 64, two))
    check(cuda.cuMemFreeAsync(packet, one))


def race():
    frame = allocate(one)
    check(cuda.cuMemsetD8Async(frame, 3, 64, one))
    check(cuda.cuMemsetD8Async(frame, 4, 64, two))
    check(cuda.cuCtxSynchronize())


def late():
    address = ctypes.c_uint64()
    check(cuda.cuMemAlloc_v2(ctypes.byref(address), 64))
    check(cuda.cuMemsetD8_v2(address, 5, 64))
    check(cuda.cuMemsetD8Async(address, 6, 64, one))
    check(cuda.cuStreamSynchronize(one))
    check(cuda.cuMemFree_v2(address))


def twice():
    """Without the free, the program ends with another code."""
    address = ctypes.c_uint64()
    check(cuda.cuMemAlloc_v2(ctypes.byref(address), 64))
    cuda.cuMemFree_v2(address)
    cuda.cuMemsetD8Async(address, 5, 64, one)
    if cuda.cuMemFree_v2(address) == 0:
        sys.exit(7)


context, one, two = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
check(cuda.cuInit(0))
check(cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0))
check(cuda.cuCtxSetCurrent(context))
check(cuda.cuStreamCreate(ctypes.byref(one), 1))
check(cuda.cuStreamCreate(ctypes.byref(two), 1))
if "race" in sys.argv:
    race()
elif "late" in sys.argv:
    late()
elif "twice" in sys.argv:
    twice()
else:
    encode()
    check(cuda.cuCtxSynchronize())
    decode()
    check(cuda.cuCtxSynchronize())
