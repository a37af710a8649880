# SPDX-License-Identifier: Apache-2.0
"""Memory is given back by a host function, under a lock that the program holds over calls, too. "unlocked" is right. "counting" only counts the
functions that have been called, and writes how many into a file."""
import ctypes
import sys
import threading

HOW = sys.argv[1] if len(sys.argv) > 1 else ""
cuda = ctypes.CDLL("libcuda.so.1")
context, stream = ctypes.c_void_p(), ctypes.c_void_p()
cuda.cuInit(0)
cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0)
cuda.cuCtxSetCurrent(context)
cuda.cuStreamCreate(ctypes.byref(stream), 1)
lock = threading.Lock()
unused, called = [], []


@ctypes.CFUNCTYPE(None, ctypes.c_void_p)
def give_back(block):
    called.append(block)
    if HOW != "counting":
        with lock:
            unused.append(block)


def trim():
    while len(unused) > 1:
        block = unused.pop()
        if HOW == "unlocked":
            lock.release()
        cuda.cuMemFree_v2(ctypes.c_uint64(block))
        if HOW == "unlocked":
            lock.acquire()


for _ in range(6):
    address = ctypes.c_uint64()
    with lock:
        trim()
    cuda.cuMemAlloc_v2(ctypes.byref(address), 64)
    cuda.cuMemsetD8Async(address, 1, 64, stream)
    cuda.cuLaunchHostFunc(stream, give_back, ctypes.c_void_p(address.value))
if HOW == "counting":
    with open(sys.argv[2], "a") as counts:
        counts.write(f"{len(called)}\n")
cuda.cuStreamSynchronize(stream)
