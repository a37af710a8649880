// SPDX-License-Identifier: Apache-2.0
// Model: computes the correct answers, and the windows that a run reached, from the facts that the
// server reports.
#pragma once

#include <optional>

#include "scenarios/example/scenario.h"

namespace scenarios::example {

/// Ownership: in the run's arena; borrows the scene.
class Model final : public targets::example::Observer {
 public:
  using BufferId = targets::example::BufferId;
  using RequestId = targets::example::RequestId;

  Model(harness::Scene& scene, std::uint32_t worker_count) : scene_(scene), values_(worker_count) {}

  /// Notes the first value of the next buffer of `worker`.
  void hand_out(std::uint32_t worker, std::int32_t value) { values_[worker] = value; }
  /// Returns the window that the request answered at `tick` went through, if any.
  std::optional<Window> window_of_answer(harness::Tick tick) const;

  void placed(std::uint32_t worker, std::uint32_t key, BufferId buffer) override;
  void prepared(RequestId request, BufferId buffer) override;
  void launched(RequestId request) override;
  void answered(RequestId request, const targets::example::Words& words) override;

 private:
  enum class State : std::uint8_t { prepared, launched, answered };
  struct Request {
    BufferId buffer;
    std::int32_t value;  ///< First word of the buffer.
    State state = State::prepared;
    bool replaced = false;  ///< Another buffer is current for the key.
    harness::Tick answered_at = 0;
    std::optional<Window> window = {};
  };
  struct Place {
    BufferId buffer = BufferId::none;
    std::int32_t value = 0;
  };

  harness::Name name_of(BufferId buffer) const { return scene_.world().ledger.life(buffer).name; }
  void go_through(Request& request, Window window);

  harness::Scene& scene_;
  std::pmr::vector<std::int32_t> values_;  ///< Last value of each worker.
  std::array<Place, targets::example::kKeyCount> places_;
  std::pmr::vector<Request> requests_;  ///< By id.
};

}  // namespace scenarios::example
