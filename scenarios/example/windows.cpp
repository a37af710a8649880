// SPDX-License-Identifier: Apache-2.0
// Assigns a fault to a window: by the site that found it; for a wrong answer, by the state of its
// request.
#include "harness/core/fault/kinds.h"
#include "scenarios/example/model.h"

namespace scenarios::example {

int window_of(const harness::Scene& scene, const harness::Fault& fault) {
  if (fault.kind == harness::FaultKind::retention || fault.kind == harness::FaultKind::refusal)
    return -1;
  if (fault.kind == harness::FaultKind::wrong_value) {
    const auto window = scene.state<Model>().window_of_answer(fault.tick);
    return window ? harness::raw(*window) : -1;
  }
  const bool in_flight =
      (scene.observed().reached >> harness::raw(Window::replaced_in_flight) & 1) != 0;
  const bool by_host = fault.use_site == harness::Label("launch");
  return harness::raw(by_host || !in_flight ? Window::replaced_before_launch
                                            : Window::replaced_in_flight);
}

}  // namespace scenarios::example
