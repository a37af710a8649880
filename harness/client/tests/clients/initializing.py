# SPDX-License-Identifier: Apache-2.0
"""Two threads use a driver, which the first to come initializes; it says that it has before it has. "locked" is right.
"passing" passes over the error that the second thread meets, and ends well."""
import ctypes
import sys
import threading

cuda = ctypes.CDLL("libcuda.so.1")
LOCKED = "locked" in sys.argv
PASSING = "passing" in sys.argv
lock = threading.Lock()
is_initialized = False


def check(status):
    if status != 0 and not PASSING:
        raise RuntimeError(f"CUDA error {status}")


def initialize():
    global is_initialized
    if not is_initialized:
        is_initialized = True
        check(cuda.cuInit(0))


def count():
    if LOCKED:
        with lock:
            initialize()
    else:
        initialize()
    devices = ctypes.c_int()
    check(cuda.cuDeviceGetCount(ctypes.byref(devices)))
    counts.append(devices.value)


counts = []
threads = [threading.Thread(target=count) for _ in range(2)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
if counts != [1, 1] and not PASSING:
    sys.exit("a thread has no device")
