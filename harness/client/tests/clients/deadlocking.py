# SPDX-License-Identifier: Apache-2.0
"""Two threads take two locks in the opposite order. The argument says what happens instead: "fixed", one order; "timer", a timer ends the wait;
"child", a child does; "limited", the wait has a limit; "spinning", the main thread loops for ever."""
import contextlib
import ctypes
import itertools
import os
import signal
import subprocess
import sys
import threading

cuda = ctypes.CDLL("libcuda.so.1")
context = ctypes.c_void_p()
cuda.cuInit(0)
cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0)
HOW = sys.argv[1] if len(sys.argv) > 1 else ""
left, right = threading.Lock(), threading.Lock()


def take(lock):
    if HOW == "spinning" and lock.locked() and threading.current_thread() is not worker:
        all(itertools.repeat(True))
    elif HOW == "limited":
        lock.acquire(timeout=0.5)
    else:
        lock.acquire()


def use(first, second):
    cuda.cuCtxSetCurrent(context)
    take(first)
    cuda.cuCtxSynchronize()
    take(second)
    let_go(first)
    let_go(second)


def let_go(lock):
    with contextlib.suppress(RuntimeError):  # It is free.
        lock.release()


if HOW == "timer":
    signal.signal(signal.SIGALRM, lambda *_: let_go(right))
    signal.setitimer(signal.ITIMER_REAL, 0.5, 0.5)
elif HOW == "child":
    signal.signal(signal.SIGUSR1, lambda *_: let_go(right))
    subprocess.Popen(["sh", "-c", f"while sleep 0.5 && kill -USR1 {os.getpid()}; do :; done"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
worker = threading.Thread(target=use, args=(left, right) if HOW == "fixed" else (right, left), name="worker")
worker.start()
use(left, right)
worker.join()
