# SPDX-License-Identifier: Apache-2.0
"""What this path's sound claim rests on, for scripts/mutation/mutate_policies.py: the policy, and where the server keeps
buffers, frees them, waits and locks."""

# Source in targets/example/ | its functions to mutate; ... means all.
SOURCES = {
    "retain.h": ...,
    "example.cpp": ["Server::enter", "Server::put", "Server::fill", "Server::free_replaced", "Server::ask",
                    "Server::prepare", "Server::launch", "Server::wait", "Server::finish", "Server::clear"],
}

# Statements that only report facts.
SCENERY = r"observer"

# Mutants that no rule of the script makes: name, file, expression or statement, replacement.
BY_HAND = []

# A mutant that must be refuted; if it is not, the search itself is at fault.
PLANTED = "retain.h Retain::prepared drop: ++request.buffer->holder_count"
