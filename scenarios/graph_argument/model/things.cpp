// SPDX-License-Identifier: Apache-2.0
#include "scenarios/graph_argument/model/things.h"

#include <algorithm>

namespace scenarios::graph_argument {

Thing& ModelThings::add(Kind kind, harness::BirthId life) {
  things_.push_back(world_.arena.make<Thing>());
  things_.back()->kind = kind;
  things_.back()->life = life;
  return *things_.back();
}

bool ModelThings::is_second_stream_used() const {
  return !stream_closed_ || std::any_of(things_.begin(), things_.end(), [&](const Thing* thing) {
    return thing->kind == Kind::buffer && thing->stream == StreamName::second &&
           world_.ledger.alive(thing->life);
  });
}

}  // namespace scenarios::graph_argument
