# SPDX-License-Identifier: Apache-2.0
"""A graph of cuda.core's that runs a kernel on a buffer which only a cycle keeps.

Usage: dropped_buffer.py FATBIN

The fatbin has the kernel add_one(int*). Nothing but the collector ends the buffer, and the graph's node
has its address: cuda.core 0.7.0 keeps the address alone, later ones keep the buffer with it.
"""
import sys

from cuda.core import Device, DeviceMemoryResource, LaunchConfig, ObjectCode

try:
    from cuda.core.graph import GraphDefinition
except ImportError:  # The class has another name in 0.7.0.
    from cuda.core.graph import GraphDef as GraphDefinition


class Step:
    def __init__(self, memory, stream):
        self.buffer = memory.allocate(776, stream=stream)
        self.undo = self.close  # A bound method, which makes a cycle.

    def close(self):
        self.buffer.close()


def build(memory, stream, kernel):
    step = Step(memory, stream)
    step.buffer.fill(0, stream=stream)
    graph = GraphDefinition()
    graph.launch(LaunchConfig(grid=1, block=1), kernel, step.buffer)
    return graph


def main():
    device = Device()
    device.set_current()
    stream = device.create_stream()
    memory = DeviceMemoryResource(device)
    with open(sys.argv[1], "rb") as fatbin:
        kernel = ObjectCode.from_fatbin(fatbin.read()).get_kernel("add_one")
    graph = build(memory, stream, kernel)
    run = graph.instantiate()
    for _ in range(3):
        run.launch(stream)
    stream.sync()


main()
