// SPDX-License-Identifier: Apache-2.0
#include "harness/client/outside/search/shrink.h"

#include <algorithm>

namespace harness::client {
namespace {

/// Returns the `count` choices from `begin`, or all others.
Tape part_of(const Tape& tape, std::size_t begin, std::size_t count, bool others) {
  Tape part;
  for (std::size_t i = 0; i < tape.size(); ++i)
    if ((i >= begin && i - begin < count) != others) part.push_back(tape[i]);
  return part;
}

}  // namespace

Tape shrink(Tape tape, const std::function<bool(const Tape&)>& shows, std::uint64_t limit) {
  std::uint64_t asked = 0;
  const auto holds = [&](const Tape& part) { return asked < limit && (++asked, shows(part)); };
  if (tape.empty() || holds({})) return {};
  for (std::size_t parts = 2; tape.size() > 1 && asked < limit;) {
    const std::size_t size = (tape.size() + parts - 1) / parts;
    bool smaller = false;
    for (const bool others : {false, true}) {
      for (std::size_t begin = 0; begin < tape.size() && !smaller; begin += size) {
        Tape part = part_of(tape, begin, size, others);
        if (part.size() == tape.size() || !holds(part)) continue;
        parts = others ? std::max<std::size_t>(parts - 1, 2) : 2;
        tape = std::move(part);
        smaller = true;
      }
      if (smaller) break;
    }
    if (smaller) continue;
    if (size == 1) break;
    parts = std::min(tape.size(), parts * 2);
  }
  return tape;
}

}  // namespace harness::client
