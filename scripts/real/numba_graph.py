# SPDX-License-Identifier: Apache-2.0
"""A graph that cuda.core captured of a kernel of numba's, whose array only a cycle keeps.

Usage: numba_graph.py dropped|kept

The graph has the array's address, and nothing keeps the array for it: it ends with the step, by the collector. numba gives its
memory back once ten others have ended, too. With "kept" the step lives as long as the graph.
"""
import sys

import numpy as np
from cuda.core import Device
from numba import cuda

THREADS = 64


@cuda.jit
def add_one(numbers):
    i = cuda.grid(1)
    if i < numbers.size:
        numbers[i] += 1


class Step:
    def __init__(self):
        self.numbers = cuda.to_device(np.zeros(THREADS, np.float32))
        self.undo = self.close  # A bound method, which makes a cycle.

    def close(self):
        self.numbers = None


def capture(step, stream):
    builder = stream.create_graph_builder()
    builder.begin_building()
    add_one[1, THREADS, cuda.external_stream(int(builder.stream.handle))](step.numbers)
    return builder.end_building().complete()


def main():
    device = Device()
    device.set_current()
    stream = device.create_stream()
    add_one[1, THREADS](cuda.device_array(THREADS, np.float32))  # Compiles the kernel before the capture.
    step = Step()
    run = capture(step, stream)
    kept = step if sys.argv[1] == "kept" else None
    del step
    scratch = [cuda.device_array(THREADS, np.float32) for _ in range(12)]
    add_one[1, THREADS](scratch[-1])
    del scratch
    run.launch(stream)
    stream.sync()
    del run, kept


main()
