// SPDX-License-Identifier: Apache-2.0
#include "harness/search/keeper.h"

#include <algorithm>

namespace harness::searching {
namespace {

constexpr std::size_t kSampleLimit = 3;

bool same_bug(const Fault& a, const Fault& b) {
  return a.kind == b.kind && a.object_kind == b.object_kind && a.birth_site == b.birth_site &&
         a.death_site == b.death_site && a.use_site == b.use_site;
}

Size size_of(const Tape& tape) {
  const auto is_op = [](const Decision& decision) {
    return decision.site_tag == site_tag(Site::op);
  };
  return {std::count_if(tape.begin(), tape.end(), is_op), tape.size()};
}

void keep_if_small(std::vector<Sample>& smallest, const Tape& tape, const Config& config) {
  const Size size = size_of(tape);
  const auto place = std::upper_bound(smallest.begin(), smallest.end(), size,
                                      [](const Size& a, const Sample& b) { return a < b.size; });
  if (place == smallest.end() && smallest.size() == kSampleLimit) return;
  smallest.insert(place, {size, config, tape});
  if (smallest.size() > kSampleLimit) smallest.pop_back();
}

}  // namespace

std::uint64_t Keeper::key_of(const Fault& fault, int window) {
  std::uint64_t key =
      derive_name(fault.object_kind.hash(), fault.birth_site.hash(), raw(fault.kind));
  key = derive_name(key, fault.death_site.hash(), static_cast<std::uint32_t>(window));
  return derive_name(key, fault.use_site.hash(), 0);
}

void Keeper::take_in(const Outcome& outcome, const Config& config, double seconds) {
  fresh_.clear();
  bool overflow = false;
  for (std::size_t i = 0; i < outcome.faults.size(); ++i) {
    const int window = outcome.windows[i];
    if (options_.window >= 0 && window != options_.window) continue;
    const auto known = known_.find(key_of(outcome.faults[i], window));
    if (known == known_.end() && result_.findings.size() >= options_.finding_limit) {
      overflow = true;
      continue;
    }
    if (known == known_.end()) add(i, outcome, seconds);
    count(known == known_.end() ? result_.findings.size() - 1 : known->second, outcome, config);
  }
  result_.further_signatures += overflow;
  if (!fresh_.empty()) confirm(outcome, config);
}

// A run counts once, however often it shows the bug.
void Keeper::count(std::size_t index, const Outcome& outcome, const Config& config) {
  Seen& seen = seen_[index];
  if (std::exchange(seen.last_run, result_.tally.runs) == result_.tally.runs) return;
  ++result_.findings[index].count;
  keep_if_small(seen.smallest, outcome.tape, config);
}

void Keeper::add(std::size_t fault_index, const Outcome& outcome, double seconds) {
  const Fault& fault = outcome.faults[fault_index];
  const int window = outcome.windows[fault_index];
  known_.emplace(key_of(fault, window), result_.findings.size());
  fresh_.push_back(result_.findings.size());
  seen_.emplace_back();
  Finding& finding = result_.findings.emplace_back();
  finding.signature = fault.signature();
  finding.fault = fault;
  finding.window = window;
  finding.hazard = hazard_of(*result_.scenario, fault, window);
  finding.first_run = result_.tally.runs;
  finding.first_seconds = seconds;
}

/// Keeps the run as a reproducer of its new findings, and replays it.
void Keeper::confirm(const Outcome& outcome, const Config& config) {
  const Case the_case{result_.scenario, result_.variant, config,
                      options_.device,  outcome.tape,    options_.errors};
  const Reproducer reproducer = describe(runner_, outcome, the_case);
  const std::vector<Fault> faults = outcome.faults;
  const Outcome& again = runner_.run(the_case);
  const bool same = runner_.trace_hash() == reproducer.trace && again.faults == faults &&
                    again.tape == the_case.tape;
  result_.nondeterministic |= !same;
  for (const std::size_t index : fresh_) {
    Finding& finding = result_.findings[index];
    finding.found = finding.reproducer = reproducer;
    finding.nondeterministic = !same;
    tell(index);
  }
}

Case Keeper::case_of(const Sample& sample) const {
  return {result_.scenario, result_.variant, sample.config,
          options_.device,  sample.tape,     options_.errors};
}

void Keeper::take(std::size_t index, const Sample& sample) {
  Finding& finding = result_.findings[index];
  if (finding.nondeterministic || sample.tape == finding.found.the_case.tape) return;
  const Case the_case = case_of(sample);
  const Outcome& outcome = runner_.run(the_case);
  std::size_t shown = 0;
  while (shown < outcome.faults.size() && !(outcome.windows[shown] == finding.window &&
                                            same_bug(outcome.faults[shown], finding.fault)))
    ++shown;
  finding.nondeterministic = shown == outcome.faults.size();
  result_.nondeterministic |= finding.nondeterministic;
  if (finding.nondeterministic) return;
  finding.fault = outcome.faults[shown];
  finding.found = describe(runner_, outcome, the_case);
  if (!finding.minimized.reproduced) finding.reproducer = finding.found;
}

void Keeper::tell(std::size_t index) {
  const Finding& finding = result_.findings[index];
  const auto now =
      std::tuple(finding.reproducer.trace, finding.is_minimized, finding.nondeterministic);
  if (options_.found && std::exchange(seen_[index].reported, now) != now) options_.found(finding);
}

}  // namespace harness::searching
