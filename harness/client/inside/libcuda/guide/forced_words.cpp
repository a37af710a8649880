// SPDX-License-Identifier: Apache-2.0
#include "harness/client/inside/libcuda/guide/forced_words.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/client/border/forced.h"
#include "harness/client/inside/libcuda/python/python.h"

namespace harness::entries {
namespace {

bool has_forced(const Tape& tape, Site site) {
  return std::ranges::any_of(tape, [&](const Decision& decision) {
    return client::is_forced(decision) && decision.site_tag == site_tag(site);
  });
}

}  // namespace

// Since 3.12 the interpreter collects only where it checks for pending work. Older versions collect
// at allocations of containers, including those by C code, which cannot be observed.
std::string why_forced(const Tape& tape) {
  const bool collects = has_forced(tape, Site::collect);
  const bool switches = has_forced(tape, Site::schedule);
  if (!collects && !switches) return {};
  const auto [version, collects_where_it_looks] = Python::version();
  if (!collects)
    return fmt::format("Python {} does not look there whether to switch threads", version);
  if (collects_where_it_looks)
    return fmt::format("Python {} does not look there whether to collect{}", version,
                       switches ? " or to switch threads" : "");
  const char* const words =
      switches ? "Python {} switches no threads there, and collects only if a container is made"
               : "Python {} collects there only if a container is made, which is not seen";
  return fmt::format(fmt::runtime(words), version);
}

}  // namespace harness::entries
