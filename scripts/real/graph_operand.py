# SPDX-License-Identifier: Apache-2.0
"""A graph whose memset node has the only buffer of its memory: it is freed in the destructor of a user object.

Usage: graph_operand.py

Since cuda-python#2280 a graph keeps what its nodes use, by a user object whose destructor lets go of it, and so calls
cuMemFreeAsync. cuda.h says of such a destructor that it may not call CUDA: on a driver that has a lock meanwhile it may never
return. cuda-python#2371 moved the release to Python's main thread.
"""
from cuda.core import Device, DeviceMemoryResource
from cuda.core.graph import GraphDefinition


def build(memory, stream):
    buffer = memory.allocate(64, stream=stream)
    stream.sync()
    graph = GraphDefinition()
    graph.memset(buffer, 0, 64)
    return graph


def main():
    device = Device()
    device.set_current()
    stream = device.create_stream()
    graph = build(DeviceMemoryResource(device), stream)
    run = graph.instantiate()
    run.launch(stream)
    stream.sync()
    del run, graph
    stream.sync()


main()
