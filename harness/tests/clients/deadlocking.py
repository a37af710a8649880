"""Two threads take two locks in the opposite order. The argument says what happens instead: "fixed", one order; "timer", a timer ends the wait;
"child", a child does; "limited", the wait has a limit; "spinning", a thread waits by a loop."""
import ctypes
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
    if HOW == "spinning":
        while not lock.acquire(blocking=False):
            pass
    elif HOW == "limited":
        lock.acquire(timeout=1)
    else:
        lock.acquire()


def use(first, second):
    cuda.cuCtxSetCurrent(context)
    take(first)
    cuda.cuCtxSynchronize()
    take(second)
    for lock in first, second:
        if lock.locked():
            lock.release()


def let_go(*_):
    if right.locked():
        right.release()


if HOW == "timer":
    signal.signal(signal.SIGALRM, let_go)
    signal.setitimer(signal.ITIMER_REAL, 1)
elif HOW == "child":
    signal.signal(signal.SIGUSR1, let_go)
    subprocess.Popen(["sh", "-c", f"sleep 1; kill -USR1 {os.getpid()}"])
worker = threading.Thread(target=use, args=(left, right) if HOW == "fixed" else (right, left), name="worker")
worker.start()
use(left, right)
worker.join()
