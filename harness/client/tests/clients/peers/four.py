# SPDX-License-Identifier: Apache-2.0
"""Four processes in a ring: each reads the memory of the one before it and writes its own, ordered by events.

Usage: four.py ROUNDS [FLAGS]       FLAGS is a file with a byte for each process: 1 while it is in a call of the driver
"""
import ctypes
import mmap
import os
import socket
import subprocess
import sys

import peers

COUNT = 4
flags = None
me = 0


class Gone(Exception):
    """A neighbour is."""


def call(name, *arguments):
    if flags is not None:
        flags[me] = 1
    status = getattr(peers.cuda, name)(*arguments)
    if flags is not None:
        flags[me] = 0
    if status != 0:
        raise Gone(name)
    return status


def hear(peer, count=1):
    raw = peer.hear(count)
    if raw is None:
        raise Gone("its end")
    return raw


def leave(before, after, work, theirs):
    """Uses nothing of its neighbours any more, says so, and ends once both have said so."""
    try:
        if theirs is not None:
            call("cuStreamSynchronize", work)
            call("cuIpcCloseMemHandle", theirs)
    except Gone:
        pass
    for peer in (before, after):
        try:
            peer.end.shutdown(socket.SHUT_WR)
        except OSError:
            pass
    for peer in (before, after):
        try:
            while peer.hear() is not None:
                pass
        except OSError:
            pass


def ring(rounds, before, after):
    """Goes on until a neighbour is gone. Returns the number of whole rounds."""
    peers.call = call
    done, work, theirs = 0, None, None
    try:
        peers.start()
        own, into, work = peers.allocate(), peers.allocate(), peers.stream()
        written, read = peers.event(), peers.event()
        after.tell(peers.exported(own) + peers.exported_event(written))
        raw = hear(before, 128)
        theirs, theirs_written = peers.opened(raw[:64]), peers.opened_event(raw[64:])
        before.tell(peers.exported_event(read))
        theirs_read = peers.opened_event(hear(after, 64))
        for number in range(rounds):
            if number:
                call("cuStreamWaitEvent", work, theirs_read, 0)
            call("cuMemsetD8Async", own, number, peers.BYTES, work)
            call("cuEventRecord", written, work)
            after.tell()
            hear(before)
            call("cuStreamWaitEvent", work, theirs_written, 0)
            call("cuMemcpyDtoDAsync_v2", into, theirs, ctypes.c_size_t(peers.BYTES), work)
            call("cuEventRecord", read, work)
            before.tell()
            hear(after)
            done += 1
        call("cuStreamSynchronize", work)
        call("cuIpcCloseMemHandle", theirs)
        before.tell()
        hear(after)
        call("cuMemFree_v2", own)
    except (Gone, OSError):
        leave(before, after, work, theirs)
    return done


def main():
    global flags, me
    rounds, name = int(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else ""
    numbers = [int(word) for word in sys.argv[3:6]]
    if name:
        file = open(name, "r+b")
        flags = mmap.mmap(file.fileno(), COUNT)
    others = []
    if numbers:
        me, before, after = numbers[0], *(socket.socket(fileno=number) for number in numbers[1:])
    else:
        pairs = [socket.socketpair() for _ in range(COUNT)]  # Between each and the next.
        for each in range(1, COUNT):
            ends = [pairs[each - 1][1].fileno(), pairs[each][0].fileno()]
            words = [sys.executable, __file__, str(rounds), name, str(each), *map(str, ends)]
            others.append(subprocess.Popen(words, pass_fds=ends))
        before, after = pairs[COUNT - 1][1], pairs[0][0]
        for each in range(COUNT):
            for end in pairs[each]:
                if end not in (before, after):
                    end.close()
    done = ring(rounds, peers.Peer(before), peers.Peer(after))
    before.close()
    after.close()
    for other in others:
        other.wait()
    if not numbers:
        print("rounds", done)


if __name__ == "__main__":
    main()
