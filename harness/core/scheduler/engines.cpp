// SPDX-License-Identifier: Apache-2.0
#include "harness/core/scheduler/engines.h"

#include "harness/core/scheduler/ready_set.h"

namespace harness::scheduling {

std::uint16_t Engines::add(Engine& engine) {
  engines_.push_back(&engine);
  return ready_.add({nullptr, &engine, static_cast<std::uint32_t>(engine.name()) | 1});
}

void Engines::set_ready(std::uint16_t id, bool ready) {
  ready_.make_unready(id);
  if (ready) ready_.make_ready(id);
}

void Engines::poll() {
  for (std::size_t i = 0; i < engines_.size(); ++i) engines_[i]->poll();  // poll() may add engines.
}

void Engines::advance_until(bool (*done)(void* context), void* context) {
  while (!done(context)) {
    Engine* engine = first_ready();
    if (engine == nullptr) {
      poll();
      engine = first_ready();
    }
    if (engine == nullptr) break;
    engine->advance();
  }
}

Engine* Engines::first_ready() const {
  for (const std::uint16_t index : ready_.ready())
    if (ready_[index].engine != nullptr) return ready_[index].engine;
  return nullptr;
}

}  // namespace harness::scheduling
