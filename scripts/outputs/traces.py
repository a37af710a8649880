# SPDX-License-Identifier: Apache-2.0
"""Traces: a Perfetto trace as Perfetto's own classes of protobuf read it, and what has to hold of its slices and flows."""
import collections

from google.protobuf.message import DecodeError
from google.protobuf.unknown_fields import UnknownFieldSet
from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import Trace, TrackEvent

from readers import check, equal


def events_of(file):
    """Returns the track descriptors of a trace by uuid, and its events with their times, in the order of the file."""
    trace = Trace()
    try:
        trace.ParseFromString(file.read_bytes())
    except DecodeError as error:
        check(False, f"no trace: {error}")
    check(trace.packet, "no packets")
    parts = [trace, *trace.packet, *(packet.track_event for packet in trace.packet)]
    check(not any(len(UnknownFieldSet(part)) for part in parts), "fields that Perfetto does not know")
    tracks = {packet.track_descriptor.uuid: packet.track_descriptor for packet in trace.packet if packet.HasField("track_descriptor")}
    return tracks, [(packet.timestamp, packet.track_event) for packet in trace.packet if packet.HasField("track_event")]


def nest(events):
    """Checks that on each track every slice that begins also ends, and none ends before it begins. Returns the number of slices."""
    open_slices = collections.Counter()
    for _, event in events:
        if event.type == TrackEvent.TYPE_SLICE_BEGIN:
            open_slices[event.track_uuid] += 1
        elif event.type == TrackEvent.TYPE_SLICE_END:
            open_slices[event.track_uuid] -= 1
            check(open_slices[event.track_uuid] >= 0, f"a slice of track {event.track_uuid} ends that never began")
    check(not +open_slices, f"slices that never end: {dict(+open_slices)}")
    return sum(event.type == TrackEvent.TYPE_SLICE_BEGIN for _, event in events)


def trace(file):
    """Returns the instants of a trace, after checking its tracks, slices and flows."""
    tracks, events = events_of(file)
    times = [time for time, _ in events]
    check(times == sorted(times), "events out of order")
    check(all(event.track_uuid in tracks for _, event in events), "an event on a track that nothing describes")
    check(all(not track.parent_uuid or track.parent_uuid in tracks for track in tracks.values()), "a track without its group")
    check(nest(events) > 0, "no slice")
    begun = collections.Counter(flow for _, event in events for flow in event.flow_ids)
    ended = collections.Counter(flow for _, event in events for flow in event.terminating_flow_ids)
    check(begun and set(begun.values()) == {1}, "no flow, or one that begins twice")
    equal("flows that end", ended, begun)
    return [event for _, event in events if event.type == TrackEvent.TYPE_INSTANT]


def case_trace(made):
    """Checks that the trace shows the run that the command replayed: its fault, exactly once, and no turn after its end."""
    instants = trace(made.file("case.trace"))
    told = sorted({event.name for event in instants if "fault" in event.categories})
    words = sorted(fault["words"] for fault in made.case["faults"])
    check(len(told) == len(words) and all(map(str.startswith, told, words)), f"faults: {told}, and the command said {words}")
    turns = [annotation.uint_value for event in instants for annotation in event.debug_annotations if annotation.name == "turn"]
    equal("turns of the events", len(turns), len(instants))
    check(max(turns) <= made.case["turns"], f"turn {max(turns)} of a run of {made.case['turns']}")
