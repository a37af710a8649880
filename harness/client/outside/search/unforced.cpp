// SPDX-License-Identifier: Apache-2.0
// How it works. First the forced choices are minimized while all possible ones are kept. Then each
// remaining forced choice is replaced by a possible one of its kind, if one shows the fault.
// Candidates are the choices that the run offered, the nearest first.
#include "harness/client/outside/search/unforced.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "harness/client/outside/search/shrink.h"

namespace harness::client {
namespace {

bool is_of(const AskedQuestion& asked, const Decision& decision) {
  return asked.activation == decision.activation && site_tag(asked.site) == decision.site_tag &&
         asked.nth == decision.nth;
}

/// Returns possible choices with the option of `forced` in the order of their distance.
std::vector<const AskedQuestion*> nearest(const std::vector<AskedQuestion>& asked,
                                          const Decision& forced) {
  constexpr std::size_t kNearest = 12;
  const auto here = std::ranges::find_if(
      asked, [&](const AskedQuestion& question) { return is_of(question, forced); });
  std::vector<const AskedQuestion*> found;
  if (here == asked.end()) return found;
  for (const AskedQuestion& question : asked)
    if (!is_forced(question.activation) && site_tag(question.site) == forced.site_tag &&
        std::ranges::find(question.values, forced.value) != question.values.end())
      found.push_back(&question);
  const AskedQuestion* const middle = &*here;
  std::ranges::sort(found, {}, [&](const AskedQuestion* question) {
    return std::pair(std::abs(question - middle), question);
  });
  if (found.size() > kNearest) found.resize(kNearest);
  return found;
}

bool answers(const Tape& tape, const AskedQuestion& question) {
  return std::ranges::any_of(tape,
                             [&](const Decision& decision) { return is_of(question, decision); });
}

}  // namespace

Tape possible_part(const Tape& tape) {
  Tape part;
  for (const Decision& decision : tape)
    if (!is_forced(decision)) part.push_back(decision);
  return part;
}

bool has_forced(const Tape& tape) {
  return std::ranges::any_of(tape, [](const Decision& decision) { return is_forced(decision); });
}

Tape shrink_forced(const Tape& tape, const std::function<bool(const Tape&)>& shows,
                   std::uint64_t limit) {
  Tape forced;
  for (const Decision& decision : tape)
    if (is_forced(decision)) forced.push_back(decision);
  const auto with = [&](const Tape& kept) {
    Tape all;
    for (const Decision& decision : tape)
      if (!is_forced(decision) || std::ranges::find(kept, decision) != kept.end())
        all.push_back(decision);
    return all;
  };
  return with(shrink(forced, [&](const Tape& part) { return shows(with(part)); }, limit));
}

Tape replace_forced(Tape tape, const std::vector<AskedQuestion>& asked,
                    const std::function<bool(const Tape&)>& shows) {
  for (std::size_t i = 0; i < tape.size(); ++i) {
    if (!is_forced(tape[i])) continue;
    for (const AskedQuestion* other : nearest(asked, tape[i])) {
      if (answers(tape, *other)) continue;
      Tape possible = tape;
      possible[i] = {other->activation, tape[i].site_tag, other->nth, tape[i].value};
      if (!shows(possible)) continue;
      tape = std::move(possible);
      break;
    }
  }
  return tape;
}

}  // namespace harness::client
