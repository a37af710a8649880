// SPDX-License-Identifier: Apache-2.0
#include "scenarios/alltoallv/judges/service.h"

#include <algorithm>

namespace scenarios::alltoallv {
namespace {

using targets::alltoallv::Status;

constexpr std::array<Refusal, 10> kRefusals{{
    {"init", Status::not_supported, &Circumstances::in_place,
     "alltoallv.h, Status: in place is not supported; as upstream's alltoallv_ce"},
    {"init", Status::no_buffer, &Circumstances::empty,
     "alltoallv.h, Status: the variable is empty"},
    {"open", Status::driver_error, &Circumstances::injected, "alltoallv.h: a CUDA call failed"},
    {"fill", Status::driver_error, &Circumstances::injected, "the same"},
    {"prepare", Status::driver_error, &Circumstances::injected, "the same"},
    {"init", Status::driver_error, &Circumstances::injected, "the same"},
    {"check", Status::driver_error, &Circumstances::injected, "the same"},
    {"scrub", Status::driver_error, &Circumstances::injected, "the same"},
    {"wait", Status::driver_error, &Circumstances::injected,
     "the same, on behalf of the collective"},
    {"wait", Status::peer_error, &Circumstances::peer_injected,
     "alltoallv.h: one did on another rank"},
}};

/// Values of harness::OpenFailures that affect two opens.
constexpr std::uint32_t kMappedTwice = 2;
constexpr std::uint32_t kMappedThenFailed = 4;

}  // namespace

std::span<const Refusal> refusals() { return kRefusals; }

bool is_documented(harness::Label call, Status answer, const Circumstances& circumstances) {
  return std::any_of(kRefusals.begin(), kRefusals.end(), [&](const Refusal& row) {
    return row.call == call && row.answer == answer && circumstances.*row.when;
  });
}

static bool is_injection(const harness::Decision& decision, harness::Name activation) {
  return decision.activation == activation &&
         decision.site_tag == harness::site_tag(harness::Site::failure);
}

bool was_injected(const harness::World& world, harness::Name activation, std::size_t since) {
  const harness::Tape& tape = world.picker.tape();
  return std::any_of(
      tape.begin() + static_cast<std::ptrdiff_t>(std::min(since, tape.size())), tape.end(),
      [&](const harness::Decision& decision) { return is_injection(decision, activation); });
}

bool was_next_injected(const harness::World& world, harness::Name activation) {
  const harness::Tape& tape = world.picker.tape();
  return std::any_of(tape.begin(), tape.end(), [&](const harness::Decision& decision) {
    return is_injection(decision, activation) &&
           (decision.value == kMappedTwice || decision.value == kMappedThenFailed);
  });
}

}  // namespace scenarios::alltoallv
