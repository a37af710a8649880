// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "harness/gate/views/gate_views.h"
#include "harness/gate/views/gate_words.h"
#include "harness/report/html.h"

namespace harness::reports {
namespace {

using gate::Verdict;

std::string case_of(const std::string& name, const std::string& inside) {
  return fmt::format("    <testcase classname=\"gate\" name=\"{}\"{}\n", shown_text(name),
                     inside.empty() ? "/>" : ">" + inside + "</testcase>");
}

std::string element(std::string_view tag, const std::string& message) {
  return fmt::format("<{} message=\"{}\"/>", tag, shown_text(message));
}

std::string row_of(const gate::Row& row) {
  const std::string said =
      row.estimate ? fmt::format("{}: {} ({})", verdict_of(row), ratio_of(row), interval_of(row))
                   : verdict_of(row);
  switch (row.verdict) {
    case Verdict::slower:
    case Verdict::gone:
      return case_of(row.name, element("failure", said));
    case Verdict::undecided:
    case Verdict::too_noisy:
      return case_of(row.name, element("skipped", said));
    default:
      return case_of(row.name, "<system-out>" + shown_text(said) + "</system-out>");
  }
}

}  // namespace

std::string gate_junit(const gate::Comparison& comparison) {
  const gate::Result& result = comparison.result;
  const bool failed = !comparison.failure.empty();
  std::string cases;
  for (const gate::Row& row : result.rows) cases += row_of(row);
  if (failed) cases += case_of("(measuring)", element("error", comparison.failure));
  if (!failed && result.end != gate::End::complete)
    cases += case_of("(measuring)", element("skipped", summary_of(comparison)));
  const std::size_t more = failed || result.end != gate::End::complete ? 1 : 0;
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite name=\"afterlife "
      "gate\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\">\n{}  "
      "</testsuite>\n</testsuites>\n",
      result.rows.size() + more, result.count(Verdict::slower) + result.count(Verdict::gone),
      failed ? 1 : 0,
      result.count(Verdict::undecided) + result.count(Verdict::too_noisy) + (failed ? 0 : more),
      cases);
}

}  // namespace harness::reports
