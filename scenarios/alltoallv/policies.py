# SPDX-License-Identifier: Apache-2.0
"""What this path's sound claims rest on, for scripts/mutation/mutate_policies.py: the policy, and where the rest of the
path keeps, gives up, checks, waits or locks."""

# Source in targets/alltoallv/ | its functions to mutate; ... means all.
SOURCES = {
    "snapshot_region.h": ...,
    "cache.h": ...,
    "cache.cpp": ...,
    "segment.h": ["ShmBarrier::start", "ShmBarrier::test"],
    "task/task.cpp": ["Task::number", "Task::release", "Task::start", "Task::step", "Task::fail", "Task::agree", "Task::peer_failed",
                 "Task::step_on", "Task::finish_copies", "Task::start_barrier", "Task::pass", "Task::pass_completion",
                 "Task::proxy_failed", "Task::end", "Task::complete"],
    "task/slot_hold.cpp": ["SlotHold::get", "SlotHold::claim", "SlotHold::may_claim", "SlotHold::release"],
    "task/own_entry.cpp": ["parity", "OwnEntry::set_up", "OwnEntry::record_source", "OwnEntry::publish_step",
                      "OwnEntry::is_at", "OwnEntry::give_up"],
    "team/slot_events.cpp": ["SlotEvents::own", "SlotEvents::of_peer", "SlotEvents::close_of_peers",
                        "SlotEvents::destroy_own"],
    "task/mappings.cpp": ["Mappings::map_all", "Mappings::map_source", "Mappings::map", "Mappings::unmap_all"],
    "task/copies.cpp": ["Copies::give_back_event", "Copies::submit", "Copies::record", "Copies::poll", "Copies::drain",
                   "Copies::find_stream", "Copies::is_batch", "Copies::submit_batch"],
    "task/steps.cpp": ["Steps::advance", "Steps::neighbours", "Steps::await_neighbours"],
    "task/operands.cpp": ["Operands::give_back", "Operands::release"],
    "caches.h": ["Caches::destroy"],
    "progress.cpp": ["Progress::stop"],
    "requests.cpp": ["Requests::finalize"],
    "team/team.cpp": ["Team::destroy", "Team::gather"],
    "team/scratch.cpp": ["Scratch::unmap", "Scratch::free"],
    "tensors/blocks.cpp": ["Blocks::give_back"],
    "tensors/tensors.cpp": ["Tensors::await_fill", "Tensors::drop_all", "Tensors::release", "Tensors::free_released"],
    "process.cpp": ["Process::close"],
}

# Statements that only report to an observer or offer a turn.
SCENERY = r"observer|tell_|name_next|Causing|scheduler\.die"

# Mutants that no rule of the script makes: name, file, expression or statement, replacement.
BY_HAND = [
    ("any mapping in the way is closed", "snapshot_region.h", "CloseRule::counted", "CloseRule::blind"),
]

# A mutant that must be refuted; if it is not, the search itself is at fault.
PLANTED = "cache.cpp Cache::give drop: ++region.count"
