// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "harness/base/printable.h"
#include "harness/client/views/client_views.h"
#include "harness/client/views/finding_views.h"
#include "harness/client/views/finding_words.h"
#include "harness/report/html.h"

namespace harness::reports {
namespace {

Markup case_of(const std::string& name, const Markup& inside) {
  return Markup::of("    <testcase classname=\"afterlife run\" name=\"{}\"{}\n", name,
                    inside.empty() ? Markup("/>") : ">" + inside + "</testcase>");
}

Markup failure_of(const client::Finding& finding, const std::string& file) {
  return Markup::of("<failure type=\"{}\" message=\"{}\">{}</failure>", finding.fault.kind,
                    sentence_of(finding),
                    shown_lines(finding_text(finding, file, Terminal{.cuts = false})));
}

std::string name_of(const client::Finding& finding) {
  const std::string place = at(finding.fault.use.place);
  return title_of(finding) + (place.empty() ? "" : place);
}

}  // namespace

std::string findings_junit(const FindingsReport& report) {
  Markup cases;
  for (std::size_t i = 0; i < report.findings.size(); ++i)
    cases +=
        case_of(name_of(report.findings[i]), failure_of(report.findings[i], report.files.at(i)));
  const bool is_skipped = report.findings.empty() && report.unjudged.empty() && report.stopped;
  if (!report.unjudged.empty())
    cases += case_of("(running)", Markup::of("<error message=\"{}\"/>", report.unjudged));
  else if (is_skipped)
    cases += case_of("(running)", Markup("<skipped message=\"stopped\"/>"));
  else if (report.findings.empty())
    cases += case_of("no finding", {});
  const std::size_t errors = report.unjudged.empty() ? 0 : 1;
  const std::size_t other = report.findings.empty() || errors > 0 ? 1 : 0;
  return Markup::
      of("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite name=\"afterlife "
         "run\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\">\n{}  "
         "</testsuite>\n</testsuites>\n",
         report.findings.size() + other, report.findings.size(), errors, is_skipped ? 1 : 0, cases)
          .text();
}

}  // namespace harness::reports
