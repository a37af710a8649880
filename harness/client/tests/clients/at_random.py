# SPDX-License-Identifier: Apache-2.0
"""Fails at random, whatever our driver answers: at_random.py SOURCE END. The source is what differs from run to run."""
import ctypes
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import time
import uuid

cuda = ctypes.CDLL("libcuda.so.1")
context, address, stream = ctypes.c_void_p(), ctypes.c_uint64(), ctypes.c_void_p()


def counter():
    """Fails in every second run."""
    name = os.path.join(os.path.dirname(os.path.abspath(sys.argv[0])), "counter")
    with open(name, "ab") as file:
        file.write(b"x")
    return os.path.getsize(name)


def port():
    with socket.socket() as opened:
        opened.bind(("127.0.0.1", 0))
        return opened.getsockname()[1]


def child():
    """A race with another process."""
    started = time.perf_counter_ns()
    subprocess.run(["true"], check=True)
    return (time.perf_counter_ns() - started) // 1000


SOURCES = {"clock": time.time_ns, "perf": lambda: time.perf_counter_ns() // 100, "urandom": lambda: os.urandom(1)[0],
           "random": lambda: random.SystemRandom().getrandbits(8), "uuid": lambda: uuid.uuid4().int, "pid": os.getpid,
           "counter": counter, "port": port, "child": child, "name": lambda: sum(tempfile.mktemp().encode())}


def end(how):
    if how == "code":
        sys.exit(3)
    if how == "error":
        cuda.cuStreamDestroy_v2(stream)
        cuda.cuCtxSetCurrent(None)
        cuda.cuMemFree_v2(address)
    if how == "signal":
        os.kill(os.getpid(), signal.SIGSEGV)
    raise RuntimeError(f"failed at {time.time_ns()}")


cuda.cuInit(0)
cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0)
cuda.cuCtxSetCurrent(context)
cuda.cuStreamCreate(ctypes.byref(stream), 1)
cuda.cuMemAlloc_v2(ctypes.byref(address), 64)
cuda.cuMemsetD8Async(address, 1, 64, stream)
cuda.cuStreamSynchronize(stream)
if SOURCES[sys.argv[1]]() % 2:
    end(sys.argv[2])
