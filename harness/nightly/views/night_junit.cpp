// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "harness/nightly/views/night_tapes.h"
#include "harness/nightly/views/night_views.h"
#include "harness/nightly/views/night_words.h"
#include "harness/report/html.h"

namespace harness::reports {
namespace {

using nightly::Night;
using nightly::NightCell;
using nightly::NightFinding;

/// The cases of a suite, and the number of those that are not successes.
struct Cases {
  Markup text;
  std::size_t count = 0, failures = 0, skipped = 0;

  /// `tag` is "failure", "skipped", or "" for a success.
  void add(const std::string& suite, const std::string& name, double seconds, std::string_view tag,
           const std::string& said) {
    ++count;
    failures += tag == "failure";
    skipped += tag == "skipped";
    text += Markup::of("    <testcase classname=\"{}\" name=\"{}\" time=\"{:.3f}\"", suite, name,
                       seconds);
    text +=
        tag.empty() ? Markup("/>\n") : Markup::of("><{} message=\"{}\"/></testcase>\n", tag, said);
  }
};

void add_variant(Cases& cases, const NightCell& cell) {
  const Colour colour = colour_of(cell);
  // Each finding of a sound variant is a separate case, so the variant itself does not fail.
  const bool fails = cell.is_canary() && colour == Colour::red;
  const std::string_view tag = fails ? "failure" : colour == Colour::yellow ? "skipped" : "";
  cases.add("nightly." + cell.path, cell.variant, cell.seconds, tag,
            fmt::format("{}: {} in {} runs", cell.is_canary() ? "canary" : cell.claim,
                        cell.verdict(), grouped(cell.runs)));
}

void add_finding(Cases& cases, const NightFinding& finding, bool is_red) {
  cases.add("nightly." + finding.path, finding.variant + " " + finding.cause, 0,
            is_red ? "failure" : "", headline_of(finding));
}

}  // namespace

std::string night_junit(const Night& night) {
  Cases cases;
  for (const NightCell& cell : night.cells) add_variant(cases, cell);
  for (const NightFinding* finding : reported_findings(night))
    add_finding(cases, *finding, night.is_red(*finding));
  for (const NightFinding& finding : night.absent)
    if (night.is_red(finding)) add_finding(cases, finding, true);
  const nightly::NightTapes tapes = night.tapes();
  if (tapes.survived < tapes.replayed)
    cases.add("nightly", "tapes", 0, "failure", survival_of(tapes));
  if (night.shards_here < night.terms.shards)
    cases.add("nightly", "shards", 0, "failure",
              fmt::format("{} of {} shards are missing", night.terms.shards - night.shards_here,
                          night.terms.shards));
  return Markup::
      of("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite name=\"afterlife "
         "nightly\" tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"{}\">\n{}  "
         "</testsuite>\n</testsuites>\n",
         cases.count, cases.failures, cases.skipped, cases.text)
          .text();
}

}  // namespace harness::reports
