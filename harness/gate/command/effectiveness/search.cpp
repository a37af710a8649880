// SPDX-License-Identifier: Apache-2.0
// How it works. A search continues until each window that the claim names had its fault, or the run
// limit is reached. Its seed is derived from its number and the variant's name. With one seed for
// all, variants of one path would get the same programs, and fail together.
#include <algorithm>
#include <atomic>

#include "harness/command/exit_code.h"
#include "harness/command/interrupt.h"
#include "harness/command/lookup.h"
#include "harness/gate/command/effectiveness/effectiveness.h"
#include "harness/search/search.h"

namespace harness::entries {
namespace {

using gate::SearchSample;

/// Searches one variant repeatedly. Ownership: borrows the options.
class VariantSearch {
 public:
  VariantSearch(const Target& target, const EffectivenessOptions& options)
      : target_(target), options_(options), claim_(variant().claim) {
    search_.strategy = &find_strategy(options.strategy);
    search_.device = &find_device("sim");
    search_.second_limit = 0;
    search_.run_limit = options.limit;
    search_.minimize = false;
    search_.stop = &stop_;
    search_.found = [this](const Finding& finding) { take_in(finding); };
  }

  /// Returns the result of the search with this number.
  SearchSample run(std::uint64_t number) {
    sample_ = {mix(number, hash_name(name_of(target_))), {}};
    for (const Label word : claim_.hazards) sample_.windows[window_of(word)] = {};
    is_minimizing_ = number < options_.first + options_.minimized;
    first_.clear();
    stop_ = false;
    search_.seed = sample_.seed;
    search(runner_, *target_.scenario, target_.variant, search_);
    if (is_minimizing_)
      for (const auto& [window, finding] : first_) minimize_first(window, finding);
    return std::move(sample_);
  }

 private:
  const VariantInfo& variant() const { return target_.scenario->variants[target_.variant]; }

  /// Returns the window in a word of the claim, without the way into it.
  static std::string window_of(Label word) {
    const std::string_view view = word.view();
    return std::string(view.substr(0, view.find('/')));
  }

  void take_in(const Finding& finding) {
    const auto found = sample_.windows.find(std::string(finding.hazard.view()));
    if (found == sample_.windows.end() || found->second.run > 0) return;
    found->second.run = finding.first_run;
    if (is_minimizing_) first_.emplace(found->first, finding);
    stop_ =
        std::ranges::all_of(sample_.windows, [](const auto& one) { return one.second.run > 0; });
  }

  void minimize_first(const std::string& window, const Finding& finding) {
    const Minimized minimized =
        minimize(runner_, finding.found.the_case, finding.signature, {}, {}, finding.window);
    if (!minimized.reproduced) return;
    sample_.windows[window].minimized = {minimized.run_count,
                                         minimized.op_count + minimized.decision_count};
  }

  Target target_;
  const EffectivenessOptions& options_;
  Claim claim_;
  Runner runner_;
  SearchOptions search_;
  std::atomic<bool> stop_ = false;
  SearchSample sample_;
  std::map<std::string, Finding> first_;
  bool is_minimizing_ = false;
};

}  // namespace

gate::SideSample searched(const EffectivenessOptions& options) {
  gate::SideSample side{options.strategy, options.first, options.limit, {}};
  for (const Target& target : find_targets(options.target)) {
    if (target.scenario->variants[target.variant].claim.kind != ClaimKind::unsound) continue;
    VariantSearch search(target, options);
    std::vector<SearchSample>& samples = side.variants[name_of(target)];
    for (std::uint64_t i = 0; i < options.searches; ++i)
      samples.push_back(search.run(options.first + i));
  }
  if (side.variants.empty())
    throw UsageError("'" + options.target + "' has no variant that is claimed to be unsound");
  return side;
}

}  // namespace harness::entries
