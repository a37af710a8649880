// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "harness/gate/views/gate_views.h"
#include "harness/gate/views/gate_words.h"
#include "harness/report/html.h"

namespace harness::reports {
namespace {

using gate::Verdict;

Markup case_of(const std::string& name, const Markup& inside) {
  return Markup::of("    <testcase classname=\"gate\" name=\"{}\"{}\n", name,
                    inside.empty() ? Markup("/>") : ">" + inside + "</testcase>");
}

Markup element(std::string_view tag, const std::string& message) {
  return Markup::of("<{} message=\"{}\"/>", tag, message);
}

Markup row_of(const gate::Row& row) {
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
      return case_of(row.name, Markup::of("<system-out>{}</system-out>", said));
  }
}

}  // namespace

std::string gate_junit(const gate::Comparison& comparison) {
  const gate::Result& result = comparison.result;
  const bool failed = !comparison.failure.empty();
  Markup cases;
  for (const gate::Row& row : result.rows) cases += row_of(row);
  if (failed) cases += case_of("(measuring)", element("error", comparison.failure));
  if (!failed && result.end != gate::End::complete)
    cases += case_of("(measuring)", element("skipped", summary_of(comparison)));
  const std::size_t more = failed || result.end != gate::End::complete ? 1 : 0;
  return Markup::
      of("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite name=\"afterlife "
         "gate\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\">\n{}  "
         "</testsuite>\n</testsuites>\n",
         result.rows.size() + more, result.count(Verdict::slower) + result.count(Verdict::gone),
         failed ? 1 : 0,
         result.count(Verdict::undecided) + result.count(Verdict::too_noisy) + (failed ? 0 : more),
         cases)
          .text();
}

}  // namespace harness::reports
