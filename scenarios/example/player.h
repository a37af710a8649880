// SPDX-License-Identifier: Apache-2.0
// Player: the slots of the user and of the owners, and the ops that fill them.
#pragma once

#include "harness/run/scenario/player.h"
#include "scenarios/example/model.h"

namespace scenarios::example {

/// State of a run. Empty, because every op makes sense at any time.
struct Situation {};

/// The theme of a run: the ops that are offered to each task.
struct Theme {
  harness::Label name;
  harness::Ops user = ~harness::Ops{0};
  harness::Ops owner = ~harness::Ops{0};
};

/// Result of an op. The server must not return false.
enum class Answer : std::uint8_t { ok, refused };

/// Ownership: in the run's arena; borrows the scene, the model and the server.
class Player final : public harness::Player<Player, Situation, Theme, Answer> {
 public:
  Player(harness::Scene& scene, const Shape& shape, Model& model);
  void set_server(targets::example::Server& server) { server_ = &server; }
  targets::example::Server& server() { return *server_; }

  std::uint32_t pick_key();
  /// Reports a refusal unless `ok`.
  Answer answer_of(bool ok);
  /// Puts a buffer under `key`. Its values differ from those of all other slots.
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
