// SPDX-License-Identifier: Apache-2.0
// Waiting: describes what, and which rank, a collective waits for. Used in the story of a deadlock.
#pragma once

#include "targets/alltoallv/task/post.h"

namespace targets::alltoallv {

/// Describes the slot that a post waits for, and the collective that owns it.
harness::Label slot_in_words(const Post& post);
/// Describes the barrier that a post waits in, its slot, and the first missing rank.
harness::Label barrier_in_words(const Post& post, Crossing crossing);

}  // namespace targets::alltoallv
