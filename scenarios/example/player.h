// SPDX-License-Identifier: Apache-2.0
// Player: the slots of the user and of the owners, and the ops that go into them.
#pragma once

#include "harness/scenario/player.h"
#include "scenarios/example/model.h"

namespace scenarios::example {

/// Where a run stands: all its ops make sense at any time.
struct Situation {};

/// The theme of a run: which ops each task is offered.
struct Theme {
  harness::Label name;
  harness::Ops user = ~harness::Ops{0};
  harness::Ops owner = ~harness::Ops{0};
};

/// The server may not answer false.
enum class Answer : std::uint8_t { ok, refused };

/// Ownership: in the run's arena; borrows the scene, the model and the server.
class Player final : public harness::Player<Player, Situation, Theme, Answer> {
 public:
  Player(harness::Scene& scene, const Shape& shape, Model& model);
  void set_server(targets::example::Server& server) { server_ = &server; }
  targets::example::Server& server() { return *server_; }

  std::uint32_t pick_key();
  /// Reports what the op that runs did not do.
  Answer answer_of(bool ok);
  /// Puts a buffer under `key` that no other slot fills like this.
  bool put(const harness::Slot& slot, std::uint32_t key);

 private:
  Situation look() const override { return {}; }
  void list_enabled(harness::OpList& list, std::uint32_t task, const Situation& now) const override;
  void prepare(std::size_t op, const harness::Slot& slot) override;

  const Shape shape_;
  Model& model_;
  targets::example::Server* server_ = nullptr;
  bool is_set_up_ = false;
};

}  // namespace scenarios::example
