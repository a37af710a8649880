// SPDX-License-Identifier: Apache-2.0
#include "harness/client/outside/search/shortcuts.h"

#include <cstddef>
#include <optional>
#include <set>

#include "harness/client/outside/search/shrink.h"

namespace harness::client {
namespace {

bool is_of_schedule(const Decision& decision) {
  return decision.site_tag == site_tag(Site::schedule);
}

/// Returns the tape with the answer of `later` given at `early`, and without the choices after
/// `early` up to `later`. Returns nothing if these are not choices of the next thread.
std::optional<Tape> skip(const Tape& tape, std::size_t early, std::size_t later) {
  if (!is_of_schedule(tape[early]) || !is_of_schedule(tape[later])) return std::nullopt;
  Tape shorter;
  for (std::size_t i = 0; i < tape.size(); ++i)
    if (i <= early || i > later) shorter.push_back(tape[i]);
  shorter[early].value = tape[later].value;
  return shorter;
}

/// Returns the answers of all choices of the next thread.
std::set<std::uint32_t> threads_in(const Tape& tape) {
  std::set<std::uint32_t> threads;
  for (const Decision& decision : tape)
    if (is_of_schedule(decision)) threads.insert(decision.value);
  return threads;
}

/// Calls `shows` up to a limited number of times.
class Asker {
 public:
  Asker(const std::function<bool(const Tape&)>& shows, std::uint64_t limit)
      : shows_(shows), left_(limit) {}
  bool operator()(const Tape& tape) { return left_ > 0 && (--left_, shows_(tape)); }
  std::uint64_t left() const { return left_; }

 private:
  const std::function<bool(const Tape&)>& shows_;
  std::uint64_t left_;
};

/// Returns a shorter tape in which a thread that runs later runs at once, or nothing.
std::optional<Tape> skip_one(const Tape& tape, Asker& holds) {
  for (std::size_t distance = 1; distance < tape.size(); ++distance)
    for (std::size_t later = tape.size(); later-- > distance;)
      if (auto shorter = skip(tape, later - distance, later); shorter && holds(*shorter))
        return shorter;
  return std::nullopt;
}

/// Returns a shorter tape in which another thread is chosen at one point, or nothing.
std::optional<Tape> replace_one(const Tape& tape, const std::set<std::uint32_t>& threads,
                                Asker& holds) {
  for (std::size_t i = tape.size(); i-- > 0;)
    for (const std::uint32_t thread : threads) {
      if (!is_of_schedule(tape[i]) || tape[i].value == thread) continue;
      Tape other = tape;
      other[i].value = thread;
      if (!holds(other)) continue;
      const Tape shorter = shrink(other, std::ref(holds), holds.left());
      if (shorter.size() < tape.size()) return shorter;
    }
  return std::nullopt;
}

}  // namespace

Tape take_shortcuts(Tape tape, const Tape& run, const std::function<bool(const Tape&)>& shows,
                    std::uint64_t limit) {
  Asker holds(shows, limit);
  const std::set<std::uint32_t> threads = threads_in(run);
  while (tape.size() > 1) {
    std::optional<Tape> shorter = skip_one(tape, holds);
    if (!shorter) shorter = replace_one(tape, threads, holds);
    if (!shorter) break;
    tape = shrink(*shorter, std::ref(holds), holds.left());
  }
  return tape;
}

}  // namespace harness::client
