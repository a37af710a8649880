// SPDX-License-Identifier: Apache-2.0
#include "scenarios/example/model.h"

#include "harness/core/fault/kinds.h"

namespace scenarios::example {

std::optional<Window> Model::window_of_answer(harness::Tick tick) const {
  for (const Request& request : requests_)
    if (request.state == State::answered && request.answered_at == tick) return request.window;
  return std::nullopt;
}

void Model::placed(std::uint32_t worker, std::uint32_t key, BufferId buffer) {
  const Place old = std::exchange(places_[key], {buffer, values_[worker]});
  for (Request& request : requests_) {
    if (request.buffer != old.buffer) continue;
    request.replaced = true;
    if (request.state == State::launched) go_through(request, Window::replaced_in_flight);
  }
}

void Model::prepared(RequestId request, BufferId buffer) {
  HARNESS_CHECK(harness::raw(request) == requests_.size(), "requests are numbered as they come");
  for (const Place& place : places_)
    if (place.buffer == buffer) requests_.push_back({buffer, place.value});
}

void Model::launched(RequestId request) {
  Request& launched = requests_[harness::raw(request)];
  launched.state = State::launched;
  scene_.exercised();
  if (launched.replaced) go_through(launched, Window::replaced_before_launch);
}

void Model::answered(RequestId request, const targets::example::Words& words) {
  Request& answered = requests_[harness::raw(request)];
  answered.state = State::answered;
  answered.answered_at = scene_.world().scheduler.now();
  for (std::uint32_t i = 0; i < targets::example::kWords; ++i) {
    const auto word = static_cast<std::uint32_t>(words[i]);
    const std::uint32_t expected = static_cast<std::uint32_t>(answered.value) + i + 1;
    scene_.world().scheduler.note(harness::EventKind::observe, "answer", 0, word);
    if (word != expected) return scene_.expect("answer", word, expected, name_of(answered.buffer));
  }
}

void Model::go_through(Request& request, Window window) {
  request.window = window;
  scene_.reach(harness::raw(window));
}

// The site that found a fault decides; for a wrong answer, the state of its request. After a launch
// with a dead buffer, the device's use of it belongs to the same window.
int window_of(const harness::Scene& scene, const harness::Fault& fault) {
  if (fault.kind == harness::FaultKind::retention || fault.kind == harness::FaultKind::refusal)
    return -1;
  if (fault.kind == harness::FaultKind::wrong_value) {
    const auto window = scene.state<Model>().window_of_answer(fault.tick);
    return window ? harness::raw(*window) : -1;
  }
  const auto reached = [&](Window window) {
    return (scene.observed().reached >> harness::raw(window) & 1) != 0;
  };
  const bool by_host = fault.use_site == harness::Label("launch");
  const bool only_before =
      reached(Window::replaced_before_launch) && !reached(Window::replaced_in_flight);
  return harness::raw(by_host || only_before ? Window::replaced_before_launch
                                             : Window::replaced_in_flight);
}

}  // namespace scenarios::example
