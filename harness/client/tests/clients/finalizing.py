# SPDX-License-Identifier: Apache-2.0
"""Has a host function of Python's called while the interpreter finalizes, which ends the thread that calls it, or blocks it."""
import ctypes
import time

cuda = ctypes.CDLL("libcuda.so.1")
context = ctypes.c_void_p()
cuda.cuInit(0)
cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0)
cuda.cuCtxSetCurrent(context)


@ctypes.CFUNCTYPE(None, ctypes.c_void_p)
def is_never_called(_):
    print("called", flush=True)


class UsesDriverAtTheEnd:
    """Its finalizer runs once the module goes."""

    def __init__(self):
        self.kept = cuda, ctypes, is_never_called, time.sleep, print

    def __del__(self):
        driver, types, function, sleep, write = self.kept
        driver.cuLaunchHostFunc(None, function, None)
        sleep(0.1)
        address = types.c_uint64()
        write("allocated", driver.cuMemAlloc_v2(types.byref(address), 64), flush=True)


at_the_end = UsesDriverAtTheEnd()
