// SPDX-License-Identifier: Apache-2.0
// Cases of the graph_argument scenario, for its tests.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "harness/run/tests/scenario_cases.h"
#include "harness/search/minimize/minimize.h"
#include "harness/search/reproducer/reproducer.h"
#include "scenarios/graph_argument/programs.h"
#include "targets/graph_argument/graph_argument.h"

namespace scenarios::graph_argument {

extern const harness::Scenario scenario;

namespace testing {

using harness::testing::first_signature;
using harness::testing::sim;

inline constexpr harness::testing::VariantFinder variant_named{scenario};
inline constexpr harness::testing::CaseMaker make_case{scenario};

/// Returns the case of a reproducer with these choices.
inline harness::Case recorded_case(std::string_view variant, std::string_view default_stream,
                                   std::string_view decisions,
                                   std::string_view collector = "eval_breaker") {
  const std::string text = fmt::format(
      "afterlife reproducer 1\npath graph_argument\nvariant {}\n"
      "config default_stream={} collector={}\ndevice sim\ntasks script mutator\n{}end\n",
      variant, default_stream, collector, decisions);
  return harness::parse_reproducer(text, "a test's").the_case;
}

/// Returns the status of the last op of this name.
inline targets::graph_argument::Status answer_of(const harness::Runner& runner, harness::Label op) {
  using Answer = targets::graph_argument::Status;
  const auto& events = runner.history().events();
  const auto found = std::find_if(events.rbegin(), events.rend(), [&](const harness::Event& event) {
    return event.kind == harness::EventKind::op && event.what == op;
  });
  return found != events.rend() ? static_cast<Answer>(found->value) : Answer::ok;
}

}  // namespace testing
}  // namespace scenarios::graph_argument
