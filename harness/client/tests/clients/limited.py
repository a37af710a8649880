# SPDX-License-Identifier: Apache-2.0
"""Python threads that wait with time limits.

The first argument names the wait. With "fixed", or in a sound program, no buffer is freed while it may be in use."""

import concurrent.futures
import ctypes
import os
import queue
import select
import sys
import threading
import time

cuda = ctypes.CDLL("libcuda.so.1")
context, stream = ctypes.c_void_p(), ctypes.c_void_p()
cuda.cuInit(0)
cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0)
cuda.cuCtxSetCurrent(context)
cuda.cuStreamCreate(ctypes.byref(stream), 1)
FIXED = "fixed" in sys.argv


def allocate():
    address = ctypes.c_uint64()
    cuda.cuMemAlloc_v2(ctypes.byref(address), 64)
    return address


def fill(address):
    cuda.cuCtxSetCurrent(context)
    cuda.cuMemsetD8Async(address, 1, 64, stream)
    cuda.cuStreamSynchronize(stream)


def transfer(tell, wait):
    """Fills a buffer in another thread, which then calls `tell`. Frees it after `wait`."""
    address = allocate()
    worker = threading.Thread(target=lambda: (fill(address), tell()), name="worker")
    worker.start()
    wait(worker)
    if FIXED:
        worker.join()
    cuda.cuMemFree_v2(address)
    worker.join()


def event():
    done = threading.Event()
    transfer(done.set, lambda _: done.wait(5))


def queued():
    results = queue.Queue()

    def wait(_):
        try:
            results.get(timeout=5)
        except queue.Empty:
            begun = time.monotonic()
            assert begun - BEGUN >= 5, "the clock does not show the limit"

    transfer(lambda: results.put(1), wait)


def acquired():
    lock = threading.Lock()
    lock.acquire()
    transfer(lock.release, lambda _: lock.acquire(timeout=2))


def joined():
    transfer(lambda: None, lambda worker: worker.join(timeout=5))


def future():
    address = allocate()
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        result = pool.submit(fill, address)
        try:
            result.result(timeout=5)
        except concurrent.futures.TimeoutError:
            if FIXED:
                result.result()
        cuda.cuMemFree_v2(address)


def piped():
    end, begin = os.pipe()
    transfer(lambda: os.write(begin, b"x"), lambda _: select.select([end], [], [], 3))


def slept():
    transfer(lambda: None, lambda _: time.sleep(0.12))


# ---- sound programs ----------------------------------------------------------


def server():
    requests = queue.Queue()

    def ask():
        cuda.cuCtxSetCurrent(context)
        for _ in range(3):
            requests.put(allocate())

    client = threading.Thread(target=ask)
    client.start()
    served = 0
    while served < 3:
        try:
            address = requests.get(timeout=0.5)
        except queue.Empty:
            continue
        fill(address)
        cuda.cuMemFree_v2(address)
        served += 1
    client.join()


def heartbeat():
    stopped, beats = threading.Event(), []

    def beat():
        while not stopped.wait(1):
            beats.append(time.monotonic())

    heart = threading.Thread(target=beat)
    heart.start()
    address = allocate()
    for _ in range(3):
        fill(address)
    cuda.cuMemFree_v2(address)
    stopped.set()
    heart.join()
    assert beats == sorted(beats)


def watchdog():
    done = threading.Event()

    def watch():
        if not done.wait(10):
            os.abort()

    dog = threading.Thread(target=watch)
    dog.start()
    address = allocate()
    for _ in range(3):
        fill(address)
    cuda.cuMemFree_v2(address)
    done.set()
    dog.join()


def joins():
    address = allocate()
    worker = threading.Thread(target=fill, args=(address,))
    worker.start()
    while worker.is_alive():
        worker.join(timeout=0.2)
    cuda.cuMemFree_v2(address)


def gives_up():
    address = allocate()
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        pool.submit(fill, address).result(timeout=5)
    cuda.cuMemFree_v2(address)


def timer():
    late = threading.Timer(30, os._exit, [9])
    late.start()
    address = allocate()
    fill(address)
    cuda.cuMemFree_v2(address)
    late.cancel()
    late.join()


BEGUN = time.monotonic()
globals()[sys.argv[1]]()
