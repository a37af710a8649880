# SPDX-License-Identifier: Apache-2.0
"""Two processes that share memory and events of a device, with what is wrong in one of them, or a sound twin.

Usage: peers.py HOW DEFECT [sound]      HOW is how the second process starts: exec, fork, spawn (multiprocessing)
or mpirun (both are started). Each defect is a function of its own below, of the exporter and the importer.
"""
import ctypes
import multiprocessing
import os
import socket
import subprocess
import sys

cuda = ctypes.CDLL("libcuda.so.1")
BYTES = 4096


class Handle(ctypes.Structure):
    _fields_ = [("reserved", ctypes.c_char * 64)]


def call(name, *arguments):
    status = getattr(cuda, name)(*arguments)
    if status != 0:
        print(f"{name} returned {status}", file=sys.stderr)
    return status


def start():
    context = ctypes.c_void_p()
    call("cuInit", 0)
    call("cuDevicePrimaryCtxRetain", ctypes.byref(context), 0)
    call("cuCtxSetCurrent", context)


def stream():
    made = ctypes.c_void_p()
    call("cuStreamCreate", ctypes.byref(made), 1)
    return made


def allocate(count=BYTES):
    address = ctypes.c_uint64()
    call("cuMemAlloc_v2", ctypes.byref(address), count)
    return address


def event():
    made = ctypes.c_void_p()
    call("cuEventCreate", ctypes.byref(made), 6)  # Interprocess, no timing.
    return made


def exported(address):
    handle = Handle()
    call("cuIpcGetMemHandle", ctypes.byref(handle), address)
    return bytes(handle)


def exported_event(made):
    handle = Handle()
    call("cuIpcGetEventHandle", ctypes.byref(handle), made)
    return bytes(handle)


def opened(raw):
    address = ctypes.c_uint64()
    call("cuIpcOpenMemHandle_v2", ctypes.byref(address), Handle.from_buffer_copy(raw), 1)
    return address


def opened_event(raw):
    made = ctypes.c_void_p()
    call("cuIpcOpenEventHandle", ctypes.byref(made), Handle.from_buffer_copy(raw))
    return made


class Peer:
    """The other process, by a socket."""

    def __init__(self, end):
        self.end = end

    def tell(self, raw=b"x"):
        self.end.sendall(raw)

    def hear(self, count=1):
        raw = b""
        while len(raw) < count:
            part = self.end.recv(count - len(raw))
            if not part:
                return None
            raw += part
        return raw


# ---- defects: (exporter, importer) --------------------------------------------------------------


def freed_before_close(peer, sound):
    """The exporter frees while the importer still uses the memory."""
    memory = allocate()
    peer.tell(exported(memory))
    peer.hear()  # It is open.
    if sound:
        peer.tell()
        peer.hear()  # It is closed.
    call("cuMemFree_v2", memory)
    if not sound:
        peer.tell()
    peer.hear()


def freed_before_close_importer(peer, sound):
    mapped = opened(peer.hear(64))
    peer.tell()
    peer.hear()
    call("cuMemsetD8_v2", mapped, 1, 64)
    call("cuCtxSynchronize")
    call("cuIpcCloseMemHandle", mapped)
    peer.tell()


def opened_twice(peer, sound):
    """The importer opens twice and closes once: the memory stays open when the exporter frees it."""
    memory = allocate()
    peer.tell(exported(memory))
    peer.hear()
    call("cuMemFree_v2", memory)
    peer.tell()


def opened_twice_importer(peer, sound):
    handle = peer.hear(64)
    first, second = opened(handle), opened(handle)
    call("cuMemsetD8_v2", first, 1, 64)
    call("cuCtxSynchronize")
    call("cuIpcCloseMemHandle", first)
    if sound:
        call("cuIpcCloseMemHandle", second)
    peer.tell()
    peer.hear()


def closed_twice(peer, sound):
    """The importer closes twice what it opened once."""
    memory = allocate()
    peer.tell(exported(memory))
    peer.hear()
    call("cuMemFree_v2", memory)


def closed_twice_importer(peer, sound):
    mapped = opened(peer.hear(64))
    call("cuMemsetD8_v2", mapped, 1, 64)
    call("cuCtxSynchronize")
    call("cuIpcCloseMemHandle", mapped)
    if not sound:
        call("cuIpcCloseMemHandle", mapped)
    peer.tell()


def event_of_ended(peer, sound):
    """The importer waits for an event of a process that has ended."""
    work, done = stream(), event()
    memory = allocate()
    call("cuMemsetD8Async", memory, 1, 64, work)
    call("cuEventRecord", done, work)
    peer.tell(exported_event(done))
    peer.hear()  # It is open.
    if sound:
        peer.hear()
    peer.end.close()


def event_of_ended_importer(peer, sound):
    done, work = opened_event(peer.hear(64)), stream()
    peer.tell()
    if not sound:
        while peer.hear() is not None:
            pass
        if child is not None:
            child()
    call("cuStreamWaitEvent", work, done, 0)
    call("cuEventDestroy_v2", done)
    if sound:
        peer.tell()


def reused_while_copied(peer, sound):
    """The exporter writes again while the importer still copies: it was told too early."""
    memory = allocate()
    call("cuMemsetD8_v2", memory, 1, BYTES)
    call("cuCtxSynchronize")
    peer.tell(exported(memory))
    for value in range(2, 4):
        peer.hear()
        call("cuMemsetD8_v2", memory, value, BYTES)
        call("cuCtxSynchronize")
        peer.tell()
    peer.hear()
    call("cuMemFree_v2", memory)


def reused_while_copied_importer(peer, sound):
    mapped, own, work = opened(peer.hear(64)), allocate(), stream()
    for _ in range(2):
        call("cuMemcpyDtoDAsync_v2", own, mapped, ctypes.c_size_t(BYTES), work)
        if sound:
            call("cuStreamSynchronize", work)
        peer.tell()
        peer.hear()
    call("cuStreamSynchronize", work)
    call("cuIpcCloseMemHandle", mapped)
    peer.tell()


def read_too_early(peer, sound):
    """Nothing orders the importer's copy after the exporter's write: a message orders no device work."""
    memory, work, done = allocate(), stream(), event()
    peer.tell(exported(memory) + exported_event(done))
    peer.hear()
    call("cuMemsetD8Async", memory, 7, BYTES, work)
    call("cuEventRecord", done, work)
    peer.tell()
    peer.hear()
    call("cuStreamSynchronize", work)
    call("cuMemFree_v2", memory)


def read_too_early_importer(peer, sound):
    raw = peer.hear(128)
    mapped, written = opened(raw[:64]), opened_event(raw[64:])
    own, work = allocate(), stream()
    peer.tell()
    peer.hear()
    if sound:
        call("cuStreamWaitEvent", work, written, 0)
    call("cuMemcpyDtoDAsync_v2", own, mapped, ctypes.c_size_t(BYTES), work)
    call("cuStreamSynchronize", work)
    call("cuIpcCloseMemHandle", mapped)
    peer.tell()


def ends_too_early(peer, sound):
    """The exporter ends while the importer may still use its memory: whether it does is a matter of who is slow."""
    memory = allocate()
    call("cuMemsetD8_v2", memory, 1, BYTES)
    call("cuCtxSynchronize")
    peer.tell(exported(memory))
    peer.hear()
    if sound:
        peer.hear()
    call("cuCtxSynchronize")


def ends_too_early_importer(peer, sound):
    mapped = opened(peer.hear(64))
    peer.tell()
    for value in range(4):
        call("cuMemsetD8_v2", mapped, value, 64)
    call("cuCtxSynchronize")
    call("cuIpcCloseMemHandle", mapped)
    if sound:
        peer.tell()


# ---- how the second process starts --------------------------------------------------------------

OF_ENDED = {"event_of_ended", "ends_too_early"}  # The second process exports, and ends first.
child = None  # Waits for the other process, where this one has started it.


def run(end, name, sound):
    start()
    globals()[name](Peer(end), sound)
    sys.stdout.flush()


def main():
    global child
    how, defect, sound = sys.argv[1], sys.argv[2], "sound" in sys.argv[3:]
    if how == "as":  # What exec starts.
        run(socket.socket(fileno=int(sys.argv[4])), defect, sound)
        return
    if how == "mpirun":
        mpirun(defect, sound)
        return
    ours, theirs = socket.socketpair()
    first, second = (defect + "_importer", defect) if defect in OF_ENDED else (defect, defect + "_importer")
    if how == "exec":
        words = [sys.executable, __file__, "as", second, "sound" if sound else "defect", str(theirs.fileno())]
        other = subprocess.Popen(words, pass_fds=[theirs.fileno()])
        child = other.wait
    elif how == "fork":
        number = os.fork()
        if number == 0:
            ours.close()
            run(theirs, second, sound)
            os._exit(0)
        child = lambda: os.waitpid(number, 0)
    else:
        context = multiprocessing.get_context(how)
        other = context.Process(target=run, args=(theirs, second, sound))
        other.start()
        child = other.join
    theirs.close()
    run(ours, first, sound)
    if not (defect == "event_of_ended" and not sound):
        child()


def mpirun(defect, sound):
    """Rank 0 exports; both meet at a socket that the folder of the run has."""
    rank = int(os.environ["OMPI_COMM_WORLD_RANK"])
    name = "\0peers-" + os.environ.get("OMPI_MCA_ess_base_jobid", os.environ.get("PMIX_NAMESPACE", "one"))
    if rank == 0:
        door = socket.socket(socket.AF_UNIX)
        door.bind(name)
        door.listen(1)
        run(door.accept()[0], defect, sound)
        return
    end = socket.socket(socket.AF_UNIX)
    while end.connect_ex(name) != 0:
        pass
    run(end, defect + "_importer", sound)


if __name__ == "__main__":
    main()
