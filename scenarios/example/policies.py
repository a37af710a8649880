# SPDX-License-Identifier: Apache-2.0
"""What this path's sound claim rests on, for scripts/mutation/mutate_policies.py: the policy, and where the server keeps
buffers, frees them, waits and locks."""

# Of targets/example/: a file, and which of its functions; ... means all.
SOURCES = {
    "retain.h": ...,
    "example.cpp": ["Server::enter", "Server::put", "Server::fill", "Server::free_replaced", "Server::ask",
                    "Server::prepare", "Server::launch", "Server::wait", "Server::finish", "Server::clear"],
}

# What only tells facts.
SCENERY = r"observer"

# What no rule of the script makes: name, file, an expression or a statement, what takes its place.
BY_HAND = []

# A mutant that must be refuted, or the search itself is at fault.
PLANTED = "retain.h Retain::prepared drop: ++request.buffer->holder_count"
