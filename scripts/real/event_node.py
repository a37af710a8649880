# SPDX-License-Identifier: Apache-2.0
"""A graph that records an event, and is dropped: the event is destroyed in the destructor of a user object.

Usage: event_node.py

cuda.h says of a user object's destructor that it may not call CUDA. cuda.core keeps an event alive by a user object of the graph,
whose destructor calls cuEventDestroy.
"""
import gc

from cuda.core import Device

try:
    from cuda.core.graph import GraphDefinition
except ImportError:  # The class has another name in 0.7.0.
    from cuda.core.graph import GraphDef as GraphDefinition


def main():
    device = Device(0)
    device.set_current()
    graph = GraphDefinition()
    event = device.create_event()
    record = graph.record if hasattr(graph, "record") else graph.record_event  # The method has another name in 0.7.0.
    record(event)
    del event
    del record, graph
    gc.collect()
    device.create_stream().sync()


if __name__ == "__main__":
    main()
