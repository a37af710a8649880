"""What this path's sound claims rest on, for scripts/mutate_policies.py: the policy, and where the rest of the
path keeps, gives up, checks, waits or locks."""

# Of targets/alltoallv/: a file, and which of its functions; ... means all.
SOURCES = {
    "snapshot_region.h": ...,
    "cache.h": ...,
    "cache.cpp": ...,
    "segment.h": ["ShmBarrier::start", "ShmBarrier::test"],
    "collective.cpp": ["Process::step", "Process::fail", "Process::finish_copies", "Process::start_barrier", "Process::pass_completion",
                       "Process::put_sync", "Process::end", "Process::complete", "Process::proxy_failed",
                       "Process::parity", "Process::unmap_all"],
    "collective_setup.cpp": ["Process::get_sync", "Process::claim", "Process::may_claim", "Process::setup_start",
                             "Process::record_source", "Process::agree", "Process::map_peers", "Process::map",
                             "Process::peer_failed", "Process::map_peer", "Process::open_event"],
    "collective_copies.cpp": ["Process::copy", "Process::record_copies", "Process::copies_done", "Process::drain"],
    "collective_steps.cpp": ["Process::publish_step", "Process::give_up_steps", "Process::step_on",
                             "Process::neighbours_at"],
    "process.cpp": ["Process::close", "Process::destroy_team", "Process::unmap_scratch", "Process::release", "Process::free_released"],
    "progress.cpp": ["Process::number", "Process::await_fill", "Process::release_buffers",
                     "Process::finalize", "Process::start"],
}

# What only tells an observer, or offers a turn.
SCENERY = r"observer|tell_|name_next|Causing|scheduler\.die"

# What no rule of the script makes: name, file, an expression or a statement, what takes its place.
BY_HAND = [
    ("whoever is in the way is closed", "snapshot_region.h", "CloseRule::counted", "CloseRule::blind"),
]

# A mutant that must be refuted, or the search itself is at fault.
PLANTED = "cache.cpp Cache::give drop: ++region.count"
