// SPDX-License-Identifier: Apache-2.0
#include "harness/client/command/unjudged.h"

#include <fmt/format.h>

#include "harness/base/printable.h"

namespace harness::entries {

/// Returns how the program failed by itself, and its progress, as the end of a sentence.
static std::string own_words(const client::OwnFailure& failure) {
  return fmt::format("; it {}{}{}", failure.complaint, failure.last_call.empty() ? "" : "; ",
                     failure.last_call);
}

std::string unjudged(const client::SearchResult& result) {
  if (!result.refusal.empty())
    return fmt::format("'{}' cannot be judged: {}", shown(result.options.client.command.front()),
                       result.refusal);
  if (result.run_count == 0 || !result.findings.empty()) return {};
  if (result.options.may_not_call && result.call_count == 0 && result.failures.empty()) return {};
  const std::string& command = result.options.client.command.front();
  const std::string own = result.failures.empty() ? "" : own_words(result.failures.front());
  if (result.call_count == 0)
    return fmt::format("'{}' never called our CUDA driver, so nothing was judged{}: it {}",
                       shown(command), own, result.not_ours);
  if (result.needs_runtime)
    return fmt::format("'{}' used no memory, stream or launch, so nothing was judged{}: {}",
                       shown(command), own, result.note);
  if (!result.failures.empty() && result.failures.front().run == 0)
    return fmt::format("'{}' fails by itself, without special choices{}", shown(command), own);
  return {};
}

}  // namespace harness::entries
