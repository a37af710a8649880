// SPDX-License-Identifier: Apache-2.0
// Choices: the run's choices on behalf of a rank's step and of the collectives that it made.
#pragma once

#include <memory_resource>
#include <vector>

#include "scenarios/alltoallv/scenario.h"

namespace scenarios::alltoallv {

/// Returns the activation of a rank's step for a slot.
harness::Name step_name(std::uint32_t rank, std::uint32_t slot);
/// Returns the activations of the collectives that this step of the rank made, in order.
std::pmr::vector<harness::Name> collectives_of(const harness::World& world, std::uint32_t rank,
                                               std::uint32_t slot);

/// Returns whether an error was injected on behalf of `activation`, after the first `since` of the
/// run's choices.
bool was_injected(const harness::World& world, harness::Name activation, std::size_t since);
/// Returns whether an error was injected on behalf of `activation` into an open of IPC memory and
/// the process's next one, whatever that one belongs to (harness/driver/cuda/open.h).
bool was_next_injected(const harness::World& world, harness::Name activation);
/// Returns whether a batch of this collective read a source at the call, instead of in stream
/// order, by a choice.
bool was_read_ahead(const harness::World& world, harness::Name collective);

}  // namespace scenarios::alltoallv
