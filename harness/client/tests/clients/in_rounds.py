# SPDX-License-Identifier: Apache-2.0
"""Faults that each round of a loop has. "freed": memory that was taken and is freed on the default stream is used on another one.
"filled": a copy may still read what the next round fills. "ends_badly": a graph uses memory that was freed, and the program ends with 1;
with "rejected", it ends with 3 if nothing is freed. With "right" behind it, each waits for what it needs."""
import ctypes
import sys

cuda = ctypes.CDLL("libcuda.so.1")
HOW, RIGHT = sys.argv[1], "right" in sys.argv


def made(create, *arguments):
    handle = ctypes.c_void_p()
    assert create(ctypes.byref(handle), *arguments) == 0
    return handle


def waits(stream, other):
    event = made(cuda.cuEventCreate, 2)
    cuda.cuEventRecord(event, other)
    cuda.cuStreamWaitEvent(stream, event, 0)


def freed():
    for value in range(3):
        scratch = ctypes.c_uint64()
        cuda.cuMemAllocAsync(ctypes.byref(scratch), 64, first if RIGHT else None)
        cuda.cuMemsetD8Async(scratch, value, 64, first)  # A use.
        cuda.cuMemsetD8Async(scratch, value + 1, 64, first)  # The last use.
        cuda.cuMemFreeAsync(scratch, first if RIGHT else None)  # An end.


def filled():
    table, copy = ctypes.c_uint64(), ctypes.c_uint64()
    cuda.cuMemAlloc_v2(ctypes.byref(table), 64)
    cuda.cuMemAlloc_v2(ctypes.byref(copy), 64)
    for value in range(2):
        cuda.cuMemsetD8Async(table, value, 64, first)  # A fill.
        waits(second, first)
        cuda.cuMemcpyDtoDAsync_v2(copy, table, 64, second)  # A copy.
        if RIGHT:
            waits(first, second)


def ends_badly():
    memory = ctypes.c_uint64()
    cuda.cuMemAlloc_v2(ctypes.byref(memory), 64)
    cuda.cuStreamBeginCapture_v2(first, 2)
    cuda.cuMemsetD8Async(memory, 1, 64, first)
    graph = ctypes.c_void_p()
    cuda.cuStreamEndCapture(first, ctypes.byref(graph))
    run = made(cuda.cuGraphInstantiateWithFlags, graph, ctypes.c_ulonglong(0))
    if not RIGHT:
        cuda.cuMemFree_v2(memory)
    cuda.cuGraphLaunch(run, first)
    if cuda.cuStreamSynchronize(first) != 0:
        sys.exit(1)
    if "rejected" in sys.argv:
        sys.exit(3)


cuda.cuInit(0)
context = made(cuda.cuDevicePrimaryCtxRetain, 0)
cuda.cuCtxSetCurrent(context)
first, second = made(cuda.cuStreamCreate, 1), made(cuda.cuStreamCreate, 1)
{"freed": freed, "filled": filled, "ends_badly": ends_badly}[HOW]()
sys.exit(cuda.cuCtxSynchronize() != 0)
