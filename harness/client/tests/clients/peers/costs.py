# SPDX-License-Identifier: Apache-2.0
"""Two processes, the second forked: prints what a copy of the other's memory and an event of the other's cost, in microseconds."""
import ctypes
import os
import socket
import time

from peers import BYTES, Peer, allocate, call, event, exported, exported_event, opened, opened_event, start, stream

COUNT = 200


def measured(name, do):
    begin = time.perf_counter()
    for _ in range(COUNT):
        do()
    print(f"{name} {1e6 * (time.perf_counter() - begin) / COUNT:.0f}", flush=True)


def copy(to, source, on):
    call("cuMemcpyDtoDAsync_v2", to, source, ctypes.c_size_t(BYTES), on)
    call("cuStreamSynchronize", on)


def exporter(peer):
    memory, done, work = allocate(), event(), stream()
    own, other = allocate(), allocate()
    measured("own copy", lambda: copy(own, other, work))
    peer.tell(exported(memory) + exported_event(done))
    peer.hear()
    for _ in range(COUNT):
        call("cuEventRecord", done, work)
        peer.tell()
        peer.hear()


def importer(peer):
    raw, work, own = peer.hear(128), stream(), allocate()
    memory, done = opened(raw[:64]), opened_event(raw[64:])
    measured("copy of the other's", lambda: copy(own, memory, work))
    peer.tell()

    def meet():
        peer.hear()
        call("cuStreamWaitEvent", work, done, 0)
        call("cuStreamSynchronize", work)
        peer.tell()

    measured("event of the other's, there and back", meet)


def main():
    ours, theirs = socket.socketpair()
    if os.fork() == 0:
        start()
        importer(Peer(theirs))
        os._exit(0)
    start()
    exporter(Peer(ours))
    os.wait()


main()
