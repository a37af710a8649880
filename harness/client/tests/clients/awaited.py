# SPDX-License-Identifier: Apache-2.0
"""Reads pinned and managed memory in all the ways in which a program may know that a copy into it is done."""
import ctypes
import threading

cuda = ctypes.CDLL("libcuda.so.1")
BYTES = 64


def check(status):
    if status != 0:
        raise RuntimeError(f"CUDA error {status}")


def new(function, *arguments):
    made = ctypes.c_void_p()
    check(function(ctypes.byref(made), *arguments))
    return made


check(cuda.cuInit(0))
context = new(cuda.cuDevicePrimaryCtxRetain, 0)
check(cuda.cuCtxSetCurrent(context))
blocking, other = new(cuda.cuStreamCreate, 0), new(cuda.cuStreamCreate, 1)
source = new(cuda.cuMemAlloc_v2, BYTES)
check(cuda.cuMemsetD8_v2(source, 7, BYTES))
check(cuda.cuCtxSynchronize())


def by_stream(target, stream):
    check(cuda.cuStreamSynchronize(stream))


def by_context(target, stream):
    check(cuda.cuCtxSynchronize())


def by_event(target, stream):
    event = new(cuda.cuEventCreate, 2)
    check(cuda.cuEventRecord(event, stream))
    check(cuda.cuEventSynchronize(event))


def by_query(target, stream):
    while cuda.cuStreamQuery(stream) != 0:
        pass


def by_another_stream(target, stream):
    event = new(cuda.cuEventCreate, 2)
    third = new(cuda.cuStreamCreate, 1)
    check(cuda.cuEventRecord(event, stream))
    check(cuda.cuStreamWaitEvent(third, event, 0))
    check(cuda.cuStreamSynchronize(third))


def by_copy(target, stream):
    """A synchronous copy on the default stream, which waits for all that are blocking."""
    if stream is not blocking:
        return by_stream(target, stream)
    check(cuda.cuMemcpyDtoH_v2((ctypes.c_uint8 * BYTES)(), source, BYTES))


def by_function(target, stream):
    told = threading.Event()
    seen = []

    @ctypes.CFUNCTYPE(None, ctypes.c_void_p)
    def look(_):
        seen.append(bytes_of(target)[0])
        told.set()

    check(cuda.cuLaunchHostFunc(stream, look, None))
    told.wait()
    if seen != [7]:
        raise RuntimeError(f"the host function saw {seen}")


def bytes_of(memory):
    return (ctypes.c_uint8 * BYTES).from_address(memory.value)


def copied(target, stream):
    check(cuda.cuMemcpyAsync(target, source, BYTES, stream))


for memory in new(cuda.cuMemAllocHost_v2, BYTES), new(cuda.cuMemAllocManaged, BYTES, 1):
    for stream in blocking, other:
        for wait in by_stream, by_context, by_event, by_query, by_another_stream, by_copy, by_function:
            bytes_of(memory)[0] = 0
            copied(memory, stream)
            wait(memory, stream)
            if bytes_of(memory)[0] != 7:
                raise RuntimeError(f"{wait.__name__}: {bytes_of(memory)[0]}")
    check(cuda.cuMemcpyDtoH_v2(memory, source, BYTES))
    bytes_of(memory)[0] += 1
    check(cuda.cuMemcpyHtoD_v2(source, memory, BYTES))
    bytes_of(memory)[0] -= 1
    check(cuda.cuMemsetD8_v2(memory, 7, BYTES))
    check(cuda.cuCtxSynchronize())
    check(cuda.cuMemcpyHtoD_v2(source, memory, BYTES))
    check(cuda.cuCtxSynchronize())
print("done")
