// SPDX-License-Identifier: Apache-2.0
#include "scenarios/alltoallv/model/choices.h"

#include <algorithm>

namespace scenarios::alltoallv {

using harness::Decision;
using harness::Name;

Name step_name(std::uint32_t rank, std::uint32_t slot) {
  return harness::derive_name(harness::slot_name(0, slot), harness::Label("rank").hash(), rank);
}

std::pmr::vector<Name> collectives_of(const harness::World& world, std::uint32_t rank,
                                      std::uint32_t slot) {
  const Name step = step_name(rank, slot);
  std::pmr::vector<Name> names;
  for (const harness::ActivationRecord& record : world.history.activations())
    if (record.parent == step && record.kind == targets::alltoallv::kCollectiveActivation)
      names.push_back(record.name);
  return names;
}

/// Returns whether `holds` for a choice of that kind on behalf of `activation`.
template <class Holds>
static bool any_choice(const harness::World& world, Name activation, harness::Site site,
                       std::size_t since, Holds holds) {
  const harness::Tape& tape = world.picker.tape();
  return std::any_of(tape.begin() + static_cast<std::ptrdiff_t>(std::min(since, tape.size())),
                     tape.end(), [&](const Decision& choice) {
                       return choice.activation == activation &&
                              choice.site_tag == harness::site_tag(site) && holds(choice.value);
                     });
}

bool was_injected(const harness::World& world, Name activation, std::size_t since) {
  return any_choice(world, activation, harness::Site::failure, since,
                    [](std::uint32_t) { return true; });
}

bool was_next_injected(const harness::World& world, Name activation) {
  // Values of harness::OpenFailures that affect two opens.
  constexpr std::uint32_t kMappedTwice = 2, kMappedThenFailed = 4;
  return any_choice(world, activation, harness::Site::failure, 0, [](std::uint32_t value) {
    return value == kMappedTwice || value == kMappedThenFailed;
  });
}

bool was_read_ahead(const harness::World& world, Name collective) {
  return any_choice(world, collective, harness::Site::order, 0,
                    [](std::uint32_t value) { return value != 0; });
}

}  // namespace scenarios::alltoallv
