# SPDX-License-Identifier: Apache-2.0
"""Objects of which the collector makes an end, perhaps while a stream is captured: then the call fails, and no one looks at its status.
The first argument is the kind of object. With "retried", the program makes an end of them when the capture is over."""
import ctypes
import sys

cuda = ctypes.CDLL("libcuda.so.1")
RETRIED, FAILED = "retried" in sys.argv, []


def made(create, *arguments):
    handle = ctypes.c_void_p()
    assert create(ctypes.byref(handle), *arguments) == 0
    return handle


MAKE, END, REST = {
    "memory": (lambda: made(cuda.cuMemAlloc_v2, ctypes.c_size_t(64)), cuda.cuMemFree_v2, ()),
    "pooled": (lambda: made(cuda.cuMemAllocAsync, ctypes.c_size_t(64), None), cuda.cuMemFreeAsync, (None, )),
    "pinned": (lambda: made(cuda.cuMemHostAlloc, ctypes.c_size_t(64), 0), cuda.cuMemFreeHost, ()),
    "graph": (lambda: made(cuda.cuGraphInstantiateWithFlags, made(cuda.cuGraphCreate, 0), ctypes.c_ulonglong(0)), cuda.cuGraphExecDestroy, ()),
}[sys.argv[1]]


class Owner:
    def __init__(self):
        self.handle = MAKE()  # A birth.
        self.base = self

    def __del__(self):
        if END(self.handle, *REST) != 0:
            FAILED.append(self.handle)


def record():
    Owner()
    cuda.cuStreamBeginCapture_v2(stream, 0)
    for value in range(3):
        cuda.cuMemsetD8Async(kept, value, ctypes.c_size_t(64), stream)
    cuda.cuStreamEndCapture(stream, ctypes.byref(ctypes.c_void_p()))


cuda.cuInit(0)
context = made(cuda.cuDevicePrimaryCtxRetain, 0)
cuda.cuCtxSetCurrent(context)
stream, kept = made(cuda.cuStreamCreate, 1), made(cuda.cuMemAlloc_v2, ctypes.c_size_t(64))
record()
if RETRIED:
    for handle in FAILED:
        END(handle, *REST)
