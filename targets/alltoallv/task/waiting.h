// SPDX-License-Identifier: Apache-2.0
// Waiting: says in words for what, and for whom, a collective waits, for the story of a deadlock.
#pragma once

#include "targets/alltoallv/task/post.h"

namespace targets::alltoallv {

/// Returns the slot that a post waits for, and the collective that has it.
harness::Label slot_in_words(const Post& post);
/// Returns the barrier that a post waits in, its slot, and the first rank that is missing.
harness::Label barrier_in_words(const Post& post, Crossing crossing);

}  // namespace targets::alltoallv
