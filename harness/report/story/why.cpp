// SPDX-License-Identifier: Apache-2.0
#include "harness/report/story/why.h"

#include <fmt/format.h>

#include "harness/base/printable.h"
#include "harness/report/fault_sides.h"
#include "harness/report/terminal.h"

namespace harness::reports {
namespace {

std::string line(std::string_view text) { return wrapped(printable(text), kWidth, 2) + "\n"; }

}  // namespace

std::string cause_in_words(const Telling& telling) {
  const Teller teller(telling);
  const Fault* fault = teller.fault();
  if (fault == nullptr) return {};
  std::string text;
  const std::string sides = sides_in_words(telling, teller);
  if (!sides.empty()) text += line("sides: " + sides);
  const std::string missing = missing_in_words(telling, teller, *fault);
  if (!missing.empty()) text += line("why: " + missing);
  if (const std::string advice = advice_in_words(telling, teller); !advice.empty())
    text += line("note: " + advice);
  const Fault& first = telling.outcome.faults.front();
  if (missing.empty() && !(first == *fault))
    text += line(fmt::format("why: it follows from the first fault of the run, at turn {}: {}",
                             first.tick, teller.in_words(first)));
  return text;
}

std::string remedy_in_words(const Remedy& remedy) {
  if (!remedy.found)
    return line(remedy.tried_count == 0
                    ? "repair: none: nothing had ended, was left over or failed before it"
                    : fmt::format("repair: none of {} repairs removes it: holding, releasing, "
                                  "sparing and ordering are not enough",
                                  remedy.tried_count));
  return line(fmt::format("repair: {}", in_words(remedy.repair))) +
         line(fmt::format("tried: with it the recorded schedule passes the fault, and none of {} "
                          "other schedules of the program shows it",
                          remedy.schedule_count));
}

}  // namespace harness::reports
