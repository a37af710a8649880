// SPDX-License-Identifier: Apache-2.0
#include "harness/search/triage/rehearsal.h"

namespace harness::triaging {

Sites Rehearsal::silent() const {
  const bool fails = (failures_.sites() & site_bit(Site::failure)) != 0;
  const Sites others = inner_.silent() & ~site_bit(Site::failure);
  return fails ? others : others | site_bit(Site::failure);
}

std::uint32_t Rehearsal::answer(const Question& question) {
  return question.site == Site::failure ? failure(question) : inner_.answer(question);
}

// The event of a call precedes the choice whether it fails.
RefusedStep Rehearsal::step() const {
  const Records<Event>& events = world_.history.events();
  const bool is_call = !events.empty() && events.back().kind == EventKind::call;
  return {is_call ? events.back().what : kStep, world_.scheduler.site()};
}

static bool spares(const Repair& repair, const RefusedStep& step) {
  const auto fits = [](Label wanted, Label found) { return wanted.empty() || wanted == found; };
  return repair.kind == RepairKind::spare && fits(repair.object, step.call) &&
         fits(repair.used, step.site);
}

std::uint32_t Rehearsal::failure(const Question& question) {
  const std::uint32_t value = failures_.value(question.activation, question.site, question.nth);
  const std::uint32_t index = value == 0 ? 0 : question.index(value);
  if (index == 0) return 0;
  const RefusedStep refused = step();
  if (repair_ != nullptr && spares(*repair_, refused)) return 0;
  refused_.push_back(refused);
  return index;
}

}  // namespace harness::triaging
