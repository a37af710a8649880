// SPDX-License-Identifier: Apache-2.0
#include "harness/client/outside/search/explored.h"

#include <algorithm>

namespace harness::client {

void Explored::take(const ClientRun& run) {
  constexpr std::string_view kRuns = " runs", kSlow = "the process is slow";
  process_count = std::max(process_count, run.reports.size());
  for (const Report& report : run.reports) {
    if (free_threads.empty()) free_threads = report.free_threads;
    for (const ToldDecision& told : report.decisions) {
      site_tags.insert(told.decision.site_tag);
      has_slow_processes = has_slow_processes || told.answer.starts_with(kSlow);
      if (told.decision.site_tag != site_tag(Site::schedule)) continue;
      const std::size_t end = told.answer.find(kRuns);
      if (end != told.answer.npos && !told.answer.starts_with("another "))
        threads.insert(told.answer.substr(0, end));
    }
  }
}

}  // namespace harness::client
