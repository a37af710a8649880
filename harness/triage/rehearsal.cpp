#include "harness/triage/rehearsal.h"

namespace harness::triaging {

Sites Rehearsal::silent() const {
  const bool fails = (failures_.sites() & site_bit(Site::failure)) != 0;
  const Sites others = inner_.silent() & ~site_bit(Site::failure);
  return fails ? others : others | site_bit(Site::failure);
}

std::uint32_t Rehearsal::answer(const Question& question) {
  return question.site == Site::failure ? failure(question) : inner_.answer(question);
}

// A call is noted before it asks whether it fails.
RefusedStep Rehearsal::step() const {
  const Records<Event>& events = world_.history.events();
  const bool is_call = !events.empty() && events.back().kind == EventKind::call;
  return {is_call ? events.back().what : Label(), world_.scheduler.site()};
}

std::uint32_t Rehearsal::failure(const Question& question) {
  const std::uint32_t value = failures_.value(question.activation, question.site, question.nth);
  const std::uint32_t index = value == 0 ? 0 : question.index(value);
  if (index == 0) return 0;
  const RefusedStep refused = step();
  const bool spared = repair_ != nullptr && repair_->kind == RepairKind::spare &&
                      RefusedStep{repair_->object, repair_->used.front()} == refused;
  if (spared) return 0;
  refused_.push_back(refused);
  return index;
}

}  // namespace harness::triaging
