// SPDX-License-Identifier: Apache-2.0
// Gate views: a comparison as a table, as JSON, as JUnit's XML, as Markdown and as a page.
//
// No view has a time or one of our folders: equal comparisons give equal bytes. Names of benchmarks
// are untrusted: they pass printable(), and are escaped.
#pragma once

#include <string>

#include "harness/gate/comparison.h"
#include "harness/gate/views/canary_views.h"
#include "harness/report/terminal.h"

namespace harness::reports {

/// Returns a row per benchmark and a summary line.
std::string gate_table(const gate::Comparison& comparison, const Terminal& terminal);

/// Returns the object of `afterlife gate --json` (results/README.md).
std::string gate_json(const gate::Comparison& comparison);

/// Returns a test suite with a case per benchmark. Slower and missing ones are failures, undecided
/// and too noisy ones are skipped, and a side that could not be measured is an error.
std::string gate_junit(const gate::Comparison& comparison);

/// Returns the table for a pull request.
std::string gate_markdown(const gate::Comparison& comparison);

/// Returns a page without scripts: the ratio of each benchmark with its interval, the table, and
/// the error rates of the gate from `rates` (null: none).
std::string gate_page(const gate::Comparison& comparison, const CanaryReport* rates = nullptr);

}  // namespace harness::reports
