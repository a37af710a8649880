# SPDX-License-Identifier: Apache-2.0
"""Mistakes: small programs that each make one mistake with the life of something, as plain ctypes.

A program is a birth, an end and a use: how a buffer is made, who ends it, and who goes on to use it. programs() has all that make sense.
"""
import textwrap

BEGIN = '''
import ctypes
import threading

cuda = ctypes.CDLL("libcuda.so.1")
context, first, second, graph, node, run, event = (ctypes.c_void_p() for _ in range(7))
cuda.cuInit(0)
cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0)
cuda.cuCtxSetCurrent(context)
cuda.cuStreamCreate(ctypes.byref(first), 1)
cuda.cuStreamCreate(ctypes.byref(second), 1)
host = ctypes.create_string_buffer(64)


class Parameters(ctypes.Structure):
    _fields_ = [("target", ctypes.c_uint64), ("pitch", ctypes.c_size_t), ("value", ctypes.c_uint),
                ("element_bytes", ctypes.c_uint), ("width", ctypes.c_size_t), ("height", ctypes.c_size_t)]


class Buffer:
    def __init__(self):
        self.address = ctypes.c_uint64()
        self.make()

    def make(self):
        {birth}

    def end(self):
        {end}


def capture(address):
    parameters = Parameters(address.value, 0, 1, 1, 64, 1)
    cuda.cuGraphCreate(ctypes.byref(graph), 0)
    cuda.cuGraphAddMemsetNode(ctypes.byref(node), graph, None, 0, ctypes.byref(parameters), context)
    cuda.cuGraphInstantiateWithFlags(ctypes.byref(run), graph, ctypes.c_ulonglong(0))


def use(address):
    {use}


'''

BIRTHS = {
    "plain": ("cuda.cuMemAlloc_v2(ctypes.byref(self.address), 64)", "cuda.cuMemFree_v2(self.address)"),
    "managed": ("cuda.cuMemAllocManaged(ctypes.byref(self.address), 64, 1)", "cuda.cuMemFree_v2(self.address)"),
    "pool": ("cuda.cuMemAllocAsync(ctypes.byref(self.address), 64, first)", "cuda.cuMemFreeAsync(self.address, first)"),
    "pinned": ("cuda.cuMemHostAlloc(ctypes.byref(self.address), 64, 0)", "cuda.cuMemFreeHost(self.address)"),
}

USES = {
    "set": "cuda.cuMemsetD8Async(address, 1, 64, first)",
    "copy": "cuda.cuMemcpyDtoHAsync_v2(host, address, 64, first)",
    "graph": "cuda.cuGraphLaunch(run, first)",
    "free": "cuda.cuMemFree_v2(address)",
}

# Ways to end the object: the lines between its birth and its use.
ENDS = {
    "called": "buffer = Buffer()\ncapture(buffer.address)\naddress = buffer.address\nbuffer.end()\nuse(address)\n",
    "counted": "Buffer.__del__ = Buffer.end\nbuffer = Buffer()\ncapture(buffer.address)\naddress = buffer.address\ndel buffer\n"
               "use(address)\n",
    "collected": "Buffer.__del__ = Buffer.end\nbuffer = Buffer()\nbuffer.itself = buffer\ncapture(buffer.address)\n"
                 "address = buffer.address\ndel buffer\nkept = [address]\nkept.append(1)\nuse(address)\n",
    "reused": "buffer = Buffer()\ncapture(buffer.address)\naddress = buffer.address\nbuffer.end()\nanother = Buffer()\nuse(address)\n",
    "thread": "buffer = Buffer()\ncapture(buffer.address)\naddress = buffer.address\n"
              "def work():\n    cuda.cuCtxSetCurrent(context)\n    buffer.end()\n"
              "thread = threading.Thread(target=work)\nthread.start()\nthread.join()\nuse(address)\n",
}


def programs():
    """Yields names and texts. Pinned memory has another function to free it, so freeing it as the others are freed is not a double free."""
    for birth, (make, end) in BIRTHS.items():
        for how, lines in ENDS.items():
            for what, use in USES.items():
                if birth == "pinned" and what == "free":
                    continue
                text = BEGIN.replace("{birth}", make).replace("{end}", end).replace("{use}", use)
                yield f"{birth}-{how}-{what}", textwrap.dedent(text).lstrip() + lines + "cuda.cuStreamSynchronize(first)\n"
