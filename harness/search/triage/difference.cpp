// SPDX-License-Identifier: Apache-2.0
// How it works. If the first differing steps do the same with different values, that is the
// difference. Otherwise one run, or each, did something that the other did not: the runs are
// aligned again at the next position with a few common steps. The first step before that is the
// difference, and belongs to the run that has it.
//
// A step is named by its action and its site. A step that chooses the next task does nothing yet,
// so it is named by its site only.
#include "harness/search/triage/difference.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

namespace harness::triaging {
namespace {

using Step = Trail::Step;
using Steps = std::vector<Step>;

constexpr std::size_t kWindow = 300;  ///< Limit of steps within which the runs are aligned again.
constexpr std::size_t kInCommon = 3;  ///< This many common steps in a row are not accidental.

/// Returns the text with its numbers replaced by '#'.
Label without_numbers(Label what) {
  std::string text;
  for (const char one : what.view()) {
    const bool is_digit = std::isdigit(static_cast<unsigned char>(one)) != 0;
    if (!is_digit || text.empty() || text.back() != '#') text += is_digit ? '#' : one;
  }
  return lasting_label(text);
}

/// Returns whether both read or write the same location, whatever the value.
bool are_at_one_place(const Step& a, const Step& b) {
  if (a.kind != Trail::Kind::read && a.kind != Trail::Kind::write) return true;
  return a.values.size() == b.values.size() &&
         std::equal(a.values.begin(), a.values.end() - 1, b.values.begin());
}

/// Returns whether both do the same, possibly with different values.
bool is_one(const Step& a, const Step& b) {
  return a.kind == b.kind && a.event == b.event && a.site == b.site &&
         a.activation == b.activation && are_at_one_place(a, b) &&
         (a.what == b.what || without_numbers(a.what) == without_numbers(b.what));
}

std::size_t first_difference(const Steps& good, const Steps& bad) {
  std::size_t i = 0;
  while (i < good.size() && i < bad.size() && good[i] == bad[i]) ++i;
  return i;
}

bool are_in_common(const Steps& good, std::size_t i, const Steps& bad, std::size_t k) {
  for (std::size_t n = 0; n < kInCommon; ++n) {
    const bool is_end = i + n == good.size() && k + n == bad.size();
    if (is_end) return true;
    if (i + n >= good.size() || k + n >= bad.size() || !is_one(good[i + n], bad[k + n]))
      return false;
  }
  return true;
}

/// Numbers of steps that are in one run only.
struct Between {
  std::size_t good = 0;
  std::size_t bad = 0;
};

/// Returns the fewest such steps after which the runs have common steps again.
Between between(const Steps& good, const Steps& bad, std::size_t from) {
  for (std::size_t sum = 1; sum < kWindow; ++sum)
    for (std::size_t bad_count = 0; bad_count <= sum; ++bad_count) {
      const Between one{sum - bad_count, bad_count};
      if (from + one.good <= good.size() && from + one.bad <= bad.size() &&
          are_in_common(good, from + one.good, bad, from + one.bad))
        return one;
    }
  return {good.size() - from, bad.size() - from};
}

constexpr std::array<Label, 12> kArguments{
    kOtherwise,   "argument 1", "argument 2", "argument 3", "argument 4",  "argument 5",
    "argument 6", "argument 7", "argument 8", "argument 9", "argument 10", "argument 11"};

Label argument_in_words(std::size_t argument) {
  return kArguments[std::min(argument, kArguments.size() - 1)];
}

std::size_t first_other(const Step& good, const Step& bad) {
  for (std::size_t i = 0; i < good.values.size() && i < bad.values.size(); ++i)
    if (good.values[i] != bad.values[i]) return bad.values[i].argument;
  const auto& longer = good.values.size() > bad.values.size() ? good.values : bad.values;
  return longer[std::min(good.values.size(), bad.values.size())].argument;
}

/// Returns the action of a step without numbers; "" for a choice.
Label in_words(const Step& step) {
  const auto of = [&](std::string_view act) {
    return lasting_label(fmt::format("{} of {}", act, without_numbers(step.what).view()));
  };
  switch (step.kind) {
    case Trail::Kind::question:
      return {};
    case Trail::Kind::read:
      return of("read");
    case Trail::Kind::write:
      return of("write");
    case Trail::Kind::call:
      return step.what;
    case Trail::Kind::event:
      break;
  }
  if (step.event == EventKind::birth || step.event == EventKind::death)
    return of(to_label(step.event).view());
  return without_numbers(step.what);
}

/// Returns the first step among these that does something, or else the first one. An op's arrival
/// at a site does not count.
std::size_t first_act(const Steps& steps, std::size_t from, std::size_t count) {
  const auto begin = steps.begin() + static_cast<std::ptrdiff_t>(from);
  const auto end = begin + static_cast<std::ptrdiff_t>(count);
  const auto asks = [](const Step& step) { return step.kind == Trail::Kind::question; };
  auto act = std::find_if(
      begin, end, [&](const Step& step) { return !asks(step) && step.event != EventKind::step; });
  if (act == end) act = std::find_if_not(begin, end, asks);
  return act != end ? static_cast<std::size_t>(act - steps.begin()) : from;
}

}  // namespace

std::optional<Difference> difference_of(const Trail& good_trail, const Trail& bad_trail) {
  const Steps& good = good_trail.steps();
  const Steps& bad = bad_trail.steps();
  const std::size_t first = first_difference(good, bad);
  if (first == good.size() && first == bad.size()) return std::nullopt;
  if (first < good.size() && first < bad.size() && is_one(good[first], bad[first])) {
    const bool calls = bad[first].kind == Trail::Kind::call;
    const std::size_t argument = calls ? first_other(good[first], bad[first]) : 0;
    return Difference{bad[first], argument_in_words(argument), first};
  }
  const Between gap = between(good, bad, first);
  if (gap.bad > 0) {
    const std::size_t act = first_act(bad, first, gap.bad);
    return Difference{bad[act], kDone, act};
  }
  const std::size_t act = first_act(good, first, gap.good);
  return Difference{good[act], kLeftOut, act, true};
}

Repair revert_of(const Difference& difference) {
  const Trail::Step& step = difference.step;
  return {RepairKind::revert, in_words(step), difference.how, {}, step.site};
}

// For writes, the action is any write: code at one place may write objects of many kinds.
Repair revert_at(const Difference& difference, const std::string& place) {
  const bool writes = difference.step.kind == Trail::Kind::write;
  const Label act = writes ? Label("any write") : in_words(difference.step);
  return {RepairKind::revert, act, difference.how, lasting_label(place), {}};
}

}  // namespace harness::triaging
