# SPDX-License-Identifier: Apache-2.0
"""Waits for the work of one stream, and lets go of its memory on another one; meanwhile a host function of a third has been
called."""
import ctypes
import time

cuda = ctypes.CDLL("libcuda.so.1")
context, address = ctypes.c_void_p(), ctypes.c_uint64()
cuda.cuInit(0)
cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0)
cuda.cuCtxSetCurrent(context)
streams = [ctypes.c_void_p() for _ in range(3)]
for stream in streams:
    cuda.cuStreamCreate(ctypes.byref(stream), 1)
cuda.cuMemAllocAsync(ctypes.byref(address), 64, streams[0])
has_waited, has_been_called = False, False


@ctypes.CFUNCTYPE(None, ctypes.c_void_p)
def wait_for_the_program(_):
    while not has_waited:
        time.sleep(0.001)


@ctypes.CFUNCTYPE(None, ctypes.c_void_p)
def is_called_then(_):
    global has_been_called
    has_been_called = True


other = ctypes.c_uint64()
cuda.cuMemAlloc_v2(ctypes.byref(other), 64)
cuda.cuMemsetD8Async(other, 1, 64, streams[1])
cuda.cuLaunchHostFunc(streams[1], wait_for_the_program, None)
cuda.cuLaunchHostFunc(streams[1], is_called_then, None)
cuda.cuMemsetD8Async(address, 1, 64, streams[0])
cuda.cuStreamSynchronize(streams[0])
has_waited = True
while not has_been_called:
    time.sleep(0.001)
cuda.cuMemFreeAsync(address, streams[2])
cuda.cuCtxSynchronize()
