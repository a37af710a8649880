// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "harness/base/printable.h"
#include "harness/client/views/client_views.h"
#include "harness/client/views/finding_views.h"
#include "harness/client/views/finding_words.h"
#include "harness/report/html.h"

namespace harness::reports {
namespace {

std::string case_of(const std::string& name, const std::string& inside) {
  return fmt::format("    <testcase classname=\"afterlife run\" name=\"{}\"{}\n", shown_text(name),
                     inside.empty() ? "/>" : ">" + inside + "</testcase>");
}

/// Makes each line printable.
std::string lines_of(const std::string& text) {
  std::string shown;
  std::size_t begin = 0;
  for (std::size_t end; (end = text.find('\n', begin)) != text.npos; begin = end + 1)
    shown += shown_text(text.substr(begin, end - begin)) + "\n";
  return shown;
}

std::string failure_of(const client::Finding& finding, const std::string& file) {
  return fmt::format("<failure type=\"{}\" message=\"{}\">{}</failure>",
                     shown_text(finding.fault.kind), shown_text(sentence_of(finding)),
                     lines_of(finding_text(finding, file, Terminal{.cuts = false})));
}

std::string name_of(const client::Finding& finding) {
  const std::string place = at(finding.fault.use.place);
  return title_of(finding) + (place.empty() ? "" : place);
}

}  // namespace

std::string findings_junit(const FindingsReport& report) {
  std::string cases;
  for (std::size_t i = 0; i < report.findings.size(); ++i)
    cases +=
        case_of(name_of(report.findings[i]), failure_of(report.findings[i], report.files.at(i)));
  const bool is_skipped = report.findings.empty() && report.unjudged.empty() && report.stopped;
  if (!report.unjudged.empty())
    cases +=
        case_of("(running)", fmt::format("<error message=\"{}\"/>", shown_text(report.unjudged)));
  else if (is_skipped)
    cases += case_of("(running)", "<skipped message=\"stopped\"/>");
  else if (report.findings.empty())
    cases += case_of("no finding", "");
  const std::size_t errors = report.unjudged.empty() ? 0 : 1;
  const std::size_t other = report.findings.empty() || errors > 0 ? 1 : 0;
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite name=\"afterlife "
      "run\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\">\n{}  "
      "</testsuite>\n</testsuites>\n",
      report.findings.size() + other, report.findings.size(), errors, is_skipped ? 1 : 0, cases);
}

}  // namespace harness::reports
