# SPDX-License-Identifier: Apache-2.0
"""Two processes that share memory by files: created memory (vmm) or memory of a pool, with what is wrong or sound.

Usage: files.py WHAT [sound]      WHAT is a function of its own below. The second process is forked; a socket carries files.
Prints what the importer reads.
"""
import array
import ctypes
import os
import socket
import sys

from peers import BYTES, allocate, call, cuda, start, stream

UNIT = 2 << 20
FILE = 1  # CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR


class Properties(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int), ("handles", ctypes.c_int), ("location", ctypes.c_int * 2), ("rest", ctypes.c_char * 16)]


class PoolProperties(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int), ("handles", ctypes.c_int), ("location", ctypes.c_int * 2), ("rest", ctypes.c_char * 72)]


class Access(ctypes.Structure):
    _fields_ = [("location", ctypes.c_int * 2), ("flags", ctypes.c_int)]


def send_file(end, file):
    end.sendmsg([b"f"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [file]))])
    os.close(file)


def receive_file(end):
    _, found, _, _ = end.recvmsg(1, socket.CMSG_LEN(4))
    return array.array("i", found[0][2])[0]


def mapped(handle):
    address = ctypes.c_uint64()
    call("cuMemAddressReserve", ctypes.byref(address), ctypes.c_size_t(UNIT), ctypes.c_size_t(0), ctypes.c_uint64(0), ctypes.c_uint64(0))
    call("cuMemMap", address, ctypes.c_size_t(UNIT), ctypes.c_size_t(0), handle, ctypes.c_uint64(0))
    access = Access((1, 0), 3)
    call("cuMemSetAccess", address, ctypes.c_size_t(UNIT), ctypes.byref(access), ctypes.c_size_t(1))
    return address


def unmapped(address, handle):
    call("cuMemUnmap", address, ctypes.c_size_t(UNIT))
    call("cuMemAddressFree", address, ctypes.c_size_t(UNIT))
    call("cuMemRelease", handle)


def created(end):
    """Returns memory of this process that the other one was sent."""
    handle, file = ctypes.c_uint64(), ctypes.c_int()
    properties = Properties(1, FILE, (1, 0))
    call("cuMemCreate", ctypes.byref(handle), ctypes.c_size_t(UNIT), ctypes.byref(properties), ctypes.c_uint64(0))
    call("cuMemExportToShareableHandle", ctypes.byref(file), handle, FILE, ctypes.c_uint64(0))
    send_file(end, file.value)
    return handle


def imported(end):
    handle, file = ctypes.c_uint64(), receive_file(end)
    call("cuMemImportFromShareableHandle", ctypes.byref(handle), ctypes.c_void_p(file), FILE)
    os.close(file)
    return handle


def fill(address, value, on=None):
    call("cuMemsetD8Async", address, value, ctypes.c_size_t(64), on)


def show(address):
    read = ctypes.create_string_buffer(64)
    call("cuMemcpyDtoH_v2", read, address, ctypes.c_size_t(64))
    print("reads", read.raw[0], flush=True)


# ---- what is shared: (exporter, importer) -------------------------------------------------------


def created_memory(end, sound):
    """The exporter writes again while the importer copies. It lets go first, and the memory stays."""
    handle = created(end)
    address, on = mapped(handle), stream()
    fill(address, 7, on)
    call("cuStreamSynchronize", on)
    end.sendall(b"x")
    end.recv(1)
    fill(address, 8, on)
    call("cuStreamSynchronize", on)
    unmapped(address, handle)
    end.sendall(b"x")
    end.recv(1)


def created_memory_importer(end, sound):
    handle = imported(end)
    address, on, copy = mapped(handle), stream(), allocate()
    end.recv(1)
    call("cuMemcpyDtoDAsync_v2", copy, address, ctypes.c_size_t(64), on)
    if sound:
        call("cuStreamSynchronize", on)
    end.sendall(b"x")
    call("cuStreamSynchronize", on)
    show(copy)
    end.recv(1)
    unmapped(address, handle)
    end.sendall(b"x")


def created_ends(end, sound):
    """The exporter ends before the importer maps; the memory stays. The importer uses it after its unmap."""
    handle = created(end)
    address = mapped(handle)
    fill(address, 9)
    call("cuCtxSynchronize")
    end.sendall(b"x")


def created_ends_importer(end, sound):
    file = receive_file(end)
    while end.recv(1):
        pass
    handle = ctypes.c_uint64()
    call("cuMemImportFromShareableHandle", ctypes.byref(handle), ctypes.c_void_p(file), FILE)
    address = mapped(handle)
    show(address)
    if not sound:
        call("cuMemUnmap", address, ctypes.c_size_t(UNIT))
        show(address)


def pool(end):
    made, file = ctypes.c_void_p(), ctypes.c_int()
    properties = PoolProperties(1, FILE, (1, 0))
    call("cuMemPoolCreate", ctypes.byref(made), ctypes.byref(properties))
    call("cuMemPoolExportToShareableHandle", ctypes.byref(file), made, FILE, ctypes.c_uint64(0))
    send_file(end, file.value)
    return made


def pool_memory(end, sound):
    """The exporter frees memory of a pool that the importer has open."""
    made, on, address, data = pool(end), stream(), ctypes.c_uint64(), ctypes.create_string_buffer(64)
    call("cuMemAllocFromPoolAsync", ctypes.byref(address), ctypes.c_size_t(BYTES), made, on)
    fill(address, 5, on)
    call("cuStreamSynchronize", on)
    call("cuMemPoolExportPointer", data, address)
    end.sendall(data.raw)
    end.recv(1)  # It is open.
    if sound:
        end.recv(1)  # It is closed.
    call("cuMemFreeAsync", address, on)
    call("cuStreamSynchronize", on)
    end.sendall(b"x")
    end.recv(1)


def pool_memory_importer(end, sound):
    made, file, address, on = ctypes.c_void_p(), receive_file(end), ctypes.c_uint64(), stream()
    call("cuMemPoolImportFromShareableHandle", ctypes.byref(made), ctypes.c_void_p(file), FILE, ctypes.c_uint64(0))
    data = ctypes.create_string_buffer(end.recv(64, socket.MSG_WAITALL), 64)
    call("cuMemPoolImportPointer", ctypes.byref(address), made, data)
    refused = cuda.cuMemAllocFromPoolAsync(ctypes.byref(ctypes.c_uint64()), ctypes.c_size_t(BYTES), made, on)
    print("allocates", refused, flush=True)
    show(address)
    end.sendall(b"x")
    if sound:
        call("cuMemFreeAsync", address, on)
        call("cuStreamSynchronize", on)
        end.sendall(b"x")
    end.recv(1)
    if not sound:
        show(address)
    end.sendall(b"x")


def main():
    name, sound = sys.argv[1], "sound" in sys.argv
    ours, theirs = socket.socketpair()
    child, parent = (name, name + "_importer") if name == "created_ends" else (name + "_importer", name)
    if os.fork() == 0:
        ours.close()
        start()
        globals()[child](theirs, sound)
        os._exit(0)
    theirs.close()
    start()
    globals()[parent](ours, sound)
    ours.close()
    os.wait()


main()
