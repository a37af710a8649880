// SPDX-License-Identifier: Apache-2.0
#include "scenarios/alltoallv/job_state.h"

#include <algorithm>

#include "scenarios/alltoallv/player.h"

namespace scenarios::alltoallv {

JobState::JobState(harness::Scene& scene, const Shape& shape)
    : rank_count_(alltoallv::rank_count(scene.config())),
      calm_(scene.pick(harness::Site::argument, 2) != 0),
      theme_(harness::choose_theme(scene, themes())),
      plan_(Player(scene, theme_, rank_count_).make_plan(shape)),
      shape_(shape),
      bounded_(scene.scenario().variants[scene.variant()].claim.kind == harness::ClaimKind::sound) {
}

bool JobState::uses_scratch() const {
  return std::any_of(plan_.begin(), plan_.end(),
                     [](const Step& step) { return step.uses_scratch(); });
}

std::uint32_t JobState::slots_of(std::uint32_t team) const {
  std::uint32_t slots = 0;
  for (const Step& step : plan_) slots |= std::uint32_t{step.team == team} << step.slot;
  return slots;
}

std::uint32_t JobState::number_count(std::uint32_t team) const {
  const auto takes_one = [&](const Step& step) {
    if (step.op == Op::post_again) return step_at(step.of).team == team;
    return step.collective.has_value() && !step.in_place && step.team == team;
  };
  return static_cast<std::uint32_t>(std::count_if(plan_.begin(), plan_.end(), takes_one));
}

const Step& JobState::step_at(std::uint32_t slot) const {
  return *std::find_if(plan_.begin(), plan_.end(),
                       [slot](const Step& step) { return step.slot == slot; });
}

}  // namespace scenarios::alltoallv
